"""Addresses that answer htmx with a part of a page say so, lest a cache show the part for the page."""

from __future__ import annotations

from typing import Any

import pytest
from django.http.request import HttpHeaders
from django.test import Client

from tests.test_permissions import TABLE, WHO, WHOLE
from tests.test_permissions import everyone as everyone  # fixtures
from tests.test_permissions import places as places

pytestmark = pytest.mark.django_db

READ = {
    name: (path, WHO[statuses.index(min(statuses))])
    for name, (method, path, statuses) in TABLE.items()
    if method == "get" and name not in WHOLE
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The headers of htmx that somebody has looked at."""
    seen: set[str] = set()
    get = HttpHeaders.__getitem__

    def spied(headers: HttpHeaders, name: str) -> Any:
        if name.lower().startswith("hx-"):
            seen.add(name.lower())
        return get(headers, name)

    monkeypatch.setattr(HttpHeaders, "__getitem__", spied)
    return seen


def test_what_an_answer_depends_on_is_in_vary(
    asked: set[str], everyone: dict[str, Client], places: dict[str, Any]
) -> None:
    depends: dict[str, set[str]] = {}
    untold: dict[str, set[str]] = {}
    for name, (path, who) in READ.items():
        asked.clear()
        answer = everyone[who].get(path.format(**places))
        if asked:
            told = {part.strip().lower() for part in answer.headers.get("Vary", "").split(",")}
            depends[name] = set(asked)
            untold[name] = asked - told
    assert {name: headers for name, headers in untold.items() if headers} == {}
    assert depends["bank:index"] == depends["bank:search"] == {"hx-target"}
