"""Code of the families on softmax, its temperature, entropy and derivative."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "softmax_row": Snippet("""
e = np.exp(scores)
weights = e / e.sum()
"""),
    "softmax_dim": Snippet("""
e = np.exp(scores)
weights = e / e.sum(axis=1, keepdims=True)
"""),
    "stable": Snippet("""
e = np.exp(scores - scores.max())
total = e.sum()
weights = e / total
"""),
    "jacobian": Snippet("""
e = np.exp(scores)
p = e / e.sum()
derivative = (np.diag(p) - np.outer(p, p))[row, column]
"""),
    "saturation": Snippet("""
e = np.exp(scores / np.sqrt(d_k))
weights = e / e.sum()
"""),
    "temperature": Snippet("""
e = np.exp(scores / temperature)
weights = e / e.sum()
"""),
    "entropy": Snippet("""
e = np.exp(scores)
weights = e / e.sum()
entropy = -(weights * np.log(weights)).sum()
"""),
}
