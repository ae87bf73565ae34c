"""H3: the bytes of a matrix of scores that is written out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import itemsize, score_matrix_bytes
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
    MAGNITUDE,
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Values,
)

MIB = 2**20
OTHER = {"float16": "float32", "float32": "float16"}


@register
class ScoreMemory(Family):
    """Drawn: batch, heads, length, head_width, dtype; the sizes are kept off powers of two."""

    slug = "score_mem"
    code = "H3"
    title = Text("算出注意力分数矩阵占多少显存", "The memory of a matrix of scores")
    sections = ("7.15",)
    questions = (17, 38, 39)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_heads",
            title=Text("漏乘头数", "the number of heads left out"),
            told=Text("只算了一个头的分数矩阵。", "Only one head's matrix was counted."),
            question=Text(
                "每个头的分数矩阵都一样吗？能共用一份吗？",
                "Do all heads have the same scores, so that one matrix would do?",
            ),
            caption=Text("不乘头数会得到", "Without the heads"),
        ),
        Misconception(
            slug="no_batch",
            title=Text("漏乘批大小", "the batch left out"),
            told=Text("只算了一条序列的分数矩阵。", "Only one sequence was counted."),
            question=Text("题目里有几条序列同时做前向？", "How many sequences go forward at once?"),
            caption=Text("不乘批大小会得到", "Without the batch"),
        ),
        Misconception(
            slug="bits",
            title=Text("按比特算了", "bits counted as bytes"),
            told=Text(
                "每个元素乘的是比特数，不是字节数，结果大了 8 倍。",
                "Each element was given its bits instead of its bytes: 8 times too much.",
            ),
            question=Text("一个字节是几比特？", "How many bits are in a byte?"),
            caption=Text("按比特算会得到", "Counting bits"),
        ),
        Misconception(
            slug="decimal_units",
            title=Text("MiB 当成了 MB（10⁶ 字节）", "MB of 10⁶ bytes instead of MiB"),
            told=Text(
                "除以的是 $10^6$，而 1 MiB 是 $2^{20}$ 字节。",
                "The bytes were divided by $10^6$, but a MiB is $2^{20}$ bytes.",
            ),
            question=Text(
                "题目里的单位中间有个 i，它是什么意思？",
                "The unit has an i in the middle: what does it stand for?",
            ),
            caption=Text("按 10⁶ 换算会得到", "With 10⁶ bytes"),
        ),
        Misconception(
            slug="linear_in_length",
            title=Text("算成了 n×d，而不是 n×n", "n×d elements instead of n×n"),
            told=Text(
                "每个头只算了 $n \\times d_h$ 个元素，那是 $Q$ 或输出的大小。",
                "Each head was given $n \\times d_h$ elements, the size of $Q$ or of the output.",
            ),
            question=Text(
                "分数矩阵的行是什么，列又是什么？",
                "What are the rows of the score matrix, and what its columns?",
            ),
            caption=Text("按 n×d 算会得到", "With n×d"),
        ),
        Misconception(
            slug="other_dtype",
            title=Text("每个元素的字节数用错了", "the bytes of the other number format"),
            told=Text("fp16 和 fp32 的字节数弄混了。", "The sizes of fp16 and fp32 were mixed up."),
            question=Text(
                "题目里的分数是什么精度？每个元素几个字节？",
                "In which format are the scores here, and how many bytes is one?",
            ),
            caption=Text("换一种精度会得到", "In the other format"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="memory", kind="scalar", label=Text("分数矩阵（MiB）", "scores (MiB)"), tolerance=MAGNITUDE
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "batch": int(rng.choice([3, 5, 6, 7, 10, 12])),
            "heads": int(rng.choice([12, 20, 24, 28, 40])),
            "length": 100 * int(rng.integers(10, 61)),
            "head_width": int(rng.choice([64, 80, 96, 128])),
            "dtype": str(rng.choice(["float16", "float32"])),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"memory": _bytes(drawn) / MIB}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        size = _bytes(drawn)
        sizes = {
            "no_heads": size / drawn["heads"],
            "no_batch": size / drawn["batch"],
            "bits": size * 8,
            "linear_in_length": size / drawn["length"] * drawn["head_width"],
            "other_dtype": size / itemsize(drawn["dtype"]) * itemsize(OTHER[drawn["dtype"]]),
        }
        return {"memory": size / 10**6 if slug == "decimal_units" else sizes[slug] / MIB}

    def prompt(self, drawn: Drawn) -> Prompt:
        name, size = _format(drawn)
        given = (
            ("B", drawn["batch"], Text("批大小", "batch")),
            ("h", drawn["heads"], Text("头数", "heads")),
            ("n", drawn["length"], Text("序列长度", "sequence length")),
            ("d_h", drawn["head_width"], Text("每个头的宽度", "width of one head")),
        )
        return Prompt(
            task=Text(
                f"自注意力的朴素实现把 {name} 的分数矩阵 $QK^\\top$ 整个写进显存。一层、整批的分数占"
                "多少 MiB？",
                "A naive self-attention writes its whole score matrix $QK^\\top$ to memory in "
                f"{name}. How many MiB do the scores of one layer take, for the whole batch?",
            ),
            givens=tuple(Given(name=key, value=value, note=note) for key, value, note in given),
            conventions=(
                Text(
                    f"{name}：每个元素 {size} 字节。只算分数矩阵一份，softmax 之后的权重、$Q$、$K$、"
                    "$V$ 都不算。",
                    f"{name}: {size} bytes per element. One matrix of scores only: not the weights "
                    "after the softmax, nor $Q$, $K$, $V$.",
                ),
                Text(
                    "query 和 key 一样多；有没有掩码都存整个矩阵。",
                    "As many queries as keys; the whole matrix is stored, masked or not.",
                ),
                Text(
                    "1 MiB $= 2^{20}$ 字节，1 字节 = 8 比特。", "1 MiB is $2^{20}$ bytes, 1 byte is 8 bits."
                ),
                say.HALF_PERCENT,
                say.NUMBERS_ONLY,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        _, size = _format(drawn)
        batch, heads, n = drawn["batch"], drawn["heads"], drawn["length"]
        return (
            SolutionStep(
                text=told(
                    "每条序列、每个头都有一个 $n \\times n$ 的分数矩阵：",
                    "Every sequence and every head has an $n \\times n$ matrix of scores:",
                    rf"B \cdot h \cdot n^2 = {batch} \times {heads} \times {n}^2 = {batch * heads * n * n}",
                )
            ),
            SolutionStep(
                text=told(
                    "乘每个元素的字节数，换成 MiB：",
                    "Times the bytes of an element, in MiB:",
                    rf"{batch * heads * n * n} \times {size} / 2^{{20}} \approx "
                    rf"{tex(self.right(drawn)['memory'])}",
                ),
                part="memory",
            ),
            SolutionStep(
                text=Text(
                    "长度翻倍，这个数变成 4 倍；FlashAttention 不写出这个矩阵，省的就是它。",
                    "Twice the length makes it 4 times as much; FlashAttention never writes this "
                    "matrix, and that is what it saves.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        n = drawn["length"]
        return (
            Text("先数一个头的分数矩阵有几个元素。", "First count the elements of one head's matrix."),
            Text(
                "再乘头数、批大小、每个元素的字节数，最后除以 $2^{20}$。",
                "Then times heads, batch and bytes per element; last, divide by $2^{20}$.",
            ),
            Text(
                f"一个头有 $n^2 = {n * n}$ 个分数；共有 $B \\cdot h = "
                f"{drawn['batch'] * drawn['heads']}$ 个这样的矩阵。",
                f"One head has $n^2 = {n * n}$ scores; there are $B \\cdot h = "
                f"{drawn['batch'] * drawn['heads']}$ such matrices.",
            ),
        )


def _format(drawn: Drawn) -> tuple[str, int]:
    size = itemsize(drawn["dtype"])
    return f"fp{8 * size}", size


def _bytes(drawn: Drawn) -> int:
    return score_matrix_bytes(
        batch=drawn["batch"],
        heads=drawn["heads"],
        queries=drawn["length"],
        keys=drawn["length"],
        itemsize=itemsize(drawn["dtype"]),
    )
