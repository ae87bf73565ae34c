"""faults: every further mistake is its formula in plain NumPy on its probe; pairs, families, symptoms."""

import importlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from attention_core import attention, faults
from attention_core.errors import ShapeError
from attention_core.faults import probing
from attention_core.faults.symptoms import SYMPTOMS, symptoms
from attention_core.pipeline import RIGHT, follow
from tests.core.examples import CONTRAST, arrays
from tests.core.test_faults import CAUSAL, FULL, SEPARATE, hidden, soft

X, W_Q, W_K, W_V = arrays(CONTRAST).values()
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
S = Q @ K.T
Z = S / np.sqrt(2)
SEEN = np.array([True, True, False])  # the probe "padding"
LATE = np.array([False, True, True]) & np.tri(3, dtype=bool)  # the probe "left_padding"


def made(probe):
    return probing.PROBES[probe]()


def zeros_for_nan(weights):
    return np.nan_to_num(weights)


D = made("decode")
W = made("window")
H = made("heads")
G = made("groups")
C = made("cap")
A = made("alibi")
T = made("square_values")
R = made("rotary")
ROW, COLUMN = np.indices((6, 6))
LOWER5 = np.tri(5, dtype=bool)


def capped(scores):
    return 0.5 * np.tanh(scores / 0.5)


def scored(t):
    return t.q @ t.k.swapaxes(-1, -2) / np.sqrt(t.q.shape[-1])


def in_window(allowed):
    return soft(hidden(scored(W), allowed)) @ W.v


def with_bias(factors):
    biased = scored(A) + A.bias * np.array(factors)[:, None, None]
    return soft(hidden(biased, LOWER5)) @ A.v


def turned(x, places, *, angles=(1.0, 0.01), half=False):
    """Every pair by its own rotation matrix."""
    out = x.copy()
    for row, place in enumerate(places):
        for i, angle in enumerate(angles):
            a, b = (i, i + 2) if half else (2 * i, 2 * i + 1)
            c, s = np.cos(place * angle), np.sin(place * angle)
            out[row, a], out[row, b] = x[row, a] * c - x[row, b] * s, x[row, a] * s + x[row, b] * c
    return out


def by_turns(q, k):
    return soft(hidden(q @ k.T / 2, np.tri(2, 30, k=28, dtype=bool))) @ R.v


def rotated(*, query=1, key=1, **how):
    """Query i stands at 28 + i, key j at j; 1 turns forward, −1 backward."""
    q_places, k_places = query * np.arange(28, 30), key * np.arange(30)
    return by_turns(turned(R.q, q_places, **how), turned(R.k, k_places, **how))


def cosine():
    return S / np.linalg.norm(Q, axis=1)[:, None] / np.linalg.norm(K, axis=1)


SLOPES = 2.0 ** -np.array([2.0, 4.0, 6.0, 8.0])  # four heads
ALL_HEADS = (H.q @ H.k.swapaxes(-1, -2)).sum(axis=0) / np.sqrt(6)

FORMULAS = {
    "keys_with_keys": soft(K @ K.T / np.sqrt(2)) @ V,
    "queries_with_queries": soft(Q @ Q.T / np.sqrt(2)) @ V,
    "raw_input_scores": soft(X @ X.T / np.sqrt(2)) @ V,
    "one_big_head": np.stack([soft(ALL_HEADS) @ v for v in H.v]),
    "tiled_groups": soft(G.q @ G.k[[0, 2, 0, 2]].swapaxes(-1, -2) / np.sqrt(2)) @ G.v[[0, 2, 0, 2]],
    "scale_by_sqrt_length": soft(S / np.sqrt(3)) @ V,
    "scale_by_sqrt_heads": soft(scored(H) * np.sqrt(3) / np.sqrt(2)) @ H.v,
    "scale_inverted": soft(S * np.sqrt(2)) @ V,
    "cosine_scores": soft(cosine()) @ V,
    "scaled_weights": soft(S) / np.sqrt(2) @ V,
    "weights_to_a_power": soft(S) ** np.sqrt(2) @ V,
    "cap_ignored": soft(hidden(scored(C), SEEN)) @ C.v,
    "capped_after_mask": soft(capped(hidden(scored(C), SEEN))) @ C.v,
    "unnormalised_shifted": np.exp(Z - Z.max(axis=1, keepdims=True)) @ V,
    "columns_transposed": soft(Z, axis=0).T @ V,
    "linear_shares": Z / Z.sum(axis=1, keepdims=True) @ V,
    "base_two": 2**Z / (2**Z).sum(axis=1, keepdims=True) @ V,
    "log_weights": np.log(soft(Z)) @ V,
    "divided_by_length": Z / np.linalg.norm(Z, axis=1, keepdims=True) @ V,
    "hard_maximum": np.eye(3)[Z.argmax(axis=1)] @ V,
    "sigmoid_weights": 1 / (1 + np.exp(-Z)) @ V,
    "divided_by_maximum": soft(scored(H) / scored(H).max(axis=-1, keepdims=True)) @ H.v,
    "unit_weights": np.ones((3, 3)) @ V,
    "nan_rows": np.vstack([np.full(2, np.nan), soft(hidden(Z, LATE)[1:]) @ V]),
    "mix_with_turned_values": soft(scored(T)) @ T.v.T,
    "other_alignment": soft(hidden(scored(D), np.tri(2, 5, dtype=bool))) @ D.v,
    "inverted_polarity": soft(hidden(Z, ~SEEN)) @ V,
    "query_rows_masked": np.vstack([soft(Z[:2]), np.full(3, 1 / 3)]) @ V,
    "finite_fill": np.vstack([np.full(3, 1 / 3), soft(hidden(Z, LATE)[1:])]) @ V,
    "only_causal": soft(hidden(Z, np.tri(3, dtype=bool))) @ V,
    "only_padding": soft(hidden(Z, np.array([False, True, True]))) @ V,
    "hidden_by_both": soft(hidden(Z, np.array([False, True, True]) | np.tri(3, dtype=bool))) @ V,
    "window_ignored": in_window(COLUMN <= ROW),
    "window_one_wider": in_window((COLUMN <= ROW) & (COLUMN >= ROW - 3)),
    "window_two_sided": in_window(abs(COLUMN - ROW) <= 2),
    "window_without_itself": np.vstack(
        [np.zeros(2), (soft(hidden(scored(W), (COLUMN < ROW) & (COLUMN >= ROW - 2))[1:]) @ W.v)]
    ),
    "bias_ignored": with_bias([0] * 4),
    "bias_sign_flipped": with_bias([-1] * 4),
    "alibi_heads_from_zero": with_bias(2.0 ** -np.array([0, 2, 4, 6]) / SLOPES),
    "alibi_slope_by_head": with_bias(2.0 ** -np.array([1, 2, 3, 4]) / SLOPES),
    "alibi_without_slope": with_bias(1 / SLOPES),
    "not_rotated": by_turns(R.q, R.k),
    "only_queries_rotated": by_turns(turned(R.q, [28, 29]), R.k),
    "positions_added": rotated(key=-1),
    "distance_reversed": rotated(query=-1, key=-1),
    "half_split_pairs": rotated(half=True),
    "angles_in_degrees": rotated(angles=(np.pi / 180, 0.01 * np.pi / 180)),
    "one_angle": rotated(angles=(1.0, 1.0)),
}


def output(*names, probe=None):
    return follow(made(probe or probing.probe_of(names[0])), faults.steps_with(*names)).output


def right(probe):
    return follow(made(probe), probing.right_on(probe)).output


def test_every_mistake_has_a_formula():
    assert set(FORMULAS) | set(FULL) | set(CAUSAL) == set(faults.FAULTS)
    assert not set(FORMULAS) & (set(FULL) | set(CAUSAL))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_mistake_is_its_formula(name):
    np.testing.assert_allclose(output(name), FORMULAS[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", faults.FAULTS)
def test_a_mistake_shows_on_its_probe(name):
    probe = probing.probe_of(name)
    assert probing.differs(output(name), right(probe)) > SEPARATE


def test_the_right_pipeline_on_every_probe():
    for probe, expected in (
        ("contrast", soft(Z) @ V),
        ("causal", soft(hidden(Z, np.tri(3, dtype=bool))) @ V),
        ("padding", soft(hidden(Z, SEEN)) @ V),
        ("decode", soft(hidden(scored(D), np.tri(2, 5, k=3, dtype=bool))) @ D.v),
        ("heads", soft(scored(H)) @ H.v),
        ("groups", soft(G.q @ G.k[[0, 0, 2, 2]].swapaxes(-1, -2) / np.sqrt(2)) @ G.v[[0, 0, 2, 2]]),
        ("cap", soft(hidden(capped(scored(C)), SEEN)) @ C.v),
        ("alibi", with_bias([1] * 4)),
        ("window", in_window((COLUMN <= ROW) & (COLUMN >= ROW - 2))),
        ("rotary", rotated()),
    ):
        np.testing.assert_allclose(right(probe), expected, rtol=0, atol=1e-12, err_msg=probe)


def test_pairs_of_mistakes_show_on_a_probe_of_one_of_them():
    """Every two that can be made at once; the only two that undo each other are declared."""
    silent = set()
    for pair in faults.pairs(faults.FAULTS):
        shown = 0.0
        for probe in {probing.probe_of(name) for name in pair}:
            try:
                with np.errstate(all="ignore"):
                    found = output(*pair, probe=probe)
            except ValueError:  # shapes that do not fit together, or no x: not this probe
                continue
            same = found.shape == right(probe).shape
            with np.errstate(all="ignore"):
                shown = max(shown, probing.differs(found, right(probe)) if same else np.inf)
        if shown <= SEPARATE:
            silent.add(pair)
    assert silent == faults.CANCELLING
    assert sum(1 for _ in faults.pairs(faults.FAULTS)) > 1000


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize(
    ("group", "probe"),
    [
        (faults.SCALED_ENTRY, "contrast"), (faults.SATURATION, "contrast"), (faults.SOFTMAX_ROW, "contrast"),
        (faults.TEMPERATURE, "contrast"), (faults.WEIGHTED_SUM, "square_values"), (faults.TWO_HEADS, "heads"),
        (faults.PADDING_ROW, "padding"), (faults.BOTH_MASKS, "left_padding"),
        (faults.VISIBLE_PAIRS, "window"),
        (faults.NAN_ROWS, "left_padding"), (faults.ALIBI, "alibi"), (faults.ROTARY, "rotary"),
    ],
)  # fmt: skip
def test_the_mistakes_of_a_family_are_told_apart(group, probe):
    if group is faults.SCALED_ENTRY:
        probe = "heads"  # where √n, √h, √d and √E all differ
    outputs = {name: output(name, probe=probe) for name in group}
    for a, b in combinations(outputs, 2):
        if outputs[a].shape == outputs[b].shape:
            assert probing.differs(outputs[a], outputs[b]) > SEPARATE, (a, b)


def test_symptoms_of_the_right_pipeline_are_none():
    assert symptoms(RIGHT) == frozenset()


@pytest.mark.parametrize(
    ("symptom", "fault"),
    [
        ("future_leaks", "sees_one_ahead"), ("past_unseen", "reversed_mask"),
        ("padding_matters", "only_causal"),
        ("masks_do_not_meet", "hidden_by_both"), ("cached_row_differs", "other_alignment"),
        ("window_leaks", "window_ignored"), ("rows_do_not_sum_to_one", "unnormalised"),
        ("negative_weights", "no_softmax"), ("not_finite", "nan_rows"),
        ("unseeing_row_not_zero", "finite_fill"), ("key_order_matters", "causal_applied"),
        ("common_shift_matters", "cosine_scores"), ("outside_the_values", "mix_with_keys"),
        ("queries_do_not_matter", "uniform_weights"),
    ],
)  # fmt: skip
def test_every_symptom_is_shown_by_a_mistake_and_not_by_all(symptom, fault):
    assert symptom in symptoms(faults.steps_with(fault))
    assert symptom not in symptoms(faults.steps_with("no_scale"))


def test_every_symptom_is_tested():
    assert len(SYMPTOMS) == 14
    assert all(act.__doc__ for act in SYMPTOMS.values())


def test_a_mistake_of_the_mask_has_symptoms_of_its_own():
    """The mistakes with a mask that a drill asks for are told apart by what they show."""
    names = (
        "no_mask", "reversed_mask", "diagonal_hidden", "sees_one_ahead", "masked_after_softmax",
        "finite_fill", "only_causal", "only_padding", "hidden_by_both", "nan_rows",
    )  # fmt: skip
    shown = {name: symptoms(faults.steps_with(name)) for name in names}
    assert len(set(shown.values())) == len(names)


def test_broken_is_an_implementation_of_attention():
    q, k, v = Q, K, V
    assert np.array_equal(faults.broken()(q, k, v, causal="top_left"), attention(q, k, v, causal="top_left"))
    np.testing.assert_allclose(faults.broken("no_scale", "mix_with_keys")(q, k, v), soft(S) @ K, atol=1e-12)
    with pytest.raises(ShapeError, match=r"^k: given"):
        faults.broken("no_scale")(q, k[:, :1], v)


def test_dropout_left_on_differs_from_call_to_call():
    fault = faults.dropout_left_on(p=0.5, rng=np.random.default_rng(0))
    t = follow(made("contrast"))
    first, second = fault.replacement(t), fault.replacement(t)
    assert not np.array_equal(first, second)
    assert fault.step == "mix"


def test_the_model_width_is_asked_of_a_trace_that_has_it():
    with pytest.raises(ShapeError, match=r"^x: given no x"):
        faults.broken("raw_input_scores")(Q, K, V)


def in_library(inputs, xp):
    arrays = ("q", "k", "v", "x", "mask", "bias", "visible")
    given = {name: getattr(inputs, name) for name in arrays}
    converted = {name: None if a is None else xp.asarray(np.asarray(a)) for name, a in given.items()}
    return replace(inputs, xp=xp, dtype=converted["q"].dtype, **converted)


@pytest.mark.parametrize("library", ["array_api_strict", "array_api_compat.torch"])
def test_a_mistake_is_the_same_in_every_array_library(library):
    xp = importlib.import_module(library)
    for name in faults.FAULTS:
        inputs = in_library(made(probing.probe_of(name)), xp)
        found = np.asarray(follow(inputs, faults.steps_with(name)).output)
        np.testing.assert_allclose(found, output(name), rtol=0, atol=1e-12, err_msg=name)
