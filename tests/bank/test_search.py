"""Searching: tokens, ranking, slips of the pen, excerpts, and the page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from quiz.bank.models import Question
from quiz.bank.search.excerpts import excerpt, highlighted
from quiz.bank.search.gathering import documents, index
from quiz.bank.search.index import Document, Index, Passage
from quiz.bank.search.words import fold, tokens


def document(key: str, title: str, text: str, language: str = "zh-hans") -> Document:
    return Document("question", key, language, title, f"/bank/{key}/", (Passage(title, text, 1.0, "part"),))


SHELF = Index(
    (
        document("1", "因果掩码", "位置 i 只能看 j ≤ i。掩码在 softmax 之前加。"),
        document("2", "填充掩码", "遮住 PAD 所在的 key 列。"),
        document("3", "The causal mask", "Position i sees only j up to i; applied before the softmax.", "en"),
        document("4", "归一化", "LayerNorm 与 BatchNorm：Pre-LN、Post-LN。"),
    )
)


def keys(query: str) -> list[str]:
    return [hit.document.key for hit in SHELF.search(query)]


def test_chinese_is_cut_into_pairs_and_latin_into_words() -> None:
    assert [token.text for token in tokens("自注意力 SoftMax，是")] == [
        "自注",
        "注意",
        "意力",
        "softmax",
        "是",
    ]
    assert [token.text for token in tokens("Pre-LN")] == ["pre-ln", "pre", "ln"]


@given(st.text(max_size=60))
def test_tokens_stand_where_they_say(text: str) -> None:
    folded = fold(text)
    assert len(folded) == len(text)
    assert all(folded[token.start : token.end] == token.text for token in tokens(text))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("因果掩码", ["1"]),  # the second shares but one common pair of three
        ("因果掩吗", ["1"]),  # a slip in the last character
        ("因国掩码", ["1", "2"]),  # 掩码 is all that is left of it
        ("ＳＯＦＴＭＡＸ", ["3", "1"]),
        ("sofmax", ["3", "1"]),
        ("layern", ["4"]),  # a beginning
        ("layernorm xyzzy", ["4"]),
        ("xyzzy", []),
        ("", []),
        ("!?", []),
    ],
)
def test_what_is_found(query: str, found: list[str]) -> None:
    assert sorted(keys(query)) == sorted(found)


def test_the_best_comes_first_and_what_bears_the_name_before_all() -> None:
    assert keys("因果掩码")[0] == "1"
    assert keys("填充掩码")[0] == "2"
    assert keys("4 softmax")[0] != "4"
    assert keys("the causal mask") == ["3"]


def test_a_word_in_fewer_documents_counts_more() -> None:
    texts = {"a": "mask mask mask", "b": "mask norm", "c": "mask"}
    shelf = Index(tuple(document(key, key, text) for key, text in texts.items()))
    assert next(hit.document.key for hit in shelf.search("mask norm")) == "b"


def test_a_slip_is_suggested_only_for_unknown_words() -> None:
    assert SHELF.suggestion("sofmax 掩码") == "softmax 掩码"
    assert SHELF.suggestion("softmax") == ""


def test_excerpts_mark_the_hits_and_let_nothing_through() -> None:
    shelf = Index((document("1", "<b>x</b>", "前" * 300 + " <script>softmax</script> " + "后" * 300),))
    [hit] = shelf.search("softmax")
    found = excerpt(hit)
    assert "&lt;script&gt;<mark>softmax</mark>&lt;/script&gt;" in found.html
    assert found.html.startswith("…前")
    assert found.html.endswith("后…")
    assert len(found.html) < 250
    assert found.anchor == "part"
    assert highlighted("<i>softmax", hit) == "&lt;i&gt;<mark>softmax</mark>"


def test_overlapping_pairs_are_one_mark() -> None:
    [hit, *_] = SHELF.search("因果掩码")
    assert highlighted("因果掩码与掩码", hit) == "<mark>因果掩码</mark>与<mark>掩码</mark>"


@pytest.mark.database
@pytest.mark.django_db
def test_every_published_text_and_no_other_is_searched(bank: object) -> None:
    found = {(one.kind, one.language) for one in documents()}
    assert found == {(kind, code) for kind in ("section", "question", "term") for code in ("zh-hans", "en")}
    Question.objects.filter(number=12).update(is_published=False)
    assert not any(one.kind == "question" and one.key == "12" for one in documents())


@pytest.mark.database
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "first"),
    [("为什么除以", "7.9"), ("LayerNorm", "layer_norm"), ("12", "12"), ("在线 softmax", "online_softmax")],
)
def test_the_bank_answers(bank: object, query: str, first: str) -> None:
    assert index().search(query)[0].document.key == first


@pytest.mark.database
@pytest.mark.django_db
def test_the_page_shows_each_item_once_in_the_readers_language(client: Client, bank: object) -> None:
    page = client.get(reverse("bank:search"), {"q": "softmax"}, headers={"accept-language": "en"})
    results = page.context["results"]
    assert len({(one.kind, one.key) for one in results}) == len(results) > 3
    assert {one.language for one in results} == {"en"}
    assert b"<mark>" in page.content


@pytest.mark.django_db
def test_nothing_found_says_so_and_a_slip_is_offered(client: Client, bank: object) -> None:
    page = client.get(reverse("bank:search"), {"q": "zzzqqq<&>"})
    assert page.context["results"] == []
    assert b"zzzqqq&lt;&amp;&gt;" in page.content
    empty = client.get(reverse("bank:search"))
    assert empty.status_code == 200
    assert empty.context["results"] == []


@pytest.mark.django_db
def test_a_changed_text_is_found_at_once(client: Client, bank: object) -> None:
    question = Question.objects.get(number=3)
    text = question.texts.get(language="en")
    text.title = "Zorblatt architectures"
    text.save()
    page = client.get(reverse("bank:search"), {"q": "zorblatt"}, headers={"accept-language": "en"})
    assert [one.key for one in page.context["results"]] == ["3"]


@pytest.mark.django_db
def test_a_kept_index_costs_one_query(
    client: Client, bank: object, django_assert_num_queries: object
) -> None:
    client.get(reverse("bank:search"), {"q": "mask"})
    with django_assert_num_queries(1):  # type: ignore[operator]
        client.get(reverse("bank:search"), {"q": "softmax"})


@pytest.mark.django_db
def test_the_glossary_holds_every_term_under_its_anchor(client: Client) -> None:
    from quiz.bank.glossary import glossary

    page = client.get(reverse("bank:glossary"))
    html = page.content.decode()
    assert [entry.term.slug for entry in page.context["entries"]] == sorted(
        glossary(), key=lambda slug: glossary()[slug].en.lower()
    )
    assert all(f'id="{slug}"' in html for slug in glossary())
