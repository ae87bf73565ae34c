"""Fault drills: the right implementation has no symptom, every mistake its own, and two at once both show."""

import math
from itertools import combinations

import numpy as np
import pytest

from attention_core import attention, drills, faults
from attention_core.drills.probe import apart


def bare(q, k, v, *, mask=None, bias=None, causal=None, window=None, scale=None, softcap=None):
    """Attention written from its definition, a query at a time, with nothing of attention_core."""
    heads = q.shape[:-2]
    k, v = (np.repeat(x, heads[0] // x.shape[0], axis=0) if heads else x for x in (k, v))
    output = np.zeros((*q.shape[:-1], v.shape[-1]))
    queries, keys = q.shape[-2], k.shape[-2]
    offset = keys - queries if causal == "bottom_right" else 0
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    mask = np.ones((queries, keys), dtype=bool) if mask is None else np.broadcast_to(mask, (queries, keys))
    for index in np.ndindex(*heads):
        for i in range(queries):
            seen = [
                j
                for j in range(keys)
                if mask[i, j]
                and (causal is None or j <= i + offset)
                and (window is None or i + offset - window[0] <= j <= i + offset + window[1])
            ]
            if not seen:
                continue
            scores = np.array([float(q[index][i] @ k[index][j]) * scale for j in seen])
            scores = scores if softcap is None else softcap * np.tanh(scores / softcap)
            scores = scores if bias is None else scores + np.broadcast_to(bias, (queries, keys))[i, seen]
            weights = np.exp(scores - scores.max())
            output[index][i] = (weights / weights.sum()) @ v[index][seen]
    return output


@pytest.mark.parametrize("right", [attention, bare], ids=["attention", "from the definition"])
def test_a_right_implementation_has_no_symptom(right):
    assert drills.symptoms(right) == frozenset()


def test_every_mistake_has_symptoms_that_no_other_has():
    table = drills.table()
    assert tuple(table) == drills.DRILLED
    assert all(table.values())
    assert len(set(table.values())) == len(drills.DRILLED)


def test_every_probe_finds_some_mistake():
    seen = frozenset().union(*drills.table().values())
    assert seen - {"shapes_do_not_fit"} == set(drills.PROBES)


KNOWN = {
    "dropout_left_on": {"two_calls_differ"},
    "sees_one_ahead": {"next_token_leaks"},
    "no_scale": {"too_sharp", "scale_argument_does_nothing"},
    "finite_fill": {"unseeing_row_not_zero"},
    "nan_rows": {"not_a_number", "unseeing_row_not_zero"},
    "other_alignment": {"cached_row_differs"},
    "tiled_groups": {"groups_meet_other_heads"},
    "window_one_wider": {"window_one_too_wide"},
    "bias_sign_flipped": {"bias_reversed"},
    "unnormalised_shifted": {
        "rows_do_not_sum_to_one",
        "visible_weights_do_not_sum_to_one",
        "outside_the_values",
    },
    "hidden_by_both": {"padding_leaks_beside_causal", "future_leaks_beside_padding"},
}


@pytest.mark.parametrize("name", KNOWN)
def test_symptoms_are_those_that_the_mistake_must_have(name):
    assert drills.table()[name] == KNOWN[name]


def test_the_named_kinds_of_symptom_are_found():
    table = drills.table()
    assert "padded_queries_unlike" in table["no_mask"]
    assert "hidden_values_leak" in table["no_mask"]
    assert "distant_future_leaks" in table["reversed_mask"]
    assert "key_order_matters" in table["causal_applied"]
    assert "other_queries_matter" in table["softmax_over_columns"]
    # Hidden scores set to 0: what the hidden keys are does not matter, what their values are does.
    assert "hidden_keys_leak" not in table["filled_with_zero"]
    assert "hidden_values_leak" in table["filled_with_zero"]
    # Masked after the softmax: the hidden values are out, the hidden keys are still in the denominator.
    assert "hidden_keys_leak" in table["masked_after_softmax"]
    assert "hidden_values_leak" not in table["masked_after_softmax"]


def test_a_probe_shows_its_outputs():
    probe = drills.PROBES["next_token_leaks"]
    broken, right = (probe.outputs(f) for f in (drills.implementation("sees_one_ahead"), attention))
    assert apart(broken[0][1], broken[1][1])
    assert not apart(right[0][1], right[1][1])
    assert not apart(broken[0][0], broken[1][0])  # row 0 may see token 1, not token 2


def test_two_mistakes_show_both():
    assert drills.both_show("no_scale", "sees_one_ahead")
    pair = drills.drill("no_scale", "sees_one_ahead")
    assert pair.symptoms == drills.table()["no_scale"] | drills.table()["sees_one_ahead"]
    assert not drills.both_show("no_scale", "no_scale")
    assert not drills.both_show("no_mask", "sees_one_ahead")  # both change the mask
    assert not drills.both_show("no_scale", drills.DROPOUT)


def test_drawing_is_repeatable_and_draws_what_shows():
    first, again = (drills.draw(np.random.default_rng(7), mistakes=2) for _ in range(2))
    assert first.names == again.names
    for seed in range(5):
        drawn = drills.draw(np.random.default_rng(seed), mistakes=2)
        one, two = (drills.table()[name] for name in drawn.names)
        assert drawn.symptoms >= one | two
        assert drawn.symptoms == drills.symptoms(drawn.attend)
    singles = {drills.draw(np.random.default_rng(seed)).names for seed in range(30)}
    assert len(singles) > 15
    assert all(len(names) == 1 for names in singles)
    with pytest.raises(ValueError, match=r"^mistakes: given 3; expected 1 or 2$"):
        drills.draw(np.random.default_rng(0), mistakes=3)


def test_dropout_is_refused_beside_a_mistake_of_the_same_step():
    with pytest.raises(ValueError, match="both change mix"):
        drills.implementation(drills.DROPOUT, "mix_with_keys")
    noisy = drills.implementation(drills.DROPOUT, "no_scale", seed=3)
    assert drills.symptoms(noisy) == {"two_calls_differ"}


@pytest.mark.prove
def test_every_pair_that_is_drawn_can_be_told_from_every_other():
    seen = {symptoms: (name,) for name, symptoms in drills.table().items()}
    pairs = [pair for pair in combinations(drills.DRILLED, 2) if drills.both_show(*pair)]
    assert len(pairs) > 300
    assert not set(pairs) & set(faults.CANCELLING)
    for pair in pairs:
        symptoms = drills.drill(*pair).symptoms
        assert symptoms not in seen, (pair, seen[symptoms])
        seen[symptoms] = pair
