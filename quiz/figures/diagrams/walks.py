"""Attention step by step with its shapes, and how a width becomes heads and heads a width again."""

from __future__ import annotations

from quiz.figures.diagrams.shapes import Arrow, Box, Diagram, Layout, Words, same

_PIPELINE_TEXT = Words(
    "X 乘 W_Q、W_K、W_V 得到 Q、K、V。Q 和 K 的转置相乘得到分数 S，形状 n×n；除以 √d_k；加掩码，把不许看的"
    "位置填 −∞；逐行 softmax 得到权重 A，每行之和为 1；A 乘 V 得到输出，形状 n×d_v。",
    "X times W_Q, W_K and W_V gives Q, K and V. Q times the transpose of K gives the scores S, n×n; they "
    "are divided by √d_k; the mask puts −∞ where nothing may be seen; softmax along each row gives the "
    "weights A, each row summing to 1; A times V gives the output, n×d_v.",
)

_X = Words("输入 X", "input X")
_SCORES = Words("打分 S = QKᵀ", "scores S = QKᵀ")
_SCALE = same("÷ √d_k")
_MASK = Words("加掩码", "add the mask")
_SOFTMAX = Words("逐行 softmax", "softmax, by rows")
_MIX = Words("加权求和 A·V", "weighted sum A·V")
_OUT = Words("输出", "output")

ATTENTION_PIPELINE = Diagram(
    title=Words("注意力的五步和每步的形状", "The five steps of attention and the shape of each"),
    description=_PIPELINE_TEXT,
    narrow=Layout(
        columns=(88, 88, 88),
        gap=18,
        margin=12,
        rise=24,
        boxes=(
            Box(name="x", text=_X, at=(1, 0), kind="plain", note=same("[B, n, d]")),
            Box(name="q", text=same("Q = XW_Q"), at=(0, 1), role="q", note=same("[B, n, d_k]")),
            Box(name="k", text=same("K = XW_K"), at=(1, 1), role="k", note=same("[B, n, d_k]")),
            Box(name="v", text=same("V = XW_V"), at=(2, 1), role="v", note=same("[B, n, d_v]")),
            Box(name="s", text=_SCORES, at=(0, 2), span=2, role="s", note=same("[B, n, n]")),
            Box(name="scale", text=_SCALE, at=(0, 3), span=2, role="s"),
            Box(
                name="mask",
                text=_MASK,
                at=(0, 4),
                span=2,
                role="s",
                note=Words("不许看的填 −∞", "−∞ where it may not see"),
            ),
            Box(
                name="a",
                text=_SOFTMAX,
                at=(0, 5),
                span=2,
                role="s",
                note=Words("A，每行之和为 1", "A, each row sums to 1"),
            ),
            Box(name="mix", text=_MIX, at=(0, 6), span=3, role="o", note=same("[B, n, n] · [B, n, d_v]")),
            Box(name="out", text=_OUT, at=(0, 7), span=3, kind="plain", note=same("[B, n, d_v]")),
        ),
        arrows=(
            Arrow(start="x", end="q"),
            Arrow(start="x", end="k"),
            Arrow(start="x", end="v"),
            Arrow(start="q", end="s"),
            Arrow(start="k", end="s"),
            Arrow(start="s", end="scale"),
            Arrow(start="scale", end="mask"),
            Arrow(start="mask", end="a"),
            Arrow(start="a", end="mix"),
            Arrow(start="v", end="mix"),
            Arrow(start="mix", end="out"),
        ),
    ),
    wide=Layout(
        columns=(72, 90, 80, 70, 102, 82),
        gap=20,
        margin=2,
        rise=16,
        boxes=(
            Box(name="x", text=_X, at=(0, 1), kind="plain", note=same("[B, n, d]")),
            Box(name="q", text=same("Q = XW_Q"), at=(1, 0), role="q", note=same("[B, n, d_k]")),
            Box(name="k", text=same("K = XW_K"), at=(1, 1), role="k", note=same("[B, n, d_k]")),
            Box(name="v", text=same("V = XW_V"), at=(1, 2), role="v", note=same("[B, n, d_v]")),
            Box(name="s", text=same("S = QKᵀ"), at=(2, 1), role="s", note=same("[B, n, n]")),
            Box(name="scale", text=same("÷ √d_k"), at=(3, 1), role="s", note=Words("加掩码", "+ mask")),
            Box(name="a", text=same("softmax"), at=(4, 1), role="s", note=Words("行和为 1", "rows sum to 1")),
            Box(name="mix", text=same("A·V"), at=(5, 1), role="o", note=same("[B, n, d_v]")),
        ),
        arrows=(
            Arrow(start="x", end="q", bend="down-across"),
            Arrow(start="x", end="k"),
            Arrow(start="x", end="v", bend="down-across"),
            Arrow(start="q", end="s", bend="across-down"),
            Arrow(start="k", end="s"),
            Arrow(start="s", end="scale"),
            Arrow(start="scale", end="a"),
            Arrow(start="a", end="mix"),
            Arrow(start="v", end="mix", bend="across-down"),
        ),
    ),
)

_SPLIT = Words("按宽度切成 h 段", "cut the width into h")
HEAD_SPLIT = Diagram(
    title=Words("一个宽度怎样变成 h 个头再变回来", "How one width becomes h heads, and one width again"),
    description=Words(
        "Q 的形状 [B, n, d] 先按宽度切成 [B, n, h, d_h]，再交换两轴得到 [B, h, n, d_h]；K 和 V 同样。每个"
        "头各自打分，得到 [B, h, n, n]，各自 softmax 后乘 V，得到 [B, h, n, d_h]。再交换两轴、把 h 段拼回 "
        "[B, n, d]，最后乘 W_O。",
        "Q of shape [B, n, d] is first cut along the width into [B, n, h, d_h], then two axes are "
        "exchanged to [B, h, n, d_h]; so are K and V. Each head scores by itself, [B, h, n, n], takes "
        "softmax and multiplies V, [B, h, n, d_h]. The axes are exchanged back, the h pieces are put side "
        "by side to [B, n, d], and W_O comes last.",
    ),
    narrow=Layout(
        columns=(200,),
        margin=60,
        rise=28,
        boxes=(
            Box(
                name="q",
                text=Words("Q（K、V 同样）", "Q (K and V alike)"),
                at=(0, 0),
                role="q",
                note=same("[B, n, d]"),
            ),
            Box(name="view", text=_SPLIT, at=(0, 1), role="q", note=same("[B, n, h, d_h]")),
            Box(
                name="heads",
                text=Words("每个头一份", "one for each head"),
                at=(0, 2),
                role="q",
                note=same("[B, h, n, d_h]"),
            ),
            Box(
                name="scores",
                text=Words("各头的分数和权重", "scores and weights"),
                at=(0, 3),
                role="s",
                note=same("[B, h, n, n]"),
            ),
            Box(
                name="mixed",
                text=Words("各头的输出", "the heads' outputs"),
                at=(0, 4),
                role="o",
                note=same("[B, h, n, d_h]"),
            ),
            Box(
                name="joined",
                text=Words("拼回一个宽度", "side by side again"),
                at=(0, 5),
                role="o",
                note=same("[B, n, d]"),
            ),
            Box(name="out", text=Words("输出", "output"), at=(0, 6), role="o", note=same("[B, n, d]")),
        ),
        arrows=(
            Arrow(start="q", end="view", label=same("view")),
            Arrow(start="view", end="heads", label=same("transpose(1, 2)")),
            Arrow(start="heads", end="scores", label=same("Q Kᵀ / √d_h, softmax")),
            Arrow(start="scores", end="mixed", label=same("· V")),
            Arrow(start="mixed", end="joined", label=same("transpose(1, 2), reshape")),
            Arrow(start="joined", end="out", label=same("· W_O")),
        ),
    ),
)
