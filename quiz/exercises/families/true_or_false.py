"""The drill of the statements: true or false, and how a false one is mended."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quiz.exercises.choosing import Asked, in_order, sampled, shuffled
from quiz.exercises.drills.drill import Drill
from quiz.exercises.drills.statement import TRUE
from quiz.exercises.drills.statements import STATEMENTS, mistakes, picks, right_fix
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Misconception, Prompt, SolutionStep, Text

ASKED = 5
TRUE_ONES = (1, 2, 2, 3)  # how many of them are true
TRUTHS = tuple(slug for slug, statement in STATEMENTS.items() if statement.is_true)
FALSEHOODS = tuple(slug for slug in STATEMENTS if slug not in TRUTHS)


@register
class TrueOrFalse(Drill):
    """Drawn: statements, five slugs; options, for each of them the order of the answers."""

    slug = "true_or_false"
    code = "true or false"
    title = Text("判断并改错：常被说错的话", "True or false: what people get wrong")
    sections = ("7.4", "7.9", "7.15", "7.17")
    questions = (12, 17)
    minutes = 4
    misconceptions: ClassVar[tuple[Misconception, ...]] = tuple(mistakes())

    def draw(self, rng: np.random.Generator) -> Drawn:
        count = int(rng.choice(TRUE_ONES))
        chosen = [*sampled(rng, TRUTHS, count), *sampled(rng, FALSEHOODS, ASKED - count)]
        slugs = shuffled(rng, chosen)
        return {
            "statements": slugs,
            "options": [
                [TRUE, *shuffled(rng, (fix.slug for fix in STATEMENTS[slug].fixes))] for slug in slugs
            ],
        }

    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        return tuple(
            Asked(
                name=f"s{number}",
                label=Text(f"第 {number} 句", f"statement {number}"),
                stem=STATEMENTS[slug].claim,
                picks=in_order(picks(slug), order),
                right=STATEMENTS[slug].right,
            )
            for number, (slug, order) in enumerate(
                zip(drawn["statements"], drawn["options"], strict=True), start=1
            )
        )

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"下面 {ASKED} 句话，哪些对，哪些不对？不对的，选出怎样改。",
                f"Which of these {ASKED} statements are true, and which are false? For a false one, choose "
                f"how it "
                "is mended.",
            ),
            givens=(),
            conventions=(
                Text(
                    "$n$ 是序列长度，$d$ 是模型宽度，$d_k$ 是一个头里 $q$、$k$ 的宽度，$h$ 是头数；没有另外说"
                    "明时，"
                    "说的是 $\\text{softmax}(QK^\\top/\\sqrt{d_k})V$。",
                    "$n$ is the length of the sequence, $d$ the width of the model, $d_k$ that of $q$ and "
                    "$k$ in one "
                    "head, $h$ the number of heads; unless said otherwise it is about "
                    "$\\text{softmax}(QK^\\top/\\sqrt{d_k})V$.",
                ),
                Text("接口以 PyTorch 2.13 为准。", "Interfaces are those of PyTorch 2.13."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        return tuple(
            SolutionStep(text=_told(number, slug), part=f"s{number}")
            for number, slug in enumerate(drawn["statements"], start=1)
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        true = sum(STATEMENTS[slug].is_true for slug in drawn["statements"])
        first = next(slug for slug in drawn["statements"] if not STATEMENTS[slug].is_true)
        question = STATEMENTS[first].question
        number = drawn["statements"].index(first) + 1
        return (
            Text(
                "凡是「总是」「一定」「只要」「就够了」，都先找一个反例。",
                "Wherever it says “always”, “cannot”, “as soon as” or “is enough”, look for a counterexample "
                "first.",
            ),
            Text(
                f"{ASKED} 句里有 {true} 句是对的。",
                f"Of the {ASKED} statements {true} {'is' if true == 1 else 'are'} true.",
            ),
            Text(f"第 {number} 句不对。{question.zh}", f"Statement {number} is false. {question.en}"),
        )


def _told(number: int, slug: str) -> Text:
    statement, fix = STATEMENTS[slug], right_fix(slug)
    claim = statement.claim
    if fix is None:
        return Text(f"第 {number} 句：{claim.zh}**对**。", f"Statement {number}: {claim.en} **True**.")
    return Text(
        f"第 {number} 句：{claim.zh}**不对：{fix.label.zh}。**",
        f"Statement {number}: {claim.en} **False: {fix.label.en}.**",
    )
