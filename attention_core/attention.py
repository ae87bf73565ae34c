"""Scaled dot-product attention in one call: the pipeline without its trace."""

from attention_core.arrays import Array
from attention_core.inputs import Options, read_inputs
from attention_core.masks import Window
from attention_core.pipeline import follow


def attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array = None,
    bias: Array = None,
    causal: str | None = None,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Array:
    """softmax(cap(Q Kᵀ · scale) + bias, hidden keys at −∞) V.

    q (..., H, T, D); k (..., G, S, D); v (..., G, S, Dv); or (length, width) each. H is a multiple of G: each
    key/value head serves H/G neighbouring query heads. Returns (..., H, T, Dv) in the inputs' dtype (16-bit
    floats are computed in float32 and rounded once).

    mask     boolean, True = may attend; spreads over (..., H, T, S)
    bias     floats added to the scores; −inf hides, a large negative number does not
    causal   "top_left": key j ≤ i; "bottom_right": key j ≤ i + S − T; None: no such rule
    window   (left, right): i − left ≤ j ≤ i + right, both inclusive, None = unbounded; counted from i + S −
             T when causal is "bottom_right"
    scale    1/√D unless given
    softcap  c > 0: scores become c·tanh(s/c), before bias and mask

    mask, bias, causal and window all hold at once. A query that sees no key gets zeros; no keys at all give
    zeros, no queries an empty array.

    Raises ShapeError, MaskError or NumericalError (all ValueErrors), naming the argument: axes that do not
    fit, a mask that is not boolean, a window that is negative or not a pair, an unknown alignment, NaN or
    ±inf in q, k, v (also at hidden keys: 0 · NaN is NaN), NaN or +inf in bias, scores that overflow.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.

    >>> attention([[1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[2.0], [4.0]]).tolist()
    [[3.0]]
    """
    options: Options = {"mask": mask, "bias": bias, "causal": causal}
    options |= {"window": window, "scale": scale, "softcap": softcap}
    inputs = read_inputs(q, k, v, options)
    return follow(inputs, forget=True).output
