"""The drill of the listing: one line of it has a fault, and which fault that is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quiz.exercises.choosing import Asked, Pick, in_order, shuffled
from quiz.exercises.drills import lines
from quiz.exercises.drills.drill import Drill
from quiz.exercises.drills.fault_words import FAULT_WORDS, mistake_slug, step_of, taken_for
from quiz.exercises.drills.listings import LISTINGS, Listing, faulty_listings
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Misconception, Prompt, SolutionStep, Text

OPTIONS = 5
FAULTY = tuple(dict.fromkeys(fault for _, fault in faulty_listings()))
PICKS = {
    fault: Pick(slug=fault, label=FAULT_WORDS[fault].label, mistake=mistake_slug(fault)) for fault in FAULTY
}


@register
class SpotTheLine(Drill):
    """Drawn: listing; fault; lines, the code as it is shown; options, five faults."""

    slug = "spot_the_line"
    code = "spot the line"
    title = Text("代码找错：哪一行，错成了什么", "Spot the line, and what is wrong with it")
    sections = ("7.13", "7.17")
    questions = (16, 23)
    minutes = 2
    misconceptions: ClassVar[tuple[Misconception, ...]] = lines.suspected() + taken_for(FAULTY)

    def draw(self, rng: np.random.Generator) -> Drawn:
        pairs = faulty_listings()
        slug, fault = pairs[int(rng.integers(len(pairs)))]
        near = [other for other in LISTINGS[slug].faults if other != fault]
        far = [other for other in LISTINGS["plain"].faults if other not in (fault, *near)]
        others = [*shuffled(rng, near), *shuffled(rng, far)][: OPTIONS - 1]
        return {
            "listing": slug,
            "fault": fault,
            "lines": list(LISTINGS[slug].code(fault)),
            "options": shuffled(rng, [fault, *others]),
        }

    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        listing, fault = LISTINGS[drawn["listing"]], drawn["fault"]
        picks = tuple(
            Pick(slug=f"line_{number}", label=Text(line, line), mistake=lines.mistake_slug(role))
            for number, (line, (role, _)) in enumerate(
                zip(drawn["lines"], listing.lines, strict=True), start=1
            )
        )
        return (
            Asked(
                name="line",
                label=Text("哪一行有毛病", "the line with the fault"),
                picks=picks,
                right=f"line_{listing.faulty_line(fault)}",
                is_listing=True,
            ),
            Asked(
                name="fault",
                label=Text("错成了什么", "what is wrong with it"),
                picks=in_order(PICKS, drawn["options"]),
                right=fault,
            ),
        )

    def prompt(self, drawn: Drawn) -> Prompt:
        listing = LISTINGS[drawn["listing"]]
        return Prompt(
            task=Text(
                f"这段 Python 本来要算：{listing.means.zh}。里面只有一行写错了：是哪一行，错成了什么？",
                f"This Python is meant to compute {listing.means.en}. One line of it is wrong: which, and "
                f"what is "
                "wrong with it?",
            ),
            givens=(),
            conventions=(
                Text(f"{listing.given.zh}；`np` 是 NumPy。", f"{listing.given.en}; `np` is NumPy."),
                Text(
                    "`softmax(x, axis)` 是可靠的：沿 `axis` 归一化，全是 $-\\infty$ 的一行给 0。",
                    "`softmax(x, axis)` can be relied on: it normalises along `axis` and gives zeros for a "
                    "row of "
                    "nothing but $-\\infty$.",
                ),
                Text(
                    "要算的是 $\\text{softmax}(QK^\\top/\\sqrt{d_k})V$，一个 key 都看不见的行给 0；布尔掩码里"
                    " True "
                    "表示看得见。",
                    "What is meant is $\\text{softmax}(QK^\\top/\\sqrt{d_k})V$, with zeros for a row that "
                    "sees no "
                    "key; True in a boolean mask means seen.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        listing, fault = LISTINGS[drawn["listing"]], drawn["fault"]
        number, words = listing.faulty_line(fault), FAULT_WORDS[fault]
        wrong, right = drawn["lines"][number - 1].strip(), listing.code()[number - 1].strip()
        role = lines.ROLES[listing.lines[number - 1][0]]
        return (
            SolutionStep(
                text=Text(
                    "一行一行地问：它的输入是什么形状，它该给出什么？别的行都做了该做的事。",
                    "Ask of each line what shape comes in and what should come out; all the other lines do "
                    "what "
                    "they should.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"第 {number} 行（{role.does.zh}）写成了 `{wrong}`，应当是 `{right}`。",
                    f"Line {number}, which {role.does.en}, reads `{wrong}` and should read `{right}`.",
                ),
                part="line",
            ),
            SolutionStep(
                text=Text(
                    f"这就是「{words.label.zh}」：{words.sign.zh}",
                    f"That is “{words.label.en}”: {words.sign.en}",
                ),
                part="fault",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        listing, fault = LISTINGS[drawn["listing"]], drawn["fault"]
        step = step_of(fault)
        first, last = _around(listing, fault)
        return (
            Text(
                "给每个变量写上形状和含义，再一行行对照公式。",
                "Write the shape and the meaning beside every variable, then compare line by line with the "
                "formula.",
            ),
            Text(f"毛病影响的是这一步：{step.zh}。", f"The fault is in this step: {step.en}."),
            Text(f"看第 {first} 到第 {last} 行。", f"Look at lines {first} to {last}."),
        )


def _around(listing: Listing, fault: str) -> tuple[int, int]:
    """Three lines that hold the faulty one, never always in the middle: the ends of the listing cut them."""
    number, count = listing.faulty_line(fault), len(listing.lines)
    first = min(max(1, number - 1), count - 2)
    return first, first + 2
