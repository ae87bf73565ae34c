"""flash-attention's grid of shapes, and its rule: at most twice the error of plain low precision.

The oracle is the formula in float64, written here. The grid in full belongs to `make prove`.
"""

import itertools

import pytest
import torch

from attention_core import alibi_bias, attention, kernels
from tests.core.conformance.dispatching import PORTABLE

LENGTHS = [
    (113, 203), (128, 217), (113, 211), (108, 256), (256, 512), (512, 256),
    (1024, 1024), (1023, 1024), (1024, 1023), (2048, 2048),
]  # fmt: skip
WIDTHS = [32, 40, 59, 64, 80, 96, 111, 128, 160, 192, 224, 256]
QUICK = list(itertools.product([(113, 203), (108, 256), (203, 113)], [32, 59, 111]))
KINDS = {"multi-head": 6, "grouped": 2, "multi-query": 1}  # key/value heads for 6 query heads
DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}


def inputs(lengths, width, dtype, *, heads=6, kv_heads=2):
    drawing = torch.Generator().manual_seed(sum(lengths) * 1000 + width)
    shapes = ((1, heads, lengths[0], width), *[(1, kv_heads, lengths[1], width)] * 2)
    return [torch.randn(shape, generator=drawing).to(dtype) for shape in shapes]


def visible(lengths, causal, window=(None, None)):
    """Written out, bottom-right counted from the end; None when everything is."""
    queries, keys = lengths
    place = torch.arange(queries)[:, None] + (keys - queries if causal != "top_left" else 0)
    column = torch.arange(keys)
    seen = torch.ones(queries, keys, dtype=torch.bool)
    if causal:
        seen &= column <= place
    if window[0] is not None:
        seen &= column >= place - window[0]
    return seen


def plain(q, k, v, *, seen, bias=0.0, cap=None):
    """softmax(Q Kᵀ/√d) V in whatever dtype comes; rows that see nothing give zeros."""
    times = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    scores = q @ k.mT * q.shape[-1] ** -0.5
    scores = scores if cap is None else cap * torch.tanh(scores / cap)
    scores = (scores + bias).to(q.dtype).masked_fill(~seen, -torch.inf)
    return torch.softmax(scores, -1).nan_to_num(0.0) @ v


def within_the_rule(output, tensors, **options):
    right = plain(*(x.double() for x in tensors), **options)
    low = plain(*tensors, **options)
    error = (output.double() - right).abs().max()
    # What storing a number of this size costs in any case, as flash-attention's newer tests allow.
    floor = 2 * (right.to(output.dtype).double() - right).abs().max()
    if output.dtype == torch.float32:
        # The suite has no float32. There both errors are a few roundings of the same sums in another order.
        floor = 8 * torch.finfo(torch.float32).eps * right.abs().max()
    allowed = 2 * (low.double() - right).abs().max() + floor
    assert output.isfinite().all()
    assert error <= allowed, f"{error:.3g} > {allowed:.3g}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("causal", [None, "top_left", "bottom_right"])
@pytest.mark.parametrize("backend", ["attention", *PORTABLE])
def test_odd_lengths_and_widths(backend, causal, dtype):
    for lengths, width in QUICK:
        tensors = inputs(lengths, width, DTYPES[dtype])
        if backend == "attention":
            output = attention(*tensors, causal=causal)
        else:
            output, record = kernels.run(backend, *tensors, causal=causal)
            assert record.ran == backend or record.fell_back_because
        within_the_rule(output, tensors, seen=visible(lengths, causal))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("local", [False, True])
def test_grouped_heads_windows_penalties_and_caps(kind, local):
    lengths, width = (113, 203), 64
    window = (17, None) if local else (None, None)
    tensors = inputs(lengths, width, torch.bfloat16, kv_heads=KINDS[kind])
    bias = torch.tensor(alibi_bias(6, *lengths, offset=lengths[1] - lengths[0]))
    for cap in (None, 50.0):
        output = attention(*tensors, causal="bottom_right", window=window, bias=bias, softcap=cap)
        seen = visible(lengths, "bottom_right", window)
        within_the_rule(output, tensors, seen=seen, bias=bias, cap=cap)


def test_the_rule_would_catch_a_kernel_that_is_off():
    tensors = inputs((113, 203), 64, torch.float16)
    output = attention(*tensors, causal="bottom_right")
    for wrong in (attention(*tensors, causal="top_left"), output * 1.01, attention(*tensors, scale=0.12)):
        with pytest.raises(AssertionError):
            within_the_rule(wrong, tensors, seen=visible((113, 203), "bottom_right"))


@pytest.mark.prove
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_the_whole_grid(lengths, dtype):
    """Every width and kind of heads at the short lengths; at the long ones two widths and two heads."""
    short = max(lengths) < 300
    widths, heads, kinds = (WIDTHS, 6, KINDS.values()) if short else ([59, 128], 2, [1])
    for width, causal, kv_heads in itertools.product(widths, (None, "top_left", "bottom_right"), kinds):
        tensors = inputs(lengths, width, DTYPES[dtype], heads=heads, kv_heads=kv_heads)
        seen = visible(lengths, causal)
        within_the_rule(attention(*tensors, causal=causal), tensors, seen=seen)
        for backend in PORTABLE:
            output, _ = kernels.run(backend, *tensors, causal=causal)
            within_the_rule(output, tensors, seen=seen)
