"""Positions while decoding and after keys were dropped, both rotary layouts, slopes, waves of odd width."""

import math

import numpy as np
import pytest

from attention_core import alibi_slopes, attention, cache, rope, sinusoidal
from tests.core.examples import drawn
from tests.core.reports import ROWS, Reports

REPORTS = Reports()


def decode_with_rope(q, k, v, *, prompt, window=None, shift=0):
    """Rows `prompt` … n − 1, one step at a time; `shift` makes the position wrong on purpose."""
    kept = cache.prefill(rope(k[..., :prompt, :], range(prompt)), v[..., :prompt, :], window=window)
    rows = []
    for t in range(prompt, q.shape[-2]):
        place = kept.positions(1) + shift
        kept = kept.append(rope(k[..., t : t + 1, :], place), v[..., t : t + 1, :])
        rows.append(cache.decode(kept, rope(q[..., t : t + 1, :], place)))
    return np.concatenate(rows, axis=-2), kept


@REPORTS.row(18)
def a_cached_step_stands_at_its_own_position_and_equals_the_row_of_the_full_pass():
    q, k, v = drawn(18, *[(1, 2, 9, 8)] * 3)
    full = attention(rope(q, range(9)), rope(k, range(9)), v, causal="top_left")
    steps, kept = decode_with_rope(q, k, v, prompt=4)
    np.testing.assert_allclose(steps, full[..., 4:, :], rtol=0, atol=1e-14)
    assert kept.positions(1).tolist() == [9]
    late, _ = decode_with_rope(q, k, v, prompt=4, shift=1)
    assert np.abs(late - full[..., 4:, :]).max() > 0.01


@REPORTS.row(19)
def positions_go_on_counting_after_keys_are_dropped():
    q, k, v = drawn(19, *[(1, 2, 12, 8)] * 3)
    full = attention(rope(q, range(12)), rope(k, range(12)), v, causal="top_left", window=(3, 0))
    steps, kept = decode_with_rope(q, k, v, prompt=5, window=4)
    np.testing.assert_allclose(steps, full[..., 5:, :], rtol=0, atol=1e-14)
    assert kept.length == 4
    assert kept.positions(1).tolist() == [12]


@REPORTS.row(20)
def each_pairing_is_its_own_formula_and_position_nought_hides_the_difference():
    (x,) = drawn(20, (4, 4))
    for interleaved, pairs in ((False, ((0, 2), (1, 3))), (True, ((0, 1), (2, 3)))):
        turned = rope(x, [0, 1, 3, 10], interleaved=interleaved)
        for row, position in enumerate((0, 1, 3, 10)):
            for i, (a, b) in enumerate(pairs):
                angle = position / 10000 ** (2 * i / 4)
                right = [
                    x[row, a] * math.cos(angle) - x[row, b] * math.sin(angle),
                    x[row, a] * math.sin(angle) + x[row, b] * math.cos(angle),
                ]
                assert turned[row, [a, b]].tolist() == pytest.approx(right, abs=1e-15)
    both = rope(x, [0] * 4), rope(x, [0] * 4, interleaved=True)
    assert both[0].tolist() == both[1].tolist() == x.tolist()
    assert np.abs(rope(x, [3] * 4) - rope(x, [3] * 4, interleaved=True)).max() > 0.1


@REPORTS.row(22)
def slopes_of_eight_begin_at_a_half_and_other_numbers_take_every_other_of_twice_as_many():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    assert alibi_slopes(6).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    extra = [2.0**-0.5, 2.0**-1.5, 2.0**-2.5, 2.0**-3.5]
    assert alibi_slopes(12).tolist() == pytest.approx([2.0**-i for i in range(1, 9)] + extra, rel=1e-15)


@REPORTS.row(37)
def an_odd_width_works_and_sine_and_cosine_share_their_frequency():
    for width in (5, 8):
        table = sinusoidal([3], width)[0]
        assert table.shape == (width,)
        for column, value in enumerate(table):
            angle = 3 / 10000 ** (2 * (column // 2) / width)
            assert value == pytest.approx(math.cos(angle) if column % 2 else math.sin(angle), abs=1e-15)


@pytest.mark.parametrize("report", REPORTS)
def test_report(report):
    REPORTS[report]()


def test_every_row_of_the_survey_has_its_case():
    from tests.core.reports import (
        test_alignment_and_windows,
        test_heads_and_shapes,
        test_masked_rows,
        test_numbers,
    )

    files = (test_alignment_and_windows, test_heads_and_shapes, test_masked_rows, test_numbers)
    cases = [*REPORTS, *(name for file in files for name in file.REPORTS)]
    assert sorted(cases) == sorted(f"row {number}: {source}" for number, source in ROWS.items())
