"""Every link inside the site that a text makes leads to a page that is there, every anchor to its place."""

from __future__ import annotations

import re
from functools import cache

import pytest
from django.test import Client

from quiz.bank.glossary import ADDRESS, glossary
from quiz.bank.links import Known, addresses, dead
from quiz.bank.scanning import scan
from tests.bank.content_files import File, all_files

FILES = all_files()
NO_FAMILY = "the exercise family no does not exist"
KNOWN = Known(sections={"7.1"}, questions={1}, families={"kv_cache"})


def linked(file: File) -> set[str]:
    """The addresses of this site in a text: those written out, and those of its terms."""
    terms = {f"{ADDRESS}#{piece.content}" for piece in scan(file.body) if piece.kind == "term"}
    return {address for _, address in addresses(file.body)} | terms


@pytest.mark.django_db
def test_no_link_of_the_content_is_dead(client: Client, bank: None) -> None:
    @cache
    def page(address: str) -> tuple[int, frozenset[str]]:
        answer = client.get(address, follow=True)
        return answer.status_code, frozenset(re.findall(r'\bid="([^"]+)"', answer.content.decode()))

    dead_ones = []
    for file in FILES:
        for address in sorted(linked(file)):
            path, _, anchor = address.partition("#")
            status, ids = page(path)
            if status != 200 or (anchor and anchor not in ids):
                dead_ones.append(f"{file.path.name}: {address}")
    assert dead_ones == []


@pytest.mark.django_db
def test_every_page_of_the_chapter_and_the_bank_links_to_what_is_there(client: Client, bank: None) -> None:
    """Also what the templates add: neighbours, exercises, contents, anchors within the page."""
    asked: dict[str, int] = {}
    broken = []
    for address in [
        "/chapter/start/",
        *(f"/chapter/7.{n}/" for n in range(1, 25)),
        *(f"/bank/{n}/" for n in range(1, 40)),
    ]:
        html = client.get(address).content.decode()
        ids = set(re.findall(r'\bid="([^"]+)"', html))
        main = html[html.index("<main") : html.index("</main>")]
        for target in set(re.findall(r'<a\b[^>]*\bhref="([^"]+)"', main)):
            if target.startswith("http"):
                continue
            path, _, anchor = target.partition("#")
            if not path:
                broken += [f"{address} {target}"] if anchor and anchor not in ids else []
            elif path not in asked:
                asked[path] = client.get(path, follow=True).status_code
            if path and asked[path] != 200:
                broken.append(f"{address} {target}")
    assert broken == []
    assert len(asked) > 60


def test_terms_are_linked_and_all_known() -> None:
    used = {piece.content for file in FILES for piece in scan(file.body) if piece.kind == "term"}
    assert used - set(glossary()) == set()
    assert len(used) > 60


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](/chapter/7.1/) [b](/bank/1/#x) [c](/exercises/kv_cache/) [e](https://a.b/bank/9/)", []),
        ("a\n\n[b](/bank/9/)", [(3, "the link /bank/9/ leads nowhere: the question 9 does not exist")]),
        ("[b](/chapter/8.1/)", [(1, "the link /chapter/8.1/ leads nowhere: the section 8.1 does not exist")]),
        ("[b](/exercises/no/)", [(1, f"the link /exercises/no/ leads nowhere: {NO_FAMILY}")]),
        ("```text\n[b](/bank/9/)\n```", []),
    ],
)  # fmt: skip
def test_a_dead_link_is_told_before_there_is_a_page(text: str, expected: list[tuple[int, str]]) -> None:
    assert list(dead(text, KNOWN)) == expected
