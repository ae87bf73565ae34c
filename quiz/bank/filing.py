"""One content file, read strictly: what is asked of it is answered, or complained about with its line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quiz.bank.checking import check
from quiz.bank.frontmatter import Document, parts_of, take_apart
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

    @classmethod
    def read(cls, path: Path, complaints: Complaints) -> ContentFile:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            complaints.add(path, 1, f"the file cannot be read: {error}")
            text = "---\n---\n"
        file = cls(path, take_apart(text), complaints)
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

    def whole_number(self, name: str) -> int | None:
        value = self._value(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            self.complain(name, f"{name} must be a whole number")
            return None
        return value

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
        if len(set(value)) < len(value):
            self.complain(name, f"{name} names something twice")
        for entry in value:
            if entry not in known:
                self.complain(name, f"the {kind} {entry!r} does not exist")
        return tuple(value)

    def line_of_text(self, name: str, limit: int) -> str:
        """One line of Markdown, not empty, at most `limit` characters, its formulas and numbers checked."""
        text = self.word(name)
        if name in self.document.fields and not text:
            self.complain(name, f"{name} is empty")
        if "\n" in text or len(text) > limit:
            self.complain(name, f"{name} must be one line of at most {limit} characters")
        for problem in check(text):
            self.complain(name, problem.message)
        return text

    def body(self) -> str:
        """The whole Markdown after the front matter, checked; it may be empty."""
        self._check_markdown(self.document.body, self.document.body_line)
        return self.document.body.strip()

    def parts(self, headings: Mapping[str, str]) -> dict[str, str]:
        """The Markdown under each of the headings, by field name; each exactly once and none empty."""
        found: dict[str, str] = {}
        for part in parts_of(self.document.body, self.document.body_line):
            name = headings.get(part.heading)
            if name is None:
                told = f"the heading {part.heading!r}" if part.heading else "text before the first heading"
                self.complaints.add(self.path, part.line, f"{told}: expected # {' or # '.join(headings)}")
                continue
            if name in found:
                self.complaints.add(self.path, part.line, f"the heading {part.heading!r} is there twice")
            if not part.content.strip():
                self.complaints.add(self.path, part.line, f"nothing stands under # {part.heading}")
            self._check_markdown(part.content, part.line)
            found[name] = part.content.strip()
        for heading, name in headings.items():
            if name not in found and not self.document.wrong:
                self.complaints.add(self.path, self.document.body_line, f"# {heading} is missing")
        return found

    def _check_markdown(self, text: str, first_line: int) -> None:
        for problem in check(text):
            self.complaints.add(self.path, first_line + problem.line - 1, problem.message)

    def _value(self, name: str) -> Any:
        known = self.document.fields.get(name)
        if known is None:
            if not self.document.wrong:
                self.complain(name, f"{name} is missing")
            return None
        if known.value is None:
            self.complain(name, f"{name} is empty")
        return known.value
