"""Reading time: by what a text holds, in whole minutes, never none."""

from __future__ import annotations

import pytest

from quiz.bank.reading.duration import HAN_A_MINUTE, WORDS_A_MINUTE, minutes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 1),
        ("字" * HAN_A_MINUTE, 1),
        ("字" * (HAN_A_MINUTE + 1), 2),
        ("word " * (3 * WORDS_A_MINUTE), 3),
        ("字" * HAN_A_MINUTE + " word" * WORDS_A_MINUTE, 2),
        ("$$x$$\n\n" * 8, 2),  # 8 displayed formulas of 8 seconds
        ("```let\n" + "a = 1\n" * 500 + "```", 1),
        ("```text\n" + "a\n" * 40 + "```", 2),
        ("```matrix\nvalue: chapter.A\n```\n\n" * 9, 3),
        ("```correction\n" + "字" * (HAN_A_MINUTE + 1) + "\n```", 2),
    ],
)
def test_minutes(text: str, expected: int) -> None:
    assert minutes(text) == expected
