"""Every reason that the code can store is known to the module that tells it in the reader's language."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from attention_core.kernel_rules import FALLBACKS, Request, refusal
from attention_core.kernels.card import REASONS
from quiz.lab.demos.comparing import unsteady
from quiz.lab.reasons import SENTENCES, WORDS, translated, words
from tests.lab.planted import measured, row

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = sorted([*(ROOT / "attention_core").rglob("*.py"), *(ROOT / "quiz" / "lab").rglob("*.py")])
RAISED = {"UnsupportedKernel", "NoSuchDevice", "_without_figures"}  # their texts are stored
# These answer with a reason, or None; a name assigned from another one must be added here.
ANSWERING = {"refused_here", "_refused_by_triton", "refused_by_pytorch", "implausible", "_signal_name"}
PASSING = {"_reason", "_why", "str", "join", "first_line", "influenced_rows", "translated"}  # make no text
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# What stands in a text from elsewhere, where a sentence is made of two.
SAID = {
    "ceiling.said": ("what 8 cores of any processor could do", "the dense peak of NVIDIA H200 in float16")
}


def texts(node: ast.AST) -> Iterator[str]:
    """The texts that an expression may be, with a 7 for each value in them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = [
            [part.value] if isinstance(part, ast.Constant) else SAID.get(ast.unparse(part.value), ("7",))
            for part in node.values
        ]
        yield from ("".join(chosen) for chosen in itertools.product(*parts))
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def reasons(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions in a node of the tree that are stored as a reason."""
    if isinstance(node, ast.keyword) and node.arg == "reason":
        yield node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "reason":
                yield value
    elif isinstance(node, ast.Assign | ast.NamedExpr):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(one, ast.Name) and one.id in ("reason", "NO_RESULT") for one in targets):
            yield node.value
    elif isinstance(node, ast.Call) and _name(node.func) in RAISED:
        yield from node.args
    elif isinstance(node, ast.FunctionDef) and node.name in ANSWERING:
        yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)


def _name(function: ast.AST) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def stored() -> Iterator[tuple[str, ast.AST]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            yield from ((path.name, found) for found in reasons(node))


COLLECTED = sorted({text for _path, node in stored() for text in texts(node)})


def test_the_texts_of_the_code_are_found() -> None:
    assert len(COLLECTED) >= len(SENTENCES) - 2
    for expected in (
        "stopped after 7 s", "dispatched 7 instead", "no CUDA tensors", "signal 7", "the new kernel fails: 7",
        "the run is for a GPU, and the worker has none", "an explicit mask",
    ):  # fmt: skip
        assert expected in COLLECTED


def test_what_makes_a_reason_is_looked_into() -> None:
    """Another function that words one has to be named above, so that its texts are seen."""
    called = {_name(node.func) for _path, node in stored() if isinstance(node, ast.Call)}
    assert called - ANSWERING - PASSING == set()


@pytest.mark.parametrize("text", COLLECTED)
def test_every_stored_reason_is_told_in_the_language_of_the_reader(text: str) -> None:
    with translation.override("en"):
        assert translated(text) == text
    with translation.override("zh-hans"):
        assert CHINESE.search(translated(text))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_known_sentence_is_one_that_the_code_says(sentence: str) -> None:
    pattern = re.compile(re.sub(r"%\\\(\w+\\\)s", ".+", re.escape(sentence)))
    assert any(pattern.fullmatch(text) for text in [*COLLECTED, "exit code 7"])


def test_every_refusal_of_a_kernel_is_known() -> None:
    devices = [("cpu", None), ("cuda", (7, 5)), ("cuda", (9, 0))]
    choices = itertools.product(
        FALLBACKS, devices, ("float16", "bfloat16", "float32", "float64"), (64, 512), (False, True),
        (False, True), (False, True),
    )  # fmt: skip
    said = {
        refusal(
            backend,
            Request(
                device=device, capability=capability, dtype=dtype, width=width,
                value_width=width + 8 * interpreted, masked=masked, gradients=gradients,
                interpreted=interpreted,
            ),
        )
        for backend, (device, capability), dtype, width, masked, gradients, interpreted in choices
    } - {None}  # fmt: skip
    assert len(said) > 10
    with translation.override("zh-hans"):
        assert [text for text in said if text and not CHINESE.search(translated(text))] == []


def test_what_pytorch_adds_to_a_known_rule_stays_as_it_was_said() -> None:
    said = "float32: float16 and bfloat16 only. No available kernel. Aborting execution."
    with translation.override("zh-hans"):
        assert (
            translated(said) == "float32：只接 float16 和 bfloat16. No available kernel. Aborting execution."
        )
        for unknown in ("CUDA error: an illegal memory access", "ValueError: no. yes", "SIGSEGV", ""):
            assert translated(unknown) == unknown


def test_the_words_within_a_sentence_are_translated_too() -> None:
    with translation.override("zh-hans"):
        assert translated("the new kernel fails: error, causality") == "新内核没有通过：误差, 因果性"
        assert words("power cap, something new") == "功率上限, something new"


def test_the_reader_is_told_in_one_language_why_a_card_was_slow() -> None:
    slowed = measured(1, card_before={"throttled": list(REASONS.values())})
    assert set(REASONS.values()) <= set(WORDS)
    with translation.override("zh-hans"):
        told = unsteady([row("flash", 128, slowed)])[-1]
        assert "功率上限, 硬件降频, 软件温控, 硬件温控, 供电制动" in told


def test_a_refusal_with_nothing_free_is_told_as_a_sum_too() -> None:
    found = row("flash", 128, {
        "outcome": "refused", "reason": "needs 1024 bytes, 0 may be used (0 free × 0.9)",
        "needed_bytes": 1024, "free_bytes": 0,
    })  # fmt: skip
    with translation.override("en"):
        assert found.reason == (
            "not run: would not fit: needs 1 KiB; nine tenths of the 0 B that were free are 0 B"
        )
