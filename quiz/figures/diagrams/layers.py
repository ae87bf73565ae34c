"""The layers of the original Transformer (norm after each addition), and the whole of it."""

from __future__ import annotations

from quiz.figures.diagrams.shapes import Arrow, Box, Diagram, Frame, Layout, Words, same

_ADD_NORM = Words("相加，再 LayerNorm", "add, then LayerNorm")
_FFN = Words("前馈网络 FFN", "Feed-forward network")
_SHAPE = same("[B, n, d]")


def _layer(layout_boxes: tuple[Box, ...], arrows: tuple[Arrow, ...]) -> Layout:
    return Layout(columns=(200,), boxes=layout_boxes, arrows=arrows, margin=44, rise=22)


ENCODER_LAYER = Diagram(
    title=Words("编码器的一层", "One encoder layer"),
    description=Words(
        "自上而下：输入，多头自注意力，相加后 LayerNorm，前馈网络 FFN，相加后 LayerNorm，输出。两条残差分"
        "别从子层的入口绕到它后面的加号。每一步的形状都是 [B, n, d]。",
        "From top to bottom: input, multi-head self-attention, add then LayerNorm, feed-forward network, "
        "add then LayerNorm, output. Two residuals go from the entrance of a sublayer round it to the "
        "addition after it. Every step has the shape [B, n, d].",
    ),
    narrow=_layer(
        (
            Box(name="in", text=Words("输入 x", "input x"), at=(0, 0), kind="plain", note=_SHAPE),
            Box(
                name="attention",
                text=Words("多头自注意力", "Multi-head self-attention"),
                note=Words("Q、K、V 都来自 x", "Q, K and V all come from x"),
                at=(0, 1),
                role="s",
            ),
            Box(name="norm1", text=_ADD_NORM, at=(0, 2)),
            Box(
                name="ffn",
                text=_FFN,
                note=Words("逐位置：d → d_{ff} → d", "each position: d → d_{ff} → d"),
                at=(0, 3),
                role="o",
            ),
            Box(name="norm2", text=_ADD_NORM, at=(0, 4)),
            Box(name="out", text=Words("输出 y", "output y"), at=(0, 5), kind="plain", note=_SHAPE),
        ),
        (
            Arrow(start="in", end="attention"),
            Arrow(start="attention", end="norm1"),
            Arrow(start="in", end="norm1", around="left", lane=2),
            Arrow(start="norm1", end="ffn"),
            Arrow(start="ffn", end="norm2"),
            Arrow(start="norm1", end="norm2", around="left", lane=2),
            Arrow(start="norm2", end="out"),
        ),
    ),
)

DECODER_LAYER = Diagram(
    title=Words("解码器的一层", "One decoder layer"),
    description=Words(
        "自上而下：已生成部分的输入，带因果掩码的自注意力，相加后 LayerNorm，交叉注意力，相加后 LayerNorm"
        "，前馈网络 FFN，相加后 LayerNorm，输出。交叉注意力的 Q 来自解码器这一路，K 和 V 来自编码器的输出"
        "。三个子层各有一条残差绕过。",
        "From top to bottom: what is generated so far, self-attention with a causal mask, add then "
        "LayerNorm, cross-attention, add then LayerNorm, feed-forward network, add then LayerNorm, "
        "output. Cross-attention takes Q from the decoder and K and V from the encoder's output. A "
        "residual goes round each of the three sublayers.",
    ),
    narrow=Layout(
        columns=(182, 88),
        gap=46,
        margin=20,
        rise=22,
        boxes=(
            Box(
                name="in",
                text=Words("输入（右移）", "input, shifted right"),
                at=(0, 0),
                kind="plain",
                note=same("[B, n_{dec}, d]"),
            ),
            Box(
                name="self",
                text=Words("因果自注意力", "Causal self-attention"),
                at=(0, 1),
                role="s",
                note=Words("只看自己和左边", "sees itself and the left"),
            ),
            Box(name="norm1", text=_ADD_NORM, at=(0, 2)),
            Box(
                name="cross",
                text=Words("交叉注意力", "Cross-attention"),
                at=(0, 3),
                role="q",
                note=Words("Q 来自这一路", "Q from this stream"),
            ),
            Box(
                name="memory",
                text=Words("编码器\n输出", "encoder\noutput"),
                at=(1, 3),
                role="k",
                note=same("[B, n_{enc}, d]"),
            ),
            Box(name="norm2", text=_ADD_NORM, at=(0, 4)),
            Box(name="ffn", text=_FFN, at=(0, 5), role="o"),
            Box(name="norm3", text=_ADD_NORM, at=(0, 6)),
            Box(
                name="out",
                text=Words("输出", "output"),
                at=(0, 7),
                kind="plain",
                note=same("[B, n_{dec}, d]"),
            ),
        ),
        arrows=(
            Arrow(start="in", end="self"),
            Arrow(start="self", end="norm1"),
            Arrow(start="in", end="norm1", around="left"),
            Arrow(start="norm1", end="cross"),
            Arrow(start="memory", end="cross", label=Words("K、V", "K, V")),
            Arrow(start="cross", end="norm2"),
            Arrow(start="norm1", end="norm2", around="left"),
            Arrow(start="norm2", end="ffn"),
            Arrow(start="ffn", end="norm3"),
            Arrow(start="norm2", end="norm3", around="left"),
            Arrow(start="norm3", end="out"),
        ),
    ),
)

TRANSFORMER = Diagram(
    title=Words("原始 Transformer：从输入到输出", "The original Transformer, from input to output"),
    description=Words(
        "左边是编码器：源序列的词向量加位置编码，依次通过 N 层，每层是自注意力和 FFN。右边是解码器：右移一"
        "位的目标序列的词向量加位置编码，依次通过 N 层，每层是因果自注意力、交叉注意力和 FFN；编码器的输出"
        "给每一层的交叉注意力当 K 和 V。最后是线性层和 softmax，得到下一个 token 的概率。",
        "On the left the encoder: embeddings of the source plus positions pass N layers of self-attention "
        "and feed-forward. On the right the decoder: embeddings of the target, shifted right by one, plus "
        "positions pass N layers of causal self-attention, cross-attention and feed-forward; the "
        "encoder's output is K and V for the cross-attention of every layer. A linear layer and a softmax "
        "give the probabilities of the next token.",
    ),
    narrow=Layout(
        columns=(140, 140),
        gap=44,
        margin=14,
        rise=24,
        boxes=(
            Box(
                name="source",
                text=Words("源序列", "source"),
                at=(0, 0),
                kind="plain",
                note=same("[B, n_{enc}]"),
            ),
            Box(
                name="target",
                text=Words("目标（右移）", "target, shifted"),
                at=(1, 0),
                kind="plain",
                note=same("[B, n_{dec}]"),
            ),
            Box(name="embed1", text=Words("词向量 + 位置", "embedding\n+ position"), at=(0, 1)),
            Box(name="embed2", text=Words("词向量 + 位置", "embedding\n+ position"), at=(1, 1)),
            Box(name="self1", text=Words("自注意力", "Self-attention"), at=(0, 2), role="s"),
            Box(name="self2", text=Words("因果自注意力", "Causal\nself-attention"), at=(1, 2), role="s"),
            Box(name="ffn1", text=same("FFN"), at=(0, 3), role="o"),
            Box(
                name="cross",
                text=Words("交叉注意力", "Cross-attention"),
                at=(1, 3),
                role="q",
                note=Words("K、V 来自编码器", "K, V: encoder"),
            ),
            Box(
                name="memory",
                text=Words("编码器输出", "encoder output"),
                at=(0, 4),
                role="k",
                note=same("[B, n_{enc}, d]"),
            ),
            Box(name="ffn2", text=same("FFN"), at=(1, 4), role="o"),
            Box(name="head", text=Words("线性层 + softmax", "linear + softmax"), at=(1, 5)),
            Box(
                name="next",
                text=Words("下一个 token\n的概率", "probabilities of\nthe next token"),
                at=(1, 6),
                kind="plain",
                note=same("[B, n_{dec}, V]"),
            ),
        ),
        arrows=(
            Arrow(start="source", end="embed1"),
            Arrow(start="target", end="embed2"),
            Arrow(start="embed1", end="self1"),
            Arrow(start="embed2", end="self2"),
            Arrow(start="self1", end="ffn1"),
            Arrow(start="self2", end="cross"),
            Arrow(start="ffn1", end="memory"),
            Arrow(start="memory", end="cross", bend="across-down-across"),
            Arrow(start="cross", end="ffn2"),
            Arrow(start="ffn2", end="head"),
            Arrow(start="head", end="next"),
        ),
        frames=(
            Frame(text=Words("编码器 ×N", "encoder ×N"), boxes=("self1", "ffn1")),
            Frame(text=Words("解码器 ×N", "decoder ×N"), boxes=("self2", "cross", "ffn2")),
        ),
    ),
)
