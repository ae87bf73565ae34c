"""E5: how many rows see nothing under padding on the left and a causal mask, and what such a row gives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import masks
from quiz.exercises.choosing import Asked, Pick, in_order, mistakes_of, shuffled
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
    Table,
    Text,
    Values,
)

# Ways through torch that a row without a key may take, and what it gives there (run on torch 2.13).
ROUTES = {
    "softmax": Text(
        "手写：看不见的分数填 `-inf`，再做 `F.softmax`，乘 $V$",
        "by hand: hidden scores filled with `-inf`, then `F.softmax`, times $V$",
    ),
    "finite_fill": Text(
        "手写：看不见的分数用 `masked_fill` 填成 `-1e9`，再做 `F.softmax`，乘 $V$",
        "by hand: hidden scores set to `-1e9` by `masked_fill`, then `F.softmax`, times $V$",
    ),
    "sdpa": Text(
        "`F.scaled_dot_product_attention`，布尔 `attn_mask`",
        "`F.scaled_dot_product_attention` with a boolean `attn_mask`",
    ),
    "multihead": Text(
        "`nn.MultiheadAttention(bias=False)`，`need_weights` 用默认值",
        "`nn.MultiheadAttention(bias=False)` with `need_weights` as it comes",
    ),
    "multihead_fused": Text(
        "`nn.MultiheadAttention(bias=False)`，`need_weights=False`",
        "`nn.MultiheadAttention(bias=False)` with `need_weights=False`",
    ),
}
GIVES = {
    "softmax": "nan",
    "finite_fill": "mean",
    "sdpa": "zero",
    "multihead": "nan",
    "multihead_fused": "zero",
}
WHY = {
    "softmax": Text(
        "全是 $-\\infty$ 的一行，softmax 是 $0/0$",
        "a row of nothing but $-\\infty$ makes the softmax $0/0$",
    ),
    "finite_fill": Text(
        "每个分数都是同一个有限的数，softmax 平均分给所有位置，PAD 和后面的也在内，而且不报错",
        "all scores are one and the same finite number, and the softmax shares evenly among all positions, "
        "padding and later ones too, without a word",
    ),
    "sdpa": Text(
        "SDPA 对这样的行专门给 0",
        "SDPA gives zeros for such rows on purpose",
    ),
    "multihead": Text(
        "默认要返回权重，走的是显式的 softmax，于是 $0/0$",
        "by default it returns the weights and takes an explicit softmax, which is $0/0$",
    ),
    "multihead_fused": Text(
        "不要权重时它走 SDPA，于是给 0",
        "without the weights it goes through SDPA, which gives zeros",
    ),
}
PICKS = {
    "nan": Pick(slug="nan", label=Text("全是 NaN", "NaN throughout"), mistake="row_nan"),
    "mean": Pick(slug="mean", label=Text("所有 value 的平均", "the mean of all values"), mistake="row_mean"),
    "zero": Pick(slug="zero", label=Text("全是 0", "zeros"), mistake="row_zero"),
    "error": Pick(
        slug="error", label=Text("抛出异常，没有输出", "an exception and no output"), mistake="row_error"
    ),
}
ROW_MISTAKES = (
    Misconception(
        slug="row_nan",
        title=Text("以为这条路会得到 NaN", "a NaN expected on this way"),
        told=Text(
            "NaN 要有 $0/0$ 才出得来：指数全是 0，分母也是 0。这条路上没有发生。",
            "A NaN needs $0/0$: exponentials that are all 0 and a denominator of 0. That does not happen "
            "here.",
        ),
        question=Text(
            "这条路上，被遮的分数变成了哪个数？分母会是 0 吗？或者有谁专门处理了这样的行？",
            "On this way, which number does a hidden score become? Is the denominator 0, or does anyone take "
            "care of such rows?",
        ),
        caption=Text("选了 NaN", "NaN chosen"),
    ),
    Misconception(
        slug="row_mean",
        title=Text("以为这条路会平均所有位置", "a mean of all positions expected on this way"),
        told=Text(
            "要平均，每个分数得是同一个**有限**的数：$-\\infty$ 减去最大值（也是 $-\\infty$）不是 0。",
            "For a mean, all scores have to be one **finite** number: $-\\infty$ less the maximum, itself "
            "$-\\infty$, is not 0.",
        ),
        question=Text(
            "这条路用的是 $-\\infty$，还是一个很大的有限负数？",
            "Does this way use $-\\infty$, or a large finite negative number?",
        ),
        caption=Text("选了平均", "The mean chosen"),
    ),
    Misconception(
        slug="row_zero",
        title=Text("以为这条路会给 0", "zeros expected on this way"),
        told=Text(
            "公式自己不会给 0：要么有人专门处理这样的行，要么就是另一个结果。这条路上没有人处理。",
            "The formula does not give zeros by itself: either somebody takes care of such rows, or "
            "something "
            "else comes out. On this way nobody does.",
        ),
        question=Text(
            "一行权重要么加起来是 1，要么是 NaN。照公式算，什么时候才会全是 0？",
            "By the formula a row of weights sums to 1 or is NaN: when would it ever be all zeros?",
        ),
        caption=Text("选了 0", "Zeros chosen"),
    ),
    Misconception(
        slug="row_error",
        title=Text("以为 torch 会报错", "an exception expected from torch"),
        told=Text(
            "这几条路都不检查一行里还剩不剩 key：结果安安静静地算了出来，所以要自己写测试去抓。",
            "None of these ways looks whether a row has a key left: something is computed without a word, "
            "and a "
            "test of your own has to catch it.",
        ),
        question=Text(
            "PyTorch 遇到 NaN 或全被遮住的一行，默认会抛出异常吗？",
            "Does PyTorch raise by default when it meets a NaN or a row that is hidden throughout?",
        ),
        caption=Text("选了抛异常", "An exception chosen"),
    ),
)


@register
class NanRows(Family):
    """Drawn: tokens; pads on the left; route, the way through torch; options, the order of the choices."""

    slug = "nan_rows"
    version = 2
    code = "E5"
    title = Text("数出什么都看不见的行", "Rows that see nothing")
    sections = ("7.16",)
    questions = (24,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="none",
            title=Text("以为每一行总能看到点什么", "every row taken to see something"),
            told=Text(
                "因果掩码让每行至少看得见自己，但自己如果是 PAD，也已经被遮掉了。",
                "Under the causal mask a row sees at least itself; but if it is itself padding, that is "
                "hidden too.",
            ),
            question=Text(
                "第 1 行在因果掩码下只看得见谁？那个位置是真实的 token 吗？",
                "Whom alone does row 1 see under the causal mask, and is that a real token?",
            ),
            caption=Text("以为没有这样的行是", "Taking no row to be empty"),
        ),
        Misconception(
            slug="cells",
            title=Text("数成了格子", "cells counted instead of rows"),
            told=Text(
                "数的是这些行里一共有多少格，题目问的是行。",
                "All cells of these rows were counted; the question is about rows.",
            ),
            question=Text(
                "题目问的是几行，还是几个格子？",
                "Does the task ask for rows or for cells?",
            ),
            caption=Text("数格子会得到", "Counting cells"),
        ),
        Misconception(
            slug="all_rows",
            title=Text("以为所有行都受影响", "all rows counted"),
            told=Text(
                "真实 token 的行看得见自己，softmax 照常能做。",
                "The row of a real token sees itself, so its softmax works as usual.",
            ),
            question=Text(
                "最后一个 token 是真实的，它这一行剩下的 key 有几个？",
                "The last token is real: how many keys are left in its row?",
            ),
            caption=Text("算成所有行是", "Counting all rows"),
        ),
        Misconception(
            slug="real_rows",
            title=Text("数成了真实 token 的行", "the rows of real tokens counted"),
            told=Text(
                "给出的是还看得见东西的行数，正好是剩下的那些。",
                "That is how many rows do see something, just the other ones.",
            ),
            question=Text(
                "真实 token 的那一行，至少还看得见谁？",
                "In the row of a real token, who is seen at the very least?",
            ),
            caption=Text("数真实 token 的行会得到", "Counting rows of real tokens"),
        ),
        *ROW_MISTAKES,
    )

    _ROWS: ClassVar[Part] = Part(
        name="rows", kind="integer", label=Text("行数", "rows"), tolerance=EXACT, role="s"
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        tokens = int(rng.integers(6, 41))
        return {
            "tokens": tokens,
            "pads": int(rng.integers(2, tokens - 1)),
            "route": str(rng.choice(list(ROUTES))),
            "options": shuffled(rng, PICKS),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (self._ROWS, _row(drawn).part)

    def right(self, drawn: Drawn) -> Values:
        return {"rows": int(masks.sees_nothing(_visible(drawn)).sum()), "row": _row(drawn).right}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.mistakes(drawn)[slug]

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        tokens, right = drawn["tokens"], self.right(drawn)
        rows = right["rows"]
        counts = {"none": 0, "cells": rows * tokens, "all_rows": tokens, "real_rows": tokens - rows}
        counted = {slug: {**right, "rows": count} for slug, count in counts.items()}
        return counted | mistakes_of([_row(drawn)], known=self.misconceptions, others=right)

    def prompt(self, drawn: Drawn) -> Prompt:
        tokens, pads = drawn["tokens"], drawn["pads"]
        return Prompt(
            task=Text(
                f"一条序列左边补了 {pads} 个 PAD，一共 {tokens} 个位置，因果和 padding 掩码一起用：有几行一个"
                f" key 都看不"
                "见？这样一行照下面的做法算，输出是什么？",
                f"A sequence has {pads} padding tokens on its left, {tokens} positions in all, under a "
                f"causal and "
                "a padding mask: how many rows see no key? And what does such a row give when worked out as "
                "below?",
            ),
            givens=(
                Given(name="n", value=tokens, note=Text("位置总数，含 PAD", "positions, padding included")),
                Given(name="p", value=pads, note=Text("左边的 PAD 数", "padding on the left")),
            ),
            tables=(Table(caption=Text("做法", "How it is worked out"), rows=((ROUTES[drawn["route"]],),)),),
            conventions=(
                Text(
                    "因果掩码：每个位置看得见自己和前面的。padding 掩码只遮 key：PAD 不许被看，PAD "
                    "自己的行照常计算。",
                    "Causal mask: a position sees itself and those before it. The padding mask hides keys: "
                    "padding may not be seen, its own rows are worked out as usual.",
                ),
                Text(
                    "softmax 按 $e^{s}/\\sum e^{s}$ 直接算，全是 $-\\infty$ 的一行就是 $0/0$。",
                    "The softmax is taken as $e^{s}/\\sum e^{s}$ as it stands, so that a row of nothing "
                    "but $-\\infty$ is $0/0$.",
                ),
                Text(
                    "只数一个头、一条序列。要整数，必须准确。",
                    "One head of one sequence. A whole number, exact.",
                ),
                Text(
                    "第二问以 PyTorch 2.13、float32 为准，两个掩码都传到；没有 dropout。",
                    "The second question is about PyTorch 2.13 in float32, with both masks handed over and "
                    "no "
                    "dropout.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        pads, rows = drawn["pads"], self.right(drawn)["rows"]
        return (
            SolutionStep(
                text=Text(
                    "第 $i$ 行（从 1 数）在因果掩码下只看得见第 1 到第 $i$ 个位置。",
                    "Under the causal mask row $i$, counted from 1, sees positions 1 to $i$ only.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"只要 $i \\le {pads}$，这些位置就全是 PAD，也都被遮住；从第 {pads + 1} "
                    f"行起至少看得见自己。所以是 ${rows}$ 行。",
                    f"As long as $i \\le {pads}$ these are all padding and hidden too; from row {pads + 1} "
                    f"on a row sees at least itself. That makes ${rows}$ rows.",
                ),
                part="rows",
            ),
            SolutionStep(
                text=Text(
                    "这几行的输出本来就要丢掉，但 NaN 会顺着后面的层和梯度传开：这样的行应当给出 0。",
                    "The output of these rows is dropped anyway, but NaN spreads through later layers and "
                    "gradients: such rows should give 0.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"题目这条路：{WHY[drawn['route']].zh}。所以{_row(drawn).right_label.zh}。",
                    f"On the way in question {WHY[drawn['route']].en}: {_row(drawn).right_label.en}.",
                ),
                part="row",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "先看第 1 行：两个掩码各放行哪些 key？第二问先想：被遮的分数在这条路上变成了什么数？",
                "Look at row 1: which keys does each mask let through? For the second question: which number "
                "does a hidden score become on that way?",
            ),
            Text(
                "一行只要还剩一个 key 看得见，softmax 就没有问题。一个都不剩时，要看填的是不是有限的数，以及"
                "有没有"
                "人专门处理这样的行。",
                "As long as one key is left in a row, its softmax is fine. When none is, it matters whether "
                "the "
                "fill is finite and whether anyone takes care of such rows.",
            ),
            Text(
                "PAD 在左边，所以 PAD 的行往前看也只有 PAD；真实 token 的行总看得见自己。",
                "The padding is on the left, so its rows find only padding before them; a real token's row "
                "always sees itself.",
            ),
        )


def _visible(drawn: Drawn) -> Any:
    """(positions, positions): True where the causal and the padding mask both let a key through."""
    tokens = drawn["tokens"]
    real = masks.padding([tokens - drawn["pads"]], keys=tokens, side="left")[0, 0]
    return masks.combine(masks.causal(tokens), real)


def _row(drawn: Drawn) -> Asked:
    """What a row that sees nothing gives on the drawn way."""
    return Asked(
        name="row",
        label=Text("这样一行的输出", "the output of such a row"),
        picks=in_order(PICKS, drawn["options"]),
        right=GIVES[drawn["route"]],
    )
