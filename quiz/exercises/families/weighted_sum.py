"""D1: the output of one query, from weights that are already there."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from attention_core import faults, pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS = WIDTH = 3  # square, so that a transposed V is a mistake that can be made
SHARES = 10  # the weights are tenths


@register
class WeightedSum(Family):
    """Drawn: tenths, three different whole numbers that sum to 10; k, v (3, 3), integers."""

    slug = "weighted_sum"
    code = "D1"
    title = Text("用注意力权重对 V 加权求和", "Weigh and add the values")
    sections = ("7.11",)
    questions = (14, 26)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        ATTENTION_MISTAKES["mix_with_keys"],
        Misconception(
            slug="strongest_only",
            title=Text("只取了权重最大的那一行", "only the row with the largest weight taken"),
            told=Text(
                "结果就是权重最大的那个 token 的 $v$：这是硬选择，注意力是软的。",
                "This is the $v$ of the token with the largest weight: a hard choice, where attention "
                "makes a soft one.",
            ),
            question=Text(
                "其余 token 的权重也不是 0。它们的内容该去哪儿？",
                "The other tokens have weights above 0 as well. Where should their contents go?",
            ),
            caption=Text("只取最大的会得到", "Taking only the largest"),
        ),
        Misconception(
            slug="plain_mean",
            title=Text("直接对 V 求了平均", "a plain average of the values"),
            told=Text(
                "每个 token 都按三分之一算，给出的权重没有用上。",
                "Every token counted for a third; the given weights were not used.",
            ),
            question=Text(
                "三个权重相等吗？权重大的 token 应当占多少？",
                "Are the three weights equal? How much should a token with a larger one count for?",
            ),
            caption=Text("求平均会得到", "With a plain average"),
        ),
        Misconception(
            slug="transposed_values",
            title=Text("乘了 Vᵀ，而不是 V", "a product with Vᵀ instead of V"),
            told=Text(
                "权重和 $V$ 的每一行做了点积，等于乘了 $V^\\top$：权重被分给了各个分量，而不是各个 token。",
                "The weights met each row of $V$, which is a product with $V^\\top$: they went to "
                "components instead of tokens.",
            ),
            question=Text(
                "权重有三个，因为 token 有三个。沿 $V$ 的哪一维才是一个个 token？",
                "There are three weights because there are three tokens. Along which axis of $V$ do the "
                "tokens lie?",
            ),
            caption=Text("乘 Vᵀ 会得到", "With Vᵀ"),
        ),
        Misconception(
            slug="unweighted_sum",
            title=Text("把 V 的各行直接相加", "the rows of V added without weights"),
            told=Text(
                "三行 $v$ 原样加了起来，没有乘权重，结果会随 token 数变大。",
                "The three rows were added as they stand, without weights; such a sum grows with the "
                "number of tokens.",
            ),
            question=Text(
                "权重加起来是 1。输出的每个分量应当落在哪两个数之间？",
                "The weights sum to 1. Between which two numbers must each component of the output lie?",
            ),
            caption=Text("直接相加会得到", "Adding without weights"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="output", kind="vector", label=Text("输出", "output"), shape=(WIDTH,), role="o"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        first, second = rng.choice(np.arange(1, SHARES), 2, replace=False).tolist()
        return {
            "tenths": [first, second, SHARES - first - second],
            "k": rng.integers(-2, 5, (TOKENS, WIDTH)).tolist(),
            "v": rng.integers(-2, 5, (TOKENS, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Three different positive weights, and values that are no mirror image of themselves."""
        tenths, v = drawn["tenths"], np.array(drawn["v"])
        return min(tenths) > 0 and len(set(tenths)) == TOKENS and bool((v != v.T).any())

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _mixed(drawn, _weights(drawn))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        weights = _weights(drawn)
        if slug == "mix_with_keys":
            return _mixed(drawn, weights, faults.steps_with(slug))
        if slug == "transposed_values":
            return _mixed({**drawn, "v": np.array(drawn["v"]).T}, weights)
        instead = {
            "strongest_only": [1.0 if weight == max(weights) else 0.0 for weight in weights],
            "plain_mean": [1 / TOKENS] * TOKENS,
            "unweighted_sum": [1.0] * TOKENS,
        }
        return _mixed(drawn, instead[slug])

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "这个 query 对三个 token 的注意力权重 $a$ 已经算好。算出它的输出。",
                "The attention weights $a$ of this query over three tokens are there. Work out its output.",
            ),
            givens=(
                Given(name="a", value=_weights(drawn), role="s"),
                Given(name="K", value=drawn["k"], role="k"),
                Given(name="V", value=drawn["v"], role="v"),
            ),
            conventions=(
                Text(
                    "$K$ 和 $V$ 的第 $j$ 行属于第 $j$ 个 token；权重已经过 softmax，加起来是 1。",
                    "Row $j$ of $K$ and of $V$ belongs to token $j$; the weights come from the softmax "
                    "and sum to 1.",
                ),
                Text("单头，最后不乘 $W_O$。", "One head, and no $W_O$ at the end."),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        weights, output = _weights(drawn), self.right(drawn)["output"]
        terms = [rf"{w:.1f} \times {tex(v)}" for w, v in zip(weights, drawn["v"], strict=True)]
        columns = zip(*drawn["v"], strict=True)
        lines = [
            rf"o_{c} = {' + '.join(_tenth_terms(weights, column))} = {tex(output[c - 1])}"
            for c, column in enumerate(columns, start=1)
        ]
        return (
            SolutionStep(
                text=told(
                    "每个 token 的 $v$ 乘上它的权重，再加起来：",
                    "Each token's $v$ times its weight, then added up:",
                    rf"o = {' + '.join(terms)}",
                )
            ),
            SolutionStep(
                text=told("逐个分量算：", "Component by component:", *lines),
                part="output",
                figure=Given(name="o", value=output, role="o"),
            ),
            SolutionStep(
                text=Text(
                    "自查：权重为正、和为 1，所以每个分量都落在 $V$ 那一列的最小值和最大值之间。",
                    "Check: the weights are positive and sum to 1, so every component lies between the "
                    "smallest and the largest number in its column of $V$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        weights, column = _weights(drawn), [row[0] for row in drawn["v"]]
        return (
            Text(
                "输出汇总的是内容：想想哪个矩阵装的是内容。",
                "The output collects contents: which matrix holds them?",
            ),
            Text(
                "第 $j$ 个权重乘 $V$ 的第 $j$ 行，三行加起来。",
                "Weight $j$ times row $j$ of $V$, and the three rows added up.",
            ),
            Text(
                f"第一个分量是 ${' + '.join(_tenth_terms(weights, column))}$。",
                f"The first component is ${' + '.join(_tenth_terms(weights, column))}$.",
            ),
        )


def _weights(drawn: Drawn) -> list[float]:
    return [tenth / SHARES for tenth in drawn["tenths"]]


def _mixed(drawn: Drawn, weights: list[float], steps: pipeline.Steps = pipeline.RIGHT) -> Values:
    """The pipeline's output with the weights given instead of worked out."""
    k, v = (np.array(drawn[name], dtype=np.float64) for name in ("k", "v"))
    given = replace(steps, normalise=lambda t: np.array([weights]))
    return {"output": listed(pipeline.follow(pipeline.prepare(k[:1], k, v), given).output[0])}


def _tenth_terms(weights: list[float], column: tuple[int, ...] | list[int]) -> list[str]:
    return [rf"{weight:.1f} \times {tex_factor(v)}" for weight, v in zip(weights, column, strict=True)]
