"""One row to its verdict. Nothing is remembered from one row to the next but drawn variants."""

from __future__ import annotations

import difflib
import logging
import re
import unicodedata
from dataclasses import dataclass

from quiz.exercises import registry
from quiz.exercises.drawing import CannotDraw, vary
from quiz.exercises.marking import mark_part
from quiz.exercises.seeds import MAX_SEED, SeedError
from quiz.exercises.types import Text, Value, VerdictKey
from quiz.exercises.variants import UnknownPart, Variant
from quiz.exercises.verdicts import CATALOGUE
from quiz.grading.autocheck.columns import Row

logger = logging.getLogger(__name__)

_WHOLE_NUMBER = re.compile(r"[0-9]{1,30}(\.0{1,30})?")


@dataclass(frozen=True)
class Judgement:
    """What one row gets. `score` is None where the verdict does not count; `expected` is None for unknown
    items.
    """

    verdict: VerdictKey
    score: float | None
    expected: Value
    diagnosis: tuple[str, ...]
    reason: Text


class UnknownItem(LookupError):
    """Family, seed or part of a row name nothing."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


def judge(row: Row) -> Judgement:
    """The verdict on one row by itself: the same for the same family, seed, part and response, always.

    Where judging it fails, that is this row's verdict (`grader_fault`, with the traceback in the log): the
    other rows are judged all the same.
    """
    if row.problem is not None:
        return Judgement("malformed", None, None, (), row.problem)
    try:
        return _judged(row)
    except Exception as error:
        logger.exception("line %s: %s, part %s", row.line, row.family, row.part)
        return Judgement("grader_fault", None, None, (), _our_fault(error))


def _judged(row: Row) -> Judgement:
    try:
        variant = find_variant(row.family, row.seed)
        name = _plain(row.part)
        verdict = mark_part(variant, name, row.response)
    except UnknownItem as unknown:
        return Judgement("unknown", None, None, (), unknown.reason)
    except UnknownPart:
        return Judgement("unknown", None, None, (), _no_part(variant, name))
    score = verdict.score if CATALOGUE[verdict.key].counts else None
    return Judgement(verdict.key, score, variant.right[name], verdict.diagnosis, verdict.reason)


def find_variant(family: str, seed: str) -> Variant:
    """The variant that two cells of a file name; UnknownItem when they name none."""
    slug = _plain(family)
    try:
        return vary(slug, read_seed(seed))
    except registry.UnknownFamily:
        raise UnknownItem(_no_family(slug)) from None
    except SeedError:
        limit = f"{MAX_SEED}"
        raise UnknownItem(
            Text(
                f"seed「{seed.strip()[:24]}」不是 0 到 {limit} 的整数",
                f"the seed “{seed.strip()[:24]}” is not a whole number from 0 to {limit}",
            )
        ) from None
    except CannotDraw as error:
        raise UnknownItem(
            Text(f"这个变式画不出来：{error}", f"this variant cannot be drawn: {error}")
        ) from None


def read_seed(text: str) -> int:
    """A seed as a spreadsheet may hold it: full-width digits, spaces around, or `1842.0`. SeedError
    otherwise.
    """
    plain = _plain(text)
    if not _WHOLE_NUMBER.fullmatch(plain):
        raise SeedError(f"seed {text!r}")
    return int(plain.partition(".")[0])


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()


def _our_fault(error: Exception) -> Text:
    name = type(error).__name__
    return Text(
        f"判题程序自己出了错（{name}），这一行没有判，也不算对错",
        f"judging this row failed in our own code ({name}); it is neither right nor wrong",
    )


def _no_family(slug: str) -> Text:
    known = [family.slug for family in registry.all_families()]
    near = difflib.get_close_matches(slug, known, n=1)
    zh, en = f"没有叫「{slug[:40]}」的题型", f"there is no family “{slug[:40]}”"
    return Text(f"{zh}，是不是 {near[0]}？", f"{en}; is it {near[0]}?") if near else Text(zh, en)


def _no_part(variant: Variant, name: str) -> Text:
    names = [part.name for part in variant.parts]
    return Text(
        f"{variant.family.slug} 没有「{name[:40]}」这一问；有：{'、'.join(names)}",
        f"{variant.family.slug} has no part “{name[:40]}”; it has {', '.join(names)}",
    )
