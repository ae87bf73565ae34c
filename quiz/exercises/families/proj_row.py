"""A1: one token projected to its query, q = xW_Q."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

WIDTH = 2


@register
class ProjRow(Family):
    """Drawn: x, two different integers, neither 0; w (2, 2), four different integers."""

    slug = "proj_row"
    code = "A1"
    title = Text("把一个 token 投影成 query", "Project a token to its query")
    sections = ("7.5",)
    questions = (8, 16)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="transposed_weight",
            title=Text("乘了 W 的转置", "a multiplication by W transposed"),
            told=Text(
                "$x$ 和 $W_Q$ 的行做了点积，算成了 $xW_Q^\\top$；`nn.Linear` 的 `weight` 存的正是转置，很"
                "容易照抄。",
                "$x$ met the rows of $W_Q$, which gives $xW_Q^\\top$; `nn.Linear` stores its `weight` "
                "transposed, so this is easily copied.",
            ),
            question=Text(
                "行向量 $x$ 写在左边时，是和 $W_Q$ 的行还是列做点积？",
                "With the row vector $x$ on the left, does it meet the rows or the columns of $W_Q$?",
            ),
            caption=Text("乘 Wᵀ 会得到", "With W transposed"),
        ),
        Misconception(
            slug="elementwise",
            title=Text("只乘了对角线上的数", "only the numbers on the diagonal multiplied"),
            told=Text(
                "每个分量只乘了 $W_Q$ 对角线上的那个数，没有相加：这是逐元素相乘，不是矩阵乘法。",
                "Each component met only its own number on the diagonal of $W_Q$ and nothing was added: "
                "elementwise, not a matrix product.",
            ),
            question=Text(
                "$q$ 的一个分量要不要用到 $x$ 的全部分量？",
                "Does one component of $q$ depend on all the components of $x$?",
            ),
            caption=Text("逐元素相乘会得到", "Multiplying elementwise"),
        ),
        Misconception(
            slug="inputs_swapped",
            title=Text("x 的两个分量用反了", "the two components of x exchanged"),
            told=Text(
                "$x_1$ 乘了 $W_Q$ 的第 2 行，$x_2$ 乘了第 1 行。",
                "$x_1$ went with row 2 of $W_Q$ and $x_2$ with row 1.",
            ),
            question=Text(
                "$xW_Q$ 是 $W_Q$ 各行的加权和。第 1 行的系数是 $x$ 的哪一个分量？",
                "$xW_Q$ is a weighted sum of the rows of $W_Q$. Which component of $x$ weighs row 1?",
            ),
            caption=Text("两个分量用反会得到", "With the components exchanged"),
        ),
        Misconception(
            slug="dropped_term",
            title=Text("漏了后一项", "the second term left out"),
            told=Text(
                "只算了 $x_1$ 乘第 1 行，$x_2$ 的那一项没有加上。",
                "Only $x_1$ times row 1 was worked out; the term with $x_2$ was not added.",
            ),
            question=Text(
                "$q$ 的每个分量是几项之和？", "How many terms are added up in each component of $q$?"
            ),
            caption=Text("漏掉一项会得到", "With a term left out"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="q", kind="vector", label=Text("q", "q"), shape=(WIDTH,), tolerance=EXACT, role="q"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice([-2, -1, 1, 2, 3], WIDTH, replace=False).tolist(),
            "w": rng.choice(np.arange(-2, 4), (WIDTH, WIDTH), replace=False).tolist(),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"q": _projected(drawn["x"], np.array(drawn["w"]))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        (first, second), w = drawn["x"], np.array(drawn["w"])
        x, weight = {
            "transposed_weight": ([first, second], w.T),
            "elementwise": ([first, second], np.diag(np.diag(w))),
            "inputs_swapped": ([second, first], w),
            "dropped_term": ([first, 0], w),
        }[slug]
        return {"q": _projected(x, weight)}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "把这个 token 投影成 query：算出 $q = xW_Q$。",
                "Project this token to its query: work out $q = xW_Q$.",
            ),
            givens=(Given(name="x", value=drawn["x"]), Given(name="W_Q", value=drawn["w"], role="q")),
            conventions=(
                Text(
                    "$x$ 是行向量，写在 $W_Q$ 的左边；没有偏置。",
                    "$x$ is a row vector and stands to the left of $W_Q$; there is no bias.",
                ),
                say.WHOLE_NUMBERS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, q = drawn["x"], self.right(drawn)["q"]
        columns = zip(*drawn["w"], strict=True)
        lines = [
            rf"q_{c} = {tex_dot(x, column)} = {tex(q[c - 1])}" for c, column in enumerate(columns, start=1)
        ]
        return (
            SolutionStep(
                text=told(
                    "行向量在左，所以 $q$ 的第 $c$ 个分量是 $x$ 和 $W_Q$ 第 $c$ 列的点积：",
                    "With the row vector on the left, component $c$ of $q$ is $x$ times column $c$ of $W_Q$:",
                    *lines,
                ),
                part="q",
                figure=Given(name="q", value=q, role="q"),
            ),
            SolutionStep(
                text=told(
                    "换一种看法验算：$q$ 是 $W_Q$ 两行的加权和，系数就是 $x$ 的分量：",
                    "As a check, see $q$ as a weighted sum of the rows of $W_Q$, weighed by $x$:",
                    rf"{tex(x[0])} \times {tex(drawn['w'][0])} + ({tex(x[1])}) \times "
                    rf"{tex(drawn['w'][1])} = {tex(q)}",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        x, column = drawn["x"], [row[0] for row in drawn["w"]]
        return (
            Text(
                "行向量乘矩阵，结果还是一个行向量，有两个分量。",
                "A row vector times a matrix is a row vector again, here with two components.",
            ),
            Text(
                "每个分量是 $x$ 和 $W_Q$ 的一列的点积，不是一行。",
                "Each component is the dot product of $x$ with a column of $W_Q$, not with a row.",
            ),
            Text(
                f"第一个分量是 ${tex_dot(x, column)}$，第二个照样用第 2 列。",
                f"The first component is ${tex_dot(x, column)}$; the second does the same with column 2.",
            ),
        )


def _projected(x: list[int], w: np.typing.NDArray[np.int64]) -> list[float]:
    """The query of one token by the pipeline's own projection (keys and values share the matrix)."""
    token, weight = np.array([x], dtype=np.float64), w.astype(np.float64)
    values: list[float] = listed(pipeline.prepare_from_x(token, weight, weight, weight).q[0])
    return values
