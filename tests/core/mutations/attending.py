"""The wrong attentions that public conformance suites were measured with, and some more.

Two of them no public suite notices: a softmax without its maximum subtracted, and a short mask let through.
"""

from tests.core.mutations.mutant import Mutant, one

WRONG_ATTENTIONS = (
    one(
        "bottom-right instead of top-left",
        "masks.py",
        'return keys - queries if alignment == "bottom_right" else 0',
        "return keys - queries if alignment else 0",
    ),
    one(
        "offset of the cache ignored",
        "masks.py",
        'return keys - queries if alignment == "bottom_right" else 0',
        "return 0",
    ),
    one(
        "positions without their offset",
        "masks.py",
        "counting(queries, like=like, xp=xp)[:, None] + offset, counting",
        "counting(queries, like=like, xp=xp)[:, None] + 0, counting",
    ),
    one(
        "offset + 1",
        "masks.py",
        "counting(queries, like=like, xp=xp)[:, None] + offset, counting",
        "counting(queries, like=like, xp=xp)[:, None] + offset + 1, counting",
    ),
    one(
        "offset − 1",
        "masks.py",
        "counting(queries, like=like, xp=xp)[:, None] + offset, counting",
        "counting(queries, like=like, xp=xp)[:, None] + offset - 1, counting",
    ),
    one(
        "strictly causal",
        "masks.py",
        "(columns >= rows - left) & (columns <= rows + right)",
        "(columns >= rows - left) & (columns < rows + right)",
    ),
    one("causal() hides the diagonal", "masks.py", "return columns <= rows", "return columns < rows"),
    one("no causal rule", "inputs.py", "(left, right if causal is None else 0)", "(left, right)"),
    Mutant(
        "groups tiled: heads 1, 2, 1, 2",
        "heads.py",
        (
            ("xp.expand_dims(x, axis=-3)", "xp.expand_dims(x, axis=-4)"),
            (
                "(*batch, groups, heads // groups, length, width)",
                "(*batch, heads // groups, groups, length, width)",
            ),
        ),
    ),
    one(
        "boolean mask inverted",
        "pipeline.py",
        "return biased if visible is None else t.xp.where(visible, biased, fill)",
        "return biased if visible is None else t.xp.where(visible, fill, biased)",
    ),
    one(
        "bias ignored",
        "pipeline.py",
        "biased = t.capped if t.bias is None else t.capped + t.bias",
        "biased = t.capped",
    ),
    one(
        "bias read as a mask of what to keep",
        "pipeline.py",
        "biased = t.capped if t.bias is None else t.capped + t.bias",
        "biased = t.capped if t.bias is None else t.xp.where(t.bias != 0, t.capped, fill)",
    ),
    one(
        "padding ignored",
        "masks.py",
        "return real[:, None, None, :]",
        "return (real | True)[:, None, None, :]",
    ),
    one("padding one key short", "masks.py", "column < count[:, None]", "column <= count[:, None]"),
    one(
        "mask overrides the causal rule",
        "inputs.py",
        "masks.combine(mask, _nearby(causal, window, scores, offset, q))",
        "mask if mask is not None else _nearby(causal, window, scores, offset, q)",
    ),
    one(
        "causal rule overrides the mask",
        "inputs.py",
        "masks.combine(mask, _nearby(causal, window, scores, offset, q))",
        ("mask if causal is None and window is None else _nearby(causal, window, scores, offset, q)"),
    ),
    one("scores not scaled", "pipeline.py", "return t.scores * t.scale", "return t.scores"),
    one(
        "divided by d",
        "inputs.py",
        '1.0 / math.sqrt(q.shape[-1]) if scale is None else _number("scale", scale)',
        '1.0 / q.shape[-1] if scale is None else _number("scale", scale)',
    ),
    one(
        "scale argument ignored",
        "inputs.py",
        '1.0 / math.sqrt(q.shape[-1]) if scale is None else _number("scale", scale)',
        "1.0 / math.sqrt(q.shape[-1])",
    ),
    one(
        "scale from the values' width",
        "inputs.py",
        '1.0 / math.sqrt(q.shape[-1]) if scale is None else _number("scale", scale)',
        '1.0 / math.sqrt(v.shape[-1]) if scale is None else _number("scale", scale)',
    ),
    Mutant(
        "cap after the mask",
        "pipeline.py",
        (
            ("return t.softcap * t.xp.tanh(t.scaled / t.softcap)", "return t.scaled"),
            (
                "return hide(t, t.visible)",
                (
                    "m = hide(t, t.visible)\n    c = t.softcap\n    return m if c is None else c * "
                    "t.xp.tanh(m / c)"
                ),
            ),
        ),
    ),
    one(
        "cap ignored", "pipeline.py", "return t.softcap * t.xp.tanh(t.scaled / t.softcap)", "return t.scaled"
    ),
    one(
        "cap not multiplied back",
        "pipeline.py",
        "return t.softcap * t.xp.tanh(t.scaled / t.softcap)",
        "return t.xp.tanh(t.scaled / t.softcap)",
    ),
    one(
        "0/0 where nothing is seen",
        "softmax.py",
        "return exponentials / xp.where(total == 0, 1.0, total)",
        "return exponentials / total",
    ),
    one("hidden by −1e9", "pipeline.py", 'fill: float = -float("inf")', "fill: float = -1e9"),
    one(
        "heads split without exchanging axes",
        "heads.py",
        (
            "apart = xp.reshape(x, (*batch, length, heads, _head_width(width, heads)))\n    "
            "return _exchange(apart, xp)"
        ),
        "return xp.reshape(x, (*batch, heads, length, _head_width(width, heads)))",
    ),
    one(
        "heads merged without exchanging axes", "heads.py", "xp.reshape(_exchange(x, xp), ", "xp.reshape(x, "
    ),
    one(
        "window one shorter on the left",
        "masks.py",
        "(columns >= rows - left) & (columns <= rows + right)",
        "(columns >= rows - left + 1) & (columns <= rows + right)",
    ),
    one(
        "window one longer on the left",
        "masks.py",
        "(columns >= rows - left) & (columns <= rows + right)",
        "(columns >= rows - left - 1) & (columns <= rows + right)",
    ),
    one(
        "window one shorter on the right",
        "inputs.py",
        "(left, right if causal is None else 0)",
        "(left, right and right - 1 if causal is None else 0)",
    ),
    one(
        "window one longer on the right",
        "masks.py",
        "(columns >= rows - left) & (columns <= rows + right)",
        "(columns >= rows - left) & (columns <= rows + right + 1)",
    ),
    one("window ignored", "inputs.py", "(None, None) if window is None else window", "(None, None)"),
    one(
        "capped and masked exchanged in the trace",
        "pipeline.py",
        "return self.__dict__[name]",
        'return self.__dict__[{"capped": "masked", "masked": "capped"}.get(name, name)]',
    ),
    one(
        "scores shown where scaled was asked",
        "pipeline.py",
        "return self.__dict__[name]",
        'return self.__dict__["scores" if name == "scaled" else name]',
    ),
    one(
        "softmax over the queries",
        "pipeline.py",
        "softmax_along(t.masked, -1, t.xp)",
        "softmax_along(t.masked, -2, t.xp)",
    ),
    one(
        "softmax without subtracting the maximum",
        "softmax.py",
        "exponentials = xp.exp(x - _finite_maximum(x, axis, xp))",
        "exponentials = xp.exp(x)",
    ),
    one("a short mask let through", "masks.py", "size in (1, wanted)", "size in (1, wanted, wanted - 1)"),
    one(
        "scores transposed",
        "pipeline.py",
        "return t.q @ t.k.mT",
        "return (t.k @ t.q.mT).mT * 0 + t.k @ t.q.mT",
    ),
    one("keys mixed instead of values", "pipeline.py", "return t.weights @ t.v", "return t.weights @ t.k"),
    one(
        "the first bias axis decides",
        "pipeline.py",
        "biased = t.capped if t.bias is None else t.capped + t.bias",
        "biased = t.capped if t.bias is None else t.capped + t.bias[..., :1, :]",
    ),
    one("values not checked", "inputs.py", '    check_finite("v", v, xp)\n', ""),
    one(
        "half precision computed in half",
        "arrays.py",
        "xp.finfo(result).bits < 32",
        "xp.finfo(result).bits < 16",
    ),
    one(
        "log-sum-exp without its maximum",
        "softmax.py",
        "xp.where(nothing, 1.0, total)) + maximum)",
        "xp.where(nothing, 1.0, total)))",
    ),
    one(
        "online softmax: sum not rescaled",
        "softmax.py",
        "total = shrink * total + piece_total",
        "total = total + piece_total",
    ),
)
