"""The interface in Chinese is whole: every string of code and templates is translated and compiled."""

from __future__ import annotations

import re

import polib

from tests import messages

PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")


def catalogue() -> dict[str, polib.POEntry]:
    return {entry.msgid: entry for entry in polib.pofile(str(messages.PO))}


def test_catalogue_holds_exactly_what_the_code_says() -> None:
    assert set(catalogue()) == {msgid for msgid, _plural in messages.collected()}


def test_nothing_is_untranslated() -> None:
    assert [e.msgid for e in polib.pofile(str(messages.PO)).untranslated_entries()] == []


def test_compiled_file_equals_its_source() -> None:
    compiled = {e.msgid: (e.msgstr, dict(e.msgstr_plural)) for e in polib.mofile(str(messages.MO))}
    assert compiled == {e.msgid: (e.msgstr, dict(e.msgstr_plural)) for e in polib.pofile(str(messages.PO))}


def test_translations_keep_the_placeholders() -> None:
    for msgid, entry in catalogue().items():
        translated = entry.msgstr or entry.msgstr_plural[0]
        wanted = set(PLACEHOLDER.findall(entry.msgid_plural or msgid))
        assert set(PLACEHOLDER.findall(translated)) == wanted, msgid
