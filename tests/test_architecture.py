"""The house rules that a machine can hold: size of rooms, import order, names, no inline script or style."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(p for room in ("quiz", "attention_core") for p in (ROOT / room).rglob("*.py"))
WRITTEN = [p for p in SOURCES if "migrations" not in p.parts]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
BANNED = {"utils", "util", "helpers", "common", "core", "base", "manager", "managers", "services", "misc"}
TOP_LEVEL = {
    "manage.py", "quiz", "attention_core", "templates", "static", "tests", "requirements.txt",
    "README.md", "pyproject.toml", "Makefile", "requirements-web.txt", "requirements-dev.txt",
    "CONTRIBUTING.md", "LICENSE",
    ".ci", ".gitignore",
}  # fmt: skip
# Array operators whose signatures are part of the public surface.
OPERATORS = {
    "flash",
    "steps",
    "attention",
    "trace",
    "trace_from_x",
    "rope",
    "prepare",
    "prepare_from_x",
    "run",
}
# Django calls these with its own signatures.
FRAMEWORK = {"formfield_for_dbfield", "save_model", "add_arguments"}


def length(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_files_are_small() -> None:
    assert {str(p.relative_to(ROOT)): length(p) for p in WRITTEN if length(p) > 400} == {}
    assert {str(p.relative_to(ROOT)): length(p) for p in TESTS if length(p) > 500} == {}
    rooms = [p for p in WRITTEN if length(p) > 1 and p.parent.name != "families"]  # a family is mostly prose
    assert statistics.median(length(p) for p in rooms) <= 100


def compiled_for_gpu(function: ast.FunctionDef) -> bool:
    """A Triton kernel: it takes pointers, sizes and constants one by one, and no structures."""
    return any(ast.unparse(decorator) == "triton.jit" for decorator in function.decorator_list)


def test_functions_are_short_and_take_few_parameters() -> None:
    long, wide = {}, {}
    for path in WRITTEN:
        for function in functions(path):
            if compiled_for_gpu(function):
                continue
            name = f"{path.relative_to(ROOT)}:{function.name}"
            body = (function.end_lineno or 0) - function.lineno + 1
            arguments = function.args
            count = len([a for a in arguments.posonlyargs + arguments.args if a.arg not in {"self", "cls"}])
            count += len(arguments.kwonlyargs)
            if body > 60:
                long[name] = body
            if count > 6 and function.name not in OPERATORS | FRAMEWORK and "costs" not in path.parts[-1]:
                wide[name] = count
    assert long == {}
    assert wide == {}


def test_modules_have_honest_names() -> None:
    assert [str(p.relative_to(ROOT)) for p in WRITTEN if {p.stem, p.parent.name} & BANNED] == []


def test_every_module_says_why_it_exists() -> None:
    silent = [
        str(p.relative_to(ROOT))
        for p in WRITTEN
        if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))
    ]
    assert silent == []


def test_top_level_holds_only_what_was_agreed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split("/")[0] for line in listed.stdout.splitlines()} <= TOP_LEVEL


def test_imports_go_downward_only() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:]


def test_no_feature_imports_the_index_of_models() -> None:
    index = re.compile(
        r"^\s*(from quiz\.models import|from quiz import models|import quiz\.models)", re.MULTILINE
    )
    assert [str(p.relative_to(ROOT)) for p in WRITTEN if index.search(p.read_text())] == []


def test_migrations_are_named() -> None:
    names = [p.stem for p in SOURCES if "migrations" in p.parts and p.stem != "__init__"]
    assert [name for name in names if "auto" in name or not re.fullmatch(r"\d{4}_[a-z_]+", name)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(ROOT / "templates")))
def test_templates_hold_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", text) == []
    assert re.findall(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)[^>]*>", text) == []
    assert re.findall(r"""(?:src|href|action)=["']?(?:https?:)?//""", text) == []


def test_requirements_are_pinned() -> None:
    for name in ("requirements.txt", "requirements-web.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text().splitlines():
            wanted = line.split("#")[0].split(";")[0].strip()
            assert not wanted or wanted.startswith("-r ") or re.fullmatch(r"[\w.\[\]-]+==[\w.]+", wanted), (
                line
            )


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("attention_core", ("torch", "django", "array_api_compat")),
        ("quiz.exercises.marking, quiz.exercises.drawing", ("torch", "django")),
        ("quiz.figures, quiz.expressions", ("torch", "django")),
    ],
)
def test_importing_pulls_in_neither_torch_nor_django(imported: str, absent: tuple[str, ...]) -> None:
    code = f"import {imported}, sys; print([m for m in {absent!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_web_process_never_imports_torch() -> None:
    """The WSGI application with every address and admin page loaded."""
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "import quiz.wsgi\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        "print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.strip() == "False", ran.stderr[-2000:]
