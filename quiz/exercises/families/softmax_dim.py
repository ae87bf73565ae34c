"""C2: the softmax of a matrix of scores, over the right axis."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.softmax import softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

SIZE = 3
SATURATED = 0.95


@register
class SoftmaxDim(Family):
    """Drawn: scores (3, 3), nine different integers."""

    slug = "softmax_dim"
    code = "C2"
    title = Text("softmax 沿哪一维做", "Which axis the softmax runs over")
    sections = ("7.10",)
    questions = (13,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        ATTENTION_MISTAKES["softmax_over_columns"],
        ATTENTION_MISTAKES["softmax_over_all"],
        Misconception(
            slug="columns_transposed",
            title=Text("按列做了 softmax，又把结果转置了", "a softmax over columns, then written as rows"),
            told=Text(
                "归一化的是列，写下来时又转成了行：每行加起来是 1，但那是别人的分数。",
                "The columns were normalised and then written as rows: every row sums to 1, but the "
                "scores in it belong to others.",
            ),
            question=Text(
                "第 1 行的三个权重，是由原矩阵的哪三个分数算出来的？",
                "The three weights in row 1: from which three scores of the given matrix do they come?",
            ),
            caption=Text("按列再转置会得到", "Over columns, then transposed"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="weights", kind="matrix", label=Text("权重矩阵", "weights"), shape=(SIZE, SIZE), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"scores": rng.choice(np.arange(-4, 6), (SIZE, SIZE), replace=False).tolist()}

    def accepts(self, drawn: Drawn) -> bool:
        """Every row reaches 0, no weight takes nearly all of its row, and rounded work is right."""
        scores = np.array(drawn["scores"], dtype=np.float64)
        weights = softmax(scores)
        if scores.max(axis=1).min() < 0 or weights.max() >= SATURATED:
            return False
        return honesty.survives(scores, np.eye(SIZE), weights)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"weights": softmax(np.array(drawn["scores"], dtype=np.float64), axis=-1).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        scores = np.array(drawn["scores"], dtype=np.float64)
        if slug == "softmax_over_all":
            return {"weights": softmax(scores.ravel()).reshape(SIZE, SIZE).tolist()}
        columns = softmax(scores, axis=0)
        return {"weights": (columns if slug == "softmax_over_columns" else columns.T).tolist()}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "$S$ 是三个 query 对三个 key 的分数。算出注意力权重矩阵 $A$。",
                "$S$ holds the scores of three queries against three keys. Work out the matrix of "
                "attention weights $A$.",
            ),
            givens=(Given(name="S", value=drawn["scores"], role="s"),),
            conventions=(
                Text(
                    "第 $i$ 行第 $j$ 列是第 $i$ 个 query 对第 $j$ 个 key 的分数，已经缩放过，没有掩码。",
                    "Row $i$, column $j$ is the score of query $i$ against key $j$, already scaled; no mask.",
                ),
                Text(
                    "每个 query 把总量为 1 的注意力分给各个 key；指数以自然常数 $e$ 为底。",
                    "Each query shares out attention of 1 in all among the keys, with the natural "
                    "exponential $e^x$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        weights = self.right(drawn)["weights"]
        rows = [
            SolutionStep(
                text=told(
                    f"第 {i} 行取指数、求和、相除：",
                    f"Row {i}: exponentials, their sum, and the shares:",
                    *weights_lines([score - max(row) for score in row]),
                )
            )
            for i, row in enumerate(drawn["scores"], start=1)
        ]
        shifted = [[score - max(row) for score in row] for row in drawn["scores"]]
        return (
            SolutionStep(
                text=Text(
                    "每个 query 占一行，所以一行做一次 softmax。先从每一行减去这一行的最大值：",
                    "Every query has a row, so there is one softmax a row. Subtract its maximum from "
                    "each row first:",
                ),
                figure=Given(name="S", value=shifted, role="s"),
            ),
            *rows,
            SolutionStep(
                text=Text(
                    "三行合起来就是 $A$。自查：每一行加起来是 1，列的和可以是别的数。",
                    "The three rows make up $A$. Check: every row sums to 1; the columns may sum to "
                    "anything.",
                ),
                part="weights",
                figure=Given(name="A", value=weights, role="s"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        first = drawn["scores"][0]
        exponentials = [float(np.exp(score - max(first))) for score in first]
        return (
            Text(
                "先想清楚：谁在分配注意力，分给谁？", "First settle who shares out attention, and among whom."
            ),
            Text(
                "行是 query，列是 key：在每一行里面做 softmax，三行互不影响。",
                "Rows are queries and columns are keys: one softmax inside each row, the rows independent.",
            ),
            Text(
                f"第 1 行减去最大值后的指数是 ${tex(exponentials)}$，除以它们的和；其余两行照做。",
                f"In row 1 the exponentials after subtracting the maximum are ${tex(exponentials)}$; "
                f"divide by their sum, and do the same for the other rows.",
            ),
        )
