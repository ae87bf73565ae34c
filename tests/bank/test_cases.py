"""The failure drill: its file is read strictly, ways are walked as addresses say, numbers are right."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import pytest
import yaml
from django.test import Client

from attention_core import costs
from quiz.bank.cases.case import FILE, CaseError, faults, read_case, shipped_case, texts_of
from quiz.bank.cases.walking import LONGEST, walk
from tests.bank.content_files import CONTENT, HAN
from tests.bank.decimals import decimals

SOURCE = (CONTENT / FILE).read_text(encoding="utf-8")
CASE = shipped_case()
RIGHT = "".join(step.good.key for step in CASE.steps)
GIB = 2**30


def changed(change: Any) -> str:
    found = yaml.safe_load(SOURCE)
    change(found)
    return yaml.safe_dump(found, allow_unicode=True)


def test_the_shipped_case_is_sound_in_both_languages() -> None:
    assert list(faults(CASE)) == []
    assert [place for place, text in texts_of(CASE) if HAN.search(text.en) or not HAN.search(text.zh)] == []
    assert [list(decimals(text.zh)) + list(decimals(text.en)) for _, text in texts_of(CASE)] == [
        [] for _ in texts_of(CASE)
    ]


def test_the_good_choice_does_not_always_stand_in_one_place() -> None:
    assert len(set(RIGHT)) >= 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda case: case.pop("debrief"), "the case has debrief, let"),
        (lambda case: case["steps"].clear(), "steps is a list"),
        (lambda case: case["steps"][0]["choices"][0].update(good=True), "exactly one choice is good"),
        (lambda case: case["steps"][1]["choices"][0].update(key="z"), "step 2: the keys"),
        (lambda case: case["title"].pop("en"), "title has en, zh"),
        (lambda case: case["steps"][2]["ask"].update(en=" "), "step 3: ask: a text is empty"),
    ],
)
def test_what_is_no_case_is_refused(change: Any, message: str) -> None:
    with pytest.raises(CaseError, match=re.escape(message)):
        read_case(changed(change))


def test_a_text_that_says_less_in_one_language_is_a_fault() -> None:
    def change(case: Any) -> None:
        case["steps"][0]["evidence"]["en"] = "Nothing {{ nowhere }}."

    found = list(faults(read_case(changed(change))))
    assert any("nowhere" in fault for fault in found)
    assert any("live number only in the Chinese text" in fault for fault in found)


def test_the_right_way_ends_without_a_detour() -> None:
    walked = walk(CASE, RIGHT)
    assert (walked.is_over, walked.detours, walked.way) == (True, 0, RIGHT)
    assert len(walked.stages) == len(CASE.steps)


@pytest.mark.parametrize("order", list(permutations("abcd")))
def test_every_order_of_the_first_step_is_walked_up_to_the_good_choice(order: tuple[str, ...]) -> None:
    walked = walk(CASE, "".join(order))
    first = walked.stages[0]
    assert [choice.key for choice in first.taken] == list(order[: order.index(RIGHT[0]) + 1])
    assert first.open_choices == ()


def test_nonsense_in_a_way_is_passed_over_and_the_way_is_told_without_it() -> None:
    walked = walk(CASE, f"aa?<{RIGHT[0]}é")
    assert (walked.way, walked.detours, len(walked.stages)) == (f"a{RIGHT[0]}", 1, 2)
    assert walk(CASE, "z" * 10_000).way == ""
    assert sum(len(step.choices) for step in CASE.steps) < LONGEST


@pytest.mark.django_db
def test_a_page_shows_what_its_address_says_and_asks_nothing_of_the_database(
    client: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        html = client.get(f"/chapter/start/oom/?way=a{RIGHT[0]}").content.decode()
    assert html.count('class="consequence') == 2 + html.count('class="consequence-choice"')
    assert re.findall(r'href="\?way=(\w+)#now"', html) == [f"a{RIGHT[0]}{key}" for key in "abcd"]
    assert set(client.cookies) <= {"csrftoken"}


@pytest.mark.django_db
def test_the_numbers_are_those_of_the_cost_functions(client: Client) -> None:
    html = client.get(f"/chapter/start/oom/?way={RIGHT}", headers={"accept-language": "en"}).content.decode()
    matrix = costs.score_matrix_bytes(batch=1, heads=32, queries=24576, keys=24576, itemsize=2) / GIB
    weights = costs.weight_bytes(
        parameters=costs.llama_parameters(layers=32, d_model=4096, d_ff=11008, vocabulary=32000, heads=32),
        itemsize=2,
    )
    each = costs.kv_cache_bytes(layers=32, batch=1, length=24576, kv_heads=32, head_width=128, itemsize=2)
    admitted = costs.admitted_sequences(memory=80 * GIB, weights=weights, per_sequence=each)
    assert f"a single allocation of {matrix:.0f} GiB" in html
    assert f"weights</td>\n<td>parameters times 2 bytes</td>\n<td>{weights / GIB:.1f}</td>" in html
    assert f"Of requests of 24,576 tokens at most {admitted} are admitted" in html
    assert "Solved without a detour." in html
