"""Line charts as accessible SVG: at most six series, told by stroke and marker, named at their end.

A chart is drawn twice, wide (640 × 360) and narrow (358 × 300), because a scaled drawing has unreadable text;
the stylesheet shows one. What could not be measured stands in a band of its own above the plot, never on the
data. The data follow as a table. All words come from the caller, so a chart speaks the page's language.
"""

from __future__ import annotations

from html import escape

from quiz.figures.axes import significant
from quiz.figures.drawing import NARROW, WIDE, drawing
from quiz.figures.series import Chart, Gap, Mark, Series, Words, describe_mark

__all__ = ["Chart", "Gap", "Mark", "Series", "Words", "data_table", "draw"]


def draw(chart: Chart) -> str:
    """The figure: both drawings and the table. Safe markup."""
    return (
        f'<figure class="chart">{drawing(chart, WIDE)}{drawing(chart, NARROW)}'
        f"<details><summary>{escape(chart.words.table)}</summary>{data_table(chart)}</details></figure>"
    )


def data_table(chart: Chart) -> str:
    """The same data as rows of x; a cell is the value with its quartiles, or why there is none."""
    xs = sorted({m.x for s in chart.series for m in s.drawn} | {g.x for s in chart.series for g in s.missing})
    head = "".join(f'<th scope="col">{escape(s.name)}</th>' for s in chart.series)
    rows = "".join(
        f'<tr><th scope="row">{significant(x, digits=6)}</th>'
        + "".join(f"<td>{escape(_cell(s, x))}</td>" for s in chart.series)
        + "</tr>"
        for x in xs
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(chart.title)}">'
        f'<table class="data">'
        f"<caption>{escape(chart.y_title)}</caption>"
        f'<thead><tr><th scope="col">{escape(chart.x_title)}</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(series: Series, x: float) -> str:
    values = [describe_mark(mark) for mark in series.drawn if mark.x == x]
    return "; ".join(values + [gap.reason for gap in series.missing if gap.x == x]) or "–"
