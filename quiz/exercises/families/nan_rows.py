"""E5: how many rows see nothing under padding on the left and a causal mask."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import masks
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class NanRows(Family):
    """Drawn: tokens; pads on the left."""

    slug = "nan_rows"
    code = "E5"
    title = Text("数出什么都看不见的行", "Rows that see nothing")
    sections = ("7.16",)
    questions = (24,)
    minutes = 1
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
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="rows", kind="integer", label=Text("行数", "rows"), tolerance=EXACT, role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        tokens = int(rng.integers(6, 41))
        return {"tokens": tokens, "pads": int(rng.integers(2, tokens - 1))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"rows": int(masks.sees_nothing(_visible(drawn)).sum())}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        tokens, rows = drawn["tokens"], self.right(drawn)["rows"]
        counts = {"none": 0, "cells": rows * tokens, "all_rows": tokens, "real_rows": tokens - rows}
        return {"rows": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        tokens, pads = drawn["tokens"], drawn["pads"]
        return Prompt(
            task=Text(
                f"一条序列左边补了 {pads} 个 PAD，补到 {tokens} 个位置，因果掩码和 padding 掩码一起用，"
                "看不见的分数都填 $-\\infty$。注意力矩阵里有几行的所有 key 都被遮住，直接做 softmax "
                "会得到 NaN？",
                f"A sequence has {pads} padding tokens on its left, {tokens} positions in all; the causal "
                "and the "
                "padding mask are used together, and hidden scores become $-\\infty$. In how many rows of "
                "the attention matrix is every key hidden, so that a plain softmax gives NaN?",
            ),
            givens=(
                Given(name="n", value=tokens, note=Text("位置总数，含 PAD", "positions, padding included")),
                Given(name="p", value=pads, note=Text("左边的 PAD 数", "padding on the left")),
            ),
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
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "先看第 1 行：两个掩码各放行哪些 key？",
                "Look at row 1: which keys does each mask let through?",
            ),
            Text(
                "一行只要还剩一个 key 看得见，softmax 就没有问题。",
                "As long as one key is left in a row, its softmax is fine.",
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
