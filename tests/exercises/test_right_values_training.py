"""Training recipes: right values against torch or the formulas written out, mistakes and hand work."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from quiz.exercises.marking import mark_part
from tests.conftest import require
from tests.exercises.drawn import typed, variants

COUNT = 60


def r3(value: float) -> float:
    return round(value, 3)


def test_perplexity_is_the_geometric_mean_of_the_inverses() -> None:
    for variant in variants("perplexity"):
        product = math.prod(Fraction(p).limit_denominator(1000) for p in variant.drawn["probabilities"])
        assert variant.right["perplexity"] == pytest.approx(float(1 / product) ** (1 / 3), rel=1e-12)
        loss = r3(sum(r3(-math.log(p)) for p in variant.drawn["probabilities"]) / 3)
        assert mark_part(variant, "perplexity", typed(r3(math.exp(loss)))).key == "right", variant.seed
    values = variants("perplexity")[0].family.mistakes({"probabilities": [0.5, 0.25, 0.125]})
    assert {slug: value["perplexity"] for slug, value in values.items()} == pytest.approx(
        {
            "summed": 64,
            "mean_of_inverses": 14 / 3,
            "inverse_of_mean": 24 / 7,
            "loss": math.log(4),
            "base_two": 2 ** math.log(4),
        }
    )
    assert values["summed"]["loss"] == pytest.approx(3 * math.log(4))


def test_noam_is_the_warmup_schedule() -> None:
    for variant in variants("noam"):
        t, w, d = (variant.drawn[name] for name in ("step", "warmup", "d_model"))
        assert t < w
        assert variant.right["rate"] == pytest.approx(1e4 * t / (w * math.sqrt(w * d)), rel=1e-12)
        by_hand = t / (w * r3(math.sqrt(w)) * r3(math.sqrt(d))) * 1e4
        assert mark_part(variant, "rate", typed(r3(by_hand))).key == "right", variant.seed
    values = variants("noam")[0].family.mistakes({"step": 1000, "warmup": 4000, "d_model": 400})
    assert {slug: value["rate"] for slug, value in values.items()} == pytest.approx(
        {
            "maximum": 1e4 / math.sqrt(1000) / 20,
            "no_width": 2500 / math.sqrt(4000),
            "width_not_rooted": 2500 / math.sqrt(4000) / 400,
            "only_progress": 2500,
        }
    )


def test_label_smoothing_agrees_with_torch() -> None:
    require("torch")
    import torch

    for variant in variants("label_smoothing")[:COUNT]:
        logits = torch.tensor([variant.drawn["logits"]], dtype=torch.float64)
        label = torch.tensor([variant.drawn["label"]])
        loss = torch.nn.functional.cross_entropy(logits, label, label_smoothing=0.2)
        assert variant.right["loss"] == pytest.approx(float(loss), abs=1e-12)
        logs = torch.log_softmax(logits, dim=-1)[0].tolist()
        assert variant.right["log_probabilities"] == pytest.approx(logs, abs=1e-12)


def test_label_smoothing_mistakes_and_hand_work() -> None:
    values = variants("label_smoothing")[0].family.mistakes({"logits": [0, 1, 2, -1], "label": 1})
    total = math.log(1 + math.e + math.e**2 + 1 / math.e)
    logs = [z - total for z in (0, 1, 2, -1)]
    smoothed = -(0.85 * logs[1] + 0.05 * (logs[0] + logs[2] + logs[3]))
    assert {slug: value["loss"] for slug, value in values.items()} == pytest.approx(
        {
            "not_smoothed": -logs[1],
            "spread_over_others": -(0.8 * logs[1] + 0.2 / 3 * (logs[0] + logs[2] + logs[3])),
            "base_two": smoothed / math.log(2),
            "true_class_only": -0.85 * logs[1],
        }
    )
    for variant in variants("label_smoothing"):
        logits, label = variant.drawn["logits"], variant.drawn["label"]
        total = r3(math.log(r3(sum(r3(math.exp(z)) for z in logits))))
        logs = [r3(z - total) for z in logits]
        share = 0.2 / len(logits)
        answer = -sum(r3((share + 0.8 * (k == label)) * log) for k, log in enumerate(logs))
        assert mark_part(variant, "loss", typed(r3(answer))).key == "right", variant.seed


def test_inverted_dropout_keeps_the_expectation() -> None:
    for variant in variants("inverted_dropout"):
        x, p = variant.drawn["x"], variant.drawn["p"]
        assert (1 - p) * variant.right["kept"] == pytest.approx(x, abs=1e-12)
        assert mark_part(variant, "kept", typed(r3(x / r3(1 - p)))).key == "right"
    values = variants("inverted_dropout")[0].family.mistakes({"x": 3.0, "p": 0.25})
    assert values == {
        "not_rescaled": {"kept": 3.0},
        "multiplied": {"kept": 2.25},
        "divided_by_p": {"kept": 12.0},
    }


def test_shift_right_asks_each_position_for_the_next_token() -> None:
    for variant in variants("shift_right")[:COUNT]:
        bos, eos, tokens = variant.drawn["bos"], variant.drawn["eos"], variant.drawn["tokens"]
        sentence = [bos, *tokens, eos]
        assert variant.right["pair"] == sentence[:-1] + sentence[1:]
        assert variant.raw_mistakes == {
            "not_shifted": {"pair": sentence[1:] * 2},
            "labels_shifted_too": {"pair": sentence[:-1] * 2},
            "reversed": {"pair": sentence[1:] + sentence[:-1]},
        }


def test_supervised_positions_are_the_labels_that_are_no_padding() -> None:
    for variant in variants("supervised_positions")[:COUNT]:
        n, padding = variant.drawn["length"], variant.drawn["padding"]
        batch = [[True] * (n - pad) + [False] * pad for pad in padding]  # True: a real token
        labels = [row[1:] for row in batch]
        real = sum(map(sum, batch))
        assert variant.right["positions"] == sum(map(sum, labels))
        assert variant.raw_mistakes == {
            "padding_counted": {"positions": sum(map(len, labels))},
            "one_each": {"positions": len(batch)},
            "every_token": {"positions": real},
            "masked_share": {"positions": real * 3 // 20},
        }
        assert real % 20 == 0


def test_bpe_pair_count_is_that_of_the_written_out_corpus() -> None:
    for variant in variants("bpe_pair_count"):
        d = variant.drawn
        corpus = [word for word, f in zip(d["words"], d["frequencies"], strict=True) for _ in range(f)]
        assert variant.right["count"] == sum(word.count(d["pair"]) for word in corpus)
        assert [word.count(d["pair"]) for word in d["words"]] == [2, 1, 1, 0]
    drawn = {"pair": "an", "words": ["banana", "ban", "sit"], "frequencies": [3, 2, 4]}
    family = variants("bpe_pair_count")[0].family
    assert family.right(drawn) == {"count": 8}
    assert {slug: value["count"] for slug, value in family.mistakes(drawn).items()} == {
        "once_per_word": 5,
        "types": 3,
        "one_word": 6,
        "all_words": 9,
    }
