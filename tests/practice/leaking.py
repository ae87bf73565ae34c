"""Finding right values in a page: every number in its HTML, compared with what is not due yet."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from html import unescape

from quiz.bank.markup import render_inline
from quiz.exercises.comparing import cells_of
from quiz.exercises.types import Text, Value
from quiz.exercises.variants import Variant

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
ADDRESS = re.compile(r"(csrfmiddlewaretoken. value|hx-headers|href|action|hx-post|datetime)=(\".*?\"|'.*?')")
LARGE = 1000  # smaller integers stand in any page
SMALL = 0.002  # what is smaller looks like any other small number at three decimals


def numbers_in(html: str) -> set[str]:
    """Every number of the text and of the attributes, with a plain minus; tokens and addresses left out."""
    html = ADDRESS.sub("", html)
    html = re.sub(r"<(link|svg|path|circle|rect|line|polyline|polygon)\b[^>]*>", "", html)
    text = unescape(re.sub(r"</m[no]>\s*<m[no]>", "", html)).replace("−", "-")
    return set(NUMBER.findall(text)) | set(NUMBER.findall(re.sub(r"-\s+(?=\d)", "-", text)))


def gives_away(token: str, value: float) -> bool:
    """Whether the token is the value, or its rounding to three or more decimals."""
    if math.isinf(value) or abs(value) < SMALL:
        return False
    if value == int(value):
        return abs(value) >= LARGE and float(token) == value
    places = len(token.partition(".")[2])
    return float(token) == value or (places >= 3 and float(token) == round(value, places))


def leaks(html: str, *, right: Iterable[Value], allowed: set[str]) -> set[str]:
    """Tokens of the page that give away one of the right values. `allowed`: what the page may say anyway."""
    may = {float(token) for token in allowed}
    values = [cell for value in right for cell in cells_of(value) if not isinstance(cell, str)]
    found = {token for token in numbers_in(html) if float(token) not in may}
    return {token for token in found for value in values if gives_away(token, value)}


def shape_leaks(html: str, variant: Variant, *, typed: Collection[str] = ()) -> list[str]:
    """Right shapes written out anywhere in the page, in any usual writing; those that were `typed` may be."""
    plain = re.sub(r"\s+", "", re.sub(r"<[^>]+>", "", unescape(html)))
    found = []
    for part in variant.required:
        if part.kind == "shape" and part.name not in typed:
            sizes = [str(size) for size in variant.right[part.name]]
            found += [joint.join(sizes) for joint in (",", "×", "x") if joint.join(sizes) in plain]
    return found


FORM = re.compile(r'<form id="answer-form".*?</form>', re.DOTALL)


def choice_leaks(html: str, variant: Variant, *, chosen: Collection[str] = ()) -> list[str]:
    """Right options named anywhere but among all options; those that were `chosen` may be. Labels of a word
    or two stand in any page."""
    found = []
    for part in variant.required:
        if part.kind == "choice" and part.name not in chosen:
            label = next(o.label for o in part.options if o.slug == variant.right[part.name])
            others = [o.label for o in part.options if o.label != label]
            if says(FORM.sub("", html), label, others=others):
                found.append(part.name)
    return found


def says(html: str, label: Text, *, others: Iterable[Text] = ()) -> bool:
    """Whether the page says an option's words, in either language, its code or its formulas alike.

    Where another option holds these words within its own, its own are no sign of them.
    """
    page, others = words_of(html), list(others)
    for language in ("zh", "en"):
        words = _rendered(getattr(label, language))
        longer = [other for one in others if words in (other := _rendered(getattr(one, language)))]
        rest = page
        for other in sorted(longer, key=len, reverse=True):
            rest = rest.replace(other, "")
        if len(words_of(getattr(label, language))) > 6 and words in rest:
            return True
    return False


def _rendered(text: str) -> str:
    return words_of(str(render_inline(text)))


def words_of(html: str) -> str:
    text = re.sub(r"<annotation.*?</annotation>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", "", unescape(re.sub(r"<[^>]+>", "", text)))
