"""B2: the whole matrix of scores, QKᵀ."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.similarity import dot_scores
from quiz.exercises import conventions as say
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import scores_lines, told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex_dot
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.score_mistakes import KEYS_ONLY, QUERIES_ONLY
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS, WIDTH = 3, 2
PRODUCTS = {"transposed_scores": ("k", "q"), "queries_only": ("q", "q"), "keys_only": ("k", "k")}


@register
class ScoreMatrix(Family):
    """Drawn: q, k (3, 2), integers without zeros."""

    slug = "score_matrix"
    code = "B2"
    title = Text("算出整个分数矩阵 QKᵀ", "The whole score matrix QKᵀ")
    sections = ("7.7",)
    questions = (10,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        ATTENTION_MISTAKES["transposed_scores"],
        QUERIES_ONLY,
        KEYS_ONLY,
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="scores",
            kind="matrix",
            label=Text("分数矩阵", "score matrix"),
            shape=(TOKENS, TOKENS),
            tolerance=EXACT,
            role="s",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        choices = [-2, -1, 1, 2, 3]
        return {name: rng.choice(choices, (TOKENS, WIDTH)).tolist() for name in ("q", "k")}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"scores": _product(drawn, "q", "k")}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return {"scores": _product(drawn, *PRODUCTS[slug])}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text("算出分数矩阵 $S = QK^\\top$。", "Work out the score matrix $S = QK^\\top$."),
            givens=(
                Given(name="Q", value=drawn["q"], role="q"),
                Given(name="K", value=drawn["k"], role="k"),
            ),
            conventions=(say.ROWS_FROM_ONE, say.PLAIN_SCORES, say.WHOLE_NUMBERS),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        rows = [
            SolutionStep(
                text=told(
                    f"第 {i} 行，$q_{i}$ 依次和三个 key 做点积：",
                    f"Row {i}: $q_{i}$ with each of the three keys:",
                    *scores_lines(q, drawn["k"], i),
                )
            )
            for i, q in enumerate(drawn["q"], start=1)
        ]
        return (
            *rows,
            SolutionStep(
                text=Text(
                    "三行合起来就是 $S$。三个 query、三个 key，所以是 $3\\times 3$；宽度 $d_k = 2$ 在求"
                    "和时消掉了。",
                    "The three rows make up $S$. Three queries and three keys make it $3\\times 3$; the "
                    "width $d_k = 2$ is summed away.",
                ),
                part="scores",
                figure=Given(name="S", value=self.right(drawn)["scores"], role="s"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "结果是 $3\\times 3$：行是 query，列是 key。",
                "The result is $3\\times 3$: rows are queries, columns are keys.",
            ),
            Text(
                "第 $i$ 行第 $j$ 列是 $Q$ 的第 $i$ 行和 $K$ 的第 $j$ 行的点积。",
                "Row $i$, column $j$ is row $i$ of $Q$ dotted with row $j$ of $K$.",
            ),
            Text(
                f"例如第 1 行第 2 列是 ${tex_dot(drawn['q'][0], drawn['k'][1])}$。",
                f"Row 1, column 2, for example, is ${tex_dot(drawn['q'][0], drawn['k'][1])}$.",
            ),
        )


def _product(drawn: Drawn, asking: str, asked: str) -> list[list[float]]:
    """One matrix times another transposed."""
    one, other = (np.array(drawn[name], dtype=np.float64) for name in (asking, asked))
    scores: list[list[float]] = listed(dot_scores(one, other))
    return scores
