"""Reads the shipped files by the shortest way: tests of content do not lean on the parser they check."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CONTENT = Path(__file__).resolve().parents[2] / "quiz" / "bank" / "content"
ANSWER = "# short answer"
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.S)
LIVE = re.compile(r"\{\{(.+?)\}\}")
CODE = re.compile(r"`[^`\n]+`")
HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class File:
    path: Path
    facts: dict[str, Any]
    body: str

    @property
    def texts(self) -> str:
        """All that a reader sees: the title, what it examines, the body."""
        return "\n".join([self.facts["title"], self.facts.get("examines", ""), self.body])

    @property
    def answer(self) -> str:
        return self.body.removeprefix(ANSWER).strip()

    @property
    def formulas(self) -> list[str]:
        return [block or inline for block, inline in FORMULA.findall(self.texts)]

    @property
    def prose(self) -> str:
        """The words alone: formulas, code and live numbers become one mark each."""
        return CODE.sub(" ¤ ", FORMULA.sub(" ¤ ", LIVE.sub(" ¤ ", self.texts)))


def _read(path: Path) -> File:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return File(path, yaml.safe_load(front), body.strip())


def files(kind: str, language: str) -> dict[str, File]:
    """The files of `kind` ("questions" or "sections") by the number in their names."""
    ending = f".{language}.md"
    found = sorted((CONTENT / kind).glob(f"*{ending}"))
    return {path.name.removesuffix(ending): _read(path) for path in found}


def all_files() -> list[File]:
    kinds = [(kind, language) for kind in ("questions", "sections") for language in ("zh-hans", "en")]
    return [file for kind, language in kinds for file in files(kind, language).values()]
