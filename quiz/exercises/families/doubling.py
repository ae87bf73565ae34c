"""H2: what doubling the sequence does to the FLOPs of a layer."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import attention_flops, feed_forward_flops, layer_flops, projection_flops
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

INNER = 4  # d_ff over d


@register
class Doubling(Family):
    """Drawn: length n, d_model d."""

    slug = "doubling"
    code = "H2"
    title = Text("序列长度翻倍，一层的计算量变几倍", "What doubling the sequence does to a layer's FLOPs")
    sections = ("7.4",)
    questions = (17,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="quadratic",
            title=Text("当成了整层都是平方增长", "a whole layer taken as quadratic"),
            told=Text(
                "直接答了 4 倍：只有 $QK^\\top$ 和 $AV$ 是 $n^2$，投影和前馈网络不是。",
                "The answer was 4 times: only $QK^\\top$ and $AV$ grow with $n^2$, projections and "
                "feed-forward do not.",
            ),
            question=Text(
                "一层里哪些乘法和 $n$ 成正比，而不是和 $n^2$ 成正比？",
                "Which products of a layer grow with $n$ and not with $n^2$?",
            ),
            caption=Text("整层按平方算会得到", "All quadratic"),
        ),
        Misconception(
            slug="linear",
            title=Text("当成了整层都是线性增长", "a whole layer taken as linear"),
            told=Text(
                "直接答了 2 倍：$QK^\\top$ 和 $AV$ 的那一份没有按平方增长。",
                "The answer was 2 times: the share of $QK^\\top$ and $AV$ did not grow with the square.",
            ),
            question=Text(
                "token 多了一倍，要打的分数多了几倍？",
                "With twice the tokens, how many times the scores are there?",
            ),
            caption=Text("整层按线性算会得到", "All linear"),
        ),
        Misconception(
            slug="no_feed_forward",
            title=Text("漏了前馈网络", "the feed-forward network left out"),
            told=Text(
                "只算了注意力这个子层，前馈网络的 $4n \\cdot d \\cdot d_\\text{ff}$ 没有算。",
                "Only the attention sublayer was counted; the $4n \\cdot d \\cdot d_\\text{ff}$ of "
                "the feed-forward network are missing.",
            ),
            question=Text("一层有哪几个子层？", "Which sublayers does a layer have?"),
            caption=Text("不算前馈网络会得到", "Without the feed-forward network"),
        ),
        Misconception(
            slug="only_scores",
            title=Text("n² 的部分只算了 QKᵀ，漏了 AV", "QKᵀ counted but not AV"),
            told=Text(
                "和 $n^2$ 成正比的乘法有两次，只算了打分那一次。",
                "Two products grow with $n^2$, and only the scores were counted.",
            ),
            question=Text(
                "算完权重之后，还有一次和 $n^2$ 成正比的乘法，是哪一次？",
                "Once the weights are there, one more product grows with $n^2$: which?",
            ),
            caption=Text("漏掉 AV 会得到", "Without AV"),
        ),
        Misconception(
            slug="no_projections",
            title=Text("漏了 Q、K、V、O 四个投影", "the four projections left out"),
            told=Text(
                "注意力只算了 $QK^\\top$ 和 $AV$，四个投影的 $8nd^2$ 没有算。",
                "Attention was counted as $QK^\\top$ and $AV$ only; the $8nd^2$ of the four "
                "projections are missing.",
            ),
            question=Text(
                "$Q$、$K$、$V$ 是怎么来的？输出之后还乘了什么？",
                "Where do $Q$, $K$ and $V$ come from, and what is the output multiplied by?",
            ),
            caption=Text("不算投影会得到", "Without the projections"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="ratio", kind="scalar", label=Text("变成几倍", "times as many FLOPs")),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "length": 256 * int(rng.integers(2, 65)),
            "d_model": int(rng.choice([512, 768, 1024, 1280, 1536, 2048, 2560, 4096])),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        n, d = drawn["length"], drawn["d_model"]
        once, twice = (layer_flops(queries=m, keys=m, d_model=d, d_ff=INNER * d) for m in (n, 2 * n))
        return {"ratio": twice / once}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        if slug in ("quadratic", "linear"):
            return {"ratio": 4.0 if slug == "quadratic" else 2.0}
        n, d = drawn["length"], drawn["d_model"]
        once, twice = _flops(slug, n, d), _flops(slug, 2 * n, d)
        return {"ratio": twice / once}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "一层 Transformer（自注意力加前馈网络）处理长为 $n$ 的序列。序列长度变成 $2n$，这一"
                "层前向的 FLOPs 变成原来的几倍？",
                "A Transformer layer (self-attention and feed-forward network) reads a sequence of "
                "length $n$. When the length becomes $2n$, how many times as many FLOPs does its "
                "forward pass take?",
            ),
            givens=(
                Given(name="n", value=drawn["length"], note=Text("原来的序列长度", "length at first")),
                Given(name="d", value=drawn["d_model"], note=Text("模型宽度", "model width")),
            ),
            conventions=(
                Text(
                    f"$d_\\text{{ff}} = {INNER}d$，前馈网络两个矩阵；注意力有 Q、K、V、O 四个投影，"
                    "各头合起来宽 $d$。",
                    f"$d_\\text{{ff}} = {INNER}d$ with two matrices in the feed-forward network; "
                    "attention has four projections, Q, K, V and O, and its heads are $d$ wide "
                    "together.",
                ),
                Text(
                    "1 次乘加算 2 FLOPs；softmax、归一化、偏置、激活函数不算；没有掩码省下的计算。",
                    "A multiply-add is 2 FLOPs; softmax, norms, biases and activations do not "
                    "count; nothing is saved by a mask.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        n, d = drawn["length"], drawn["d_model"]
        return (
            SolutionStep(
                text=told(
                    "一层的 FLOPs：投影、$QK^\\top$ 和 $AV$、前馈网络：",
                    "The FLOPs of a layer: projections, $QK^\\top$ and $AV$, feed-forward network:",
                    r"8nd^2 + 4n^2d + 16nd^2 = 4nd\,(6d + n)",
                )
            ),
            SolutionStep(
                text=told(
                    "$n$ 换成 $2n$，再相除：",
                    "With $2n$ for $n$, divided by that:",
                    r"\frac{8nd\,(6d + 2n)}{4nd\,(6d + n)} = \frac{2\,(6d + 2n)}{6d + n}",
                )
            ),
            SolutionStep(
                text=told(
                    f"代入数字：$6d = {6 * d}$。",
                    f"With the numbers, $6d = {6 * d}$:",
                    rf"\frac{{2 \times ({6 * d} + {2 * n})}}{{{6 * d} + {n}}} \approx "
                    rf"{tex(self.right(drawn)['ratio'])}",
                ),
                part="ratio",
            ),
            SolutionStep(
                text=Text(
                    "自查：倍数总在 2 和 4 之间；$n = 6d$ 时两部分各占一半，正好 3 倍。",
                    "Check: always between 2 and 4; at $n = 6d$ both shares are equal and it is 3.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        n, d = drawn["length"], drawn["d_model"]
        return (
            Text(
                "把一层的 FLOPs 分成两堆：和 $n$ 成正比的，和 $n^2$ 成正比的。",
                "Sort a layer's FLOPs in two heaps: what grows with $n$ and what grows with $n^2$.",
            ),
            Text(
                "投影 $8nd^2$，$QK^\\top$ 和 $AV$ 共 $4n^2d$，前馈网络 $16nd^2$。",
                "Projections $8nd^2$, $QK^\\top$ and $AV$ together $4n^2d$, feed-forward network $16nd^2$.",
            ),
            Text(
                f"原来是 $4nd\\,(6d+n)$；代入后 $6d+n = {6 * d + n}$，翻倍后括号里是 ${6 * d + 2 * n}$。",
                f"At first it is $4nd\\,(6d+n)$; here $6d+n = {6 * d + n}$, and doubled the bracket "
                f"is ${6 * d + 2 * n}$.",
            ),
        )


def _flops(slug: str, n: int, d: int) -> int:
    """What somebody counts who leaves one part out."""
    mixing = attention_flops(batch=1, heads=1, queries=n, keys=n, width=d)
    return (
        (0 if slug == "no_projections" else projection_flops(queries=n, keys=n, d_model=d))
        + (mixing // 2 if slug == "only_scores" else mixing)
        + (0 if slug == "no_feed_forward" else feed_forward_flops(tokens=n, d_model=d, d_ff=INNER * d))
    )
