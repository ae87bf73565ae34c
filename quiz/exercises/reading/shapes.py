"""A shape: (2, 3), 2×3, 2 by 3, torch.Size([2, 3]). `()` is the shape of a number, []."""

from __future__ import annotations

import re

from quiz.exercises.reading.dressing import undress
from quiz.exercises.reading.folding import NO_BREAK
from quiz.exercises.reading.latex import without_latex
from quiz.exercises.reading.reasons import Reason, Unreadable, shown
from quiz.exercises.reading.scalars import one_of
from quiz.exercises.reading.tokens import unexpected

LONGEST_SHAPE = 400
MOST_SIZES = 8
LARGEST_SIZE = 2**63 - 1

_SIZE = re.compile(r"[0-9]+")
_PARTNERS = {"(": ")", "[": "]", "{": "}"}
_ROWS_COLUMNS = re.compile(r"([0-9]+)\s*行\s*([0-9]+)\s*列")
_PRODUCT = re.compile(r"(?<=[0-9])\s*(?:by|x|X)\s*(?=[-0-9])|\s*(?:(?<!\*)\*(?!\*)|·|乘以|乘)\s*")
_GROUPED = re.compile(rf"[1-9][0-9]{{0,2}}(?:[,{NO_BREAK}][0-9]{{3}})+")


def shape(text: str) -> list[int]:
    """The sizes a folded text says; raises `Unreadable` or `Ambiguous`."""
    if len(text) > LONGEST_SHAPE:
        raise Unreadable("too_long", str(LONGEST_SHAPE))
    text = undress(without_latex(undress(text.removesuffix(";"))))
    if _GROUPED.fullmatch(text):  # one size of thousands, or several sizes
        whole = int(re.sub(r"[^0-9]", "", text))
        parted = _parted(re.split(f"[,{NO_BREAK}]", text))
        return one_of([parted, [whole]], Reason("readings", (shown(text),)))
    inside = _without_brackets(text.replace(NO_BREAK, " ").replace("、", ",").strip())
    if inside != text and not inside:
        return []
    found = _ROWS_COLUMNS.fullmatch(inside)
    return _parted(list(found.groups()) if found else _sizes(inside))


def _without_brackets(text: str) -> str:
    first, last = text[:1], text[-1:]
    if first in _PARTNERS and len(text) > 1:
        if last != _PARTNERS[first]:
            raise Unreadable("unbalanced", first)
        return text[1:-1].strip()
    for bracket in (*_PARTNERS, *_PARTNERS.values()):
        if bracket and bracket in (first, last):
            raise Unreadable("unbalanced", bracket)
    return text


def _sizes(text: str) -> list[str]:
    """The texts of the sizes, which one kind of separator parts throughout."""
    by_product = _PRODUCT.split(text)
    by_comma = [part.strip() for part in re.split("[,;]", text)]
    if len(by_product) > 1 and len(by_comma) > 1:
        raise Unreadable("mixed_separators", text)
    if len(by_product) > 1:
        return by_product
    if len(by_comma) > 1:
        return by_comma if by_comma[-1] else by_comma[:-1]
    return text.split()


def _parted(sizes: list[str]) -> list[int]:
    if not sizes:
        raise Unreadable("empty")
    if len(sizes) > MOST_SIZES:
        raise Unreadable("too_many_sizes", str(MOST_SIZES))
    result = []
    for column, text in enumerate(sizes, start=1):
        try:
            result.append(_size(text))
        except Unreadable as refusal:
            raise refusal.at(1, column) from None
    return result


def _size(text: str) -> int:
    text = re.sub(r"(?<=[0-9])_(?=[0-9])", "", text)
    if not text:
        raise Unreadable("empty_cell")
    if not _SIZE.fullmatch(text):
        raise _refusal(text)
    if len(text) > 1 and text.startswith("0"):
        raise Unreadable("leading_zero", text)
    if int(text) > LARGEST_SIZE:
        raise Unreadable("overflow", text)
    return int(text)


def _refusal(text: str) -> Unreadable:
    word = re.search(r"[^\W\d_]+", text)
    if word and word.group().isalpha() and not re.fullmatch(r"[0-9.]+[eE][+-]?[0-9]+", text):
        return Unreadable("letter", word.group())
    if re.fullmatch(r"-\s*[0-9]+", text):
        return Unreadable("negative", text)
    if re.fullmatch(r"[0-9\s]+", text):
        return Unreadable("mixed_separators", text)
    if re.fullmatch(r"[-+]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text):
        return Unreadable("whole", text)
    return unexpected(re.sub(r"[0-9\s]", "", text)[0], text)
