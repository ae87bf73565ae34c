"""F6: an embedding scaled by √d_model before the position encoding is added."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.positions import sinusoidal
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.position_conventions import INTERLEAVED
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

SHOWN = 4  # of the components
Row = list[float]


@register
class EmbedScale(Family):
    """Drawn: width, a square; embedding, its first four components, from N(0, 1/width); position."""

    slug = "embed_scale"
    code = "F6"
    title = Text("词向量乘 √d_model 再加位置编码", "An embedding scaled by √d_model, plus its position")
    sections = ("7.3",)
    questions = (6,)
    minutes = 2
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="not_scaled",
            title=Text("词向量没有放大", "an embedding that was not scaled"),
            told=Text(
                "词向量直接加上了位置编码；按这样的初始化，它比位置编码小得多，几乎会被盖住。",
                "The encoding was added to the embedding as it stands; with this initialisation it is far "
                "smaller than the encoding and nearly drowns.",
            ),
            question=Text(
                "标准差是 $1/\\sqrt{d_\\text{model}}$ 的数，和正弦、余弦谁大？",
                "Which are larger: numbers of standard deviation $1/\\sqrt{d_\\text{model}}$, or sines and "
                "cosines?",
            ),
            caption=Text("不放大会得到", "Without scaling"),
        ),
        Misconception(
            slug="scaled_by_width",
            title=Text("乘了 d_model，没有开方", "d_model as the factor, without the root"),
            told=Text(
                "放大了 $d_\\text{model}$ 倍，词向量反过来把位置编码盖住了。",
                "The factor was $d_\\text{model}$, and now the embedding drowns the encoding.",
            ),
            question=Text(
                "方差是 $1/d_\\text{model}$，乘几才能让标准差回到 1？",
                "The variance is $1/d_\\text{model}$. Which factor brings the standard deviation back to 1?",
            ),
            caption=Text("乘 d_model 会得到", "Times d_model"),
        ),
        Misconception(
            slug="both_scaled",
            title=Text("连位置编码一起放大了", "the encoding scaled as well"),
            told=Text(
                "先相加、后放大：词向量和位置编码的比例一点也没变。",
                "The sum was scaled, which leaves the ratio of embedding and encoding as it was.",
            ),
            question=Text(
                "两者一起放大，谁大谁小会改变吗？放大是为了谁？",
                "If both grow alike, does either gain on the other? Which one is the scaling for?",
            ),
            caption=Text("一起放大会得到", "With both scaled"),
        ),
        Misconception(
            slug="divided",
            title=Text("除以了 √d_model", "a division by √d_model"),
            told=Text(
                "方向反了：注意力分数要除以 $\\sqrt{d_k}$，词向量是乘 $\\sqrt{d_\\text{model}}$。",
                "That is the wrong way: scores are divided by $\\sqrt{d_k}$, embeddings are multiplied by "
                "$\\sqrt{d_\\text{model}}$.",
            ),
            question=Text(
                "词向量初始化得偏大还是偏小？应当往哪边调？",
                "Are the embeddings initialised large or small, and which way should they be adjusted?",
            ),
            caption=Text("除以 √d_model 会得到", "Divided by √d_model"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="x", kind="vector", label=Text("输入 x 的前四维", "first four of x"), shape=(SHOWN,)),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        width = int(rng.choice([16, 36, 64, 100]))
        return {
            "width": width,
            "embedding": np.round(rng.normal(0, 1 / math.sqrt(width), SHOWN), 3).tolist(),
            "position": int(rng.integers(1, 21)),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn, math.sqrt(drawn["width"]))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        width, root = drawn["width"], math.sqrt(drawn["width"])
        factors = {
            "not_scaled": (1.0, 1.0),
            "scaled_by_width": (float(width), 1.0),
            "both_scaled": (root, root),
            "divided": (1 / root, 1.0),
        }
        return _values(drawn, *factors[slug])

    def prompt(self, drawn: Drawn) -> Prompt:
        width, position = drawn["width"], drawn["position"]
        return Prompt(
            task=Text(
                f"原始 Transformer，$d_\\text{{model}} = {width}$。位置 {position} 的 token "
                f"的词向量和位置编码都只列出前 {SHOWN} 维。进入第一层的输入 $x$，前 {SHOWN} 维是多少？",
                f"In the original Transformer with $d_\\text{{model}} = {width}$, a token at position "
                f"{position} has the embedding and the encoding below, of which the first {SHOWN} "
                f"components are shown. What are the first {SHOWN} components of the input $x$ of the "
                "first layer?",
            ),
            givens=(
                Given(name="E", value=drawn["embedding"], note=Text("词向量", "embedding")),
                Given(
                    name="PE",
                    value=[round(value, 3) for value in _encoding(drawn)],
                    note=Text("位置编码，保留 3 位小数", "position encoding, to 3 decimals"),
                ),
                Given(name="d_model", value=width, note=Text("模型宽度", "model width")),
            ),
            conventions=(
                Text(
                    "词向量表按 $N(0, 1/d_\\text{model})$ 初始化，$E$ 是直接查表得到的，还没有缩放。",
                    "The embedding table was initialised from $N(0, 1/d_\\text{model})$; $E$ is what the "
                    "look-up gives, not yet scaled.",
                ),
                Text(
                    "按原论文的做法缩放词向量，再加位置编码；不算 dropout，没有归一化。",
                    "Scale the embedding as the paper does, then add the encoding; no dropout, no "
                    "normalisation.",
                ),
                INTERLEAVED,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        width, x = drawn["width"], self.right(drawn)["x"]
        root = math.isqrt(width)
        scaled = [root * value for value in drawn["embedding"]]
        return (
            SolutionStep(
                text=told(
                    "放大的倍数是宽度的平方根，它把标准差从 $1/\\sqrt{d_\\text{model}}$ 拉回 1：",
                    "The factor is the root of the width; it brings the standard deviation from "
                    "$1/\\sqrt{d_\\text{model}}$ back to 1:",
                    rf"\sqrt{{d_\text{{model}}}} = \sqrt{{{width}}} = {root}",
                )
            ),
            SolutionStep(
                text=told(
                    "只放大词向量：",
                    "Only the embedding is scaled:",
                    rf"{root} \times {tex(drawn['embedding'])} = {tex(scaled)}",
                )
            ),
            SolutionStep(
                text=told(
                    "再加位置编码：",
                    "Then the encoding is added:",
                    rf"{tex(scaled)} + {tex(_encoding(drawn))} \approx {tex(x)}",
                ),
                part="x",
                figure=Given(name="x", value=x),
            ),
            SolutionStep(
                text=Text(
                    "换一种初始化，比如标准差本来就是 1，再乘就过头了：要不要乘，看初始化。",
                    "With another initialisation, say of standard deviation 1, the factor would overshoot: "
                    "whether to scale depends on it.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        root = math.isqrt(drawn["width"])
        return (
            Text(
                "先看词向量和位置编码谁大谁小。",
                "First compare the sizes of the embedding and of the encoding.",
            ),
            Text(
                "词向量要回到标准差 1，位置编码原样加上。",
                "The embedding should return to a standard deviation of 1; the encoding is added as it is.",
            ),
            Text(
                f"词向量乘 {root}，再逐维加上位置编码。",
                f"Multiply the embedding by {root}, then add the encoding component by component.",
            ),
        )


def _encoding(drawn: Drawn) -> Row:
    return [float(value) for value in sinusoidal(drawn["position"], drawn["width"])[:SHOWN]]


def _values(drawn: Drawn, factor: float, encoding_factor: float = 1.0) -> Values:
    pairs = zip(drawn["embedding"], _encoding(drawn), strict=True)
    return {"x": [factor * e + encoding_factor * wave for e, wave in pairs]}
