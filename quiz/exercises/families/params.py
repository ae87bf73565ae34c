"""G8: how many weights a Transformer has: attention, feed-forward, a layer, the whole model."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import (
    attention_parameters,
    embedding_parameters,
    feed_forward_parameters,
    weight_parameters,
)
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
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
    Value,
    Values,
)


def _count(name: str, label: Text, *uses: str, required: bool = False) -> Part:
    return Part(name=name, kind="integer", label=label, tolerance=EXACT, required=required, uses=uses)


@register
class Parameters(Family):
    """Drawn: d_model, multiple (d_ff over d_model), heads, layers, vocabulary, tied."""

    slug = "params"
    code = "G8"
    title = Text("估算整个模型的参数量", "The number of weights of a whole model")
    sections = ("7.21",)
    questions = (2, 19, 32)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_output_projection",
            title=Text("漏了 W_O", "W_O left out"),
            told=Text(
                "注意力只算了 $W_Q$、$W_K$、$W_V$ 三个矩阵。",
                "Attention was counted with three matrices only, $W_Q$, $W_K$ and $W_V$.",
            ),
            question=Text(
                "各头拼起来之后，还要乘哪个矩阵？",
                "Once the heads are joined, which matrix is still to come?",
            ),
            caption=Text("漏掉 W_O 会得到", "Without W_O"),
        ),
        Misconception(
            slug="times_heads",
            title=Text("又乘了一遍头数", "one more factor, the number of heads"),
            told=Text(
                "把每个头都当成了全宽的投影；其实各头平分 $d_\\text{model}$。",
                "Every head was counted at the full width, but the heads share $d_\\text{model}$ "
                "between them.",
            ),
            question=Text(
                "$h$ 个宽 $d_\\text{model}/h$ 的头拼起来有多宽？",
                "How wide are $h$ heads of width $d_\\text{model}/h$ together?",
            ),
            caption=Text("乘以头数会得到", "Times the heads"),
        ),
        Misconception(
            slug="attention_only",
            title=Text("每层只算了注意力", "layers counted without their feed-forward network"),
            told=Text(
                "一层里前馈网络的参数没有加进来。",
                "The weights of the feed-forward network are missing from the layers.",
            ),
            question=Text(
                "一层有哪两个子层？参数更多的是哪个？",
                "Which two sublayers does a layer have, and which has more weights?",
            ),
            caption=Text("只算注意力会得到", "Attention only"),
        ),
        Misconception(
            slug="one_inner_matrix",
            title=Text("前馈网络只算了一个矩阵", "only one matrix of the feed-forward network"),
            told=Text(
                "前馈网络算成了 $d \\cdot d_\\text{ff}$：放大之后还要缩回来。",
                "The feed-forward network was counted as $d \\cdot d_\\text{ff}$, but what goes up "
                "has to come down again.",
            ),
            question=Text(
                "前馈网络的输出有多宽？是怎么回到这个宽度的？",
                "How wide is the network's output, and what brings it back to that width?",
            ),
            caption=Text("只算一个矩阵会得到", "With one matrix"),
        ),
        Misconception(
            slug="three_inner_matrices",
            title=Text("前馈网络算了三个矩阵", "three matrices in the feed-forward network"),
            told=Text(
                "前馈网络算成了 $3 d \\cdot d_\\text{ff}$，那是 SwiGLU 这类门控结构。",
                "The feed-forward network was counted as $3 d \\cdot d_\\text{ff}$, which belongs "
                "to gated variants such as SwiGLU.",
            ),
            question=Text("题目里的前馈网络有门控吗？", "Is the network of this task a gated one?"),
            caption=Text("算三个矩阵会得到", "With three matrices"),
        ),
        Misconception(
            slug="one_head_counted",
            title=Text("Q、K、V 的投影只算了一个头", "the projections of one head only"),
            told=Text(
                "$W_Q$、$W_K$、$W_V$ 只按 $d \\times d_h$ 算，别的头漏掉了。",
                "$W_Q$, $W_K$ and $W_V$ were counted as $d \\times d_h$: the other heads are missing.",
            ),
            question=Text(
                "一共有几个头？每个头都有自己的投影吗？",
                "How many heads are there, and does each have projections of its own?",
            ),
            caption=Text("只算一个头会得到", "Counting one head"),
        ),
        Misconception(
            slug="biases_and_norms",
            title=Text("把偏置和归一化的参数也算了进去", "biases and norms counted as well"),
            told=Text(
                "每层多出来的 $9d + d_\\text{ff}$ 正是偏置和两个 LayerNorm，题目约定不算。",
                "The extra $9d + d_\\text{ff}$ in each layer are the biases and two LayerNorms, "
                "which this task leaves out.",
            ),
            question=Text("题目约定数哪些参数？", "Which weights does the task say to count?"),
            caption=Text("连偏置和归一化一起算会得到", "With biases and norms"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        _count("attention", Text("一层的注意力", "attention in a layer")),
        _count("feed_forward", Text("一层的前馈网络", "feed-forward network in a layer")),
        _count("layer", Text("一层合计", "a whole layer"), "attention", "feed_forward"),
        _count("model", Text("整个模型", "the whole model"), "layer", required=True),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        heads = int(rng.choice([6, 8, 10, 12, 16]))
        return {
            "d_model": heads * int(rng.choice([32, 50, 64, 100])),
            "multiple": int(rng.choice([3, 4, 5])),
            "heads": heads,
            "layers": int(rng.choice([6, 8, 10, 12, 18, 24])),
            "vocabulary": int(rng.choice([8000, 10000, 16000, 20000, 30000, 32000, 50000])),
            "tied": bool(rng.integers(2)),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        width, inner = _widths(drawn)
        model = weight_parameters(
            layers=drawn["layers"],
            d_model=width,
            d_ff=inner,
            vocabulary=drawn["vocabulary"],
            tied=drawn["tied"],
        )
        return {**_values(drawn), "model": model}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        width, inner = _widths(drawn)
        attention = {
            "no_output_projection": 3 * width * width,
            "times_heads": 4 * width * width * drawn["heads"],
            "one_head_counted": 3 * width * (width // drawn["heads"]) + width * width,
            "biases_and_norms": attention_parameters(d_model=width, bias=True),
        }
        feed_forward = {
            "one_inner_matrix": width * inner,
            "three_inner_matrices": 3 * width * inner,
            "biases_and_norms": feed_forward_parameters(d_model=width, d_ff=inner, bias=True),
        }
        more = {"attention_only": -2 * width * inner, "biases_and_norms": 4 * width}
        return _values(
            drawn, attention=attention.get(slug), feed_forward=feed_forward.get(slug), more=more.get(slug, 0)
        )

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part == "layer":
            return earlier["attention"] + earlier["feed_forward"]
        if part != "model":
            return None
        embedding = embedding_parameters(
            vocabulary=drawn["vocabulary"], d_model=drawn["d_model"], tied=drawn["tied"]
        )
        return drawn["layers"] * earlier["layer"] + embedding

    def prompt(self, drawn: Drawn) -> Prompt:
        width, inner = _widths(drawn)
        given = (
            ("d_model", width, Text("模型宽度", "model width")),
            ("d_ff", inner, Text("前馈网络的中间宽度", "inner width of the feed-forward network")),
            ("h", drawn["heads"], Text("头数", "number of heads")),
            ("L", drawn["layers"], Text("层数", "layers")),
            ("V", drawn["vocabulary"], Text("词表大小", "vocabulary")),
        )
        return Prompt(
            task=Text(
                "一个 decoder-only 模型每层是一个多头自注意力加一个前馈网络。整个模型有多少参数？",
                "Each layer of a decoder-only model has multi-head self-attention and a "
                "feed-forward network. How many weights does the whole model have?",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    "只数权重矩阵：偏置、归一化的参数、位置编码都不算。",
                    "Weight matrices only: no biases, no norms, no position embeddings.",
                ),
                Text(
                    "普通多头注意力，$d_h = d_\\text{model}/h$，$W_O$ 要算；前馈网络是两个矩阵，没有门控。",
                    "Ordinary multi-head attention with $d_h = d_\\text{model}/h$, $W_O$ included; "
                    "the feed-forward network has two matrices and no gate.",
                ),
                _embedding(drawn),
                Text("要整数，必须准确；也可以写算式。", "A whole number, exact; an expression is fine."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        width, inner = _widths(drawn)
        right, layers, vocabulary = self.right(drawn), drawn["layers"], drawn["vocabulary"]
        times = "" if drawn["tied"] else r"2 \times "
        embedding = embedding_parameters(vocabulary=vocabulary, d_model=width, tied=drawn["tied"])
        return (
            SolutionStep(
                text=told(
                    "注意力是四个 $d \\times d$ 的矩阵，和头数无关：",
                    "Attention has four $d \\times d$ matrices, whatever the number of heads:",
                    rf"4d^2 = 4 \times {width}^2 = {right['attention']}",
                ),
                part="attention",
            ),
            SolutionStep(
                text=told(
                    "前馈网络一放一缩，两个矩阵：",
                    "The feed-forward network goes up and comes down, two matrices:",
                    rf"2 d \cdot d_\text{{ff}} = 2 \times {width} \times {inner} = {right['feed_forward']}",
                ),
                part="feed_forward",
            ),
            SolutionStep(
                text=told(
                    "一层：",
                    "A layer:",
                    rf"{right['attention']} + {right['feed_forward']} = {right['layer']}",
                ),
                part="layer",
            ),
            SolutionStep(
                text=told(
                    "所有层，加上词嵌入：",
                    "All layers, and the embedding:",
                    rf"{times}{vocabulary} \times {width} = {embedding}",
                    rf"{layers} \times {right['layer']} + {embedding} = {right['model']}",
                ),
                part="model",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        right = self.right(drawn)
        return (
            Text(
                "先算一层，再乘层数，最后加词嵌入。",
                "First one layer, then times the layers, then the embedding.",
            ),
            Text(
                "一层是 $4d^2 + 2d \\cdot d_\\text{ff}$；头数只改变怎么切，不改变参数量。",
                "A layer has $4d^2 + 2d \\cdot d_\\text{ff}$; heads change how it is cut, not how "
                "much there is.",
            ),
            Text(
                f"一层有 {right['layer']} 个参数；还差乘层数、加词嵌入。",
                f"A layer has {right['layer']} weights; the number of layers and the embedding are left.",
            ),
        )


def _widths(drawn: Drawn) -> tuple[int, int]:
    return drawn["d_model"], drawn["d_model"] * drawn["multiple"]


def _embedding(drawn: Drawn) -> Text:
    if drawn["tied"]:
        return Text(
            "输入的词嵌入和输出层共享同一个 $V \\times d_\\text{model}$ 的矩阵，只算一次。",
            "Input embedding and output layer are tied: one $V \\times d_\\text{model}$ matrix, "
            "counted once.",
        )
    return Text(
        "输入的词嵌入和输出层不共享，是两个 $V \\times d_\\text{model}$ 的矩阵，都要算。",
        "Input embedding and output layer are not tied: two $V \\times d_\\text{model}$ matrices, "
        "both counted.",
    )


def _values(
    drawn: Drawn, *, attention: int | None = None, feed_forward: int | None = None, more: int = 0
) -> Values:
    """`more`: what a mistake adds to a layer beside its two parts."""
    width, inner = _widths(drawn)
    attention = attention_parameters(d_model=width) if attention is None else attention
    if feed_forward is None:
        feed_forward = feed_forward_parameters(d_model=width, d_ff=inner)
    layer = attention + feed_forward + more
    embedding = embedding_parameters(vocabulary=drawn["vocabulary"], d_model=width, tied=drawn["tied"])
    return {
        "attention": attention,
        "feed_forward": feed_forward,
        "layer": layer,
        "model": drawn["layers"] * layer + embedding,
    }
