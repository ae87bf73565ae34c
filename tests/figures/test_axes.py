"""Axes of both kinds: values fall where they belong, ticks are round, few, inside and named."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.figures.axes import LinearAxis, LogAxis, height_axis, width_axis
from quiz.figures.charts import Chart, Mark, Series
from quiz.figures.drawing import WIDE, drawing, lay_out

NUMBERS = st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 6)), min_size=2, max_size=8)


@given(NUMBERS)
def test_a_linear_height_holds_its_values_between_round_ticks(values: list[float]) -> None:
    axis = height_axis(values, "linear", start=300, end=20)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 8
    assert [axis.at(value) for value, _ in (ticks[0], ticks[-1])] == pytest.approx([300, 20])
    assert all(20 - 1e-6 <= axis.at(value) <= 300 + 1e-6 for value in values)
    steps = [b - a for (a, _), (b, _) in pairwise(ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-6)
    assert round(steps[0] / 10 ** math.floor(math.log10(steps[0] * (1 + 1e-9))), 6) in (1, 2, 5)


@given(NUMBERS)
def test_a_linear_width_ends_where_the_values_end(values: list[float]) -> None:
    axis = width_axis(values, "linear", start=48, end=600)
    if max(values) - min(values) > 1e-3:
        assert (axis.at(min(values)), axis.at(max(values))) == pytest.approx((48, 600))
    assert all(48 - 1e-6 <= axis.at(value) <= 600 + 1e-6 for value, _ in axis.ticks())


def test_heights_begin_at_zero_when_the_values_are_near_it() -> None:
    for values, ends in (([1, 4], (0, 4)), ([90, 100], (90, 100)), ([-3, -1], (-3, 0)), ([-1, 1], (-1, 1))):
        axis = height_axis(values, "linear", start=1, end=0)
        assert isinstance(axis, LinearAxis)
        assert (axis.low, axis.high) == ends


@given(st.integers(-12, 12), st.integers(1, 40))
def test_ticks_of_a_logarithmic_axis_are_decades_and_few(low: int, span: int) -> None:
    ticks = LogAxis(low=low, high=low + span, start=300, end=0).ticks()
    exponents = [round(math.log10(value)) for value, _ in ticks]
    assert exponents[0] == low
    assert len(ticks) <= 8
    assert len({b - a for a, b in pairwise(exponents)}) <= 1


def test_within_one_decade_1_2_and_5_are_named() -> None:
    axis = LogAxis(low=math.log10(150), high=math.log10(800), start=0, end=1)
    assert axis.ticks() == [(200.0, "200"), (500.0, "500")]


@given(st.floats(-9, 9), st.floats(0, 0.999))
def test_heights_within_one_decade_fill_their_axis(log: float, span: float) -> None:
    values = [10**log, 10 ** (log + span)]
    axis = height_axis(values, "log", start=300, end=20)
    ticks = [value for value, _name in axis.ticks()]
    assert len(ticks) >= 2
    assert 20 < axis.at(values[1]) <= axis.at(values[0]) < 300
    assert axis.high - axis.low <= span + 2 * math.log10(5)  # at most two steps of 1, 2, 5 are empty
    assert all(10 ** (axis.low - 1e-9) <= tick <= 10 ** (axis.high + 1e-9) for tick in ticks)


def test_heights_over_a_decade_end_at_decades() -> None:
    axis = height_axis([0.2, 30], "log", start=300, end=20)
    assert (axis.low, axis.high) == (-1, 2)


def curve(points: int) -> Chart:
    marks = tuple(Mark(x=n, y=-n * n / 10) for n in range(points))
    return Chart(
        slug="s", title="t", description="d", x_title="x", y_title="y",
        series=(Series(name="a", marks=marks, scales=("linear", "linear")),),
    )  # fmt: skip


@pytest.mark.parametrize("points", [5, 12, 40, 256])
def test_a_long_curve_keeps_every_point_but_few_markers(points: int) -> None:
    svg = drawing(curve(points), WIDE)
    line = svg.split('class="chart-line"')[1].split('d="')[1].split('"')[0]
    assert line.count("L") == points - 1
    markers = svg.count("<circle")
    assert markers == points if points <= 12 else 10 <= markers <= 13


def test_negative_and_zero_values_have_their_place_on_a_linear_axis() -> None:
    frame = lay_out(curve(5), WIDE)
    assert frame.y.at(0) == pytest.approx(frame.plot.top)
    assert frame.y.at(-1.6) > frame.y.at(-0.4)
    assert frame.plot.left >= 48


def test_series_of_a_chart_share_their_axes() -> None:
    with pytest.raises(ValueError, match="share their axes"):
        Chart(
            slug="s", title="t", description="d", x_title="x", y_title="y",
            series=(Series(name="a"), Series(name="b", scales=("linear", "log"))),
        )  # fmt: skip
