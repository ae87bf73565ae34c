"""Reads the shipped files by the shortest way: tests of content do not lean on the parser they check."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CONTENT = Path(__file__).resolve().parents[2] / "quiz" / "bank" / "content"
FENCE = re.compile(r"^( *)(`{3,}|~{3,})([^\n]*)\n(.*?)^\1\2[ ]*$", re.S | re.M)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.S)
LIVE = re.compile(r"\{\{(.+?)\}\}")
CODE = re.compile(r"`[^`\n]+`")
TERM = re.compile(r"\[\[[a-z0-9_]+(?:\|([^\]\n]+))?\]\]")
ADDRESS = re.compile(r"\]\([^)\s]+\)|<https?://[^>\s]+>")
HAN = re.compile(r"[\u4e00-\u9fff]")
PART = re.compile(r"^# (.+)$", re.M)


@dataclass(frozen=True)
class File:
    path: Path
    facts: dict[str, Any]
    body: str

    @property
    def texts(self) -> str:
        """All that a reader sees but blocks and code: the title, what it examines, the body."""
        shown = FENCE.sub(lambda m: m[4] if m[3].strip() == "correction" else "", self.body)
        return "\n".join([self.facts["title"], self.facts.get("examines", ""), shown])

    @property
    def answer(self) -> str:
        """The 30-second answer of a question."""
        return self.parts["short answer"]

    @property
    def parts(self) -> dict[str, str]:
        """What stands under each `# heading`."""
        _, *cut = PART.split(FENCE.sub(lambda m: m[0].replace("\n#", "\n¤"), self.body))
        return {heading: text.strip() for heading, text in zip(cut[::2], cut[1::2], strict=True)}

    @property
    def formulas(self) -> list[str]:
        return [block or inline for block, inline in FORMULA.findall(self.texts)]

    @property
    def words(self) -> str:
        """The texts without addresses, the words of a link to the glossary in its place."""
        return ADDRESS.sub("]", TERM.sub(lambda m: m[1] or " ¤ ", self.texts))

    @property
    def prose(self) -> str:
        """The words alone: formulas, code and live numbers become one mark each."""
        return CODE.sub(" ¤ ", FORMULA.sub(" ¤ ", LIVE.sub(" ¤ ", self.words)))


def _read(path: Path) -> File:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return File(path, yaml.safe_load(front), body.strip())


def files(kind: str, language: str) -> dict[str, File]:
    """The files of `kind` ("questions" or "sections") by the number in their names."""
    ending = f".{language}.md"
    found = sorted((CONTENT / kind).glob(f"*{ending}"))
    return {path.name.removesuffix(ending): _read(path) for path in found}


def start(language: str) -> File:
    """The start page."""
    return _read(CONTENT / f"start.{language}.md")


def all_files() -> list[File]:
    kinds = [(kind, language) for kind in ("questions", "sections") for language in ("zh-hans", "en")]
    found = [file for kind, language in kinds for file in files(kind, language).values()]
    return [*found, start("zh-hans"), start("en")]
