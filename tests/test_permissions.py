"""Who may see what: every address × visitor, candidate, other candidate, instructor, grader.

`own` rows belong to the candidate; a page that is the same for everybody has one status.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from quiz.accounts.models import User
from quiz.bank.models import Question
from quiz.lab import demos
from quiz.lab.models import Run
from quiz.practice.models import PracticeSet
from quiz.work.models import Job

pytestmark = pytest.mark.django_db

WHO = ("visitor", "candidate", "other_candidate", "instructor", "grader")
ALL_200 = (200,) * 5
AT_DESK = (302, 403, 403, 200, 200)
TO_SIGN_IN = 302

# name of the address: (method, path, statuses in the order of WHO)
TABLE: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "pages:home": ("get", "/", ALL_200),
    "pages:about": ("get", "/about/", ALL_200),
    "pages:health": ("get", "/health/", ALL_200),
    "pages:theme": ("post", "/theme/", (302,) * 5),
    "pages:desk": ("get", "/desk/", AT_DESK),
    "pages:families": ("get", "/desk/families/", AT_DESK),
    "pages:families_csv": ("get", "/desk/families/families.csv", AT_DESK),
    "pages:family": ("get", "/desk/families/softmax_row/", AT_DESK),
    "pages:family_unknown": ("get", "/desk/families/softmax_row/unknown/", AT_DESK),
    "pages:family_unknown_csv": ("get", "/desk/families/softmax_row/unknown/unknown.csv", AT_DESK),
    "set_language": ("post", "/i18n/setlang/", (302,) * 5),
    "bank:index": ("get", "/bank/", ALL_200),
    "bank:question": ("get", "/bank/12/", ALL_200),
    "bank:print": ("get", "/bank/print/", ALL_200),
    "bank:export": ("get", "/bank/export/", ALL_200),
    "bank:export_file": ("get", "/bank/export/en.html", ALL_200),
    "bank:preview": ("post", "/bank/preview/", (403, 403, 403, 200, 403)),
    "bank:chapter": ("get", "/chapter/", ALL_200),
    "bank:section": ("get", "/chapter/7.9/", ALL_200),
    "bank:oom": ("get", "/chapter/start/oom/?way=ac", ALL_200),
    "bank:tick": ("post", "/chapter/start/tasks/", (404,) * 5),
    "bank:read": ("post", "/chapter/7.9/read/", (303,) * 5),
    "bank:reached": ("post", "/chapter/7.9/reached/", (204,) * 5),
    "bank:search": ("get", "/search/?q=softmax", ALL_200),
    "bank:glossary": ("get", "/glossary/", ALL_200),
    "practice:index": ("get", "/exercises/", ALL_200),
    "practice:family": ("get", "/exercises/softmax_row/", (303,) * 5),
    "practice:variant": ("get", "/exercises/softmax_row/1/", ALL_200),
    "practice:answer": ("post", "/exercises/softmax_row/1/answer/", (303,) * 5),
    "practice:reading": ("post", "/exercises/softmax_row/1/reading/", ALL_200),
    "practice:help": ("post", "/exercises/softmax_row/1/help/", ALL_200),
    "practice:report": ("get", "/exercises/softmax_row/1/report/", (302, 200, 200, 200, 200)),
    "practice:set_start": ("post", "/practice/sets/", (303,) * 5),
    "practice:set": ("get", "/practice/sets/{set}/", (404, 200, 404, 404, 404)),
    "practice:set_item": ("get", "/practice/sets/{set}/1/", (404, 200, 404, 404, 404)),
    "practice:set_again": ("post", "/practice/sets/{set}/1/again/", (404, 303, 404, 404, 404)),
    "practice:me": ("get", "/me/", ALL_200),
    "lab:index": ("get", "/lab/", ALL_200),
    "lab:run": ("get", "/lab/{run}/", ALL_200),
    "lab:progress": ("get", "/lab/{run}/progress/", (302,) * 5),
    "lab:csv": ("get", "/lab/{run}/results.csv", ALL_200),
    "lab:json": ("get", "/lab/{run}/results.json", ALL_200),
    "lab:stored_csv": ("get", "/lab/stored/attention_length/cpu.csv", ALL_200),
    "lab:stored_json": ("get", "/lab/stored/attention_length/cpu.json", ALL_200),
    "lab:compare": ("get", "/lab/compare/?b=stored-cpu", ALL_200),
    "lab:cancel": ("post", "/lab/{run}/cancel/", (403, 302, 403, 302, 403)),
    "lab:start": ("post", "/lab/start/", (302,) * 5),
    "account_login": ("get", "/accounts/login/", (200, 302, 302, 302, 302)),
    "account_logout": ("get", "/accounts/logout/", (302, 200, 200, 200, 200)),
    "admin:index": ("get", "/admin/", (302, 302, 302, 200, 200)),
    "admin:quiz_question_changelist": ("get", "/admin/quiz/question/", (302, 302, 302, 200, 200)),
    "admin:quiz_question_add": ("get", "/admin/quiz/question/add/", (302, 302, 302, 200, 403)),
    "admin:quiz_question_change": (
        "get",
        "/admin/quiz/question/{question}/change/",
        (302, 302, 302, 200, 200),
    ),
    "admin:quiz_question_history": (
        "get",
        "/admin/quiz/question/{question}/history/",
        (302, 302, 302, 200, 200),
    ),
    "admin:quiz_question_delete": (
        "get",
        "/admin/quiz/question/{question}/delete/",
        (302, 302, 302, 403, 403),
    ),
    "admin:quiz_section_changelist": ("get", "/admin/quiz/section/", (302, 302, 302, 200, 200)),
    "admin:quiz_section_add": ("get", "/admin/quiz/section/add/", (302, 302, 302, 200, 403)),
    "admin:quiz_report_changelist": ("get", "/admin/quiz/report/", (302, 302, 302, 200, 200)),
    "admin:quiz_report_add": ("get", "/admin/quiz/report/add/", (302, 302, 302, 403, 403)),
    "admin:quiz_user_changelist": ("get", "/admin/quiz/user/", (302, 302, 302, 403, 403)),
    "admin:quiz_user_add": ("get", "/admin/quiz/user/add/", (302, 302, 302, 403, 403)),
    "api:list_families": ("get", "/api/v1/families", ALL_200),
    "api:show_variant": ("get", "/api/v1/families/softmax_row/1", ALL_200),
    "api:list_questions": ("get", "/api/v1/questions", ALL_200),
    "api:show_question": ("get", "/api/v1/questions/12", ALL_200),
    "api:openapi-view": ("get", "/api/v1/docs", ALL_200),
    "api:openapi-json": ("get", "/api/v1/openapi.json", ALL_200),
}
# What is posted where an empty form would be refused.
FORMS = {
    "practice:answer": {"weights.0.0": "0.5"},
    "practice:reading": {"part": "weights", "text": "0.5"},
    "practice:help": {"help": "1"},
    "practice:set_start": {"kind": "mixed"},
    "bank:read": {"read": "yes"},
    "bank:reached": {"place": "2"},
}
# Covered by tests of their own, or Django's own with no data of ours.
ELSEWHERE = {"api:read_text", "api:mark_response", "api:api-root"}


@pytest.fixture
def places(bank: None, candidate: User) -> dict[str, Any]:
    job = Job.objects.create(queue="lab", kind="lab", state="waiting", due_at=timezone.now())
    demo = demos.get("attention_length")
    parameters = demo.presets[0].parameters
    run = Run.objects.create(user=candidate, job=job, demo=demo.slug, parameters=parameters)
    made = PracticeSet.objects.create(
        user=candidate, kind="mixed", items=[{"family": "score_entry", "seeds": [1]}]
    )
    return {"run": run.pk, "question": Question.objects.get(number=12).pk, "set": made.pk}


# The whole chapter and bank are rendered for these, the same for everybody: it takes its time.
WHOLE = {"bank:print", "bank:export", "bank:export_file"}


@pytest.fixture
def everyone(candidate: User, other_candidate: User, instructor: User, grader: User) -> dict[str, Client]:
    clients = {"visitor": Client()}
    for who, user in zip(WHO[1:], (candidate, other_candidate, instructor, grader), strict=True):
        clients[who] = Client()
        clients[who].force_login(user)
    return clients


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.prove) if name in WHOLE else name for name in TABLE]
)
def test_who_may_see(name: str, everyone: dict[str, Client], places: dict[str, Any]) -> None:
    method, path, statuses = TABLE[name]
    seen = tuple(
        getattr(everyone[who], method)(path.format(**places), FORMS.get(name)).status_code for who in WHO
    )
    assert dict(zip(WHO, seen, strict=True)) == dict(zip(WHO, statuses, strict=True))


def test_no_browser_keeps_what_somebody_saw(everyone: dict[str, Client], places: dict[str, Any]) -> None:
    """Every address whose answer depends on who asks: whoever goes back after somebody signed out finds
    nothing of theirs."""
    personal = set()
    for name, (method, path, _statuses) in TABLE.items():
        if name in WHOLE:
            continue
        answer = getattr(everyone["candidate"], method)(path.format(**places), FORMS.get(name))
        if "Cookie" in answer.headers.get("Vary", ""):
            personal.add(name)
            assert "no-store" in answer.headers.get("Cache-Control", ""), name
    assert personal >= {
        "pages:home",
        "pages:desk",
        "practice:variant",
        "practice:set",
        "practice:me",
        "lab:run",
    }


def test_graders_cannot_save_what_they_can_see(everyone: dict[str, Client], places: dict[str, Any]) -> None:
    answer = everyone["grader"].post(
        f"/admin/quiz/question/{places['question']}/change/", {"difficulty": "basic"}
    )
    assert answer.status_code == 403


def names(patterns: list[Any], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield space + pattern.name


def test_every_address_is_in_the_table() -> None:
    ours = {name for name in names(get_resolver().url_patterns) if not re.match(r"admin:(?!quiz_)", name)}
    stock = {
        name for name in ours if name.startswith("admin:quiz_")
    }  # rows above stand for each kind of page
    assert ours - stock - ELSEWHERE == {name for name in TABLE if not name.startswith("admin:")}


def test_no_admin_address_opens_for_a_candidate(everyone: dict[str, Client]) -> None:
    """Every stock list and form of the admin, whatever model is registered next."""
    from django.contrib import admin

    for model in admin.site._registry:
        for page in ("", "add/"):
            path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{page}"
            assert everyone["candidate"].get(path).status_code == 302, path
