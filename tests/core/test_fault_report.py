"""The fault drill's report: its numbers by other means, always the same, refused by name."""

import json
from typing import Any

import numpy as np
import pytest

from attention_core import drills, fault_report
from attention_core.errors import ShapeError
from attention_core.fault_report import CHECKS, FAULTS, Configuration, measure
from attention_core.pipeline import RIGHT


def inputs(tokens: int = 6, width: int = 64) -> Any:
    return np.random.default_rng(0).standard_normal((3, tokens, width))


def softmax(scores: Any, axis: int = -1) -> Any:
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def test_a_reversed_mask_sees_the_future() -> None:
    found = measure(Configuration("reversed_mask"))
    q, k, _ = inputs()
    weights = softmax(np.where(np.triu(np.ones((6, 6))) > 0, q @ k.T / 8, -np.inf))
    assert found["symptom_right"] == found["check_right"] == 0
    assert found["symptom_broken"] == pytest.approx(np.triu(weights, 1).sum() / 6)
    assert found["check_broken"] > 0.1
    assert np.allclose(found["weights_broken"], weights)


def test_a_missing_scale_spreads_the_scores_by_the_root_of_the_width() -> None:
    found = measure(Configuration("no_scale"))
    q, k, _ = inputs()
    assert found["check_right"] == pytest.approx((q @ k.T / 8).std())
    assert found["check_broken"] == pytest.approx(8 * found["check_right"])
    assert found["symptom_broken"] == pytest.approx(softmax(q @ k.T).max(axis=-1).mean())
    assert found["symptom_right"] < 0.6 < found["symptom_broken"]


def test_the_wrong_axis_leaves_rows_that_do_not_sum_to_one() -> None:
    found = measure(Configuration("softmax_over_columns"))
    q, k, _ = inputs()
    sums = softmax(q @ k.T / 8, axis=0).sum(axis=-1)
    assert found["symptom_broken"] == pytest.approx(sums.max())
    assert found["check_broken"] == pytest.approx(np.abs(sums - 1).max())
    assert (found["symptom_right"], found["check_right"]) == (pytest.approx(1), 0)


def test_a_fully_masked_row_spoils_its_width_and_then_every_row() -> None:
    found = measure(Configuration("nan_rows", tokens=5, width=16))
    assert (found["check_right"], found["check_broken"]) == (0, 16)
    assert (found["symptom_right"], found["symptom_broken"]) == (0, 5)
    assert found["weights_right"][1] == [0.0] * 5


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("width", [4, 64])
@pytest.mark.parametrize("seed", range(5))
def test_every_check_tells_right_from_broken_and_so_do_the_drills(fault: str, width: int, seed: int) -> None:
    configuration = Configuration(fault, width=width, seed=seed)
    found = measure(configuration)
    assert found["outcome"] == "measured"
    assert found == measure(configuration) or fault == "nan_rows"  # NaN is not equal to itself
    assert set(found["caught_by"].split(", ")) == drills.table()[fault]
    assert not any(name.endswith("_ms") for name in found)


def test_a_check_that_catches_nothing_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    blind = {**CHECKS, "no_scale": lambda steps, configuration: CHECKS["no_scale"](RIGHT, configuration)}
    monkeypatch.setattr(fault_report, "CHECKS", blind)
    assert measure(Configuration("no_scale"))["outcome"] == "wrong"


@pytest.mark.parametrize(
    "changes", [{"fault": "none"}, {"tokens": 2}, {"tokens": 13}, {"width": 1}, {"seed": -1}]
)
def test_what_cannot_be_shown_is_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match=next(iter(changes))):
        Configuration(**{"fault": "no_scale", **changes})


def test_the_command_prints_json_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    assert fault_report.main(["--json", '{"fault": "nan_rows", "tokens": 3}']) == 0
    told = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert told["weights_broken"][1] == [None, None, None]
    assert told["difference"] is None
