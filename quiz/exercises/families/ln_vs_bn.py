"""G3: one entry after LayerNorm, where BatchNorm would have taken another axis."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.norms import layer_norm
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

Array = npt.NDArray[np.float64]
TOKENS, WIDTH = 3, 4
EPS = 1e-5


@register
class LayerAgainstBatch(Family):
    """Drawn: x (3, 4) integers; row and column of the asked entry, from 0."""

    slug = "ln_vs_bn"
    code = "G3"
    title = Text("LayerNorm 沿哪一维：算出一个元素", "Which axis LayerNorm takes: one entry")
    sections = ("7.20",)
    questions = (29,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="batch_axis",
            title=Text(
                "沿列做了，那是 BatchNorm 的方向", "the statistics of the column, as BatchNorm takes them"
            ),
            told=Text(
                "均值和方差是在同一个特征的各个 token 之间求的。",
                "Mean and variance were taken over the tokens, for one feature.",
            ),
            question=Text(
                "别的 token 变了，这个 token 的 LayerNorm 应当跟着变吗？",
                "If another token changes, should this token's LayerNorm change?",
            ),
            caption=Text("沿列归一化会得到", "Over the column"),
        ),
        Misconception(
            slug="whole_tensor",
            title=Text("对整个矩阵求了统计量", "the statistics of the whole matrix"),
            told=Text("均值和方差是在全部元素上求的。", "Mean and variance were taken over all entries."),
            question=Text(
                "归一化之后，每一行的均值都会是 0 吗？",
                "After your normalisation, would every row have mean 0?",
            ),
            caption=Text("整个矩阵一起会得到", "Over the whole matrix"),
        ),
        Misconception(
            slug="sample_variance",
            title=Text("方差除以了 n−1", "a variance divided by n−1"),
            told=Text(
                "方差除以的是 $n-1$（样本方差），题目约定的是总体方差。",
                "The variance was divided by $n-1$, as for a sample; the task takes the population variance.",
            ),
            question=Text("题目约定的方差除以几？", "By what does the task divide the variance?"),
            caption=Text("方差除以 n−1 会得到", "With n−1"),
        ),
        Misconception(
            slug="not_centred",
            title=Text("没有减均值", "no centring"),
            told=Text(
                "直接用元素除以了标准差，均值没有减掉。",
                "The entry was divided by the standard deviation without subtracting the mean.",
            ),
            question=Text(
                "归一化之后，这一行的均值应当是多少？", "What should the mean of the row be afterwards?"
            ),
            caption=Text("不减均值会得到", "Without centring"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="entry", kind="scalar", label=Text("归一化后的元素", "the normalised entry"), role="o"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.integers(-3, 8, (TOKENS, WIDTH)).tolist(),
            "row": int(rng.integers(TOKENS)),
            "column": int(rng.integers(WIDTH)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Row and column have spread and the row a mean off 0; honest rounding comes out right."""
        x, row, column = _array(drawn), drawn["row"], drawn["column"]
        if min(x[row].var(), x[:, column].var()) < 0.5 or x[row].mean() == 0:
            return False
        root = round(math.sqrt(round(float(x[row].var()), PLACES)), PLACES)
        rounded = round(round(float(x[row, column] - x[row].mean()), PLACES) / root, PLACES)
        return bool(abs(rounded - self.right(drawn)["entry"]) <= MARGIN)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        normal = layer_norm(_array(drawn), eps=EPS)
        return {"entry": float(normal[drawn["row"], drawn["column"]]) + 0.0}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, row, column = _array(drawn), drawn["row"], drawn["column"]
        seen = {"batch_axis": x[:, column], "whole_tensor": x}.get(slug, x[row])
        variance = float(seen.var(ddof=1 if slug == "sample_variance" else 0))
        mean = 0.0 if slug == "not_centred" else float(seen.mean())
        return {"entry": (float(x[row, column]) - mean) / math.sqrt(variance + EPS)}

    def prompt(self, drawn: Drawn) -> Prompt:
        row, column = drawn["row"] + 1, drawn["column"] + 1
        return Prompt(
            task=Text(
                f"对 $X$ 做 LayerNorm。第 {row} 行第 {column} 列的元素变成多少？",
                f"LayerNorm is applied to $X$. What does the entry in row {row}, column {column} become?",
            ),
            givens=(Given(name="X", value=drawn["x"], lit=drawn["row"]),),
            conventions=(
                Text(
                    f"$X$ 的每一行是一个 token，每一列是一个特征：{TOKENS} 个 token，{WIDTH} 个特征。",
                    f"Each row of $X$ is a token, each column a feature: {TOKENS} tokens, {WIDTH} features.",
                ),
                Text(
                    "总体方差（除以个数）；$\\gamma = 1$，$\\beta = 0$；$\\epsilon = 10^{-5}$，手算"
                    "时可以忽略。",
                    "Population variance (divided by the count); $\\gamma = 1$, $\\beta = 0$; $\\"
                    "epsilon = 10^{-5}$ is too small to matter by hand.",
                ),
                Text("行和列都从 1 数。", "Rows and columns count from 1."),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, row, column = _array(drawn), drawn["row"], drawn["column"]
        mean, variance = float(x[row].mean()), float(x[row].var())
        value = drawn["x"][row][column]
        return (
            SolutionStep(
                text=told(
                    f"LayerNorm 只看这个 token 自己的一行，第 {row + 1} 行：",
                    f"LayerNorm looks at this token's own row only, row {row + 1}:",
                    rf"{tex(drawn['x'][row])}:\quad \mu = {tex(mean)},\quad \sigma^2 \approx {tex(variance)}",
                )
            ),
            SolutionStep(
                text=told(
                    "减均值，除以标准差：",
                    "Less the mean, divided by the standard deviation:",
                    rf"\frac{{{tex(value)} - {tex_factor(mean)}}}{{\sqrt{{{tex(variance)}}}}} \a"
                    rf"pprox {tex(self.right(drawn)['entry'])}",
                ),
                part="entry",
            ),
            SolutionStep(
                text=Text(
                    f"对照：BatchNorm 用的是第 {column + 1} 列，各 token 互相影响，结果是 "
                    f"${tex(self.mistaken(drawn, 'batch_axis')['entry'])}$。",
                    f"For comparison: BatchNorm takes column {column + 1}, where tokens affect one "
                    f"another, and gives ${tex(self.mistaken(drawn, 'batch_axis')['entry'])}$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        x, row = _array(drawn), drawn["row"]
        return (
            Text(
                "LayerNorm 的统计量来自哪里：这一行，还是这一列？",
                "Where do LayerNorm's statistics come from: this row or this column?",
            ),
            Text(
                "一个 token 的 LayerNorm 和别的 token 无关，所以看它自己的一行。",
                "A token's LayerNorm does not depend on other tokens, so look at its own row.",
            ),
            Text(
                f"这一行的均值是 ${tex(float(x[row].mean()))}$，方差是 ${tex(float(x[row].var()))}$。",
                f"The row has the mean ${tex(float(x[row].mean()))}$ and the variance "
                f"${tex(float(x[row].var()))}$.",
            ),
        )


def _array(drawn: Drawn) -> Array:
    return np.array(drawn["x"], dtype=np.float64)
