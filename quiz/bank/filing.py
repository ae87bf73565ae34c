"""One content file, read strictly: what is asked of it is answered, or complained about with its line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quiz.bank.answers import Shape, faults
from quiz.bank.checking import check
from quiz.bank.frontmatter import Document, Part, parts_of, take_apart
from quiz.bank.specs import ContentError


@dataclass
class Complaints:
    """Where everything that is wrong is gathered."""

    errors: list[ContentError] = field(default_factory=list)

    def add(self, path: Path, line: int, message: str) -> None:
        self.errors.append(ContentError(path, line, message))


@dataclass(frozen=True)
class ContentFile:
    """A file taken apart, with the place where complaints go."""

    path: Path
    document: Document
    complaints: Complaints
    language: str

    @classmethod
    def read(cls, path: Path, complaints: Complaints, language: str) -> ContentFile:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            complaints.add(path, 1, f"the file cannot be read: {error}")
            text = "---\n---\n"
        file = cls(path, take_apart(text), complaints, language)
        for line, message in file.document.wrong:
            complaints.add(path, line, message)
        return file

    def complain(self, name: str, message: str) -> None:
        """Complain at the line of a field, or at the top where the field is missing."""
        known = self.document.fields.get(name)
        self.complaints.add(self.path, known.line if known else 1, message)

    def allow(self, names: Collection[str]) -> None:
        """Complain about every field that is not one of these."""
        for name in self.document.fields:
            if name not in names:
                self.complain(
                    name, f"{name!r} is not a field of this file; its fields: {', '.join(sorted(names))}"
                )

    def word(self, name: str) -> str:
        """A text; numbers must stand in quotes, for 7.10 would become 7.1."""
        value = self._value(name)
        if value is not None and not isinstance(value, str):
            self.complain(name, f"{name} must be a text in quotes")
            return ""
        return (value or "").strip()

    def has(self, name: str) -> bool:
        return name in self.document.fields

    def whole_number(self, name: str) -> int | None:
        value = self._value(name)
        if value is not None and not _is_whole(value):
            self.complain(name, f"{name} must be a whole number")
            return None
        return None if value is None else int(value)

    def whole_numbers(self, name: str, known: Collection[int], kind: str) -> tuple[int, ...]:
        """A list of whole numbers, each of them known, none twice; empty where the field is not there."""
        value = self._value(name) if self.has(name) else None
        if value is None:
            return ()
        if not isinstance(value, list) or not all(_is_whole(entry) for entry in value):
            self.complain(name, f"{name} must be a list of whole numbers")
            return ()
        self._check_entries(name, value, known, kind)
        return tuple(value)

    def one_of(self, name: str, choices: Collection[str]) -> str:
        value = self.word(name)
        if value and value not in choices:
            self.complain(name, f"{name} is {value!r}; it must be one of {', '.join(choices)}")
        return value

    def words(self, name: str, known: Collection[str], kind: str, *, at_least: int = 0) -> tuple[str, ...]:
        """A list of texts, each of them known, none twice."""
        value = self._value(name)
        if value is None:
            return ()
        if not isinstance(value, list) or any(not isinstance(entry, str) for entry in value):
            self.complain(name, f"{name} must be a list of texts in quotes")
            return ()
        if len(value) < at_least:
            self.complain(name, f"{name} needs at least {at_least}")
        self._check_entries(name, value, known, kind)
        return tuple(value)

    def line_of_text(self, name: str, limit: int) -> str:
        """One line of Markdown, not empty, at most `limit` characters, its formulas and numbers checked."""
        text = self.word(name)
        if name in self.document.fields and not text:
            self.complain(name, f"{name} is empty")
        if "\n" in text or len(text) > limit:
            self.complain(name, f"{name} must be one line of at most {limit} characters")
        for problem in check(text, self.language):
            self.complain(name, problem.message)
        return text

    def body(self) -> str:
        """The whole Markdown after the front matter, checked; it may be empty."""
        self._check_markdown(self.document.body, self.document.body_line)
        return self.document.body.strip()

    def parts(self, shapes: Sequence[Shape], *, whole: bool) -> dict[str, str]:
        """The Markdown under each `# heading`, by field: in order, each once, none empty, built by its shape.

        `whole`: a part that is not there is complained about.
        """
        known = {shape.heading: shape for shape in shapes}
        found: dict[str, str] = {}
        last = -1
        for part in parts_of(self.document.body, self.document.body_line):
            shape = known.get(part.heading)
            if shape is None:
                told = f"the heading {part.heading!r}" if part.heading else "text before the first heading"
                self.add(part.line, f"{told}: expected # {' or # '.join(known)}")
                continue
            place = shapes.index(shape)
            if shape.field in found:
                self.add(part.line, f"the heading {part.heading!r} is there twice")
            elif place < last:
                self.add(part.line, f"# {part.heading} stands after # {shapes[last].heading}")
            last = max(last, place)
            self._check_part(part, shape)
            found[shape.field] = part.content.strip()
        for shape in shapes:
            if whole and shape.field not in found and not self.document.wrong:
                self.add(self.document.body_line, f"# {shape.heading} is missing")
        return found

    def add(self, line: int, message: str) -> None:
        self.complaints.add(self.path, line, message)

    def _check_part(self, part: Part, shape: Shape) -> None:
        if not part.content.strip():
            self.add(part.line, f"nothing stands under # {part.heading}")
            return
        self._check_markdown(part.content, part.line)
        for line, message in faults(part.content, shape):
            self.add(part.line + line - 1, message)

    def _check_entries(self, name: str, entries: list[Any], known: Collection[Any], kind: str) -> None:
        if len(set(entries)) < len(entries):
            self.complain(name, f"{name} names something twice")
        for entry in entries:
            if entry not in known:
                self.complain(name, f"the {kind} {entry!r} does not exist")

    def _check_markdown(self, text: str, first_line: int) -> None:
        for problem in check(text, self.language):
            self.add(first_line + problem.line - 1, problem.message)

    def _value(self, name: str) -> Any:
        known = self.document.fields.get(name)
        if known is None:
            if not self.document.wrong:
                self.complain(name, f"{name} is missing")
            return None
        if known.value is None:
            self.complain(name, f"{name} is empty")
        return known.value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
