"""Nothing is silently misread: drawn texts against what wrote them, and against Python's own readers."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from quiz.exercises.reading import read
from quiz.exercises.reading.reasons import SENTENCES

KINDS = ("number", "matrix", "shape")
MINUSES = "-−–—‒―－﹣‐‑ー➖"
ZEROS = "0０٠۰०০๐᠐𝟎𝟘"  # the digits of a script follow its zero
GROUPS = [",", "'", "’", "_", " ", "\u00a0", "\u202f", "\u2009", "٬"]

# What people paste: enough structure that many drawn texts come close to being readable.
NASTY = st.text(st.sampled_from("0123456789.,;' \t\n+-−–*/^()[]{}|&eπ√½²∞x×=%…_\\\"$inf"), max_size=40)
TABLES = st.text(st.sampled_from("1|&-: \n;\t[](),"), max_size=12)
WORDS = r"1 2.5 -0.5 1e-3 1,5 e √ sqrt( exp( ) ( [ ] , ; | -inf nan tensor( np.float64( ,dtype=x \frac{ }{ }"
MARKS = r"\begin{matrix} \end{matrix} \\ & ^ ^{ ² ½ / * · x = % $ ms [1,2] (2) ' " + '"'
BLANKS = [" ", "\n", "\t", "\u00a0"]
PIECES = st.lists(st.sampled_from([*WORDS.split(), *MARKS.split(), *BLANKS]), max_size=14).map("".join)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(FLOATS, st.integers(-(10**18), 10**18))


def numbers_in(value: object) -> list[float]:
    return [x for item in value for x in numbers_in(item)] if isinstance(value, list) else [value]  # type: ignore[list-item]


def sizes(value: object) -> tuple[int, ...]:
    """The shape of nested lists; fails when they are ragged."""
    if not isinstance(value, list):
        return ()
    (inner,) = {sizes(item) for item in value} or {()}
    return (len(value), *inner)


@settings(max_examples=400, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    text=st.one_of(st.text(max_size=60), NASTY, PIECES, TABLES),
    infinite=st.booleans(),
)
@example(kind="shape", text="①", infinite=False)
@example(kind="matrix", text="|-|\n|-|", infinite=False)
@example(kind="shape", text="1\n2\n3,4", infinite=False)
@example(kind="number", text="\ud800", infinite=False)
def test_any_text_gives_a_whole_reading(kind: str, text: str, infinite: bool) -> None:
    reading = read(kind, text, infinite=infinite)
    if reading.outcome == "value":
        assert (reading.reason, reading.readings, reading.explanation) == ("", (), None)
        values = numbers_in(reading.value)
        assert all(math.isfinite(x) or (infinite and x == -math.inf) for x in values)
        assert all(type(x) in (int, float) for x in values)
        assert len(sizes(reading.value)) <= 8
        return
    assert reading.value is None
    assert reading.code in SENTENCES
    assert reading.explanation is not None
    assert reading.reason.encode()  # whole Unicode, whatever was typed
    assert reading.explanation.zh
    if reading.outcome == "ask":
        assert len(reading.readings) >= 2
        assert all(a != b for i, a in enumerate(reading.readings) for b in reading.readings[:i])
    else:
        assert (reading.outcome, reading.readings) == ("refuse", ())


@settings(max_examples=200, deadline=None)
@given(NUMBERS)
@example(1e-07)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
def test_number_of_json_is_read_as_itself(value: float) -> None:
    reading = read("number", json.dumps(value))
    assert reading.outcome == "value"
    assert reading.value == value
    assert type(reading.value) is type(value)
    assert math.copysign(1, reading.value) == math.copysign(1, value)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=3), st.sampled_from([None, 1]))
def test_lists_of_json_are_read_as_themselves(
    data: st.DataObject, shape: list[int], indent: int | None
) -> None:
    cell = st.one_of(NUMBERS, st.just("-inf"))
    cells = data.draw(st.lists(cell, min_size=math.prod(shape), max_size=math.prod(shape)))
    printed = np.array(cells, dtype=object).reshape(shape).tolist()
    value = np.array([-math.inf if c == "-inf" else c for c in cells], dtype=object).reshape(shape).tolist()
    for separators in ((", ", ": "), (",", ":")):
        reading = read("matrix", json.dumps(printed, indent=indent, separators=separators), infinite=True)
        assert reading.outcome == "value", reading.reason
        assert reading.value == value


@settings(max_examples=200, deadline=None)
@given(
    whole=st.integers(0, 10**12),
    decimals=st.text(st.sampled_from("0123456789"), max_size=6),
    minus=st.sampled_from(["", *MINUSES]),
    zero=st.sampled_from(ZEROS),
    group=st.sampled_from(["", *GROUPS]),
    frame=st.sampled_from(
        ["{}", "({})", "（{}）", "{}%", " {}\n", "\ufeff{}", "tensor({})", "$ {} $", "x = {}"]
    ),
)
def test_number_in_any_script_dash_and_grouping_is_the_same_number(
    whole: int, decimals: str, minus: str, zero: str, group: str, frame: str
) -> None:
    assume(not (group == "," and frame.startswith("tensor")))  # there it parts arguments
    point = f".{decimals}" if decimals else ""
    written = f"{whole:,}".replace(",", group) + point
    expected = float(f"{whole}{point}") * (-1 if minus else 1)
    in_script = "".join(chr(ord(zero) + int(c)) if c.isascii() and c.isdigit() else c for c in written)
    reading = read("number", frame.format(minus + in_script))
    if frame.endswith("%"):
        expected /= 100
    if group == "," and whole >= 1000 and not point and whole < 10**6:
        assert reading.outcome == "ask"
        assert reading.readings[1] == expected
        return
    assert reading.outcome == "value", reading.reason
    assert reading.value == expected


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 10**6),
    st.text(st.sampled_from("0123456789"), min_size=1, max_size=6),
    st.sampled_from(["", "-"]),
)
def test_one_comma_always_asks_unless_both_readings_agree(whole: int, rest: str, sign: str) -> None:
    reading = read("number", f"{sign}{whole},{rest}")
    point, separator = float(f"{sign}{whole}.{rest}"), int(f"{sign}{whole}{rest}")
    if point == separator:
        assert reading.value == point
    else:
        assert (reading.outcome, reading.readings) == ("ask", (point, separator))


ARITHMETIC = st.recursive(
    st.one_of(st.integers(0, 99).map(str), st.floats(0, 99).map(lambda x: f"{x:.2f}")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", " * ", "*", "/"]), inner).map("".join),
        st.tuples(st.just("("), inner, st.sampled_from(["+", " - ", "*"]), inner, st.just(")")).map("".join),
        inner.map(lambda text: f"-({text})"),
        st.tuples(st.just("("), inner, st.just(")**"), st.sampled_from(["2", "0.5", "-1", "3"])).map("".join),
    ),
    max_leaves=8,
)
SCRAPS = st.text(st.sampled_from("0123456789.+-*/()e _"), min_size=1, max_size=9).filter(
    lambda t: "**" not in t
)


def python_value(text: str) -> float | None:
    """What Python says `text` is worth, None when it is no finite real number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(text.strip(), {"__builtins__": {}, "e": math.e})
        except (SyntaxError, TypeError, ArithmeticError, NameError, ValueError, AttributeError):
            return None
    return value if type(value) in (int, float) and math.isfinite(value) else None


@settings(max_examples=300, deadline=None)
@given(ARITHMETIC)
def test_arithmetic_is_worth_what_python_says(text: str) -> None:
    expected = python_value(text)
    assume(expected is not None and len(text) < 300)
    reading = read("number", text)
    if reading.outcome == "refuse":
        assert reading.code in ("signs", "power_undefined", "power_chain"), (text, reading.reason)
        return
    assert reading.value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        SCRAPS, NASTY.filter(lambda t: "**" not in t and "%" not in t and "^" not in t and "," not in t)
    )
)
@example("1 -2")
@example("2e1.5")
def test_scraps_are_never_read_otherwise_than_python_reads_them(text: str) -> None:
    expected = python_value(text)
    reading = read("number", text)
    if expected is not None and reading.outcome == "value":
        assert reading.value == pytest.approx(expected, rel=1e-12, abs=0)


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from("[[]],, 0123.-\n"), min_size=3, max_size=24).map(lambda text: f"[{text}]"))
@example("[1 2, 3]")
@example("[[1,2],[3,4]]")
def test_scraps_of_lists_are_never_read_otherwise_than_json_reads_them(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        return
    reading = read("matrix", text)
    if reading.outcome == "value":
        assert reading.value == expected


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(2, 5), st.floats(1e-6, 1e6))
def test_print_outs_of_numpy_are_read_as_printed(
    data: st.DataObject, rows: int, columns: int, scale: float
) -> None:
    cells = st.floats(-1, 1, allow_nan=False).map(lambda x: x * scale)
    drawn = data.draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    array = np.array(drawn).reshape(rows, columns)
    expected = np.array([[float(f"{x:.4e}") for x in row] for row in array])
    scalars = repr(list(map(list, expected)))  # [[np.float64(0.5), …], …]
    for text in (str(expected), repr(expected), repr(expected.astype(np.float32)), scalars):
        reading = read("matrix", text)
        assert reading.outcome == "value", (text, reading.reason)
        np.testing.assert_allclose(reading.value, expected, rtol=1e-4, atol=1e-8 * scale)
    assert (
        read("matrix", repr(list(map(list, expected)))).value == expected.tolist()
    )  # [[np.float64(0.5), …], …]


@settings(max_examples=150, deadline=None)
@given(FLOATS.filter(lambda x: abs(x) < 1e15))
def test_formatted_numbers_are_read_as_printed(value: float) -> None:
    plain = (f"{value:.3f}", f"{value:.6g}", f"{value:e}", f"{value:+.2f}")
    for text in (*plain, repr(np.float64(value)), f"tensor({value:.4f})"):
        bare = text.removeprefix("np.float64(").removeprefix("tensor(").removesuffix(")")
        assert read("number", text).value == float(bare)
    grouped = f"{value:,.3f}"
    assert read("number", grouped).value == float(grouped.replace(",", ""))


def test_print_outs_of_torch_are_read_as_printed() -> None:
    torch = pytest.importorskip("torch")
    weights = torch.softmax(torch.arange(12.0, dtype=torch.float64).reshape(2, 2, 3).requires_grad_(), -1)
    scores = torch.tensor([[1.0, -math.inf], [2e-5, 3e4]])
    assert np.allclose(read("matrix", str(weights)).value, weights.detach().numpy(), atol=5e-5)
    assert read("matrix", str(scores), infinite=True).value == [[1.0, -math.inf], [2e-5, 3e4]]
    assert read("matrix", str(list(weights[0].detach()))).value == pytest.approx(
        np.round(weights[0].detach().numpy(), 4), abs=5e-5
    )
    assert read("shape", str(weights.shape)).value == [2, 2, 3]
    assert read("number", str(weights.sum())).value == 4.0
