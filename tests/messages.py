"""The interface's strings: collected from code and templates, merged into the .po, compiled with polib.

`python -m tests.messages` does all three and lists what is untranslated; no system gettext is needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
PO = ROOT / "quiz" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
MO = PO.with_suffix(".mo")
PLURAL = {"ngettext", "ngettext_lazy"}
SINGULAR = {"_", "gettext", "gettext_lazy", "gettext_noop"}

STRING = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(
    rf"(?<![a-z])_\(\s*u?{STRING}\s*\)|(?<![a-z])gettext\(\s*u?{STRING}|ngettext\(\s*u?{STRING}\s*,\s*u?{STRING}"
)

Message = tuple[str, str | None]  # msgid and its plural


def in_templates() -> Iterator[Message]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for found in IN_TEMPLATE.finditer(templatize(path.read_text())):
            single, called, one, many = found.groups()
            yield ast.literal_eval(single or called or one), ast.literal_eval(many) if many else None


def in_code() -> Iterator[Message]:
    for path in sorted((ROOT / "quiz").rglob("*.py")):
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if name in SINGULAR and texts:
                yield texts[0], None
            elif name in PLURAL and len(texts) == 2:
                yield texts[0], texts[1]


def collected() -> set[Message]:
    return set(in_templates()) | set(in_code())


def new_catalogue() -> polib.POFile:
    """The catalogue for what the code says now, with the translations already known."""
    known = {entry.msgid: entry for entry in polib.pofile(str(PO))} if PO.exists() else {}
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": "zh_Hans",
        "Plural-Forms": "nplurals=1; plural=0;",
    }
    for msgid, plural in sorted(collected(), key=lambda m: (m[0], m[1] or "")):
        old = known.get(msgid)
        entry = polib.POEntry(msgid=msgid)
        if "%(" in msgid:
            entry.flags = ["python-format"]
        text = (old.msgstr or old.msgstr_plural.get(0, "")) if old else ""
        if plural is None:
            entry.msgstr = text
        else:
            entry.msgid_plural = plural
            entry.msgstr_plural = {0: text}
        catalogue.append(entry)
    return catalogue


def main() -> None:
    catalogue = new_catalogue()
    PO.parent.mkdir(parents=True, exist_ok=True)
    catalogue.save(str(PO))
    catalogue.save_as_mofile(str(MO))
    for entry in catalogue.untranslated_entries():
        print(entry.msgid)


if __name__ == "__main__":
    main()
