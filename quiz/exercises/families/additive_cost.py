"""B8: what additive scores cost when the projections are made once a token."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import additive_score_flops, dot_score_flops, projection_flops
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class AdditiveCost(Family):
    """Drawn: length, width."""

    slug = "additive_cost"
    code = "B8"
    title = Text("加性打分要多少 FLOPs", "What additive scores cost")
    sections = ("7.8",)
    questions = (11,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="projected_per_pair",
            title=Text("每一对都重新算了投影", "projections made anew for every pair"),
            told=Text(
                "$W_1q_i$ 和 $W_2k_j$ 被按 $S^2$ 对来算；其实每个 token 只需各算一次。",
                "$W_1q_i$ and $W_2k_j$ were counted for all $S^2$ pairs; once for each token is enough.",
            ),
            question=Text(
                "$W_1q_i$ 和 $j$ 有关系吗？一共有几个不同的 $W_1q_i$？",
                "Does $W_1q_i$ depend on $j$? How many different $W_1q_i$ are there?",
            ),
            caption=Text("每对重算会得到", "Projecting for every pair"),
        ),
        Misconception(
            slug="dot_product_cost",
            title=Text("算成了点积打分的代价", "the cost of dot-product scores"),
            told=Text(
                "这是 $QK^\\top$ 的代价，没有投影，也没有相加和 tanh。",
                "This is the cost of $QK^\\top$, without projections, additions or tanh.",
            ),
            question=Text(
                "加性打分里，一对 $q$、$k$ 除了点积还要做哪两样运算？",
                "Besides a dot product, which two operations does one pair need in an additive score?",
            ),
            caption=Text("点积打分的代价是", "Dot-product scores cost"),
        ),
        Misconception(
            slug="projections_only",
            title=Text("只算了投影", "the projections alone"),
            told=Text(
                "投影的代价对，每一对的那一部分没有加上。",
                "The projections are right; the part that every pair costs was not added.",
            ),
            question=Text(
                "投影做完之后，每一对还剩哪些运算？一共有多少对？",
                "Once the projections are made, what is left to do for each pair, and how many pairs "
                "are there?",
            ),
            caption=Text("只算投影会得到", "The projections alone"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="flops", kind="integer", label=Text("FLOPs", "FLOPs"), tolerance=EXACT, role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"length": 10 * int(rng.integers(2, 41)), "width": int(rng.choice([8, 16, 24, 32, 48, 64]))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"flops": additive_score_flops(length=drawn["length"], width=drawn["width"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        length, width = drawn["length"], drawn["width"]
        values = {
            "projected_per_pair": additive_score_flops(length=length, width=width, hoisted=False),
            "dot_product_cost": dot_score_flops(length=length, width=width),
            "projections_only": _projections(drawn),
        }
        return {"flops": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "$S$ 个 query 对 $S$ 个 key 打加性分数 $v^\\top\\tanh(W_1q_i + W_2k_j)$，一共要多少 "
                "FLOPs？按最省的做法数。",
                "$S$ queries are scored against $S$ keys by $v^\\top\\tanh(W_1q_i + W_2k_j)$. How many "
                "FLOPs does that take, done in the most economical way?",
            ),
            givens=(
                Given(name="S", value=drawn["length"], note=Text("序列长度", "sequence length")),
                Given(name="d", value=drawn["width"], note=Text("宽度", "width")),
            ),
            conventions=(
                Text(
                    "$W_1$、$W_2$ 都是 $d\\times d$，$v$ 有 $d$ 个分量；没有偏置。",
                    "$W_1$ and $W_2$ are $d\\times d$, $v$ has $d$ components; there are no biases.",
                ),
                Text(
                    "一次乘加算 2 FLOPs，一次加法或一次 tanh 各算 1 FLOP；点积按 $d$ 次乘加数。",
                    "A multiply-add counts as 2 FLOPs, an addition or a tanh as 1 FLOP each; a dot "
                    "product counts as $d$ multiply-adds.",
                ),
                Text(
                    "只数打分，不数 softmax 和加权求和；要准确的整数，可以写算式。",
                    "Scores only, without softmax and weighted sum; give the exact whole number, or an "
                    "expression.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        s, d, total, projections = (
            drawn["length"],
            drawn["width"],
            self.right(drawn)["flops"],
            _projections(drawn),
        )
        return (
            SolutionStep(
                text=told(
                    "投影每个 token 只做一次：$S$ 个 $W_1q_i$，$S$ 个 $W_2k_j$，各是 $d^2$ 次乘加：",
                    "The projections are made once for each token: $S$ times $W_1q_i$ and $S$ times "
                    "$W_2k_j$, each of $d^2$ multiply-adds:",
                    rf"2 \times S \times 2d^2 = 4 \times {s} \times {d}^2 = {projections}",
                )
            ),
            SolutionStep(
                text=told(
                    "每一对：$d$ 次加法、$d$ 次 tanh、和 $v$ 的点积 $2d$，一共 $4d$；有 $S^2$ 对：",
                    "Every pair: $d$ additions, $d$ evaluations of tanh and $2d$ for the dot product "
                    "with $v$, $4d$ in all; there are $S^2$ pairs:",
                    rf"4S^2d = 4 \times {s}^2 \times {d} = {total - projections}",
                )
            ),
            SolutionStep(
                text=told(
                    "合计：", "Together:", rf"4Sd^2 + 4S^2d = {projections} + {total - projections} = {total}"
                ),
                part="flops",
            ),
            SolutionStep(
                text=told(
                    "点积打分连同两个投影是",
                    "Dot-product scores with their two projections cost",
                    rf"4Sd^2 + 2S^2d = {dot_score_flops(length=s, width=d, projected=True)}",
                )
            ),
            SolutionStep(
                text=Text(
                    "两者量级相同，没有差出一个 $d$；点积更快，主要因为它就是矩阵乘法。",
                    "The two are of the same order, not a factor of $d$ apart; dot products are faster "
                    "mainly because they are matrix products.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "先分清哪些运算每个 token 做一次，哪些每一对做一次。",
                "First tell apart what is done once for each token and what for each pair.",
            ),
            Text(
                "$W_1q_i$ 和 $j$ 无关，$W_2k_j$ 和 $i$ 无关：各算 $S$ 次就够。",
                "$W_1q_i$ does not depend on $j$, nor $W_2k_j$ on $i$: $S$ of each are enough.",
            ),
            Text(
                "每一对还剩 $d$ 次加法、$d$ 次 tanh 和一次 $d$ 维点积，一共 $4d$。",
                "A pair is left with $d$ additions, $d$ evaluations of tanh and one dot product of "
                "width $d$: $4d$ in all.",
            ),
        )


def _projections(drawn: Drawn) -> int:
    """W₁ for every query and W₂ for every key: two of the four projections of an attention layer."""
    length = drawn["length"]
    return projection_flops(queries=length, keys=length, d_model=drawn["width"]) // 2
