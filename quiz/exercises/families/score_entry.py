"""B1: one entry of QKᵀ."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.similarity import dot_scores
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.registry import register
from quiz.exercises.score_mistakes import KEYS_ONLY, QUERIES_ONLY
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS = 3
ENTRIES = (-3, -2, -1, 1, 2, 3, 4)


@register
class ScoreEntry(Family):
    """Drawn: q, k (3, d_k), integers without zeros; row and column of the asked entry, from 0, not equal."""

    slug = "score_entry"
    code = "B1"
    title = Text("算出 QKᵀ 的一个元素", "One entry of QKᵀ")
    sections = ("7.7",)
    questions = (10,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="indices_swapped",
            title=Text("行和列弄反了", "the row and the column exchanged"),
            told=Text(
                "算的是第 $j$ 行第 $i$ 列：提问的成了另一个 token。",
                "This is the entry in row $j$, column $i$: the other token did the asking.",
            ),
            question=Text(
                "行号 $i$ 指的是提问的 token 还是被匹配的 token？那一行向量该从哪个矩阵里取？",
                "Does the row number $i$ stand for the token that asks or for the one that is matched, "
                "and from which matrix does its vector come?",
            ),
            caption=Text("行列弄反会得到", "With row and column exchanged"),
        ),
        KEYS_ONLY,
        QUERIES_ONLY,
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="score", kind="integer", label=Text("分数", "score"), tolerance=EXACT, role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        width = int(rng.integers(2, 4))
        row, column = rng.choice(TOKENS, 2, replace=False).tolist()
        return {
            "q": rng.choice(ENTRIES, (TOKENS, width)).tolist(),
            "k": rng.choice(ENTRIES, (TOKENS, width)).tolist(),
            "row": row,
            "column": column,
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"score": _entry(drawn, "q", "k")}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        """S_ji is the entry (i, j) of KQᵀ."""
        asking, asked = {
            "indices_swapped": ("k", "q"),
            "keys_only": ("k", "k"),
            "queries_only": ("q", "q"),
        }[slug]
        return {"score": _entry(drawn, asking, asked)}

    def prompt(self, drawn: Drawn) -> Prompt:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        return Prompt(
            task=Text(
                f"$S = QK^\\top$。算出 $S$ 第 {i} 行第 {j} 列的分数 $S_{{{i}{j}}}$。",
                f"$S = QK^\\top$. Work out $S_{{{i}{j}}}$, the score in row {i}, column {j} of $S$.",
            ),
            givens=(
                Given(name="Q", value=drawn["q"], role="q"),
                Given(name="K", value=drawn["k"], role="k"),
            ),
            conventions=(say.ROWS_FROM_ONE, say.PLAIN_SCORES, say.WHOLE_NUMBERS),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        q, k, score = drawn["q"][i - 1], drawn["k"][j - 1], self.right(drawn)["score"]
        return (
            SolutionStep(
                text=told(
                    f"第 {i} 行属于提问的 token {i}，取 $Q$ 的第 {i} 行；第 {j} 列属于被匹配的 token "
                    f"{j}，取 $K$ 的第 {j} 行：",
                    f"Row {i} belongs to the token that asks: take row {i} of $Q$. Column {j} belongs "
                    f"to the token that is matched: take row {j} of $K$:",
                    rf"q_{{{i}}} = {tex(q)} \qquad k_{{{j}}} = {tex(k)}",
                )
            ),
            SolutionStep(
                text=told(
                    "对应分量相乘，再相加：",
                    "Multiply component by component and add up:",
                    rf"S_{{{i}{j}}} = q_{{{i}}} \cdot k_{{{j}}} = {tex_dot(q, k)} = {tex(score)}",
                ),
                part="score",
            ),
            SolutionStep(
                text=Text(
                    f"反过来的 $S_{{{j}{i}}} = q_{{{j}}} \\cdot k_{{{i}}}$ 是另一个数：$QK^\\top$ 一般不"
                    f"对称。",
                    f"The other way round, $S_{{{j}{i}}} = q_{{{j}}} \\cdot k_{{{i}}}$ is another "
                    f"number: in general $QK^\\top$ is not symmetric.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        return (
            Text(
                "一个分数是一个 query 和一个 key 的点积，不用算出整个矩阵。",
                "A score is the dot product of one query and one key; the whole matrix is not needed.",
            ),
            Text(
                f"行号管 query，列号管 key：要用 $q_{{{i}}}$ 和 $k_{{{j}}}$。",
                f"The row picks the query and the column the key: $q_{{{i}}}$ and $k_{{{j}}}$.",
            ),
            Text(
                f"把 ${tex(drawn['q'][i - 1])}$ 和 ${tex(drawn['k'][j - 1])}$ 对应相乘，再加起来。",
                f"Multiply ${tex(drawn['q'][i - 1])}$ and ${tex(drawn['k'][j - 1])}$ component by "
                f"component, then add up.",
            ),
        )


def _entry(drawn: Drawn, asking: str, asked: str) -> int:
    """The entry (row, column) of the product of one matrix with another transposed."""
    scores = dot_scores(np.array(drawn[asking], dtype=np.float64), np.array(drawn[asked], dtype=np.float64))
    return int(scores[drawn["row"], drawn["column"]])
