"""The files of one section to its spec."""

from __future__ import annotations

from quiz.bank.chaptering import START, faults, kinds_of
from quiz.bank.filing import ContentFile
from quiz.bank.models import Language
from quiz.bank.rules import Files, Rules
from quiz.bank.specs import SectionSpec, SectionTextSpec
from quiz.bank.twins import differences


def number_of(name: str) -> str:
    """`7.09`, as files are named, to the section's number `7.9`; `start` stays."""
    if name == START:
        return name
    return ".".join(str(int(part)) for part in name.split("."))


def read_section(name: str, files: Files, position: int, rules: Rules) -> SectionSpec:
    """The section of the files named `name`, everything wrong complained about."""
    number = number_of(name)
    texts = {language: _text(file, number, rules) for language, file in files.items()}
    if len(texts) == len(Language.values):
        english = files[Language.EN]
        for difference in differences(texts[Language.ZH].body, texts[Language.EN].body):
            english.add(english.document.body_line, difference)
    return SectionSpec(number=number, position=position, texts=texts)


def _text(file: ContentFile, number: str, rules: Rules) -> SectionTextSpec:
    is_chinese = file.language == Language.ZH
    has_number = is_chinese and number != START
    file.allow({"number", "title"} if has_number else {"title"})
    if has_number:
        given = file.word("number")
        if given and given != number:
            file.complain("number", f"number is {given!r} but the file's name says {number!r}")
    rules.look_at(file)
    text = SectionTextSpec(title=file.line_of_text("title", 200), body=file.body())
    kinds = kinds_of(number)
    if kinds and (rules.whole or "\n## " in f"\n{text.body}"):
        for line, message in faults(file.document.body, file.language, kinds):
            file.add(file.document.body_line + line - 1, message)
    return text
