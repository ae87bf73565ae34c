"""The whole chapter and bank in one piece: whole, in one namespace, without need of a site or a network."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from quiz.bank.anchoring import Namespace
from quiz.bank.exporting import exported, styles
from quiz.bank.models import Question, Section
from quiz.bank.volume import volume

SPACE = Namespace(prefix="en", articles={"front", "7.9", "q12", "terms"})


class Reader(HTMLParser):
    """What a file names: ids, references to ids, addresses, tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.wanted: set[str] = set()
        self.addresses: set[str] = set()
        self.tags: Counter[str] = Counter()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            elif name in ("aria-labelledby", "aria-describedby", "for"):
                self.wanted |= set(str(value).split())
            elif name in ("href", "src", "srcset", "data", "action", "poster"):
                self.addresses.add(str(value))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('<h2 id="code">x</h2>', '<h2 id="en-7.9-code">x</h2>'),
        ('<p aria-labelledby="a b">', '<p aria-labelledby="en-7.9-a en-7.9-b">'),
        ('<path marker-end="url(#tip)">', '<path marker-end="url(#en-7.9-tip)">'),
        ('<a href="#code">x</a>', '<a href="#en-7.9-code">x</a>'),
        ('<a class="c" href="/bank/12/#sources">x</a>', '<a class="c" href="#en-q12-sources">x</a>'),
        ('<a href="/chapter/7.9/">x</a>', '<a href="#en-7.9">x</a>'),
        ('<a href="/chapter/">x</a>', '<a href="#en-front">x</a>'),
        ('<a class="term" href="/glossary/#query">x</a>', '<a class="term" href="#en-terms-query">x</a>'),
        ('<a href="/chapter/7.8/">x <b>y</b></a>', "x <b>y</b>"),
        ('<a href="/exercises/kv_cache/">x</a>', "x"),
        ('<a href="https://arxiv.org/abs/1">x</a>', '<a href="https://arxiv.org/abs/1">x</a>'),
        ('<h2>x <a class="anchor no-print" href="#code" data-anchor>#</a></h2>', "<h2>x</h2>"),
        ('<details class="copies" hidden><summary>c</summary></details>y', "y"),
    ],
)
def test_ids_and_links_stay_inside_or_become_words(given: str, expected: str) -> None:
    article = SPACE.article("7.9", given)
    assert article == f'<article id="en-7.9" class="volume-section">\n{expected}\n</article>'


def keep_few() -> None:
    Section.objects.exclude(number__in=["start", "7.9"]).delete()
    Question.objects.exclude(number__in=[12]).delete()


def check(html: str) -> Reader:
    found = Reader(html)
    assert [name for name, count in Counter(found.ids).items() if count > 1] == []
    inside = {address[1:] for address in found.addresses if address.startswith("#")}
    assert sorted((inside | found.wanted) - set(found.ids)) == []
    assert [a for a in found.addresses if not a.startswith(("#", "https://", "http://"))] == []
    assert found.tags.keys() & {"script", "img", "link", "iframe", "form", "button", "input"} == set()
    return found


@pytest.mark.django_db
def test_a_file_of_both_languages_needs_nothing_around_it(bank: None) -> None:
    keep_few()
    html = exported("both")
    found = check(html)
    assert {"zh-7.9", "en-7.9", "zh-q12", "en-q12", "zh-start", "zh-case", "en-terms-softmax"} <= set(
        found.ids
    )
    assert re.findall(r"url\((?!\"data:|#)", html) == []
    assert found.tags["math"] > 100
    assert '<details class="answer" id="zh-q12-full_answer">' in html, "answers are folded"
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in styles()


@pytest.mark.django_db
@pytest.mark.prove
@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_the_whole_bank_is_inside(bank: None, language: str) -> None:
    found = check(exported(language))
    prefix = language[:2]
    numbers = [f"{prefix}-7.{n}" for n in range(1, 25)] + [f"{prefix}-q{n}" for n in range(1, 40)]
    assert [name for name in numbers if name not in found.ids] == []
    assert len(exported(language)) < 4_000_000


@pytest.mark.django_db
def test_the_print_page_has_everything_unfolded(bank: None, client: Client) -> None:
    keep_few()
    html = client.get("/bank/print/").content.decode()
    assert re.findall(r"<details class=\"answer\"(?![^>]* open)[^>]*>", html) == []
    assert html.count('<details class="answer"') > 8
    assert volume("zh-hans", folded=False) in html


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [1, 3])
def test_what_is_taken_along_takes_a_fixed_number_of_queries(
    bank: None, client: Client, rows: int, django_assert_max_num_queries: Any
) -> None:
    Section.objects.exclude(number__in=["7.9", "7.10", "7.11"][:rows]).delete()
    Question.objects.exclude(number__in=[12, 13, 14][:rows]).delete()
    for path, most in (("/bank/print/", 8), ("/bank/export/en.html", 8)):
        with django_assert_max_num_queries(most):
            assert client.get(path).status_code == 200


@pytest.mark.django_db
def test_the_files_are_offered_with_their_sizes_and_sent_as_downloads(bank: None, client: Client) -> None:
    keep_few()
    page = client.get("/bank/export/").content.decode()
    assert re.findall(r'href="(/bank/export/[\w-]+\.html)" download', page) == [
        f"/bank/export/{choice}.html" for choice in ("zh-hans", "en", "both")
    ]
    assert len(re.findall(r"HTML · [\d.]+\s*(?:KB|MB)", page.replace("\xa0", " "))) == 3
    answer = client.get("/bank/export/en.html")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="qkv-en.html"'
    assert answer.content.decode() == exported("en")
    assert client.get("/bank/export/fr.html").status_code == 404


@pytest.mark.django_db
def test_the_command_writes_the_file_and_says_its_size(bank: None, tmp_path: Path, capsys: Any) -> None:
    keep_few()
    path = tmp_path / "bank.html"
    call_command("export_bank", html=path, language="en")
    assert path.read_text(encoding="utf-8") == exported("en")
    assert f"{path.stat().st_size / 1e6:.1f} MB" in capsys.readouterr().out
    with pytest.raises(CommandError, match="nowhere"):
        call_command("export_bank", html=tmp_path / "nowhere" / "x.html")
