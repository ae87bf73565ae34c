"""G5: the gradient through a stack of residual layers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.blocks import residual
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.honesty import MARGIN, PLACES
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

LARGEST = 12.0


@register
class ResidualGradient(Family):
    """Drawn: slope a of each layer's branch; layers."""

    slug = "residual_grad"
    code = "G5"
    title = Text("梯度穿过一摞残差层", "The gradient through a stack of residual layers")
    sections = ("7.19",)
    questions = (27,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_identity",
            title=Text("漏了恒等的那一项", "the identity left out"),
            told=Text(
                "算成了 $a^L$，那是没有残差的网络：每层的导数应当是 $1 + a$。",
                "The result is $a^L$, a network without residuals; each layer's derivative should "
                "be $1 + a$.",
            ),
            question=Text(
                "$y = x + F(x)$ 对 $x$ 求导，$x$ 自己那一项给出什么？",
                "In the derivative of $y = x + F(x)$, what does the $x$ itself contribute?",
            ),
            caption=Text("没有残差会得到", "Without residuals"),
        ),
        Misconception(
            slug="linearised",
            title=Text("各层的贡献直接相加了", "the layers' contributions simply added"),
            told=Text(
                "算成了 $1 + La$，只保留了一阶项；穿过多条支路的路径没有算。",
                "The result is $1 + La$, the first-order part; the paths through several branches "
                "are missing.",
            ),
            question=Text(
                "链式法则把各层的导数相加还是相乘？",
                "Does the chain rule add the layers' derivatives or multiply them?",
            ),
            caption=Text("只留一阶项会得到", "To first order"),
        ),
        Misconception(
            slug="one_identity",
            title=Text("只在最后加了一次 1", "the identity added once, at the end"),
            told=Text(
                "算成了 $a^L + 1$：像是一整摞外面只套了一个残差。",
                "The result is $a^L + 1$, as if one residual went round the whole stack.",
            ),
            question=Text(
                "这里有几个残差连接？每层一个，还是总共一个？",
                "How many residual connections are there: one for each layer, or one in all?",
            ),
            caption=Text("只加一次 1 会得到", "With one identity"),
        ),
        Misconception(
            slug="summed",
            title=Text("把 L 层的导数加了起来", "the derivatives of the layers added up"),
            told=Text(
                "算成了 $L(1+a)$：复合函数的导数是乘起来的。",
                "The result is $L(1+a)$, but derivatives of composed functions multiply.",
            ),
            question=Text(
                "只有两层时，$y_2$ 对 $x$ 的导数怎么写？",
                "With two layers only, how would you write the derivative of $y_2$ by $x$?",
            ),
            caption=Text("相加会得到", "By adding"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (Part(name="gradient", kind="scalar", label=Text("∂y/∂x", "∂y/∂x")),)

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"slope": int(rng.integers(-30, 61)) / 100, "layers": int(rng.integers(3, 13))}

    def accepts(self, drawn: Drawn) -> bool:
        """A slope off 0, a result of at most 12, and multiplying on with three decimals comes out right."""
        exact, rounded = self.right(drawn)["gradient"], 1.0
        for _ in range(drawn["layers"]):
            rounded = round(rounded * (1 + drawn["slope"]), PLACES)
        return bool(drawn["slope"] != 0 and exact <= LARGEST and abs(rounded - exact) <= MARGIN)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        """Every layer is linear, so what the stack makes of 1 is its derivative."""
        value = 1.0
        for _ in range(drawn["layers"]):
            value = residual(value, lambda x: drawn["slope"] * x, norm=lambda x: x, order="pre")
        return {"gradient": value}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        a, layers = drawn["slope"], drawn["layers"]
        values = {
            "no_identity": a**layers,
            "linearised": 1 + layers * a,
            "one_identity": a**layers + 1,
            "summed": layers * (1 + a),
        }
        return {"gradient": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "$L$ 个残差层首尾相接，每层都是 $y = x + F(x)$。最后的输出对最初的输入的导数是多少？",
                "$L$ residual layers follow one another, each $y = x + F(x)$. What is the "
                "derivative of the last output by the first input?",
            ),
            givens=(
                Given(name="L", value=drawn["layers"], note=Text("层数", "layers")),
                Given(
                    name="a",
                    value=drawn["slope"],
                    note=Text("每层支路的导数 ∂F/∂x", "derivative ∂F/∂x of each branch"),
                ),
            ),
            conventions=(
                Text(
                    "一维：$x$、$y$ 都是一个数，每层的 $\\partial F/\\partial x$ 都等于同一个 $a$。",
                    "One dimension: $x$ and $y$ are single numbers, and $\\partial F/\\partial x$ "
                    "is the same $a$ in every layer.",
                ),
                Text("没有归一化，没有 dropout。", "No norms and no dropout."),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        a, layers = drawn["slope"], drawn["layers"]
        return (
            SolutionStep(
                text=told(
                    "一层的导数，恒等的那一项给 1：",
                    "One layer's derivative, to which the identity contributes 1:",
                    rf"\frac{{\partial y}}{{\partial x}} = 1 + a = {tex(1 + a)}",
                )
            ),
            SolutionStep(
                text=told(
                    "链式法则把 $L$ 层乘起来：",
                    "The chain rule multiplies the $L$ layers:",
                    rf"(1 + a)^L = {tex(1 + a)}^{{{layers}}} \approx {tex(self.right(drawn)['gradient'])}",
                ),
                part="gradient",
            ),
            SolutionStep(
                text=Text(
                    f"没有残差的话是 $a^L$，量级约为 $10^{{{_magnitude(a**layers)}}}$：恒等项让梯度"
                    "总有一条不衰减的路。",
                    f"Without residuals it would be $a^L$, of the order of $10^{{"
                    f"{_magnitude(a**layers)}}}$: the identity keeps one path on which nothing "
                    "decays.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text("先求一层的导数：$y = x + F(x)$ 有两项。", "First one layer: $y = x + F(x)$ has two terms."),
            Text(
                "层与层首尾相接，链式法则把各层的导数相乘。",
                "The layers are composed, so the chain rule multiplies their derivatives.",
            ),
            Text(
                f"每层的导数是 {tex(1 + drawn['slope'])}，一共 {drawn['layers']} 层。",
                f"Each layer's derivative is {tex(1 + drawn['slope'])}, and there are "
                f"{drawn['layers']} of them.",
            ),
        )


def _magnitude(value: float) -> int:
    return int(f"{value:.0e}".split("e")[1])
