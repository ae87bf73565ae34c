"""masks: typed patterns, and other libraries run with what the conversions give."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.functional import scaled_dot_product_attention

from attention_core import attention, masks
from attention_core.errors import MaskError
from tests.core.examples import drawn


def ones(mask):
    return mask.astype(int).tolist()


def test_causal_alignments():
    assert ones(masks.causal(3)) == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert ones(masks.causal(2, keys=4)) == [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert ones(masks.causal(2, keys=4, alignment="bottom_right")) == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert ones(masks.causal(3, keys=1, alignment="bottom_right")) == [[0], [0], [1]]


@pytest.mark.parametrize(
    ("alignment", "theirs"), [("top_left", causal_upper_left), ("bottom_right", causal_lower_right)]
)
def test_causal_is_what_pytorch_means_by_it(alignment, theirs):
    q, k, v = (torch.tensor(a) for a in drawn(1, (1, 1, 3, 4), (1, 1, 5, 4), (1, 1, 5, 4)))
    expected = scaled_dot_product_attention(q, k, v, attn_mask=theirs(3, 5))
    torch.testing.assert_close(attention(q, k, v, causal=alignment), expected, rtol=0, atol=1e-12)


def test_windows_are_inclusive_and_may_be_unbounded():
    assert ones(masks.window(4, span=(1, 1))) == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert ones(masks.window(3, span=(None, None))) == [[1] * 3] * 3
    assert ones(masks.window(2, keys=4, span=(0, 0), offset=2)) == [[0, 0, 1, 0], [0, 0, 0, 1]]
    assert ones(masks.window(2, keys=3, span=(None, 0), offset=-1)) == [[0, 0, 0], [1, 0, 0]]


def test_a_window_to_the_left_alone_is_the_causal_mask():
    assert ones(masks.window(4, span=(None, 0))) == ones(masks.causal(4))


def test_padding_on_either_side():
    assert ones(masks.padding([1, 3], keys=3)[:, 0, 0]) == [[1, 0, 0], [1, 1, 1]]
    assert ones(masks.padding([1, 0], keys=3, side="left")[:, 0, 0]) == [[0, 0, 1], [0, 0, 0]]


def test_combining_keeps_what_all_allow():
    assert masks.combine(None, None) is None
    both = masks.combine(None, masks.causal(3), np.array([False, True, True]))
    assert ones(both) == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert masks.sees_nothing(both).tolist() == [True, False, False]


def test_left_padding_with_causal_leaves_the_padded_rows_zero():
    keep = masks.combine(masks.padding([2], keys=4, side="left"), masks.causal(4))
    q, k, v = drawn(2, (1, 1, 4, 3), (1, 1, 4, 3), (1, 1, 4, 3))
    output = attention(q, k, v, mask=keep)
    assert masks.sees_nothing(keep)[0, 0].tolist() == [True, True, False, False]
    assert (output[0, 0, :2] == 0).all()
    np.testing.assert_allclose(output[0, 0, 2], v[0, 0, 2], rtol=0, atol=1e-15)


def test_the_same_mask_through_sdpa_and_multihead_attention_only_when_inverted():
    x = torch.tensor(drawn(3, (1, 4, 2))[0])
    keep = masks.causal(4, like=x) & torch.tensor([True, True, False, True])
    layer = nn.MultiheadAttention(2, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(2, dtype=torch.float64).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(2))
        by_layer = layer(x, x, x, attn_mask=masks.to_multihead(keep))[0]
        wrong = layer(x, x, x, attn_mask=keep, need_weights=False)[0]
    by_function = scaled_dot_product_attention(x, x, x, attn_mask=masks.to_sdpa(keep))
    ours = attention(x, x, x, mask=keep)
    torch.testing.assert_close(ours, by_layer, rtol=0, atol=1e-12)
    torch.testing.assert_close(ours, by_function, rtol=0, atol=1e-12)
    assert (ours - wrong).abs().max() > 0.1


def test_conversions_are_typed_patterns():
    keep = np.array([[True, False]])
    assert masks.to_multihead(keep).tolist() == [[False, True]]
    assert masks.from_multihead([[False, True]]).tolist() == keep.tolist()
    assert masks.to_additive(keep).tolist() == [[0.0, -np.inf]]
    assert masks.from_additive([[0.0, -np.inf]]).tolist() == keep.tolist()
    assert masks.to_additive(keep, dtype=np.float32).dtype == np.float32
    assert masks.from_hugging_face([[1, 1, 0]]).tolist() == [[[[True, True, False]]]]
    assert masks.to_hugging_face(masks.padding([2], keys=3)).tolist() == [[1, 1, 0]]
    assert masks.from_sdpa(keep).tolist() == keep.tolist()


@pytest.mark.parametrize(
    ("convert", "value", "argument"),
    [
        (masks.from_additive, [[0.0, -1e9]], "bias"),
        (masks.from_additive, [[0.0, np.nan]], "bias"),
        (masks.from_hugging_face, [[0, 2]], "attention_mask"),
        (masks.from_hugging_face, [0, 1], "attention_mask"),
        (masks.from_sdpa, [[0, 1]], "attn_mask"),
        (masks.from_multihead, [[0.0, 1.0]], "drop_mask"),
        (masks.to_multihead, [[1, 0]], "mask"),
        (masks.to_hugging_face, [[True]], "mask"),
        (lambda lengths: masks.padding(lengths, keys=3), [4], "lengths"),
        (lambda lengths: masks.padding(lengths, keys=3), [-1], "lengths"),
        (lambda lengths: masks.padding(lengths, keys=3), [1.5], "lengths"),
        (lambda side: masks.padding([1], keys=3, side=side), "middle", "side"),
        (lambda alignment: masks.causal(2, alignment=alignment), "lower_right", "causal"),
        (lambda span: masks.window(2, span=span), (0, -1), "window"),
    ],
)
def test_what_is_not_clear_is_refused_by_name(convert, value, argument):
    with pytest.raises(MaskError) as refusal:
        convert(value)
    assert refusal.value.argument == argument
