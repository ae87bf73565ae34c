"""CSV that a spreadsheet opens as it is: numbers unrounded, Chinese readable, no formula from typing."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from quiz.pages.spreadsheets import csv_answer


def cells(*row: Any) -> list[str]:
    answer = csv_answer("x.csv", ["a"], [row])
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))[1]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\t=1", '=HYPERLINK("x")'])
def test_a_text_that_looks_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert cells(text) == [f"'{text}"]


def test_numbers_stay_numbers_and_nothing_stays_empty() -> None:
    assert cells(-4.25, 1 / 3, 7, None, True) == ["-4.25", repr(1 / 3), "7", "", "True"]


def test_it_is_a_download_that_says_how_it_is_written() -> None:
    answer = csv_answer("x.csv", ["中文"], [["a,b"]])
    assert answer.content.startswith("\ufeff中文".encode())
    assert answer.headers["Content-Disposition"] == 'attachment; filename="x.csv"'
    assert cells("a,b\nc") == ["a,b\nc"]
