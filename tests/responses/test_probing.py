"""Further probes of a drill: one at a time, counted, neither hints nor tries; forms with options."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from quiz.accounts.models import User
from quiz.accounts.people import Person
from quiz.exercises.drawing import vary
from quiz.exercises.marking import mark
from quiz.responses.answering import answers_from
from quiz.responses.fields import form_of
from quiz.responses.models import Help, Probe, Response
from quiz.responses.probing import probes_asked, record_probe
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
DRILL = vary("broken_implementation", 3)
URL = "/exercises/broken_implementation/3/"
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def figures(page: str) -> int:
    return page.count('<figure class="facts">')


def test_probes_come_one_at_a_time_and_no_more_than_there_are(candidate: User) -> None:
    person = Person(user=candidate)
    assert probes_asked(person, DRILL) == 0
    for asked in (1, 2, 2):
        record_probe(person, variant=DRILL, now=NOW)
        assert probes_asked(person, DRILL) == asked
    assert list(Probe.objects.values_list("number", flat=True)) == [1, 2]


def test_asking_shows_the_next_probe_and_costs_nothing(client: Client) -> None:
    page = client.get(URL).content.decode()
    assert (figures(page), page.count('value="probe"')) == (4, 1)
    page = client.post(f"{URL}help/", {"help": "probe", "fault": DRILL.right["fault"]}).content.decode()
    assert (figures(page), page.count('value="probe"')) == (5, 1)
    assert page.count("checked") == 1
    page = client.post(f"{URL}help/", {"help": "probe"}).content.decode()
    assert (figures(page), page.count('value="probe"')) == (6, 0)
    page = client.post(f"{URL}answer/", {"fault": DRILL.right["fault"]}, follow=True).content.decode()
    assert figures(page) == 6
    assert Response.objects.get().state == "first"
    assert (Help.objects.count(), Probe.objects.count()) == (0, 2)


def test_probes_of_others_are_not_mine(client: Client) -> None:
    client.post(f"{URL}help/", {"help": "probe"})
    assert figures(Client().get(URL).content.decode()) == 4
    assert figures(client.get(URL).content.decode()) == 5


def test_an_exercise_without_probes_refuses_the_question(client: Client) -> None:
    assert client.post("/exercises/scaled_entry/7/help/", {"help": "probe"}).status_code == 400
    assert Probe.objects.count() == 0


def test_probes_are_taken_along_at_sign_in(client: Client, candidate: User) -> None:
    client.post(f"{URL}help/", {"help": "probe"})
    assert Probe.objects.get().user is None
    client.post(reverse("account_login"), {"login": candidate.username, "password": PASSWORD})
    assert Probe.objects.get().user == candidate
    assert figures(client.get(URL).content.decode()) == 5


def test_the_form_marks_what_was_chosen_once_it_counts() -> None:
    spot = vary("spot_the_line", 5)
    wrong = spot.mistakes["suspected_width"]["line"]
    data = {"line": wrong, "fault": spot.right["fault"]}
    answers = answers_from(spot, data)
    forms = {form.part.name: form for form in form_of(spot, answers, mark(spot, answers))}
    marks = {name: [(o.slug, o.mark) for o in form.options if o.mark] for name, form in forms.items()}
    assert marks == {"line": [(wrong, "wrong")], "fault": [(spot.right["fault"], "right")]}
    assert [o.number for o in forms["line"].options] == list(range(1, len(forms["line"].options) + 1))
    assert all(o.is_chosen == (o.slug == wrong) for o in forms["line"].options)
    half = answers_from(spot, {"line": wrong})
    unread = {form.part.name: form for form in form_of(spot, half, mark(spot, half))}
    assert [o.mark for form in unread.values() for o in form.options if o.mark] == []


def test_lines_are_highlighted_and_escaped() -> None:
    spot = vary("spot_the_line", 5)
    (line,) = [form for form in form_of(spot, {}, None) if form.part.is_listing]
    shown = [option.shown for option in line.options]
    assert 'class="hl-k"' in shown[0]
    cached = next(v for seed in range(80) if (v := vary("spot_the_line", seed)).drawn["listing"] == "cached")
    (line,) = [form for form in form_of(cached, {}, None) if form.part.is_listing]
    assert any("&lt;" in option.shown for option in line.options)
    assert not any("j <" in option.shown for option in line.options)


def test_the_right_options_are_shown_when_they_are_due_and_not_before() -> None:
    spot = vary("spot_the_line", 5)
    for due in (False, True):
        shown = {
            form.part.name: [option.slug for option in form.options if option.is_due]
            for form in form_of(spot, {}, None, due=due)
        }
        assert shown == {name: [right] * due for name, right in spot.right.items()}


def test_giving_up_shows_the_right_line_in_its_place(client: Client) -> None:
    address = "/exercises/spot_the_line/5/"
    assert client.get(address).content.decode().count("is-due") == 0
    page = client.post(f"{address}help/", {"help": "solution"}).content.decode()
    assert page.count("is-due") == page.count("option-due") == 2
