"""Nothing of a batch is lost: what is written reads back as what was there, what cannot be kept is said, and
a row that fails does not take the others with it.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark_part
from quiz.exercises.verdicts import CATALOGUE
from quiz.grading.autocheck import judging
from quiz.grading.autocheck.columns import Row
from quiz.grading.autocheck.judging import judge
from tests.grading.batches import HEADER, RESULTS, judged, judged_lines, right

ITEM = {"candidate": "a", "family": "softmax_row", "seed": 5, "part": "weights"}
GOOD = json.dumps({**ITEM, "response": right("softmax_row", 5, "weights")})


# ---- CSV ----

PIECES = (
    "\r",
    "\n",
    "\r\n",
    ",",
    ";",
    "\t",
    '"',
    '""',
    "x",
    " ",
    "值",
    "\x00",
    "\u2028",
    "\x85",
    "\x0b",
    "'",
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_cell_reads_back_as_it_was(tmp_path: Path, newline: str, delimiter: str) -> None:
    """Breaks of every kind, quotes and delimiters, alone and beside each other, in any column."""
    rng = random.Random(3)
    texts = ["".join(pair) for pair in itertools.product(PIECES, ("", *PIECES))]
    texts += ["".join(rng.choices(PIECES, k=rng.randint(3, 8))) for _ in range(200)]
    given = [
        {"note": text, "candidate": f"c{index}", "family": "scaled_entry", "seed": "4", "part": "scaled",
         "response": rng.choice(texts), "more": rng.choice(texts)}
        for index, text in enumerate(texts)
    ]  # fmt: skip
    stream = io.StringIO()
    writer = csv.DictWriter(
        stream, list(given[0]), quoting=csv.QUOTE_ALL, delimiter=delimiter, lineterminator=newline
    )
    writer.writeheader()
    writer.writerows(given)
    path, output = tmp_path / "batch.csv", tmp_path / "out.csv"
    path.write_bytes(stream.getvalue().encode())
    call_command("autocheck", str(path), "--output", str(output), stderr=io.StringIO())
    text = io.StringIO(output.read_bytes().decode(), newline="")
    rows = list(csv.DictReader(text, delimiter=delimiter, strict=True))
    assert [{name: row[name] for name in given[0]} for row in rows] == given
    assert [row["candidate"] for row in rows] == [f"c{index}" for index in range(len(texts))]
    assert all(row["verdict"] in CATALOGUE for row in rows)


def test_only_cells_that_need_quotes_get_them(tmp_path: Path) -> None:
    path, output = tmp_path / "batch.csv", tmp_path / "out.csv"
    path.write_bytes(f'note,{HEADER}\nplain,a,x,1,y,1\n"two\rlines",a,x,1,y,1\n'.encode())
    call_command("autocheck", str(path), "--output", str(output), stderr=io.StringIO())
    lines = output.read_bytes().decode().split("\n")
    assert lines[1].startswith("plain,a,x,1,y,1,unknown,,,,")
    assert lines[2].startswith('"two\rlines",a,x,1,y,1,unknown,,,,')


# ---- JSON Lines ----


def lines_with(*responses: str) -> str:
    """A line for each response, which is JSON as it stands; then a good one."""
    start = json.dumps(ITEM)[:-1]
    return "\n".join([*(f'{start}, "response": {response}}}' for response in responses), GOOD])


TEXTS = (
    "√2/2", "1/√2", "½", "−0.5", "０.５", "0.5", "-1/2", "e^0.5", "2×10⁻³", r"\frac{1}{2}", r"\sqrt{2}",
    "1,5", "50%", "'0.5'", '"0.5"', "0.5 ", "半", "", "1.2.3", "1 2", "\ud800", "-inf", "−∞",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_in_a_list_is_read_as_it_is_in_a_cell(tmp_path: Path, text: str) -> None:
    """Also beside numbers, and in rows; however the file writes its letters."""
    variant = vary("softmax_row", 5)
    alone = mark_part(variant, "weights", [text, "0.1", "0.1", "0.1"])
    lists: list[list[Any]] = [[text, "0.1", "0.1", "0.1"], [text, 0.1, 0.1, 0.1], [[text, 0.1, 0.1, 0.1]]]
    content = lines_with(*(json.dumps(one) for one in lists))
    rows = judged_lines(tmp_path, content)[:3]
    assert [row["response"] for row in rows] == lists
    assert [(row["verdict"], row["reason"]) for row in rows] == [(alone.key, alone.reason.zh)] * 3


def test_lists_that_are_no_rows_of_cells_are_malformed(tmp_path: Path) -> None:
    responses = (
        '[["0.1"], "0.2"]',
        '["0.1", ["0.2"]]',
        '[[["0.1"]], 1]',
        '[{"a": "0.1"}]',
        '[["0.1"], ["0.2", "0.3"]]',
        "[[], []]",
        '["0.1", null]',
    )
    rows = judged_lines(tmp_path, lines_with(*responses))[:-1]
    assert [row["verdict"] for row in rows] == ["malformed"] * len(responses)
    assert [row["response"] for row in rows] == [json.loads(response) for response in responses]


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("1e400", "1e400 太大了"),
        ("-1e400", "-1e400 太大了"),
        ("[0.1, 1E+999, 0.1, 0.1]", "1E+999 太大了"),
        ("1e-400", "1e-400 太接近 0，表示不了"),
        ("9" * 5000, f"{'9' * 24}… 太大了"),
        ("NaN", "JSON 里没有 NaN"),
        ("-Infinity", "JSON 里没有 -Infinity"),
        ('"1", "response": "2"', "response 出现了两次"),
        ('"1", "Response ": "2"', "response 出现了两次"),
        ('"1", "ｓｅｅｄ": 6', "seed 出现了两次"),
        ('"1", "extra": {"a": 1, "a": 2}', "a 出现了两次"),
    ],
)
def test_what_cannot_be_kept_makes_its_row_malformed_and_is_repeated_as_it_stood(
    tmp_path: Path, response: str, reason: str
) -> None:
    content = lines_with(response)
    broken, good = judged_lines(tmp_path, content)
    assert (broken["verdict"], broken["score"], broken["reason"]) == ("malformed", None, f"第 1 行：{reason}")
    assert broken["response"] == content.splitlines()[0]
    assert good["verdict"] == "right"


def test_numbers_that_can_be_kept_are(tmp_path: Path) -> None:
    numbers = ("1.7e308", "5e-324", "0e999", "-0.0", "0.000", str(2**1023 - 1), str(10**400), "1e-320")
    rows = judged_lines(tmp_path, lines_with(*numbers))[:-1]
    assert [row["response"] for row in rows] == [json.loads(number) for number in numbers]
    verdicts = ["malformed" if number == str(10**400) else "wrong_shape" for number in numbers]
    assert [row["verdict"] for row in rows] == verdicts


def test_every_line_written_is_json(tmp_path: Path) -> None:
    """Strictly: no Infinity, no NaN, whatever came in."""
    responses = ("1e400", "NaN", "[1e999]", '"\\ud800"', "1e308", "null", "true", '{"a": [1e400]}')
    path, output = tmp_path / "batch.jsonl", tmp_path / "out.jsonl"
    path.write_text(lines_with(*responses), "utf-8")
    call_command("autocheck", str(path), "--output", str(output), stderr=io.StringIO())
    lines = output.read_text("utf-8").splitlines()
    for line in lines:
        assert set(RESULTS) <= set(
            json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        )
    assert len(lines) == len(responses) + 1


# ---- our own failures ----


@pytest.mark.parametrize("error", [OverflowError, KeyError, RecursionError, MemoryError, AssertionError])
def test_a_row_that_fails_to_be_judged_is_our_fault_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: type[Exception]
) -> None:
    marked = judging.mark_part

    def failing(variant: Any, name: str, response: Any) -> Any:
        if response == "0.25":
            raise error("in our own code")
        return marked(variant, name, response)

    monkeypatch.setattr(judging, "mark_part", failing)
    value = right("scaled_entry", 4, "scaled")
    rows = [f"c{index},scaled_entry,4,scaled,{r}" for index, r in enumerate((value, "0.25", value))]
    found = judged(tmp_path, "\n".join([HEADER, *rows]), "batch.csv", "--language", "en")
    assert [(row["candidate"], row["verdict"]) for row in found] == [
        ("c0", "right"),
        ("c1", "grader_fault"),
        ("c2", "right"),
    ]
    assert (found[1]["score"], found[1]["response"]) == ("", "0.25")
    assert found[1]["reason"] == (
        f"judging this row failed in our own code ({error.__name__}); it is neither right nor wrong"
    )
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [error]


def test_a_broken_family_is_our_fault_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(slug: str, seed: int) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(judging, "vary", broken)
    assert judge(Row(2, None, "scaled_entry", "4", "scaled", "1")).verdict == "grader_fault"
