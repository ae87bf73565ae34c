"""G7: one hidden entry of a SwiGLU, from its gate and its value."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.feedforward import gate, silu
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
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


@register
class SwiGluEntry(Family):
    """Drawn: a, negative, in quarters; b, in halves, neither 0 nor a."""

    slug = "swiglu"
    code = "G7"
    title = Text("算出 SwiGLU 的一个隐藏元素", "One hidden entry of a SwiGLU")
    sections = ("7.21",)
    questions = (31,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="sigmoid_gate",
            title=Text("门用了 sigmoid，而不是 SiLU", "a sigmoid for the gate instead of SiLU"),
            told=Text(
                "算成了 $\\sigma(a)\\,b$：那是最早的 GLU；SwiGLU 的门还要再乘一个 $a$。",
                "The result is $\\sigma(a)\\,b$, the original GLU; the gate of SwiGLU has a further "
                "factor $a$.",
            ),
            question=Text(
                "$\\text{SiLU}(a)$ 和 $\\sigma(a)$ 差在哪个因子？",
                "Which factor lies between $\\text{SiLU}(a)$ and $\\sigma(a)$?",
            ),
            caption=Text("用 sigmoid 门会得到", "With a sigmoid gate"),
        ),
        Misconception(
            slug="swapped",
            title=Text("门和值弄反了", "gate and value in each other's place"),
            told=Text(
                "SiLU 作用在了 $b$ 上；题目里 $a$ 才是门。",
                "SiLU was applied to $b$, but here $a$ is the gate.",
            ),
            question=Text(
                "激活函数作用在哪一路投影上？", "Which of the two projections goes through the activation?"
            ),
            caption=Text("门和值互换会得到", "With gate and value swapped"),
        ),
        Misconception(
            slug="relu_gate",
            title=Text("门用了 ReLU", "a ReLU for the gate"),
            told=Text(
                "负的 $a$ 被直接截成了 0；SiLU 在负数上并不是 0。",
                "The negative $a$ was cut to 0, but SiLU is not 0 below 0.",
            ),
            question=Text("$\\text{SiLU}(-1)$ 等于 0 吗？", "Is $\\text{SiLU}(-1)$ equal to 0?"),
            caption=Text("用 ReLU 门会得到", "With a ReLU gate"),
        ),
        Misconception(
            slug="no_value",
            title=Text("没有乘另一路", "the other projection left out"),
            told=Text(
                "只算了 $\\text{SiLU}(a)$，没有乘 $b$：这里的「门」什么也没有开关。",
                "Only $\\text{SiLU}(a)$ was worked out, without $b$: the gate has nothing to open or close.",
            ),
            question=Text(
                "门控结构里有几路投影？它们怎样合在一起？",
                "How many projections does a gated unit have, and how do they come together?",
            ),
            caption=Text("不乘 b 会得到", "Without b"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="gate", kind="scalar", label=Text("门 SiLU(a)", "gate SiLU(a)"), required=False),
        Part(name="hidden", kind="scalar", label=Text("隐藏元素", "hidden entry"), uses=("gate",)),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"a": int(rng.integers(-12, -1)) / 4, "b": int(rng.integers(-8, 11)) / 2}

    def accepts(self, drawn: Drawn) -> bool:
        """b is neither 0 nor a nor 1/a, and rounding a sigmoid or a gate to three decimals does no harm."""
        a, b, exact = drawn["a"], drawn["b"], self.right(drawn)
        if b in (0, a) or a * b == 1:
            return False
        ways = (a * round(_sigmoid(a), PLACES) * b, round(exact["gate"], PLACES) * b)
        return all(abs(round(way, PLACES) - exact["hidden"]) <= MARGIN for way in ways)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"gate": float(silu(drawn["a"])), "hidden": float(gate(drawn["a"], drawn["b"]))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        a, b = drawn["a"], drawn["b"]
        gates = {
            "sigmoid_gate": _sigmoid(a),
            "swapped": b * _sigmoid(b),
            "relu_gate": max(0.0, a),
            "no_value": a * _sigmoid(a),
        }
        values = {"swapped": a, "no_value": 1.0}
        return {"gate": gates[slug], "hidden": gates[slug] * values.get(slug, b) + 0.0}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        return earlier["gate"] * drawn["b"] if part == "hidden" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "SwiGLU 前馈网络里，某个隐藏元素的门是 $a$，值是 $b$。这个隐藏元素是多少？",
                "In a SwiGLU feed-forward network a hidden entry has the gate $a$ and the value "
                "$b$. What is the entry?",
            ),
            givens=(
                Given(
                    name="a", value=drawn["a"], note=Text("门那一路，xW 的这个元素", "gate: this entry of xW")
                ),
                Given(
                    name="b",
                    value=drawn["b"],
                    note=Text("值那一路，xV 的这个元素", "value: this entry of xV"),
                ),
            ),
            conventions=(
                Text(
                    "$\\text{SwiGLU}(x) = (\\text{SiLU}(xW) \\odot xV)\\,W_2$，没有偏置；问的是乘 "
                    "$W_2$ 之前的元素。",
                    "$\\text{SwiGLU}(x) = (\\text{SiLU}(xW) \\odot xV)\\,W_2$, without biases; "
                    "asked is the entry before $W_2$.",
                ),
                Text(
                    "$\\text{SiLU}(z) = z \\cdot \\sigma(z)$，$\\sigma(z) = 1/(1+e^{-z})$。",
                    "$\\text{SiLU}(z) = z \\cdot \\sigma(z)$ with $\\sigma(z) = 1/(1+e^{-z})$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        a, b, right = drawn["a"], drawn["b"], self.right(drawn)
        return (
            SolutionStep(
                text=told(
                    "先算门：",
                    "The gate first:",
                    rf"\sigma({tex(a)}) = \frac{{1}}{{1 + e^{{{tex(-a)}}}}} \approx {tex(_sigmoid(a))}",
                    rf"\text{{SiLU}}({tex(a)}) = {tex(a)} \times \sigma({tex(a)}) \approx "
                    rf"{tex(right['gate'])}",
                ),
                part="gate",
            ),
            SolutionStep(
                text=told(
                    "再乘值：",
                    "Times the value:",
                    rf"{tex(right['gate'])} \times {tex_factor(b)} \approx {tex(right['hidden'])}",
                ),
                part="hidden",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        a = drawn["a"]
        return (
            Text(
                "两路相乘：一路过激活函数，一路原样。",
                "Two projections are multiplied: one through the activation, the other as it is.",
            ),
            Text(
                "过激活函数的是门 $a$：$\\text{SiLU}(a) = a \\cdot \\sigma(a)$。",
                "The gate $a$ goes through it: $\\text{SiLU}(a) = a \\cdot \\sigma(a)$.",
            ),
            Text(
                f"$\\sigma(a) \\approx {tex(_sigmoid(a))}$；还差乘 $a$，再乘 $b$。",
                f"$\\sigma(a) \\approx {tex(_sigmoid(a))}$; the factors $a$ and $b$ are left.",
            ),
        )


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))
