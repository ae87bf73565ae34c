"""“Something is wrong here”: stored with variant and response, confirmed, limited; resolved in the admin."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from quiz.accounts.models import User, Visitor
from quiz.accounts.people import Person
from quiz.exercises.drawing import vary
from quiz.exercises.types import VerdictKey
from quiz.exercises.verdicts import CATALOGUE
from quiz.responses.models import Report, Response
from quiz.responses.reporting import A_PERSON_AN_HOUR, VISITORS_AN_HOUR, TooMany, file_report
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
URL = "/exercises/scaled_entry/7/"
REPORT = f"{URL}report/"
HTMX = {"HX-Request": "true"}


def answered(client: Client, text: str = "999") -> Response:
    client.post(f"{URL}answer/", {"scaled": text})
    return Response.objects.latest("id")


def test_a_report_stands_beside_every_verdict_and_every_solution(client: Client) -> None:
    assert 'id="report"' not in client.get(URL).content.decode()
    for text in ("999", "1.2.3", f"{vary('scaled_entry', 7).right['scaled']:.4f}"):
        response = answered(client, text)
        page = client.get(URL).content.decode()
        assert page.count('<details class="report') == 1
        assert f'name="response" value="{response.pk}"' in page
    asked = Client()
    page = asked.post(f"{URL}help/", {"help": "solution"}).content.decode()
    assert page.count('<details class="report') == 1
    assert 'name="response"' not in page


def test_it_is_stored_with_the_variant_the_response_and_the_words(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    response = answered(client)
    data = {"kind": "answer", "words": "I get 2.", "response": response.pk}
    answer = client.post(REPORT, data)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{URL}#verdict")
    report = Report.objects.get()
    assert (report.user, report.visitor, report.response) == (candidate, None, response)
    assert (report.variant, report.kind, report.words) == (response.variant, "answer", "I get 2.")
    assert report.resolved_at is None
    assert client.get(URL).content.decode().count("谢谢，已经交给出题的人。") == 1


def test_with_htmx_the_fold_becomes_the_confirmation(client: Client) -> None:
    response = answered(client)
    data = {"kind": "text", "response": response.pk}
    page = client.post(REPORT, data, headers=HTMX).content.decode()
    assert "<html" not in page
    assert 'role="status" tabindex="-1" data-focus' in page
    assert Report.objects.get().kind == "text"


def test_without_a_script_it_goes_back_to_the_page_that_embeds_the_exercise(client: Client) -> None:
    response = answered(client)
    data = {"kind": "text", "response": response.pk, "back": "/"}
    assert client.post(REPORT, data).headers["Location"] == "/#verdict"


def test_a_visitor_whose_row_has_expired_may_still_report(client: Client) -> None:
    client.post(f"{URL}help/", {"help": "solution"})
    Visitor.objects.all().delete()
    assert client.post(REPORT, {"kind": "text"}).status_code == 303
    assert Report.objects.get().visitor == Visitor.objects.get()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"words": "kept <b>words</b>"}, "请选一项"),
        ({"kind": "other", "words": "  "}, "请写几个字"),
        ({"kind": "no such kind", "words": "kept <b>words</b>"}, "no such kind"),
        ({"kind": "text", "words": "x" * 2001}, "最多 2,000 个字符"),
    ],
)
@pytest.mark.parametrize("script", [True, False])
def test_what_is_missing_is_said_and_what_was_typed_is_kept(
    client: Client, data: dict[str, str], said: str, script: bool
) -> None:
    response = answered(client)
    answer = client.post(REPORT, data | {"response": response.pk}, headers=HTMX if script else {})
    assert answer.status_code == (200 if script else 422)
    page = answer.content.decode()
    assert said in re.findall(r'class="field-error"[^>]*>([^<]*)<', page)[0]
    typed = data["words"].strip().replace("<", "&lt;").replace(">", "&gt;")
    assert f"data-keep>{typed}</textarea>" in page or data["words"].strip() == ""
    assert f'name="response" value="{response.pk}"' in page
    assert Report.objects.count() == 0


def test_a_page_of_its_own_asks_too(client: Client) -> None:
    response = answered(client)
    page = client.get(f"{REPORT}?response={response.pk}").content.decode()
    assert page.count("<h1>这里有问题</h1>") == 1
    assert page.count('type="radio" name="kind"') == len(Report.Kind)


def test_who_has_left_no_trace_has_nothing_to_report(client: Client) -> None:
    assert client.post(REPORT, {"kind": "text"}).headers["Location"] == URL
    assert Report.objects.count() == Visitor.objects.count() == 0


@pytest.mark.parametrize("number", ["0", "x", "²", "9" * 30, "-1"])
def test_an_answer_that_is_not_mine_is_not_found(client: Client, number: str) -> None:
    mine = answered(client)
    stranger = Client()
    answered(stranger, "1")
    number = str(mine.pk) if number == "0" else number
    assert stranger.post(REPORT, {"kind": "text", "response": number}).status_code == 404
    assert Report.objects.count() == 0


def test_the_same_again_takes_the_new_words_until_it_is_resolved(client: Client) -> None:
    response = answered(client)
    for words in ("first", "second", ""):
        client.post(REPORT, {"kind": "text", "words": words, "response": response.pk})
    assert list(Report.objects.values_list("words", flat=True)) == ["second"]
    client.post(REPORT, {"kind": "answer", "words": "third", "response": response.pk})
    assert Report.objects.count() == 2
    Report.objects.update(resolved_at=timezone.now())
    client.post(REPORT, {"kind": "text", "words": "fourth", "response": response.pk})
    assert Report.objects.count() == 3


def test_a_person_can_report_so_often_an_hour(client: Client, candidate: User) -> None:
    client.force_login(candidate)
    for seed in range(A_PERSON_AN_HOUR):
        client.post(f"/exercises/scaled_entry/{seed}/report/", {"kind": "text"})
    response = answered(client)
    data = {"kind": "text", "words": "too much", "response": response.pk}
    refused = client.post(REPORT, data)
    assert refused.status_code == 429
    assert "data-keep>too much</textarea>" in refused.content.decode()
    part = client.post(REPORT, data, headers=HTMX)
    assert (part.status_code, part.content.decode().count('role="alert"')) == (200, 1)
    assert Report.objects.count() == A_PERSON_AN_HOUR
    Report.objects.update(created_at=timezone.now() - timedelta(hours=1, seconds=1))
    assert client.post(REPORT, data).status_code == 303


def test_visitors_together_are_limited_users_are_not(candidate: User) -> None:
    now, variant = timezone.now(), vary("scaled_entry", 7)

    def file(person: Person) -> None:
        file_report(person, variant=variant, response=None, kind="text", words="", now=now)

    file(Person(visitor_id=Visitor.objects.create().pk))
    stored, visitor = Report.objects.get().variant, Visitor.objects.create()
    rows = [Report(visitor=visitor, variant=stored, kind="text") for _row in range(VISITORS_AN_HOUR - 1)]
    Report.objects.bulk_create(rows)
    with pytest.raises(TooMany):
        file(Person(visitor_id=Visitor.objects.create().pk))
    file(Person(user=candidate))


def test_my_reports_say_what_became_of_them(client: Client, candidate: User, other_candidate: User) -> None:
    client.force_login(candidate)
    response = answered(client)
    client.post(REPORT, {"kind": "other", "words": "look & see", "response": response.pk})
    assert "还没有人看" in client.get("/me/").content.decode()
    Report.objects.update(resolved_at=timezone.now(), note="改了，谢谢。")
    page = client.get("/me/").content.decode()
    assert "look &amp; see" in page
    assert "已处理：改了，谢谢。" in page
    other = Client()
    other.force_login(other_candidate)
    assert "look &amp; see" not in other.get("/me/").content.decode()


def test_a_visitor_s_reports_become_the_user_s_at_sign_in(client: Client, candidate: User) -> None:
    response = answered(client)
    client.post(REPORT, {"kind": "text", "response": response.pk})
    client.post("/accounts/login/", {"login": candidate.username, "password": PASSWORD})
    assert Report.objects.get().user == candidate


# --- in the admin -------------------------------------------------------------------------------------
@pytest.fixture
def report(client: Client, candidate: User) -> Report:
    client.force_login(candidate)
    response = answered(client)
    client.post(REPORT, {"kind": "answer", "words": "I get 2.", "response": response.pk})
    return Report.objects.get()


def test_an_instructor_resolves_it_with_a_note(report: Report, instructor: User) -> None:
    desk = Client()
    desk.force_login(instructor)
    address = f"/admin/quiz/report/{report.pk}/change/"
    page = desk.get(address).content.decode()
    right = vary("scaled_entry", 7).right["scaled"]
    for shown in ("I get 2.", "999", f"{right}"):
        assert shown in page
    assert desk.post(address, {"note": "The answer is right."}).status_code == 302
    report.refresh_from_db()
    assert (report.note, report.resolved_by) == ("The answer is right.", instructor)
    assert report.resolved_at is not None
    assert report.words == "I get 2."


@pytest.mark.parametrize("language", ["zh-hans", "en"])
@pytest.mark.parametrize("key", ["right", "partial", "wrong", "wrong_shape", "malformed", "ambiguous"])
def test_the_verdict_is_told_as_on_the_page(
    report: Report, instructor: User, key: VerdictKey, language: str
) -> None:
    Response.objects.update(verdict=key, diagnosis=[])
    desk = Client()
    desk.force_login(instructor)
    desk.cookies["language"] = language
    heading = CATALOGUE[key].heading.in_language(language)
    page = desk.get(f"/admin/quiz/report/{report.pk}/change/").content.decode()
    assert f'<div class="readonly">{heading}</div>' in page
    assert f'<td class="field-verdict">{heading}</td>' in desk.get("/admin/quiz/report/").content.decode()


@pytest.mark.parametrize(
    ("diagnosis", "told"),
    [
        (["no_scale"], "忘了除以 √d_k [no_scale]"),
        (["no_scale", "slip_rounding"], "忘了除以 √d_k [no_scale] 还是 四舍五入得太早 [slip_rounding]"),
        (["no_longer_known"], "no_longer_known"),
        ([], "–"),
    ],
)
def test_mistakes_are_told_by_title_and_slug(
    report: Report, instructor: User, diagnosis: list[str], told: str
) -> None:
    Response.objects.update(diagnosis=diagnosis)
    desk = Client()
    desk.force_login(instructor)
    page = desk.get(f"/admin/quiz/report/{report.pk}/change/").content.decode()
    assert f'<div class="readonly">{told}</div>' in page


def test_several_are_resolved_from_the_list(report: Report, instructor: User) -> None:
    desk = Client()
    desk.force_login(instructor)
    data = {"action": "resolve", "_selected_action": [report.pk]}
    page = desk.post("/admin/quiz/report/", data, follow=True).content.decode()
    assert "已处理 1 条。" in page
    report.refresh_from_db()
    assert report.resolved_by == instructor
    assert "I get 2." not in desk.get("/admin/quiz/report/?state=open").content.decode()
    assert "I get 2." in desk.get("/admin/quiz/report/?state=resolved").content.decode()


def test_a_grader_reads_it_and_changes_nothing(report: Report, grader: User) -> None:
    desk = Client()
    desk.force_login(grader)
    address = f"/admin/quiz/report/{report.pk}/change/"
    assert "I get 2." in desk.get(address).content.decode()
    assert desk.post(address, {"note": "no"}).status_code == 403
    data = {"action": "resolve", "_selected_action": [report.pk]}
    desk.post("/admin/quiz/report/", data)
    report.refresh_from_db()
    assert (report.note, report.resolved_at) == ("", None)


def test_nobody_adds_or_deletes_reports_in_the_admin(report: Report, instructor: User) -> None:
    desk = Client()
    desk.force_login(instructor)
    assert desk.get("/admin/quiz/report/add/").status_code == 403
    assert desk.post(f"/admin/quiz/report/{report.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Report.objects.count() == 1
