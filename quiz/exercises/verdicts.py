"""The one vocabulary of verdicts: what page, batch, report and API show for each key.

The sentences that depend on an answer (which mistake, which cell) are made here too, so that a verdict
reads the same wherever it is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from quiz.exercises.formatting import show_shape
from quiz.exercises.reading import read_as
from quiz.exercises.types import PartVerdict, Text, Value, Verdict, VerdictKey
from quiz.exercises.variants import Variant

Whose = Literal["nobody", "candidate", "file", "us"]
Route = Literal["first", "changed", "helped", "solution"]
NoMore = Literal["nothing_left", "shown"]


@dataclass(frozen=True, kw_only=True)
class Display:
    """How a verdict is shown. `counts`: whether it enters scores and records; `whose`: who has to act."""

    key: str
    mark: str
    heading: Text
    counts: bool
    whose: Whose


def _display(key: str, mark: str, heading: Text, counts: bool, whose: Whose) -> tuple[str, Display]:
    return key, Display(key=key, mark=mark, heading=heading, counts=counts, whose=whose)


CATALOGUE = MappingProxyType(
    dict(
        (
            _display("right", "✓", Text("对", "Right"), True, "nobody"),
            _display("partial", "△", Text("对了一部分", "Partly right"), True, "candidate"),
            _display("wrong", "✗", Text("不对", "Not right"), True, "candidate"),
            _display("wrong_shape", "✗", Text("形状不对", "Wrong shape"), True, "candidate"),
            _display("malformed", "?", Text("没看懂", "Could not be read"), False, "candidate"),
            _display("ambiguous", "?", Text("有两种读法", "Can be read in two ways"), False, "candidate"),
            _display("unknown", "?", Text("找不到这道题", "No such item"), False, "file"),
            _display("crashed", "✗", Text("运行出错", "Crashed"), True, "candidate"),
            _display("timed_out", "✗", Text("超时", "Timed out"), True, "candidate"),
            _display("out_of_memory", "✗", Text("内存超限", "Used too much memory"), True, "candidate"),
            _display(
                "not_permitted", "✗", Text("用了不允许的操作", "Did something not allowed"), True, "candidate"
            ),
            _display(
                "grader_fault", "!", Text("判题机出了问题，不算你的", "Our fault, not counted"), False, "us"
            ),
        )
    )
)

_RIGHT: dict[Route, Text] = {
    "first": Text("对，一次做对", "Right, first time"),
    "changed": Text("对，改后做对", "Right, after a change"),
    "helped": Text("对，提示后做对", "Right, after a hint"),
    "solution": Text("对，看过解答", "Right, with the solution seen"),
}

UNREAD: tuple[VerdictKey, ...] = ("malformed", "ambiguous")  # keys that do not count
_SEVERAL = ("partial", "wrong", "wrong_shape")  # what may be told of several answers together

AGREES = Text("与准确值相符", "agrees with the exact value")
UNKNOWN_MISTAKE = Text("不是我们认识的错法", "not a mistake we know")


def heading(verdict: Verdict, variant: Variant, *, route: Route = "first") -> Text:
    """The one sentence that opens a verdict; `route` tells how a right answer was reached. Of an answer that
    does not count, because something in it could not be read, it says that and nothing of the rest."""
    if verdict.key == "right":
        return _RIGHT[route]
    if verdict.key in UNREAD:
        return _unread_heading(variant, next(part for part in verdict.parts if part.key in UNREAD))
    first = verdict.first_wrong
    if first is None:
        return CATALOGUE[verdict.key].heading
    if verdict.key in _SEVERAL and len(verdict.parts) > 1 and not any(part.uses for part in variant.parts):
        return _answers(verdict)
    if verdict.key == "partial" and len(verdict.parts) > 1:
        return _steps(verdict, variant, first)
    if verdict.key == "wrong" and not first.diagnosis and not variant.part(first.part).required:
        told = _steps(verdict, variant, first)
        return Text(f"不对，{told.zh}", f"Not right: {told.en[:1].lower()}{told.en[1:]}")
    return part_heading(first)


def _unread_heading(variant: Variant, unread_part: PartVerdict) -> Text:
    part = variant.part(unread_part.part)
    if part.kind == "choice" and unread_part.code == "empty":
        return Text(f"「{part.label.zh}」还没有选", f"Nothing is chosen yet: {part.label.en}")
    return part_heading(unread_part)


def part_heading(part: PartVerdict) -> Text:
    """The heading of one part by itself: `不对：像是…`, `形状不对：…`, `对`."""
    if part.key == "right":
        return CATALOGUE["right"].heading
    if part.key == "wrong" and part.diagnosis:
        return Text(f"不对：{part.reason.zh}", f"Not right: {part.reason.en}")
    if part.key == "wrong":
        return Text(f"不对，{part.reason.zh}", f"Not right, and {part.reason.en}")
    return Text(part.reason.zh, part.reason.en[:1].upper() + part.reason.en[1:])


def _answers(verdict: Verdict) -> Text:
    """Of several questions that do not build on each other: how many are right."""
    asked, count = len(verdict.parts), sum(part.key == "right" for part in verdict.parts)
    if not count:
        return Text(f"{asked} 问都不对", f"None of the {asked} is right")
    return Text(f"{asked} 问里对了 {count} 问", f"{count} of {asked} right")


def _steps(verdict: Verdict, variant: Variant, first: PartVerdict) -> Text:
    """Steps that only follow from the wrong one were done right, and count so."""
    count = sum(part.key == "right" or bool(part.follows) for part in verdict.parts)
    names = [part.name for part in variant.parts]
    step, label = names.index(first.part) + 1, variant.part(first.part).label
    zh, en = f"对了 {count} 步，错在第 {step} 步「{label.zh}」", f"step {step}, {label.en}, went wrong"
    en = f"{count} {'step' if count == 1 else 'steps'} right; {en}" if count else en[:1].upper() + en[1:]
    if not count:
        zh = f"错在第 {step} 步「{label.zh}」"
    return Text(zh, en)


def suspected(titles: Sequence[Text]) -> Text:
    """`像是 A`; `可能是 A，也可能是 B`; or that the mistake is not known."""
    if not titles:
        return UNKNOWN_MISTAKE
    if len(titles) == 1:
        return Text(f"像是{titles[0].zh}", f"looks like {titles[0].en}")
    zh = "，也可能是".join(title.zh for title in titles)
    en = ", ".join(title.en for title in titles[:-1])
    return Text(f"可能是{zh}", f"either {en} or {titles[-1].en}")


NO_MORE: dict[NoMore, Text] = {
    "nothing_left": Text(
        "不过没有剩下要算的东西，不因此加分", "but nothing was left to work out, so it earns no more"
    ),
    "shown": Text(
        "不过那一步的准确值已经给过，不因此加分",
        "but the right value of that step had been shown, so it earns no more",
    ),
}


def follows(origins: Sequence[Text], *, no_more: NoMore | None) -> Text:
    """Right from the candidate's own values of these earlier parts; `no_more`: why it is worth no more."""
    zh, en = "、".join(label.zh for label in origins), ", ".join(label.en for label in origins)
    zh, en = f"按你自己的「{zh}」往下算，是对的", f"right from your own {en}"
    if no_more is None:
        return Text(zh, en)
    return Text(f"{zh}；{NO_MORE[no_more].zh}", f"{en}, {NO_MORE[no_more].en}")


def some_right(right: int, total: int, titles: Sequence[Text]) -> Text:
    """How many cells are right, and the mistake if it has a name."""
    zh, en = f"{total} 格里对了 {right} 格", f"{right} of {total} cells are right"
    if not titles:
        return Text(zh, en)
    why = suspected(titles)
    return Text(f"{zh}；{why.zh}", f"{en}; {why.en}")


def other_shape(given: tuple[int, ...], right: tuple[int, ...]) -> Text:
    """`形状不对：(2, 3) ≠ (3, 2)`: the given one first."""
    zh = [show_shape(shape) if shape else "一个数" for shape in (given, right)]
    en = [show_shape(shape) if shape else "a number" for shape in (given, right)]
    return Text(f"形状不对：{zh[0]} ≠ {zh[1]}", f"wrong shape: {en[0]} ≠ {en[1]}")


def unread(why: Text, *, row: int | None = None, column: int | None = None) -> Text:
    """What could not be read and why, with its place where there is more than one cell."""
    if row is None:
        return Text(f"没看懂：{why.zh}", f"could not read it: {why.en}")
    if column is None:
        return Text(f"第 {row} 行没看懂：{why.zh}", f"could not read row {row}: {why.en}")
    return Text(
        f"第 {row} 行第 {column} 格没看懂：{why.zh}", f"could not read row {row}, column {column}: {why.en}"
    )


def two_readings(text: str, readings: Sequence[Value]) -> Text:
    """`1,234 是 1.234 还是 1234？`"""
    written = [read_as(reading) for reading in readings]
    text = " ".join(text.split())
    zh, en = " 还是 ".join(written), " or ".join(written)
    return Text(f"{text} 是 {zh}？", f"{text}: is it {en}?")
