"""Wrong norms, positions, feed-forward networks, heads and layers."""

from tests.core.mutations.mutant import one

NORMS = (
    one(
        "LayerNorm: variance with n − 1",
        "norms.py",
        "xp.mean(centred * centred, axis=-1, keepdims=True)",
        ("xp.mean(centred * centred, axis=-1, keepdims=True) * (x.shape[-1] / max(x.shape[-1] - 1, 1))"),
    ),
    one(
        "LayerNorm: one-pass variance",
        "norms.py",
        "xp.mean(centred * centred, axis=-1, keepdims=True)",
        "xp.mean(x * x, axis=-1, keepdims=True) - mean * mean",
    ),
    one("LayerNorm: no bias", "norms.py", "scaled if self.bias is None else scaled + self.bias", "scaled"),
    one(
        "LayerNorm: not centred",
        "norms.py",
        "given.finish((given.x - mean) * inverse)",
        "given.finish(given.x * inverse)",
    ),
    one(
        "norms: ε outside the root",
        "norms.py",
        "1.0 / xp.sqrt(xp.where(floored == 0, 1.0, floored))",
        "1.0 / (xp.sqrt(xp.where(floored == 0, 1.0, square)) + eps)",
    ),
    one("norms: no ε", "norms.py", "floored = square + eps", "floored = square"),
    one(
        "norms: divided by the variance",
        "norms.py",
        "1.0 / xp.sqrt(xp.where(floored == 0, 1.0, floored))",
        "1.0 / xp.where(floored == 0, 1.0, floored)",
    ),
    one(
        "norms: no weight",
        "norms.py",
        "normalised if self.weight is None else normalised * self.weight",
        "normalised",
    ),
    one(
        "RMSNorm: centred",
        "norms.py",
        "square = given.xp.mean(given.x * given.x, axis=-1, keepdims=True)",
        "square = given.xp.var(given.x, axis=-1, keepdims=True)",
    ),
    one(
        "RMSNorm: length instead of mean",
        "norms.py",
        "square = given.xp.mean(given.x",
        "square = given.xp.sum(given.x",
    ),
)

POSITIONS = (
    one(
        "RoPE: always half-split",
        "positions.py",
        "first, second = _pairs(x, pairs, interleaved)\n",
        "interleaved = False\n    first, second = _pairs(x, pairs, interleaved)\n",
    ),
    one(
        "RoPE: always interleaved",
        "positions.py",
        "first, second = _pairs(x, pairs, interleaved)\n",
        "interleaved = True\n    first, second = _pairs(x, pairs, interleaved)\n",
    ),
    one(
        "RoPE: turned backwards",
        "positions.py",
        "(first * cosines - second * sines, first * sines + second * cosines)",
        "(first * cosines + second * sines, second * cosines - first * sines)",
    ),
    one(
        "RoPE: position + 1",
        "positions.py",
        "angles = _angles(_spread(places, shape_of(x)[:-1], xp), turning",
        "angles = _angles(_spread(places + 1, shape_of(x)[:-1], xp), turning",
    ),
    one(
        "RoPE: angles from the whole width",
        "positions.py",
        "xp), turning, float(base), xp)",
        "xp), width, float(base), xp)[..., : turning // 2]",
    ),
    one("RoPE: base ignored", "positions.py", "turning, float(base), xp)", "turning, 10000.0, xp)"),
    one(
        "RoPE: pairs put together side by side",
        "positions.py",
        "xp.stack(turned, axis=-1), (*shape_of(x)[:-1], 2 * pairs)",
        "xp.stack(turned, axis=-2), (*shape_of(x)[:-1], 2 * pairs)",
    ),
    one("angles: i/d for 2i/d", "positions.py", "(pair * (-2.0 / width))", "(pair * (-1.0 / width))"),
    one(
        "sinusoids: sine and cosine exchanged",
        "positions.py",
        "[xp.sin(angles), xp.cos(angles)]",
        "[xp.cos(angles), xp.sin(angles)]",
    ),
    one("ALiBi: heads from 0", "positions.py", "np.arange(1, heads + 1) / heads", "np.arange(heads) / heads"),
    one("ALiBi: sign", "positions.py", "np.asarray(0.0 - penalty)", "np.asarray(penalty)"),
    one(
        "ALiBi: odd head counts interpolated",
        "positions.py",
        "_geometric(2 * power)[::2]",
        "_geometric(2 * power)[1::2]",
    ),
    one(
        "ALiBi: offset ignored",
        "positions.py",
        "[:, None] + offset - np.arange(keys)",
        "[:, None] - np.arange(keys)",
    ),
)

LAYERS = (
    one(
        "GELU: tanh form always",
        "feedforward.py",
        "_gelu_by_tanh if approximate else _gelu_by_erf",
        "_gelu_by_tanh",
    ),
    one("GELU: no √2", "feedforward.py", "_erf(x / math.sqrt(2.0), xp)", "_erf(x, xp)"),
    one(
        "SwiGLU: sigmoid gate",
        "feedforward.py",
        "return a * _sigmoid(beta * a, xp) * b",
        "return _sigmoid(beta * a, xp) * b",
    ),
    one(
        "SwiGLU: gate and value exchanged",
        "feedforward.py",
        "_gated(x @ w, x @ v, 1.0, xp)",
        "_gated(x @ v, x @ w, 1.0, xp)",
    ),
    one("feed-forward: no b₁", "feedforward.py", "activation(_affine(x, w1, b1))", "activation(x @ w1)"),
    one(
        "feed-forward: no activation",
        "feedforward.py",
        "hidden = activation(_affine(x, w1, b1))",
        "hidden = _affine(x, w1, b1)",
    ),
    one(
        "multi-head: W_O forgotten",
        "multihead.py",
        "return _affine(side_by_side, w_o, ",
        "return _affine(side_by_side, xp.eye(w_o.shape[0]), ",
    ),
    one(
        "multi-head: keys from x in cross-attention",
        "multihead.py",
        "k = split(_affine(context, given.w_k",
        "k = split(_affine(x, given.w_k",
    ),
    one(
        "multi-head: values from the key matrix",
        "multihead.py",
        "v = split(_affine(context, given.w_v, given.b_v)",
        "v = split(_affine(context, given.w_k, given.b_v)",
    ),
    one("blocks: orders exchanged", "blocks.py", 'if order == "post" else', 'if order == "pre" else'),
    one("blocks: no residual", "blocks.py", "return norm(x + sublayer(x))", "return norm(sublayer(x))"),
    one(
        "blocks: decoder not causal",
        "blocks.py",
        'heads=heads, causal="top_left", mask=own',
        "heads=heads, mask=own",
    ),
    one(
        "blocks: decoder's cross-attention looks at itself",
        "blocks.py",
        "heads=heads, context=memory, mask=other",
        "heads=heads, mask=None",
    ),
    one(
        "matrix loaded as it stands",
        "modules.py",
        "linear.weight.copy_(matrix.T)",
        "linear.weight.copy_(matrix.reshape(linear.weight.shape))",
    ),
)
