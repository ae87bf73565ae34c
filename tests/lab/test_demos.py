"""What holds for every demonstration: its points, forms, costs, tables; and its page and addresses."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from attention_core import measuring
from quiz.lab import demos
from quiz.lab.admission import RATES, assess, need_of
from quiz.lab.columns import cells
from quiz.lab.demos.demo import Demo
from quiz.lab.forms import ParametersForm, allowed, state
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row
from tests.lab.planted import CPU, a_worker, row

every_demo = pytest.mark.parametrize("demo", demos.all_demos(), ids=lambda demo: demo.slug)


@every_demo
def test_points_are_configurations_that_its_module_reads(demo: Demo) -> None:
    module = importlib.import_module(demo.module)
    for preset in demo.presets:
        for point in demo.points(preset.parameters):
            text = json.dumps({**point, "device": "cpu"})
            assert measuring.read(text, module.Configuration, required=demo.way)
            with pytest.raises(ValueError, match="surprise"):
                measuring.read(json.dumps({**point, "surprise": 1}), module.Configuration, required=demo.way)


@every_demo
def test_points_are_distinct_go_up_in_size_and_are_named(demo: Demo) -> None:
    for preset in demo.presets:
        points = demo.points(preset.parameters)
        assert len({json.dumps(point, sort_keys=True) for point in points}) == len(points)
        assert [point[demo.x] for point in points] == sorted(point[demo.x] for point in points)
        names = [demo.point_name(point) for point in points]
        assert len(set(names)) == len(names)
        assert demo.summary(preset.parameters)


@every_demo
def test_an_address_carries_every_preset_and_the_first_is_the_default(demo: Demo) -> None:
    for preset in demo.presets:
        form = ParametersForm(demo, QueryDict(state(demo, preset.parameters).urlencode()), visitor=False)
        assert form.is_valid(), form.errors
        assert form.parameters == preset.parameters
    assert {p.name: p.default for p in demo.parameters} == demo.presets[0].parameters
    assert allowed(demo, demo.presets[0].parameters, visitor=True)


@every_demo
def test_a_visitor_may_not_ask_for_more_than_the_setting(demo: Demo, settings: Any) -> None:
    for parameter in demo.parameters:
        if parameter.visitor_most:
            setattr(settings, parameter.visitor_most, 64)
    form = ParametersForm(demo, QueryDict(""), visitor=True)
    assert form.is_valid(), form.errors
    for parameter in demo.parameters:
        if parameter.visitor_most:
            chosen = form.parameters[parameter.name]
            assert max(chosen if isinstance(chosen, list) else [chosen]) <= max(64, parameter.options[0][0])


@every_demo
def test_the_quick_preset_is_admitted_and_fits_a_visitors_time(demo: Demo, settings: Any) -> None:
    found = assess(demo, demo.presets[0].parameters, CPU)
    assert found.is_admitted
    assert found.seconds <= settings.LAB_VISITOR_RUN_SECONDS
    assert all(term.size > 0 for need in found.needs for term in need.terms)


@every_demo
def test_what_a_point_computes_is_the_same_on_every_device(
    demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [point for preset in demo.presets for point in demo.points(preset.parameters)]
    flops = [demo.calls_flops(point) for point in points]
    for kind in RATES:
        monkeypatch.setitem(RATES, kind, 1.0)
    assert [demo.calls_flops(point) for point in points] == flops
    for point in points:
        assert len({need_of(demo, point, kind=kind).seconds for kind in RATES}) == 1


def rows(demo: Demo, outcome: str, **measurement: Any) -> list[Row]:
    planted = row("flash", 1, {"outcome": outcome, **measurement})
    return [
        Row(
            position=position,
            attempt=1,
            configuration={**point, "device": "cpu"},
            outcome=Outcome(outcome),
            measurement={**demo.foretold(point), **planted.measurement, "backend_ran": None},
            measured_at=planted.measured_at,
            demo=demo,
        )
        for position, point in enumerate(demo.points(demo.presets[0].parameters))
    ]


@every_demo
@pytest.mark.parametrize("outcome", [outcome.value for outcome in Outcome if outcome != Outcome.MEASURED])
def test_no_figure_and_no_praise_without_a_measurement(demo: Demo, outcome: str) -> None:
    """A wrong result may carry times in its JSON by mistake: none of them may be shown."""
    found = rows(demo, outcome, median_ms=1234.5, p25_ms=1234.5, p75_ms=1234.5, reason="why")
    for line in found:
        told = cells(line, demo.columns)
        assert sum(cell.span for cell in told) == len(demo.columns)
        assert not any("123" in cell.text for cell in told)
    assert not any(series.marks for chart in demo.charts(found) for series in chart.series)
    insight = demo.insight(found)
    assert "123" not in " ".join((*insight.look, *insight.say, *insight.limits))
    assert insight.say == ()


@every_demo
def test_nothing_measured_yet_is_said_by_nothing(demo: Demo) -> None:
    insight = demo.insight([])
    assert (insight.look, insight.say) == ((), ())
    demo.charts([])


@every_demo
@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_its_page_offers_its_parameters_and_cost(demo: Demo, language: str, client: Client) -> None:
    a_worker()
    client.cookies["language"] = language
    body = client.get("/lab/", {"demo": demo.slug}).content.decode()
    assert set(re.findall(r'name="(\w+)"', body.partition('id="cost"')[0].partition("<form class=")[2])) == {
        "demo", *(parameter.name for parameter in demo.parameters)
    }  # fmt: skip
    assert body.count('<li><a href="/lab/?demo=') == len(demos.all_demos())
    assert re.search(rf'href="/lab/\?demo={demo.slug}" aria-current="true"', body)
    assert "disabled" not in body.partition('id="start"')[2].partition(">")[0]
