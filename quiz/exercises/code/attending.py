"""Code of the families on attention as a whole: rows, matrices, heads, what reaches where."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "weighted_sum": Snippet("output = tenths / 10 @ v"),
    "attention_row": Snippet("""
q = x[row] @ w_q
k = x @ w_k
v = x @ w_v
scores = k @ q
scaled = scores / np.sqrt(len(q))
e = np.exp(scaled)
weights = e / e.sum()
output = weights @ v
"""),
    "full_output": Snippet("""
q = x @ w_q
k = x @ w_k
v = x @ w_v
scores = q @ k.T
scaled = scores / np.sqrt(q.shape[1])
e = np.exp(scaled)
weights = e / e.sum(axis=1, keepdims=True)
output = weights @ v
"""),
    "two_heads": Snippet("""
def attend(columns):
    e = np.exp(k[:, columns] @ q[columns] / np.sqrt(3))
    return e / e.sum(), e / e.sum() @ v[:, columns]

weights_1, head_1 = attend(slice(0, 3))
weights_2, head_2 = attend(slice(3, 6))
output = np.concatenate([head_1, head_2])
"""),
    "leak": Snippet("""
one = np.eye(len(weights))
two_hops = (weights @ weights)[row, row]
factor = ((one + weights) @ (one + weights))[row, row]
"""),
    "path": Snippet("layers = int(np.ceil((length - 1) / (kernel - 1)))"),
    "receptive_field": Snippet("tokens = layers * (window - 1) + 1"),
}
