"""The about page says what the tests wrote, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from quiz.pages import records
from quiz.version import version
from tests import counted
from tests.core.conformance import counting


def page(client: Client, language: str = "en") -> str:
    html = client.get("/about/", headers={"accept-language": language}).content.decode()
    return str(html.partition("<main")[2].partition("</main>")[0])


def test_the_counts_are_those_that_the_tests_wrote() -> None:
    written = counted.written()
    found = records.separation()
    assert f"**{found.named} of {found.planted}** planted mistakes named" in written
    assert f"**{found.refused} of {found.right}** right answers refused" in written
    assert f"over {found.seeds} seeds of each of {found.families} families" in written
    cells = [" | ".join(row) for table in (records.operators(), records.dispatches()) for row in table.rows]
    assert [cell for cell in cells if f"| {cell} |" not in counting.written()] == []
    cases, passed = counted.conformance()
    assert sum(int(row[1]) for row in records.operators().rows) == cases
    assert sum(int(row[2].split("/")[0]) for row in records.operators().rows) == passed


@pytest.mark.django_db
def test_the_page_shows_every_row_and_asks_no_query(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        html = page(client)
    found = re.findall(r'<tr><th scope="row">([^<]+)</th>', html)
    rows = [row[0] for table in (records.operators(), records.dispatches()) for row in table.rows]
    assert found[: len(rows)] == rows
    assert f'<th scope="row">QKV</th><td class="number">{version()}</td>' in html


@pytest.mark.django_db
def test_how_often_asked_leads_to_the_method(bank: None, client: Client) -> None:
    question = client.get("/bank/12/").content.decode()
    assert '<a href="/about/#frequency">' in question
    assert 'id="frequency"' in page(client, "zh-CN")


def test_a_file_without_its_marks_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "README.md").write_text("nothing")
    monkeypatch.setattr(records, "_ROOT", tmp_path)
    records.separation.cache_clear()
    with pytest.raises(ValueError, match=r"README\.md has lost the marks"):
        records.separation()
