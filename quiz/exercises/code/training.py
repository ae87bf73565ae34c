"""Code of the families on training: shifted targets, losses, schedules, tokens."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "perplexity": Snippet("""
loss = -np.log(probabilities).mean()
perplexity = np.exp(loss)
"""),
    "shift_right": Snippet("pair = np.concatenate([[bos], tokens, tokens, [eos]])"),
    "supervised_positions": Snippet("positions = (length - padding - 1).sum()"),
    "bpe_pair_count": Snippet("""
count = sum(
    frequency
    for word, frequency in zip(words, frequencies)
    for one, other in zip(word, word[1:])
    if one + other == pair
)
"""),
    "inverted_dropout": Snippet("kept = x / (1 - p)"),
    "label_smoothing": Snippet("""
epsilon = 0.2
log_probabilities = logits - np.log(np.exp(logits).sum())
target = np.full(len(logits), epsilon / len(logits))
target[label] += 1 - epsilon
loss = -(target * log_probabilities).sum()
"""),
    "noam": Snippet("""
rate = 10**4 * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
"""),
}
