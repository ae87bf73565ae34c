"""One row to its verdict: every key, judged by itself."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from quiz.exercises.drawing import vary
from quiz.exercises.seeds import MAX_SEED, SeedError
from quiz.grading.autocheck.judging import read_seed
from tests.grading.batches import HEADER, RESULTS, judged, right, wrong


def table(*rows: tuple[str, ...]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([HEADER.split(","), *rows])
    return stream.getvalue()


def test_every_kind_of_row_gets_its_verdict(tmp_path: Path) -> None:
    vector = vary("softmax_row", 5).right["weights"]
    rows = [
        ("a", "scaled_entry", "4", "scaled", right("scaled_entry", 4, "scaled")),
        ("b", "scaled_entry", "4", "scaled", wrong("scaled_entry", 4, "scaled", "no_scale")),
        ("c", "scaled_entry", "4", "scaled", "77777"),
        ("d", "softmax_row", "5", "weights", json.dumps([*vector[:3], 7])),
        ("e", "softmax_row", "5", "weights", json.dumps(vector[:3])),
        ("f", "scaled_entry", "4", "scaled", "1.2.3"),
        ("g", "scaled_entry", "4", "scaled", ""),
        ("h", "scaled_entri", "4", "scaled", "1"),
        ("i", "scaled_entry", "-4", "scaled", "1"),
        ("j", "scaled_entry", "4", "output", "1"),
        ("k", "scaled_entry", "4", "scaled", "3,333"),
    ]
    results = judged(tmp_path, table(*rows), "batch.csv", "--language", "en")
    assert [row["candidate"] for row in results] == [row[0] for row in rows]
    shown = [(row["verdict"], row["score"], row["diagnosis"]) for row in results]
    assert shown == [
        ("right", "1", ""),
        ("wrong", "0", "no_scale"),
        ("wrong", "0", ""),
        ("partial", "0.75", "slip_one_cell"),
        ("wrong_shape", "0", ""),
        ("malformed", "", ""),
        ("malformed", "", ""),
        ("unknown", "", ""),
        ("unknown", "", ""),
        ("unknown", "", ""),
        ("wrong", "0", ""),
    ]
    assert [row["reason"] for row in results[1:]] == [
        "looks like the division by √d_k is missing",
        "not a mistake we know",
        "3 of 4 cells are right; looks like a slip in entry 4 alone",
        "wrong shape: (3) ≠ (4)",
        "could not read it: “1.2.3” has more than one decimal point",
        "could not read it: nothing was written",
        "there is no family “scaled_entri”; is it scaled_entry?",
        f"the seed “-4” is not a whole number from 0 to {MAX_SEED}",
        "scaled_entry has no part “output”; it has scaled",
        "not a mistake we know",
    ]
    assert [json.loads(row["expected"]) for row in results[3:5]] == [vector, vector]
    assert [row["expected"] for row in results[7:10]] == ["", "", ""]


def test_diagnosis_lists_every_matching_mistake_also_when_partly_right(tmp_path: Path) -> None:
    """Before the softmax, not scaling and scaling later are one and the same."""
    rows = [
        ("a", "full_output", "7", "scaled", wrong("full_output", 7, "scaled", "no_scale")),
        ("b", "full_output", "7", "output", wrong("full_output", 7, "output", "causal_applied")),
    ]
    results = judged(tmp_path, table(*rows))
    assert [(row["verdict"], row["diagnosis"]) for row in results] == [
        ("partial", "no_scale|scaled_after_softmax"),
        ("partial", "causal_applied"),
    ]
    assert results[0]["reason"].endswith("可能是忘了除以 √d_k，也可能是先 softmax，后除以 √d_k")


def test_rows_are_judged_each_by_itself(tmp_path: Path) -> None:
    """A wrong step does not excuse the output computed from it."""
    mistake = {part: wrong("causal_row", 3, part, "no_mask") for part in ("masked", "weights", "output")}
    rows = [("a", "causal_row", "3", part, value) for part, value in mistake.items()]
    verdicts = [(row["verdict"], "no_mask" in row["diagnosis"]) for row in judged(tmp_path, table(*rows))]
    assert {verdict for verdict, _ in verdicts} <= {"wrong", "partial"}
    assert [named for _, named in verdicts] == [True, True, True]


def test_ambiguous_only_where_the_readings_differ_in_verdict(tmp_path: Path) -> None:
    variant = next(v for v in (vary("scaled_entry", seed) for seed in range(200)) if v.right["scaled"] == 1.5)
    rows = [
        ("a", "scaled_entry", str(variant.seed), "scaled", "1,5"),
        ("b", "scaled_entry", str(variant.seed), "scaled", "9,5"),
    ]
    first, second = judged(tmp_path, table(*rows))
    assert (first["verdict"], first["score"], first["reason"]) == ("ambiguous", "", "1,5 是 1.5 还是 15？")
    assert (second["verdict"], second["score"]) == ("wrong", "0")


def test_masked_scores_take_minus_infinity(tmp_path: Path) -> None:
    masked = right("causal_row", 9, "masked")
    results = judged(tmp_path, table(("a", "causal_row", "9", "masked", masked)))
    assert (results[0]["verdict"], results[0]["expected"]) == ("right", masked)


@pytest.mark.parametrize(
    ("text", "seed"),
    [("0", 0), ("１８４２", 1842), (" 1842 ", 1842), ("1842.0", 1842), ("007", 7), (str(MAX_SEED), MAX_SEED)],
)
def test_seed_is_read_as_spreadsheets_write_it(text: str, seed: int) -> None:
    assert read_seed(text) == seed


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e3", "1,842", "seed", "9" * 500])
def test_seed_that_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(SeedError):
        read_seed(text)


def test_seed_beyond_the_limit_is_an_unknown_item(tmp_path: Path) -> None:
    rows = judged(tmp_path, table(("a", "scaled_entry", str(MAX_SEED + 1), "scaled", "1")))
    assert rows[0]["verdict"] == "unknown"
    assert list(rows[0])[-5:] == RESULTS
