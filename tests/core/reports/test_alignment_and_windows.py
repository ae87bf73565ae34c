"""Which keys a query may see when there are more keys than queries, or fewer; how wide a window is."""

import numpy as np
import pytest
import torch

from attention_core import attention, cache, kernels, masks, trace
from attention_core.errors import MaskError, ShapeError
from tests.core.reports import Reports

REPORTS = Reports()


def means(queries, keys, **options):
    """Values 0, 1, 2, … under equal scores: each output is the mean of the keys that are seen."""
    v = np.arange(float(keys))[:, None]
    return attention(np.ones((queries, 1)), np.zeros((keys, 1)), v, **options)[:, 0].tolist()


def through_kernels(queries, keys, **options):
    q, k = torch.ones(1, 1, queries, 1, dtype=torch.float64), torch.zeros(1, 1, keys, 1, dtype=torch.float64)
    v = torch.arange(float(keys), dtype=torch.float64).reshape(1, 1, keys, 1)
    return [kernels.run(backend, q, k, v, **options)[0].flatten().tolist() for backend in kernels.BACKENDS]


@REPORTS.row(6)
def two_queries_and_four_keys_are_aligned_as_they_are_asked_to_be():
    for alignment, expected in (("top_left", [0.0, 0.5]), ("bottom_right", [1.0, 1.5])):
        assert means(2, 4, causal=alignment) == expected
        assert all(got == pytest.approx(expected) for got in through_kernels(2, 4, causal=alignment))


@REPORTS.row(7)
def a_decoding_query_sees_all_five_cached_keys():
    assert means(1, 5, causal="bottom_right") == [2.0]
    assert all(got == pytest.approx([2.0]) for got in through_kernels(1, 5, causal="bottom_right"))
    kept = cache.prefill(np.zeros((5, 1)), np.arange(5.0)[:, None])
    assert cache.decode(kept, np.ones((1, 1))).tolist() == [[2.0]]


@REPORTS.row(8)
def with_more_queries_than_keys_the_first_rows_are_nought():
    assert means(5, 2, causal="bottom_right") == [0.0, 0.0, 0.0, 0.0, 0.5]
    weights = trace(np.ones((5, 1)), np.zeros((2, 1)), np.ones((2, 1)), causal="bottom_right").weights
    assert weights.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [0.5, 0.5]]
    assert all(
        got == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.5])
        for got in through_kernels(5, 2, causal="bottom_right")
    )


@REPORTS.row(9)
def a_mask_beside_the_causal_rule_is_intersected_with_it_on_every_path():
    mask, expected = np.array([True, False, True, True]), pytest.approx([0.0, 0.0, 1.0, 5 / 3])
    assert means(4, 4, mask=mask, causal="top_left") == expected
    assert all(got == expected for got in through_kernels(4, 4, mask=torch.tensor(mask), causal="top_left"))


@REPORTS.row(26)
def a_window_of_three_sees_three_keys_and_one_of_none_is_refused():
    seen = attention(np.ones((6, 1)), np.zeros((6, 1)), np.eye(6), causal="top_left", window=(2, None))[5] > 0
    assert np.flatnonzero(seen).tolist() == [3, 4, 5]
    kept = cache.prefill(np.zeros((6, 1)), np.arange(6.0)[:, None], window=3)
    assert cache.decode(kept, np.ones((1, 1))) == pytest.approx(4.0)
    with pytest.raises(MaskError, match="window: given 0"):
        attention(np.ones((6, 1)), np.zeros((6, 1)), np.eye(6), window=0)
    with pytest.raises(ShapeError, match="window: given 0"):
        cache.prefill(np.zeros((6, 1)), np.zeros((6, 1)), window=0)
    assert (
        masks.window(3, span=(0, 0)).tolist() == np.eye(3, dtype=bool).tolist()
    )  # nobody's own key is hidden


@pytest.mark.parametrize("report", REPORTS)
def test_report(report):
    REPORTS[report]()
