"""The public API: reads, marks, names mistakes, and gives no right value away."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from quiz.bank.models import Question
from quiz.exercises import registry
from quiz.exercises.describing import as_json
from quiz.exercises.drawing import PUBLIC_SEEDS, vary
from quiz.exercises.marking import MARKING_VERSION

SEEDS = range(3)
FAMILIES = [family.slug for family in registry.all_families()]


@pytest.fixture(autouse=True)
def _no_rate_left_over() -> None:
    cache.clear()


def post(client: Client, address: str, body: dict[str, Any]) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def stands_in(value: Any, text: str) -> bool:
    """Whether the value is written there, as a number of its own and not within another one."""
    return bool(re.search(rf"(?<![\d.]){re.escape(json.dumps(as_json(value)))}(?![\d.])", text))


def test_families_are_those_of_the_registry(client: Client) -> None:
    listed = client.get("/api/v1/families").json()
    assert [(f["slug"], f["group"]) for f in listed] == [(f.slug, f.group) for f in registry.all_families()]


@pytest.mark.parametrize("slug", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_variant_shows_its_prompt_and_no_answer(client: Client, slug: str, seed: int) -> None:
    shown = client.get(f"/api/v1/families/{slug}/{seed}").json()
    variant = vary(slug, seed)
    assert [(p["name"], p["kind"], tuple(p["shape"])) for p in shown["parts"]] == [
        (p.name, p.kind, p.shape) for p in variant.parts
    ]
    assert {"right", "misconceptions", "drawn"} & {key for part in shown["parts"] for key in part} == set()
    assert [[option["slug"] for option in p["options"]] for p in shown["parts"]] == [
        [option.slug for option in p.options] for p in variant.parts
    ]
    assert all(set(option["label"]) == {"zh-hans", "en"} for p in shown["parts"] for option in p["options"])
    assert set(shown) == {"family", "seed", "version", "prompt", "givens", "parts"}


@pytest.mark.parametrize("slug", FAMILIES)
def test_right_answers_and_every_planted_mistake_are_told(client: Client, slug: str) -> None:
    variant = vary(slug, 7)
    for part in variant.required:
        address = f"/api/v1/families/{slug}/7/mark"
        right = post(
            client, address, {"part": part.name, "response": json.dumps(as_json(variant.right[part.name]))}
        )
        assert (right.json()["verdict"], right.json()["score"], right.json()["diagnosis"]) == (
            "right",
            1.0,
            [],
        )
        for mistake, values in list(variant.mistakes.items())[:4]:
            if part.name in values:
                cache.clear()
                told = post(
                    client, address, {"part": part.name, "response": json.dumps(as_json(values[part.name]))}
                )
                assert mistake in told.json()["diagnosis"]
                assert told.json()["marking_version"] == MARKING_VERSION
                said = {name: item for name, item in told.json().items() if name != "marking_version"}
                assert not stands_in(variant.right[part.name], json.dumps(said, ensure_ascii=False))


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"kind": "number", "text": "−3/√4"}, {"outcome": "value", "value": -1.5}),
        ({"kind": "number", "text": "1,234"}, {"outcome": "ask", "readings": [1.234, 1234]}),
        ({"kind": "number", "text": "-inf", "infinite": True}, {"outcome": "value", "value": "-inf"}),
        ({"kind": "shape", "text": "2×3"}, {"outcome": "value", "value": [2, 3]}),
    ],
)
def test_reading(client: Client, body: dict[str, Any], outcome: dict[str, Any]) -> None:
    answer = post(client, "/api/v1/read", body).json()
    assert {key: answer[key] for key in outcome} == outcome


def test_a_refusal_has_its_reason(client: Client) -> None:
    answer = post(client, "/api/v1/read", {"kind": "number", "text": "1.2.3"}).json()
    assert answer["outcome"] == "refuse"
    assert answer["reason"]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/v1/families/no_such/1", 404),
        (f"/api/v1/families/softmax_row/{PUBLIC_SEEDS}", 404),
        ("/api/v1/families/softmax_row/-1", 404),
        ("/api/v1/questions/999", 404),
    ],
)
@pytest.mark.django_db
def test_what_is_not_there_is_404(client: Client, address: str, status: int) -> None:
    assert client.get(address).status_code == status


def test_an_unknown_part_names_the_parts_there_are(client: Client) -> None:
    answer = post(client, "/api/v1/families/softmax_row/1/mark", {"part": "nope", "response": "1"})
    assert answer.status_code == 404
    assert all(part.name in answer.json()["detail"] for part in vary("softmax_row", 1).parts)


def test_too_long_a_text_is_refused(client: Client) -> None:
    assert post(client, "/api/v1/read", {"kind": "number", "text": "1" * 100_001}).status_code == 422


@pytest.mark.django_db
def test_questions_in_both_languages(client: Client, bank: None) -> None:
    listed = client.get("/api/v1/questions?language=en").json()
    assert [q["number"] for q in listed] == list(range(1, 40))
    Question.objects.filter(number=12).update(abilities=["principle"], asked=20, next=[13])
    one = client.get("/api/v1/questions/12").json()
    assert (one["number"], one["language"], one["sections"]) == (12, "zh-hans", ["7.9"])
    assert one["parts"]["short_answer"]["language"] == "zh-hans"
    assert one["parts"]["short_answer"]["markdown"].startswith("假设")
    assert (one["abilities"], one["asked"], one["next"]) == (["principle"], 20, [13])


@pytest.mark.django_db
def test_an_unpublished_question_is_not_there(client: Client, bank: None) -> None:
    Question.objects.filter(number=12).update(is_published=False)
    assert client.get("/api/v1/questions/12").status_code == 404


def test_requests_are_limited(client: Client) -> None:
    statuses = [client.get("/api/v1/families/softmax_row/1").status_code for _ in range(61)]
    assert (statuses[59], statuses[60]) == (200, 429)


def test_a_forged_address_does_not_lift_the_limit(client: Client) -> None:
    statuses = [
        client.get("/api/v1/families/softmax_row/1", headers={"x-forwarded-for": f"10.0.0.{i}"}).status_code
        for i in range(61)
    ]
    assert (statuses[59], statuses[60]) == (200, 429)


def test_docs_are_packaged_with_the_site(client: Client) -> None:
    page = client.get("/api/v1/docs").content.decode()
    assert "cdn" not in page
    assert "/static/ninja/swagger-ui-bundle.js" in page


def test_the_schema_describes_every_operation(client: Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/v1/families",
        "/api/v1/families/{slug}/{seed}",
        "/api/v1/read",
        "/api/v1/families/{slug}/{seed}/mark",
        "/api/v1/questions",
        "/api/v1/questions/{number}",
    }
