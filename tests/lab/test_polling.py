"""What a watched run sends each second: its place, the rows that are new, and the end, announced."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from quiz.lab.models import Run
from quiz.work.models import State
from tests.lab.planted import a_run, a_worker, measured, store

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_english(client: Client) -> None:
    client.cookies["language"] = "en"


def polled(client: Client, run: Run, points: Any) -> tuple[Any, str]:
    """The answer to a page that shows so many points, and its text."""
    path = reverse("lab:progress", args=[run.pk])
    answer = client.get(path, {"points": points}, headers={"HX-Request": "true"})
    return answer, answer.content.decode()


def swapped(body: str) -> list[str]:
    """The ids of the parts that are put into the page elsewhere than where it asked from."""
    return re.findall(r'id="([\w-]+)" hx-swap-oob="innerHTML"', body)


@pytest.fixture
def run() -> Run:
    a_worker()
    return a_run(state=State.RUNNING, attempt=2, lost_leases=1, doing="naive 128")


def test_the_place_is_told_and_nothing_else_while_there_is_no_new_point(client: Client, run: Run) -> None:
    store(run, 0, measured(2))
    answer, body = polled(client, run, 1)
    assert answer.status_code == 200
    assert body.strip().startswith('<section class="progress" id="progress"')
    assert f'hx-get="/lab/{run.pk}/progress/?points=1" hx-trigger="every 1s" hx-swap="outerHTML"' in body
    for said in ("Measuring naive 128", "1 of 4 points", "attempt 2"):
        assert said in body
    assert (swapped(body), "<table" in body, "<tr" in body) == ([], False, False)


def test_the_first_point_brings_the_table_and_later_ones_their_rows(client: Client, run: Run) -> None:
    """A table that is there is not replaced: whoever scrolls or reads it is left alone."""
    store(run, 0, measured(2))
    _answer, body = polled(client, run, 0)
    assert (swapped(body), body.count("<table"), body.count('<th scope="row">')) == (["points"], 1, 1)
    store(run, 1, {"outcome": "crashed", "reason": "SIGSEGV"})
    _answer, body = polled(client, run, 1)
    assert (swapped(body), body.count("<table"), body.count('<th scope="row">')) == (
        ["table-rows", "table-notes"], 0, 2,
    )  # fmt: skip
    assert "<template><tbody" in body  # a row that stands alone would be dropped by the parser
    assert "naive 128: crashed: SIGSEGV" in body


@pytest.mark.parametrize("points", ["", "-1", "many", "\N{SUPERSCRIPT TWO}", "1" * 50])
def test_a_number_of_points_that_is_none_does_no_harm(client: Client, run: Run, points: str) -> None:
    store(run, 0, measured(2))
    assert polled(client, run, points)[0].status_code == 200


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.CANCELLED])
def test_the_end_replaces_the_whole_and_is_announced(client: Client, run: Run, state: State) -> None:
    store(run, 0, measured(2))
    run.job.state, run.job.finished_at = state, run.job.started_at
    run.job.save()
    answer, body = polled(client, run, 1)
    assert answer.status_code == 286
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#state", "outerHTML")
    assert body.strip().startswith('<div id="state">')
    assert ("hx-trigger" in body, swapped(body)) == (False, ["outcome"])
    outcome = body.partition('hx-swap-oob="innerHTML">')[2]
    said = {"done": "Done: 1 of 4", "failed": "Failed after 1 of 4", "cancelled": "Cancelled after 1 of 4"}
    assert (body.count(said[state]), outcome.count(said[state])) == (1, 1)
    page = client.get(f"/lab/{run.pk}/").content.decode()
    assert page.count(said[state]) == 1
    assert said[state] in page.partition('<div id="outcome" role="status">')[2].partition("</div>")[0]


def test_what_a_poll_puts_elsewhere_is_on_the_page(client: Client, run: Run) -> None:
    """The region that announces the end is there, and empty, before the end."""
    before = client.get(f"/lab/{run.pk}/").content.decode()
    assert re.search(r'<div id="outcome" role="status">\s*</div>', before)
    assert ('id="points"' in before, 'id="table-rows"' in before) == (True, False)
    store(run, 0, measured(2))
    page = client.get(f"/lab/{run.pk}/").content.decode()
    for name in ("outcome", "points", "state", "progress", "table-rows", "table-notes"):
        assert page.count(f'id="{name}"') == 1


def test_every_box_that_takes_the_focus_has_an_id(client: Client, run: Run) -> None:
    """By which htmx gives it back after a swap."""
    store(run, 0, measured(2))
    main = client.get(f"/lab/{run.pk}/").content.decode().partition("<main")[2].partition("</main>")[0]
    boxes = re.findall(r'<\w+[^>]*tabindex="0"[^>]*>', main.partition(">")[2])
    assert boxes
    assert all(" id=" in box for box in boxes)


def test_looked_at_without_htmx_it_leads_to_the_run(client: Client, run: Run) -> None:
    plain = client.get(reverse("lab:progress", args=[run.pk]))
    assert (plain.status_code, plain["Location"]) == (302, f"/lab/{run.pk}/")
