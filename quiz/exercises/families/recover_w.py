"""A2: the projection that turns these tokens into these queries."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from attention_core import pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

WIDTH = 2
TOKENS = ([1, 1], [1, 2], [2, 1])  # any two of them can be solved for W
Matrix = list[list[int]]


@register
class RecoverW(Family):
    """Drawn: x (3, 2), the three tokens in any order; w (2, 2), integers: what was projected with."""

    slug = "recover_w"
    code = "A2"
    title = Text("从 X 和 Q 反推 W_Q", "Recover W_Q from X and Q")
    sections = ("7.5", "7.12")
    questions = (8,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="transposed",
            title=Text("W_Q 写成了转置", "W_Q written as its transpose"),
            told=Text(
                "四个数都对，行列放反了：这是按 $q = W_Qx$（列向量）解的。",
                "The four numbers are right but rows and columns are exchanged: that solves $q = W_Qx$, "
                "for column vectors.",
            ),
            question=Text(
                "$x$ 是行向量、写在左边时，$W_Q$ 的一行对应 $x$ 的一个分量，还是 $q$ 的一个分量？",
                "With $x$ a row vector on the left, does a row of $W_Q$ belong to a component of $x$ or "
                "of $q$?",
            ),
            caption=Text("转置会得到", "Transposed"),
        ),
        Misconception(
            slug="rows_of_q",
            title=Text("直接抄了 Q 的前两行", "the first two rows of Q copied"),
            told=Text(
                "只有 $X$ 的前两行正好是单位矩阵时，$Q$ 的前两行才等于 $W_Q$。",
                "The first two rows of $Q$ are $W_Q$ only if those of $X$ make up the identity.",
            ),
            question=Text(
                "把你的 $W_Q$ 代回去，$X$ 的第 1 行乘它，真的得到 $Q$ 的第 1 行吗？",
                "Put your $W_Q$ back in: does row 1 of $X$ times it really give row 1 of $Q$?",
            ),
            caption=Text("抄 Q 的前两行会得到", "Copying rows of Q"),
        ),
        Misconception(
            slug="rows_swapped",
            title=Text("两行的次序反了", "the two rows in the wrong order"),
            told=Text(
                "$W_Q$ 的两行互换了，相当于把 $x$ 的两个分量弄反。",
                "The two rows of $W_Q$ stand in each other's place, as if the components of $x$ were "
                "exchanged.",
            ),
            question=Text(
                "$x$ 的第一个分量乘的是 $W_Q$ 的哪一行？",
                "Which row of $W_Q$ does the first component of $x$ multiply?",
            ),
            caption=Text("两行互换会得到", "With the rows exchanged"),
        ),
        Misconception(
            slug="product_not_solved",
            title=Text("用 XᵀQ 代替了解方程", "the product XᵀQ instead of a solution"),
            told=Text(
                "给出的是 $X^\\top Q$；只有 $X^\\top X$ 是单位矩阵时，它才等于 $W_Q$。",
                "This is $X^\\top Q$, which equals $W_Q$ only if $X^\\top X$ is the identity.",
            ),
            question=Text(
                "$X^\\top Q = X^\\top X W_Q$。要得到 $W_Q$，还差哪一步？",
                "$X^\\top Q = X^\\top X W_Q$. Which step is still missing?",
            ),
            caption=Text("用 XᵀQ 会得到", "With XᵀQ"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="w_q",
            kind="matrix",
            label=Text("W_Q", "W_Q"),
            shape=(WIDTH, WIDTH),
            tolerance=EXACT,
            role="q",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": [list(TOKENS[index]) for index in rng.permutation(len(TOKENS))],
            "w": rng.integers(-2, 4, (WIDTH, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """No component of a query is 0 for every token."""
        return bool(np.array(_queries(drawn)).any(axis=0).all())

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"w_q": _solved(drawn["x"], _queries(drawn))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        q, w = _queries(drawn), self.right(drawn)["w_q"]
        values = {
            "transposed": [list(column) for column in zip(*w, strict=True)],
            "rows_of_q": q[:WIDTH],
            "rows_swapped": w[::-1],
            "product_not_solved": (np.array(drawn["x"]).T @ np.array(q, dtype=np.int64)).tolist(),
        }
        return {"w_q": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "已知 $X$ 和 $Q = XW_Q$，求 $W_Q$。",
                "Given $X$ and $Q = XW_Q$, find $W_Q$.",
            ),
            givens=(Given(name="X", value=drawn["x"]), Given(name="Q", value=_queries(drawn), role="q")),
            conventions=(
                Text(
                    "每个 token 是一个行向量，$W_Q$ 写在右边；没有偏置。三行的解一致。",
                    "Every token is a row vector with $W_Q$ to its right; there is no bias. All three "
                    "rows agree on one solution.",
                ),
                say.WHOLE_NUMBERS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        (a, b), (c, d), third = drawn["x"]
        q, w, det = _queries(drawn), self.right(drawn)["w_q"], a * d - b * c
        return (
            SolutionStep(
                text=told(
                    "$W_Q$ 的两行记为 $w_1$、$w_2$。前两个 token 给出两个方程：",
                    "Call the rows of $W_Q$ $w_1$ and $w_2$. The first two tokens give two equations:",
                    rf"{_combined([a, b])} = {tex(q[0])}",
                    rf"{_combined([c, d])} = {tex(q[1])}",
                )
            ),
            SolutionStep(
                text=told(
                    f"行列式是 ${a}\\times {d} - {b}\\times {c} = {det}$，不为 0，解唯一：",
                    f"The determinant is ${a}\\times {d} - {b}\\times {c} = {det}$, not 0, so the "
                    f"solution is unique:",
                    rf"w_1 = \frac{{{d} \times {tex(q[0])} - {b} \times {tex(q[1])}}}{{{det}}} = {tex(w[0])}",
                    rf"w_2 = \frac{{{a} \times {tex(q[1])} - {c} \times {tex(q[0])}}}{{{det}}} = {tex(w[1])}",
                ),
                part="w_q",
                figure=Given(name="W_Q", value=w, role="q"),
            ),
            SolutionStep(
                text=told(
                    "用第三个 token 验算：",
                    "Check with the third token:",
                    rf"{third[0]} \times {tex(w[0])} + {third[1]} \times {tex(w[1])} = {tex(q[2])}",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        (a, b), (c, d), _ = drawn["x"]
        q = _queries(drawn)
        return (
            Text(
                "每个 token 给出一个方程。$W_Q$ 有两行，几个方程就够？",
                "Every token gives an equation. $W_Q$ has two rows: how many equations are enough?",
            ),
            Text(
                f"第 1 行说的是：${_combined([a, b])} = {tex(q[0])}$，其中 $w_1$、$w_2$ 是 $W_Q$ 的两行。",
                f"Row 1 says ${_combined([a, b])} = {tex(q[0])}$, where $w_1$ and $w_2$ are the rows of "
                f"$W_Q$.",
            ),
            Text(
                f"再用 ${_combined([c, d])} = {tex(q[1])}$ 消去一个未知的行。",
                f"With ${_combined([c, d])} = {tex(q[1])}$ one of the unknown rows can be eliminated.",
            ),
        )


def _combined(token: list[int]) -> str:
    """The token's equation: its components times the rows of W_Q."""
    return " + ".join(
        (f"{tex_factor(x)}" if x != 1 else "") + f"w_{row}" for row, x in enumerate(token, start=1)
    )


def _queries(drawn: Drawn) -> list[list[float]]:
    x, w = (np.array(drawn[name], dtype=np.float64) for name in ("x", "w"))
    queries: list[list[float]] = listed(pipeline.prepare_from_x(x, w, w, w).q)
    return queries


def _solved(x: Matrix, q: list[list[float]]) -> Matrix:
    """W from the first two tokens, by Cramer's rule in exact fractions."""
    (a, b), (c, d) = x[:WIDTH]
    det = a * d - b * c
    first = [int(Fraction(d * int(p) - b * int(r), det)) for p, r in zip(q[0], q[1], strict=True)]
    second = [int(Fraction(a * int(r) - c * int(p), det)) for p, r in zip(q[0], q[1], strict=True)]
    return [first, second]
