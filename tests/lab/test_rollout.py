"""The reading of a kernel's rollout: a ratio of medians is doubted where the quartiles overlap."""

from __future__ import annotations

from typing import Any

import pytest

from quiz.lab import demos
from quiz.lab.outcomes import Outcome
from quiz.lab.results import Row
from tests.lab.planted import row

ROLLOUT = demos.get("rollout")
DOUBT = "Its quartiles overlap with the old one's: the medians do not tell them apart."


def point(new: tuple[float, ...], old: tuple[float, ...]) -> Row:
    """A passed point whose latencies have these quartiles."""
    figures: dict[str, Any] = {"allowed_error": 1e-6, "new_error_max": 4e-7, "old_error_max": 5e-7}
    for which, values in (("new", new), ("old", old)):
        for percent, value in zip((25, 50, 75), values, strict=True):
            figures[f"{which}_p{percent}_ms"] = value
        figures[f"{which}_p99_ms"] = 2 * values[-1]
    planted = row("flash", 1, {"outcome": "measured", **figures})
    configuration = {**ROLLOUT.points(ROLLOUT.presets[0].parameters)[0], "device": "cpu"}
    return Row(
        position=0, attempt=1, configuration=configuration, outcome=Outcome.MEASURED,
        measurement=figures, measured_at=planted.measured_at, demo=ROLLOUT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("new", "old", "doubted"),
    [
        ((1.0, 2.0, 3.0), (2.5, 4.0, 5.0), True),
        ((1.0, 2.0, 3.0), (3.5, 4.0, 5.0), False),
        ((6.0, 8.0, 9.0), (3.5, 4.0, 5.0), False),
    ],
)
def test_a_ratio_is_doubted_where_the_quartiles_overlap(
    new: tuple[float, ...], old: tuple[float, ...], doubted: bool
) -> None:
    look = ROLLOUT.insight([point(new, old)]).look
    ratio = {2.0: "2", 8.0: "0.5"}[new[1]]
    assert f"Old time over new: {ratio} at the median" in look[0]
    assert (look[1:] == (DOUBT,)) is doubted


def test_a_run_that_kept_no_quartiles_is_not_doubted() -> None:
    kept = point((1.0, 2.0, 3.0), (2.5, 4.0, 5.0))
    for name in ("new_p25_ms", "old_p75_ms"):
        del kept.measurement[name]
    assert len(ROLLOUT.insight([kept]).look) == 1
