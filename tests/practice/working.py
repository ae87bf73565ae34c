"""Working through practice sets by plain requests: begin, answer right or wrong, read the strip."""

from __future__ import annotations

import re

from django.test import Client

from quiz.accounts.models import User
from quiz.exercises.drawing import vary
from quiz.exercises.types import Values
from quiz.practice.models import PracticeSet
from tests.responses.typing import form_data, required


def begin(client: Client, kind: str = "section", subject: str = "7.9", **more: str) -> PracticeSet:
    """Begin a set and return its row; where the browser is sent is checked by the tests of that."""
    answer = client.post("/practice/sets/", {"kind": kind, "subject": subject, **more})
    assert answer.status_code == 303, answer.status_code
    found = re.match(r"/practice/sets/(\d+)/", answer.headers["Location"])
    assert found
    return PracticeSet.objects.get(pk=int(found[1]))


def planted(owner: User, *families: str, kind: str = "mixed") -> PracticeSet:
    """A set with chosen families; the seeds are 1, 2, 3, …"""
    items = [{"family": slug, "seeds": [seed]} for seed, slug in enumerate(families, start=1)]
    return PracticeSet.objects.create(user=owner, kind=kind, items=items)


def work(client: Client, practice_set: PracticeSet, position: int, how: str) -> str:
    """Do one place `right`, `wrong` (its first known mistake), after a `hint`, or look at the `solution`.
    Returns the page of the place afterwards."""
    practice_set.refresh_from_db()
    item = practice_set.items[position - 1]
    slug, seed = item["family"], item["seeds"][-1]
    address, back = f"/exercises/{slug}/{seed}/", f"/practice/sets/{practice_set.pk}/{position}/"
    variant = vary(slug, seed)
    if how == "solution":
        client.post(f"{address}help/", {"help": "solution", "back": back})
    else:
        if how == "hint":
            client.post(f"{address}help/", {"help": "1", "back": back})
        values: Values = variant.right
        if how == "wrong":
            values = next(v for v in variant.mistakes.values() if v)
        data = form_data(variant, required(variant, values))
        answer = client.post(f"{address}answer/", {**data, "back": back})
        assert answer.headers["Location"] == f"{back}#verdict"
    return str(client.get(back).content.decode())


def primary(page: str) -> str:
    """Where the dark button of a page leads: an address, or the action of its form."""
    link = re.search(r'<a class="button button-primary" href="([^"]+)"[^>]*data-primary', page)
    if link:
        return link[1]
    form = re.search(r'action="([^"]+)">(?:(?!</form>).)*?data-primary', page, re.DOTALL)
    assert form
    return form[1]


def states(page: str) -> list[str]:
    """The state of each place, from the strip."""
    strip = page.split('class="set-places', 1)[1].split("</ol>")[0]
    return re.findall(r'visually-hidden">, ([^<]+)</span>', strip)
