"""Reading one number: the shared cases, and a pinned list of texts that invite a misreading."""

import json
import math
from pathlib import Path

import pytest

from quiz.exercises.reading import MAX_LENGTH, Reading, read

LINES = Path(__file__).with_name("answers.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES if line.strip()]


def flat(value: object) -> list[float]:
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]  # type: ignore[list-item]


def layout(value: object) -> object:
    """The nesting of a value, its numbers left out."""
    return [layout(item) for item in value] if isinstance(value, list) else ()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{ascii(case['text'])[:40]}")
def test_read_holds_every_shared_case(case: dict[str, object]) -> None:
    reading = read(str(case["kind"]), str(case["text"]))
    expected = case["expect"]
    if expected in ("refuse", "ask"):
        assert (reading.outcome, reading.value) == (expected, None)
        assert reading.reason
        return
    assert reading.outcome == "value", reading.reason
    assert layout(reading.value) == layout(expected)
    if case["text"] == "exp(0.707)":  # which the file gives to four decimals
        assert reading.value == pytest.approx(expected, rel=1e-4, abs=0)
        assert reading.value == math.exp(0.707)
    else:
        assert reading.value == expected


def test_shared_cases_are_all_there() -> None:
    assert len(CASES) == 83
    assert {case["kind"] for case in CASES} == {"number", "matrix", "shape"}


BIG = 12345678901234567890
R2 = math.sqrt(2)
HALF_E = math.exp(0.5)
SIGMOID = HALF_E / (1 + HALF_E)

VALUES = [
    # one point, one sign, one exponent
    ("5.", 5.0), (".5", 0.5), ("−.5", -0.5), ("+2", 2), ("1.5E+3", 1500.0), ("1.e3", 1000.0), ("007", 7),
    ("00.5", 0.5), ("0e999999", 0.0), ("1e-07", 1e-07), ("-0.0", -0.0), (str(BIG), BIG),
    # groups of digits
    ("1,234.5", 1234.5), ("5,000,000", 5000000), ("1.234,5", 1234.5), ("1.234.567,8", 1234567.8),
    ("1'234.5", 1234.5), ("1’234’567", 1234567), ("1 234 567", 1234567), ("1 234,5", 1234.5),
    ("1\u202f234\u202f567.25", 1234567.25), ("1\u2009234", 1234), ("1_000.5", 1000.5),
    ("１，２３４．５", 1234.5), ("1٬234٫5", 1234.5), ("−1 234,5", -1234.5), ("5 000", 5000),
    # digits and dashes of every kind
    ("१.५", 1.5), ("𝟏.𝟓", 1.5), ("۱۲", 12), ("—1.5", -1.5), ("‑1.5", -1.5), ("‐1.5", -1.5),
    ("﹣1.5", -1.5), ("➖1.5", -1.5), ("1.5e‑3", 0.0015), ("\ufeff1.5", 1.5), ("1\u200b5", 15),
    ("1。5", 1.5), ("1.5。", 1.5),
    # fractions
    ("2/4", 0.5), ("1½", 1.5), ("-1½", -1.5), ("1 ½", 1.5), ("2½%", 0.025), ("½²", 0.25), ("⅓", 1 / 3),
    ("1⁄2", 0.5),
    # products, quotients, powers, roots
    ("2x3", 6), ("2 x 3", 6), ("2X3", 6), ("2＊3", 6), ("3·10^8", 3 * 10**8), ("64⋅64", 4096), ("6÷2", 3),
    ("1/2/3", 1 / 6), ("1/2*3", 1.5), ("3*-2", -6), ("1-2", -1), ("1 - 2", -1), ("-2^2", -4),
    ("(-2)^2", 4), ("2²", 4), ("10⁻³", 0.001), ("2^-1", 0.5), ("2**-1", 0.5), ("(9^9)^2", 9**18),
    ("2^60/4", 2**58), ("√2", R2), ("√(2)", R2), ("√√16", 2.0), ("2√2", 2 * R2), ("√2/2", R2 / 2),
    ("-1/√2", -1 / R2), ("5-2√2", 5 - 2 * R2), ("(1/2)√2", R2 / 2), ("2sqrt(2)", 2 * R2),
    ("np.sqrt(2)", R2), ("math.sqrt( 2 )", R2), ("2π", 2 * math.pi), ("math.pi", math.pi), ("e", math.e),
    ("e^0.5/(1+e^0.5)", SIGMOID), ("e⁻¹", 1 / math.e), ("2·e^0.5", 2 * HALF_E), ("exp(-1)", math.exp(-1)),
    ("exp(-1000)", 0.0), ("ln(2)", math.log(2)), ("np.log(2)", math.log(2)), ("log2(8)", 3.0),
    ("log10(100)", 2.0), ("5%", 0.05), ("50‰", 0.05), ("100%-37.5%", 0.625), ("((1.5))", 1.5),
    ("{1.5}", 1.5),
    # what stands around a number
    ("'1.5'", 1.5), ("“1.5”", 1.5), ("「1.5」", 1.5), ("`1.5`", 1.5), ("```\n1.5\n```", 1.5),
    ("$1.5$", 1.5), ("x = 1.5", 1.5), ("x₁=1.5", 1.5), ("d_k=64", 64), ("S[0,1]=0.5", 0.5),
    ("答案：1.5", 1.5), ("≈1.5", 1.5), ("1.5;", 1.5),
    ("tensor(1.5, device='cuda:0', dtype=torch.float64)", 1.5), ("torch.tensor(1.5)", 1.5),
    ("np.int64(3)", 3), ("np.float32(1.5)", 1.5), ("float('1.5')", 1.5),
    ("array(1.5, dtype=float32)", 1.5), ("Array(1.5, dtype=float32, weak_type=True)", 1.5),
    ("tf.Tensor(1.5, shape=(), dtype=float32)", 1.5),
    ("<tf.Tensor: shape=(), dtype=float32, numpy=1.5>", 1.5),
    ("Parameter containing:\ntensor(1.5, requires_grad=True)", 1.5),
    # LaTeX
    (r"\frac{1}{2}", 0.5), (r"\frac12", 0.5), (r"-\frac{1}{\sqrt{2}}", -1 / R2), (r"\sqrt2", R2),
    (r"\dfrac{e^{0.5}}{1+e^{0.5}}", SIGMOID), (r"3 \times 10^{8}", 3 * 10**8), (r"1{,}234.5", 1234.5),
    (r"1\,234.5", 1234.5), (r"37.5\%", 0.375), (r"\alpha=1.5", 1.5), (r"\(1.5\)", 1.5), (r"\[1.5\]", 1.5),
    (r"\mathrm{e}^{2}", math.e**2), (r"\exp\left(0.5\right)", HALF_E), (r"\frac{1}{2}\sqrt{2}", R2 / 2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=lambda value: ascii(value)[:40])
def test_number_is_read_in_every_writing(text: str, expected: float) -> None:
    reading = read("number", text)
    assert reading.outcome == "value", reading.reason
    assert reading.value == pytest.approx(expected, rel=1e-15, abs=0)
    assert type(reading.value) is type(expected)
    assert (reading.reason, reading.explanation) == ("", None)


REFUSALS = [
    ("", "empty"), (" \n", "empty"), ("\u200b", "empty"), ("x=", "empty"), ("''", "quote"),
    ("1.2.3", "two_points"), ("1..2", "two_points"), ("1.234.567", "two_points"), ("1e5.5", "exponent"),
    ("1e", "implicit_e"), ("2e^0.5", "implicit_e"), ("2 e^0.5", "implicit_e"), ("1e 5", "implicit_e"),
    ("1,23,4", "grouping"), ("12,34,567", "grouping"), (",5", "grouping"), ("5,", "grouping"),
    ("1'23", "grouping"), ("0 123", "grouping"), ("1,5+1,234.5", "grouping"), ("0.123 456", "grouping"),
    ("1__0", "underscore"), ("1 234 5", "adjacent"), ("1  234", "adjacent"), ("1 2", "adjacent"),
    ("1\n5", "lines"), ("1;2", "several"), ("1、5", "character"), ("1 -2", "spaces"), ("1–2", "range"),
    ("1—2", "range"), ("0x10", "hexadecimal"), ("--1", "signs"), ("——1.5", "signs"), ("2--1", "signs"),
    ("+-1", "signs"), ("1+", "incomplete"), ("*2", "incomplete"), ("()", "incomplete"),
    ("√", "incomplete"), ("²", "incomplete"), ("(1", "unbalanced"), ("1)", "unbalanced"),
    ("[1.5]", "brackets"), ("tensor([1.5])", "brackets"), ("'", "quote"), ("1/2√2", "implicit_product"),
    ("1/2π", "implicit_product"), ("2³√2", "implicit_product"), ("2(3)", "implicit_product"),
    ("1.23(4)", "implicit_product"), ("6÷2(1+2)", "implicit_product"), ("5%2", "implicit_product"),
    (r"2\frac{1}{2}", "implicit_product"), ("2^3^2", "power_chain"), ("9^9^9", "power_chain"),
    ("2**3**2", "power_chain"), ("9^(9^9)", "overflow"), ("1e400", "overflow"), ("1e308*10", "overflow"),
    ("exp(1000)", "overflow"), ("1e-400", "underflow"), ("1/0", "zero_division"),
    ("0^-1", "zero_division"), ("0^0", "power_undefined"), ("(-8)^(1/3)", "power_undefined"),
    ("√(-1)", "root_negative"), ("ln(0)", "log_domain"), ("log(2)", "log"), ("sqrt 2", "function"),
    ("0·5", "dots"), ("0.333...", "elided"), ("0.3…", "elided"), ("\u202e51", "bidi"), ("nan", "nan"),
    ("float('nan')", "nan"), ("null", "nan"), ("∞", "infinite"), ("-Infinity", "infinite"),
    ("1.5 ms", "unit"), ("12GB", "unit"), ("5 个", "unit"), ("3万", "unit"), ("1+0j", "unit"),
    ("1.5f", "unit"), ("x", "letter"), ("E", "letter"), ("一", "letter"), ("①", "letter"),
    ("True", "letter"), ("pow(2,3)", "letter"), ("е", "letter"), ("±1.5", "character"),
    ("<1.5", "character"), ("$5", "character"), ("3!", "character"), ("11⁄2", "character"),
    ("1:2", "character"), ("x=1/2=0.5", "character"), ("\x00", "character"), ("x₂", "letter"),
    (r"\foo", "latex"), (r"\sqrt[3]{8}", "latex"), (r"\sqrt23", "latex"), ("tensor(1,5)", "argument"),
    ("int(1.5)", "argument"), ("tensor(1.5, scale=2)", "argument"), ("1+" * 300 + "1", "too_long"),
    ("9" * (MAX_LENGTH + 1), "too_long"), ("(" * 40 + "1" + ")" * 40, "too_deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), REFUSALS, ids=lambda value: ascii(value)[:40])
def test_number_is_refused_with_its_own_reason(text: str, code: str) -> None:
    reading = read("number", text)
    assert (reading.outcome, reading.code, reading.value, reading.readings) == ("refuse", code, None, ())
    assert reading.explanation is not None
    assert reading.explanation.en == reading.reason != ""
    assert reading.explanation.zh not in ("", reading.reason)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1.5 ms", "“ms”"),
        ("1.2.3", "“1.2.3”"),
        ("±1.5", "“±” (U+00B1)"),
        (r"\foo", r"“\foo”"),
        ("1,2,3", "“1,2,3”"),
    ],
)
def test_refusal_names_the_character_or_the_rule(text: str, named: str) -> None:
    assert named in read("number", text).reason


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("1,5", (1.5, 15)),
        ("1,234", (1.234, 1234)),
        ("0,5e3", (500.0, 5000.0)),
        ("0,5", (0.5, 5)),
        ("-1,5", (-1.5, -15)),
        ("１，５", (1.5, 15)),
        ("1,000", (1.0, 1000)),
        ("1,5%", (0.015, 0.15)),
        ("1,5*1.5", (2.25, 22.5)),
        ("tensor('1,5')", (1.5, 15)),
    ],
)
def test_ambiguous_comma_asks_with_both_readings(text: str, readings: tuple[float, float]) -> None:
    reading = read("number", text)
    assert (reading.outcome, reading.code, reading.value) == ("ask", "comma", None)
    assert reading.readings == readings


def test_comma_whose_readings_agree_is_a_value() -> None:
    assert read("number", "1,5/2,5") == Reading("value", value=0.6)


@pytest.mark.parametrize(
    "text",
    [
        *["−inf", "-inf", "-∞", '"-inf"', "−Infinity", 'float("-inf")', "-float('inf')", "-torch.inf"],
        *["-np.inf", "负无穷", r"-\infty", "x = -inf"],
    ],
)
def test_minus_infinity_is_a_value_only_where_asked_for(text: str) -> None:
    assert read("number", text, infinite=True) == Reading("value", value=-math.inf)
    assert (read("number", text).outcome, read("number", text).code) == ("refuse", "infinite")


@pytest.mark.parametrize(
    "text", ["inf", "+inf", "∞", "nan", "-nan", "1/inf", "-inf+1", "1e999", "-1e999", "--inf"]
)
def test_other_infinities_and_nan_are_never_values(text: str) -> None:
    assert read("number", text, infinite=True).outcome == "refuse"


def test_unknown_kind_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="kind must be one of number, matrix, shape, not 'scalar'"):
        read("scalar", "1")
