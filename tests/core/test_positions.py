"""Sinusoidal, rotary and ALiBi positions against closed forms written with Python's own complex numbers."""

import cmath
import math

import array_api_strict
import numpy as np
import pytest

from attention_core import alibi_bias, alibi_slopes, attention, rope, sinusoidal
from attention_core.errors import NumericalError, ShapeError
from attention_core.positions import rotate
from tests.core.examples import drawn


def wave(position, column, width):
    """PE(pos, column): the pair i = ⌊column/2⌋ turns with 10000^(−2i/width), the cosine with no shift."""
    angle = position / 10000 ** (2 * (column // 2) / width)
    return math.cos(angle) if column % 2 else math.sin(angle)


def turned(row, position, *, interleaved=False, rotary_dim=None, base=10000.0):
    """One row by the definition: each pair a + ib times e^{i·position·base^(−2i/r)}."""
    row, width = list(row), rotary_dim or len(row)
    for pair in range(width // 2):
        at = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + width // 2)
        number = complex(row[at[0]], row[at[1]]) * cmath.exp(1j * position * base ** (-2 * pair / width))
        row[at[0]], row[at[1]] = number.real, number.imag
    return row


@pytest.mark.parametrize("width", [1, 2, 4, 5, 8, 13])
def test_waves_are_the_paper_formula_for_even_and_odd_widths(width):
    table = sinusoidal(range(7), width)
    expected = [[wave(p, c, width) for c in range(width)] for p in range(7)]
    assert table.shape == (7, width)
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-15)


def test_waves_of_two_positions_depend_on_their_distance_only():
    table = sinusoidal(np.arange(40), 16)
    for distance in (0, 1, 7):
        products = [table[p] @ table[p + distance] for p in range(30)]
        np.testing.assert_allclose(products, products[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(table, axis=-1), math.sqrt(8), rtol=1e-14)


def test_waves_take_any_shape_of_positions_and_keep_their_dtype():
    assert sinusoidal(3, 4).tolist() == sinusoidal([3], 4)[0].tolist()
    assert (
        sinusoidal(np.arange(6).reshape(2, 3), 4).tolist()
        == sinusoidal(range(6), 4).reshape(2, 3, 4).tolist()
    )
    assert sinusoidal(np.arange(3, dtype=np.float32), 4).dtype == np.float32
    assert sinusoidal(np.arange(3, dtype=np.int32), 4).dtype == np.float64


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("rotary_dim", [None, 2, 6, 8])
@pytest.mark.parametrize("base", [10000.0, 500.0])
def test_rotary_turns_each_pair_of_the_right_columns(interleaved, rotary_dim, base):
    (x,) = drawn(1, (5, 8))
    options = {"interleaved": interleaved, "rotary_dim": rotary_dim, "base": base}
    places = [0, 1, 3, 17, 4000]  # position 0 alone would hide a wrong layout
    expected = [turned(row, p, **options) for row, p in zip(x, places, strict=True)]
    np.testing.assert_allclose(rope(x, places, **options), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_products_depend_on_the_distance_only(interleaved):
    q, k = drawn(2, (1, 8), (1, 8))
    products = [
        (rope(q, [m], interleaved=interleaved) @ rope(k, [m - 5], interleaved=interleaved).T).item()
        for m in (5, 6, 40, 1000)
    ]
    np.testing.assert_allclose(products, products[0], rtol=0, atol=1e-12)
    assert abs(products[0] - (q @ k.T).item()) > 0.1


def test_rotary_keeps_lengths_and_leaves_position_nought_alone():
    (x,) = drawn(3, (2, 4, 6))
    assert rope(x, [0, 0, 0, 0]).tolist() == x.tolist()
    lengths = np.linalg.norm(x, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(rope(x, range(4)), axis=-1), lengths, rtol=1e-14)


def test_each_layout_is_the_other_on_permuted_columns():
    """Half-split on columns reordered (0, 2, 4, 1, 3, 5) is interleaved: weights can be converted."""
    (x,) = drawn(4, (5, 6))
    order = [0, 2, 4, 1, 3, 5]
    inverse = np.argsort(order)
    through = rope(x[:, order], range(5))[:, inverse]
    np.testing.assert_allclose(through, rope(x, range(5), interleaved=True), rtol=0, atol=1e-15)
    assert np.abs(rope(x, range(5)) - through).max() > 0.5


def test_two_axes_of_positions_are_a_row_for_each_sample():
    (x,) = drawn(5, (2, 2, 3, 4))  # as many heads as samples: broadcasting alone could not tell
    places = [[0, 1, 2], [7, 8, 9]]
    together = rope(x, places)
    for sample in range(2):
        for head in range(2):
            assert together[sample, head].tolist() == rope(x[sample, head], places[sample]).tolist()
    assert rope(x, np.array(places)[:, None, :]).tolist() == together.tolist()


def test_one_position_may_be_a_plain_number_when_decoding():
    (x,) = drawn(6, (2, 3, 1, 4))
    assert rope(x, 5).tolist() == rope(x, [5]).tolist()
    with pytest.raises(ShapeError, match="positions: given"):
        rope(np.ones((2, 4)), 5)


@pytest.mark.parametrize("position", [2049, 100_003, 2**25 + 1])  # one above what each dtype can hold
def test_angles_are_exact_for_far_positions_in_low_precision(position):
    (x,) = drawn(7, (1, 8))
    expected = np.array(turned(x[0], position))
    for dtype, tolerance in ((np.float16, 4e-3), (np.float32, 5e-7)):
        result = rope(x.astype(dtype), np.array([position]))
        assert result.dtype == dtype
        np.testing.assert_allclose(result[0], expected, rtol=0, atol=tolerance)


def test_a_table_gives_what_the_positions_give():
    (x,) = drawn(8, (2, 3, 5, 8))
    angle = np.arange(5)[:, None] * 10000.0 ** (-np.arange(4) / 4)
    for interleaved in (False, True):
        by_table = rotate(x, np.cos(angle), np.sin(angle), interleaved=interleaved)
        np.testing.assert_allclose(by_table, rope(x, range(5), interleaved=interleaved), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (3, [4, 8, 2]),
        (4, [2, 4, 6, 8]),
        (6, [2, 4, 6, 8, 1, 3]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_slopes_for_any_number_of_heads(heads, exponents):
    np.testing.assert_allclose(alibi_slopes(heads), [2.0**-e for e in exponents], rtol=1e-15)


def test_penalty_grows_with_the_distance_from_the_query():
    bias = alibi_bias(3, 4, 6, offset=2)
    assert bias.shape == (3, 4, 6)
    for head, slope in enumerate(alibi_slopes(3)):
        for i in range(4):
            assert bias[head, i].tolist() == [-slope * abs(i + 2 - j) for j in range(6)]
    assert not np.signbit(bias[bias == 0]).any()


def test_under_a_causal_mask_the_penalty_is_the_papers_row_of_slopes():
    """Press et al. add m · j (equal up to a shift of the row, which the softmax does not see)."""
    q, k, v = drawn(9, (6, 5, 4), (6, 5, 4), (6, 5, 4))
    shifted = alibi_slopes(6)[:, None, None] * np.arange(5)
    ours = attention(q, k, v, bias=alibi_bias(6, 5, 5), causal="top_left")
    theirs = attention(q, k, v, bias=np.broadcast_to(shifted, (6, 5, 5)), causal="top_left")
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_a_decoding_step_has_the_last_row_of_the_full_penalty():
    assert alibi_bias(4, 1, 9, offset=8).tolist() == alibi_bias(4, 9, 9)[:, -1:].tolist()


def test_the_same_on_any_array_library():
    (x,) = drawn(10, (2, 3, 8))
    strict = array_api_strict.asarray(x)
    for options in ({}, {"interleaved": True}, {"rotary_dim": 4}):
        for places in (range(3), array_api_strict.arange(3), np.arange(3)):
            result = rope(strict, places, **options)
            np.testing.assert_allclose(np.asarray(result), rope(x, range(3), **options), rtol=0, atol=1e-15)
    waves = sinusoidal(array_api_strict.arange(5), 7)
    np.testing.assert_allclose(np.asarray(waves), sinusoidal(range(5), 7), rtol=0, atol=1e-15)


X = np.ones((2, 3, 4))
REFUSED = {
    "width": (lambda: sinusoidal([0], 0), ShapeError, "width: given 0"),
    "places_nan": (lambda: sinusoidal([math.nan], 4), NumericalError, "positions: given nan"),
    "places_words": (lambda: sinusoidal(["a"], 4), NumericalError, "positions: given values of dtype"),
    "one_axis": (lambda: rope([1.0, 2.0], [0]), ShapeError, "x: given shape (2,)"),
    "odd_width": (lambda: rope(np.ones((2, 3)), [0, 1]), ShapeError, "x: given width 3"),
    "odd_part": (lambda: rope(X, range(3), rotary_dim=3), ShapeError, "rotary_dim: given 3"),
    "wide_part": (lambda: rope(X, range(3), rotary_dim=6), ShapeError, "rotary_dim: given 6"),
    "no_part": (lambda: rope(X, range(3), rotary_dim=0), ShapeError, "rotary_dim: given 0"),
    "base": (lambda: rope(X, range(3), base=0.0), NumericalError, "base: given 0.0"),
    "too_few": (lambda: rope(X, range(2)), ShapeError, "positions: given shape (2,)"),
    "one_for_all": (lambda: rope(X, [4]), ShapeError, "positions: given shape (1,)"),
    "samples": (lambda: rope(X, np.zeros((3, 3))), ShapeError, "positions: given shape (3, 3)"),
    "x_nan": (lambda: rope([[math.nan, 1.0]], [0]), NumericalError, "x: given nan at [0, 0]"),
    "other_library": (lambda: rope(X, array_api_strict.arange(3)), ShapeError, "positions: given a "),
    "table": (lambda: rotate(X, np.ones((3, 3)), np.ones((3, 3))), ShapeError, "cosines: given shape (3, 3)"),
    "table_pairs": (lambda: rotate(X, np.ones((3, 2)), np.ones((3, 1))), ShapeError, "sines: given 1 pairs"),
    "heads": (lambda: alibi_slopes(0), ShapeError, "heads: given 0"),
    "queries": (lambda: alibi_bias(1, -1, 2), ShapeError, "queries, keys: given -1, 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_argument_is_named(case):
    call, error, start = REFUSED[case]
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(start)
