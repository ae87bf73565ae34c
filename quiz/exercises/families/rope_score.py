"""F4: the score of a turned query and a turned key, which depends on their distance only."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.positions import rope
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.position_conventions import POSITIONS_FROM_ZERO, RADIANS
from quiz.exercises.registry import register
from quiz.exercises.types import (
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Tolerance,
    Value,
    Values,
)

HUNDREDTH = Tolerance(absolute=0.01)
KEPT = 0.0094  # of the tolerance: what honest rounding may use up
Row = list[float]
# Times what the query's and the key's position turn them.
TURNS = {
    "positions_added": (1, -1),
    "not_rotated": (0, 0),
    "only_queries_rotated": (1, 0),
    "distance_reversed": (-1, -1),
}


@register
class RopeScore(Family):
    """Drawn: q and k, two halves each, without zeros; query and key, different positions."""

    slug = "rope_score"
    code = "F4"
    title = Text("算出 RoPE 之后的分数", "A score after RoPE")
    sections = ("7.3",)
    questions = (5,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="positions_added",
            title=Text("两个角度加了起来", "the two angles added up"),
            told=Text(
                "$q$ 和 $k$ 往相反的方向转了，分数就和 $m+n$ 有关，而不是 $m-n$。",
                "The query and the key turned in opposite directions, so the score goes by $m+n$ and not "
                "by $m-n$.",
            ),
            question=Text(
                "两个 token 一起往后挪一位，分数应不应该变？",
                "If both tokens move on by one position, should the score change?",
            ),
            caption=Text("角度相加会得到", "With the angles added"),
        ),
        Misconception(
            slug="not_rotated",
            title=Text("没有旋转就做了点积", "a dot product without turning"),
            told=Text(
                "用的是原来的 $q$、$k$，位置完全没有起作用。",
                "The query and key were used as they stand; the positions had no say.",
            ),
            question=Text(
                "题目给出的 $q$、$k$ 是旋转前的还是旋转后的？",
                "Are the given $q$ and $k$ those before or after the turn?",
            ),
            caption=Text("不旋转会得到", "Without turning"),
        ),
        Misconception(
            slug="only_queries_rotated",
            title=Text("只旋转了 q", "only the query turned"),
            told=Text(
                "$k$ 没有转，分数就和 $m$ 有关，与 $n$ 无关。",
                "The key was left unturned, so the score goes by $m$ and knows nothing of $n$.",
            ),
            question=Text(
                "要让分数只看距离，$k$ 也要按什么角度转？",
                "For the score to depend on the distance alone, by which angle does the key have to turn?",
            ),
            caption=Text("只转 q 会得到", "Turning q alone"),
        ),
        Misconception(
            slug="distance_reversed",
            title=Text(
                "旋转方向反了，距离变了号", "turns in the wrong direction, which reverse the distance"
            ),
            told=Text(
                "$q$、$k$ 都按顺时针转了，分数对应的是 $n-m$。",
                "The query and the key both turned clockwise, so the score belongs to $n-m$.",
            ),
            question=Text(
                "逆时针转 $\\varphi$，第一个分量是 $a\\cos\\varphi$ 加还是减 $b\\sin\\varphi$？",
                "Turning anticlockwise by $\\varphi$: is the first component $a\\cos\\varphi$ plus or "
                "minus $b\\sin\\varphi$?",
            ),
            caption=Text("方向反了会得到", "Turned the other way"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="rotated_q",
            kind="vector",
            label=Text("旋转后的 q", "turned q"),
            shape=(2,),
            tolerance=HUNDREDTH,
            role="q",
            required=False,
        ),
        Part(
            name="rotated_k",
            kind="vector",
            label=Text("旋转后的 k", "turned k"),
            shape=(2,),
            tolerance=HUNDREDTH,
            role="k",
            required=False,
        ),
        Part(
            name="score",
            kind="scalar",
            label=Text("分数", "score"),
            tolerance=HUNDREDTH,
            role="s",
            uses=("rotated_q", "rotated_k"),
        ),
        Part(
            name="shifted_q",
            kind="vector",
            label=Text("q 只转 m−n", "q turned by m−n only"),
            shape=(2,),
            tolerance=HUNDREDTH,
            role="q",
            required=False,
        ),
        Part(
            name="relative",
            kind="scalar",
            label=Text("它和没转的 k 的点积", "its dot product with the unturned k"),
            tolerance=HUNDREDTH,
            role="s",
            required=False,
            uses=("shifted_q",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        halves = [-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2]
        return {
            "q": rng.choice(halves, 2).tolist(),
            "k": rng.choice(halves, 2).tolist(),
            "query": int(rng.integers(1, 13)),
            "key": int(rng.integers(1, 13)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Different positions, and a score that comes out right from sines, cosines and vectors rounded to
        three decimals.
        """
        if drawn["query"] == drawn["key"]:
            return False
        worked = _dot(_by_hand(drawn["q"], drawn["query"]), _by_hand(drawn["k"], drawn["key"]))
        return abs(round(worked, 3) - float(self.right(drawn)["score"])) <= KEPT

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn, (1, 1))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return _values(drawn, TURNS[slug])

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part == "score":
            return _dot(earlier["rotated_q"], earlier["rotated_k"])
        return _dot(earlier["shifted_q"], drawn["k"]) if part == "relative" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        m, n = drawn["query"], drawn["key"]
        return Prompt(
            task=Text(
                f"位置 $m = {m}$ 的 query 和位置 $n = {n}$ 的 key 各有一对分量，用 RoPE 旋转以后做点积。"
                "分数是多少？",
                f"The query at position $m = {m}$ and the key at position $n = {n}$ have one pair of "
                "components each. What is their dot product after RoPE has turned them?",
            ),
            givens=(
                Given(name="q", value=drawn["q"], role="q"),
                Given(name="k", value=drawn["k"], role="k"),
                Given(name="m", value=m, note=Text("query 的位置", "position of the query")),
                Given(name="n", value=n, note=Text("key 的位置", "position of the key")),
            ),
            conventions=(
                Text(
                    "只有一对分量，频率 $\\theta = 1$：位置 $m$ 逆时针转 $m$ 弧度，$q$、$k$ 都转。",
                    "There is one pair, of frequency $\\theta = 1$: at position $m$ it turns anticlockwise "
                    "by $m$ radians, and both $q$ and $k$ turn.",
                ),
                Text(
                    "$q$、$k$ 还没有旋转；分数不除以 $\\sqrt{d_k}$。",
                    "$q$ and $k$ are not yet turned; the score is not divided by $\\sqrt{d_k}$.",
                ),
                POSITIONS_FROM_ZERO,
                RADIANS,
                Text(
                    "小数请至少写到第 3 位，与准确值相差不超过 0.01 算对；也可以写算式。",
                    "Give at least 3 decimals; within 0.01 of the exact value is right. An expression will "
                    "do.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        m, n, right = drawn["query"], drawn["key"], self.right(drawn)
        return (
            SolutionStep(
                text=told(
                    f"$q$ 转 {m} 弧度：",
                    f"The query turns by {m} radians:",
                    _turn_line("q", m, right["rotated_q"]),
                ),
                part="rotated_q",
                figure=Given(name="R_m q", value=right["rotated_q"], role="q"),
            ),
            SolutionStep(
                text=told(
                    f"$k$ 转 {n} 弧度：",
                    f"The key turns by {n} radians:",
                    _turn_line("k", n, right["rotated_k"]),
                ),
                part="rotated_k",
                figure=Given(name="R_n k", value=right["rotated_k"], role="k"),
            ),
            SolutionStep(
                text=told(
                    "两者的点积就是分数：",
                    "Their dot product is the score:",
                    rf"{tex_dot(right['rotated_q'], right['rotated_k'])} \approx {tex(right['score'])}",
                ),
                part="score",
            ),
            SolutionStep(
                text=told(
                    f"换一条路：$k$ 不动，$q$ 只转 $m - n = {m - n}$ 弧度：",
                    f"The other way: leave $k$ and turn $q$ by $m - n = {m - n}$ radians only:",
                    _turn_line("q", m - n, right["shifted_q"]),
                ),
                part="shifted_q",
                figure=Given(name="R_{m−n} q", value=right["shifted_q"], role="q"),
            ),
            SolutionStep(
                text=told(
                    "点积一样：分数只看距离 $m-n$，不看位置本身。",
                    "The same dot product: the score goes by the distance $m-n$, not by the positions.",
                    rf"{tex_dot(right['shifted_q'], drawn['k'])} \approx {tex(right['relative'])}",
                ),
                part="relative",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        m, n = drawn["query"], drawn["key"]
        return (
            Text(
                "$q$ 和 $k$ 各按自己的位置转，再做点积。",
                "The query and the key turn by their own positions, then they meet in a dot product.",
            ),
            Text(
                "$(a, b)$ 逆时针转 $\\varphi$，得到 $(a\\cos\\varphi - b\\sin\\varphi,\\ a\\sin\\varphi + "
                "b\\cos\\varphi)$。",
                "Turned anticlockwise by $\\varphi$, $(a, b)$ becomes $(a\\cos\\varphi - b\\sin\\varphi,\\ "
                "a\\sin\\varphi + b\\cos\\varphi)$.",
            ),
            Text(
                f"更省事：$k$ 不动，只把 $q$ 转 {m} − {n} 弧度，再和 $k$ 做点积。",
                f"The short way: leave $k$ as it is, turn $q$ by {m} − {n} radians and take the dot product.",
            ),
        )


def _turned(x: Row, angle: float) -> Row:
    """The pair of frequency 1 at the place `angle`."""
    return [float(value) for value in rope(np.array([x]), [angle], interleaved=True)[0]]


def _by_hand(x: Row, angle: float) -> Row:
    """As `_turned`, with sine, cosine and result rounded to three decimals."""
    c, s = round(math.cos(angle), 3), round(math.sin(angle), 3)
    return [round(x[0] * c - x[1] * s, 3), round(x[0] * s + x[1] * c, 3)]


def _dot(q: Row, k: Row) -> float:
    return q[0] * k[0] + q[1] * k[1]


def _values(drawn: Drawn, turns: tuple[int, int]) -> Values:
    q_angle, k_angle = turns[0] * drawn["query"], turns[1] * drawn["key"]
    q, k = _turned(drawn["q"], q_angle), _turned(drawn["k"], k_angle)
    shifted = _turned(drawn["q"], q_angle - k_angle)
    return {
        "rotated_q": q,
        "rotated_k": k,
        "score": _dot(q, k),
        "shifted_q": shifted,
        "relative": _dot(shifted, drawn["k"]),
    }


def _turn_line(name: str, angle: int, turned: Row) -> str:
    return rf"R_{{{angle}}}\,{name} \approx {tex(turned)}"
