"""What attention must satisfy whatever the numbers are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import attention, trace
from tests.core.examples import drawn

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 8)
quick = settings(max_examples=50, deadline=None)


@quick
@given(seeds, sizes, sizes)
def test_weights_are_not_negative_and_rows_sum_to_one_or_nought(seed, queries, keys):
    q, k, v, chance = drawn(seed, (queries, 3), (keys, 3), (keys, 2), (queries, keys))
    mask = chance > 0
    weights = trace(q, k, v, mask=mask).weights
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), mask.any(-1), rtol=0, atol=1e-12)
    assert (weights[~mask] == 0).all()


@quick
@given(seeds, sizes)
def test_permuting_the_tokens_permutes_the_output(seed, length):
    q, k, v = drawn(seed, (length, 3), (length, 3), (length, 2))
    order = np.random.default_rng(seed).permutation(length)
    np.testing.assert_allclose(
        attention(q[order], k[order], v[order]), attention(q, k, v)[order], rtol=0, atol=1e-12
    )


@quick
@given(seeds, sizes, sizes)
def test_outputs_lie_between_the_values(seed, queries, keys):
    q, k, v = drawn(seed, (queries, 3), (keys, 3), (keys, 4))
    output = attention(q, k, v)
    assert (output <= v.max(0) + 1e-12).all()
    assert (output >= v.min(0) - 1e-12).all()


@quick
@given(seeds, sizes, st.integers(1, 5))
def test_a_causal_output_does_not_depend_on_the_future(seed, before, after):
    length = before + after
    q, k, v, noise = drawn(seed, (length, 3), (length, 3), (length, 2), (after, 3))
    whole = attention(q, k, v, causal="top_left")
    k[before:] += noise
    v[before:] += 7.0
    assert (attention(q, k, v, causal="top_left")[:before] == whole[:before]).all()


@quick
@given(seeds, sizes, sizes)
def test_a_key_moved_by_the_same_amount_for_all_changes_nothing(seed, queries, keys):
    """Adding one vector to every key adds one number to each row of scores, which softmax does not see."""
    q, k, v, shift = drawn(seed, (queries, 3), (keys, 3), (keys, 2), (1, 3))
    np.testing.assert_allclose(attention(q, k + shift, v), attention(q, k, v), rtol=0, atol=1e-11)


@quick
@given(seeds, sizes, st.integers(1, 4))
def test_hidden_keys_are_as_good_as_absent(seed, keys, hidden):
    q, k, v = drawn(seed, (3, 2), (keys + hidden, 2), (keys + hidden, 2))
    mask = np.arange(keys + hidden) < keys
    np.testing.assert_allclose(
        attention(q, k, v, mask=mask), attention(q, k[:keys], v[:keys]), rtol=0, atol=1e-14
    )
