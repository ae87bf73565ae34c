"""Reading shapes, and showing what was read."""

import math

import pytest

from quiz.exercises.reading import Reading, read, read_as

VALUES = [
    ("(2, 3)", [2, 3]), ("2 3", [2, 3]), ("2,3", [2, 3]), ("[2,3]", [2, 3]), ("（2，3）", [2, 3]),
    ("2、3", [2, 3]), ("{2, 3}", [2, 3]), ("3", [3]), ("(3)", [3]), ("(3,)", [3]), ("3,", [3]), ("()", []),
    ("[]", []), ("torch.Size([])", []), ("2x3x4", [2, 3, 4]), ("2 X 3", [2, 3]), ("2✕3", [2, 3]),
    ("2·3", [2, 3]), ("0x3", [0, 3]), ("2 by 3 by 4", [2, 3, 4]), ("2by3", [2, 3]), ("2乘以3", [2, 3]),
    ("2行3列", [2, 3]), ("torch.Size([2, 3])", [2, 3]), ("TensorShape([2, 3])", [2, 3]),
    ("shape=(2,3)", [2, 3]), ("x.shape = (2, 3)", [2, 3]), (r"2\times 3", [2, 3]), ("$(2, 3)$", [2, 3]),
    ("1_024", [1024]), ("(1,234)", [1, 234]), ("(0, 3)", [0, 3]), ("(2;3)", [2, 3]),
    ("1,2,3,4,5,6,7,8", [1, 2, 3, 4, 5, 6, 7, 8]), ("(٢, ٣)", [2, 3]), ('"(2, 3)"', [2, 3]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=ascii)
def test_shape_is_read_in_every_writing(text: str, expected: list[int]) -> None:
    assert read("shape", text) == Reading("value", value=expected)


REFUSALS = [  # text, code, column
    ("", "empty", None), ("(B, 3)", "letter", 1), ("(2, three)", "letter", 2), ("x", "letter", 1),
    ("2x", "letter", 1), ("2 x 3 matrix", "letter", 2), ("3列2行", "letter", 1), ("(x, 3)", "letter", 1),
    ("2.0", "whole", 1), ("(2, 3.5)", "whole", 2), ("1e3", "whole", 1), ("-1", "negative", 1),
    ("(2, −3)", "negative", 2), ("(2,,3)", "empty_cell", 2), ("2×", "empty_cell", 2),
    ("×3", "empty_cell", 1), ("2**3", "character", 1), ("2^3", "character", 1), ("2/3", "character", 1),
    ("2-3", "character", 1), ("½", "character", 1), ("①", "character", 1),
    ("(2*3, 4)", "mixed_separators", None), ("2*3,4", "mixed_separators", None),
    ("(2, 3 4)", "mixed_separators", 2), ("(2, 3\n4\n5)", "mixed_separators", 2),
    ("02,3", "leading_zero", 1), ("1,024", "leading_zero", 2), ("(2,3", "unbalanced", None),
    ("2,3)", "unbalanced", None), ("(2]", "unbalanced", None), ("(2, ..., 3)", "elided", None),
    ("9" * 20, "overflow", 1), ("1,2,3,4,5,6,7,8,9", "too_many_sizes", None),
    ("1," * 300, "too_long", None), ("torch.Size([2, 3], 4)", "argument", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "column"), REFUSALS, ids=ascii)
def test_shape_is_refused_with_its_own_reason(text: str, code: str, column: int | None) -> None:
    reading = read("shape", text)
    assert (reading.outcome, reading.code, reading.column) == ("refuse", code, column)


@pytest.mark.parametrize("text", ["1,536", "1\u202f536"])
def test_shape_of_one_size_in_thousands_asks(text: str) -> None:
    reading = read("shape", text)
    assert (reading.outcome, reading.readings) == ("ask", ([1, 536], [1536]))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-1 / math.sqrt(2), "−0.7071"),
        (0.000123456, "0.0001235"),
        (1234.56789, "1234.5679"),
        (-3, "−3"),
        (2**40, "1099511627776"),
        (1.5, "1.5"),
        (100.0, "100"),
        (-0.0, "0"),
        (0.99996, "1"),
        (1.2346e-7, "1.235×10⁻⁷"),
        (-3e12, "−3×10¹²"),
        (-math.inf, "−∞"),
        ([[1, -0.5], [2.0, 3]], "[[1, −0.5], [2, 3]]"),
        ((2, 3), "[2, 3]"),
        ([], "[]"),
    ],
)
def test_read_as_shows_four_decimals_and_a_true_minus(value: object, shown: str) -> None:
    assert read_as(value) == shown


@pytest.mark.parametrize("value", [-0.7071, 1234.5679, 1.235e-7, -3e12, 2**40, [[1, -0.5], [2, 3]]])
def test_what_read_as_shows_is_read_back(value: object) -> None:
    assert flat(read("matrix", read_as(value)).value) == pytest.approx(flat(value), rel=1e-15, abs=0)


def flat(value: object) -> list[float]:
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]  # type: ignore[list-item]
