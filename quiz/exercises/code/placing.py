"""Code of the families on positions: sinusoids, rotations, ALiBi."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

TURN = """
def turn(pair, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ pair

"""

CODE: Snippets = {
    "sinusoid": Snippet("""
angle = position / 10000 ** (dimension // 2 * 2 / width)
entry = np.cos(angle) if dimension % 2 else np.sin(angle)
"""),
    "pe_shift": Snippet("""
angle = frequency * (position + shift)
shifted = np.array([np.sin(angle), np.cos(angle)])
"""),
    "rope": Snippet(f"""{TURN}
rotated = np.concatenate([turn(x[:2], position), turn(x[2:], position * 0.01)])
"""),
    "rope_score": Snippet(f"""{TURN}
rotated_q = turn(q, query)
rotated_k = turn(k, key)
score = rotated_q @ rotated_k
shifted_q = turn(q, query - key)
relative = shifted_q @ k
"""),
    "embed_scale": Snippet("""
dimension = np.arange(len(embedding))
angle = position / 10000 ** (dimension // 2 * 2 / width)
encoding = np.where(dimension % 2, np.cos(angle), np.sin(angle))
x = np.sqrt(width) * embedding + encoding
"""),
    "alibi": Snippet("""
slope = 2 ** (-8 * head / 16)
biased = score - slope * (query - key)
"""),
}
