"""Code of the families on what a layer holds beside attention: norms, feed-forward network, residuals."""

from __future__ import annotations

from quiz.exercises.code.snippet import Snippet, Snippets

CODE: Snippets = {
    "layernorm": Snippet("""
mean = x.mean()
variance = ((x - mean) ** 2).mean()
output = gamma * (x - mean) / np.sqrt(variance + 1e-5) + beta
"""),
    "rmsnorm": Snippet("output = gamma * x / np.sqrt((x**2).mean() + 1e-6)"),
    "ln_vs_bn": Snippet("""
token = x[row]
entry = (token[column] - token.mean()) / np.sqrt(token.var() + 1e-5)
"""),
    "pre_post": Snippet("""
normalised = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
branch = normalised @ w
output = x + branch
"""),
    "residual_grad": Snippet("gradient = (1 + slope) ** layers"),
    "ffn": Snippet("""
pre_activation = x @ w1 + b1
hidden = np.maximum(pre_activation, 0)
output = hidden @ w2 + b2
"""),
    "swiglu": Snippet("""
gate = a / (1 + np.exp(-a))
hidden = gate * b
"""),
    "params": Snippet("""
d_ff = multiple * d_model
attention = 4 * d_model**2
feed_forward = 2 * d_model * d_ff
layer = attention + feed_forward
model = layers * layer + (1 if tied else 2) * vocabulary * d_model
"""),
    "gqa_params": Snippet("""
heads = kv_heads * group
d_model = heads * head_width
weights = 2 * d_model**2 + 2 * d_model * kv_heads * head_width
"""),
}
