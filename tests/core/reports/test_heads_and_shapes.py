"""The order of grouped heads, cutting one width into heads, empty arrays, lengths that do not fit."""

import numpy as np
import pytest
import torch

from attention_core import attention, heads, kernels, masks
from attention_core.errors import ShapeError
from tests.core.examples import drawn
from tests.core.reports import Reports

REPORTS = Reports()


@REPORTS.row(16)
def each_key_value_head_serves_neighbours():
    v = np.stack([np.full((3, 1), 1.0), np.full((3, 1), 2.0)])[None]
    q, k = np.ones((1, 4, 1, 1)), np.zeros((1, 2, 3, 1))
    assert attention(q, k, v).flatten().tolist() == [1, 1, 2, 2]
    for backend in kernels.BACKENDS:
        output, _ = kernels.run(backend, *(torch.tensor(a) for a in (q, k, v)))
        assert output.flatten().tolist() == pytest.approx([1, 1, 2, 2])


@REPORTS.row(17)
def three_axes_are_cut_along_the_width_and_then_exchanged():
    """Head h of token i is columns h·d … (h + 1)·d of row i: read off one number at a time."""
    (x,) = drawn(17, (2, 5, 6))
    apart = heads.split(x, heads=3)
    assert apart.shape == (2, 3, 5, 2)
    for b, h, i, j in np.ndindex(apart.shape):
        assert apart[b, h, i, j] == x[b, i, 2 * h + j]
    assert heads.merge(apart).tolist() == x.tolist()


@REPORTS.row(33)
def empty_queries_empty_keys_and_a_sample_of_no_length():
    for make in (np.ones, torch.ones):
        assert tuple(attention(make((1, 2, 0, 4)), make((1, 2, 3, 4)), make((1, 2, 3, 5))).shape) == (
            1,
            2,
            0,
            5,
        )
        nothing = attention(make((1, 2, 3, 4)), make((1, 2, 0, 4)), make((1, 2, 0, 5)))
        assert nothing.tolist() == np.zeros((1, 2, 3, 5)).tolist()
        assert tuple(attention(make((0, 2, 3, 4)), make((0, 2, 3, 4)), make((0, 2, 3, 4))).shape) == (
            0,
            2,
            3,
            4,
        )
    for causal in (None, "top_left", "bottom_right"):
        for queries, keys in ((0, 3), (3, 0), (0, 0)):
            tensors = torch.ones(1, 2, queries, 4), torch.ones(1, 2, keys, 4), torch.ones(1, 2, keys, 5)
            for backend in kernels.BACKENDS:
                output, _ = kernels.run(backend, *tensors, causal=causal)
                assert output.tolist() == torch.zeros(1, 2, queries, 5).tolist()
    q, k, v = drawn(33, *[(2, 1, 3, 4)] * 3)
    output = attention(q, k, v, mask=masks.padding([0, 3], keys=3))
    assert output[0].tolist() == np.zeros((1, 3, 4)).tolist()
    np.testing.assert_allclose(output[1], attention(q[1], k[1], v[1]), rtol=0, atol=1e-15)


@REPORTS.row(34)
def five_keys_and_six_values_are_refused_before_any_kernel():
    for shape in ((1, 2), (2,)):
        q, k, v = (torch.ones(*shape, length, 8) for length in (4, 5, 6))
        for backend in kernels.BACKENDS:
            with pytest.raises(ShapeError, match=r"v: given shape .*, length 6; expected length 5"):
                kernels.run(backend, q, k, v)
        with pytest.raises(ShapeError, match=r"v: given shape .*, length 6; expected length 5"):
            attention(q.numpy(), k.numpy(), v.numpy())


@pytest.mark.parametrize("report", REPORTS)
def test_report(report):
    REPORTS[report]()
