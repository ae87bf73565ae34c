"""Bounded work for any text of up to 100,000 characters: refused early, not slowly.

Work is counted in calls of Python functions and in processor time, with a wide margin on any machine: what is
meant to be caught is growth with the square of the length, which at this length takes minutes.
"""

import sys
import time
from types import FrameType

import pytest

from quiz.exercises.reading import MAX_LENGTH, read
from quiz.exercises.reading.rows import MOST_CELLS

MOST_SECONDS = 8.0  # of processor time; the slowest text takes about 0.5

PATTERNS = [
    "(", "[", "[]", "()", "1", "1,", "1 ", "1+", "-", " ", "\t", "\n", "1\t", "1\n", "²a", "²", r"\frac{",
    r"\\[", "^{", "{", r"\begin{matrix}", "'", '"1",', "a", "a=", "tensor(", "tensor([", "|", "|1",
    "1|\n", "&", "½", "√", "9^", "1e", "1,5 ", "((1,2),", "x", "1x", "- ", "1 \xa0", "\xa0", "1\xa0234 ",
    "[[1,2],", "1;2;", ";", ",;", ", ", " ,", r"\,", "1'2", "‐1", "<tf.Tensor", "1 2 3;", "..", "1_", "$",
    "[1 - ", "(1 2) ", "1 (2 3)", "、", "\ud800", "一", "\x00", "1.", "e^", "exp(", "1/(", "--", "\u202f",
    "=", "1=", r"\left[", "⎡", "[tensor([",
]  # fmt: skip
FRAMES = ["[{}]", "[1{},2]", "tensor({})", r"\begin{{matrix}}{}\end{{matrix}}"]
WHOLE = [
    r"\begin{matrix}" + "-" * 99_970 + r"\end{matrix}",
    "|" + "-" * 99_990 + "1|",
    "[1" + r"\," * 49_990 + ",2]",  # blanks that appear only when LaTeX is written out
    "[1" + r"\ " * 49_990 + ",2]",
    "[" + "sqrt(2)/exp(1)," * 4000 + "]",
    "[" + ("(" * 28 + "1" + ")" * 28 + ",") * 1700 + "]",
    "[[" + "1,5 " * 4000 + "]]",
    "[" + "[1,2]," * 16_000 + "]",
    "[" + "0.1 " * 4000 + "\n 5]",
    r"\sqrt{" * 14_000 + "}" * 14_000,
    "(" * 29 + "1," + ")" * 29,
    "1" + "0" * 99_999,
    "1e" + "9" * 99_998,
    "[" + ", ".join(["9" * 900] * 100) + "]",
    "[" + ", ".join(["(9^99)^3*7^300"] * 4000) + "]",
]


def check_bounded(kind: str, text: str) -> None:
    started = time.process_time()
    read(kind, text)
    assert time.process_time() - started < MOST_SECONDS, (kind, text[:40])


def calls_of(kind: str, text: str) -> int:
    """How many Python functions `read` calls for `text`."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(kind, text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("pattern", PATTERNS, ids=ascii)
def test_long_repetition_takes_bounded_time(pattern: str) -> None:
    check_bounded("matrix", (pattern * MAX_LENGTH)[:MAX_LENGTH])


@pytest.mark.prove
@pytest.mark.parametrize("frame", FRAMES)
def test_long_repetition_in_any_frame_takes_bounded_time(frame: str) -> None:
    for pattern in PATTERNS:
        inside = (pattern * MAX_LENGTH)[: MAX_LENGTH - len(frame)]
        check_bounded("matrix", frame.format(inside)[:MAX_LENGTH])


@pytest.mark.parametrize("text", WHOLE, ids=lambda text: f"{text[:20]}-{len(text)}")
def test_large_but_lawful_text_takes_bounded_time(text: str) -> None:
    for kind in ("number", "matrix", "shape"):
        check_bounded(kind, text)


def test_work_grows_with_the_length_and_not_with_its_square() -> None:
    for cell in ("0.5", "1/3", "sqrt(2)/exp(1)", "((((1))))", "-√2", '"-inf"'):
        short, long = (calls_of("matrix", "[" + ", ".join([cell] * n) + "]") for n in (200, 800))
        assert long < 4.2 * short, cell


def test_cells_beyond_the_bound_are_refused_before_any_is_evaluated() -> None:
    few = calls_of("matrix", "1/3 " * MOST_CELLS)
    many = calls_of("matrix", "1/3 " * (MOST_CELLS + 1))
    assert read("matrix", "1/3 " * (MOST_CELLS + 1)).code == "too_many_cells"
    assert many < few / 10


def test_longest_text_is_read_and_one_more_character_is_refused() -> None:
    text = "[1" + " " * (MAX_LENGTH - 3) + "]"
    assert read("matrix", text).value == [1]
    assert read("matrix", text + " ").code == "too_long"


@pytest.mark.parametrize("kind", ["number", "shape"])
def test_repetitions_are_no_number_and_no_shape(kind: str) -> None:
    for pattern in PATTERNS:
        if pattern.strip(" \t\n\xa0\u202f⎡\ufeff"):
            assert read(kind, pattern * 5000).outcome == "refuse", pattern
