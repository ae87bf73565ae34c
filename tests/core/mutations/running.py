"""Wrong tiles, caches, gradients, training and counts."""

from tests.core.mutations.mutant import one

TILES_AND_CACHE = (
    one(
        "tiles: nothing rescaled",
        "tiling.py",
        "total, weighted = total + shrink * state.total, weighted + shrink * state.weighted",
        "total, weighted = total + state.total, weighted + state.weighted",
    ),
    one(
        "tiles: only the sum rescaled",
        "tiling.py",
        "total, weighted = total + shrink * state.total, weighted + shrink * state.weighted",
        "total, weighted = total + shrink * state.total, weighted + state.weighted",
    ),
    one(
        "tiles: only the output rescaled",
        "tiling.py",
        "total, weighted = total + shrink * state.total, weighted + shrink * state.weighted",
        "total, weighted = total + state.total, weighted + shrink * state.weighted",
    ),
    one(
        "tiles: not divided at the end",
        "tiling.py",
        "return self.weighted / self.xp.where(self.total == 0, 1.0, self.total)",
        "return self.weighted",
    ),
    one(
        "tiles: diagonal tile skipped",
        "tiling.py",
        "min(start + rows, queries) + offset",
        "min(start + rows, queries) + offset - columns",
    ),
    one(
        "tiles: nothing skipped",
        "tiling.py",
        "        if causal is not None:\n            needed",
        "        if False:\n            needed",
    ),
    one(
        "tiles: diagonal tile not hidden", "tiling.py", "c[1] - 1 > r[0] + offset", "c[1] - 1 > r[1] + offset"
    ),
    one(
        "tiles: merged without rescaling",
        "tiling.py",
        "total = one * first.total + two * second.total",
        "total = first.total + second.total",
    ),
    one("tiles: log-sum-exp without its maximum", "tiling.py", "self.maximum + logarithm", "logarithm"),
    one(
        "cache: position is the length kept",
        "cache.py",
        "return self.start + self.length",
        "return self.length",
    ),
    one("cache: decoding aligned top-left", "cache.py", 'causal="bottom_right"', 'causal="top_left"'),
    one("cache: window one key wider", "cache.py", "(cache.window - 1, 0)", "(cache.window, 0)"),
    one(
        "cache: one key too few kept",
        "cache.py",
        "self.trimmed(self.window - 1)",
        "self.trimmed(max(0, self.window - 2))",
    ),
    one("cache: write does not wrap", "cache.py", "start %= size\n", "start = min(start, size - count)\n"),
    one("cache: write one row late", "cache.py", "    start %= size\n", "    start = (start + 1) % size\n"),
)

GRADIENTS_AND_TRAINING = (
    one(
        "gradients: not scaled",
        "gradients.py",
        "_through_cap(t, d_masked) * t.scale",
        "_through_cap(t, d_masked)",
    ),
    one(
        "gradients: softmax's inner term forgotten",
        "gradients.py",
        "return weights * (d_weights - inner)",
        "return weights * d_weights",
    ),
    one(
        "gradients: cap's slope forgotten",
        "gradients.py",
        "return d_capped * (1.0 - share * share)",
        "return d_capped",
    ),
    one(
        "gradients: groups not summed",
        "gradients.py",
        "return xp.sum(apart, axis=-3)",
        "return apart[..., 0, :, :]",
    ),
    one(
        "gradients: queries and keys exchanged",
        "gradients.py",
        "q=_as_argument(d_scores @ t.k, q, xp)",
        "q=_as_argument(d_scores @ t.k * 0 + d_scores.mT @ t.q, q, xp)",
    ),
    one("Jacobian: sign", "gradients.py", "column * identity - column", "column * identity + column"),
    one(
        "labels not shifted",
        "training.py",
        "xp.concat([tokens, last], axis=-1)",
        "xp.concat([first, tokens], axis=-1)",
    ),
    one("warm-up: no model width", "training.py", "d_model**-0.5 * min(", "1.0 * min("),
    one("warm-up: maximum instead of minimum", "training.py", "d_model**-0.5 * min(", "d_model**-0.5 * max("),
    one(
        "smoothing: ε/(K − 1) for ε/K",
        "training.py",
        "return true * (1.0 - epsilon) + epsilon / classes",
        "return true * (1.0 - epsilon) + (1.0 - true) * epsilon / (classes - 1)",
    ),
    one(
        "loss: ignored positions counted",
        "training.py",
        "xp.sum(xp.where(kept, losses, 0.0)) / count",
        "xp.mean(xp.where(kept, losses, 0.0))",
    ),
    one("dropout not rescaled", "training.py", "x / (1.0 - p)", "x * 1.0"),
    one("perplexity of the sum", "training.py", "float(xp.mean(logs))", "float(xp.sum(logs))"),
)

COSTS = (
    one(
        "KV cache without its factor 2",
        "costs/serving.py",
        "        of=2,\n        layers=layers,\n        batch=batch",
        "        of=1,\n        layers=layers,\n        batch=batch",
    ),
    one(
        "causal pairs: half the square",
        "costs/flops.py",
        "return ends - starts",
        "return ends - starts if causal is None else everything // 2",
    ),
    one(
        "multiply-adds not doubled",
        "costs/flops.py",
        "product(of=4, batch=batch, heads=heads",
        "product(of=2, batch=batch, heads=heads",
    ),
    one(
        "grouped heads counted as many",
        "costs/parameters.py",
        "shared = product(kv_heads=kv_heads",
        "shared = product(kv_heads=heads",
    ),
    one("tied matrix counted twice", "costs/parameters.py", "(1 if tied else 2)", "2"),
    one("admission rounded up", "costs/serving.py", "free // per_sequence", "-(-free // per_sequence)"),
)
