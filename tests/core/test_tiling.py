"""tiling: the recurrence is exact, visits the tiles it must, and never holds a T × S matrix."""

import tracemalloc

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_core import attention, masks, tiling, trace
from attention_core.errors import NumericalError, ShapeError
from attention_core.softmax import log_sum_exp
from tests.core.examples import drawn

CAUSES = [None, *masks.ALIGNMENTS]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 5), st.integers(1, 5), st.sampled_from(CAUSES))
def test_tiles_give_attention_and_its_log_sum_exp(queries, keys, rows, columns, causal):
    q, k, v = drawn(1, (2, queries, 3), (2, keys, 3), (2, keys, 4))
    output, lse = tiling.flash(q, k, v, causal=causal, scale=0.7, rows=rows, columns=columns)
    t = trace(q, k, v, causal=causal, scale=0.7)
    np.testing.assert_allclose(output, t.output, rtol=0, atol=1e-12)
    expected = log_sum_exp(t.masked) if keys else np.full((2, queries), -np.inf)
    np.testing.assert_allclose(lse, expected, rtol=0, atol=1e-12)


def test_groups_batches_and_other_libraries():
    q, k, v = drawn(2, (2, 6, 5, 4), (2, 3, 7, 4), (2, 3, 7, 2))
    expected = attention(q, k, v, causal="bottom_right")
    output, lse = tiling.flash(q, k, v, causal="bottom_right", rows=2, columns=3)
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-12)
    assert lse.shape == (2, 6, 5)
    strict = [array_api_strict.asarray(x) for x in (q, k, v)]
    output, _ = tiling.flash(*strict, causal="bottom_right", rows=2, columns=3)
    np.testing.assert_allclose(np.asarray(output), expected, rtol=0, atol=1e-12)


def test_large_scores_overflow_nothing():
    q = np.array([[1000.0], [-1000.0]])
    output, lse = tiling.flash(q, np.array([[1.0], [0.0]]), np.array([[1.0], [3.0]]), columns=1)
    assert output.tolist() == [[1.0], [3.0]]
    assert lse.tolist() == [1000.0, 0.0]


def test_queries_that_see_nothing_give_zeros():
    q, k, v = drawn(3, (5, 2), (2, 2), (2, 3))
    output, lse = tiling.flash(q, k, v, causal="bottom_right", rows=2, columns=1)
    assert (output[:3] == 0).all()
    assert (lse[:3] == -np.inf).all()
    np.testing.assert_allclose(output, attention(q, k, v, causal="bottom_right"), atol=1e-12)


def test_the_running_state_is_observable_step_by_step():
    """The chapter's row [2, 1, 3 | 2, 4, 5]: m 3 then 5, l 1.5032 then 1.6211."""
    scores = np.array([[2.0], [1.0], [3.0], [2.0], [4.0], [5.0]])
    values = np.arange(6.0)[:, None]
    first, second = tiling.steps([[1.0]], scores, values, scale=1.0, rows=1, columns=3)
    assert (first.rows, first.columns, second.columns) == ((0, 1), (0, 3), (3, 6))
    assert first.scores.tolist() == [[2.0, 1.0, 3.0]]
    assert (float(first.state.maximum[0, 0]), float(second.state.maximum[0, 0])) == (3.0, 5.0)
    assert float(first.state.total[0, 0]) == pytest.approx(np.exp(-1) + np.exp(-2) + 1)
    e = np.exp(scores[:, 0] - 5)
    assert float(second.state.total[0, 0]) == pytest.approx(e.sum())
    assert float(second.state.weighted[0, 0]) == pytest.approx(e @ values[:, 0])
    assert float(second.state.output[0, 0]) == pytest.approx(e @ values[:, 0] / e.sum())
    assert float(second.state.log_sum_exp[0]) == pytest.approx(np.log(240.593), abs=1e-5)


def test_two_halves_merge_to_the_whole():
    q, k, v = drawn(4, (3, 2), (8, 2), (8, 2))
    q *= 30
    left = [*tiling.steps(q, k[:5], v[:5])][-1].state
    right = [*tiling.steps(q, k[5:], v[5:])][-1].state
    whole = [*tiling.steps(q, k, v)][-1].state
    for merged in (tiling.merge(left, right), tiling.merge(right, left)):
        np.testing.assert_allclose(merged.output, whole.output, atol=1e-12)
        np.testing.assert_allclose(merged.log_sum_exp, whole.log_sum_exp, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 4), st.integers(1, 4), st.sampled_from(CAUSES))
def test_exactly_the_tiles_with_a_visible_pair_are_visited(queries, keys, rows, columns, causal):
    allowed = np.ones((queries, keys), dtype=bool)
    if causal is not None:
        allowed = masks.causal(queries, keys=keys, alignment=causal)
    wanted = [
        (i // rows, j // columns)
        for i in range(0, queries, rows)
        for j in range(0, keys, columns)
        if allowed[i : i + rows, j : j + columns].any()
    ]
    sizes = {"keys": keys, "rows": rows, "columns": columns, "causal": causal}
    assert tiling.visited(queries, **sizes) == wanted
    assert tiling.tile_count(queries, **sizes) == len(wanted)
    q, k, v = drawn(5, (queries, 2), (keys, 2), (keys, 2))
    walked = [*tiling.steps(q, k, v, causal=causal, rows=rows, columns=columns)]
    assert [(tile.rows[0] // rows, tile.columns[0] // columns) for tile in walked] == wanted


@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (4, 2), (6, 4), (3, 8)])
def test_causal_tiles_are_the_formula(rows, columns):
    n = 24
    formula = sum(-(-(i + 1) * rows // columns) for i in range(n // rows))
    assert tiling.tile_count(n, keys=n, rows=rows, columns=columns, causal="top_left") == formula
    assert tiling.tile_count(n, keys=n, rows=rows, columns=columns) == (n // rows) * (n // columns)


def test_half_precision_is_computed_in_single_and_rounded_once():
    q, k, v = (x.astype(np.float16) for x in drawn(6, (9, 4), (9, 4), (9, 4)))
    output, lse = tiling.flash(q, k, v, rows=4, columns=4)
    exact = attention(*(x.astype(np.float64) for x in (q, k, v)))
    assert (output.dtype, lse.dtype) == (np.float16, np.float32)
    np.testing.assert_allclose(output, exact.astype(np.float16), rtol=1e-3, atol=1e-7)


def test_refusals_name_the_argument():
    one = np.ones((2, 1))
    for size in ("rows", "columns"):
        with pytest.raises(ShapeError, match=rf"^{size}: given 0"):
            tiling.flash(one, one, one, **{size: 0})
    with pytest.raises(ValueError, match=r"^causal: given 'lower'"):
        tiling.flash(one, one, one, causal="lower")
    with pytest.raises(ShapeError, match=r"^v: given"):
        tiling.steps(one, one, np.ones((3, 1)))
    big = np.full((1, 1), 1e200)
    with pytest.raises(NumericalError, match=r"^q, k: given scores beyond float64"):
        tiling.flash(big, big, np.ones((1, 1)))


def peak(length, act):
    q, k, v = drawn(7, (length, 16), (length, 16), (length, 16))
    tracemalloc.start()
    act(q, k, v)
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest


def test_memory_grows_with_the_length_and_not_its_square():
    tiled = [peak(n, tiling.flash) for n in (1024, 4096)]
    assert tiled[1] < 4.4 * tiled[0]
    assert tiled[1] < 4096 * 4096  # a byte for each pair would be more
    assert peak(1024, attention) > 8 * 1024 * 1024  # what the whole matrix takes, float64


GRID = [(113, 203), (128, 217), (108, 256), (256, 512), (512, 256), (1023, 1024), (1024, 1023), (2048, 2048)]


@pytest.mark.prove
@pytest.mark.parametrize(("queries", "keys"), GRID)
@pytest.mark.parametrize("causal", CAUSES)
def test_tiles_give_torchs_answer_on_the_grid_of_flash_attention(queries, keys, causal):
    q, k, v = (torch.tensor(x) for x in drawn(8, (1, 4, queries, 64), (1, 2, keys, 64), (1, 2, keys, 64)))
    mask = None
    if causal is not None:
        mask = torch.tensor(masks.causal(queries, keys=keys, alignment=causal))
    with sdpa_kernel(SDPBackend.MATH):
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
    output, _ = tiling.flash(q, k, v, causal=causal)
    torch.testing.assert_close(output, expected, rtol=0, atol=1e-12)
