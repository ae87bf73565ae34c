"""G2: RMSNorm of one token, with its weight."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.norms import layer_norm, rms_norm
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

Array = npt.NDArray[np.float64]
WIDTH = 4
EPS = 1e-6


@register
class RmsNormed(Family):
    """Drawn: x, integers with a mean off 0; gamma, halves."""

    slug = "rmsnorm"
    code = "G2"
    title = Text("算出一个 token 的 RMSNorm", "RMSNorm of one token")
    sections = ("7.20",)
    questions = (30,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="layer_norm",
            title=Text("减了均值，算成了 LayerNorm", "the mean subtracted, which makes it a LayerNorm"),
            told=Text(
                "先减去了均值，再除以标准差；RMSNorm 省掉的正是减均值这一步。",
                "The mean was subtracted and the standard deviation divided out; centring is the "
                "very step RMSNorm drops.",
            ),
            question=Text("RMSNorm 的公式里有 $\\mu$ 吗？", "Is there a $\\mu$ in the formula of RMSNorm?"),
            caption=Text("LayerNorm 会得到", "LayerNorm gives"),
        ),
        Misconception(
            slug="unit_length",
            title=Text("除以了向量的长度（L2 范数）", "a division by the vector's length (L2 norm)"),
            told=Text(
                "除以的是 $\\sqrt{\\sum x^2}$：平方和没有除以特征数，结果小了 $\\sqrt{n}$ 倍。",
                "The divisor was $\\sqrt{\\sum x^2}$, a sum instead of a mean of squares, so the "
                "result is $\\sqrt{n}$ times too small.",
            ),
            question=Text("RMS 里的 M 代表什么？", "What does the M in RMS stand for?"),
            caption=Text("除以 L2 范数会得到", "With the L2 norm"),
        ),
        Misconception(
            slug="standard_deviation",
            title=Text("没减均值，却除以了标准差", "a division by the standard deviation, without centring"),
            told=Text(
                "分子没有减均值，分母却用了以均值为中心的 $\\sigma$。",
                "The numerator was not centred, but the divisor was $\\sigma$, which is measured "
                "from the mean.",
            ),
            question=Text(
                "均方根是相对 0 量的，还是相对均值量的？",
                "Is a root mean square measured from 0 or from the mean?",
            ),
            caption=Text("除以标准差会得到", "Dividing by the standard deviation"),
        ),
        Misconception(
            slug="no_root",
            title=Text("除以了均方，没有开方", "a division by the mean square without its root"),
            told=Text(
                "除以的是 $\\text{mean}(x^2)$ 本身，少了开方。",
                "The divisor was $\\text{mean}(x^2)$ itself; the root is missing.",
            ),
            question=Text(
                "把 $x$ 放大 10 倍，RMSNorm 的结果会变吗？你的会变吗？",
                "If $x$ grew tenfold, would RMSNorm's result change? Would yours?",
            ),
            caption=Text("不开方会得到", "Without the root"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="output", kind="vector", label=Text("输出 y", "output y"), shape=(WIDTH,), role="o"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice([-4, -3, -2, -1, 1, 2, 3, 4, 5, 6], WIDTH, replace=False).tolist(),
            "gamma": (rng.choice([-2, 1, 3, 4], WIDTH) / 2).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """A mean off 0, and honest rounding comes out right."""
        x, gamma = _arrays(drawn)
        root = round(math.sqrt(round(float(np.mean(x * x)), PLACES)), PLACES)
        exact = np.array(self.right(drawn)["output"])
        ways = (np.round(x / root, PLACES) * gamma, x * round(1 / root, PLACES) * gamma)
        honest = all(float(np.abs(np.round(way, PLACES) - exact).max()) <= MARGIN for way in ways)
        return bool(x.mean() != 0) and honest

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        x, gamma = _arrays(drawn)
        return {"output": rms_norm(x, gamma, eps=EPS).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, gamma = _arrays(drawn)
        if slug == "layer_norm":
            return {"output": (layer_norm(x, gamma, eps=EPS) + 0.0).tolist()}
        divisors = {
            "unit_length": math.hypot(*drawn["x"]),
            "standard_deviation": math.sqrt(float(x.var()) + EPS),
            "no_root": float(np.mean(x * x)) + EPS,
        }
        return {"output": (x / divisors[slug] * gamma).tolist()}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"一个 token 有 {WIDTH} 个特征。算出它经过 RMSNorm 的输出 $y$。",
                f"A token has {WIDTH} features. Work out its RMSNorm output $y$.",
            ),
            givens=(
                Given(name="x", value=drawn["x"]),
                Given(name="γ", value=drawn["gamma"], note=Text("缩放", "scale")),
            ),
            conventions=(
                Text(
                    "RMS 是均方根，在这个 token 自己的特征上求，平均除以特征数 $n$；$\\gamma$ 逐特征"
                    "相乘，没有 $\\beta$。",
                    "RMS is the root mean square over the features of this token, the mean divided "
                    "by their number $n$; $\\gamma$ multiplies feature by feature, and there is no "
                    "$\\beta$.",
                ),
                Text(
                    "根号里加的 $\\epsilon = 10^{-6}$ 手算时可以忽略。",
                    "The $\\epsilon = 10^{-6}$ under the root is too small to matter by hand.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, _ = _arrays(drawn)
        square = float(np.mean(x * x))
        squares = " + ".join(f"{tex_factor(value)}^2" for value in drawn["x"])
        normal = rms_norm(x, eps=EPS).tolist()
        right = self.right(drawn)["output"]
        return (
            SolutionStep(
                text=told(
                    "平方，取平均，开方（不减均值）：",
                    "Square, average, take the root (nothing is subtracted):",
                    rf"\text{{RMS}} = \sqrt{{\frac{{{squares}}}{{{WIDTH}}}}} = \sqrt{{"
                    rf"{tex(square)}}} \approx {tex(math.sqrt(square))}",
                )
            ),
            SolutionStep(
                text=told(
                    "每个特征除以它，再乘自己的 $\\gamma$：",
                    "Divide every feature by it, then multiply by its own $\\gamma$:",
                    rf"x / \text{{RMS}} \approx {tex(normal)}",
                    rf"y = {tex(drawn['gamma'])} \odot x / \text{{RMS}} \approx {tex(right)}",
                ),
                part="output",
                figure=Given(name="y", value=right, role="o"),
            ),
            SolutionStep(
                text=Text(
                    "自查：乘 $\\gamma$ 之前，各特征平方的平均是 1；均值一般不是 0。",
                    "Check: before $\\gamma$ the squares average 1; the mean is in general not 0.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        x, _ = _arrays(drawn)
        square = float(np.mean(x * x))
        return (
            Text(
                "RMSNorm 比 LayerNorm 少一步：不减均值。",
                "RMSNorm has one step less than LayerNorm: it does not centre.",
            ),
            Text(
                "从右往左读 RMS：先平方（S），再平均（M），再开方（R）。",
                "Read RMS from right to left: square (S), mean (M), root (R).",
            ),
            Text(
                f"平方的平均是 ${tex(square)}$；开方，去除 $x$，再乘 $\\gamma$。",
                f"The mean of the squares is ${tex(square)}$; take the root, divide $x$ by it, and "
                "multiply by $\\gamma$.",
            ),
        )


def _arrays(drawn: Drawn) -> tuple[Array, Array]:
    return np.array(drawn["x"], dtype=np.float64), np.array(drawn["gamma"], dtype=np.float64)
