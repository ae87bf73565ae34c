"""Reading vectors and matrices: every usual writing, what asks, and where a refusal points."""

import math

import pytest

from quiz.exercises.reading import Reading, read

SQUARE = [[1, 2], [3, 4]]
INF = math.inf

VALUES = [
    # brackets
    ("[[1,2],[3,4]]", SQUARE), ("[[1 2][3 4]]", SQUARE), ("[[1 2] [3 4]]", SQUARE),
    ("((1, 2), (3, 4))", SQUARE), ("[(1, 2), (3, 4)]", SQUARE), ("{{1,2},{3,4}}", SQUARE),
    ("[1,2]\n[3,4]", SQUARE), ("(1,2),(3,4)", SQUARE), ("[1,2;3,4]", SQUARE), ("[1 2; 3 4]", SQUARE),
    ("S = [1 2; 3 4];", SQUARE), ("(1 2; 3 4)", SQUARE), ("[[1,2],\n\n [3,4],\n]", SQUARE),
    ("[[1,2];[3,4]]", SQUARE), ("【1，2；3，4】", SQUARE), ("[[1，2]，[3，4]]", SQUARE),
    ("[1, 2\n 3, 4]", SQUARE), ("[1,2,]", [1, 2]), ("(1 2 3)", [1, 2, 3]), ("[\n  1,\n  2\n]", [1, 2]),
    ("[[1,2]]", [[1, 2]]), ("[1,2, 3]", [1, 2, 3]), ("[1;2]", [[1], [2]]),
    ("[1,5; 2,5]", [[1, 5], [2, 5]]), ("[1.5]", [1.5]), ("[1 2 3\n 4]", [1, 2, 3, 4]),
    ("[[[1],[2]],[[3],[4]]]", [[[1], [2]], [[3], [4]]]),
    # print-outs of libraries
    ("[[ 0.5 -0.5]\n [-1.e-07  2.e+00]]", [[0.5, -0.5], [-1e-07, 2.0]]),
    ("array([1, 2], dtype=int32)", [1, 2]), ("[np.float64(1.5), np.float64(-2.5)]", [1.5, -2.5]),
    ("[tensor(0.5), tensor(0.5, grad_fn=<X>)]", [0.5, 0.5]),
    ("[tensor([1.,2.]), tensor([3.,4.], device='cuda:0')]", SQUARE), ("Matrix([[1, 2], [3, 4]])", SQUARE),
    ("Parameter containing:\ntensor([[1., 2.],\n        [3., 4.]], requires_grad=True)", SQUARE),
    ("<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n [3., 4.]])>", SQUARE),
    ("tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)", SQUARE), ("⎡1 2⎤\n⎣3 4⎦", SQUARE),
    ("```python\n[[1, 2], [3, 4]]\n```", SQUARE), ("'[1, 2]'", [1, 2]), ("['1.5', \"2\"]", [1.5, 2]),
    # bare lines and tables
    ("1 2 3", [1, 2, 3]), ("1,2,3", [1, 2, 3]), ("1、2、3", [1, 2, 3]), ("1, 2\n3, 4", SQUARE),
    ("1 2;\n3 4;", SQUARE), ("1;2\n3;4", SQUARE), ("1\n2\n3", [[1], [2], [3]]), ("0.1,0.9", [0.1, 0.9]),
    ("0.1,0.2\n0.3,0.4", [[0.1, 0.2], [0.3, 0.4]]), ("1\xa02\xa03", [1, 2, 3]), ("1,\t2,\t3", [1, 2, 3]),
    ("1 / 2\t3", [0.5, 3]), ("1 -2", [1, -2]), ("1.5", 1.5), ("-√4/2", -1.0),
    ("| 1 | 2 |\n|---|:-:|\n| 3 | 4 |", SQUARE), ("|   |   |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", SQUARE),
    ("1 | 2\n3 | 4", SQUARE), ("1|2\n-|-\n3|4", SQUARE), ("|1|2|", [1, 2]),
    ("| $\\frac12$ | `2` |", [0.5, 2]),
    # LaTeX
    (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \\ \end{bmatrix}", SQUARE),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", [[1], [2]]), (r"\begin{pmatrix}1&2\end{pmatrix}", [1, 2]),
    (r"\left[1, 2\right]", [1, 2]), (r"\left[\begin{array}{cc}1&2\\[2pt]3&4\end{array}\right]", SQUARE),
    (r"$$S=\begin{pmatrix}\frac{1}{2}&-\infty\\\sqrt{4}&2^{3}\end{pmatrix}$$", [[0.5, -INF], [2, 8]]),
    # expressions and quoted infinities in cells
    ("[1/2,3 / 4]", [0.5, 0.75]), ("((1+2)/3, 4)", [1, 4]), ("[(1+2)*(3), 4]", [9, 4]), ("2 √4", [2, 2]),
    ("[1 -2]", [1, -2]), ('[["-inf", 1], [-inf, 2]]', [[-INF, 1], [-INF, 2]]),
    ("[float('-inf'), 1]", [-INF, 1]), ("-inf 1\n1 −∞", [[-INF, 1], [1, -INF]]),
    ("[1\xa0234, 5]", [1234, 5]), ("tensor([-inf, 1.])", [-INF, 1.0]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=lambda value: ascii(value)[:40])
def test_matrix_is_read_in_every_writing(text: str, expected: object) -> None:
    assert read("matrix", text, infinite=True) == Reading("value", value=expected)


ASKS = [
    ("1,5 2,5", "comma", ([1.5, 2.5], [1, 5, 2, 5])),
    ("[1,5 2,5]", "comma", ([1.5, 2.5], [1, 5, 2, 5])),
    ("[[1,5 2,5],[3,5 4,5]]", "comma", ([[1.5, 2.5], [3.5, 4.5]], [[1, 5, 2, 5], [3, 5, 4, 5]])),
    ("1,5", "comma", (1.5, [1, 5])),
    ("1,5, 2,5", "comma", ([1.5, 2.5], [1, 5, 2, 5])),
    ("1,2\n3,4", "comma", ([[1.2], [3.4]], [[1, 2], [3, 4]])),
    ("1,2;3,4", "comma", ([1.2, 3.4], [[1, 2], [3, 4]])),
    ("1,234 5,678", "comma", ([1.234, 5.678], [1, 234, 5, 678], [1234, 5678])),
    ("1,234.5 2,345.5", "comma", ([1, 234.5, 2, 345.5], [1234.5, 2345.5])),
    ("1.234,5", "comma", (1234.5, [1.234, 5])),
    ("| 1,5 | 2,5 |", "comma", ([1.5, 2.5], [15, 25])),
    ("1,5\t2,5", "comma", ([1.5, 2.5], [15, 25])),
    ("1;2;3", "readings", ([[1], [2], [3]], [1, 2, 3])),
    ("[1 2\n3 4]", "readings", ([[1, 2], [3, 4]], [1, 2, 3, 4])),
    ("1\xa0234 5", "readings", ([1234, 5], [1, 234, 5])),
]


@pytest.mark.parametrize(("text", "code", "readings"), ASKS, ids=lambda value: ascii(value)[:40])
def test_matrix_with_two_readings_asks(text: str, code: str, readings: tuple[object, ...]) -> None:
    reading = read("matrix", text)
    assert (reading.outcome, reading.code) == ("ask", code)
    assert reading.readings == readings


REFUSALS = [  # text, code, row, column
    ("", "empty", None, None), ("[]", "empty_cell", 1, 1), ("[[],[]]", "empty_cell", 1, 1),
    ("[1,,2]", "empty_cell", 1, 2), ("|---|", "empty", None, None), ("| |\n|-|", "empty", None, None),
    ("|-|\n|-|", "empty", None, None), ("| 1 | 2 |\n| - | - |", "incomplete", 2, 1),
    ("[,1]", "empty_cell", 1, 1),
    ("[[1,2],[3,]]", "ragged", 2, None),
    ("[[1,2],,[3,4]]", "empty_cell", 2, None), ("| 1 | |\n| 3 | 4 |", "empty_cell", 1, 2),
    ("1\t\t2", "empty_cell", 1, 2), ("1 2\n3", "ragged", 2, None), ("[[1,2,3],[4,5]]", "ragged", 2, None),
    ("1 2 3\n4 5 6\n7 8", "ragged", 3, None), (r"\begin{pmatrix}1&2\\3\end{pmatrix}", "ragged", 2, None),
    ("    0    1\n0  1.0  2.0", "ragged", 2, None), ("[[1],[[2]]]", "levels", 2, None),
    ("[[1,2],[3,4]] [5,6]", "levels", 2, None), ("[[1,2],3]", "mixed_levels", 2, None),
    ("[[1.2.3, 4]]", "two_points", 1, 1), ("[[1, 2],\n [3, x]]", "letter", 2, 2),
    ("1 2\n3 4ms", "unit", 2, 2), ("| a | b |\n|---|---|\n| 1 | 2 |", "letter", 1, 1),
    ("[[nan, 1]]", "nan", 1, 1), ("[1, inf]", "infinite", 1, 2), ("[True, False]", "letter", 1, 1),
    ("0.5 0.5 # row", "character", 1, 3), ("[1/0, 2]", "zero_division", 1, 1),
    ("[1,2)", "unbalanced", None, None), ("[1,2", "unbalanced", None, None),
    ("1,2]", "unbalanced", None, None), (r"\end{pmatrix}1\begin{pmatrix}", "unbalanced", None, None),
    ("['1, 2]", "quote", None, None), ("[1, 2, ..., 9]", "elided", None, None),
    (r"\begin{pmatrix}1&\cdots\end{pmatrix}", "elided", None, None),
    ("[[[[[[[[[1]]]]]]]]]", "too_deep", None, None), ("[" * 5000, "too_deep", None, None),
    ("[[1,2],[3,4]].T", "after", None, None), ("0.5*[[1,2],[3,4]]", "after", None, None),
    ("-[1,2]", "after", None, None), ("[1,2] x [3,4]", "after", None, None),
    (r"\frac12\begin{pmatrix}1&2\end{pmatrix}", "after", None, None),
    ("[1 - 2]", "operator_spaces", 1, 2), ("1 / 2", "operator_spaces", 1, 2),
    ("[1 -2, 3]", "spaces", 1, 1), ("[1 234, 5]", "mixed_separators", 1, 1),
    ("[1, 2 3]", "mixed_separators", 1, 2), ("| 1 2 | 3 |", "mixed_separators", 1, 1),
    ("[[1;2],[3;4]]", "mixed_separators", 1, None), ("(1,2)+3", "mixed_separators", 1, 1),
    ("['1,234', 2]", "mixed_separators", 1, 1), ("[(1,234)*2, 3]", "mixed_separators", 1, 1),
    ("torch.tensor([1, 2], scale=2)", "argument", None, None),
    ("1 " * 5000, "too_many_cells", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "row", "column"), REFUSALS, ids=lambda value: ascii(value)[:40])
def test_matrix_is_refused_at_its_row_and_column(
    text: str, code: str, row: int | None, column: int | None
) -> None:
    reading = read("matrix", text)
    assert (reading.outcome, reading.code, reading.row, reading.column) == ("refuse", code, row, column)


def test_refusal_says_the_place_in_both_languages() -> None:
    reading = read("matrix", "[[1, 2.0.1]]")
    assert reading.reason == "row 1, column 2: “2.0.1” has more than one decimal point"
    assert reading.explanation is not None
    assert reading.explanation.zh == "第 1 行第 2 格：「2.0.1」有不止一个小数点"


def test_minus_infinity_in_a_matrix_is_refused_where_not_asked_for() -> None:
    reading = read("matrix", "[[0, -inf]]")
    assert (reading.outcome, reading.code, reading.row, reading.column) == ("refuse", "infinite", 1, 2)
