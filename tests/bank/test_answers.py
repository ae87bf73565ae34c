"""The parts of an answer and of a section, taken apart: each piece stands by itself and knows its names."""

from __future__ import annotations

import pytest

from quiz.bank import chaptering
from quiz.bank.answers import BY_FIELD, faults, items, titled
from quiz.bank.markup import plain, render
from tests.bank.whole import BODY_EN, BODY_ZH, PARTS_EN, PARTS_ZH

LET = "```let\nn = 4\n```"


def test_items_are_the_points_with_all_that_belongs_to_them() -> None:
    text = "- one\n- two\n  goes on\n\n  ```text\n  - no item\n  ```\n\n- three"
    assert [(item.text, item.line) for item in items(text)] == [
        ("one", 1), ("two\ngoes on\n\n```text\n- no item\n```", 2), ("three", 9),
    ]  # fmt: skip


def test_a_name_given_before_a_list_is_known_in_every_item() -> None:
    found = items(f"{LET}\n\n- {{{{ n }}}}\n- $x = {{{{ 2 * n }}}}$")
    assert [plain(item.text) for item in found] == ["4", "x = 8"]


def test_titled_pieces_have_their_title_body_and_line() -> None:
    code = "```python\n## no title\n```"
    text = f"{LET}\n\n## First $x$\n\nA {{{{ n }}}}.\n\n{code}\n\n## Second\n\nB {{{{ n }}}}."
    first, second = titled(text)
    assert (first.title, first.line, second.title, second.line) == ("First $x$", 5, "Second", 13)
    assert plain(first.body) == "A 4.\n## no title"
    assert plain(second.body) == "B 4."


def test_what_a_piece_names_is_known_in_the_next() -> None:
    first, second = titled(f"## A\n\n{LET}\n\n## B\n\n{{{{ n }}}}")
    assert render(first.body) == ""
    assert plain(second.body) == "4"


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("short_answer", "Said.\n\n- so", []),
        ("short_answer", "a\n\n## b", [(3, "no heading stands in a text to be said aloud")]),
        ("minute_answer", "a\n\n```matrix\nx\n```", [(3, "no block stands in a text to be said aloud")]),
        ("minute_answer", f"{LET}\n\n{{{{ n }}}}", []),
        ("full_answer", "### a\n\n```python\n# no heading\n```", []),
        ("full_answer", "#### a", [(1, "headings in here are written ###")]),
        ("bonus_points", "- a", []),
        ("bonus_points", "a\n\n- b", [(1, "only `- items` stand under # bonus points")]),
        ("bonus_points", "- a\n\n```text\nb\n```", [(3, "only `- items` stand under # bonus points")]),
        ("bonus_points", "", [(1, "# bonus points has 0 items; 1 to 4 are needed")]),
        ("follow_ups", "## a\n\nb\n\n## c\n\nd", []),
        ("follow_ups", "## a\n\n### x\n\nb\n\n## c\n\nd", [(3, "headings in here are written ##")]),
        ("sources", "- a\n\n    - deeper", []),
    ],
)
def test_faults_of_a_part(field: str, text: str, expected: list[tuple[int, str]]) -> None:
    assert list(faults(text, BY_FIELD[field])) == expected


@pytest.mark.parametrize(("body", "headings"), [(BODY_ZH, PARTS_ZH), (BODY_EN, PARTS_EN)])
def test_the_parts_of_a_section_have_one_key_in_both_languages(body: str, headings: tuple[str, ...]) -> None:
    pieces = chaptering.pieces(body)
    assert tuple(piece.heading for piece in pieces) == headings
    assert [piece.key for piece in pieces] == [
        "intuition", "formula", "terms", "shapes", "example", "code", "misconceptions",
    ]  # fmt: skip
    assert chaptering.opening(body) == body.split("\n")[0]
    language = "zh-hans" if headings is PARTS_ZH else "en"
    assert list(chaptering.faults(body, language)) == []


def test_what_a_section_names_in_one_part_is_known_in_the_next() -> None:
    body = f"Opening.\n\n## Formula\n\n{LET}\n\n## Shapes\n\n{{{{ n }}}}\n\n## Own heading\n\n{{{{ n + 1 }}}}"
    formula, shapes, own = chaptering.pieces(body)
    assert [plain(piece.body) for piece in (formula, shapes, own)] == ["", "4", "5"]
    assert (own.key, own.heading) == ("", "Own heading")


def test_a_section_without_headings_has_an_opening_alone() -> None:
    assert (chaptering.opening("Text."), chaptering.pieces("Text.")) == ("Text.", ())
    assert chaptering.opening("## Formula\n\nx") == ""
