"""The README is true: its settings are the settings file's, its commands exist, its links lead somewhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from quiz.exercises import registry
from tests import counted

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
TYPES = {"dj_db_url": "URL", "dj_email_url": "URL"}
# Defaults that are no literal in the settings, as the README words them.
WORDED = {
    "QUIZ_DATA_DIR": "`var`",
    "QUIZ_HOSTS": "`*`; none in production",
    "QUIZ_SECRET_KEY": "made in the data folder",
    "DATABASE_URL": "SQLite in the data folder",
    "QUIZ_TRUSTED_ORIGINS": "none",
}


def read_by_settings() -> dict[str, tuple[str, str]]:
    """Every env.<type>(name, default) of the settings file."""
    found = {}
    for node in ast.walk(ast.parse((ROOT / "quiz" / "settings.py").read_text())):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "env"):
            continue
        name = ast.literal_eval(node.args[0])
        kind = TYPES.get(node.func.attr, node.func.attr)
        default = WORDED.get(name) or f"`{eval(ast.unparse(node.args[1]))}`"
        found[name] = (kind, default)
    return found


def told_by_readme() -> dict[str, tuple[str, str]]:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\w+) \| (.+?) \| .+ \|$", README, re.MULTILINE)
    return {name: (kind, default) for name, kind, default in rows}


def test_every_setting_is_in_the_table_with_its_type_and_default() -> None:
    assert told_by_readme() == read_by_settings()


def test_environment_is_read_in_the_settings_only() -> None:
    """Other modules get their settings from Django, so that one table tells them all."""
    reads = re.compile(r"os\.environ\b(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\")|os\.getenv")
    allowed = {"settings.py"}
    stray = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "quiz").rglob("*.py")
        if path.name not in allowed
        for line in path.read_text().splitlines()
        if reads.search(line) and re.search(r"QUIZ_|DATABASE_URL", line)
    ]
    assert stray == []


def test_commands_named_exist() -> None:
    named = set(re.findall(r"manage\.py (\w+)", README))
    assert named - set(get_commands()) == set()


def test_make_targets_named_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    texts = README + (ROOT / "CONTRIBUTING.md").read_text()
    assert set(re.findall(r"make ([a-z]+)\b", texts)) & {"serve", "test", "prove", "check"} <= targets
    assert set(re.findall(r"`make ([a-z]+)", texts)) <= targets


def test_files_named_exist() -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    for source in re.findall(r'(?:src|srcset)="([^"]+)"', README):
        assert (ROOT / source).exists(), source


def test_counts_are_those_of_the_bank_and_the_registry() -> None:
    kinds = sum(family.group == "numeric" for family in registry.all_families())
    questions = len(list((ROOT / "quiz" / "bank" / "content" / "questions").glob("*.en.md")))
    assert f"{questions} questions to say aloud" in README
    assert f"{kinds} kinds of exercise" in README
    assert f"{questions} 道会问的题" in README
    assert f"{kinds} 类每次都换一组数的手算题" in README


@pytest.mark.prove
def test_figures_are_those_counted_now() -> None:
    assert counted.written() == counted.lines()
