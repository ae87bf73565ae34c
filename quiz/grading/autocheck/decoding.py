"""From bytes to text: which encoding a batch file has, and where it stops being in that encoding."""

from __future__ import annotations

import codecs
from pathlib import Path

from quiz.grading.autocheck.refusing import not_decoded

ENCODINGS = ("utf-8", "utf-16", "gb18030")  # what may be asked for; a byte order mark decides by itself
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
CHUNK = 1 << 16


def encoding_of(path: Path, asked: str | None = None) -> str:
    """The encoding of the file, to read it and to write the like: that of its byte order mark, else the
    one asked for, else UTF-8.
    """
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for mark, name in _MARKS if start.startswith(mark)), asked or "utf-8")


def check_decodes(path: Path, encoding: str) -> None:
    """Refuse the file, naming line and byte, unless all of it is text in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, position = 1, 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(CHUNK)
            held = decoder.getstate()[0]
            try:
                line += decoder.decode(chunk, final=not chunk).count("\n")
            except UnicodeDecodeError as error:
                before = bytes(error.object[: error.start]).decode(error.encoding, "ignore")
                byte = position - len(held) + error.start + 1
                raise not_decoded(line + before.count("\n"), byte, encoding) from None
            position += len(chunk)
            if not chunk:
                return
