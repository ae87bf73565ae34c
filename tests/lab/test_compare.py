"""Two runs side by side: what is common, what differs, when a ratio or a verdict is given and when not."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from quiz.accounts.models import User
from quiz.lab import demos
from quiz.lab.comparison import Comparison, Side
from quiz.lab.demos.demo import Demo
from quiz.lab.models import Run
from quiz.lab.results import Row
from quiz.lab.showing import Findings
from quiz.work.models import State
from tests.lab.planted import DEMO, MACHINE, PARAMETERS, a_run, measured, row, store

pytestmark = pytest.mark.django_db
COMPARE = "/lab/compare/"
GPU = {**MACHINE, "device": "NVIDIA H200", "cuda": "13.0"}


@pytest.fixture(autouse=True)
def in_english(client: Client) -> None:
    client.cookies["language"] = "en"


def text(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def side(letter: str, rows: list[Row], demo: Demo = DEMO, **parameters: Any) -> Side:
    found = Findings(demo=demo, parameters={**PARAMETERS, **parameters}, rows=rows)
    return Side(letter=letter, key=letter, name=letter, found=found)


def compared(a: list[Row], b: list[Row], **parameters: Any) -> Comparison:
    return Comparison(a=side("A", a), b=side("B", b, **parameters))


def rows(*medians: float, **more: Any) -> list[Row]:
    """flash 128, naive 128, flash 256, naive 256, … with these medians."""
    return [
        row(("flash", "naive")[i % 2], 128 * 2 ** (i // 2), measured(median, **more), position=i)
        for i, median in enumerate(medians)
    ]


def on_gpu(found: list[Row]) -> list[Row]:
    return [
        replace(
            one,
            configuration={**one.configuration, "device": "cuda"},
            measurement={**one.measurement, "machine": GPU},
        )
        for one in found
    ]


def test_each_common_point_is_faster_slower_or_even_by_its_quartiles() -> None:
    found = compared(rows(4.0, 4.0, 4.0), rows(2.0, 4.5, 8.0))
    [time, _error] = found.tables
    assert [(line.name, line.a, line.b, line.said, line.verdict) for line in time.lines] == [
        ("flash 128", "4 ms", "2 ms", "2× as fast", "faster"),
        ("naive 128", "4 ms", "4.5 ms", "even", "even"),
        ("flash 256", "4 ms", "8 ms", "2× as long", "slower"),
    ]
    assert found.reading == (
        "Time (median): of 3 common points B is faster at 1 and slower at 1; at 1 the quartiles overlap."
    )
    back = Comparison(a=found.b, b=found.a)
    assert [line.verdict for line in back.tables[0].lines] == ["slower", "even", "faster"]


def test_peaks_and_errors_stand_side_by_side() -> None:
    found = compared(rows(1.0, peak=2**20), rows(1.0, peak=2**22))
    assert [(table.compared.name, table.lines[0].a, table.lines[0].b) for table in found.tables] == [
        ("median_ms", "1 ms", "1 ms"), ("peak_bytes", "1 MiB", "4 MiB"), ("error", "1.5e-07", "1.5e-07"),
    ]  # fmt: skip
    assert all(line.said == "" for table in found.tables[1:] for line in table.lines)


def test_points_of_one_side_and_points_without_figures_are_named() -> None:
    a = [*rows(1.0, 2.0), row("flash", 512, measured(1.0), position=2)]
    b = [
        row("flash", 128, {"outcome": "out_of_memory"}),
        row("naive", 128, {"outcome": "wrong", "error": 0.5, "median_ms": 99.0}, position=1),
        row("naive", 256, measured(1.0), position=2),
    ]
    found = compared(a, b)
    assert (found.only_a, found.only_b) == (["flash 512"], ["naive 256"])
    assert [(line.name, line.a, line.b) for line in found.outcomes] == [
        ("flash 128", "measured", "out of memory"), ("naive 128", "measured", "wrong result: no time shown"),
    ]  # fmt: skip
    [error] = found.tables  # no common time: a wrong result has none
    assert error.compared.name == "error"
    assert [(line.a, line.b) for line in error.lines] == [("1.5e-07", "✗"), ("1.5e-07", "5.0e-01")]
    assert found.reading == ""


def test_a_cpu_and_a_gpu_get_no_ratio_no_verdict_and_no_common_chart() -> None:
    a = rows(4.0, 4.0, 4.0, 4.0, peak=2**20)
    found = compared(a, on_gpu(rows(1.0, 1.0, 1.0, 1.0, peak=2**23)))
    assert found.across_kinds
    assert [(line.a, line.b, line.said) for line in found.tables[0].lines] == [("4 ms", "1 ms", "")] * 4
    assert found.reading == ""
    assert [chart.title for chart in found.charts] == ["flash: Peak memory", "naive: Peak memory"]
    assert [(one.label, one.a, one.b) for one in found.machine] == [("device", "cpu", "NVIDIA H200")]
    assert [(one.label, one.a, one.b) for one in found.versions] == [("cuda", "–", "13.0")]


@pytest.mark.parametrize("name", ["processor", "threads", "cores", "system"])
def test_another_machine_gives_a_ratio_but_no_verdict(name: str) -> None:
    found = compared(rows(4.0), rows(2.0, machine={**MACHINE, name: 64}))
    assert [(line.said, line.verdict) for line in found.tables[0].lines] == [("2× as fast", "")]
    assert [one.label for one in found.machine] == [name]
    assert found.reading == ""


@pytest.mark.parametrize("name", ["torch", "python", "numpy"])
def test_another_version_on_the_same_machine_is_named_and_judged(name: str) -> None:
    found = compared(rows(4.0), rows(2.0, machine={**MACHINE, name: "99"}))
    assert [one.label for one in found.versions] == [name]
    assert (found.machine, found.tables[0].lines[0].verdict) == ([], "faster")


def test_other_parameters_are_listed_and_those_of_the_work_are_pointed_out() -> None:
    found = compared(rows(1.0), rows(1.0), heads=8, causal=True, lengths=[128])
    assert [(one.label, one.a, one.b) for one in found.parameters] == [
        ("Sequence lengths n", "128, 256", "128"), ("Heads", "4", "8"), ("Causal mask", "no", "yes"),
    ]  # fmt: skip
    assert found.other_work == "Heads, Causal mask"
    assert compared(rows(1.0), rows(1.0), lengths=[128]).other_work == ""


def test_what_varies_within_a_run_tells_its_points_apart() -> None:
    def both(*medians: float) -> list[Row]:
        return [
            replace(one, configuration={**one.configuration, "pass": name}, position=i)
            for i, (name, median) in enumerate(zip(("forward", "both"), medians, strict=True))
            for one in (row("flash", 128, measured(median)),)
        ]

    found = compared(both(1.0, 3.0), both(2.0, 1.0))
    assert [(a.median, b.median) for a, b in found.pairs] == [(1.0, 2.0), (3.0, 1.0)]


def test_the_charts_lay_a_over_b_for_each_way_with_several_sizes() -> None:
    found = compared(rows(1.0, 2.0, 3.0, 4.0, 9.0), rows(5.0, 6.0, 7.0, 8.0, 9.0))
    assert [chart.title for chart in found.charts] == ["flash: Time (median)", "naive: Time (median)"]
    flash = found.charts[0]
    assert [(line.name, [(mark.x, mark.y) for mark in line.marks]) for line in flash.series] == [
        ("A", [(128, 1.0), (256, 3.0), (512, 9.0)]), ("B", [(128, 5.0), (256, 7.0), (512, 9.0)]),
    ]  # fmt: skip
    assert (flash.series[0].marks[0].low, flash.series[0].marks[0].high) == (0.9, 1.1)
    assert len({chart.slug for chart in found.charts}) == 2


def test_a_busy_side_is_doubted_by_its_letter() -> None:
    found = compared(rows(1.0), rows(1.0, spread=0.5))
    assert [doubt[:40] for doubt in found.doubts] == ["B: At 1 of 1 points the quartiles are mo"]


def finished(demo: Demo = DEMO, *medians: float, **fields: Any) -> Run:
    run = a_run(state=State.DONE, demo=demo, parameters=demo.presets[0].parameters, **fields)
    for position, median in enumerate(medians or (1.0,)):
        store(run, position, measured(median))
    return run


def test_the_page_shows_both_and_the_form_keeps_them(client: Client) -> None:
    a, b = finished(DEMO, 4.0, 4.0), finished(DEMO, 2.0, 4.1)
    answer = client.get(COMPARE, {"a": a.pk, "b": b.pk})
    assert answer.status_code == 200
    body, page = answer.content.decode(), text(answer)
    assert "of 2 common points B is faster at 1 and slower at 0; at 1 the quartiles overlap." in page
    assert "Nothing: the same parameters, machine and versions." in page
    assert "flash 128 4 ms 2 ms 2× as fast" in page
    assert re.findall(r'<option value="(\d+)" selected', body) == [str(a.pk), str(b.pk)]
    assert f'href="/lab/compare/?demo=attention_length&amp;a={b.pk}&amp;b={a.pk}"' in body  # exchanged
    assert body.count("data-copy-link") == 1
    assert not re.search(r"\sstyle=|\sonclick=", body)


def test_a_gpu_run_beside_a_cpu_run_is_warned_of_loudly(client: Client) -> None:
    a, b = finished(), finished(device="cuda")
    for point in b.points.all():
        point.measurement["machine"] = GPU
        point.save()
    answer = client.get(COMPARE, {"a": a.pk, "b": b.pk})
    assert "A CPU on one side, a GPU on the other: their times must not be compared." in text(answer)
    assert "B against A" not in text(answer)


def test_a_stored_run_can_be_a_side(client: Client) -> None:
    run = finished()
    for a, b in (("stored-cpu", run.pk), (run.pk, "stored-cpu")):
        answer = client.get(COMPARE, {"a": a, "b": b})
        assert answer.status_code == 200
        assert "Stored run, CPU" in text(answer)
        assert "Measured on different machines, or with another number of threads." in text(answer)


def test_the_own_runs_are_offered_first_and_only_finished_ones_of_the_demonstration(
    client: Client, candidate: User
) -> None:
    client.force_login(candidate)
    mine, theirs = finished(user=candidate), finished()
    finished(demos.get("decode"))
    a_run(state=State.RUNNING)
    body = client.get(COMPARE, {"a": mine.pk}).content.decode()
    select = body.partition('id="id_b"')[2].partition("</select>")[0]
    groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', select, re.S)
    assert [(title, re.findall(r'value="([^"]+)"', options)) for title, options in groups] == [
        ("My runs", [str(mine.pk)]), ("Stored with the program", ["stored-cpu"]),
        ("Runs of others", [str(theirs.pk)]),
    ]  # fmt: skip
    assert "selected" not in select


def test_without_a_choice_there_is_the_form_alone(client: Client) -> None:
    run = finished()
    for asked in ({}, {"a": run.pk}, {"b": "stored-cpu"}, {"demo": "decode"}):
        answer = client.get(COMPARE, asked)
        main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
        assert (answer.status_code, 'role="alert"' in main) == (200, False), asked


def test_what_cannot_be_compared_is_said_and_the_form_is_kept(client: Client) -> None:
    run, other = finished(), finished(demos.get("decode"))
    running, empty = a_run(state=State.RUNNING), a_run(state=State.CANCELLED)
    far = finished()
    far.points.update(configuration={**far.points.get().configuration, "length": 4096})
    cases: list[tuple[Any, int, str]] = [
        (9999, 404, "There is no run “9999” to compare with."),
        ("9" * 40, 404, "There is no run “"),
        ("x<b>", 404, "There is no run “x&lt;b&gt;” to compare with."),
        ("stored-tpu", 404, "There is no run “stored-tpu” to compare with."),
        (run.pk, 422, "A and B are the same run: choose another for one of them."),
        (
            other.pk,
            422,
            f"Run {other.pk} is of “Decoding with a KV cache: MHA, GQA, MQA”, not of “Attention: ",
        ),
        (running.pk, 422, f"Run {running.pk} is not finished yet: wait until it is."),
        (empty.pk, 422, f"Run {empty.pk} ended without a single point."),
        (far.pk, 422, "These two runs have no point in common: no way at the same size."),
    ]
    for key, status, said in cases:
        answer = client.get(COMPARE, {"a": run.pk, "b": key})
        body = answer.content.decode()
        assert (answer.status_code, said in text(answer)) == (status, True), (key, text(answer)[:900])
        assert f'<option value="{run.pk}" selected' in body
        assert "What differs" not in body
        if key in (other.pk, running.pk, empty.pk):
            assert f'<option value="{key}" selected' in body


def test_a_cancelled_run_is_compared_as_far_as_it_went(client: Client) -> None:
    whole, part = (
        finished(DEMO, 4.0, 4.0),
        a_run(state=State.CANCELLED, parameters=DEMO.presets[0].parameters),
    )
    store(part, 0, measured(2.0))
    page = text(client.get(COMPARE, {"a": whole.pk, "b": part.pk}))
    assert "cancelled after 1 of 9 points" in page
    assert "A: naive 128" in page  # only one has it


@pytest.mark.parametrize("demo", demos.all_demos(), ids=lambda demo: demo.slug)
@pytest.mark.parametrize("outcome", ["measured", "crashed"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_demonstration_can_be_compared(demo: Demo, outcome: str, language: str, client: Client) -> None:
    """With a time, with figures of its own, or by outcomes alone: by what it declares, never by its name."""
    client.cookies["language"] = language
    pair = []
    for number in (1.0, 3.0):
        run = a_run(state=State.DONE, demo=demo, parameters=demo.presets[0].parameters)
        figures = {one.name: number for one in demo.compared} if outcome == "measured" else {}
        for position in range(len(demo.points(run.parameters))):
            store(run, position, {"outcome": outcome, "machine": MACHINE, **figures})
        pair.append(run)
    answer = client.get(COMPARE, {"a": pair[0].pk, "b": pair[1].pk})
    body = answer.content.decode()
    assert answer.status_code == 200
    shown = len(demo.compared) if outcome == "measured" else 1
    assert body.count('class="data common"') == shown
    assert body.count('<tr><th scope="row">') >= shown * len(demo.points(pair[0].parameters))


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_takes_a_fixed_number_of_queries(client: Client, candidate: User, count: int) -> None:
    client.force_login(candidate)
    runs = [finished(DEMO, *[1.0] * count, user=candidate) for _ in range(count + 1)]
    for _ in range(count):
        finished()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(COMPARE, {"a": runs[0].pk, "b": runs[1].pk}).status_code == 200
    asked = [query["sql"] for query in queries if "quiz_run" in query["sql"] or "quiz_point" in query["sql"]]
    assert len(asked) == 4, asked  # both runs, their points, mine, everyone's


def test_a_finished_run_in_a_list_leads_to_its_comparison(client: Client) -> None:
    done, waiting = finished(), a_run()
    body = client.get("/lab/").content.decode()
    assert f'href="/lab/compare/?a={done.pk}"' in body
    assert f'href="/lab/compare/?a={waiting.pk}"' not in body


@pytest.mark.parametrize("demo", demos.all_demos(), ids=lambda demo: demo.slug)
def test_a_run_from_before_a_parameter_was_added_is_read_all_the_same(demo: Demo, client: Client) -> None:
    """It counts with the parameter's default: its page, the lists and a comparison still open."""
    old, new = finished(demo), finished(demo)
    for missing in demo.parameters:
        stored = {name: value for name, value in new.parameters.items() if name != missing.name}
        Run.objects.filter(pk=old.pk).update(parameters=stored)
        for path in (f"/lab/{old.pk}/", "/lab/", f"/lab/compare/?a={old.pk}&b={new.pk}"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert demo.summary({**demo.presets[0].parameters, missing.name: missing.default}) in unescape(
                answer.content.decode()
            )
