"""Rows that see nothing, padding, polarity and kinds of masks, fills that do not hide, NaN behind a mask."""

import math

import numpy as np
import pytest
import torch

from attention_core import attention, kernels, masks, trace
from attention_core.errors import MaskError, NumericalError
from tests.core.examples import drawn
from tests.core.reports import Reports

REPORTS = Reports()


@REPORTS.row(1)
def a_row_of_false_gives_exactly_nought_and_leaves_the_others_alone():
    q, k, v = drawn(1, (2, 4, 3), (2, 5, 3), (2, 5, 3))
    mask = np.ones((4, 5), dtype=bool)
    mask[2] = False
    output, right = attention(q, k, v, mask=mask), attention(q, k, v)
    assert output[:, 2].tolist() == [[0.0] * 3] * 2
    assert output[:, [0, 1, 3]].tolist() == right[:, [0, 1, 3]].tolist()


@REPORTS.row(2)
def a_sample_of_padding_only_is_finite_with_and_without_weights_and_in_the_gradients():
    tensors = [torch.tensor(a, requires_grad=True) for a in drawn(2, *[(2, 1, 3, 4)] * 3)]
    mask = torch.tensor(masks.padding([0, 2], keys=3))
    with_weights, without = trace(*tensors, mask=mask), attention(*tensors, mask=mask)
    assert torch.equal(with_weights.output, without)
    assert without[0].abs().max() == 0.0
    for gradient in torch.autograd.grad(without.sum(), tensors):
        assert gradient.isfinite().all()
        assert gradient[0].abs().max() == 0.0
        assert gradient[1].abs().max() > 0.0


@REPORTS.row(3)
def a_causal_band_over_mostly_padding_gives_the_same_rows_of_nought_on_every_path():
    """Window of 4 keys, 4 real keys of 16: queries 7 … 15 see nothing."""
    tensors = [torch.tensor(a) for a in drawn(3, *[(1, 2, 16, 8)] * 3)]
    real = torch.tensor(masks.padding([4], keys=16))
    output = attention(*tensors, mask=real, causal="top_left", window=(3, 0))
    blind = (output == 0).all(dim=-1)[0, 0]
    assert blind.tolist() == [False] * 7 + [True] * 9
    band = masks.combine(real, torch.tensor(masks.window(16, span=(3, 0))))
    for backend in kernels.BACKENDS:
        theirs, _ = kernels.run(backend, *tensors, mask=band, causal="top_left")
        assert (theirs - output).abs().max() < 1e-12


@REPORTS.row(4)
def a_finite_fill_hides_nothing_and_is_told():
    v = np.arange(4.0)[:, None]
    for fill in (np.finfo(np.float64).min, -1e9):
        row = np.full((1, 4), fill)
        assert attention(np.ones((1, 1)), np.zeros((4, 1)), v, bias=row).tolist() == [[1.5]]
        with pytest.raises(MaskError, match="a finite fill hides nothing"):
            masks.from_additive(row)


@REPORTS.row(5)
def one_boolean_matrix_means_opposite_things_to_two_functions_of_torch():
    (x,) = drawn(5, (1, 4, 2))
    keep = np.tril(np.ones((4, 4), dtype=bool))
    module = torch.nn.MultiheadAttention(2, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(2).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(2))
    tensor = torch.tensor(x)
    right = attention(x, x, x, mask=keep)
    turned, _ = module(tensor, tensor, tensor, attn_mask=torch.tensor(masks.to_multihead(keep)))
    np.testing.assert_allclose(turned.detach().numpy(), right, rtol=0, atol=1e-14)
    same = torch.nn.functional.scaled_dot_product_attention(
        tensor, tensor, tensor, attn_mask=torch.tensor(masks.to_sdpa(keep))
    )
    np.testing.assert_allclose(same.numpy(), right, rtol=0, atol=1e-14)
    unturned, _ = module(tensor, tensor, tensor, attn_mask=torch.tensor(keep))
    assert not np.allclose(unturned.detach().numpy(), right)


@REPORTS.row(10)
def left_padding_and_the_causal_rule_hold_together_through_two_layers():
    (x,) = drawn(10, (2, 1, 5, 4))
    real = masks.padding([3, 5], keys=5, side="left")
    first = attention(x, x, x, mask=real, causal="top_left")
    t = trace(first, first, first, mask=real, causal="top_left")
    assert np.isfinite(t.output).all()
    assert t.output[0, 0, :2].tolist() == [[0.0] * 4] * 2
    assert t.weights[0, 0, :, :2].max() == 0.0
    assert np.triu(t.weights[:, 0], 1).max() == 0.0
    alone = attention(x[0, :, 2:], x[0, :, 2:], x[0, :, 2:], causal="top_left")
    alone = attention(alone, alone, alone, causal="top_left")
    np.testing.assert_allclose(t.output[0, :, 2:], alone, rtol=0, atol=1e-14)


@REPORTS.row(32)
def a_float_bias_is_cast_a_whole_number_refused_and_the_output_never_widened():
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        q, k, v = (torch.ones(1, 1, 2, 4, dtype=dtype) for _ in range(3))
        for other in (torch.float32, torch.float64):
            assert attention(q, k, v, bias=torch.zeros(2, 2, dtype=other)).dtype == dtype
        for kind in (torch.int64, torch.uint8):
            with pytest.raises(MaskError, match="mask: given dtype"):
                attention(q, k, v, mask=torch.ones(2, 2, dtype=kind))
            with pytest.raises(MaskError, match="bias: given dtype"):
                attention(q, k, v, bias=torch.ones(2, 2, dtype=kind))


@REPORTS.row(36)
def nan_behind_a_mask_is_refused_by_name_and_a_large_number_there_has_no_influence():
    q, k, v = drawn(36, (1, 3, 2), (1, 3, 2), (1, 3, 2))
    mask = np.array([True, True, False])
    right = attention(q, k, v, mask=mask)
    for name, array in (("k", k), ("v", v)):
        poisoned = array.copy()
        poisoned[0, 2] = math.nan
        arguments = {"q": q, "k": k, "v": v, name: poisoned}
        with pytest.raises(NumericalError, match=rf"{name}: given nan at \[0, 2, 0\]"):
            attention(**arguments, mask=mask)
        tensors = {key: torch.tensor(value)[None] for key, value in arguments.items()}
        for backend in kernels.BACKENDS:
            with pytest.raises(NumericalError, match=f"{name}: given nan"):
                kernels.run(backend, **tensors, mask=torch.tensor(mask))
        poisoned[0, 2] = 1e150
        assert attention(**{"q": q, "k": k, "v": v, name: poisoned}, mask=mask).tolist() == right.tolist()


@pytest.mark.parametrize("report", REPORTS)
def test_report(report):
    REPORTS[report]()
