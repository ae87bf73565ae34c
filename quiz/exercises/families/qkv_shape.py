"""A3: the shape of QKᵀ."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.heads import score_shape
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class QkvShape(Family):
    """Drawn: batch, length, d_k, d_v, four different sizes."""

    slug = "qkv_shape"
    code = "A3"
    title = Text("QKᵀ 的形状", "The shape of QKᵀ")
    sections = ("7.7",)
    questions = (7,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="width_kept",
            title=Text("最后一维还留着 d_k", "d_k kept as the last axis"),
            told=Text(
                "$d_k$ 是点积求和的那一维，乘完就没有了。",
                "$d_k$ is the axis that the dot product sums over; it is gone after the product.",
            ),
            question=Text(
                "一个 query 对一个 key 的分数是一个数还是一个向量？",
                "Is the score of one query against one key a number or a vector?",
            ),
            caption=Text("留着 d_k 会得到", "Keeping d_k"),
        ),
        Misconception(
            slug="product_the_other_way",
            title=Text("消掉了序列那一维（算成了 QᵀK）", "the sequence summed away, as in QᵀK"),
            told=Text(
                "得到的是 $[B, d_k, d_k]$，那是 $Q^\\top K$：比较的成了分量，而不是 token。",
                "$[B, d_k, d_k]$ is the shape of $Q^\\top K$, which compares components instead of tokens.",
            ),
            question=Text(
                "分数表的行和列各代表什么：token，还是分量？",
                "What do the rows and columns of the score table stand for, tokens or components?",
            ),
            caption=Text("算 QᵀK 会得到", "With QᵀK"),
        ),
        Misconception(
            slug="value_width",
            title=Text("把 V 的宽度 d_v 算进来了", "the width d_v of V brought in"),
            told=Text(
                "最后一维写成了 $d_v$，那是乘 $V$ 之后的形状。",
                "The last axis is $d_v$, which is the shape after the product with $V$.",
            ),
            question=Text("算 $QK^\\top$ 时，$V$ 用到了吗？", "Does $V$ take part in $QK^\\top$?"),
            caption=Text("用 d_v 会得到", "With d_v"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="shape", kind="shape", label=Text("QKᵀ 的形状", "shape of QKᵀ"), tolerance=EXACT, role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "batch": int(rng.integers(2, 10)),
            "length": int(rng.integers(10, 129)),
            "d_k": int(rng.choice([16, 32, 48, 64])),
            "d_v": int(rng.choice([16, 24, 40, 64, 96])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Four different sizes, so that no axis can stand for another."""
        return len(set(drawn.values())) == len(drawn)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        length = drawn["length"]
        batch, _, queries, keys = score_shape(batch=drawn["batch"], heads=1, queries=length, keys=length)
        return {"shape": [batch, queries, keys]}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        batch, length, d_k = drawn["batch"], drawn["length"], drawn["d_k"]
        shapes = {
            "width_kept": [batch, length, d_k],
            "product_the_other_way": [batch, d_k, d_k],
            "value_width": [batch, length, drawn["d_v"]],
        }
        return {"shape": shapes[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "单头自注意力里，$Q$、$K$ 的形状是 $[B, n, d_k]$，$V$ 是 $[B, n, d_v]$。$QK^\\top$ 的形"
                "状是什么？",
                "In self-attention with one head, $Q$ and $K$ have the shape $[B, n, d_k]$ and $V$ has "
                "$[B, n, d_v]$. What is the shape of $QK^\\top$?",
            ),
            givens=(
                Given(name="B", value=drawn["batch"], note=Text("批大小", "batch size")),
                Given(name="n", value=drawn["length"], note=Text("序列长度", "sequence length")),
                Given(name="d_k", value=drawn["d_k"], note=Text("q、k 的宽度", "width of q and k")),
                Given(name="d_v", value=drawn["d_v"], note=Text("v 的宽度", "width of v")),
            ),
            conventions=(
                Text(
                    "转置只交换最后两维，批逐个相乘，批写在最前；没有头这一维。",
                    "The transpose exchanges the last two axes only, each sequence of the batch is "
                    "multiplied by itself, batch first; there is no axis of heads.",
                ),
                Text(
                    "按顺序写出每一维，例如 `(2, 3, 4)`；要完全一致才算对。",
                    "Give every axis in order, as in `(2, 3, 4)`; only the exact shape is right.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        batch, length, d_k, d_v = (drawn[name] for name in ("batch", "length", "d_k", "d_v"))
        shape = self.right(drawn)["shape"]
        return (
            SolutionStep(
                text=Text(
                    f"$K^\\top$ 只交换最后两维：$[{batch}, {length}, {d_k}]$ → "
                    f"$[{batch}, {d_k}, {length}]$。",
                    f"$K^\\top$ exchanges the last two axes only: $[{batch}, {length}, {d_k}]$ → "
                    f"$[{batch}, {d_k}, {length}]$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"$[{batch}, {length}, {d_k}]$ 乘 $[{batch}, {d_k}, {length}]$，中间的 {d_k} 求和消"
                    f"掉，得到 ${tex(shape)}$。",
                    f"$[{batch}, {length}, {d_k}]$ times $[{batch}, {d_k}, {length}]$: the {d_k} in the "
                    f"middle is summed away, which leaves ${tex(shape)}$.",
                ),
                part="shape",
            ),
            SolutionStep(
                text=Text(
                    f"每个 query 对每个 key 一个分数，所以是 $n \\times n$；乘 $V$ 之后才回到 "
                    f"$[{batch}, {length}, {d_v}]$。",
                    f"One score for every query and every key makes it $n \\times n$; only the product "
                    f"with $V$ brings it back to $[{batch}, {length}, {d_v}]$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "一行是一个 query，一列是一个 key。各有多少个？",
                "A row is a query and a column is a key. How many are there of each?",
            ),
            Text(
                "矩阵相乘时，前一个的最后一维和后一个的倒数第二维求和消掉。",
                "In a matrix product the last axis of the first and the last but one of the second are "
                "summed away.",
            ),
            Text(
                f"最前面是批 {drawn['batch']}；消掉的是 {drawn['d_k']}。",
                f"The batch, {drawn['batch']}, comes first; what is summed away is {drawn['d_k']}.",
            ),
        )
