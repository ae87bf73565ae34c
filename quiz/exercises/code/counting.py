"""Code of the families on costs: FLOPs, bytes, tiles, sequences."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets
from quiz.exercises.types import Drawn


def _cache_left(drawn: Drawn) -> str:
    """Grouped heads keep fewer K and V; MLA keeps one compressed vector and one rotated key."""
    after = "2 * kv_heads * head_width" if "kv_heads" in drawn else "latent_width + rope_width"
    return f"share = 100 * ({after}) / (2 * heads * head_width)"


CODE: Snippets = {
    "doubling": Snippet("""
def flops(n):
    return 8 * n * d_model**2 + 4 * n**2 * d_model + 16 * n * d_model**2  # projections, QK' and AV, FFN

ratio = flops(2 * length) / flops(length)
"""),
    "layer_flops": Snippet("""
d_ff = multiple * d_model

def flops(n_q, n_k):
    return (
        4 * (n_q + n_k) * d_model**2,  # Q and O, K and V
        4 * n_q * n_k * d_model,  # QK' and AV
        4 * n_q * d_model * d_ff,  # two matrices
    )

projections, mixing, feed_forward = flops(queries, keys)
total = projections + mixing + feed_forward
doubled = sum(flops(2 * queries, 2 * keys))
"""),
    "score_mem": Snippet("memory = batch * heads * length**2 * np.dtype(dtype).itemsize / 2**20"),
    "kv_cache": Snippet("""
per_token = 2 * layers * kv_heads * head_width * 2  # K and V; fp16 has 2 bytes
per_sequence = per_token * (prompt + output) / 2**20
batch = per_sequence * batch / 2**10
"""),
    "gqa_ratio": Snippet(_cache_left),
    "max_concurrency": Snippet("""
per_token = 2 * layers * kv_heads * head_width * 2
per_sequence = per_token * (prompt + output)
sequences = (memory * 2**30 - billions * 10**9 * 2) // per_sequence
"""),
    "recompute": Snippet("""
saved = sum(prompt + step for step in range(steps))  # all but the new token, at every step
"""),
    "online_merge": Snippet("""
def block(s, values):
    e = np.exp(s - s.max())
    return np.array([s.max(), e.sum(), *(e @ values)])

first = block(scores[:2], v[:2])
second = block(scores[2:], v[2:])
m = max(first[0], second[0])
both = first * np.exp(first[0] - m) + second * np.exp(second[0] - m)
merged = np.array([m, both[1], *(both[2:] / both[1])])
"""),
    "flash_tiles": Snippet("""
first_column = np.arange(0, length, columns)
last_row = np.arange(rows, length + 1, rows)[:, None] - 1
tiles = (first_column <= last_row).sum()
"""),
}
