"""Code of the families on scores: dot products, their scale, additive scores."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "score_entry": Snippet("score = q[row] @ k[column]"),
    "score_matrix": Snippet("scores = q @ k.T"),
    "scaled_entry": Snippet("scaled = q @ k / np.sqrt(len(q))"),
    "dot_variance": Snippet("""
unscaled = d_k * sigma_q**2 * sigma_k**2
variance = unscaled / np.sqrt(d_k) ** 2
"""),
    "additive": Snippet("score = np.tanh(q @ w_1 + k @ w_2) @ v"),
    "additive_cost": Snippet("""
projections = 2 * length * (2 * width * width)  # W_1 q and W_2 k, once for each token
pairs = length * length * (width + width + 2 * width)  # addition, tanh, dot product with v
flops = projections + pairs
"""),
}
