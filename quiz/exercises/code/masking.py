"""Code of the families on masks."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "padding_row": Snippet("""
masked = np.where(np.arange(len(scaled)) < real, scaled, -np.inf)
e = np.exp(masked)
weights = e / e.sum()
output = weights @ v
"""),
    "causal_row": Snippet("""
masked = np.where(np.arange(scaled.shape[1]) <= row, scaled[row], -np.inf)
e = np.exp(masked)
weights = e / e.sum()
output = weights @ v
"""),
    "both_masks": Snippet("""
keys = np.arange(len(scaled))
masked = np.where((keys >= pads) & (keys <= row), scaled, -np.inf)
e = np.exp(masked)
weights = e / e.sum()
"""),
    "visible_pairs": Snippet("""
i = np.arange(tokens)[:, None]
j = np.arange(tokens)
pairs = ((j <= i) & (i - j < window)).sum()
"""),
    "nan_rows": Snippet("""
i = np.arange(tokens)[:, None]
j = np.arange(tokens)
seen = (j <= i) & (j >= pads)
rows = (~seen.any(axis=1)).sum()
"""),
}
