"""A family that becomes another version: its earlier draws harm no page, and are told for what they are."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from quiz.accounts.models import User
from quiz.exercises.drawing import vary
from quiz.exercises.registry import all_families, get
from quiz.practice.models import PracticeSet
from quiz.responses.keeping import EarlierVersion, as_asked, open_variant
from quiz.responses.models import Help, Report, Response, Variant

pytestmark = [pytest.mark.django_db, pytest.mark.database]
RENEWED = [family.slug for family in all_families() if family.version > 1]
SLUGS = ["both_masks", "true_or_false", "scaled_entry"]  # of version 2, of version 1, and a drill
SEED = 7


def stored(slug: str, *, later: int = -1) -> Variant:
    """A draw of another version, made of what no family of today knows."""
    version = get(slug).version + later if slug in RENEWED or later > 0 else 0
    return Variant.objects.create(family=slug, seed=SEED, version=version, drawn={"then": [1, 2]})


def answered(variant: Variant, user: User, *, diagnosis: str = "") -> Response:
    return Response.objects.create(
        user=user,
        variant=variant,
        raw={"then": [["7", "8"]], "other": "1"},
        verdict="wrong",
        score=0,
        parts=[{"part": "then", "key": "wrong", "value": [[7, "-inf"]]}, {"part": "other", "key": "right"}],
        diagnosis=[diagnosis] if diagnosis else [],
        marking_version=1,
        try_number=1,
    )


@pytest.fixture
def desk(instructor: User) -> Client:
    client = Client()
    client.force_login(instructor)
    return client


def test_there_are_families_of_a_later_version() -> None:
    assert "both_masks" in RENEWED


@pytest.mark.parametrize("later", [-1, 1])
@pytest.mark.parametrize("slug", sorted({*SLUGS, *RENEWED}))
def test_an_address_leads_to_what_today_s_version_asks(
    client: Client, candidate: User, slug: str, later: int
) -> None:
    other = stored(slug, later=later)
    answered(other, candidate)
    Help.objects.create(user=candidate, variant=other, step=Help.SOLUTION)
    client.force_login(candidate)
    url, today = f"/exercises/{slug}/{SEED}/", vary(slug, SEED)
    assert open_variant(slug, SEED).drawn == today.drawn
    assert b'id="solution"' not in client.get(url).content
    made = PracticeSet.objects.create(
        user=candidate,
        kind="mixed",
        items=[{"family": slug, "seeds": [SEED]}, {"family": slug, "seeds": [8]}],
    )
    for path in (
        url,
        "/me/",
        "/exercises/",
        "/",
        f"/practice/sets/{made.pk}/",
        f"/practice/sets/{made.pk}/1/",
    ):
        assert client.get(path).status_code == 200, path
    assert client.post(f"{url}help/", {"help": "solution"}).status_code == 200
    assert Help.objects.latest("id").variant.version == get(slug).version


def test_a_stored_draw_of_today_s_version_is_what_is_asked() -> None:
    stored("both_masks")
    drawn = dict(vary("both_masks", 8).drawn)
    Variant.objects.create(family="both_masks", seed=SEED, version=get("both_masks").version, drawn=drawn)
    assert open_variant("both_masks", SEED).drawn == drawn


@pytest.mark.parametrize("later", [-1, 1])
@pytest.mark.parametrize("slug", SLUGS)
def test_what_another_version_asked_is_not_given_to_today_s(slug: str, later: int) -> None:
    with pytest.raises(EarlierVersion, match=slug):
        as_asked(stored(slug, later=later))


def test_nor_is_what_a_family_asked_that_is_gone() -> None:
    with pytest.raises(EarlierVersion, match="long_gone"):
        as_asked(Variant.objects.create(family="long_gone", seed=1, version=1, drawn={}))


# --- at the desk --------------------------------------------------------------------------------------
@pytest.mark.parametrize("slug", SLUGS)
def test_unexplained_answers_to_it_are_shown_without_a_right_value(
    desk: Client, candidate: User, slug: str
) -> None:
    version = answered(stored(slug), candidate).variant.version
    assert desk.get(f"/desk/families/{slug}/").status_code == 200
    page = desk.get(f"/desk/families/{slug}/unknown/").content.decode()
    row = page.split("<tbody>")[1].split("</tbody>")[0]
    assert f"{SEED} " in row
    assert f"v{version} （不是现行版本）" in row
    assert "<code>[[7, 8]]</code>" in row
    assert "<a " not in row
    text = desk.get(f"/desk/families/{slug}/unknown/unknown.csv").content.decode("utf-8-sig")
    [line] = csv.DictReader(io.StringIO(text))
    assert (line["version"], line["part"], line["typed"], line["read_as"], line["right"]) == (
        str(version), "then", "[[7, 8]]", "[[7, -inf]]", "",
    )  # fmt: skip


@pytest.mark.parametrize("slug", [*SLUGS, "long_gone"])
def test_reports_on_it_can_be_read_and_resolved(desk: Client, candidate: User, slug: str) -> None:
    variant = Variant.objects.create(family=slug, seed=SEED, version=0, drawn={"then": 1})
    response = answered(variant, candidate, diagnosis="old_slug")
    report = Report.objects.create(user=candidate, variant=variant, response=response, kind="answer")
    address = f"/admin/quiz/report/{report.pk}/change/"
    page = desk.get(address).content.decode()
    assert "这是较早版本出的题" in page
    assert "old_slug" in page
    for shown in (page, desk.get("/admin/quiz/report/").content.decode()):
        assert f"{slug}/{SEED} (v0)" in shown
        assert f'href="/exercises/{slug}/' not in shown
    assert desk.post(address, {"note": "seen"}).status_code == 302
    assert Report.objects.exclude(resolved_at=None).count() == 1
