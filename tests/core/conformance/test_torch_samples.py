"""PyTorch's own operator samples (inputs only, from its wheel), with its float64 results as the oracle."""

from functools import cache

import numpy as np
import pytest
import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_core import attention, gelu, heads, layer_norm, rms_norm, silu, softmax
from attention_core.errors import NumericalError, ShapeError
from attention_core.softmax import log_softmax, log_sum_exp


@cache
def _operators():
    from torch.testing._internal.common_methods_invocations import op_db  # takes seconds to import

    return {operator.name: operator for operator in op_db if not operator.variant_test_name}


def samples(operator):
    torch.manual_seed(0)
    return list(_operators()[operator].sample_inputs("cpu", torch.float64))


def same(ours, theirs, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(ours), theirs.detach().numpy(), rtol=tolerance, atol=tolerance)


def test_scaled_dot_product_attention_and_its_gradients():
    without_dropout = [
        s for s in samples("nn.functional.scaled_dot_product_attention") if not s.kwargs["dropout_p"]
    ]
    assert len(without_dropout) == 13
    for sample in without_dropout:
        tensors = [x.detach().requires_grad_() for x in (sample.input, *sample.args)]
        causal = "top_left" if sample.kwargs["is_causal"] else None
        bias = sample.kwargs.get("attn_mask")
        with sdpa_kernel(SDPBackend.MATH):
            theirs = functional.scaled_dot_product_attention(*tensors, **sample.kwargs)
        ours = attention(*tensors, bias=bias, causal=causal)
        arrays = [x.detach().numpy() for x in tensors]
        plain = attention(*arrays, bias=None if bias is None else bias.detach().numpy(), causal=causal)
        same(ours.detach(), theirs)
        same(plain, theirs)
        weight = torch.randn(theirs.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
        right = torch.autograd.grad(theirs, tensors, weight)
        for mine, other in zip(torch.autograd.grad(ours, tensors, weight), right, strict=True):
            same(mine, other, 1e-11)


def multi_head(sample):
    """multi_head_attention_forward of one sample: row vectors times Wᵀ, heads cut, one more key, joined."""
    query, key, value = (x[:, None] if x.ndim == 2 else x for x in (sample.input, *sample.args[:2]))
    _, count, in_weight, in_bias, bias_k, bias_v, zero_key, _, out_weight, out_bias = sample.args[2:]
    assert zero_key is False
    options = sample.kwargs
    if options["use_separate_proj_weight"]:
        weights = [options[f"{name}_proj_weight"] for name in "qkv"]
    else:
        weights = in_weight.chunk(3)
    batch = query.shape[1]
    projected = [
        x.transpose(0, 1) @ w.T + b
        for x, w, b in zip((query, key, value), weights, in_bias.chunk(3), strict=True)
    ]
    for place, extra in ((1, bias_k), (2, bias_v)):
        projected[place] = torch.cat([projected[place], extra.expand(batch, 1, -1)], dim=1)
    bias = options["attn_mask"]
    if bias is not None:
        bias = functional.pad(bias, (0, 1))  # the extra key is open to all
        bias = bias.unflatten(0, (batch, count)) if bias.ndim == 3 else bias
    output = heads.merge(attention(*(heads.split(x, heads=count) for x in projected), bias=bias))
    output = (output @ out_weight.T + out_bias).transpose(0, 1)
    return output[:, 0] if sample.input.ndim == 2 else output


def test_multi_head_attention_forward():
    given = samples("nn.functional.multi_head_attention_forward")
    assert len(given) == 192
    kinds = set()
    for sample in given:
        arguments = list(sample.args)
        arguments[9] = 0.0  # dropout
        options = sample.kwargs | {"training": False, "need_weights": False}
        theirs, _ = functional.multi_head_attention_forward(sample.input, *arguments, **options)
        same(multi_head(sample).detach(), theirs, 1e-11)
        kinds.add((sample.input.ndim, options["attn_mask"] is None, options["use_separate_proj_weight"]))
    assert len(kinds) == 8


@pytest.mark.parametrize("operator", ["layer_norm", "rms_norm"])
def test_norms(operator):
    refused = 0
    for sample in samples(f"nn.functional.{operator}"):
        shape, *parameters = sample.args
        flat = sample.input.flatten(sample.input.ndim - len(shape))
        parameters = [p.flatten() for p in parameters]
        eps = sample.kwargs.get("eps", 1e-5)
        ours = layer_norm if operator == "layer_norm" else rms_norm
        if eps < 0:
            with pytest.raises(NumericalError, match=r"eps: given -0\.5"):
                ours(flat, *parameters, eps=eps)
            refused += 1
            continue
        theirs = getattr(functional, operator)(sample.input, *sample.args, eps=eps)
        same(ours(flat, *parameters, eps=eps).detach().reshape(sample.input.shape), theirs)
    assert refused == 1


def test_softmax_and_its_logarithm():
    for name, ours in (("softmax", softmax), ("log_softmax", log_softmax)):
        for sample in samples(name):
            x, axis = sample.input.detach(), sample.args[0]
            if x.ndim == 0:  # torch takes a number for one of a row; here it has no axis 0
                with pytest.raises(ShapeError, match="axis: given 0"):
                    ours(x, axis=axis)
                continue
            theirs = getattr(torch, name)(x, axis)
            same(ours(x, axis=axis), theirs)
            same(ours(x.numpy(), axis=axis), theirs)


def test_log_sum_exp():
    for sample in samples("logsumexp"):
        axes, _ = sample.args
        if sample.input.ndim and len(axes) == 1:
            ours = log_sum_exp(sample.input, axis=axes[0])
            same(ours.detach(), torch.logsumexp(sample.input, axes[0]))


def test_masked_softmax_is_softmax_of_minus_infinity_with_nought_for_an_empty_row():
    seen = 0
    for sample in samples("masked.softmax"):
        mask = sample.kwargs["mask"]
        if sample.input.ndim and sample.input.numel() and mask is not None:
            hidden = torch.where(mask, sample.input, -torch.inf)
            theirs = torch.softmax(hidden, sample.args[0]).nan_to_num(0.0)
            same(softmax(hidden, axis=sample.args[0]).detach(), theirs)
            seen += 1
    assert seen == 10


def test_activations_and_their_gradients():
    for sample in samples("nn.functional.gelu"):
        rough = sample.kwargs["approximate"] == "tanh"
        _compare(lambda x, rough=rough: gelu(x, approximate=rough), sample, functional.gelu)
    for sample in samples("nn.functional.silu"):
        _compare(silu, sample, functional.silu)


def _compare(ours, sample, theirs):
    x = sample.input.detach().requires_grad_()
    expected = theirs(x, **sample.kwargs)
    same(ours(x).detach(), expected)
    same(ours(x.detach().numpy()), expected)
    same(torch.autograd.grad(ours(x).sum(), x)[0], torch.autograd.grad(expected.sum(), x)[0])
