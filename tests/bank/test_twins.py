"""Both languages side by side: what is built or computed otherwise is named."""

from __future__ import annotations

import pytest

from quiz.bank.twins import differences, live_numbers


@pytest.mark.parametrize(
    ("zh", "en"),
    [
        ("甲 {{ 1 + 1 }}。", "One {{1+1}}."),
        ("$x={{ a | 2 }}$", "$$x={{ a|2 }}$$"),
        ("```matrix\nvalue: a.A\nname: A\nnote: 行\n```", "```matrix\nvalue: a.A\nname: A\nnote: rows\n```"),
        ("```chart\nx: [1, 2]\ntitle: 甲\n```", "```chart\nx: [1,2]\ntitle: One\n```"),
        ("```text\n## 不是\n- 不是\n```", "```text\nno\n```"),
        ("```correction\n{{ 2 }}\n```", "```correction\nSo {{ 2 }}\n```"),
    ],
)  # fmt: skip
def test_these_say_the_same(zh: str, en: str) -> None:
    assert list(differences(zh, en)) == []


@pytest.mark.parametrize(
    ("zh", "en", "expected"),
    [
        ("## 甲\n\n### 乙", "## One", "headings differ: [2, 3] in Chinese, [2] in English"),
        ("- 甲\n- 乙", "- one", "items `- …` differ: 2 in Chinese, 1 in English"),
        ("| a |\n|---|\n| b |", "| a |\n|---|", "table rows differ: 3 in Chinese, 2 in English"),
        ("```python\n1\n```", "", "blocks differ: [python] in Chinese, [] in English"),
        ("{{ 1 }}", "{{ 2 }}", "live number only in the Chinese text: 1"),
        ("{{ 1 }}", "{{ 2 }}", "live number only in the English text: 2"),
        ("{{ 1 }} {{ 1 }} {{ 1 }}", "{{ 1 }}", "live number only in the Chinese text (2×): 1"),
        ("```let\nn = 4\n```", "```let\nn = 5\n```", "live number only in the English text: n=5"),
        ("```matrix\nvalue: a\n```", "```matrix\nvalue: b\n```", "live number only in the English text: b"),
        ("```correction\n{{ 2 }}\n```", "```correction\n```", "live number only in the Chinese text: 2"),
    ],
)
def test_what_differs_is_named(zh: str, en: str, expected: str) -> None:
    assert expected in list(differences(zh, en))


def test_live_numbers_of_a_chart_are_those_of_its_series() -> None:
    series = "series:\n  - name: a\n    value: sqrt(arange(3))\n  - {name: b}"
    chart = f"```chart\ntitle: t\nx: arange(3)\n{series}\n```"
    assert list(live_numbers(chart)) == ["arange(3)", "sqrt(arange(3))"]
