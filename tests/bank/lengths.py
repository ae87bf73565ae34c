"""How long a part of an answer takes to say: Chinese characters or English words, formulas counted as one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.bank.scanning import scan

HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z][\w.'’-]*|¤")
# Each from the aim of the bank with a margin: characters and Latin words together, or English words.
LIMITS = {
    "short_answer": {"zh-hans": (85, 155), "en": (55, 110)},
    "minute_answer": {"zh-hans": (190, 345), "en": (115, 215)},
    "full_answer": {"zh-hans": (350, 1500), "en": (220, 1000)},
}


def spoken(text: str) -> str:
    """The words alone: formulas, code spans and live numbers become one mark each, fences nothing."""
    shown = {"text": "content", "term": "info"}
    said = ""
    for piece in scan(text):
        if piece.kind != "fence":
            said += getattr(piece, shown[piece.kind]) or " ¤ " if piece.kind in shown else " ¤ "
    return re.sub(r"\]\([^)]*\)", "]", said)


def length(text: str, language: str) -> int:
    said = spoken(text)
    words = len(WORD.findall(said))
    return words if language == "en" else words + len(HAN.findall(said))


def wrong_lengths(parts: dict[str, str], language: str) -> Iterator[str]:
    """A message for each part of an answer that is too short or too long."""
    unit = "words" if language == "en" else "characters"
    for field, limits in LIMITS.items():
        text = parts.get(field, "")
        low, high = limits[language]
        if text and not low <= (count := length(text, language)) <= high:
            yield f"{field.replace('_', ' ')} has {count} {unit}; {low} to {high} fit"
