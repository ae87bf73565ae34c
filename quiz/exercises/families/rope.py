"""F3: a vector turned by its position, as rotary position embedding does."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from attention_core import positions
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.position_conventions import POSITIONS_FROM_ZERO, RADIANS
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

WIDTH = 4
FREQUENCIES = (1, 0.01)  # 10000^(−2i/4)


@register
class Rope(Family):
    """Drawn: x, four integers without zeros; position."""

    slug = "rope"
    code = "F3"
    title = Text("用 RoPE 旋转一个向量", "Turning a vector with RoPE")
    sections = ("7.3",)
    questions = (5,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="half_split_pairs",
            title=Text("配对方式成了前一半配后一半", "pairs made of the first and the second half"),
            told=Text(
                "配的是第 0、2 维和第 1、3 维，这是 Llama 等代码里的排法；题目用的是相邻两维。",
                "Dimensions 0 and 2, and 1 and 3, were paired, as in the code of Llama and others; here "
                "neighbours are paired.",
            ),
            question=Text(
                "按题目的约定，第 0 维和谁一起转？",
                "By this task's convention, with which dimension does dimension 0 turn?",
            ),
            caption=Text("前后两半配对会得到", "With half-split pairs"),
        ),
        Misconception(
            slug="turned_backwards",
            title=Text("旋转方向反了", "a turn in the wrong direction"),
            told=Text(
                "正弦的符号放反了，转成了负角度。",
                "The sine's sign stands in the wrong place, which turns by the negative angle.",
            ),
            question=Text(
                "$(1, 0)$ 逆时针转一个小角度，第二个分量变正还是变负？",
                "Turn $(1, 0)$ anticlockwise by a small angle: does its second component become positive "
                "or negative?",
            ),
            caption=Text("反方向旋转会得到", "Turned backwards"),
        ),
        Misconception(
            slug="angles_in_degrees",
            title=Text("角度按度算了", "angles taken in degrees"),
            told=Text(
                "把弧度当成了度，向量几乎没有转。",
                "The radians were read as degrees, so the vector hardly turned.",
            ),
            question=Text(
                "计算器现在用的是弧度还是度？1 弧度大约是多少度？",
                "Is your calculator set to radians or degrees? About how many degrees is 1 radian?",
            ),
            caption=Text("按度算会得到", "In degrees"),
        ),
        Misconception(
            slug="one_angle",
            title=Text("两对用了同一个角度", "the same angle for both pairs"),
            told=Text(
                "第二对也按第一对的频率转了；每一对有自己的频率，越往后转得越慢。",
                "The second pair turned with the first one's frequency; each pair has its own, slower and "
                "slower.",
            ),
            question=Text(
                "第二对的频率 $\\theta_1$ 是多少？位置乘上它是多大的角？",
                "What is the second pair's frequency $\\theta_1$, and what angle does the position give "
                "with it?",
            ),
            caption=Text("两对同角会得到", "With one angle for both"),
        ),
        Misconception(
            slug="encoding_added",
            title=Text("加上了正弦位置编码，没有旋转", "a sinusoidal encoding added instead of a turn"),
            told=Text(
                "结果是 $x + \\mathrm{PE}$；RoPE 不加任何东西，只旋转。",
                "This is $x + \\mathrm{PE}$; RoPE adds nothing, it only turns.",
            ),
            question=Text(
                "旋转不改变向量的长度。你的结果和 $x$ 一样长吗？",
                "A rotation keeps a vector's length. Is your result as long as $x$?",
            ),
            caption=Text("加上位置编码会得到", "With an encoding added"),
        ),
        Misconception(
            slug="not_rotated",
            title=Text("没有旋转", "a vector left unturned"),
            told=Text(
                "给出的就是 $x$ 本身；只有位置 0 才转 0 度。",
                "This is $x$ itself; only position 0 turns by nothing.",
            ),
            question=Text(
                "位置不是 0 的时候，第一对转过多少弧度？",
                "At a position other than 0, by how many radians does the first pair turn?",
            ),
            caption=Text("不旋转就是", "Without turning"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="rotated",
            kind="vector",
            label=Text("旋转后的向量", "turned vector"),
            shape=(WIDTH,),
            role="q",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice([-3, -2, -1, 1, 2, 3], WIDTH).tolist(),
            "position": int(rng.integers(2, 41)),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"rotated": _turned(drawn["x"], drawn["position"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, position = drawn["x"], drawn["position"]
        if slug == "encoding_added":
            return {"rotated": (np.array(x) + positions.sinusoidal(position, WIDTH)).tolist()}
        if slug == "not_rotated":
            return {"rotated": [float(value) for value in x]}
        if slug == "half_split_pairs":
            return {"rotated": _turned(x, position, interleaved=False)}
        if slug == "one_angle":
            return {"rotated": _turned(x, position, base=1.0)}
        return {"rotated": _turned(x, math.radians(position) if slug == "angles_in_degrees" else -position)}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"位置 $m = {drawn['position']}$ 的 query 是 $x$，宽 {WIDTH}。用 RoPE 旋转它，"
                "写出旋转后的四个分量。",
                f"The query at position $m = {drawn['position']}$ is $x$, {WIDTH} wide. Turn it with RoPE "
                "and give the four components.",
            ),
            givens=(
                Given(name="x", value=drawn["x"], role="q"),
                Given(name="m", value=drawn["position"], note=Text("位置", "position")),
            ),
            conventions=(
                Text(
                    "相邻两维配成一对：$(x_0, x_1)$ 和 $(x_2, x_3)$。",
                    "Neighbouring dimensions are paired: $(x_0, x_1)$ and $(x_2, x_3)$.",
                ),
                Text(
                    "第 $i$ 对在位置 $m$ 逆时针转 $m\\theta_i$，$\\theta_i = 10000^{-2i/4}$，也就是 "
                    "$\\theta_0 = 1$、$\\theta_1 = 0.01$。",
                    "At position $m$ pair $i$ turns anticlockwise by $m\\theta_i$, with $\\theta_i = "
                    "10000^{-2i/4}$, that is $\\theta_0 = 1$ and $\\theta_1 = 0.01$.",
                ),
                POSITIONS_FROM_ZERO,
                RADIANS,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, position, rotated = drawn["x"], drawn["position"], self.right(drawn)["rotated"]
        lines = [_pair_lines(x[2 * i : 2 * i + 2], position * theta) for i, theta in enumerate(FREQUENCIES)]
        return (
            SolutionStep(
                text=told(
                    "两对各转各的角度（弧度）：",
                    "Each pair has its own angle, in radians:",
                    *(
                        rf"m\theta_{i} = {position} \times {tex(t)} = {tex(position * t)}"
                        for i, t in enumerate(FREQUENCIES)
                    ),
                )
            ),
            SolutionStep(
                text=told(
                    "每一对 $(a, b)$ 变成 $(a\\cos - b\\sin,\\ a\\sin + b\\cos)$。第一对：",
                    "A pair $(a, b)$ becomes $(a\\cos - b\\sin,\\ a\\sin + b\\cos)$. The first pair:",
                    *lines[0],
                )
            ),
            SolutionStep(
                text=told(
                    "第二对频率低，转得少：",
                    "The second has a low frequency and turns less:",
                    *lines[1],
                ),
                part="rotated",
                figure=Given(name="Rx", value=rotated, role="q"),
            ),
            SolutionStep(
                text=Text(
                    "自查：旋转不改变长度，每一对的平方和前后相等。",
                    "Check: turning keeps lengths, so the sum of squares of each pair stays the same.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        m = drawn["position"]
        return (
            Text(
                "两维一对，每一对在自己的平面里转一个角度。",
                "Two dimensions make a pair, and each pair turns in its own plane.",
            ),
            Text(
                "$(a, b)$ 逆时针转 $\\varphi$，得到 $(a\\cos\\varphi - b\\sin\\varphi,\\ a\\sin\\varphi + "
                "b\\cos\\varphi)$。",
                "Turned anticlockwise by $\\varphi$, $(a, b)$ becomes $(a\\cos\\varphi - b\\sin\\varphi,\\ "
                "a\\sin\\varphi + b\\cos\\varphi)$.",
            ),
            Text(
                f"第一对转 {m} 弧度：$\\cos \\approx {tex(math.cos(m))}$，$\\sin \\approx "
                f"{tex(math.sin(m))}$；第二对转 ${tex(m * FREQUENCIES[1])}$ 弧度。",
                f"The first pair turns by {m} radians: $\\cos \\approx {tex(math.cos(m))}$, $\\sin "
                f"\\approx {tex(math.sin(m))}$; the second by ${tex(m * FREQUENCIES[1])}$ radians.",
            ),
        )


def _turned(x: list[int], position: float, *, base: float = 10000.0, interleaved: bool = True) -> list[float]:
    row = np.array([x], dtype=np.float64)
    turned: Any = positions.rope(row, [position], base=base, interleaved=interleaved)[0]
    return [float(value) for value in turned]


def _pair_lines(pair: list[int], angle: float) -> list[str]:
    """Both components of a turned pair, written out with the cosine and sine of the angle."""
    (a, b), cosine, sine = pair, math.cos(angle), math.sin(angle)
    c, s = tex_factor(cosine), tex_factor(sine)
    return [
        rf"{tex_factor(a)} \times {c} - {tex_factor(b)} \times {s} \approx {tex(a * cosine - b * sine)}",
        rf"{tex_factor(a)} \times {s} + {tex_factor(b)} \times {c} \approx {tex(a * sine + b * cosine)}",
    ]
