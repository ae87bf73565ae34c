"""The one write path: what is stored, what counts, and that a stored draw is what is marked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person
from quiz.exercises.drawing import vary
from quiz.exercises.marking import MARKING_VERSION
from quiz.exercises.variants import Variant
from quiz.responses.answering import answers_from
from quiz.responses.keeping import open_variant
from quiz.responses.models import Help, Response, State
from quiz.responses.models import Variant as StoredVariant
from quiz.responses.recording import record, record_help
from quiz.responses.revealing import solution_of
from quiz.responses.standing import Reveal, Standing, standing_of
from quiz.responses.storing import verdict_of
from tests.responses.typing import form_data

NOW = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
ENTRY = vary("scaled_entry", 7)


@pytest.fixture
def person(candidate: User) -> Person:
    return Person(user=candidate)


def hand_in(person: Person, text: str, *, minute: int = 0, variant: Variant = ENTRY) -> Response:
    return record(person, variant=variant, raw={"scaled": text}, now=NOW + timedelta(minutes=minute))


def right() -> str:
    return f"{ENTRY.right['scaled']:.4f}"


def wrong(slug: str = "no_scale") -> str:
    return f"{ENTRY.mistakes[slug]['scaled']:.4f}"


def standing(person: Person) -> Standing:
    return standing_of(person, family=ENTRY.family.slug, seed=ENTRY.seed, version=ENTRY.version)


def test_stores_the_draw_the_text_and_the_verdict(person: Person) -> None:
    response = hand_in(person, wrong())
    stored = StoredVariant.objects.get()
    assert (stored.family, stored.seed, stored.version) == ("scaled_entry", 7, ENTRY.version)
    assert stored.drawn == ENTRY.drawn
    again = Response.objects.get()
    assert again == response
    assert (again.user, again.visitor, again.created_at) == (person.user, None, NOW)
    assert (again.raw, again.verdict, again.score) == ({"scaled": wrong()}, "wrong", 0.0)
    assert (again.diagnosis, again.marking_version, again.counts) == (["no_scale"], MARKING_VERSION, True)
    assert verdict_of(again).parts[0].value == pytest.approx(ENTRY.mistakes["no_scale"]["scaled"], abs=1e-4)


def test_a_variant_is_stored_once_for_everybody(person: Person, other_candidate: User) -> None:
    hand_in(person, "1")
    hand_in(Person(user=other_candidate), "2")
    assert StoredVariant.objects.count() == 1
    assert Response.objects.count() == 2


def test_the_stored_draw_is_what_is_shown_and_marked(person: Person) -> None:
    other = vary("scaled_entry", 8)
    StoredVariant.objects.create(
        family="scaled_entry", seed=7, version=ENTRY.version, drawn=dict(other.drawn)
    )
    assert open_variant("scaled_entry", 7).drawn == other.drawn
    assert hand_in(person, f"{other.right['scaled']:.4f}").verdict == "right"


@pytest.mark.parametrize("text", ["1.2.3", "", "abc"])
def test_what_cannot_be_read_is_kept_but_not_counted(person: Person, text: str) -> None:
    response = hand_in(person, text)
    assert (response.verdict, response.counts, response.raw) == ("malformed", False, {"scaled": text})
    assert standing(person).reveal is Reveal.NOTHING


def test_the_same_text_again_is_kept_but_not_counted(person: Person) -> None:
    assert [hand_in(person, wrong(), minute=m).counts for m in range(3)] == [True, False, False]
    assert standing(person).wrong == 1


def test_steps_of_revealing_follow_the_counted_tries(person: Person) -> None:
    seen = []
    for minute, slug in enumerate(["no_scale", "scale_by_d_k", "cosine"]):
        hand_in(person, wrong(slug), minute=minute)
        seen.append(standing(person).reveal)
    assert seen == [Reveal.MISTAKE, Reveal.STEP, Reveal.SOLUTION]
    after = hand_in(person, right(), minute=9)
    assert (after.verdict, after.counts, after.state) == ("right", False, State.SOLUTION)


def test_state_tells_how_a_right_answer_came_about(person: Person, other_candidate: User) -> None:
    assert hand_in(person, right()).state == State.FIRST
    other = Person(user=other_candidate)
    hand_in(other, wrong())
    assert hand_in(other, right()).state == State.CHANGED


def test_a_hint_or_the_solution_asked_for_shows_in_the_state(person: Person, other_candidate: User) -> None:
    record_help(person, variant=ENTRY, step=1, now=NOW)
    assert hand_in(person, right()).state == State.HELPED
    other = Person(user=other_candidate)
    record_help(other, variant=ENTRY, step=Help.SOLUTION, now=NOW)
    response = hand_in(other, right())
    assert (response.state, response.counts) == (State.SOLUTION, False)


def test_hints_come_one_at_a_time_and_each_once(person: Person) -> None:
    for step in (3, 3, 1, 1, 3, 3):
        record_help(person, variant=ENTRY, step=step, now=NOW)
    assert list(Help.objects.values_list("step", flat=True)) == [1, 2, 3]
    assert standing(person).hints == len(ENTRY.hints)


def test_people_do_not_share_their_standing(person: Person, other_candidate: User) -> None:
    visitor = Person(visitor_id=Visitor.objects.create().pk)
    hand_in(person, right())
    hand_in(visitor, wrong())
    assert standing(person).is_solved
    assert not standing(visitor).is_solved
    assert standing(Person(user=other_candidate)) == Standing()
    assert standing(Person()) == Standing()


def test_minus_infinity_survives_storage(person: Person) -> None:
    variant = vary("causal_row", 5)
    raw = answers_from(variant, form_data(variant, variant.right))
    response = record(person, variant=variant, raw=raw, now=NOW)
    assert response.verdict == "right"
    masked = next(p for p in verdict_of(Response.objects.get()).parts if p.part == "masked")
    assert float("-inf") in masked.value


def test_nothing_is_stored_when_the_answer_cannot_be(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(Response.objects, "create", fail)
    with pytest.raises(RuntimeError, match="disk full"):
        hand_in(person, right())
    assert StoredVariant.objects.count() == 0


def test_the_solution_opens_where_it_first_went_wrong(person: Person) -> None:
    row = vary("attention_row", 3)
    value = {"output": row.mistakes["no_scale"]["output"]}
    wrong = record(person, variant=row, raw=answers_from(row, form_data(row, value)), now=NOW)
    opened = [one.step.part for one in solution_of(row, verdict_of(wrong)) if one.is_open]
    assert opened == ["scaled"]
    assert all(one.is_open for one in solution_of(row, None))
    value = {"output": row.right["output"]}
    right = record(person, variant=row, raw=answers_from(row, form_data(row, value)), now=NOW)
    assert not any(one.is_open for one in solution_of(row, verdict_of(right)))
