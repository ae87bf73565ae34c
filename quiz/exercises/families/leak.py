"""E7: how a token comes back to its own output although attention may not look at itself."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import blocks
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
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

TOKENS = 3
Matrix = list[list[float]]


@register
class Leak(Family):
    """Drawn: weights (3, 3) in tenths, rows of sum 1 with zeros on the diagonal; row from 0."""

    slug = "leak"
    code = "E7"
    title = Text("遮住自己以后，自己的内容还剩多少", "What comes back to a token that may not see itself")
    sections = ("7.19",)
    questions = (28,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="nothing",
            title=Text("以为遮住对角线就什么都不漏", "a hidden diagonal taken to let nothing through"),
            told=Text(
                "注意力里看不到自己，但残差把自己原样带了过去，别的 token 也会把它带回来。",
                "Attention does not see the token itself, but the residual carries it along, and other "
                "tokens bring it back.",
            ),
            question=Text(
                "除了注意力，输入还走哪一条路到达输出？",
                "Besides attention, by which path does the input reach the output?",
            ),
            caption=Text("以为什么都不漏是", "Taking nothing to leak"),
        ),
        Misconception(
            slug="residual_only",
            title=Text("只算了残差这一条路", "the residual path alone"),
            told=Text(
                "残差的一份算对了，但两层之间还有来回：别的 token 在第一层看了它，第二层又被它看。",
                "The residual's share is right, but there is a way round through two layers: others read "
                "the token in the first, and it reads them in the second.",
            ),
            question=Text(
                "第一层里别的 token 看了它，第二层它再看别的 token，会读到什么？",
                "In layer 1 the others read this token. When it reads them in layer 2, what does it find?",
            ),
            caption=Text("只算残差是", "By the residual alone"),
        ),
        Misconception(
            slug="two_hops_only",
            title=Text("只算了两跳，漏了残差", "the two hops alone, without the residual"),
            told=Text(
                "经过别的 token 绕回来的部分算对了，但一路走残差的那一份没有加上。",
                "What comes back through other tokens is right, but the share that stays on the residual "
                "path is missing.",
            ),
            question=Text(
                "两层都走残差，$x_i$ 到输出时的系数是几？",
                "With the residual in both layers, what is the factor of $x_i$ at the output?",
            ),
            caption=Text("只算两跳是", "By the two hops alone"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="two_hops",
            kind="scalar",
            label=Text("绕一圈回来的部分", "what comes back the long way"),
            role="s",
            required=False,
        ),
        Part(
            name="factor",
            kind="scalar",
            label=Text("xᵢ 的系数", "factor of xᵢ"),
            role="s",
            uses=("two_hops",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        weights = [[0.0] * TOKENS for _ in range(TOKENS)]
        for row in range(TOKENS):
            first, second = (column for column in range(TOKENS) if column != row)
            tenths = int(rng.integers(1, 10))
            weights[row][first], weights[row][second] = tenths / 10, (10 - tenths) / 10
        return {"weights": weights, "row": int(rng.integers(TOKENS))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        row = drawn["row"]
        return {
            "two_hops": _two_layers(drawn, residual=False)[row][row],
            "factor": _two_layers(drawn)[row][row],
        }

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        two_hops = self.right(drawn)["two_hops"]
        values = {
            "nothing": {"two_hops": 0.0, "factor": 0.0},
            "residual_only": {"two_hops": 0.0, "factor": 1.0},
            "two_hops_only": {"two_hops": two_hops, "factor": two_hops},
        }
        return values[slug]

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        """The residual path passes the token itself on once; nothing returns to it in one hop."""
        return 1 + earlier["two_hops"] if part == "factor" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        row = drawn["row"] + 1
        return Prompt(
            task=Text(
                f"{TOKENS} 个 token，注意力把对角线遮住了：谁也看不到自己。叠两层，每层都是 $x \\leftarrow "
                f"x + Ax$。第 {row} 个 token 的最终输出里，它自己最初的输入 $x_{{{row}}}$ "
                "前面的系数是多少？",
                f"Attention over {TOKENS} tokens has its diagonal hidden, so that nobody sees itself. Two "
                f"layers are stacked, each $x \\leftarrow x + Ax$. In the final output of token {row}, "
                f"what is the factor of its own first input $x_{{{row}}}$?",
            ),
            givens=(Given(name="A", value=drawn["weights"], role="s", lit=drawn["row"]),),
            conventions=(
                Text(
                    "两层用同一个 $A$，已经归一化；当成常数，不随输入变（只看 value 这条路）。",
                    "Both layers use the same $A$, already normalised; take it as constant, whatever the "
                    "input (the value path only).",
                ),
                Text(
                    "$W_V$、$W_O$ 都是单位矩阵，没有归一化层，没有 FFN。",
                    "$W_V$ and $W_O$ are identities; there is no norm and no feed-forward network.",
                ),
                Text(
                    "$A$ 的行是 query、列是 key；行号从 1 数。",
                    "The rows of $A$ are queries, its columns keys; rows count from 1.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        weights, row, right = drawn["weights"], drawn["row"], self.right(drawn)
        i, others = row + 1, [j for j in range(TOKENS) if j != row]
        out = [weights[row][j] for j in others]
        back = [weights[j][row] for j in others]
        return (
            SolutionStep(
                text=told(
                    "两层合起来，乘的是：",
                    "The two layers together multiply by:",
                    r"(I + A)(I + A) = I + 2A + A^2",
                )
            ),
            SolutionStep(
                text=told(
                    f"对角线上 $A_{{{i}{i}}} = 0$，但 $A^2$ 不是：别的 token 先看它，它再看别的 token：",
                    f"On the diagonal $A_{{{i}{i}}} = 0$, but $A^2$ is not: others read it first, then it "
                    "reads them:",
                    rf"(A^2)_{{{i}{i}}} = {tex_dot(out, back)} = {tex(right['two_hops'])}",
                ),
                part="two_hops",
            ),
            SolutionStep(
                text=told(
                    "再加上一直走残差的那一份：",
                    "With the share that stays on the residual path:",
                    rf"1 + 2 \times 0 + {tex(right['two_hops'])} = {tex(right['factor'])}",
                ),
                part="factor",
            ),
            SolutionStep(
                text=Text(
                    "所以只遮注意力藏不住这个词：BERT 改的是输入，把它换成 [MASK]。",
                    "So a mask on attention cannot hide the word: BERT changes the input and puts [MASK] "
                    "in its place.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row = drawn["row"]
        j, k = (other + 1 for other in range(TOKENS) if other != row)
        i = row + 1
        return (
            Text(
                "从输入到输出，每一层都有两条路：残差，或者注意力。",
                "In each layer there are two paths: the residual or attention.",
            ),
            Text(
                "两层一共四种走法，哪几种会从它自己出发、又回到它自己？",
                "Two layers make four ways. Which of them start at this token and end at it?",
            ),
            Text(
                f"绕一圈的部分是 $A_{{{i}{j}}}A_{{{j}{i}}} + A_{{{i}{k}}}A_{{{k}{i}}}$；"
                "一直走残差的那一份另算。",
                f"The long way gives $A_{{{i}{j}}}A_{{{j}{i}}} + A_{{{i}{k}}}A_{{{k}{i}}}$; the share of "
                "the residual path comes on top.",
            ),
        )


def _two_layers(drawn: Drawn, *, residual: bool = True) -> Matrix:
    """What two layers multiply the tokens by: they are run on the identity, one token a row."""
    weights = np.array(drawn["weights"], dtype=np.float64)
    x: Any = np.eye(TOKENS)

    def mix(h: Any) -> Any:
        return weights @ h

    for _ in range(2):
        x = blocks.residual(x, mix, norm=lambda h: h, order="pre") if residual else mix(x)
    result: Matrix = np.round(x, 2).tolist()  # tenths times tenths: nothing but float noise is lost
    return result
