"""training: torch's own losses, the published schedule, and counts by hand."""

import math

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import softmax, training
from attention_core.errors import NumericalError, ShapeError
from tests.core.examples import drawn


def test_inputs_and_labels_are_one_place_apart():
    tokens = np.array([[7, 8, 9], [4, 5, 6]])
    inputs, labels = training.shift_right(tokens, bos=1, eos=2)
    assert inputs.tolist() == [[1, 7, 8, 9], [1, 4, 5, 6]]
    assert labels.tolist() == [[7, 8, 9, 2], [4, 5, 6, 2]]
    assert (inputs[:, 1:] == labels[:, :-1]).all()
    strict = training.shift_right(array_api_strict.asarray(tokens), bos=1, eos=2)
    assert np.array_equal(np.asarray(strict[0]), inputs)
    tensor = training.shift_right(torch.tensor(tokens), bos=1, eos=2)
    assert tensor[1].tolist() == labels.tolist()
    empty = training.shift_right(np.zeros((2, 0), dtype=np.int64), bos=1, eos=2)
    assert [part.tolist() for part in empty] == [[[1], [1]], [[2], [2]]]
    with pytest.raises(ShapeError, match=r"^tokens: given float64"):
        training.shift_right([0.5], bos=1, eos=2)


@given(st.lists(st.integers(0, 9), max_size=6))
def test_supervised_positions_are_counted_without_padding(lengths):
    width = max(lengths, default=0)
    real = np.arange(width) < np.array(lengths, dtype=int)[:, None]
    assert training.supervised_positions(lengths) == int((real[:, 1:] & real[:, :-1]).sum())


def test_the_schedule_of_the_paper():
    def rate(t):
        return training.noam_rate(t, d_model=512, warmup=4000)

    assert [f"{rate(t):.2e}" for t in (1, 1000, 4000, 16000)] == [
        "1.75e-07",
        "1.75e-04",
        "6.99e-04",
        "3.49e-04",
    ]
    assert rate(2000) == pytest.approx(2 * rate(1000))
    assert rate(16000) == pytest.approx(rate(4000) / 2)
    assert max(range(3990, 4011), key=rate) == 4000
    with pytest.raises(NumericalError, match=r"^step: given 0"):
        rate(0)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("ignore", [None, 3])
def test_cross_entropy_is_torchs(epsilon, ignore):
    logits = drawn(1, (4, 6, 5))[0]
    labels = np.random.default_rng(2).integers(0, 5, (4, 6))
    expected = torch.nn.functional.cross_entropy(
        torch.tensor(logits).reshape(24, 5),
        torch.tensor(labels).reshape(24),
        label_smoothing=epsilon,
        ignore_index=-100 if ignore is None else ignore,
    )
    found = training.cross_entropy(logits, labels, epsilon=epsilon, ignore=ignore)
    assert float(found) == pytest.approx(float(expected), abs=1e-12)
    strict = training.cross_entropy(
        array_api_strict.asarray(logits), array_api_strict.asarray(labels), epsilon=epsilon, ignore=ignore
    )
    assert float(strict) == pytest.approx(float(expected), abs=1e-12)


def test_cross_entropy_has_torchs_gradient():
    logits = torch.tensor(drawn(3, (3, 5))[0], requires_grad=True)
    labels = torch.tensor([1, 4, 0])
    (grad,) = torch.autograd.grad(training.cross_entropy(logits, labels, epsilon=0.1), logits)
    wanted = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=0.1)
    torch.testing.assert_close(grad, torch.autograd.grad(wanted, logits)[0], rtol=0, atol=1e-14)


def test_labels_outside_the_classes_may_be_ignored_but_not_learnt():
    logits = np.zeros((2, 3))
    assert float(training.cross_entropy(logits, [-100, 1], ignore=-100)) == pytest.approx(math.log(3))
    with pytest.raises(ShapeError, match=r"^labels: given a label outside"):
        training.cross_entropy(logits, [-100, 1])
    with pytest.raises(ShapeError, match=r"^labels: given only ignored"):
        training.cross_entropy(logits, [-100, -100], ignore=-100)
    with pytest.raises(ShapeError, match=r"^labels: given shape \(3,\)"):
        training.cross_entropy(logits, [0, 1, 2])


def test_the_three_forms_of_label_smoothing():
    forms = {
        "all": [0.02, 0.02, 0.92, 0.02, 0.02],
        "others": [0.025, 0.025, 0.9, 0.025, 0.025],
        "others_but_padding": [0, 0.1 / 3, 0.9, 0.1 / 3, 0.1 / 3],
    }
    for form, expected in forms.items():
        targets = training.smooth_targets([2], classes=5, epsilon=0.1, form=form)
        np.testing.assert_allclose(targets, [expected], atol=1e-15)
        assert targets.sum() == pytest.approx(1)
    padded = training.smooth_targets([0], classes=5, epsilon=0.1, form="others_but_padding")
    assert padded[0, 0] == 0
    with pytest.raises(ShapeError, match=r"^form: given 'paper'"):
        training.smooth_targets([0], classes=5, epsilon=0.1, form="paper")
    with pytest.raises(NumericalError, match=r"^epsilon: given 1"):
        training.smooth_targets([0], classes=5, epsilon=1)


def test_each_form_gives_its_own_loss():
    logits, labels = drawn(4, (1, 5))[0], [2]
    p = softmax(logits)[0]
    for form, y in (("all", [0.04] * 2 + [0.84] + [0.04] * 2), ("others", [0.05] * 2 + [0.8] + [0.05] * 2)):
        loss = training.cross_entropy(logits, labels, epsilon=0.2, form=form)
        assert float(loss) == pytest.approx(-float(np.log(p) @ y))


def test_dropout_keeps_the_mean():
    x = np.full((200, 200), 3.0)
    kept = training.dropout(x, p=0.2, rng=np.random.default_rng(5))
    assert set(np.unique(kept).tolist()) == {0.0, 3.75}
    assert kept.mean() == pytest.approx(3.0, abs=0.03)
    assert np.array_equal(kept, training.dropout(x, p=0.2, rng=np.random.default_rng(5)))


def test_dropout_with_a_given_mask_and_at_evaluation():
    x, keep = np.array([2.0, 4.0]), np.array([True, False])
    assert training.dropout(x, p=0.5, keep=keep).tolist() == [4.0, 0.0]
    assert training.dropout(x, p=0.5).tolist() == [2.0, 4.0]
    tensor = torch.tensor(x, requires_grad=True)
    training.dropout(tensor, p=0.5, rng=np.random.default_rng(6)).sum().backward()
    assert set(tensor.grad.tolist()) <= {0.0, 2.0}
    with pytest.raises(NumericalError, match=r"^p: given 1"):
        training.dropout(x, p=1.0)
    with pytest.raises(ShapeError, match=r"^keep: given shape \(1,\)"):
        training.dropout(x, p=0.5, keep=[True])


def test_perplexity_is_the_geometric_mean_of_one_over_p():
    assert training.perplexity(np.log([0.5, 0.25, 0.125])) == pytest.approx(4)
    assert training.perplexity(np.log(np.full(7, 1 / 50))) == pytest.approx(50)
    for bad in ([], [0.1], [float("nan")]):
        with pytest.raises(NumericalError, match=r"^log_probabilities"):
            training.perplexity(np.array(bad))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9))
def test_perplexity_of_cross_entropy(classes):
    logits, labels = drawn(classes, (6, classes))[0], np.arange(6) % classes
    logs = np.log(softmax(logits)[np.arange(6), labels])
    assert training.perplexity(logs) == pytest.approx(math.exp(float(training.cross_entropy(logits, labels))))
