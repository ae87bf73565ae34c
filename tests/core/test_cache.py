"""cache: every decoded row is that of the full pass, positions go on counting, writes land in their place."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import attention, cache
from attention_core.cache import Cache
from attention_core.errors import ShapeError
from attention_core.positions import rope
from tests.core.examples import drawn


def chunks(total, sizes):
    start = 0
    for size in sizes:
        stop = min(start + size, total)
        if stop > start:
            yield start, stop
        start = stop


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6), st.booleans(), st.sampled_from([None, 1, 3, 5]),
    st.booleans(),
)  # fmt: skip
def test_prefill_and_decode_in_any_pieces_are_the_full_pass(sizes, turning, window, grouped):
    n, groups = sum(sizes), 2 if grouped else 4
    q, k, v = drawn(1, (2, 4, n, 6), (2, groups, n, 6), (2, groups, n, 3))
    places = np.arange(n)
    turn = (lambda x, at: rope(x, at)) if turning else (lambda x, at: x)
    span = None if window is None else (window - 1, 0)
    full = attention(turn(q, places), turn(k, places), v, causal="top_left", window=span)
    kept, rows = Cache(window=window), []
    for start, stop in chunks(n, sizes):
        at = kept.positions(stop - start)
        assert at.tolist() == list(range(start, stop))
        kept = kept.append(turn(k[..., start:stop, :], at), v[..., start:stop, :])
        rows.append(cache.decode(kept, turn(q[..., start:stop, :], at)))
        assert kept.seen == stop
        if window is not None:
            assert kept.length <= window - 1 + stop - start or start == 0
    np.testing.assert_allclose(np.concatenate(rows, axis=-2), full, rtol=0, atol=1e-12)


def test_a_sliding_cache_keeps_absolute_positions():
    kept = cache.prefill(np.ones((1, 3, 2)), np.ones((1, 3, 2)), window=2)
    for _ in range(4):
        kept = kept.append(np.ones((1, 1, 2)), np.ones((1, 1, 2)))
    assert (kept.length, kept.start, kept.seen) == (2, 5, 7)
    assert kept.positions(2).tolist() == [7, 8]


def test_a_cache_does_not_change():
    first = cache.prefill(np.ones((1, 2, 2)), np.ones((1, 2, 2)))
    second = first.append(np.zeros((1, 1, 2)), np.zeros((1, 1, 2)))
    assert (first.length, second.length) == (2, 3)


def test_the_position_of_a_decoded_token_matters():
    """Rotating a new token as if the cache were empty gives another row: what a wrong counter looks like."""
    q, k, v = drawn(2, (1, 5, 4), (1, 5, 4), (1, 5, 2))
    kept = cache.prefill(rope(k, np.arange(5)), v)
    right = cache.decode(kept, rope(q[:, -1:], [4]))
    np.testing.assert_allclose(
        right,
        attention(rope(q, np.arange(5)), rope(k, np.arange(5)), v, causal="top_left")[:, -1:],
        atol=1e-12,
    )
    for wrong in (0, 3, 5):
        assert np.abs(cache.decode(kept, rope(q[:, -1:], [wrong])) - right).max() > 1e-3


def test_scale_and_cap_reach_attention():
    q, k, v = drawn(3, (2, 1, 4), (2, 3, 4), (2, 3, 2))
    assert np.array_equal(
        cache.decode(cache.prefill(k, v), q, scale=2.0, softcap=3.0),
        attention(q, k, v, scale=2.0, softcap=3.0),
    )


def test_caches_refuse_what_does_not_fit():
    kept = cache.prefill(np.ones((2, 3, 4)), np.ones((2, 3, 4)))
    with pytest.raises(ShapeError, match=r"^k: given shape \(3, 1, 4\)"):
        kept.append(np.ones((3, 1, 4)), np.ones((3, 1, 4)))
    with pytest.raises(ShapeError, match=r"^v: given shape \(2, 2, 4\)"):
        kept.append(np.ones((2, 1, 4)), np.ones((2, 2, 4)))
    with pytest.raises(ShapeError, match=r"^q: given shape \(2, 4, 4\); expected .* 3 tokens kept"):
        cache.decode(kept, np.ones((2, 4, 4)))
    with pytest.raises(ShapeError, match=r"^window: given 0"):
        Cache(window=0)


def slow_write(buffer, update, positions, mode):
    """The definition, one row at a time."""
    out = buffer.copy()
    for b, start in enumerate(positions):
        for t in range(update.shape[-2]):
            place = start + t if mode == "linear" else (start + t) % buffer.shape[-2]
            out[b, ..., place, :] = update[b, ..., t, :]
    return out


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_writing_is_its_definition(data):
    size = data.draw(st.integers(1, 6))
    count = data.draw(st.integers(0, size))
    mode = data.draw(st.sampled_from(["linear", "circular"]))
    limit = size - count if mode == "linear" else 3 * size
    positions = data.draw(st.lists(st.integers(0, limit), min_size=2, max_size=2))
    buffer, update = drawn(4, (2, 3, size, 2), (2, 3, count, 2))
    before = buffer.copy()
    written = cache.write(buffer, update, positions, mode=mode)
    assert np.array_equal(written, slow_write(buffer, update, positions, mode))
    assert np.array_equal(buffer, before)
    strict = cache.write(*(array_api_strict.asarray(x) for x in (buffer, update)), positions, mode=mode)
    assert np.array_equal(np.asarray(strict), written)


def test_a_ring_buffer_holds_the_window():
    """Writing token t at t mod W keeps the last W tokens, whatever their order."""
    ring = np.zeros((1, 3, 1))
    for t in range(8):
        ring = cache.write(ring, np.full((1, 1, 1), t), t, mode="circular")
    assert sorted(ring[0, :, 0].tolist()) == [5.0, 6.0, 7.0]


@pytest.mark.parametrize(
    ("update", "positions", "mode", "argument"),
    [
        (np.ones((2, 4, 1)), [0, 0], "linear", "update"),
        (np.ones((2, 2, 2)), [0, 0], "linear", "update"),
        (np.ones((2, 2, 1)), [0, 2], "linear", "positions"),
        (np.ones((2, 2, 1)), [-1, 0], "circular", "positions"),
        (np.ones((2, 2, 1)), [0, 0, 0], "linear", "positions"),
        (np.ones((2, 2, 1)), [0.5, 0], "linear", "positions"),
        (np.ones((2, 2, 1)), [0, 0], "ring", "mode"),
    ],
)
def test_a_write_that_does_not_fit_is_refused(update, positions, mode, argument):
    with pytest.raises(ShapeError) as refusal:
        cache.write(np.zeros((2, 3, 1)), update, positions, mode=mode)
    assert refusal.value.argument == argument
