"""A line chart of computed series, written as YAML: title, x, x-label, y-label, log, series, look."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import yaml

from quiz.bank.blocks.setting import Block, BlockError, Setting
from quiz.bank.numbers import IN_FORMULA, written
from quiz.expressions import ExpressionError, evaluate
from quiz.figures.axes import Scale
from quiz.figures.charts import Chart, Mark, Series, Words, draw
from quiz.figures.series import MOST_SERIES

NEEDED = ("title", "x", "x-label", "y-label", "series", "look")
KEYS = (*NEEDED, "log")
SERIES_KEYS = ("name", "value")
MOST_POINTS = 256
LOOK = {True: "看什么", False: "What to look at"}  # by whether the text is Chinese
WORDS = {True: Words(table="数据表", nothing="没有数据"), False: Words(nothing="No data")}


def _figure(source: str, setting: Setting) -> str:
    chart = read_chart(source, setting)
    colon = "：" if setting.is_chinese else ": "
    heading = f'<p class="chart-title">{escape(chart.title)}</p>'
    look = f'<p class="chart-look">{escape(f"{LOOK[setting.is_chinese]}{colon}{chart.description}")}</p>'
    return f'<div class="chart-block">{heading}{draw(chart)}{look}</div>'


def _words(source: str, setting: Setting) -> str:
    chart = read_chart(source, setting)
    return f"{chart.title}\n{chart.description}"


def read_chart(source: str, setting: Setting) -> Chart:
    """The chart with every series computed; BlockError for what cannot be."""
    keys = _mapping(_node(source), KEYS, NEEDED)
    x = _vector(keys["x"], setting)
    scales = _scales(keys)
    series = _series(keys["series"], x, setting)
    for axis, scale, values in (
        ("x", scales[0], x),
        ("y", scales[1], np.concatenate([line for _, line in series])),
    ):
        if scale == "log" and np.any(values <= 0):
            raise BlockError(
                f"a logarithmic {axis} axis shows numbers above 0 only", keys["log"].start_mark.line + 1
            )
    return Chart(
        slug=setting.slug,
        title=_text(keys["title"], setting),
        description=_text(keys["look"], setting),
        x_title=_text(keys["x-label"], setting),
        y_title=_text(keys["y-label"], setting),
        series=tuple(
            Series(
                name=name,
                marks=tuple(Mark(x=a, y=b) for a, b in zip(x.tolist(), line.tolist(), strict=True)),
                scales=scales,
            )
            for name, line in series
        ),
        words=WORDS[setting.is_chinese],
    )


def _node(source: str) -> yaml.Node:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(source, Loader=yaml.SafeLoader)):
            raise BlockError("a chart has no aliases: write the value out")
        node = yaml.SafeLoader(source).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BlockError(f"YAML: {error.problem or error.context}", (mark.line if mark else 0) + 1) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BlockError(f"YAML: {error}") from None
    if node is None:
        raise BlockError("the chart is empty")
    return node


def _mapping(node: yaml.Node, keys: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, yaml.Node]:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise BlockError(f"lines of `key: value` are needed: {', '.join(keys)}", line)
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = str(key.value)
        if name not in keys:
            raise BlockError(f"the key {name!r} is not known: {', '.join(keys)}", key.start_mark.line + 1)
        if name in found:
            raise BlockError(f"the key {name!r} is given twice", key.start_mark.line + 1)
        found[name] = value
    for name in needed:
        if name not in found:
            raise BlockError(f"{name} is missing", line)
    return found


def _scales(keys: Mapping[str, yaml.Node]) -> tuple[Scale, Scale]:
    if "log" not in keys:
        return "linear", "linear"
    said = str(keys["log"].value)
    if said not in ("x", "y", "both"):
        raise BlockError("log is x, y or both", keys["log"].start_mark.line + 1)
    return ("log" if said != "y" else "linear"), ("log" if said != "x" else "linear")


def _series(
    node: yaml.Node, x: np.ndarray[Any, Any], setting: Setting
) -> list[tuple[str, np.ndarray[Any, Any]]]:
    if not isinstance(node, yaml.SequenceNode) or not 1 <= len(node.value) <= MOST_SERIES:
        raise BlockError(f"series is a list of 1 to {MOST_SERIES}", node.start_mark.line + 1)
    found = []
    for item in node.value:
        keys = _mapping(item, SERIES_KEYS, SERIES_KEYS)
        line = _vector(keys["value"], setting)
        if len(line) != len(x):
            message = f"the series has {len(line)} values, x has {len(x)}"
            raise BlockError(message, keys["value"].start_mark.line + 1)
        found.append((_text(keys["name"], setting), line))
    return found


def _vector(node: yaml.Node, setting: Setting) -> np.ndarray[Any, Any]:
    line = node.start_mark.line + 1
    try:
        value = evaluate(_source(node), setting.names)
    except ExpressionError as error:
        raise BlockError(str(error), line) from None
    if not isinstance(value, np.ndarray) or value.ndim != 1 or not 2 <= len(value) <= MOST_POINTS:
        raise BlockError(f"a vector of 2 to {MOST_POINTS} numbers is needed", line)
    if not np.all(np.isfinite(value)):
        raise BlockError("a value is not finite", line)
    return value.astype(np.float64)


def _source(node: yaml.Node) -> str:
    """An expression as it was typed; a bare list is YAML's own, so it is written again."""
    if isinstance(node, yaml.SequenceNode):
        return f"[{', '.join(_source(entry) for entry in node.value)}]"
    return str(node.value)


def _text(node: yaml.Node, setting: Setting) -> str:
    """One line, its live numbers computed."""
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        raise BlockError("a text is needed here", line)
    if "$" in node.value or "\\" in node.value:
        raise BlockError("texts of a chart are plain: d_k, √n, O(n²)", line)
    try:
        return IN_FORMULA.sub(lambda match: written(match[1], setting.names), " ".join(node.value.split()))
    except ExpressionError as error:
        raise BlockError(f"live number: {error}", line) from None


CHART = Block(html=_figure, text=_words)
