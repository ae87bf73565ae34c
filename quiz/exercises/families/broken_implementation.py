"""The drill of the broken implementation: what it does on probes, and which fault that is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import drills
from quiz.exercises.choosing import Asked, Pick, in_order, sampled, shuffled
from quiz.exercises.drills.drill import Drill
from quiz.exercises.drills.experiments import EXPERIMENTS, as_table, clear, failing, told_apart
from quiz.exercises.drills.fault_words import FAULT_WORDS, mistake_slug, step_of, taken_for
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Misconception, Prompt, SolutionStep, Table, Text

FAULTY = tuple(fault for fault in FAULT_WORDS if fault in drills.DRILLED)
OPTIONS, SHOWN, MORE = 6, 4, 2
CONSIDERED = 14  # among so many other faults the most alike are offered
WITH_DROPOUT = 0.25  # how often dropout, which takes a probe of its own to rule out, may be among them
PICKS = {
    fault: Pick(slug=fault, label=FAULT_WORDS[fault].label, mistake=mistake_slug(fault)) for fault in FAULTY
}


@register
class BrokenImplementation(Drill):
    """Drawn: fault; options, six faults; probes, the four experiments shown; more, the two that may be asked
    for; seed, of the dropout.
    """

    slug = "broken_implementation"
    code = "broken implementation"
    title = Text("看探针找毛病：坏了的注意力", "A broken attention: find the fault from its probes")
    sections = ("7.13", "7.16", "7.17")
    questions = (16, 20, 24)
    minutes = 3
    misconceptions: ClassVar[tuple[Misconception, ...]] = taken_for(FAULTY)

    def draw(self, rng: np.random.Generator) -> Drawn:
        fault = str(rng.choice(list(FAULTY)))
        others = _alike(rng, fault)
        visible = shuffled(rng, _visible(fault))
        shown = _telling(visible, fault, others)
        rest = [slug for slug in visible if slug not in shown]
        fill = max(0, SHOWN - len(shown))
        return {
            "fault": fault,
            "options": shuffled(rng, [fault, *others]),
            "probes": shuffled(rng, [*shown, *rest[:fill]]),
            "more": rest[fill : fill + MORE],
            "seed": int(rng.integers(2**31)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Four probes are enough to tell the fault from every other option."""
        others = [fault for fault in drawn["options"] if fault != drawn["fault"]]
        return len(drawn["probes"]) == SHOWN and all(
            any(told_apart(slug, drawn["fault"], other) for slug in drawn["probes"]) for other in others
        )

    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        label = Text("毛病是哪一个", "the fault")
        picks = in_order(PICKS, drawn["options"])
        return (Asked(name="fault", label=label, picks=picks, right=drawn["fault"]),)

    def probes(self, drawn: Drawn) -> tuple[Table, ...]:
        return tuple(
            as_table(number, slug, drawn["fault"], drawn["seed"])
            for number, slug in enumerate(drawn["more"], start=SHOWN + 1)
        )

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "一个注意力的实现里有一处毛病。下面是它在四个探针上的表现：它的毛病是哪一个？",
                "An implementation of attention has one fault. Here is what it does on four probes: which "
                "fault is it?",
            ),
            givens=(),
            tables=tuple(
                as_table(number, slug, drawn["fault"], drawn["seed"])
                for number, slug in enumerate(drawn["probes"], start=1)
            ),
            conventions=(
                Text(
                    "输入是 5 个 token、$d_k = 4$ 的 $q$、$k$、$v$（另外说明的除外），行号从 1 数；正常的实现"
                    "是 "
                    "$\\text{softmax}(QK^\\top/\\sqrt{d_k})V$，看不见的分数是 $-\\infty$，一个 key 都看不见的"
                    "行给 0。",
                    "The inputs are $q$, $k$, $v$ of 5 tokens with $d_k = 4$ unless said otherwise; rows "
                    "count "
                    "from 1. A right implementation is $\\text{softmax}(QK^\\top/\\sqrt{d_k})V$ with hidden "
                    "scores at $-\\infty$, and gives zeros for a row that sees no key.",
                ),
                Text(
                    "窗口 $(1, 0)$：看得见自己和前面一个。掩码里 True 表示看得见。",
                    "The window $(1, 0)$ sees the token itself and the one before it. True in a mask means "
                    "seen.",
                ),
                Text(
                    "数都取 3 位小数；「改掉」是加上一个固定的、不为 0 的向量。",
                    "Numbers have 3 decimals; “changed” means that a fixed vector other than 0 was added.",
                ),
                Text(
                    "可以再要两个探针：不算提示，也不影响成绩，只是会记下来。",
                    "Two more probes may be asked for: that is no hint and costs nothing, it is only "
                    "recorded.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        fault = drawn["fault"]
        words = FAULT_WORDS[fault]
        told = [_probe_told(number, slug, fault) for number, slug in enumerate(drawn["probes"], start=1)]
        return (
            *(SolutionStep(text=text) for text in told if text is not None),
            SolutionStep(
                text=Text(
                    f"六个里只有「{words.label.zh}」会这样：{words.sign.zh}",
                    f"Of the six only “{words.label.en}” does that: {words.sign.en}",
                ),
                part="fault",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        wrong = _failed(drawn)
        numbers = "、".join(map(str, wrong)), ", ".join(map(str, wrong))
        step = step_of(drawn["fault"])
        return (
            Text(
                "对每个探针先想：正常的实现该不该变？再看它变没变。",
                "For each probe decide first whether a right implementation would move, then look whether "
                "this "
                "one did.",
            ),
            Text(
                f"没有通过的探针：{numbers[0]}。它们共同碰到的是哪一步？",
                f"Probes that were not passed: {numbers[1]}. Which step do they have in common?",
            ),
            Text(f"毛病出在这一步：{step.zh}。", f"The fault lies in this step: {step.en}."),
        )


def _visible(fault: str) -> tuple[str, ...]:
    """The experiments that may be shown for a fault: those whose numbers show what they find."""
    return tuple(EXPERIMENTS) if fault == drills.DROPOUT else clear(fault)


def _alike(rng: np.random.Generator, fault: str) -> list[str]:
    """Five other faults, of some drawn ones those that fail the most probes together with this one."""
    visible = _visible(fault)
    left_out = {fault} if rng.random() < WITH_DROPOUT else {fault, drills.DROPOUT}
    drawn = sampled(rng, (other for other in FAULTY if other not in left_out), CONSIDERED)
    apart = [other for other in drawn if any(told_apart(slug, fault, other) for slug in visible)]
    return sorted(apart, key=lambda other: -_overlap(fault, other))[: OPTIONS - 1]


def _overlap(fault: str, other: str) -> float:
    one, two = (frozenset().union(*failing(name).values()) for name in (fault, other))
    return len(one & two) / len(one | two)


def _telling(visible: list[str], fault: str, others: list[str]) -> list[str]:
    """Few experiments that together tell the fault from each of the others."""
    chosen: list[str] = []
    left = set(others)
    while left:
        best = max(visible, key=lambda slug: sum(told_apart(slug, fault, other) for other in left))
        chosen.append(best)
        left = {other for other in left if not told_apart(best, fault, other)}
    return chosen


def _failed(drawn: Drawn) -> list[int]:
    """Numbers of the shown probes that the implementation does not pass."""
    fault = drawn["fault"]
    if fault == drills.DROPOUT:
        return [number for number, slug in enumerate(drawn["probes"], start=1) if slug == "again"]
    return [number for number, slug in enumerate(drawn["probes"], start=1) if failing(fault)[slug]]


def _probe_told(number: int, slug: str, fault: str) -> Text | None:
    """What a right implementation would show, and whether this one does; nothing about probes that dropout
    makes worthless."""
    if fault == drills.DROPOUT and slug != "again":
        return None
    should, failed = EXPERIMENTS[slug].should, bool(failing(fault)[slug])
    here = (
        Text("这里不是这样", "and here it is not so") if failed else Text("这里正是这样", "and so it is here")
    )
    return Text(f"探针 {number}：{should.zh}；{here.zh}。", f"Probe {number}: {should.en}; {here.en}.")
