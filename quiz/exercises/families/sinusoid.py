"""F1: one entry of the sinusoidal position encoding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from attention_core.positions import sinusoidal
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.position_conventions import INTERLEAVED, RADIANS
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

BASE = 10000


@register
class Sinusoid(Family):
    """Drawn: position; dimension from 0; width (even)."""

    slug = "sinusoid"
    code = "F1"
    title = Text("算出正弦位置编码的一个分量", "One entry of the sinusoidal position encoding")
    sections = ("7.3",)
    questions = (4,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="sine_and_cosine_swapped",
            title=Text("正弦和余弦弄反了", "sine and cosine swapped"),
            told=Text(
                "角度是对的，但偶数维用了余弦，或者奇数维用了正弦。",
                "The angle is right, but an even dimension got the cosine, or an odd one the sine.",
            ),
            question=Text(
                "位置 0 的编码从哪个数开始：0 还是 1？",
                "With which number does the encoding of position 0 begin, 0 or 1?",
            ),
            caption=Text("正弦、余弦互换会得到", "With sine and cosine swapped"),
        ),
        Misconception(
            slug="dimension_taken_for_pair",
            title=Text("把维度的序号当成了第几对", "the dimension's number taken for the pair's"),
            told=Text(
                "指数里的 $i$ 是第几对，不是第几维；代入维度的序号，指数就大了一倍左右。",
                "The $i$ of the exponent numbers pairs, not dimensions; with the dimension in its place "
                "the exponent is about twice as large.",
            ),
            question=Text(
                "一对正弦、余弦共用一个频率。这一维属于第几对？",
                "A sine and a cosine share one frequency. To which pair does this dimension belong?",
            ),
            caption=Text("用维度序号代替 i 会得到", "With the dimension for i"),
        ),
        Misconception(
            slug="exponent_halved",
            title=Text("指数少乘了 2", "the factor 2 of the exponent missing"),
            told=Text(
                "用了 $10000^{i/d}$，而不是 $10000^{2i/d}$，频率因此偏高。",
                "The divisor was $10000^{i/d}$ instead of $10000^{2i/d}$, so the frequency is too high.",
            ),
            question=Text(
                "一共 $d/2$ 对，最后一对的指数应当接近 1 还是接近 1/2？",
                "There are $d/2$ pairs. Should the exponent of the last one be close to 1 or to 1/2?",
            ),
            caption=Text("指数写成 i/d 会得到", "With i/d in the exponent"),
        ),
        Misconception(
            slug="position_from_one",
            title=Text("位置从 1 数了", "positions counted from 1"),
            told=Text(
                "算的是下一个位置：公式里的位置从 0 数，代入时多加了 1。",
                "This is the entry of the next position: positions count from 0, and 1 was added.",
            ),
            question=Text(
                "第一个 token 的位置是 0 还是 1？题目给的是位置还是「第几个」？",
                "Is the first token at position 0 or 1, and does the task give a position or an ordinal?",
            ),
            caption=Text("位置多加 1 会得到", "One position further"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="entry", kind="scalar", label=Text("这个分量", "the entry")),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "position": int(rng.integers(5, 40)),
            "dimension": int(rng.integers(2, 5)),
            "width": int(rng.choice([6, 8, 10, 12])),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"entry": float(sinusoidal(drawn["position"], drawn["width"])[drawn["dimension"]])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        position, dimension, width = drawn["position"], drawn["dimension"], drawn["width"]
        pair, wave = dimension // 2, _wave(dimension)
        values = {
            "sine_and_cosine_swapped": _wave(dimension + 1)(_angle(position, 2 * pair / width)),
            "dimension_taken_for_pair": wave(_angle(position, 2 * dimension / width)),
            "exponent_halved": wave(_angle(position, pair / width)),
            "position_from_one": wave(_angle(position + 1, 2 * pair / width)),
        }
        return {"entry": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"原始 Transformer 的正弦位置编码，$d = {drawn['width']}$。位置 {drawn['position']} "
                f"的编码，第 {drawn['dimension']} 维（从 0 数）是多少？",
                f"In the original Transformer's sinusoidal encoding with $d = {drawn['width']}$, what is "
                f"dimension {drawn['dimension']} (counted from 0) of position {drawn['position']}?",
            ),
            givens=(
                Given(name="p", value=drawn["position"], note=Text("位置，从 0 数", "position, from 0")),
                Given(name="k", value=drawn["dimension"], note=Text("维度，从 0 数", "dimension, from 0")),
                Given(name="d", value=drawn["width"], note=Text("编码的宽度", "width of the encoding")),
            ),
            conventions=(INTERLEAVED, RADIANS, say.THREE_DECIMALS),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        position, dimension, width = drawn["position"], drawn["dimension"], drawn["width"]
        pair, entry = dimension // 2, self.right(drawn)["entry"]
        divisor, angle = BASE ** (2 * pair / width), _angle(position, 2 * pair / width)
        odd, name = dimension % 2, "cos" if dimension % 2 else "sin"
        return (
            SolutionStep(
                text=told(
                    f"第 {dimension} 维属于第 {pair} 对（从 0 数），"
                    f"是这一对里的{'余弦' if odd else '正弦'}：",
                    f"Dimension {dimension} belongs to pair {pair} (counted from 0) and is its "
                    f"{'cosine' if odd else 'sine'}:",
                    rf"{dimension} = 2 \times {pair} + {odd}",
                )
            ),
            SolutionStep(
                text=told(
                    "先算这一对的除数；位置除以它，就是角度（弧度）：",
                    "The pair's divisor, and the position divided by it: an angle in radians:",
                    rf"10000^{{2 \times {pair}/{width}}} \approx {tex(divisor)}",
                    rf"{position} / {tex(divisor)} \approx {tex(angle)}",
                )
            ),
            SolutionStep(
                text=told(
                    "取它的余弦：" if odd else "取它的正弦：",
                    "Its cosine:" if odd else "Its sine:",
                    rf"\{name}({tex(angle)}) \approx {tex(entry)}",
                ),
                part="entry",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        pair, width, odd = drawn["dimension"] // 2, drawn["width"], drawn["dimension"] % 2
        return (
            Text(
                "两维一对，共用一个频率。先看这一维属于第几对。",
                "Two dimensions make a pair and share a frequency. First find the pair.",
            ),
            Text(
                f"它属于第 {pair} 对（从 0 数），指数是 ${2 * pair}/{width}$。",
                f"It belongs to pair {pair}, counted from 0, so the exponent is ${2 * pair}/{width}$.",
            ),
            Text(
                f"角度是 $p / 10000^{{{2 * pair}/{width}}}$ 弧度，取它的{'余弦' if odd else '正弦'}。",
                f"The angle is $p / 10000^{{{2 * pair}/{width}}}$ radians; take its "
                f"{'cosine' if odd else 'sine'}.",
            ),
        )


def _wave(dimension: int) -> Callable[[float], float]:
    return math.cos if dimension % 2 else math.sin


def _angle(position: int, exponent: float) -> float:
    return float(position / BASE**exponent)
