"""A content file: YAML between two lines of `---`, then Markdown. Every value keeps the line it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from quiz.bank.scanning import scan

_HEADINGS = {mark: re.compile(rf"^{mark} (.+?)[ \t]*$", re.MULTILINE) for mark in ("#", "##")}


@dataclass(frozen=True)
class Field:
    """A value of the front matter and its line."""

    value: Any
    line: int


@dataclass(frozen=True)
class Part:
    """What stands under one heading; `line` is that of the heading."""

    heading: str
    content: str
    line: int


@dataclass
class Document:
    """A file taken apart. `wrong` holds what could not be read, as (line, message)."""

    fields: dict[str, Field] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    wrong: list[tuple[int, str]] = field(default_factory=list)


def take_apart(text: str) -> Document:
    """Split a file; nothing is raised, what is wrong is in `wrong`."""
    document = Document()
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        document.wrong.append((1, "the file does not begin with a line of ---"))
        return document
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        document.wrong.append((1, "the front matter is not closed by a line of ---"))
        return document
    _read_fields("\n".join(lines[1:end]), document)
    document.body, document.body_line = "\n".join(lines[end + 1 :]), end + 2
    return document


def _read_fields(source: str, document: Document) -> None:
    try:
        loader = yaml.SafeLoader(source)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            document.wrong.append((2, "the front matter holds no `name: value` lines"))
            return
        for key, value in node.value:
            line = key.start_mark.line + 2
            name = str(loader.construct_object(key, deep=True))
            if name in document.fields:
                document.wrong.append((line, f"{name!r} is given twice"))
            document.fields[name] = Field(loader.construct_object(value, deep=True), line)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        document.wrong.append(((mark.line if mark else 0) + 2, f"YAML: {error.problem or error.context}"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        document.wrong.append((2, f"YAML: {error}"))


def parts_of(body: str, first_line: int, mark: str = "#") -> Iterator[Part]:
    """The body cut at its `# headings` (not those inside code); text before the first has the heading "".

    `mark` is "#" or "##". A part's content begins on the line of its heading, with the line break.
    """
    blanked = with_fences_blanked(body)
    cuts = list(_HEADINGS[mark].finditer(blanked))
    ends = [cut.start() for cut in cuts[1:]] + [len(body)]
    before = body[: cuts[0].start()] if cuts else body
    if before.strip():
        yield Part("", before, first_line)
    for cut, end in zip(cuts, ends, strict=False):
        yield Part(cut[1].strip(), body[cut.end() : end], first_line + body.count("\n", 0, cut.start()))


def with_fences_blanked(body: str) -> str:
    """The body with the same length and lines, its fenced code replaced by spaces."""
    blanked, at = body, 0
    for piece in scan(body):
        at = body.index(piece.source, at)
        if piece.kind == "fence":
            spaces = re.sub(r"[^\n]", " ", piece.source)
            blanked = blanked[:at] + spaces + blanked[at + len(piece.source) :]
        at += len(piece.source)
    return blanked
