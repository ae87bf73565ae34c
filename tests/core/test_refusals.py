"""Every refusal names the argument, what was given and what was expected."""

import pickle

import numpy as np
import pytest
import torch

from attention_core import attention, trace, trace_from_x
from attention_core.errors import ArgumentError, MaskError, NumericalError, ShapeError, UnsupportedKernel

GOOD = np.ones((2, 3, 4))  # (heads, length, width)


def with_one(value):
    bad = GOOD.copy()
    bad[1, 2, 0] = value
    return bad


def bias_with(value):
    bias = np.zeros((3, 3))
    bias[1, 2] = value
    return bias


CASES = {
    "flat q": ({"q": np.ones(4)}, ShapeError, "q", "(4,)"),
    "unlike ranks": ({"k": np.ones((3, 4))}, ShapeError, "k", "(3, 4)"),
    "width of k": ({"k": np.ones((2, 3, 5))}, ShapeError, "k", "width 5"),
    "length of v": ({"v": np.ones((2, 6, 4))}, ShapeError, "v", "length 6"),
    "heads of v": ({"v": np.ones((1, 3, 4))}, ShapeError, "v", "1 heads"),
    "heads of k and v": ({"k": np.ones((3, 3, 4)), "v": np.ones((3, 3, 4))}, ShapeError, "k", "3 heads"),
    "no width": ({"q": np.ones((2, 3, 0)), "k": np.ones((2, 3, 0))}, ShapeError, "q", "(2, 3, 0)"),
    "ragged q": ({"q": [[1.0], [1.0, 2.0]]}, ShapeError, "q", "unequal"),
    "words": ({"v": np.full((2, 3, 4), "a")}, NumericalError, "v", "<U1"),
    "complex": ({"q": GOOD * 1j}, NumericalError, "q", "complex128"),
    "NaN in q": ({"q": with_one(np.nan)}, NumericalError, "q", "nan at [1, 2, 0]"),
    "inf in k": ({"k": with_one(np.inf)}, NumericalError, "k", "inf at [1, 2, 0]"),
    "-inf in v": ({"v": with_one(-np.inf)}, NumericalError, "v", "-inf at [1, 2, 0]"),
    "NaN at a hidden key": (
        {"v": with_one(np.nan), "mask": np.array([True, True, False])},
        NumericalError,
        "v",
        "nan at [1, 2, 0]",
    ),
    "overflow": ({"q": GOOD * 1e200, "k": GOOD * 1e200}, NumericalError, "q, k", "beyond float64"),
    "whole mask": ({"mask": np.ones((3, 3), dtype=np.int64)}, MaskError, "mask", "int64"),
    "float mask": ({"mask": np.ones((3, 3))}, MaskError, "mask", "float64"),
    "shape of mask": ({"mask": np.ones((3, 4), dtype=bool)}, ShapeError, "mask", "(3, 4)"),
    "mask with more axes": ({"mask": np.ones((5, 2, 3, 3), dtype=bool)}, ShapeError, "mask", "(5, 2, 3, 3)"),
    "ragged mask": ({"mask": [[True], [True, False]]}, ShapeError, "mask", "unequal"),
    "NaN in bias": ({"bias": bias_with(np.nan)}, NumericalError, "bias", "nan at [1, 2]"),
    "+inf in bias": ({"bias": bias_with(np.inf)}, NumericalError, "bias", "inf at [1, 2]"),
    "whole bias": ({"bias": np.ones((3, 3), dtype=np.int32)}, MaskError, "bias", "int32"),
    "boolean bias": ({"bias": np.ones((3, 3), dtype=bool)}, MaskError, "bias", "bool"),
    "shape of bias": ({"bias": np.zeros((2, 3))}, ShapeError, "bias", "(2, 3)"),
    "unknown causal": ({"causal": "lower_right"}, MaskError, "causal", "'lower_right'"),
    "causal True": ({"causal": True}, MaskError, "causal", "True"),
    "negative window": ({"window": (-1, 0)}, MaskError, "window", "(-1, 0)"),
    "half a window": ({"window": (1,)}, MaskError, "window", "(1,)"),
    "fraction of a window": ({"window": (1.5, 0)}, MaskError, "window", "(1.5, 0)"),
    "boolean window": ({"window": (True, 0)}, MaskError, "window", "(True, 0)"),
    "soft cap of nought": ({"softcap": 0.0}, NumericalError, "softcap", "0.0"),
    "negative soft cap": ({"softcap": -30}, NumericalError, "softcap", "-30"),
    "infinite scale": ({"scale": float("inf")}, NumericalError, "scale", "inf"),
    "scale in words": ({"scale": "0.5"}, NumericalError, "scale", "'0.5'"),
    "mixed libraries": ({"k": torch.ones(2, 3, 4)}, ShapeError, "k", "Tensor"),
    "not an array": ({"q": object()}, ShapeError, "q", "object"),
}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("call", [attention, trace])
@pytest.mark.parametrize("case", CASES)
def test_a_bad_argument_is_named(call, case):
    changed, error, argument, given = CASES[case]
    with pytest.raises(error) as refusal:
        call(**{"q": GOOD, "k": GOOD, "v": GOOD} | changed)
    assert isinstance(refusal.value, ValueError)
    assert refusal.value.argument == argument
    assert given in refusal.value.given
    assert str(refusal.value) == f"{argument}: given {refusal.value.given}; expected {refusal.value.expected}"


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_torch_arguments_are_refused_alike(name):
    tensors = {other: torch.ones(2, 3, 4) for other in "qkv"}
    tensors[name][0, 1, 2] = torch.nan
    with pytest.raises(NumericalError, match=rf"^{name}: given nan at \[0, 1, 2\]; expected finite"):
        attention(**tensors)
    with pytest.raises(MaskError, match=r"^mask: given dtype torch.int64"):
        attention(*[torch.ones(2, 2)] * 3, mask=torch.ones(2, 2, dtype=torch.int64))


def test_keys_shorter_than_values_never_reach_a_kernel():
    with pytest.raises(ShapeError, match=r"v: given .*length 6; expected length 5"):
        attention(torch.ones(1, 1, 2, 4), torch.ones(1, 1, 5, 4), torch.ones(1, 1, 6, 4))


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"x": np.ones(3)}, "x"),
        ({"x": np.full((2, 3), np.nan)}, "x"),
        ({"w_q": np.ones((2, 2))}, "w_q"),
        ({"w_k": np.ones(3)}, "w_k"),
        ({"w_v": np.full((3, 2), np.inf)}, "w_v"),
        ({"w_k": np.ones((3, 4))}, "k"),
    ],
)
def test_a_bad_projection_is_named(changed, argument):
    given = {"x": np.ones((2, 3)), "w_q": np.ones((3, 2)), "w_k": np.ones((3, 2)), "w_v": np.ones((3, 2))}
    with pytest.raises(ArgumentError) as refusal:
        trace_from_x(**(given | changed))
    assert refusal.value.argument == argument


@pytest.mark.parametrize("call", [trace, attention])
def test_an_unknown_keyword_is_refused_by_name(call):
    with pytest.raises(TypeError, match=r"casual"):
        call(GOOD, GOOD, GOOD, casual="top_left")
    with pytest.raises(TypeError, match=r"^unknown keyword casual$"):
        trace_from_x(np.ones((2, 3)), np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 2)), casual="top_left")


def test_an_error_survives_leaving_its_process():
    error = ShapeError("k", "shape (1,)", "two axes")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_unsupported_is_not_a_wrong_value():
    assert not issubclass(UnsupportedKernel, ValueError)
