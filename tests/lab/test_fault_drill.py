"""The fault drill as its page shows it, from real reports; and the stored run that a first visitor sees."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from attention_core import fault_report, measuring
from quiz.lab import demos
from quiz.lab.columns import cells
from quiz.lab.demos.demo import Configuration
from quiz.lab.models import Point, Run
from quiz.lab.reference import stored
from quiz.work.models import State
from tests.lab.planted import a_run

pytestmark = pytest.mark.django_db
DRILL = demos.get("fault_drill")


def reported(configuration: Configuration) -> dict[str, Any]:
    """What the command prints, as the database keeps it."""
    text = json.dumps({**configuration, "device": "cpu"})
    found = fault_report.measure(measuring.read(text, fault_report.Configuration, required="fault"))
    return {name: measuring.plain(value) for name, value in found.items()}


def finished() -> Run:
    parameters = DRILL.presets[0].parameters
    run = a_run(state=State.DONE, parameters=parameters, demo=DRILL)
    for position, point in enumerate(DRILL.points(parameters)):
        Point.objects.create(
            run=run, position=position, attempt=1, configuration={**point, "device": "cpu"},
            outcome="measured", measurement=reported(point),
        )  # fmt: skip
    return run


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_page_shows_each_mistake_with_its_symptom_and_check(client: Client, language: str) -> None:
    run = finished()
    client.cookies["language"] = language
    answer = client.get(f"/lab/{run.pk}/")
    assert answer.status_code == 200
    body = answer.content.decode()
    assert body.count('<figure class="matrix') == 8
    assert body.partition('class="data points"')[2].count('<th scope="row">') == 4
    assert body.count("<td>NaN</td>") == 4
    assert " ms" not in body.partition('class="data points"')[2]
    assert not re.search(r"\sstyle=", body)
    table = client.get(f"/lab/{run.pk}/results.csv").content.decode()
    assert table.count("reversed_mask") >= 1
    assert "weights_right" not in table


def test_the_reading_has_the_reports_numbers() -> None:
    run = finished()
    from quiz.lab.results import rows_of

    rows = rows_of(run.points.all(), DRILL)
    look = DRILL.insight(rows).look
    assert look[3] == "fully masked row: outputs that are not finite (0): 0 when right, 64 here."
    told = [cell.text for cell in cells(rows[3], DRILL.columns)]
    assert (told[2:4], told[5:7], told[7]) == (["0", "4"], ["0", "64"], "–")


def test_a_first_visitor_sees_the_stored_run_and_later_ones_find_it_folded(client: Client) -> None:
    client.cookies["language"] = "en"
    label, fold = "Measured before, on other machines", '<details class="stored-run"'
    body = client.get("/lab/").content.decode()
    assert label in body
    assert f"{fold} open>" in body
    assert 'class="chart-wide"' in body
    assert "Nothing has been measured on this site yet." in body
    assert label not in client.get("/lab/?demo=fault_drill").content.decode()
    a_run(state=State.DONE)
    body = client.get("/lab/").content.decode()
    assert label in body
    assert f"{fold}>" in body
    assert f"{fold} open>" not in body
    assert "Nothing has been measured" not in body


def test_the_stored_run_is_a_whole_real_one() -> None:
    [kept] = [one for one in stored(demos.get("attention_length")) if one.kind == "cpu"]
    found = kept.found
    assert stored(DRILL) == ()
    assert [row.configuration | {"device": "cpu"} for row in found.rows] == [
        {**point, "device": "cpu"} for point in found.demo.points(found.parameters)
    ]
    assert {row.outcome for row in found.rows} == {"measured"}
    for row in found.rows:
        assert (row.number("error") or 0) <= (row.number("allowed_error") or 0)
        assert row.way == row.measurement["backend_ran"]
        assert row.low <= row.median <= row.high  # type: ignore[operator]
    [machine] = found.machines
    assert {"processor", "threads", "torch", "python", "system"} <= {
        name for name in machine if machine[name]
    }
