"""I4: what inverted dropout makes of an entry that stays."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.training import dropout
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class InvertedDropout(Family):
    """Drawn: x in tenths; p, the probability of dropping, never a half."""

    slug = "inverted_dropout"
    code = "I4"
    title = Text("训练时 dropout 把留下的数变成多少", "What dropout makes of an entry that stays")
    sections = ("7.23",)
    questions = (34,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="not_rescaled",
            title=Text("留下的数没有放大", "no rescaling of what stays"),
            told=Text(
                "直接写了 $x$：丢掉一部分之后，总体的均值变小了。",
                "The answer is $x$ itself; with some entries gone, the mean then drops.",
            ),
            question=Text(
                "丢掉一部分以后，怎样让期望保持不变？",
                "With some entries dropped, what keeps the expectation the same?",
            ),
            caption=Text("不放大会得到", "Without rescaling"),
        ),
        Misconception(
            slug="multiplied",
            title=Text("乘了 1−p，没有除", "a multiplication by 1−p instead of a division"),
            told=Text(
                "乘 $1-p$ 是另一种约定里推理时做的事；倒置的 dropout 在训练时除。",
                "Multiplying by $1-p$ is what the other convention does at test time; inverted "
                "dropout divides, in training.",
            ),
            question=Text(
                "要补回丢掉的部分，留下的数应当变大还是变小？",
                "To make up for what was dropped, should the rest grow or shrink?",
            ),
            caption=Text("乘 1−p 会得到", "Multiplying by 1−p"),
        ),
        Misconception(
            slug="divided_by_p",
            title=Text("除以了 p", "a division by p"),
            told=Text(
                "除数用成了丢弃的概率，应当是保留的概率。",
                "The divisor was the probability of dropping; it should be that of keeping.",
            ),
            question=Text("一个数留下来的概率是多少？", "With what probability does an entry stay?"),
            caption=Text("除以 p 会得到", "Dividing by p"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="kept", kind="scalar", label=Text("留下的数变成", "the entry becomes")),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        tenths = int(rng.integers(10, 80)) * int(rng.choice([-1, 1]))
        return {"x": tenths / 10, "p": float(rng.choice([0.1, 0.15, 0.2, 0.25, 0.3, 0.4]))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"kept": float(dropout([drawn["x"]], p=drawn["p"], keep=[True])[0])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, p = drawn["x"], drawn["p"]
        values = {"not_rescaled": x, "multiplied": x * (1 - p), "divided_by_p": x / p}
        return {"kept": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "训练时对一个向量做 dropout，下面这个数没有被丢掉。它变成多少？",
                "In training, dropout is applied to a vector, and this entry is not dropped. What "
                "does it become?",
            ),
            givens=(
                Given(name="x", value=drawn["x"]),
                Given(name="p", value=drawn["p"], note=Text("丢弃的概率", "probability of dropping")),
            ),
            conventions=(
                Text(
                    "用倒置的 dropout（inverted dropout），也就是 PyTorch 的做法：推理时什么都不做，"
                    "训练时保证期望不变。",
                    "Inverted dropout, as in PyTorch: nothing happens at test time, and training "
                    "keeps the expectation.",
                ),
                Text(
                    "$p$ 是丢弃的概率，不是保留的概率。",
                    "$p$ is the probability of dropping, not of keeping.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, p = drawn["x"], drawn["p"]
        return (
            SolutionStep(
                text=told(
                    "每个数以 $1-p$ 的概率留下。要让期望还是 $x$，留下时就得除以 $1-p$：",
                    "An entry stays with probability $1-p$. For the expectation to remain $x$, it "
                    "is divided by that:",
                    r"p \cdot 0 + (1-p) \cdot \frac{x}{1-p} = x",
                )
            ),
            SolutionStep(
                text=told(
                    "代入：",
                    "With the numbers:",
                    rf"\frac{{{tex(x)}}}{{1 - {tex(p)}}} = \frac{{{tex(x)}}}{{{tex(1 - p)}}} \a"
                    rf"pprox {tex(self.right(drawn)['kept'])}",
                ),
                part="kept",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "倒置的 dropout 在训练时补偿，推理时什么都不做。",
                "Inverted dropout makes up for the loss in training and does nothing at test time.",
            ),
            Text(
                "被丢掉的变成 0；留下的要变大，好让期望不变。",
                "What is dropped becomes 0; what stays has to grow so that the expectation is kept.",
            ),
            Text(
                f"保留的概率是 $1-p = {tex(1 - drawn['p'])}$，拿它去除 $x$。",
                f"The probability of staying is $1-p = {tex(1 - drawn['p'])}$: divide $x$ by it.",
            ),
        )
