"""Nothing is shown before it is due: no right value stands anywhere in the HTML, for every family."""

from __future__ import annotations

import pytest
from django.test import Client

from quiz.bank.markup import render_inline
from quiz.exercises.comparing import cells_of
from quiz.exercises.drawing import vary
from quiz.exercises.family import Family
from quiz.exercises.formatting import show
from quiz.exercises.registry import all_families
from quiz.exercises.types import Given, Part, Text, Values
from quiz.exercises.variants import Variant
from quiz.responses.evidence import PRECISE
from quiz.responses.models import Response
from quiz.responses.revealing import first_step
from quiz.responses.storing import verdict_of
from tests.practice.leaking import choice_leaks, leaks, numbers_in, says, shape_leaks
from tests.responses.typing import form_data, required

pytestmark = pytest.mark.django_db
FAMILIES = pytest.mark.parametrize("family", all_families(), ids=lambda f: f.slug)


def url(variant: Variant, deed: str = "") -> str:
    return f"/exercises/{variant.family.slug}/{variant.seed}/{deed}"


def told_anyway(variant: Variant) -> set[str]:
    """Numbers of the task, the givens and the conventions."""
    prompt = variant.prompt
    words = " ".join(t.zh + " " + t.en for t in (prompt.task, *prompt.conventions))
    given = " ".join(str(cell) for g in prompt.givens for cell in cells_of(g.value))
    return numbers_in(f"{words} {given}")


def mistake_numbers(variant: Variant, slugs: tuple[str, ...]) -> set[str]:
    """What the rows of the named mistakes show, in cells that the mistake gets wrong."""
    found: set[str] = set()
    for slug in slugs:
        for name, value in variant.mistakes[slug].items():
            part = variant.part(name)
            right, cells = cells_of(variant.right[name]), cells_of(value)
            if len(cells) == len(right) and not isinstance(cells[0], str):
                cells = tuple(
                    c for c, r in zip(cells, right, strict=True) if not part.tolerance.accepts(c, r)
                )
            found |= numbers_in(" ".join(show(cell) for cell in cells))
    return found


def nonsense(variant: Variant, *, number: int = 987) -> Values:
    """An answer of the right form that no mistake gives."""
    return {
        part.name: _other_option(part, variant.right[part.name], number)
        if part.kind == "choice"
        else _like(variant.right[part.name], number)
        for part in variant.required
    }


def _other_option(part: Part, right: str, number: int) -> str:
    """One of the wrong options, another one for another number."""
    wrong = [option.slug for option in part.options if option.slug != right]
    return wrong[number % len(wrong)]


def _like(value: object, number: int) -> object:
    if isinstance(value, list | tuple):
        return [_like(item, number) for item in value]
    return number + 0.25 if isinstance(value, float) else number


def check(client: Client, variant: Variant, *, values: Values, slugs: tuple[str, ...]) -> None:
    """Two wrong answers in a row; the page after each holds no more than is due."""
    rights = list(variant.right.values())
    allowed = told_anyway(variant)
    first = client.get(url(variant)).content.decode()
    assert leaks(first, right=rights, allowed=allowed) == set()
    assert shape_leaks(first, variant) == choice_leaks(first, variant) == []

    done = [name for name in values if values[name] == variant.right[name]]
    data = form_data(variant, values)
    allowed |= numbers_in(" ".join(data.values())) | mistake_numbers(variant, slugs)
    page = client.post(url(variant, "answer/"), data, follow=True).content.decode()
    assert 'data-verdict="right"' not in page
    assert leaks(page, right=rights, allowed=allowed) == set()
    assert shape_leaks(page, variant, typed=done) == choice_leaks(page, variant, chosen=done) == []

    second = form_data(variant, nonsense(variant, number=654))
    page = client.post(url(variant, "answer/"), second, follow=True).content.decode()
    step = first_step(variant, verdict_of(Response.objects.first()))
    allowed |= numbers_in(" ".join(second.values())) | revealed(step.values if step else ())
    asked = [variant.right[part.name] for part in variant.required]
    assert leaks(page, right=asked, allowed=allowed) == set()
    assert shape_leaks(page, variant) == choice_leaks(page, variant) == []


def revealed(shown: tuple[Given, ...]) -> set[str]:
    return numbers_in(" ".join(show(cell) for given in shown for cell in cells_of(given.value)))


def check_seeds(family: Family, seeds: range) -> None:
    for seed in seeds:
        variant = vary(family.slug, seed)
        slug = list(variant.mistakes)[seed % len(variant.mistakes)]
        check(Client(), variant, values=required(variant, variant.mistakes[slug]), slugs=(slug,))
    for seed in list(seeds)[:2]:
        variant = vary(family.slug, seed + 10_000)
        check(Client(), variant, values=nonsense(variant), slugs=())


def exact(cell: float) -> str:
    """A right value as the page gives it: to five decimals, without zeros after what is exact already."""
    text = show(cell, PRECISE).replace("−", "-")
    return text.rstrip("0").rstrip(".") if "." in text and round(cell, PRECISE) == cell else text


@FAMILIES
def test_no_right_value_before_it_is_due(family: Family) -> None:
    check_seeds(family, range(6))


@pytest.mark.prove
@FAMILIES
def test_no_right_value_before_it_is_due_over_many_variants(family: Family) -> None:
    check_seeds(family, range(100, 200))


@FAMILIES
def test_second_wrong_answer_names_the_step_and_gives_the_one_before(family: Family) -> None:
    variant = vary(family.slug, 31)
    asked = [part for part in variant.required if part.kind != "choice"]
    if len(variant.parts) == 1 or not asked:
        return
    slug, values = next((s, v) for s, v in variant.mistakes.items() if asked[-1].name in v)
    client = Client()
    client.post(url(variant, "answer/"), form_data(variant, nonsense(variant)))
    client.post(url(variant, "answer/"), form_data(variant, required(variant, values)))
    page = client.get(url(variant)).content.decode()
    broken = next(part for part in variant.parts if part.name in variant.mistakes[slug])
    before = [part for part in variant.before(broken.name) if not part.required]
    step = first_step(variant, verdict_of(Response.objects.first()))
    assert step is not None
    assert str(variant.parts.index(broken) + 1) in step.text
    assert [given.value for given in step.values] == [variant.right[part.name] for part in before]
    assert page.count('class="first-step"') == 1


@FAMILIES
@pytest.mark.parametrize("how", ["third wrong answer", "asked for"])
def test_right_values_and_the_solution_come_when_they_are_due(family: Family, how: str) -> None:
    variant = vary(family.slug, 77)
    client = Client()
    if how == "asked for":
        client.post(url(variant, "answer/"), form_data(variant, nonsense(variant)))
        client.post(url(variant, "help/"), {"help": "solution"})
    else:
        for slug in list(variant.mistakes)[:2]:
            client.post(
                url(variant, "answer/"), form_data(variant, required(variant, variant.mistakes[slug]))
            )
        client.post(url(variant, "answer/"), form_data(variant, nonsense(variant)))
    page = client.get(url(variant)).content.decode()
    assert page.count('class="solution"') == 1
    assert page.count('<ol class="solution-steps">') == 1
    assert sorted(choice_leaks(page, variant)) == sorted(
        part.name for part in variant.required if part.kind == "choice" and is_wordy(variant, part)
    )
    for part in variant.required:
        if part.kind == "shape":
            assert shape_leaks(page, variant) != []
        elif part.kind != "choice":
            assert {exact(cell) for cell in cells_of(variant.right[part.name])} <= numbers_in(page)


def is_wordy(variant: Variant, part: Part) -> bool:
    """Whether the right option says so much that it can be found in a page."""
    label = next(o.label for o in part.options if o.slug == variant.right[part.name])
    return says(str(render_inline(label.zh)), label)


@FAMILIES
def test_hints_do_not_give_the_answer_away(family: Family) -> None:
    variant = vary(family.slug, 5)
    client = Client()
    for step in range(1, len(variant.hints) + 1):
        page = client.post(url(variant, "help/"), {"help": str(step)}).content.decode()
        assert page.count('class="hint-number"') == step
    asked = [variant.right[part.name] for part in variant.required]
    assert leaks(page, right=asked, allowed=told_anyway(variant)) == set()
    assert shape_leaks(page, variant) == choice_leaks(page, variant) == []


@FAMILIES
def test_right_answer_shows_the_exact_values(family: Family) -> None:
    variant = vary(family.slug, 6)
    client = Client()
    asked = form_data(variant, {part.name: variant.right[part.name] for part in variant.required})
    page = client.post(url(variant, "answer/"), asked, follow=True).content.decode()
    assert page.count('data-verdict="right"') == 1
    for part in variant.required:
        if part.kind not in ("shape", "choice"):
            assert {exact(cell) for cell in cells_of(variant.right[part.name])} <= numbers_in(page)


def test_the_detector_sees_what_it_should() -> None:
    right = [[-0.70710678, 2.0]]
    assert leaks("<td>−0.707</td>", right=right, allowed=set()) == {"-0.707"}
    assert leaks('<input value="-0.7071">', right=right, allowed=set()) == {"-0.7071"}
    assert leaks("<mo>−</mo><mn>0.707</mn>", right=right, allowed=set()) == {"-0.707"}
    assert leaks("<td>−0.71 2 0.708</td>", right=right, allowed=set()) == set()
    assert leaks("<td>−0.707</td>", right=right, allowed={"-0.707"}) == set()
    assert leaks("<p>300000000</p>", right=[300000000], allowed=set()) == {"300000000"}
    assert leaks('<circle r="5.5"/><text>5.5</text>', right=[5.5], allowed=set()) == {"5.5"}
    assert (
        leaks('<svg viewBox="0 0 5.5 5.5"><circle r="5.5"/><rect x="5.5"/></svg>', right=[5.5], allowed=set())
        == set()
    )


def test_an_option_within_another_one_is_told_from_it() -> None:
    short = Text(zh="没有除以这一行的总和", en="not divided by the sum of the row")
    long = Text(
        zh="减了最大值，没有除以这一行的总和", en="less the maximum, not divided by the sum of the row"
    )
    assert says(f"<p>像是「{short.zh}」</p>", short, others=[long])
    assert not says(f"<p>像是「{long.zh}」</p>", short, others=[long])
    assert says(f"<p>{long.zh}；{short.zh}</p>", short, others=[long])
    assert not says(f"<p>like “{long.en}”</p>", short, others=[long])
