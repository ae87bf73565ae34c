"""B3: one scaled score, from a query and a key. The exercise of the home page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from attention_core import pipeline
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class ScaledEntry(Family):
    """Drawn: q and k, integers without zeros; heads, tokens. d_k is their length, d_model = heads · d_k."""

    slug = "scaled_entry"
    code = "B3"
    title = Text("算出一个缩放后的分数", "One scaled score")
    sections = ("7.9",)
    questions = (12,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        *(ATTENTION_MISTAKES[slug] for slug in ("no_scale", "scale_by_d_k", "scale_by_sqrt_d_model")),
        Misconception(
            slug="multiplied_by_sqrt_d_k",
            title=Text("乘了 √d_k，没有除", "a multiplication by √d_k instead of a division"),
            told=Text(
                "分数被放大了 $\\sqrt{d_k}$ 倍，方向正好反了。",
                "The score was made $\\sqrt{d_k}$ times larger, which is the wrong direction.",
            ),
            question=Text(
                "维度变大时点积会变大还是变小？缩放应当往哪个方向拉？",
                "Do dot products grow or shrink with the width? Which way should the scaling pull?",
            ),
            caption=Text("乘以 √d_k 会得到", "Multiplying by √d_k"),
        ),
        Misconception(
            slug="scale_by_sqrt_n",
            title=Text("除以了 √n，而不是 √d_k", "a division by √n instead of √d_k"),
            told=Text(
                "缩放用成了序列长度 $n$：分数的大小和序列有多长无关。",
                "The scaling used the sequence length $n$; how large a score is has nothing to do with it.",
            ),
            question=Text(
                "序列再加一个 token，这一对 $q$、$k$ 的点积会变吗？",
                "If one more token joins the sequence, does the dot product of this $q$ and $k$ change?",
            ),
            caption=Text("除以 √n 会得到", "Dividing by √n"),
        ),
        Misconception(
            slug="scale_by_sqrt_heads",
            title=Text("除以了 √h，而不是 √d_k", "a division by √h instead of √d_k"),
            told=Text(
                "缩放用成了头数 $h$；每个头各算各的，用的是自己的宽度。",
                "The scaling used the number of heads $h$; each head works alone and goes by its own width.",
            ),
            question=Text(
                "一个头里的点积由几项相加？和一共有几个头有关系吗？",
                "How many terms does the dot product in one head have, and does the number of heads matter?",
            ),
            caption=Text("除以 √h 会得到", "Dividing by √h"),
        ),
        Misconception(
            slug="cosine",
            title=Text("算成了余弦相似度", "a cosine similarity"),
            told=Text(
                "点积除以了 $\\lVert q\\rVert\\,\\lVert k\\rVert$：向量的长短被抹掉了，结果总在 −1 到 1 "
                "之间。",
                "The dot product was divided by $\\lVert q\\rVert\\,\\lVert k\\rVert$: that discards the "
                "lengths, and the result always lies between −1 and 1.",
            ),
            question=Text(
                "缩放因子应当随 $q$、$k$ 的具体数值变，还是只看维度？",
                "Should the scaling depend on the numbers in $q$ and $k$, or on their width alone?",
            ),
            caption=Text("余弦相似度是", "The cosine similarity"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="scaled", kind="scalar", label=Text("缩放后的分数", "scaled score"), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        width = int(rng.choice([2, 3, 4]))
        choices = [-3, -2, -1, 1, 2, 3, 4]
        return {
            "q": rng.choice(choices, width).tolist(),
            "k": rng.choice(choices, width).tolist(),
            "heads": int(rng.choice([2, 3, 4, 6, 8])),
            "tokens": int(rng.integers(5, 21)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The score is not 0, d_k, d_model, n, h are four different numbers, and a rounded 1/√d_k as factor
        comes out right too."""
        width, heads, score = len(drawn["q"]), drawn["heads"], _dot(drawn["q"], drawn["k"])
        sizes = {width, width * heads, drawn["tokens"], heads}
        if len(sizes) < 4 or score == 0 or drawn["q"] == drawn["k"]:
            return False
        rounded = round(score * round(1 / math.sqrt(width), honesty.PLACES), honesty.PLACES)
        return abs(rounded - score / math.sqrt(width)) <= honesty.MARGIN

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        q, k = (np.array([drawn[name]], dtype=np.float64) for name in ("q", "k"))
        return {"scaled": float(pipeline.follow(pipeline.prepare(q, k, k)).scaled[0, 0])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        q, k, heads = drawn["q"], drawn["k"], drawn["heads"]
        width, score = len(q), float(_dot(q, k))
        divisors = {
            "no_scale": 1.0,
            "scale_by_d_k": float(width),
            "scale_by_sqrt_d_model": math.sqrt(heads * width),
            "multiplied_by_sqrt_d_k": 1 / math.sqrt(width),
            "scale_by_sqrt_n": math.sqrt(drawn["tokens"]),
            "scale_by_sqrt_heads": math.sqrt(heads),
            "cosine": math.hypot(*q) * math.hypot(*k),
        }
        return {"scaled": score / divisors[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        width, heads, tokens = len(drawn["q"]), drawn["heads"], drawn["tokens"]
        return Prompt(
            task=Text(
                "算出这一对 $q$、$k$ 缩放后、进 softmax 之前的分数。",
                "Work out the scaled score of this $q$ and $k$, as it enters the softmax.",
            ),
            givens=(
                Given(name="q", value=drawn["q"], role="q"),
                Given(name="k", value=drawn["k"], role="k"),
            ),
            conventions=(
                Text(
                    f"$q$、$k$ 来自同一个头，$d_k = {width}$；模型有 $h = {heads}$ 个头，$d_\\text{{model}} "
                    f"= h \\cdot d_k = {heads * width}$，序列长 $n = {tokens}$。",
                    f"$q$ and $k$ belong to one head, $d_k = {width}$; the model has $h = {heads}$ heads, "
                    f"$d_\\text{{model}} = h \\cdot d_k = {heads * width}$, and the sequence is $n = "
                    f"{tokens}$ long.",
                ),
                Text(
                    "按原始的缩放点积注意力来缩放，没有掩码。",
                    "Scaled as in scaled dot-product attention; no mask.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        q, k, width = drawn["q"], drawn["k"], len(drawn["q"])
        score = _dot(q, k)
        return (
            SolutionStep(
                text=told("先做点积：", "The dot product:", rf"q \cdot k = {tex_dot(q, k)} = {tex(score)}")
            ),
            SolutionStep(
                text=told(
                    "再除以 $\\sqrt{d_k}$，$d_k$ 是每个头的宽度：",
                    "Divided by $\\sqrt{d_k}$, with $d_k$ the width of one head:",
                    rf"\frac{{{tex(score)}}}{{\sqrt{{{width}}}}} {_sign(self, drawn)} "
                    rf"{tex(self.right(drawn)['scaled'])}",
                ),
                part="scaled",
            ),
            SolutionStep(
                text=Text(
                    "为什么是 $\\sqrt{d_k}$：各维独立、均值 0、方差 1 时，$q\\cdot k$ 的方差是 $d_k$，"
                    "除以它的标准差，分数的大小就不再随维度增长。",
                    "Why $\\sqrt{d_k}$: with independent components of mean 0 and variance 1, $q\\cdot k$ "
                    "has the variance $d_k$; divided by its standard deviation, scores no longer grow with "
                    "the width.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        score, width = _dot(drawn["q"], drawn["k"]), len(drawn["q"])
        return (
            Text("先做点积，再缩放一次。", "A dot product first, then one scaling."),
            Text(
                "缩放看的是这个头里 $q$、$k$ 有几维，和头数、序列长度无关。",
                "The scaling goes by how many components $q$ and $k$ have in this head, not by heads or "
                "length.",
            ),
            Text(
                f"点积是 ${tex(score)}$，还要除以 $\\sqrt{{{width}}}$。",
                f"The dot product is ${tex(score)}$; divide it by $\\sqrt{{{width}}}$.",
            ),
        )


def _dot(q: Sequence[int], k: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(q, k, strict=True))


def _sign(family: ScaledEntry, drawn: Drawn) -> str:
    exact = family.right(drawn)["scaled"]
    return "=" if exact == round(exact, 3) else r"\approx"
