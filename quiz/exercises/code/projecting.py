"""Code of the families on projections, shapes and heads."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "proj_row": Snippet("q = x @ w"),
    "recover_w": Snippet("w_q = np.linalg.lstsq(x, q, rcond=None)[0]", shown={"x": "X", "q": "Q"}),
    "asymmetry": Snippet("""
scores = (x @ w_q) @ (x @ w_k).T
difference = scores[0, 2] - scores[2, 0]
"""),
    "qkv_shape": Snippet("""
q = np.zeros((batch, length, d_k))
k = np.zeros((batch, length, d_k))
shape = (q @ k.swapaxes(-1, -2)).shape
"""),
    "mha_shape": Snippet("""
x = np.zeros((batch, length, heads * head_width))
shape = x.reshape(batch, length, heads, head_width).swapaxes(1, 2).shape
"""),
    "cross_shape": Snippet("""
q = np.zeros((batch, heads, target, head_width))
k = np.zeros((batch, heads, source, head_width))
shape = (q @ k.swapaxes(-1, -2)).shape
"""),
    "head_slice": Snippet("""
heads = q.reshape(3, 2, 2).swapaxes(0, 1)  # (head, token, d_h)
slice = heads[head, token]
"""),
    "concat_wo": Snippet("output = np.concatenate(heads) @ w_o"),
}
