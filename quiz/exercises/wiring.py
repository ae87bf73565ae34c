"""Ways to put a norm and a residual around a sublayer: as formulas, as diagrams, in words."""

from __future__ import annotations

from quiz.exercises.choosing import Pick
from quiz.exercises.types import Misconception, Text, Wiring

# The formulas that may be asked about.
FORMULAS = {
    "pre": "y = x + F(\\text{LN}(x))",
    "post": "y = \\text{LN}(x + F(x))",
    "after_branch": "y = x + \\text{LN}(F(x))",
    "stream": "y = \\text{LN}(x) + F(\\text{LN}(x))",
}
WIRINGS = {
    pick.slug: pick
    for pick in (
        Pick(
            slug="pre",
            label=Text(
                "分成两路，一路直通，一路先 LN 再 F，最后相加",
                "two paths, one straight through, one with LN then F, and their sum",
            ),
            mistake="drew_pre",
            drawing=Wiring(branch=("LN", "F")),
        ),
        Pick(
            slug="post",
            label=Text(
                "分成两路，一路直通，一路过 F，相加以后再 LN",
                "two paths, one straight through, one with F, their sum, then LN",
            ),
            mistake="drew_post",
            drawing=Wiring(branch=("F",), after=("LN",)),
        ),
        Pick(
            slug="after_branch",
            label=Text(
                "分成两路，一路直通，一路先 F 再 LN，最后相加",
                "two paths, one straight through, one with F then LN, and their sum",
            ),
            mistake="drew_after_branch",
            drawing=Wiring(branch=("F", "LN")),
        ),
        Pick(
            slug="stream",
            label=Text(
                "先 LN，再分成两路，一路直通，一路过 F，最后相加",
                "LN first, then two paths, one straight through, one with F, and their sum",
            ),
            mistake="drew_stream",
            drawing=Wiring(before=("LN",), branch=("F",)),
        ),
        Pick(
            slug="no_residual",
            label=Text("只有一路：先 LN 再 F", "one path only: LN, then F"),
            mistake="drew_no_residual",
            drawing=Wiring(branch=("LN", "F"), skip=False),
        ),
    )
}
DRAWN_WRONGLY = (
    Misconception(
        slug="drew_pre",
        title=Text("选成了 Pre-LN 的图", "the diagram of Pre-LN"),
        told=Text(
            "这张图的 LN 在支路的入口，直通的那一路没有动过：那是 $x + F(\\text{LN}(x))$。",
            "In this diagram LN stands at the entrance of the branch and the other path is left alone: that "
            "is "
            "$x + F(\\text{LN}(x))$.",
        ),
        question=Text("题目里的 LN 括住的是什么？", "What does the LN of the formula enclose?"),
        caption=Text("选了 Pre-LN 的图", "The diagram of Pre-LN chosen"),
    ),
    Misconception(
        slug="drew_post",
        title=Text("选成了 Post-LN 的图", "the diagram of Post-LN"),
        told=Text(
            "这张图先相加、再 LN，整条残差流都被归一化：那是 $\\text{LN}(x + F(x))$。",
            "This diagram adds first and then normalises the whole stream: that is $\\text{LN}(x + F(x))$.",
        ),
        question=Text(
            "题目的公式里，加号在 LN 的括号里面还是外面？",
            "In the formula, does the plus sign stand inside the brackets of LN or outside?",
        ),
        caption=Text("选了 Post-LN 的图", "The diagram of Post-LN chosen"),
    ),
    Misconception(
        slug="drew_after_branch",
        title=Text("选成了支路末尾归一化的图", "the diagram with a norm at the end of the branch"),
        told=Text(
            "这张图的支路先过 $F$、再 LN：那是 $x + \\text{LN}(F(x))$。",
            "The branch of this diagram goes through $F$ and then LN: that is $x + \\text{LN}(F(x))$.",
        ),
        question=Text(
            "从公式最里面读起：$x$ 先遇到的是 LN 还是 $F$？",
            "Read from the inside of the formula: does $x$ meet LN or $F$ first?",
        ),
        caption=Text("选了支路末尾归一化的图", "The norm at the end of the branch chosen"),
    ),
    Misconception(
        slug="drew_stream",
        title=Text("选成了残差流也归一化的图", "the diagram that normalises the stream as well"),
        told=Text(
            "这张图在分路之前就做了 LN，直通的那一路也是归一化之后的：那是 $\\text{LN}(x) + "
            "F(\\text{LN}(x))$。",
            "This diagram has LN before the split, so that the straight path is normalised too: that is "
            "$\\text{LN}(x) + F(\\text{LN}(x))$.",
        ),
        question=Text(
            "题目的公式里，加号左边是 $x$ 本身吗？",
            "In the formula, is it $x$ itself that stands left of the plus sign?",
        ),
        caption=Text("选了残差流归一化的图", "The normalised stream chosen"),
    ),
    Misconception(
        slug="drew_no_residual",
        title=Text("选成了没有残差的图", "the diagram without a residual"),
        told=Text(
            "这张图只有一条路，没有相加：$x$ 没有直通的一路。",
            "This diagram has one path and no sum: nothing carries $x$ straight through.",
        ),
        question=Text(
            "公式里的加号，在图上是哪一个结点？",
            "Which node of a diagram is the plus sign of the formula?",
        ),
        caption=Text("选了没有残差的图", "No residual chosen"),
    ),
)
