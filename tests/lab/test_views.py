"""The lab's pages: what they offer, refuse, show and leave alone."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.accounts.models import User, Visitor
from quiz.lab import demos, reference
from quiz.lab.demos.demo import Demo
from quiz.lab.device import Device
from quiz.lab.exporting import from_json, to_csv
from quiz.lab.forms import state
from quiz.lab.models import Run
from quiz.lab.offering import Seen
from quiz.lab.reference import stored
from quiz.lab.results import rows_of
from quiz.lab.showing import worker_lines
from quiz.work.models import State, Worker
from tests.lab.planted import CPU, DEMO, GIB, PARAMETERS, a_run, a_worker, measured, store

pytestmark = pytest.mark.django_db
INDEX, START = "/lab/", "/lab/start/"
EVIL = '"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def in_english(client: Client) -> None:
    client.cookies["language"] = "en"


def text(answer: Any) -> str:
    """The words of a page, without tags, spaces squeezed."""
    plain = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", plain)


def form(**changes: Any) -> Any:
    return dict(state(DEMO, {**PARAMETERS, **changes}).lists())


def refused(client: Client, asked: Any, **extra: Any) -> Any:
    """The page that a refused start leads to: the first one, with what was asked for in its address."""
    answer = client.post(START, {**asked, **extra}, follow=True)
    [(address, status)] = answer.redirect_chain
    path, _mark, query = address.removesuffix("#cost").partition("?")
    assert (path, status, answer.status_code) == (INDEX, 302, 200)
    assert dict(QueryDict(query).lists()) == asked
    assert Run.objects.count() == 0 or "runs in 24 hours" in text(answer)
    return answer


def test_the_first_page_offers_the_quick_preset_and_its_cost(client: Client) -> None:
    a_worker()
    answer = client.get(INDEX)
    assert answer.status_code == 200
    page = text(answer)
    assert "9 points, about 47 s" in page
    assert (
        "CPU · Planted · 2 threads · 16 GiB · torch 2.13.0 · 8 GiB free, of which 7.2 GiB may be used."
        in page
    )
    assert "No GPU there: measured on the CPU." in page
    assert "5 of 5 runs left in 24 hours" in page
    assert 'id="start"' in answer.content.decode()
    assert "disabled" not in answer.content.decode().partition('id="start"')[2].partition(">")[0]


def test_the_first_page_leaves_no_trace(client: Client) -> None:
    client.get(INDEX)
    assert Visitor.objects.count() == 0
    assert "sessionid" not in client.cookies


def test_without_a_worker_the_page_says_how_to_add_one(client: Client, settings: Any) -> None:
    settings.LAB_INSTALLED = True
    assert "manage.py worker lab" in text(client.get(INDEX))
    settings.LAB_INSTALLED = False
    page = text(client.get(INDEX))
    assert "torch is missing" in page
    assert "pip install -r requirements.txt" in page
    a_worker(replace(CPU, torch=None))
    assert "torch is not installed where it runs" in text(client.get(INDEX))
    answer = refused(client, form())
    assert "No worker is there to measure." in text(answer)
    assert Run.objects.count() == 0


def test_a_worker_elsewhere_is_enough(client: Client, settings: Any) -> None:
    settings.LAB_INSTALLED = False
    a_worker()
    assert "torch is missing" not in text(client.get(INDEX))


def test_htmx_gets_the_cost_alone(client: Client) -> None:
    a_worker()
    answer = client.get(INDEX, form(lengths=[512]), headers={"HX-Request": "true", "HX-Target": "cost"})
    assert answer.content.decode().lstrip().startswith('<section id="cost"')
    assert "2 points" in text(answer)
    assert "HX-Target" in answer["Vary"]


def test_starting_leads_to_the_run(client: Client) -> None:
    a_worker()
    answer = client.post(START, form())
    run = Run.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/lab/{run.pk}/")
    assert run.parameters == PARAMETERS
    assert run.visitor_id is not None
    page = text(client.get(answer["Location"]))
    assert "Next in the queue" in page
    assert "0 of 4 points" in page
    assert f"Run {run.pk}" in text(client.get(INDEX)).partition("My runs")[2]


def test_a_start_beyond_the_room_is_refused_with_the_sum(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    a_worker(replace(CPU, free_bytes=GIB))
    answer = refused(client, form(backends=["naive"], lengths=[128, 8192], heads=8))
    page = text(answer)
    assert "Not enough memory at n = 8192: nine tenths of the 1 GiB that are free are 922 MiB." in page
    assert "the process with torch 256 MiB + Q, K and V 48 MiB 3·H·n·d·4 B + the call itself 4.02 GiB" in page
    largest = int(re.search(r"would be admitted: naive (\d+)\.", page).group(1))  # type: ignore[union-attr]
    assert 3000 < largest < 3500
    assert Run.objects.count() == 0
    # what was chosen is still chosen
    assert re.search(r'value="8192"[^>]*checked', answer.content.decode())


@pytest.mark.parametrize("demo", demos.all_demos(), ids=lambda demo: demo.slug)
def test_a_refused_choice_has_an_address_of_its_own(demo: Demo, client: Client, candidate: User) -> None:
    """Where a language or a theme is chosen, a page reloaded, a preset taken: what was asked for stays, but
    for what is no part of it."""
    client.force_login(candidate)
    for preset in demo.presets:
        asked = {**dict(state(demo, preset.parameters).lists()), "device": ["cpu"]}
        answer = refused(client, asked, csrfmiddlewaretoken="secret", surprise="1")
        links = re.findall(r'<a class="button" href="([^"]*)#cost"', answer.content.decode())
        assert len(links) == len(demo.presets)
        assert all(link.startswith("/lab/?demo=") for link in links)


def test_the_address_to_start_at_shows_the_form_when_it_is_looked_at(client: Client) -> None:
    answer = client.get(START, form(lengths=[64]), follow=True)
    assert [status for _address, status in answer.redirect_chain] == [302]
    assert answer.wsgi_request.path == INDEX
    assert re.search(r'value="64"[^>]*checked', answer.content.decode())
    assert client.get(START).headers["Location"] == "/lab/?demo=attention_length#cost"
    assert client.get(START, {"demo": "none"}).status_code == 404


@pytest.mark.parametrize("demo", demos.all_demos(), ids=lambda demo: demo.slug)
def test_enter_in_a_field_works_out_the_cost_and_starts_nothing(demo: Demo, client: Client) -> None:
    """A browser takes Enter for a click on the first button of the form."""
    a_worker()
    body = client.get(INDEX, {"demo": demo.slug}).content.decode()
    whole = re.search(r'<form class="two.*?</form>', body, re.DOTALL)
    assert whole is not None
    first, *others = re.findall(r"<button[^>]*>", whole[0])
    assert re.search(r"\s(form\w+|name|disabled|type)\b", first) is None
    assert ('hx-get="/lab/"' in first, 'tabindex="-1"' in first) == (True, True)
    assert ["formaction" in button for button in others] == [False, True]  # without a script, and the start


def test_points_that_do_not_fit_are_announced(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    a_worker(replace(CPU, free_bytes=GIB))
    page = text(client.get(INDEX, form(lengths=[128, 8192])))
    assert "stands as ✗ on the chart: naive 8192" in page
    assert client.post(START, form(lengths=[128, 8192])).status_code == 302


def test_a_run_that_would_take_too_long_is_refused(client: Client, settings: Any) -> None:
    a_worker()
    settings.LAB_VISITOR_RUN_SECONDS = 20
    answer = refused(client, form())
    assert "It would take about 21 s; a run may take 20 s here." in text(answer)
    settings.LAB_VISITOR_RUN_SECONDS = 21
    assert client.post(START, form()).status_code == 302


def test_a_visitor_who_has_used_up_the_day_is_refused(client: Client, settings: Any) -> None:
    a_worker()
    settings.LAB_VISITOR_RUNS_A_DAY = 1
    assert client.post(START, form()).status_code == 302
    answer = refused(client, form())
    assert "You have started 1 of 1 runs in 24 hours. You can start again from" in text(answer)
    assert Run.objects.count() == 1


@pytest.mark.parametrize("name", ["backends", "lengths", "heads", "width", "dtype", "demo"])
def test_nothing_in_a_parameter_becomes_markup(client: Client, name: str) -> None:
    a_worker()
    for answer in (
        client.get(INDEX, {**form(), name: EVIL}),
        client.post(START, {**form(), name: EVIL}),
        client.post(START, {**form(), name: EVIL}, follow=True),
    ):
        assert answer.status_code in ((404,) if name == "demo" else (200, 302))
        assert "<script>alert" not in answer.content.decode()
    assert Run.objects.count() == 0


def test_what_a_worker_declares_does_not_become_markup(client: Client) -> None:
    a_worker(replace(CPU, name=EVIL), name=EVIL)
    assert "<script>alert" not in client.get(INDEX).content.decode()


def test_a_run_counts_what_is_before_it(client: Client) -> None:
    a_worker()
    a_run(state=State.RUNNING)
    a_run()
    last = a_run()
    assert "2 runs are before this one" in text(client.get(f"/lab/{last.pk}/"))


def finished_run(**fields: Any) -> Run:
    run = a_run(state=State.DONE, **fields)
    store(run, 0, measured(2, peak=2**20))
    store(run, 1, measured(7, peak=2**23))
    store(run, 2, {"outcome": "out_of_memory", "reason": EVIL, "predicted_peak_bytes": 2**24})
    store(run, 3, measured(5, peak=2**21))
    return run


def test_a_finished_run_shows_charts_reading_table_and_machine(client: Client) -> None:
    run = finished_run()
    answer = client.get(f"/lab/{run.pk}/")
    body, page = answer.content.decode(), text(answer)
    assert body.count("<svg") >= 4
    assert body.count('class="chart-wide"') == 2
    assert body.count('class="chart-narrow"') == 2
    assert "What to look at" in page
    assert "At n = 128 flash takes 2 ms and naive 7 ms: flash is 3.5 times as fast." in page
    assert "naive finds no room at n = 256; flash still runs there." in page
    assert "What to say in an interview" in page
    assert "These are figures of a CPU." in page
    assert "CPU · Planted · 2 threads · torch 2.13.0 · Python 3.11.7" in page
    assert "4·H·d FLOP for each pair" in page
    assert "<script>alert" not in body
    assert not re.search(r"\sstyle=|\sonclick=", body)


def test_a_run_that_lost_its_workers_says_so_in_the_language_of_the_reader(client: Client) -> None:
    run = a_run(state=State.FAILED, lost_leases=3, worker="lab-7")
    store(run, 0, measured(2))
    path = f"/lab/{run.pk}/"
    assert (
        "Failed after 1 of 4 points: 3 workers died or fell silent at this job; the last was lab-7."
    ) in text(client.get(path))
    client.cookies["language"] = "zh-hans"
    chinese = text(client.get(path))
    assert "先后有 3 个工作进程在这个任务上中断或失联，最后一个是 lab-7。" in chinese


def test_a_fallback_is_shown_as_one(client: Client) -> None:
    run = a_run(state=State.DONE)
    store(run, 0, {"outcome": "unsupported", "backend_ran": "math", "kernel": "aten::_safe_softmax",
                   "reason": "dispatched aten::_safe_softmax instead"})  # fmt: skip
    page = text(client.get(f"/lab/{run.pk}/"))
    assert "not the one asked for: _safe_softmax" in page
    assert "flash 128: did not run as asked: dispatched aten::_safe_softmax instead" in page


@pytest.mark.parametrize(("end", "said"), [
    (State.CANCELLED, "Cancelled after 1 of 4 points."),
    (State.FAILED, "Failed after 1 of 4 points: OSError: disk full"),
])  # fmt: skip
def test_a_run_that_ended_early_keeps_its_points(client: Client, end: State, said: str) -> None:
    run = a_run(state=end, error="OSError: disk full")
    store(run, 0, measured(2))
    page = text(client.get(f"/lab/{run.pk}/"))
    assert said in page
    assert "Every point" in page


def test_the_csv_is_a_download_of_the_points(client: Client) -> None:
    run = finished_run()
    answer = client.get(f"/lab/{run.pk}/results.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="qkv-lab-{run.pk}.csv"'
    table = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [(line["backend"], line["length"], line["median_ms"]) for line in table] == [
        ("flash", "128", "2"), ("naive", "128", "7"), ("naive", "256", ""), ("flash", "256", "5"),
    ]  # fmt: skip


def test_the_json_is_the_whole_run_and_can_be_read_again(client: Client) -> None:
    run = finished_run()
    answer = client.get(f"/lab/{run.pk}/results.json")
    assert answer["Content-Type"] == "application/json; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="qkv-lab-{run.pk}.json"'
    parameters, rows = from_json(answer.content.decode(), DEMO)
    assert parameters == PARAMETERS
    assert rows == rows_of(run.points.all(), DEMO)


def test_a_finished_run_can_be_taken_along_and_shared(client: Client) -> None:
    run = finished_run()
    body = client.get(f"/lab/{run.pk}/").content.decode()
    for link, after in (
        (f'href="/lab/{run.pk}/results.csv" download', "one row a point, every figure unrounded"),
        (f'href="/lab/{run.pk}/results.json" download', "the whole run: parameters"),
        (f'href="/lab/{run.pk}/" data-copy-link data-copied="Link copied"', "anyone who has it can look"),
    ):
        assert body.count(link) == 1
        assert after in body.partition(link)[2].partition("</li>")[0]
    assert f'href="/lab/compare/?a={run.pk}"' in body
    assert "js/lab" in body


def test_the_compact_tables_stand_beside_the_charts(client: Client) -> None:
    page = text(client.get(f"/lab/{finished_run().pk}/"))
    speed = page.partition("Speed-up against naive")[2]
    assert speed.split()[:4] == ["n", "flash", "128", "3.5×"]
    assert page.partition("Largest error")[2].split()[:8] == [
        "n", "flash", "naive", "allowed", "128", "1.5e-07", "1.5e-07", "3.0e-07",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_stored_run_can_be_taken_along_too(client: Client, kind: str) -> None:
    [kept] = [one for one in stored(DEMO) if one.kind == "cpu"]
    answer = client.get(f"/lab/stored/attention_length/cpu.{kind}")
    assert answer["Content-Disposition"] == f'attachment; filename="qkv-lab-attention_length-cpu.{kind}"'
    told = answer.content.decode()
    if kind == "json":
        assert from_json(told, DEMO) == (kept.found.parameters, kept.found.rows)
    else:
        assert told == to_csv(kept.found.rows)


def test_a_worker_says_what_it_can_run_and_what_it_does() -> None:
    runs = {"naive": ["float32", "bfloat16"], "flash": ["bfloat16"]}
    a_worker(replace(CPU, backends=runs), name="busy")
    a_worker(replace(CPU, backends={}), name="older")
    a_worker(replace(CPU, torch=None), name="bare")
    a_worker(None, name="new")
    run = a_run(state=State.RUNNING, worker="busy")
    told = {}
    for line in worker_lines([Seen(name=row.name, device=Device.from_resources(row.resources))
                              for row in Worker.objects.all()]):  # fmt: skip
        plain = re.sub(r"<[^>]+>", " ", render_to_string("lab/_worker.html", {"worker": line}))
        told[line.name] = re.sub(r"\s+", " ", plain).strip()
    device = "CPU · Planted · 2 threads · 16 GiB"
    can = "float32: naive bfloat16: naive, flash"
    assert told == {
        "busy": f"busy measuring {device} · torch 2.13.0 · Run {run.pk} {can}",
        "older": f"older idle {device} · torch 2.13.0",
        "bare": f"bare torch is missing {device}",
        "new": "new starting",
    }


@pytest.mark.parametrize("all_runs", [False, True])
def test_stored_runs_of_each_kind_are_labelled_and_folded_once_there_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, all_runs: bool
) -> None:
    text = (reference.FOLDER / "attention_length-cpu.json").read_text()
    (tmp_path / "attention_length-cpu.json").write_text(text)
    card = json.loads(text)
    for point in card["points"]:
        point["measurement"]["machine"]["device"] = "NVIDIA H200"
    (tmp_path / "attention_length-cuda.json").write_text(json.dumps(card))
    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    kept = stored(DEMO)
    assert [(one.name, one.found.machine_name) for one in kept] == [
        ("Stored run, GPU", "NVIDIA H200"), ("Stored run, CPU", "AMD EPYC"),
    ]  # fmt: skip
    body = render_to_string("lab/_stored.html", {"stored_runs": kept, "all": ["a run"] if all_runs else []})
    opened = re.findall(r'<details class="stored-run"( open)?>', body)
    assert opened == (["", ""] if all_runs else [" open", ""])
    assert ("Nothing has been measured on this site yet." in body) is not all_runs
    assert "These runs came with the program: stored figures, not measured here." in body
    for kind in ("cuda", "cpu"):
        assert f'href="/lab/stored/attention_length/{kind}.csv"' in body
        assert f'href="/lab/compare/?demo=attention_length&amp;b=stored-{kind}"' in body
    ids = re.findall(r'\sid="([^"]+)"', body)
    assert len(ids) == len(set(ids))


def test_only_the_owner_sees_and_may_use_cancel(
    client: Client, candidate: User, other_candidate: User
) -> None:
    run = a_run(user=candidate)
    client.force_login(other_candidate)
    assert 'id="cancel"' not in client.get(f"/lab/{run.pk}/").content.decode()
    assert client.post(f"/lab/{run.pk}/cancel/").status_code == 403
    run.job.refresh_from_db()
    assert run.job.state == State.WAITING
    client.force_login(candidate)
    assert 'id="cancel"' in client.get(f"/lab/{run.pk}/").content.decode()
    assert client.get(f"/lab/{run.pk}/cancel/").status_code == 405
    assert client.post(f"/lab/{run.pk}/cancel/").status_code == 302
    run.job.refresh_from_db()
    assert run.job.state == State.CANCELLED


@pytest.mark.parametrize("path", [
    "/lab/99/", "/lab/99/progress/", "/lab/99/results.csv", "/lab/99/results.json", "/lab/?demo=none",
    "/lab/compare/?demo=none", "/lab/stored/none/cpu.csv", "/lab/stored/attention_length/tpu.json",
    "/lab/stored/fault_drill/cpu.json",
])  # fmt: skip
def test_what_does_not_exist_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_the_first_page_takes_a_fixed_number_of_queries(client: Client, candidate: User, count: int) -> None:
    client.force_login(candidate)
    for number in range(count):
        a_worker(name=f"host-{number}-lab")
        a_run(user=candidate)
    with CaptureQueriesContext(connection) as queries:
        client.get(INDEX)
    asked = [query["sql"] for query in queries if "quiz_run" in query["sql"] or "quiz_worker" in query["sql"]]
    assert len(asked) == 9, asked  # workers, what they do, allowances, an answer, queue, mine, everyone's


@pytest.mark.parametrize("count", [1, 4])
def test_a_run_takes_a_fixed_number_of_queries(client: Client, count: int) -> None:
    run = a_run(state=State.RUNNING)
    for position in range(count):
        store(run, position, measured(2))
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/lab/{run.pk}/")
    assert len(queries) == 3, [query["sql"] for query in queries]  # run and job, points, workers


def test_a_shared_address_shows_the_same_choice(client: Client) -> None:
    a_worker()
    body = client.get(INDEX, form(lengths=[64], dtype="bfloat16", causal=True)).content.decode()
    checked = set(re.findall(r'name="(\w+)" value="(\w+)"[^>]*checked', body))
    assert checked == {("backends", "flash"), ("backends", "naive"), ("lengths", "64")}
    assert re.search(r'name="causal"[^>]*checked', body)
    assert re.search(r'<option value="bfloat16" selected', body)


def test_the_start_button_alone_carries_the_token(client: Client) -> None:
    """The form is a GET whose address is shared: its token must not be among its fields."""
    a_worker()
    strict = Client(enforce_csrf_checks=True)
    body = strict.get(INDEX).content.decode()
    assert (
        re.findall(
            r'<(\w+)[^>]*name="csrfmiddlewaretoken"', body.partition('id="cost"')[0].partition("<main")[2]
        )
        == []
    )
    token = re.search(r'<button[^>]*id="start"[^>]*name="csrfmiddlewaretoken" value="(\w+)"', body)
    assert token is not None
    assert strict.post(START, form()).status_code == 403
    assert strict.post(START, {**form(), "csrfmiddlewaretoken": token.group(1)}).status_code == 302
