"""B5: the variance of a scaled score when components do not have variance 1."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
    MAGNITUDE,
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Values,
)

LEAST = 0.5
APPROX = r"\approx"


@register
class DotVariance(Family):
    """Drawn: d_k; sigma_q, sigma_k, the standard deviations of one component."""

    slug = "dot_variance"
    code = "B5"
    title = Text("缩放后分数的方差", "The variance of a scaled score")
    sections = ("7.9",)
    questions = (12,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="standard_deviation",
            title=Text("给出了标准差，不是方差", "the standard deviation instead of the variance"),
            told=Text(
                "给出的是 $\\sigma_q\\sigma_k$，还差一次平方。",
                "This is $\\sigma_q\\sigma_k$; it has yet to be squared.",
            ),
            question=Text(
                "题目问的是方差还是标准差？两者差在哪一步？",
                "Was the variance asked for or the standard deviation, and which step lies between them?",
            ),
            caption=Text("标准差是", "The standard deviation"),
        ),
        Misconception(
            slug="unscaled",
            title=Text("给出了缩放之前的方差", "the variance before the scaling"),
            told=Text(
                "这是 $q\\cdot k$ 本身的方差，还没有考虑除以 $\\sqrt{d_k}$。",
                "This is the variance of $q\\cdot k$ itself, before the division by $\\sqrt{d_k}$.",
            ),
            question=Text(
                "除以一个常数 $c$，方差会变成原来的几分之一？",
                "If a quantity is divided by a constant $c$, by what is its variance divided?",
            ),
            caption=Text("缩放之前是", "Before the scaling"),
        ),
        Misconception(
            slug="divided_by_root",
            title=Text("方差也只除以了 √d_k", "a variance divided by √d_k only"),
            told=Text(
                "分数除以 $\\sqrt{d_k}$，方差也跟着除以了 $\\sqrt{d_k}$，没有平方。",
                "The score is divided by $\\sqrt{d_k}$, and the variance was divided by the same, not "
                "by its square.",
            ),
            question=Text(
                "$\\operatorname{Var}(x/c)$ 等于 $\\operatorname{Var}(x)$ 除以什么？",
                "$\\operatorname{Var}(x/c)$ is $\\operatorname{Var}(x)$ divided by what?",
            ),
            caption=Text("方差除以 √d_k 会得到", "Dividing the variance by √d_k"),
        ),
        Misconception(
            slug="taken_for_one",
            title=Text("以为缩放后方差总是 1", "a scaled variance taken to be 1 whatever the components"),
            told=Text(
                "答案 1 只在各分量方差为 1 时成立；这里不是。",
                "The answer 1 holds for components of variance 1; here they have others.",
            ),
            question=Text(
                "推导里哪一步用到了「各维方差为 1」？题目给的方差是多少？",
                "Which step of the derivation needs components of variance 1, and what variances does "
                "this task give?",
            ),
            caption=Text("以为是 1 会得到", "Taken to be 1"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="variance",
            kind="scalar",
            label=Text("缩放后的方差", "variance after scaling"),
            tolerance=MAGNITUDE,
            role="s",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        sigmas = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0]
        return {
            "d_k": int(rng.choice([16, 32, 48, 64, 80, 96, 128])),
            "sigma_q": float(rng.choice(sigmas)),
            "sigma_k": float(rng.choice(sigmas)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """σ_q σ_k is not 1 (variance, deviation and the textbook's 1 would be the same number), and not so
        small that three decimals of its square are too few.
        """
        product = drawn["sigma_q"] * drawn["sigma_k"]
        return bool(product != 1 and product >= LEAST)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        """Var(q·k) = d_k σ_q² σ_k² (a sum of d_k uncorrelated products), over (√d_k)²."""
        return {"variance": _unscaled(drawn) / drawn["d_k"]}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        values = {
            "standard_deviation": drawn["sigma_q"] * drawn["sigma_k"],
            "unscaled": _unscaled(drawn),
            "divided_by_root": _unscaled(drawn) / math.sqrt(drawn["d_k"]),
            "taken_for_one": 1.0,
        }
        return {"variance": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "缩放后的分数 $q\\cdot k/\\sqrt{d_k}$ 的方差是多少？",
                "What is the variance of the scaled score $q\\cdot k/\\sqrt{d_k}$?",
            ),
            givens=(
                Given(
                    name="d_k",
                    value=drawn["d_k"],
                    note=Text("每个头里 q、k 的宽度", "width of q and k in one head"),
                ),
                Given(
                    name="σ_q",
                    value=drawn["sigma_q"],
                    role="q",
                    note=Text("q 每个分量的标准差", "standard deviation of a component of q"),
                ),
                Given(
                    name="σ_k",
                    value=drawn["sigma_k"],
                    role="k",
                    note=Text("k 每个分量的标准差", "standard deviation of a component of k"),
                ),
            ),
            conventions=(
                Text(
                    "$q$、$k$ 的各个分量相互独立，均值都是 0；给出的是标准差，问的是方差。",
                    "All components of $q$ and $k$ are independent with mean 0; standard deviations are "
                    "given, the variance is asked for.",
                ),
                say.HALF_PERCENT,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        d_k, sigma_q, sigma_k = drawn["d_k"], drawn["sigma_q"], drawn["sigma_k"]
        return (
            SolutionStep(
                text=told(
                    "均值为 0 且独立，一项 $q_ck_c$ 的方差是两个方差之积：",
                    "With mean 0 and independence, the variance of one term $q_ck_c$ is the product of "
                    "two variances:",
                    rf"\operatorname{{Var}}(q_ck_c) = \sigma_q^2 \sigma_k^2 = {tex(sigma_q, 1)}^2 \times "
                    rf"{tex(sigma_k, 1)}^2",
                )
            ),
            SolutionStep(
                text=told(
                    f"点积是 {d_k} 个这样的项之和，方差相加：",
                    f"The dot product adds up {d_k} such terms, and their variances add:",
                    rf"\operatorname{{Var}}(q\cdot k) = {d_k} \times {tex(sigma_q, 1)}^2 \times "
                    rf"{tex(sigma_k, 1)}^2 "
                    rf"{_equals(_unscaled(drawn))}",
                )
            ),
            SolutionStep(
                text=told(
                    "除以 $\\sqrt{d_k}$，方差除以它的平方 $d_k$：",
                    "Dividing by $\\sqrt{d_k}$ divides the variance by its square, $d_k$:",
                    rf"\frac{{{tex(_unscaled(drawn))}}}{{{d_k}}} {_equals(self.right(drawn)['variance'])}",
                ),
                part="variance",
            ),
            SolutionStep(
                text=Text(
                    "缩放消掉的只是维度 $d_k$，消不掉分量本身的大小。要让它也不起作用，得先把 $q$、$k$ "
                    "归一化（QK-Norm）。",
                    "The scaling takes out the width $d_k$ only, not the size of the components. To be "
                    "rid of that too, $q$ and $k$ have to be normalised first (QK-norm).",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "从一项 $q_ck_c$ 的方差开始，再看有几项相加，最后看缩放。",
                "Begin with the variance of one term $q_ck_c$, then count the terms, then scale.",
            ),
            Text(
                "独立、均值 0 时，$\\operatorname{Var}(q_ck_c)=\\sigma_q^2\\sigma_k^2$；除以 $c$，方差除"
                "以 $c^2$。",
                "With independence and mean 0, $\\operatorname{Var}(q_ck_c)=\\sigma_q^2\\sigma_k^2$; "
                "dividing by $c$ divides the variance by $c^2$.",
            ),
            Text(
                "相加时方差乘 $d_k$，缩放时除以 $d_k$。剩下的是什么？",
                "Adding up multiplies the variance by $d_k$, the scaling divides it by $d_k$. What is left?",
            ),
        )


def _unscaled(drawn: Drawn) -> float:
    """The variance of q·k."""
    return float(drawn["d_k"] * (drawn["sigma_q"] * drawn["sigma_k"]) ** 2)


def _equals(value: float) -> str:
    """The value behind the sign it deserves, as three decimals may not hold all of it."""
    return f"{'=' if value == round(value, 3) else APPROX} {tex(value)}"
