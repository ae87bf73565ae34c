"""A4: the shape of Q once it is split into heads."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.heads import head_shape
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
    EXACT,
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Values,
)


@register
class MhaShape(Family):
    """Drawn: batch, length, heads, head_width."""

    slug = "mha_shape"
    code = "A4"
    title = Text("多头拆分后的形状", "The shape after splitting into heads")
    sections = ("7.14",)
    questions = (2, 19)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="width_not_divided",
            title=Text(
                "每个头的宽度没有除以头数", "a head width that was not divided by the number of heads"
            ),
            told=Text(
                "每个头都拿到了完整的 $d_\\text{model}$ 维；拆头是把宽度分给各个头，不是复制。",
                "Every head got all $d_\\text{model}$ components; splitting shares the width out, it does "
                "not copy it.",
            ),
            question=Text(
                "拆分前后元素总数应当一样。你的形状里有多少个元素？",
                "Splitting keeps the number of elements. How many elements does your shape have?",
            ),
            caption=Text("宽度不除以头数会得到", "Without dividing the width"),
        ),
        Misconception(
            slug="not_transposed",
            title=Text("拆了头，但没有交换维度", "heads split but not moved to the front"),
            told=Text(
                "只做了 `view`，没有 `transpose`：头这一维还在序列后面。",
                "Only the `view` was done, not the `transpose`: the heads still stand behind the sequence.",
            ),
            question=Text(
                "接下来要在每个头里算 $QK^\\top$，最后两维该是哪两维？",
                "Next comes $QK^\\top$ inside each head: which two axes have to be last?",
            ),
            caption=Text("不交换维度会得到", "Without the transpose"),
        ),
        Misconception(
            slug="heads_and_width_swapped",
            title=Text("头数和头宽互换了", "the number of heads and the head width swapped"),
            told=Text(
                "头数 $h$ 和每个头的宽度 $d_h$ 放反了位置。",
                "The number of heads $h$ and the width of one head $d_h$ stand in each other's place.",
            ),
            question=Text(
                "哪一维是「有几个头」，哪一维是「每个头有多宽」？点积沿哪一维求和？",
                "Which axis counts the heads and which is the width of one? Along which one does the dot "
                "product sum?",
            ),
            caption=Text("头数和头宽互换会得到", "With heads and width swapped"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="shape", kind="shape", label=Text("Q 的形状", "shape of Q"), tolerance=EXACT, role="q"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "batch": int(rng.choice([3, 5, 6, 7, 9])),
            "length": int(rng.integers(10, 129)),
            "heads": int(rng.choice([2, 4, 8])),
            "head_width": int(rng.choice([16, 32, 64])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """All sizes differ, so that no two axes can stand for each other."""
        sizes = [*drawn.values(), drawn["heads"] * drawn["head_width"]]
        return len(set(sizes)) == len(sizes)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        heads = drawn["heads"]
        shape = head_shape(
            batch=drawn["batch"],
            length=drawn["length"],
            d_model=heads * drawn["head_width"],
            heads=heads,
        )
        return {"shape": list(shape)}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        batch, heads, length, width = self.right(drawn)["shape"]
        shapes = {
            "width_not_divided": [batch, heads, length, heads * width],
            "not_transposed": [batch, length, heads, width],
            "heads_and_width_swapped": [batch, width, length, heads],
        }
        return {"shape": shapes[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        d_model = drawn["heads"] * drawn["head_width"]
        return Prompt(
            task=Text(
                "$Q$ 的形状是 $[B, n, d_\\text{model}]$。拆成 $h$ 个头、准备好算 $QK^\\top$ 之后，"
                "它的形状是什么？",
                "$Q$ has the shape $[B, n, d_\\text{model}]$. What is its shape once it is split into $h$ "
                "heads, ready for $QK^\\top$?",
            ),
            givens=(
                Given(name="B", value=drawn["batch"], note=Text("批大小", "batch size")),
                Given(name="n", value=drawn["length"], note=Text("序列长度", "sequence length")),
                Given(name="d_model", value=d_model, note=Text("模型宽度", "model width")),
                Given(name="h", value=drawn["heads"], note=Text("头数", "number of heads")),
            ),
            conventions=(
                Text(
                    "各头平分宽度：$d_h = d_\\text{model}/h$。",
                    "The heads share the width evenly: $d_h = d_\\text{model}/h$.",
                ),
                Text(
                    "最后两维留给每个头里的矩阵乘法，批和头在它们前面，批在最前。",
                    "The last two axes are those of the matrix product inside a head; batch and heads come "
                    "before them, batch first.",
                ),
                Text(
                    "按顺序写出每一维，例如 `(2, 3, 4)`；要完全一致才算对。",
                    "Give every axis in order, as in `(2, 3, 4)`; only the exact shape is right.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        shape = self.right(drawn)["shape"]
        batch, heads, length, width = shape
        d_model = heads * width
        return (
            SolutionStep(
                text=Text(
                    f"宽度平分给各头：$d_h = {d_model} / {heads} = {width}$。",
                    f"The width is shared out: $d_h = {d_model} / {heads} = {width}$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"`view`：$[{batch}, {length}, {d_model}]$ → $[{batch}, {length}, {heads}, {width}]$，"
                    "元素总数不变。",
                    f"`view`: $[{batch}, {length}, {d_model}]$ → $[{batch}, {length}, {heads}, {width}]$, "
                    "the same number of elements.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"`transpose(1, 2)`：头移到序列前面，得到 ${tex(shape)}$；之后 $QK^\\top$ 就是 "
                    f"$[{batch}, {heads}, {length}, {length}]$。",
                    f"`transpose(1, 2)`: the heads move in front of the sequence, ${tex(shape)}$; "
                    f"then $QK^\\top$ is $[{batch}, {heads}, {length}, {length}]$.",
                ),
                part="shape",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        batch, heads, length, width = self.right(drawn)["shape"]
        return (
            Text(
                "答案有四维，元素总数和拆分前一样多。",
                "The answer has four axes and as many elements as before.",
            ),
            Text(
                f"每个头的宽度是 $d_\\text{{model}}/h = {width}$。",
                f"One head is $d_\\text{{model}}/h = {width}$ wide.",
            ),
            Text(
                f"`view` 之后是 $[{batch}, {length}, {heads}, {width}]$，还差一次 `transpose`。",
                f"After the `view` it is $[{batch}, {length}, {heads}, {width}]$; one `transpose` is left.",
            ),
        )
