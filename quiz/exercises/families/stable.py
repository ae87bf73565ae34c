"""C3: a softmax of scores too large for their exponentials."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.softmax import online, softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Value,
    Values,
)

ENTRIES = 3
FAINT = 0.001  # a smaller weight hides among zeros


@register
class Stable(Family):
    """Drawn: scores, three different integers near an offset of 50 to 1000."""

    slug = "stable"
    code = "C3"
    title = Text("数值稳定的 softmax", "A softmax that does not overflow")
    sections = ("7.10",)
    questions = (13,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="minimum_subtracted",
            title=Text("减了最小值，而不是最大值", "the minimum subtracted instead of the maximum"),
            told=Text(
                "每个分数减去了最小值：指数都不小于 0，差距一大照样溢出。",
                "The minimum was subtracted from each score: the exponents are then 0 or more and still "
                "overflow when the spread is wide.",
            ),
            question=Text(
                "要保证 $e^x$ 不溢出，指数的上界应当是多少？减去哪个数能做到？",
                "To keep $e^x$ from overflowing, what should the exponents never exceed, and which "
                "number brings that about?",
            ),
            caption=Text("减最小值会得到", "Subtracting the minimum"),
        ),
        Misconception(
            slug="mean_subtracted",
            title=Text("减了平均值，而不是最大值", "the mean subtracted instead of the maximum"),
            told=Text(
                "每个分数减去了平均值：权重不变，但最大的指数没有上界。",
                "The mean was subtracted from each score: the weights are unchanged, but the largest "
                "exponent has no bound.",
            ),
            question=Text(
                "减去平均值以后，最大的指数是多少？它总能保证不大于 0 吗？",
                "With the mean subtracted, what is the largest exponent? Is it never above 0?",
            ),
            caption=Text("减平均值会得到", "Subtracting the mean"),
        ),
        Misconception(
            slug="divided_by_maximum",
            title=Text("除以了最大值", "scores divided by the maximum"),
            told=Text(
                "每个分数除以了最大值：分数之差被压没了，权重几乎相等。",
                "Each score was divided by the maximum: that crushes the differences and makes the "
                "weights nearly equal.",
            ),
            question=Text(
                "softmax 只取决于分数之差。除以一个数，差变了吗？减去一个数呢？",
                "A softmax depends on differences only. Does a division change them, and does a subtraction?",
            ),
            caption=Text("除以最大值会得到", "Dividing by the maximum"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="total", kind="scalar", label=Text("分母 Σe^(s−max)", "denominator Σe^(s−max)"), role="s"),
        Part(
            name="weights",
            kind="vector",
            label=Text("权重", "weights"),
            shape=(ENTRIES,),
            role="s",
            uses=("total",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        offset = 10 * int(rng.integers(5, 101))
        return {"scores": (offset + rng.choice(np.arange(-3, 4), ENTRIES, replace=False)).tolist()}

    def accepts(self, drawn: Drawn) -> bool:
        """No weight that rounds to nothing, and rounded work is right."""
        shifted = np.array([_shifted(drawn)], dtype=np.float64)
        weights = softmax(shifted)
        return bool(weights.min() >= FAINT) and honesty.survives(shifted, np.eye(ENTRIES), weights)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        """The denominator is the running total of the online softmax after one block of all the keys."""
        scores = np.array(drawn["scores"], dtype=np.float64)
        (state,) = online(scores, block=ENTRIES)
        return {"total": float(state.total[0]), "weights": softmax(scores).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        scores = np.array(drawn["scores"], dtype=np.float64)
        exponents = {
            "minimum_subtracted": scores - scores.min(),
            "mean_subtracted": scores - scores.mean(),
            "divided_by_maximum": scores / scores.max(),
        }[slug]
        return {"total": float(np.exp(exponents).sum()), "weights": softmax(exponents).tolist()}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part != "weights":
            return None
        return [math.exp(shifted) / earlier["total"] for shifted in _shifted(drawn)]

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "这一行分数太大，直接取指数在半精度下会溢出。用数值稳定的做法，写出 softmax 的分母和权重。",
                "These scores are too large: their exponentials overflow in half precision. Work in the "
                "numerically stable way and give the denominator and the weights of the softmax.",
            ),
            givens=(Given(name="s", value=drawn["scores"], role="s"),),
            conventions=(
                Text(
                    "稳定的做法：每个分数先减去这一行的最大值，再取指数；分母是这些指数之和。",
                    "The stable way subtracts the row's maximum from every score before the "
                    "exponentials; the denominator is their sum.",
                ),
                Text(
                    "分数已经缩放过，指数以自然常数 $e$ 为底。",
                    "The scores are already scaled; natural exponential $e^x$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right, shifted = self.right(drawn), _shifted(drawn)
        exponentials = [math.exp(score) for score in shifted]
        return (
            SolutionStep(
                text=told(
                    f"减去最大值 {max(drawn['scores'])}：",
                    f"Subtract the maximum, {max(drawn['scores'])}:",
                    rf"s - \max s = {tex(shifted)}",
                )
            ),
            SolutionStep(
                text=told(
                    "取指数并求和，最大的一项是 $e^0 = 1$：",
                    "The exponentials and their sum; the largest is $e^0 = 1$:",
                    rf"e^{{s - \max s}} \approx {tex(exponentials)}",
                    rf"\sum_j e^{{s_j - \max s}} \approx {tex(right['total'])}",
                ),
                part="total",
            ),
            SolutionStep(
                text=told(
                    "相除：",
                    "Divide:",
                    rf"\frac{{1}}{{{tex(right['total'])}}} \times {tex(exponentials)} \approx "
                    rf"{tex(right['weights'])}",
                ),
                part="weights",
                figure=Given(name="a", value=right["weights"], role="s"),
            ),
            SolutionStep(
                text=Text(
                    "分子分母同乘 $e^{-\\max s}$，比值不变；分母至少是 1，既不会上溢，也不会除以零。",
                    "Numerator and denominator are both multiplied by $e^{-\\max s}$, so the ratio is "
                    "unchanged; the denominator is at least 1, so nothing overflows and nothing is "
                    "divided by zero.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        shifted = _shifted(drawn)
        return (
            Text(
                "整行减去同一个数，softmax 不变。减哪个数最保险？",
                "Subtracting one number from the whole row leaves the softmax as it is. Which number is "
                "safest?",
            ),
            Text(
                f"减去最大值以后，分数是 ${tex(shifted)}$。",
                f"With the maximum subtracted the scores are ${tex(shifted)}$.",
            ),
            Text(
                f"指数是 ${tex([math.exp(score) for score in shifted])}$；它们的和就是分母。",
                f"The exponentials are ${tex([math.exp(score) for score in shifted])}$; their sum is "
                f"the denominator.",
            ),
        )


def _shifted(drawn: Drawn) -> list[int]:
    return [score - max(drawn["scores"]) for score in drawn["scores"]]
