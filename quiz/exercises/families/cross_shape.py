"""A5: the shape of the scores of cross-attention, and where Q, K and V come from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.heads import score_shape
from quiz.exercises.choosing import Asked, Pick, in_order, mistakes_of, shuffled
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

# Which attention of an encoder–decoder is asked about, and the option that names its sources.
ATTENTIONS = {
    "cross": Text("解码器里的交叉注意力", "the decoder's cross-attention"),
    "decoder": Text("解码器里的因果自注意力", "the decoder's causal self-attention"),
    "encoder": Text("编码器里的自注意力", "the encoder's self-attention"),
}
SOURCE = {"cross": "decoder_then_encoder", "decoder": "all_decoder", "encoder": "all_encoder"}
PICKS = {
    pick.slug: pick
    for pick in (
        Pick(
            slug="decoder_then_encoder",
            label=Text(
                "$Q$ 来自解码器，$K$、$V$ 来自编码器", "$Q$ from the decoder, $K$ and $V$ from the encoder"
            ),
            mistake="sources_of_cross",
        ),
        Pick(
            slug="encoder_then_decoder",
            label=Text(
                "$Q$ 来自编码器，$K$、$V$ 来自解码器", "$Q$ from the encoder, $K$ and $V$ from the decoder"
            ),
            mistake="sources_turned_round",
        ),
        Pick(
            slug="all_decoder",
            label=Text("$Q$、$K$、$V$ 都来自解码器", "$Q$, $K$ and $V$ from the decoder"),
            mistake="sources_of_decoder_self",
        ),
        Pick(
            slug="all_encoder",
            label=Text("$Q$、$K$、$V$ 都来自编码器", "$Q$, $K$ and $V$ from the encoder"),
            mistake="sources_of_encoder_self",
        ),
        Pick(
            slug="values_apart",
            label=Text(
                "$Q$、$K$ 来自解码器，$V$ 来自编码器", "$Q$ and $K$ from the decoder, $V$ from the encoder"
            ),
            mistake="values_from_elsewhere",
        ),
    )
}
SOURCE_MISTAKES = (
    Misconception(
        slug="sources_of_cross",
        title=Text("选成了交叉注意力的来源", "the sources of cross-attention"),
        told=Text(
            "一边提问、另一边被查，那是交叉注意力；题目问的是自注意力。",
            "One side asks and the other is asked: that is cross-attention, and the question is about "
            "self-attention.",
        ),
        question=Text("自注意力里一共有几个序列？", "How many sequences take part in self-attention?"),
        caption=Text("选了交叉注意力的来源", "The sources of cross-attention chosen"),
    ),
    Misconception(
        slug="sources_turned_round",
        title=Text("提问的和被查的弄反了", "the asking side and the asked side in each other's place"),
        told=Text(
            "这样接，输出会和编码器一样长、交给编码器的位置；原始 Transformer 里没有这样的一层。",
            "Wired like that, the output would be as long as the encoder's side and belong to its positions; "
            "no layer of the original Transformer does so.",
        ),
        question=Text(
            "注意力的输出和 $Q$ 一样长。这一层的输出要交给哪一边？",
            "The output of attention is as long as $Q$: to which side does this layer hand it?",
        ),
        caption=Text("选了反过来的来源", "The sources turned round chosen"),
    ),
    Misconception(
        slug="sources_of_decoder_self",
        title=Text("选成了解码器自注意力的来源", "the sources of the decoder's self-attention"),
        told=Text(
            "三个都取自解码器，这一层就完全看不到编码器那边。",
            "With all three from the decoder, the layer sees nothing of the encoder's side.",
        ),
        question=Text(
            "题目问的这一种注意力在哪一边？它要看的又是哪一边？",
            "On which side does the attention in question stand, and which side is it to look at?",
        ),
        caption=Text("选了都来自解码器", "All from the decoder chosen"),
    ),
    Misconception(
        slug="sources_of_encoder_self",
        title=Text("选成了编码器自注意力的来源", "the sources of the encoder's self-attention"),
        told=Text(
            "三个都取自编码器，那是编码器自己的一层，解码器的位置没有提过问。",
            "With all three from the encoder it is a layer of the encoder's own, in which no position of the "
            "decoder asks.",
        ),
        question=Text(
            "题目问的这一种注意力，是谁的位置在提问？",
            "In the attention in question, whose positions ask?",
        ),
        caption=Text("选了都来自编码器", "All from the encoder chosen"),
    ),
    Misconception(
        slug="values_from_elsewhere",
        title=Text("以为 V 可以和 K 来自不同的序列", "values from another sequence than the keys"),
        told=Text(
            "权重的第 $j$ 列属于第 $j$ 个 key，乘的是第 $j$ 个 value：$K$ 和 $V$ 必须出自同一个序列。",
            "Column $j$ of the weights belongs to key $j$ and multiplies value $j$: keys and values have to "
            "come from one sequence.",
        ),
        question=Text(
            "$A$ 是 $n_q \times n_k$ 的，能和它相乘的 $V$ 有几行？",
            "$A$ is $n_q \times n_k$: how many rows has a $V$ that it can be multiplied with?",
        ),
        caption=Text("选了 V 另有来源", "Values from elsewhere chosen"),
    ),
)


@register
class CrossShape(Family):
    """Drawn: batch, heads, source (encoder length), target (decoder length), head_width, all different;
    attention, the one whose sources are asked; options, the order of the choices.
    """

    slug = "cross_shape"
    version = 2
    code = "A5"
    title = Text("交叉注意力：分数的形状和来源", "Cross-attention: the scores' shape and sources")
    sections = ("7.18",)
    questions = (25,)
    minutes = 2
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
        *SOURCE_MISTAKES,
    )

    _SHAPE: ClassVar[Part] = Part(
        name="shape",
        kind="shape",
        label=Text("分数的形状", "shape of the scores"),
        tolerance=EXACT,
        role="s",
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "batch": int(rng.choice([3, 5, 6, 7, 9])),
            "heads": int(rng.choice([2, 4, 8])),
            "source": int(rng.integers(10, 65)),
            "target": int(rng.integers(10, 65)),
            "head_width": int(rng.choice([16, 32, 64])),
            "attention": str(rng.choice(list(ATTENTIONS))),
            "options": shuffled(rng, PICKS),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """All sizes differ, so that no two axes can stand for each other."""
        sizes = [drawn[name] for name in ("batch", "heads", "source", "target", "head_width")]
        return len(set(sizes)) == len(sizes)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (self._SHAPE, _sources(drawn).part)

    def right(self, drawn: Drawn) -> Values:
        return {**_shape(drawn, drawn["target"], drawn["source"]), "sources": _sources(drawn).right}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.mistakes(drawn)[slug]

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        source, target, right = drawn["source"], drawn["target"], self.right(drawn)
        lengths = {
            "lengths_swapped": (source, target),
            "square_of_target": (target, target),
            "square_of_source": (source, source),
        }
        shapes = {slug: {**right, **_shape(drawn, *pair)} for slug, pair in lengths.items()}
        return shapes | mistakes_of([_sources(drawn)], known=self.misconceptions, others=right)

    def prompt(self, drawn: Drawn) -> Prompt:
        d_model = drawn["heads"] * drawn["head_width"]
        return Prompt(
            task=Text(
                "解码器里的交叉注意力拆成 $h$ 个头以后，分数 $QK^\\top$ 是什么形状？"
                f"同一个模型里，{ATTENTIONS[drawn['attention']].zh}的 $Q$、$K$、$V$ 各从哪来？",
                "Cross-attention in a decoder is split into $h$ heads: what is the shape of the scores "
                "$QK^\\top$? "
                f"And where do $Q$, $K$ and $V$ of {ATTENTIONS[drawn['attention']].en} in that model come "
                f"from?",
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
                    "编码器的输出是 $[B, n_\\text{enc}, d_\\text{model}]$，解码器这边是 $[B, n_\\text{dec}, "
                    "d_\\text{model}]$。",
                    "The encoder's output is $[B, n_\\text{enc}, d_\\text{model}]$, the decoder's side $[B, "
                    "n_\\text{dec}, d_\\text{model}]$.",
                ),
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
                Text(
                    "「来自」说的是投影之前的输入：那一层这一边的隐状态，或编码器最后一层的输出。",
                    "“From” means the input of the projection: the hidden states of that side at that layer, "
                    "or "
                    "the output of the encoder's last layer.",
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
            SolutionStep(text=_sources_told(drawn), part="sources"),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        batch, heads, target, _ = self.right(drawn)["shape"]
        return (
            Text(
                "先想清楚谁提问、谁被查：提问的一边出 $Q$，被查的一边出 $K$ 和 $V$。",
                "First settle who asks and who is asked: the asking side makes $Q$, the asked side $K$ and "
                "$V$.",
            ),
            Text(
                "交叉注意力里，提问的是解码器的位置，被问的是编码器的位置；自注意力里，提问的和被问的是同一个"
                "序列。",
                "In cross-attention the decoder's positions ask and the encoder's are asked; in "
                "self-attention "
                "one sequence does both.",
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


def _sources(drawn: Drawn) -> Asked:
    asked = ATTENTIONS[drawn["attention"]]
    return Asked(
        name="sources",
        label=Text(f"{asked.zh}的来源", f"sources of {asked.en}"),
        picks=in_order(PICKS, drawn["options"]),
        right=SOURCE[drawn["attention"]],
    )


def _sources_told(drawn: Drawn) -> Text:
    sources = _sources(drawn)
    why = {
        "cross": Text(
            "提问的是解码器，被查的是编码器的输出", "the decoder asks, the encoder's output is asked"
        ),
        "decoder": Text("解码器看自己已有的位置", "the decoder looks at its own positions so far"),
        "encoder": Text("编码器看自己整个序列", "the encoder looks at the whole of its own sequence"),
    }[drawn["attention"]]
    asked, label = ATTENTIONS[drawn["attention"]], sources.right_label
    return Text(
        f"{asked.zh}：{why.zh}，所以{label.zh}。",
        f"{asked.en[0].upper()}{asked.en[1:]}: {why.en}; so {label.en}.",
    )
