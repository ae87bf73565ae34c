"""A5: the shape of the scores of cross-attention."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.heads import score_shape
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class CrossShape(Family):
    """Drawn: batch, heads, source (encoder length), target (decoder length), head_width; all different."""

    slug = "cross_shape"
    code = "A5"
    title = Text("交叉注意力的分数是什么形状", "The shape of cross-attention's scores")
    sections = ("7.18",)
    questions = (25,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="lengths_swapped",
            title=Text("两边的长度互换了", "the two lengths swapped"),
            told=Text(
                "行和列放反了：算成了编码器的位置去问解码器。",
                "Rows and columns changed places, as if the encoder's positions were asking the decoder.",
            ),
            question=Text(
                "谁提问？提问的一边是行还是列？",
                "Who asks, and does the asking side make the rows or the columns?",
            ),
            caption=Text("长度互换会得到", "With the lengths swapped"),
        ),
        Misconception(
            slug="square_of_target",
            title=Text("key 也用了解码器的长度", "the decoder's length for the keys too"),
            told=Text(
                "这是解码器自注意力的形状；交叉注意力的 $K$、$V$ 来自编码器。",
                "That is the decoder's self-attention; the keys and values of cross-attention come from "
                "the encoder.",
            ),
            question=Text(
                "$K$ 是从哪一边的输出投影来的？那一边有多长？",
                "From which side's output is $K$ projected, and how long is that side?",
            ),
            caption=Text("两边都用解码器长度会得到", "With the decoder's length twice"),
        ),
        Misconception(
            slug="square_of_source",
            title=Text("query 也用了编码器的长度", "the encoder's length for the queries too"),
            told=Text(
                "这是编码器自注意力的形状；交叉注意力的 $Q$ 来自解码器。",
                "That is the encoder's self-attention; the queries of cross-attention come from the decoder.",
            ),
            question=Text(
                "输出要和哪一边的序列一样长？每个输出对应一个什么？",
                "Which side's length must the output have, and what does each output belong to?",
            ),
            caption=Text("两边都用编码器长度会得到", "With the encoder's length twice"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="shape",
            kind="shape",
            label=Text("分数的形状", "shape of the scores"),
            tolerance=EXACT,
            role="s",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "batch": int(rng.choice([3, 5, 6, 7, 9])),
            "heads": int(rng.choice([2, 4, 8])),
            "source": int(rng.integers(10, 65)),
            "target": int(rng.integers(10, 65)),
            "head_width": int(rng.choice([16, 32, 64])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """All sizes differ, so that no two axes can stand for each other."""
        return len(set(drawn.values())) == len(drawn)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _shape(drawn, drawn["target"], drawn["source"])

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        source, target = drawn["source"], drawn["target"]
        lengths = {
            "lengths_swapped": (source, target),
            "square_of_target": (target, target),
            "square_of_source": (source, source),
        }
        return _shape(drawn, *lengths[slug])

    def prompt(self, drawn: Drawn) -> Prompt:
        d_model = drawn["heads"] * drawn["head_width"]
        return Prompt(
            task=Text(
                "解码器里的交叉注意力：编码器的输出是 $[B, n_\\text{enc}, d_\\text{model}]$，解码器这边是 "
                "$[B, n_\\text{dec}, d_\\text{model}]$。拆成 $h$ 个头以后，分数 $QK^\\top$ 是什么形状？",
                "Cross-attention in a decoder: the encoder's output is $[B, n_\\text{enc}, "
                "d_\\text{model}]$, the decoder's side $[B, n_\\text{dec}, d_\\text{model}]$. Split into "
                "$h$ heads, what is the shape of the scores $QK^\\top$?",
            ),
            givens=(
                Given(name="B", value=drawn["batch"], note=Text("批大小", "batch size")),
                Given(name="n_enc", value=drawn["source"], note=Text("编码器长度", "encoder length")),
                Given(name="n_dec", value=drawn["target"], note=Text("解码器长度", "decoder length")),
                Given(name="d_model", value=d_model, note=Text("模型宽度", "model width")),
                Given(name="h", value=drawn["heads"], note=Text("头数", "number of heads")),
            ),
            conventions=(
                Text(
                    "批在最前，头在第二；最后两维是每个头里的分数矩阵，行是 query，列是 key。",
                    "Batch first, heads second; the last two axes are the score matrix of one head, with "
                    "queries as rows and keys as columns.",
                ),
                Text(
                    "训练时的完整一次前向，不用缓存。",
                    "A whole forward pass as in training, without a cache.",
                ),
                Text(
                    "按顺序写出每一维，例如 `(2, 3, 4)`；要完全一致才算对。",
                    "Give every axis in order, as in `(2, 3, 4)`; only the exact shape is right.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        batch, heads, target, source = self.right(drawn)["shape"]
        width = drawn["head_width"]
        return (
            SolutionStep(
                text=Text(
                    f"$Q$ 来自解码器，拆头以后是 $[{batch}, {heads}, {target}, {width}]$。",
                    f"$Q$ comes from the decoder; split into heads it is $[{batch}, {heads}, {target}, "
                    f"{width}]$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"$K$（和 $V$）来自编码器，拆头以后是 $[{batch}, {heads}, {source}, {width}]$。",
                    f"$K$, like $V$, comes from the encoder; split into heads it is $[{batch}, {heads}, "
                    f"{source}, {width}]$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"$QK^\\top$ 把头宽 {width} 消掉，剩下每个 query 对每个 key 的分数："
                    f"${tex([batch, heads, target, source])}$。它一般不是方阵。",
                    f"$QK^\\top$ sums the head width {width} away and leaves each query's score for each "
                    f"key: ${tex([batch, heads, target, source])}$. It is seldom square.",
                ),
                part="shape",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        batch, heads, target, _ = self.right(drawn)["shape"]
        return (
            Text(
                "先想清楚 $Q$、$K$、$V$ 各来自哪一边。",
                "First settle which side $Q$, $K$ and $V$ come from.",
            ),
            Text(
                "提问的是解码器的位置，被问的是编码器的位置。",
                "The decoder's positions ask, the encoder's are asked.",
            ),
            Text(
                f"$Q$ 是 $[{batch}, {heads}, {target}, {drawn['head_width']}]$，头宽那一维会在点积里消掉。",
                f"$Q$ is $[{batch}, {heads}, {target}, {drawn['head_width']}]$, and the dot product sums "
                "its last axis away.",
            ),
        )


def _shape(drawn: Drawn, queries: int, keys: int) -> Values:
    shape = score_shape(batch=drawn["batch"], heads=drawn["heads"], queries=queries, keys=keys)
    return {"shape": list(shape)}
