"""Nothing escapes: attacks, sizes, and random sources all end in a small value or in an ExpressionError."""

import contextlib
import math
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quiz.expressions import ExpressionError, evaluate, limits

ATTACKS = [
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "chapter.__class__",
    "chapter._entries",
    "sqrt.call",
    "sqrt.call.__globals__",
    "costs.kv_cache_bytes.call",
    "[].append(1)",
    "'a'.format(chapter)",
    "f'{1}'",
    "'%s' % chapter",
    "'a' * 1000000",
    "b'abc'",
    "1j",
    "None",
    "...",
    "lambda: 1",
    "(lambda: 1)()",
    "[x for x in range(9)]",
    "{1: 2}",
    "{1}",
    "1 if True else 2",
    "True and False",
    "not True",
    "~1",
    "1 << 9999999",
    "1 | 2",
    "(x := 1)",
    "x = 1",
    "import os",
    "1; 2",
    "1) + (2",
    "a.b.c",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "getattr(chapter, 'Q')",
    "print(1)",
    "type(1)",
    "vars()",
    "globals()",
    "breakpoint()",
    "sqrt(*[1])",
    "sqrt(**chapter)",
    "[*chapter]",
    "chapter.Q[0:1]",
    "chapter.Q[True]",
    "chapter.Q[1.0]",
    "chapter.Q['a']",
    "chapter.Q.T",
    "chapter.Q.dtype",
    "chapter.Q.tofile('x')",
    "1 < 2 < 3",
    "1 is 1",
    "1 in [1]",
    "'a' == 'a'",
    "await x",
    "yield",
    "@",
    "#",
    "\\x00",
    "1\x00",
    "√2",
    "ｓqrt(2)",
    "$",
    "`1`",
    "",
    "   ",
    "sqrt",
    "chapter",
    "'text'",
    "where(sqrt, 1, 2)",
    "max(sqrt, 1)",
    "sqrt(chapter)",
    "abs('a')",
    "sum('abc')",
    "trace(1, 2, 3)",
    "trace(chapter.Q, chapter.K, chapter.V, fault='nonsense')",
    "trace(chapter.Q, chapter.K, chapter.V, steps=1)",
    "trace(chapter.Q, chapter.K, chapter.V)",
    "attention(chapter.Q, cross.K, [[1, 2]])",
]

BOMBS = [
    "9**9**9",
    "9**9**9**9",
    "2**100000",
    "(2**1000) * (2**1000)",
    "10.0**400",
    "1e308 * 10 - 1e308 * 10",
    "zeros(100000)",
    "zeros(256, 256)",
    "ones(256, 64) @ ones(64, 256)",
    "transpose(ones(1, 256)) + ones(128, 1) @ ones(1, 256)",
    "transpose([arange(256)]) * arange(256)",
    "where(transpose([arange(256)]) > 3, arange(256), 0)",
    "softmax(ones(128, 128))",
    "masks.causal(1000000)",
    "masks.causal(10, keys=1000000)",
    "masks.window(1000000, span=(1, 1))",
    "masks.padding([1], keys=1000000)",
    "eye(99999)",
    "arange(2**60)",
    "zeros(10, 10, 10, 10, 10)",
    "[" * 100 + "1" + "]" * 100,
    "(" * 400 + "1" + ")" * 400,
    "-" * 900 + "1",
    "+".join(["1"] * 450),
    "[" + "1," * 480 + "]",
    "1" * 999,
    "9" * 5000,
    "sqrt(" * 190 + "1" + ")" * 190,
    "round(1.5, 10**9)",
    "outer(arange(256), arange(256))",
    "diag(arange(256))",
    "concat(ones(128, 128), ones(128, 128))",
    "sinusoidal(arange(256), 4096)",
    "sinusoidal(1, 10**9)",
    "alibi_bias(256, 256, 256)",
    "alibi_slopes(10**9)",
    "additive_scores(ones(256, 1), ones(256, 1), w_q=ones(1, 256), w_k=ones(1, 256), v=ones(256))",
    "softmax_jacobian(ones(256))",
    "tile_count(10**9, keys=10**9, rows=1, columns=1)",
    "tile_count(2**50, keys=1, rows=2**45, columns=1)",
    "online(ones(256), block=0)",
    "eigenvalues(ones(128, 128) @ ones(128, 256))",
    "training.smooth_targets(ones(256), classes=10**9, epsilon=0.1)",
    "training.supervised_positions([2**40, 1e300])",
    "split_heads(ones(1, 256), heads=10**9)",
    "costs.score_matrix_bytes(batch=2**1000, heads=2**1000, queries=1, keys=1, itemsize=1)",
]


@pytest.mark.parametrize("source", ATTACKS)
def test_attack_is_refused(source):
    with pytest.raises(ExpressionError):
        evaluate(source)


@pytest.mark.parametrize("source", BOMBS, ids=lambda source: source[:30])
def test_bomb_is_refused_at_once(source):
    began = time.thread_time()
    with pytest.raises(ExpressionError):
        evaluate(source)
    assert time.thread_time() - began < limits.SECONDS


@pytest.mark.parametrize(
    ("source", "column", "message"),
    [
        ("1 + foo", 5, "the name 'foo' is not known"),
        ("  foo", 3, "the name 'foo' is not known"),
        ("1 + 2 ? 3", 7, "the character '?' has no meaning here"),
        ("sqrt(1, 2)", 1, "sqrt: too many positional arguments"),
        ("1 + costs.kv_cache_bytes(layers=1)", 5, "missing a required argument: 'batch'"),
        ("2 * (1 / 0)", 6, "division by zero"),
        ("1 + chapter.Q[7]", 5, "no element 7 in an array of shape (3, 2)"),
        ("2 * chapter.Z", 5, "the name 'Z' is not known"),
        ("[1, [2, 3]]", 1, "the rows differ in length"),
        ("[1, 2] @ [1, 2, 3]", 1, "(2,) @ (3,) do not fit"),
        ("[1, 2] + [1, 2, 3]", 1, "shapes (2,) and (3,) do not fit"),
        ("(-8) ** 0.5", 1, "the result is not a real number"),
        ("1 + 2x", 5, "a number runs into a name"),
        ("0x10", 1, "a number runs into a name"),
        ("1 +", 4, "this cannot be read as an expression"),
    ],
)
def test_error_says_where_and_what(source, column, message):
    with pytest.raises(ExpressionError) as caught:
        evaluate(source)
    assert caught.value.column == column
    assert message in caught.value.message


@pytest.mark.parametrize(
    "name", [object(), lambda: 1, {1, 2}, 1j, math.nan, None, "a" * 100, [[1], [1, 2]], ["a"], 2**5000]
)
def test_given_names_are_checked_too(name):
    with pytest.raises(ExpressionError):
        evaluate("x", {"x": name})


def test_values_given_are_not_changed_by_an_expression():
    matrix = np.eye(2)
    evaluate("X + 1", {"X": matrix})
    np.testing.assert_array_equal(matrix, np.eye(2))


PIECES = [
    "1", "2.5", "1e308", "'top_left'", "chapter", ".Q", ".A", ".causal", "costs", ".itemsize", "sqrt",
    "softmax", "trace", "masks", "sum", "where", "row", "rows", "outer", "diag", "concat", "norm",
    "online", "rope", "layer_norm", "sinusoidal", "training", ".dropout", "heads=", "block=", "values=",
    "arange", "ones", "(", ")", "[", "]", ",", "+", "-", "*",
    "**", "/", "//", "%", "@", "<", "==", "axis=", "fault=", "X", "__class__", "256", "2**900", "inf", "True",
    "lambda", "for", " ",
]  # fmt: skip


def _is_small(value):
    if isinstance(value, tuple):
        return all(_is_small(entry) for entry in value)
    if isinstance(value, np.ndarray):
        return value.size <= limits.ELEMENTS and value.dtype in (np.float64, np.bool_)
    return isinstance(value, bool | float) or value.bit_length() <= limits.INTEGER_BITS


def _survives(source):
    began = time.thread_time()
    value = 0
    with contextlib.suppress(ExpressionError):
        value = evaluate(source, {"X": [[1, 2], [3, 4]]})
    assert _is_small(value)
    assert time.thread_time() - began < 2 * limits.SECONDS


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@example("ones(256)@ones(256)")
def test_random_words_never_escape(source):
    _survives(source)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_random_texts_never_escape(source):
    _survives(source)
