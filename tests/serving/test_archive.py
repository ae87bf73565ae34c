"""A back-up holds everything, restores to exactly that, on either engine, or changes nothing at all."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import models
from django.utils import timezone

from quiz.accounts.models import User, Visitor
from quiz.bank.models import Question
from quiz.management.archive.tables import column_names, kept_models
from quiz.responses.models import Response, Variant
from quiz.work.models import Job, Worker
from tests.databases import RealDatabase

Contents = dict[str, list[tuple[Any, ...]]]


def contents() -> Contents:
    """Every row of every table that is kept, read column by column."""
    found = {}
    for model in kept_models():
        rows = model._base_manager.order_by("pk").values_list(*column_names(model))
        found[model._meta.label] = list(rows)
    return found


@pytest.fixture
def filled(bank: None, candidate: User, other_candidate: User) -> Contents:
    """A bank with an edit in its history, answers of a user and of a visitor, a session, a job."""
    question = Question.objects.get(number=12)
    text = question.texts.get(language="zh-hans")
    text.short_answer = '换行\n引号" 反斜线\\ 零宽\u200b 表情😀 \u2028'
    text.save()
    variant = Variant.objects.create(
        family="softmax_row", seed=2**62 + 1, version=1, drawn={"x": [0.1, 1e-300, -0.0], "空": None}
    )
    visitor = Visitor.objects.create(seen_at=timezone.now())
    owners: tuple[dict[str, Any], ...] = ({"user": candidate}, {"visitor": visitor})
    for owner in owners:
        marked = {"raw": {"weights": "１，２"}, "verdict": "partial", "score": 1 / 3, "marking_version": 1}
        Response.objects.create(variant=variant, **marked, **owner)
    now = timezone.now()
    Job.objects.create(kind="lab_run", queue="lab", state="done", finished_at=now, due_at=now)
    Worker.objects.create(name="w", queue="lab", host="h", started_at=now, seen_at=now)
    return contents()


def backup(path: Path) -> Path:
    call_command("backup", str(path), stdout=StringIO())
    return path


def restore(path: Path, **options: bool) -> None:
    call_command("restore", str(path), stdout=StringIO(), **options)


def refusal(path: Path, **options: bool) -> str:
    """Why the restore was refused; nothing may have changed."""
    before = contents()
    with pytest.raises(CommandError) as refused:
        restore(path, **options)
    assert contents() == before
    return str(refused.value)


@pytest.fixture
def archive(filled: Contents, tmp_path: Path) -> Path:
    return backup(tmp_path / "all.zip")


def rewrite(archive: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """A copy of the archive with members changed, or left out where `change` gives None."""
    other = archive.with_name("changed.zip")
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return other


def with_manifest(archive: Path, **changes: Any) -> Path:
    def change(name: str, content: bytes) -> bytes:
        return json.dumps(json.loads(content) | changes).encode() if name == "manifest.json" else content

    return rewrite(archive, change)


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
class TestRoundTrip:
    def test_every_row_comes_back_exactly(self, filled: Contents, tmp_path: Path) -> None:
        path = backup(tmp_path / "all.zip")
        User.objects.create_user("late")
        Question.objects.filter(number=12).delete()
        Visitor.objects.all().delete()
        assert contents() != filled
        restore(path, replace=True)
        assert contents() == filled
        assert sum(map(len, filled.values())) > 500

    def test_new_rows_get_new_keys_afterwards(self, archive: Path) -> None:
        restore(archive, replace=True)
        newest = max(User.objects.values_list("pk", flat=True))
        assert User.objects.create_user("next").pk == newest + 1

    def test_a_second_backup_holds_the_same_rows(self, archive: Path) -> None:
        restore(archive, replace=True)
        again = backup(archive.with_name("again.zip"))
        with zipfile.ZipFile(archive) as first, zipfile.ZipFile(again) as second:
            told = [json.loads(file.read("manifest.json"))["members"] for file in (first, second)]
        assert told[0] == told[1]

    def test_an_empty_database_needs_no_permission(self, archive: Path, filled: Contents) -> None:
        call_command("flush", interactive=False, verbosity=0)
        restore(archive)
        assert contents() == filled

    def test_a_filled_database_is_refused_without_replace(self, archive: Path) -> None:
        reason = refusal(archive)
        assert "the database is not empty" in reason
        assert "quiz.User (2)" in reason
        assert "--replace" in reason

    def test_rows_that_break_a_foreign_key_change_nothing(self, archive: Path) -> None:
        """Valid by its checksums, and still refused by the database at the end of the transaction."""
        empty = {"count": 0, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
        with zipfile.ZipFile(archive) as file:
            members = json.loads(file.read("manifest.json"))["members"]
        members["quiz.variant"] |= empty
        emptied = rewrite(
            archive, lambda name, content: b"" if name == "rows/quiz.variant.jsonl" else content
        )
        assert "refuses" in refusal(with_manifest(emptied.rename(archive), members=members), replace=True)


@pytest.mark.django_db
class TestRefusals:
    def test_a_file_that_is_no_archive(self, archive: Path) -> None:
        other = archive.with_name("other")
        other.write_bytes(b"PK but no zip")
        assert "cannot be read as a back-up" in refusal(other, replace=True)
        assert "cannot be read as a back-up" in refusal(archive.with_name("missing"), replace=True)

    def test_an_archive_cut_short(self, archive: Path) -> None:
        cut = archive.with_name("cut.zip")
        cut.write_bytes(archive.read_bytes()[:-100])
        assert "cannot be read as a back-up" in refusal(cut, replace=True)

    def test_a_flipped_byte(self, archive: Path) -> None:
        content = bytearray(archive.read_bytes())
        content[len(content) // 2] ^= 0xFF
        archive.write_bytes(content)
        assert "back-up" in refusal(archive, replace=True)

    def test_a_changed_row(self, archive: Path) -> None:
        changed = rewrite(archive, lambda name, content: content.replace(b'"wu"', b'"mu"'))
        assert "rows/quiz.user.jsonl does not match its SHA-256" in refusal(changed, replace=True)

    def test_a_missing_member(self, archive: Path) -> None:
        changed = rewrite(archive, lambda name, content: None if "quiz.job" in name else content)
        assert "rows/quiz.job.jsonl is missing" in refusal(changed, replace=True)

    def test_no_manifest(self, archive: Path) -> None:
        changed = rewrite(archive, lambda name, content: None if name == "manifest.json" else content)
        assert "it has no manifest" in refusal(changed, replace=True)

    def test_another_format(self, archive: Path) -> None:
        assert "has format 99" in refusal(with_manifest(archive, format=99), replace=True)

    def test_other_migrations(self, archive: Path) -> None:
        reason = refusal(with_manifest(archive, migrations=["quiz.0099_later"]), replace=True)
        assert "lacking here: quiz.0099_later" in reason
        assert "quiz.0001_initial" in reason


@pytest.mark.django_db
def test_a_backup_is_for_its_owner_and_replaces_a_file_only_when_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "all.zip"
    path.write_text("the last good one")

    def broken(_model: type[models.Model]) -> Iterator[bytes]:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("quiz.management.archive.writing.lines", broken)
        with pytest.raises(CommandError, match="cannot be written: No space left on device"):
            backup(path)
    assert path.read_text() == "the last good one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["all.zip"]
    backup(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert zipfile.is_zipfile(path)


FILL = """
import django; django.setup()
from django.core.management import call_command
call_command("sync_bank", verbosity=0)
from quiz.accounts.models import User
User.objects.create_user("lin", password="correct horse")
"""
DIGEST = """
import django; django.setup()
import hashlib
from quiz.management.archive.tables import kept_models, lines
for model in kept_models():
    print(model._meta.label, hashlib.sha256(b"".join(lines(model))).hexdigest())
"""


def test_a_backup_while_serving(real_database: RealDatabase, tmp_path: Path) -> None:
    """A picture of one moment: a writer adds to two tables at once, and each copy has as many of both."""
    writer = real_database.start("-m", "tests.work.actor", "write_for", "4", log="writer")
    sizes = []
    while writer.poll() is None:
        real_database.run("manage.py", "backup", str(tmp_path / "all.zip"))
        with zipfile.ZipFile(tmp_path / "all.zip") as archive:
            visitors = archive.read("rows/quiz.visitor.jsonl").count(b"\n")
            assert archive.read("rows/sessions.session.jsonl").count(b"\n") == visitors
        sizes.append(visitors)
    assert writer.wait() == 0, real_database.log("writer")
    assert int(real_database.log("writer").split()[-1]) >= sizes[-1]
    assert sizes == sorted(sizes)


@pytest.mark.prove
@pytest.mark.parametrize("there", ["postgres", "sqlite_file"])
def test_from_one_engine_to_the_other(there: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    target: RealDatabase = request.getfixturevalue(there)
    source: RealDatabase = request.getfixturevalue({"postgres": "sqlite_file"}.get(there, "postgres"))
    source.run("-c", FILL)
    source.run("manage.py", "backup", str(tmp_path / "all.zip"))
    target.run("manage.py", "restore", str(tmp_path / "all.zip"))
    assert target.run("-c", DIGEST).stdout == source.run("-c", DIGEST).stdout
    [[users, questions]] = target.rows(
        "SELECT (SELECT COUNT(*) FROM quiz_user), (SELECT COUNT(*) FROM quiz_question)"
    )
    assert (users, questions) == (1, 39)
