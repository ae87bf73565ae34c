"""B4: how far a score differs from the one the other way round."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot, tex_factor
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS, WIDTH = 3, 2
FIRST, LAST = 0, 2  # the two tokens compared


@register
class Asymmetry(Family):
    """Drawn: x (3, 2), w_q, w_k (2, 2), integers."""

    slug = "asymmetry"
    code = "B4"
    title = Text("分数为什么不对称", "Why scores are not symmetric")
    sections = ("7.6",)
    questions = (9,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="taken_for_symmetric",
            title=Text("把分数矩阵当成了对称的", "scores taken to be symmetric"),
            told=Text(
                "差是 0，只有 $Q$、$K$ 共用一个投影（或直接用 $XX^\\top$）时才总是这样。",
                "The difference came out as 0, which it always is only if $Q$ and $K$ share a "
                "projection (or with $XX^\\top$).",
            ),
            question=Text(
                "这里的 $W_Q$ 和 $W_K$ 一样吗？token 1 提问时用的向量，和它被匹配时用的是同一个吗？",
                "Are $W_Q$ and $W_K$ the same here? Does token 1 ask with the same vector that it is "
                "matched by?",
            ),
            caption=Text("共用投影会得到", "With a shared projection"),
        ),
        Misconception(
            slug="opposite_sign",
            title=Text("减的方向反了", "a subtraction the wrong way round"),
            told=Text(
                "算的是 $S_{31} - S_{13}$，大小对，符号反了。",
                "This is $S_{31} - S_{13}$: the right size with the opposite sign.",
            ),
            question=Text(
                "$S_{13}$ 里是谁在提问？它在差里是被减数还是减数？",
                "Who is asking in $S_{13}$, and does it come first in the difference or second?",
            ),
            caption=Text("方向反了会得到", "The other way round"),
        ),
        Misconception(
            slug="added",
            title=Text("把两个分数加了起来", "the two scores added"),
            told=Text(
                "算的是 $S_{13} + S_{31}$；和是对称的，看不出差别。",
                "This is $S_{13} + S_{31}$; a sum is symmetric and shows no difference.",
            ),
            question=Text(
                "要看两个方向差多少，两个分数之间应当用什么运算？",
                "To see how far the two directions differ, which operation belongs between them?",
            ),
            caption=Text("相加会得到", "Adding them"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="difference",
            kind="integer",
            label=Text("S₁₃ 减 S₃₁", "S₁₃ minus S₃₁"),
            tolerance=EXACT,
            role="s",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.integers(-2, 4, (TOKENS, WIDTH)).tolist(),
            "w_q": rng.integers(-1, 3, (WIDTH, WIDTH)).tolist(),
            "w_k": rng.integers(-1, 3, (WIDTH, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """No token that is all zeros, and projections with two different directions each."""
        x, w_q, w_k = (np.array(drawn[name]) for name in ("x", "w_q", "w_k"))
        return bool(x.any(axis=1).all()) and all(np.linalg.det(w) != 0 for w in (w_q, w_k))

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        forth, back = _both_ways(drawn)
        return {"difference": forth - back}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        forth, back = _both_ways(drawn)
        values = {"taken_for_symmetric": 0, "opposite_sign": back - forth, "added": forth + back}
        return {"difference": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "$S = QK^\\top$。算出 $S_{13} - S_{31}$：token 1 对 token 3 的分数，减去 token 3 对 "
                "token 1 的分数。",
                "$S = QK^\\top$. Work out $S_{13} - S_{31}$: the score of token 1 for token 3 less that "
                "of token 3 for token 1.",
            ),
            givens=(
                Given(name="X", value=drawn["x"]),
                Given(name="W_Q", value=drawn["w_q"], role="q"),
                Given(name="W_K", value=drawn["w_k"], role="k"),
            ),
            conventions=(
                Text(
                    "每个 token 是一个行向量：$Q = XW_Q$、$K = XW_K$，没有偏置。",
                    "Every token is a row vector: $Q = XW_Q$, $K = XW_K$, without biases.",
                ),
                Text(
                    "行号、列号都从 1 数；$S_{ij}$ 是第 $i$ 个 query 对第 $j$ 个 key 的分数。",
                    "Rows and columns count from 1; $S_{ij}$ is the score of query $i$ against key $j$.",
                ),
                say.PLAIN_SCORES,
                say.WHOLE_NUMBERS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        q, k = _projected(drawn)
        forth, back = _both_ways(drawn)
        return (
            SolutionStep(
                text=told(
                    "只需要 token 1 和 token 3 的 $q$、$k$：",
                    "Only the $q$ and $k$ of tokens 1 and 3 are needed:",
                    rf"q_1 = {tex(q[FIRST])} \qquad k_1 = {tex(k[FIRST])}",
                    rf"q_3 = {tex(q[LAST])} \qquad k_3 = {tex(k[LAST])}",
                )
            ),
            SolutionStep(
                text=told(
                    "两个方向各做一次点积：",
                    "One dot product in each direction:",
                    rf"S_{{13}} = q_1 \cdot k_3 = {tex_dot(q[FIRST], k[LAST])} = {tex(forth)}",
                    rf"S_{{31}} = q_3 \cdot k_1 = {tex_dot(q[LAST], k[FIRST])} = {tex(back)}",
                )
            ),
            SolutionStep(
                text=told(
                    "相减：",
                    "The difference:",
                    rf"S_{{13}} - S_{{31}} = {tex(forth)} - {tex_factor(back)} = {tex(forth - back)}",
                ),
                part="difference",
            ),
            SolutionStep(
                text=Text(
                    "$S = X(W_QW_K^\\top)X^\\top$。中间的矩阵不对称，$S$ 就可以不对称；共用一个投影 $W$ "
                    "时中间是 $WW^\\top$，差总是 0。",
                    "$S = X(W_QW_K^\\top)X^\\top$. If the matrix in the middle is not symmetric, $S$ "
                    "need not be; with one shared projection $W$ it is $WW^\\top$, and the difference "
                    "is always 0.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        q, k = _projected(drawn)
        return (
            Text(
                "每个 token 有两副面孔：提问时是 $q$，被匹配时是 $k$。",
                "Every token has two faces: $q$ when it asks, $k$ when it is matched.",
            ),
            Text(
                "$S_{13} = q_1\\cdot k_3$，$S_{31} = q_3\\cdot k_1$，要四个不同的向量。",
                "$S_{13} = q_1\\cdot k_3$ and $S_{31} = q_3\\cdot k_1$: four different vectors.",
            ),
            Text(
                f"$q_1 = {tex(q[FIRST])}$，$k_3 = {tex(k[LAST])}$；$q_3 = {tex(q[LAST])}$，"
                f"$k_1 = {tex(k[FIRST])}$。",
                f"$q_1 = {tex(q[FIRST])}$ and $k_3 = {tex(k[LAST])}$; $q_3 = {tex(q[LAST])}$ and $k_1 = "
                f"{tex(k[FIRST])}$.",
            ),
        )


def _trace(drawn: Drawn) -> pipeline.Trace:
    x, w_q, w_k = (np.array(drawn[name], dtype=np.float64) for name in ("x", "w_q", "w_k"))
    return pipeline.follow(pipeline.prepare_from_x(x, w_q, w_k, w_k))  # values play no part in scores


def _projected(drawn: Drawn) -> tuple[list[list[float]], list[list[float]]]:
    trace = _trace(drawn)
    return listed(trace.q), listed(trace.k)


def _both_ways(drawn: Drawn) -> tuple[int, int]:
    """S₁₃ and S₃₁."""
    scores = _trace(drawn).scores
    return int(scores[FIRST, LAST]), int(scores[LAST, FIRST])
