"""Rotary embeddings as published models compute them: by tables, with halves or neighbours swapped."""

import numpy as np
import pytest

from attention_core import rope
from tests.core.examples import drawn


def llama(x, position_ids, *, base=10000.0, head_axis=1):
    """Half-split: a table of each angle twice, side by side; the halves change places and one its sign."""
    width = x.shape[-1]
    frequencies = 1.0 / base ** (np.arange(0, width, 2) / width)
    angles = position_ids[..., None] * frequencies
    table = np.expand_dims(np.concatenate([angles, angles], axis=-1), head_axis)
    swapped = np.concatenate([-x[..., width // 2 :], x[..., : width // 2]], axis=-1)
    return x * np.cos(table) + swapped * np.sin(table)


def gpt_j(x, position_ids, *, base=10000.0, head_axis=1):
    """Interleaved: a table of each angle twice in a row; neighbours change places and one its sign."""
    width = x.shape[-1]
    frequencies = 1.0 / base ** (np.arange(0, width, 2) / width)
    table = np.expand_dims(np.repeat(position_ids[..., None] * frequencies, 2, axis=-1), head_axis)
    swapped = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return x * np.cos(table) + swapped * np.sin(table)


def partial(whole, x, position_ids, *, rotary_dim, **options):
    turned = whole(x[..., :rotary_dim], position_ids, **options)
    return np.concatenate([turned, x[..., rotary_dim:]], axis=-1)


LEFT_PADDED = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])  # cumsum of the attention mask − 1, pads at 0
CACHED = np.array([[17], [9]])  # one decoding step of two sequences that have come differently far
FAR = np.array([[4095, 4096, 4097, 8190, 100_000]])


@pytest.mark.parametrize("place", [LEFT_PADDED, CACHED, FAR], ids=["left_padded", "cached", "far"])
@pytest.mark.parametrize(("whole", "interleaved"), [(llama, False), (gpt_j, True)])
@pytest.mark.parametrize("base", [10000.0, 500_000.0])
def test_whole_heads(place, whole, interleaved, base):
    (x,) = drawn(1, (len(place), 3, place.shape[1], 8))
    ours = rope(x, place, base=base, interleaved=interleaved)
    np.testing.assert_allclose(ours, whole(x, place, base=base), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("whole", "interleaved"), [(llama, False), (gpt_j, True)])
@pytest.mark.parametrize("rotary_dim", [2, 4, 6])
def test_partial_heads_take_their_frequencies_from_the_part(whole, interleaved, rotary_dim):
    """GPT-NeoX and Phi (half-split), GPT-J (interleaved): exponents over rotary_dim, not the width."""
    (x,) = drawn(2, (2, 3, 5, 8))
    ours = rope(x, LEFT_PADDED, interleaved=interleaved, rotary_dim=rotary_dim)
    theirs = partial(whole, x, LEFT_PADDED, rotary_dim=rotary_dim)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)
    assert ours[..., rotary_dim:].tolist() == x[..., rotary_dim:].tolist()


def test_heads_after_the_length_axis():
    """Some models turn (B, n, H, D): positions then need an axis for the heads."""
    (x,) = drawn(3, (2, 5, 3, 8))
    ours = rope(np.swapaxes(x, 1, 2), LEFT_PADDED)
    np.testing.assert_allclose(
        np.swapaxes(ours, 1, 2), llama(x, LEFT_PADDED, head_axis=2), rtol=0, atol=1e-13
    )


def test_converted_weights_give_the_same_scores():
    """Columns of W_Q and W_K reordered (even ones first) turn interleaved weights into half-split ones."""
    x, w_q, w_k = drawn(4, (6, 16), (16, 8), (16, 8))
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    places = np.arange(6)
    right = rope(x @ w_q, places, interleaved=True) @ rope(x @ w_k, places, interleaved=True).T
    converted = rope(x @ w_q[:, order], places) @ rope(x @ w_k[:, order], places).T
    np.testing.assert_allclose(converted, right, rtol=0, atol=1e-12)
    unconverted = rope(x @ w_q, places) @ rope(x @ w_k, places).T
    assert np.abs(unconverted - right).max() > 1.0
    assert np.abs(np.diag(unconverted) - np.diag(right)).max() < 1e-12  # at distance 0 nothing shows


def test_a_decoding_step_is_the_last_row_of_the_full_pass():
    (x,) = drawn(5, (1, 2, 7, 8))
    full = rope(x, range(7))
    assert rope(x[:, :, 6:], [6]).tolist() == full[:, :, 6:].tolist()
    for wrong in (5, 7, 0):  # an off-by-one, or a counter that starts again
        assert np.abs(rope(x[:, :, 6:], [wrong]) - full[:, :, 6:]).max() > 0.1
