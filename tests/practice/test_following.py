"""What a page tells of steps, pairs and slips: where it went wrong, what follows, and nothing too early."""

from __future__ import annotations

import random
import re

import pytest
from django.test import Client

from quiz.exercises.carrying import CREDIT
from quiz.exercises.comparing import same
from quiz.exercises.diagnosis import diagnose
from quiz.exercises.drawing import vary
from quiz.exercises.marking import MARKING_VERSION
from quiz.exercises.types import Values
from quiz.exercises.variants import Variant
from quiz.exercises.working import worked_on
from quiz.responses.models import Response
from quiz.responses.models import Variant as StoredVariant
from tests.exercises.drawn import SLUGS, rounded
from tests.exercises.test_carrying import STEPPED, nudged, numeric
from tests.exercises.test_diagnosis import PLANTED
from tests.practice.leaking import leaks, numbers_in, shape_leaks
from tests.practice.test_revealing import mistake_numbers, told_anyway, url
from tests.responses.typing import form_data, required

pytestmark = pytest.mark.django_db
ROW = vary("attention_row", 3)
STEP = re.compile(r'<li class="step-(\w+)( is-first)?">')


def hand_in(client: Client, variant: Variant, values: Values) -> str:
    data = form_data(variant, values)
    return client.post(url(variant, "answer/"), data, follow=True).content.decode()


def steps_told(page: str) -> list[tuple[str, bool]]:
    return [(mark, bool(first)) for mark, first in STEP.findall(page)]


def given_away(page: str, variant: Variant, values: Values, *, entries: tuple[str, ...]) -> set[str]:
    """Right values that stand in the page beside what was typed, told anyway, or a named mistake's number."""
    allowed = told_anyway(variant) | numbers_in(" ".join(form_data(variant, values).values()))
    known = tuple(entry for entry in entries if entry in variant.mistakes)
    return leaks(page, right=variant.right.values(), allowed=allowed | mistake_numbers(variant, known))


def test_each_step_is_told_right_wrong_or_following(client: Client) -> None:
    page = hand_in(client, ROW, ROW.raw_mistakes["no_scale"])
    assert steps_told(page) == [("right", False)] * 4 + [("wrong", True)] + [("follows", False)] * 2
    assert "对了 6 步，错在第 5 步「缩放后」" in page
    assert page.count("权重、输出：按你自己的「缩放后」往下算，是对的。") == 1
    assert page.count('data-verdict="partial"') == 1
    stored = Response.objects.get()
    assert (stored.verdict, stored.score, stored.diagnosis) == ("partial", CREDIT, ["no_scale"])
    assert stored.marking_version == MARKING_VERSION


def test_the_form_marks_the_same_steps_and_only_the_wrong_cells(client: Client) -> None:
    page = hand_in(client, ROW, ROW.raw_mistakes["no_scale"])
    form = page.partition('id="answer-form"')[2].partition("</form>")[0]
    marks = re.findall(r'<summary>.*?mark-(\w+)"', form)
    assert marks == ["right"] * 4 + ["wrong", "follows"]
    wrong = re.findall(r'is-wrong" id="field-(\w+)\.', form)
    assert set(wrong) == {"scaled"}


def test_one_part_alone_has_no_steps_to_tell(client: Client) -> None:
    page = hand_in(client, ROW, {"output": ROW.mistakes["no_scale"]["output"]})
    assert steps_told(page) == []
    assert "不对：像是忘了除以 √d_k" in page


@pytest.mark.parametrize("slug", STEPPED)
def test_following_steps_give_nothing_away_at_the_first_try(slug: str) -> None:
    rng = random.Random(3)
    for seed in range(3):
        variant = vary(slug, seed)
        for origin in (part for part in variant.parts[:-1] if numeric(part)):
            values = rounded(worked_on(variant, {origin.name: nudged(variant.right[origin.name], rng)}))
            page = hand_in(Client(), variant, values)
            stored = Response.objects.latest("pk")
            found = given_away(page, variant, values, entries=tuple(stored.diagnosis))
            assert found == set(), (seed, origin.name)
            assert ("wrong", True) in steps_told(page)


@pytest.mark.parametrize("slug", SLUGS)
def test_slips_give_nothing_away_at_the_first_try(slug: str) -> None:
    for slip, change in PLANTED.items():
        variant = vary(slug, 11)
        values = required(variant, {})
        part = next((p for p in variant.required if numeric(p)), None)
        if part is None:
            return
        values[part.name] = rounded(change(variant.right[part.name]))
        if same(part, values[part.name], variant.right[part.name]):
            continue
        page = hand_in(Client(), variant, values)
        entries = diagnose(variant, part.name, values[part.name])
        assert given_away(page, variant, values, entries=entries) == set(), slip
        assert shape_leaks(page, variant) == []


@pytest.mark.parametrize("slug", ["attention_row", "full_output", "causal_row", "kv_cache"])
def test_pairs_show_their_number_and_nothing_of_the_right_one(slug: str) -> None:
    shown = 0
    for seed in range(4):
        variant = vary(slug, seed)
        part = variant.required[0]
        pairs = variant.pairs(part.name)
        for pair in list(pairs)[:: len(pairs) // 6]:
            values = {part.name: pairs[pair]}
            if diagnose(variant, part.name, values[part.name]) != (pair,):
                continue
            page = hand_in(Client(), variant, values)
            assert given_away(page, variant, values, entries=()) == set(), pair
            assert page.count("两处一起错会得到") == 1
            shown += 1
    assert shown > 8


def test_a_slip_is_told_without_a_number_of_its_own(client: Client) -> None:
    right = ROW.right["output"]
    page = hand_in(client, ROW, {"output": [-cell for cell in right]})
    assert "不对：像是正负号反了" in page
    evidence = page.partition('class="evidence"')[2].partition("</table>")[0]
    assert evidence.count("<tr>") == 1
    assert Response.objects.get().diagnosis == ["slip_sign"]


def test_what_is_not_known_is_stored_by_the_rule(client: Client) -> None:
    """Counted, wrong or partial, no diagnosis: what statistics ask for."""
    hand_in(client, ROW, {"output": [5.5, 7.25]})
    hand_in(client, ROW, {"output": ROW.mistakes["no_scale"]["output"]})
    hand_in(Client(), ROW, {**ROW.right, "weights": [5.5, 7.25, -3.5], "output": [41.5, -17.25]})
    unknown = Response.objects.filter(counts=True, verdict__in=("wrong", "partial"), diagnosis=[])
    assert sorted(unknown.values_list("verdict", flat=True)) == ["partial", "wrong"]


def test_a_step_whose_right_value_was_shown_earns_nothing_afterwards(client: Client) -> None:
    """The second wrong try shows the scores; a third that keeps wrong ones and follows from them has no
    credit, while somebody who has not been shown them has."""
    wrong = rounded(worked_on(ROW, {"scores": [0.5, -1.0, 1.5]}))
    first = {**ROW.raw_mistakes["no_scale"]}
    second = rounded(worked_on(ROW, {"scaled": [0.3, 0.9, -0.4]}))
    for values in (first, second, wrong):
        hand_in(client, ROW, values)
    hand_in(Client(), ROW, wrong)
    shown, fresh = Response.objects.order_by("pk")[2:]
    assert (shown.counts, fresh.counts) == (True, True)
    assert (shown.score, fresh.score) == (0.0, CREDIT)
    follows = [part["follows"] for part in shown.parts if part["part"] == "output"]
    assert follows == [["scores"]]


def test_an_answer_marked_before_is_shown_as_it_was(client: Client) -> None:
    """Stored by marking version 1: no `follows`, and a mistake that the family has since dropped."""
    hand_in(client, ROW, {"output": ROW.mistakes["no_scale"]["output"], "scaled": [4, 5, 1]})
    response = Response.objects.get()
    for slug in ("no_scale", "dropped_since"):
        response.parts = [
            {key: value for key, value in part.items() if key != "follows"} | {"diagnosis": [slug]}
            for part in response.parts
        ]
        response.diagnosis, response.marking_version = [slug], 1
        response.save()
        page = client.get(url(ROW)).content.decode()
        assert page.count('data-verdict="') == 1
        assert [mark for mark, _first in steps_told(page)] == ["wrong", "wrong"]
        told = page.partition("verdict-body")[2]
        assert (told.count("不除以 √d_k 会得到") > 0) == (slug == "no_scale")
    assert StoredVariant.objects.count() == 1


def test_english_says_the_same() -> None:
    client = Client(headers={"Accept-Language": "en"})
    page = hand_in(client, ROW, ROW.raw_mistakes["no_scale"])
    assert "6 steps right; step 5, scaled, went wrong" in page
    assert "weights, output: right from your own scaled." in page
