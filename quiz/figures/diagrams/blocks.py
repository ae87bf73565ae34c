"""One block with its norms before or after the sublayers: where the residual stream stays bare."""

from __future__ import annotations

from quiz.figures.diagrams.shapes import NOTHING, Arrow, Box, Diagram, Layout, Words, same

_ATTENTION = Words("多头自注意力", "Multi-head\nself-attention")
_FFN = Words("前馈网络 FFN", "Feed-forward\nnetwork")
_NORM = same("LayerNorm")
_SHAPE = same("[B, n, d]")
_IN, _OUT = Words("输入 x", "input x"), Words("输出", "output")

PRE_LN_BLOCK = Diagram(
    title=Words("Pre-LN：归一化放在分支的入口", "Pre-LN: the norm stands at the entrance of the branch"),
    description=Words(
        "主干从输入直通输出，只经过两个加号。第一个分支先 LayerNorm 再多头自注意力，结果加回主干；第二个分"
        "支先 LayerNorm 再前馈网络，结果加回主干。主干上没有任何归一化。",
        "The stream runs straight from input to output and meets only two additions. The first branch "
        "takes LayerNorm, then multi-head self-attention, and is added back; the second takes LayerNorm, "
        "then the feed-forward network, and is added back. No norm stands on the stream itself.",
    ),
    narrow=Layout(
        columns=(80, 150),
        gap=40,
        boxes=(
            Box(name="in", text=_IN, at=(0, 0), kind="plain", note=_SHAPE),
            Box(name="part1", text=NOTHING, at=(0, 1), kind="dot"),
            Box(name="norm1", text=_NORM, at=(1, 1)),
            Box(name="attention", text=_ATTENTION, at=(1, 2), role="s"),
            Box(name="add1", text=NOTHING, at=(0, 3), kind="sum"),
            Box(name="part2", text=NOTHING, at=(0, 4), kind="dot"),
            Box(name="norm2", text=_NORM, at=(1, 4)),
            Box(name="ffn", text=_FFN, at=(1, 5), role="o"),
            Box(name="add2", text=NOTHING, at=(0, 6), kind="sum"),
            Box(name="out", text=_OUT, at=(0, 7), kind="plain", note=_SHAPE),
        ),
        arrows=(
            Arrow(start="in", end="add1"),
            Arrow(start="part1", end="norm1"),
            Arrow(start="norm1", end="attention"),
            Arrow(start="attention", end="add1", bend="down-across"),
            Arrow(start="add1", end="add2"),
            Arrow(start="part2", end="norm2"),
            Arrow(start="norm2", end="ffn"),
            Arrow(start="ffn", end="add2", bend="down-across"),
            Arrow(start="add2", end="out"),
        ),
    ),
)

POST_LN_BLOCK = Diagram(
    title=Words("Post-LN：相加之后再归一化", "Post-LN: the norm comes after the addition"),
    description=Words(
        "输入分两路：一路进多头自注意力，一路直接到加号；相加之后过 LayerNorm。其结果再分两路：一路进前馈"
        "网络，一路直接到第二个加号；相加之后再过 LayerNorm，得到输出。每条残差路径都要穿过主干上的 "
        "LayerNorm。",
        "The input goes two ways: through multi-head self-attention, and straight to the addition; the "
        "sum passes LayerNorm. The result again goes two ways: through the feed-forward network, and "
        "straight to the second addition; that sum passes LayerNorm and is the output. Every residual "
        "path has to pass the norms that stand on the stream.",
    ),
    narrow=Layout(
        columns=(110, 150),
        gap=30,
        boxes=(
            Box(name="in", text=_IN, at=(0, 0), kind="plain", note=_SHAPE),
            Box(name="part1", text=NOTHING, at=(0, 1), kind="dot"),
            Box(name="attention", text=_ATTENTION, at=(1, 1), role="s"),
            Box(name="add1", text=NOTHING, at=(0, 2), kind="sum"),
            Box(name="norm1", text=_NORM, at=(0, 3)),
            Box(name="part2", text=NOTHING, at=(0, 4), kind="dot"),
            Box(name="ffn", text=_FFN, at=(1, 4), role="o"),
            Box(name="add2", text=NOTHING, at=(0, 5), kind="sum"),
            Box(name="norm2", text=_NORM, at=(0, 6)),
            Box(name="out", text=_OUT, at=(0, 7), kind="plain", note=_SHAPE),
        ),
        arrows=(
            Arrow(start="in", end="add1"),
            Arrow(start="part1", end="attention"),
            Arrow(start="attention", end="add1", bend="down-across"),
            Arrow(start="add1", end="norm1"),
            Arrow(start="norm1", end="add2"),
            Arrow(start="part2", end="ffn"),
            Arrow(start="ffn", end="add2", bend="down-across"),
            Arrow(start="add2", end="norm2"),
            Arrow(start="norm2", end="out"),
        ),
    ),
)
