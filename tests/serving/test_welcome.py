"""The counts and hints of the first lines, and the static files that are collected only when changed."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.test import override_settings

from quiz.accounts.models import User
from quiz.bank.models import Question, Section
from quiz.exercises.registry import all_families
from quiz.management.serving import static_files, welcome
from quiz.management.serving.static_files import collect_when_changed
from quiz.management.serving.welcome import bank_text, first_steps, is_in_order, newest_device, python_path
from quiz.work.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_bank_is_counted_and_the_families_are_checked() -> None:
    for number in (1, 2, 3):
        Section.objects.create(number=f"7.{number}", position=number, is_published=number < 3)
    Question.objects.create(number=1, difficulty="basic")
    drills = sum(family.group == "drill" for family in all_families())
    families = f"{len(all_families()) - drills} exercise families, {drills} drills"
    assert bank_text() == f"1 question, 2 sections, {families} (checked)"


def test_a_broken_family_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(welcome, "mark", lambda variant, typed: SimpleNamespace(key="wrong"))
    monkeypatch.setattr(welcome, "all_families", lambda: (SimpleNamespace(slug="softmax_row"),))
    monkeypatch.setattr(welcome, "in_group", lambda group: ("softmax_row",) * (group == "numeric"))
    assert bank_text() == "0 questions, 0 sections, 1 exercise family, 0 drills (broken: softmax_row)"


def test_a_family_that_cannot_draw_is_not_in_order(caplog: pytest.LogCaptureFixture) -> None:
    assert not is_in_order("no such family")
    assert "no such family" in caplog.text
    assert is_in_order("softmax_row")


def test_an_administrator_is_asked_for_until_there_is_one() -> None:
    assert first_steps() == f"first administrator: {python_path()} manage.py createsuperuser   stop: Ctrl-C"
    User.objects.create_superuser("root")
    assert first_steps() == "stop: Ctrl-C"


def test_python_is_named_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    with override_settings(BASE_DIR=tmp_path):
        assert python_path() == ".venv/bin/python"
    with override_settings(BASE_DIR=tmp_path / "elsewhere"):
        assert python_path() == str(tmp_path / ".venv/bin/python")


def test_the_device_is_that_of_a_worker_started_since() -> None:
    for name, day, device in (("a", 1, "old"), ("b", 3, ""), ("c", 2, "CPU")):
        at = datetime(2026, 3, day, tzinfo=UTC)
        Worker.objects.create(name=name, queue="lab", host="h", device=device, started_at=at, seen_at=at)
    assert newest_device(since=datetime(2026, 3, 2, tzinfo=UTC).timestamp()) == "CPU"
    assert newest_device(since=datetime(2026, 3, 2, 1, tzinfo=UTC).timestamp()) == ""


def test_static_files_are_collected_when_one_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finders' own list is replaced by a folder of one file; what is collected is real."""
    source, root = tmp_path / "source", tmp_path / "root"
    source.mkdir()
    style = source / "a.css"
    style.write_text("a{}")
    monkeypatch.setattr(static_files, "_sources", lambda: iter(sorted(source.iterdir())))
    with override_settings(STATIC_ROOT=root, STATICFILES_DIRS=[source]):
        assert [collect_when_changed(), collect_when_changed()] == [True, False]
        assert (root / "a.css").read_text() == "a{}"
        style.write_text("a{color:red}")
        os.utime(style, (2_000_000_000, 2_000_000_000))  # collectstatic counts in whole seconds
        assert [collect_when_changed(), collect_when_changed()] == [True, False]
        assert (root / "a.css").read_text() == "a{color:red}"
        (source / "b.css").write_text("b{}")
        assert [collect_when_changed(), collect_when_changed()] == [True, False]


def test_the_real_sources_have_a_steady_fingerprint() -> None:
    first = static_files.fingerprint_sources()
    assert first == static_files.fingerprint_sources()
    with override_settings(STORAGES={"staticfiles": {"BACKEND": "another"}}):
        assert static_files.fingerprint_sources() != first
