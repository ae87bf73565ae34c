"""F5: a score with ALiBi's penalty for distance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import faults, pipeline
from attention_core.inputs import Inputs
from attention_core.positions import alibi_bias, alibi_slopes
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.position_conventions import POSITIONS_FROM_ZERO
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

HEADS = 16


@register
class Alibi(Family):
    """Drawn: score in halves; head from 1; query and key, positions from 0, the key before the query."""

    slug = "alibi"
    code = "F5"
    title = Text("给分数加上 ALiBi 偏置", "A score with ALiBi's bias")
    sections = ("7.3",)
    questions = (5,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="bias_sign_flipped",
            title=Text("偏置的符号反了", "a bias of the wrong sign"),
            told=Text(
                "距离的惩罚被加了上去：离得越远，分数反而越高。",
                "The penalty was added: the further away a key is, the higher it scores.",
            ),
            question=Text(
                "ALiBi 想让远处的 key 分数变高还是变低？",
                "Does ALiBi mean to raise or to lower the scores of distant keys?",
            ),
            caption=Text("符号反过来会得到", "With the sign flipped"),
        ),
        Misconception(
            slug="alibi_heads_from_zero",
            title=Text("头的序号从 0 数了", "heads counted from 0"),
            told=Text(
                "斜率用成了前一个头的：$m_h$ 里的 $h$ 从 1 数。",
                "The slope is that of the head before: the $h$ of $m_h$ counts from 1.",
            ),
            question=Text(
                "要是 $h$ 从 0 数，第一个头的斜率会是多少？",
                "If $h$ counted from 0, what would the first head's slope be?",
            ),
            caption=Text("头从 0 数会得到", "With heads from 0"),
        ),
        Misconception(
            slug="alibi_slope_by_head",
            title=Text("斜率用了 2 的 −h 次方", "a slope of 2 to the power −h"),
            told=Text(
                "用的是 $2^{-h}$，只有 8 个头时才是这样；指数要乘 $8/H$。",
                "The slope was $2^{-h}$, which holds for 8 heads only; the exponent carries the factor "
                "$8/H$.",
            ),
            question=Text(
                "不管有几个头，最后一个头的斜率都应当是 $2^{-8}$。你的公式能给出这个数吗？",
                "However many heads there are, the last one's slope should be $2^{-8}$. Does your formula "
                "give that?",
            ),
            caption=Text("斜率取 2 的 −h 次方会得到", "With 2 to the power −h"),
        ),
        Misconception(
            slug="alibi_without_slope",
            title=Text("直接减了距离，没有乘斜率", "the bare distance subtracted, without a slope"),
            told=Text(
                "减去的是 $i-j$；每个头有自己的斜率，惩罚要先乘上它。",
                "What was subtracted is $i-j$; each head has a slope of its own that multiplies the "
                "distance.",
            ),
            question=Text(
                "所有的头都用同样的惩罚吗？",
                "Do all heads punish distance equally?",
            ),
            caption=Text("不乘斜率会得到", "Without the slope"),
        ),
        Misconception(
            slug="bias_ignored",
            title=Text("没有加偏置", "a bias left out"),
            told=Text(
                "给出的是原来的分数，位置完全没有起作用。",
                "This is the score as it stood; the positions had no say.",
            ),
            question=Text(
                "去掉偏置，模型还分得清近处和远处的 key 吗？",
                "Without the bias, can the model tell near keys from distant ones?",
            ),
            caption=Text("不加偏置就是", "Without the bias"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="biased", kind="scalar", label=Text("加偏置后的分数", "biased score"), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        key = int(rng.integers(0, 20))
        return {
            "score": int(rng.integers(-4, 13)) / 2,
            "head": int(rng.integers(2, 7)),
            "query": key + int(rng.integers(2, 10)),
            "key": key,
        }

    def accepts(self, drawn: Drawn) -> bool:
        """A slope rounded to three decimals still comes out right, and is not by chance the answer."""
        slope, distance = _slope(drawn), int(drawn["query"] - drawn["key"])
        lost = abs(round(slope, honesty.PLACES) - slope) * distance
        biased = float(drawn["score"]) - slope * distance
        return lost + 0.0005 <= honesty.MARGIN and biased != slope

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn)))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn), faults.steps_with(slug)))

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"模型有 $H = {HEADS}$ 个头，用 ALiBi。第 {drawn['head']} 个头里，位置 $i = "
                f"{drawn['query']}$ 的 query 对位置 $j = {drawn['key']}$ 的 key 打分 $s$。加上偏置以后，"
                "分数是多少？",
                f"A model with $H = {HEADS}$ heads uses ALiBi. In head {drawn['head']} the query at "
                f"position $i = {drawn['query']}$ scores the key at position $j = {drawn['key']}$ with "
                "$s$. What is the score with the bias?",
            ),
            givens=(
                Given(name="s", value=drawn["score"], role="s"),
                Given(name="h", value=drawn["head"], note=Text("头，从 1 数", "head, from 1")),
                Given(name="i", value=drawn["query"], note=Text("query 的位置", "position of the query")),
                Given(name="j", value=drawn["key"], note=Text("key 的位置", "position of the key")),
            ),
            conventions=(
                Text(
                    "$s$ 已经除过 $\\sqrt{d_k}$；没有旋转，也没有加位置编码。",
                    "$s$ is already divided by $\\sqrt{d_k}$; nothing is turned and no encoding was added.",
                ),
                Text(
                    "第 $h$ 个头（从 1 数）的斜率是 $m_h = 2^{-8h/H}$；偏置与距离 $i - j$ 成正比。",
                    "Head $h$, counted from 1, has the slope $m_h = 2^{-8h/H}$; the bias is proportional "
                    "to the distance $i - j$.",
                ),
                POSITIONS_FROM_ZERO,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        head, i, j = drawn["head"], drawn["query"], drawn["key"]
        slope = _slope(drawn)
        score, biased = drawn["score"], self.right(drawn)["biased"]
        sign = "=" if slope == round(slope, 3) else r"\approx"
        return (
            SolutionStep(
                text=told(
                    "先算这个头的斜率：",
                    "This head's slope first:",
                    rf"m_{{{head}}} = 2^{{-8 \times {head}/{HEADS}}} {sign} {tex(slope)}",
                )
            ),
            SolutionStep(
                text=told(
                    f"距离是 ${i} - {j} = {i - j}$，乘上斜率，从分数里减去：",
                    f"The distance is ${i} - {j} = {i - j}$; times the slope, taken off the score:",
                    rf"{tex(score)} - {tex(slope)} \times {i - j} {sign} {tex(biased)}",
                ),
                part="biased",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        head, i, j = drawn["head"], drawn["query"], drawn["key"]
        slope = _slope(drawn)
        return (
            Text(
                "ALiBi 不动向量，只在分数上按距离罚一笔。",
                "ALiBi leaves the vectors alone and charges the score for the distance.",
            ),
            Text(
                f"斜率的指数是 $-8 \\times {head}/{HEADS}$，头从 1 数。",
                f"The slope's exponent is $-8 \\times {head}/{HEADS}$, with heads from 1.",
            ),
            Text(
                f"斜率约为 ${tex(slope)}$，距离是 {i - j}。",
                f"The slope is about ${tex(slope)}$, the distance {i - j}.",
            ),
        )


def _slope(drawn: Drawn) -> float:
    return float(alibi_slopes(HEADS)[drawn["head"] - 1])


def _inputs(drawn: Drawn) -> Inputs:
    """One query and one key in every head, with the given score as q·k and scale 1."""
    scores = np.full((HEADS, 1, 1), drawn["score"], dtype=np.float64)
    ones = np.ones((HEADS, 1, 1))
    bias = alibi_bias(HEADS, 1, 1, offset=drawn["query"] - drawn["key"])
    return pipeline.prepare(scores, ones, ones, bias=bias, scale=1.0)


def _values(drawn: Drawn, trace: pipeline.Trace) -> Values:
    return {"biased": float(trace.masked[drawn["head"] - 1, 0, 0])}
