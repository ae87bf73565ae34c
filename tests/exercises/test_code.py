"""Every variant as NumPy code: run by itself it gives the answer, with nothing but NumPy in reach."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from quiz.exercises import code
from quiz.exercises.comparing import cells_of, shape_of
from quiz.exercises.drawing import vary
from quiz.exercises.family import Family
from quiz.exercises.registry import all_families
from quiz.exercises.variants import Variant
from tests.exercises.drawn import variants_from

FAMILIES = pytest.mark.parametrize(
    "family", [family for family in all_families() if family.group == "numeric"], ids=lambda f: f.slug
)


def run(text: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[str]]:
    """The script's variables and the lines it printed."""
    names: dict[str, Any] = {}
    exec(compile(text, "<variant>", "exec"), names)
    return names, capsys.readouterr().out.splitlines()


def as_list(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def reproduces(variant: Variant, names: dict[str, Any]) -> list[str]:
    """The parts that the script gets wrong."""
    wrong = []
    for part in variant.parts:
        if part.kind == "choice":
            continue
        given, right = as_list(names[part.name]), variant.right[part.name]
        close = shape_of(given) == shape_of(right) and all(
            one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
            for one, other in zip(cells_of(given), cells_of(right), strict=True)
        )
        if not close:
            wrong.append(f"{part.name}: {given} != {right}")
    return wrong


@FAMILIES
def test_the_code_of_every_variant_gives_its_answer(
    family: Family, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in variants_from(family.slug, range(30)):
        names, lines = run(code.numpy_code(variant), capsys)
        assert reproduces(variant, names) == [], variant.seed
        labels = [part.label.zh for part in variant.parts if part.kind != "choice"]
        assert sum(line.startswith(tuple(f"{label}:" for label in labels)) for line in lines) == len(labels)


@pytest.mark.prove
@FAMILIES
def test_the_code_gives_the_answer_of_many_variants(
    family: Family, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in variants_from(family.slug, range(1000, 2000)):
        assert reproduces(variant, run(code.numpy_code(variant), capsys)[0]) == [], variant.seed


@FAMILIES
def test_the_code_imports_numpy_alone_and_holds_no_answer(family: Family) -> None:
    variant = vary(family.slug, 9)
    tree = ast.parse(code.numpy_code(variant, "en"))
    imported = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imported == ["import numpy as np"]
    written = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    for part in variant.required:
        found = [cell for cell in cells_of(variant.right[part.name]) if isinstance(cell, float)]
        assert not {cell for cell in found if cell != int(cell)} & written


@FAMILIES
def test_the_code_of_another_variant_gives_another_answer(
    family: Family, capsys: pytest.CaptureFixture[str]
) -> None:
    """So the comparison above can fail."""
    one = vary(family.slug, 1)
    names, _ = run(code.numpy_code(one), capsys)
    others = [vary(family.slug, seed) for seed in range(2, 40)]
    other = next(v for v in others if any(v.right[p.name] != one.right[p.name] for p in one.required))
    assert reproduces(other, names) != []


def test_a_slug_of_the_code_is_a_family() -> None:
    slugs = {family.slug for family in all_families()}
    assert set(code._snippets()) <= slugs


def test_code_speaks_the_reader_s_language() -> None:
    variant = vary("kv_cache", 3)
    assert code.numpy_code(variant, "zh-hans").startswith("# 算出 KV Cache 占多少显存 · 变式 3\nimport numpy")
    english = code.numpy_code(variant, "en")
    assert english.startswith("# The size of a KV cache · variant 3\n")
    assert english.endswith("print('whole batch (GiB):', batch)\n")


def test_code_given_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from quiz.exercises.code import layering, scoring

    monkeypatch.setattr(layering, "CODE", dict(scoring.CODE))
    code._snippets.cache_clear()
    try:
        with pytest.raises(ValueError, match="score_entry"):
            code.has_code("score_entry")
    finally:
        monkeypatch.undo()
        code._snippets.cache_clear()
