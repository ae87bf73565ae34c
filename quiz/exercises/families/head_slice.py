"""D5: which numbers of Q a head gets."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.heads import split
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS, HEADS, HEAD_WIDTH = 3, 2, 2
WIDTH = HEADS * HEAD_WIDTH


@register
class HeadSlice(Family):
    """Drawn: q (3, 4), the numbers 1 to 12 in any order; token and head, from 0."""

    slug = "head_slice"
    code = "D5"
    title = Text("一个头分到 Q 的哪一段", "Which slice of Q a head gets")
    sections = ("7.14",)
    questions = (19, 20)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="view_without_transpose",
            title=Text(
                "直接 view 成 [h, n, d_h]，没有交换维度",
                "a view straight to [h, n, d_h] without the transpose",
            ),
            told=Text(
                "数字按存放次序重新分了组，一个头里混进了别的 token 的分量；形状看不出错。",
                "The numbers were regrouped in the order of storage, so that a head holds components of "
                "other tokens; the shape gives nothing away.",
            ),
            question=Text(
                "你写下的这几个数，都来自题目问的那个 token 的那一行吗？",
                "Do all the numbers you wrote come from the row of the token that was asked for?",
            ),
            caption=Text("不交换维度会得到", "Without the transpose"),
        ),
        Misconception(
            slug="interleaved",
            title=Text("隔一个取一个分给各头", "the components dealt out in turn"),
            told=Text(
                "分量被轮流发给各个头；`view` 切出来的是连续的一段。",
                "The components were dealt to the heads in turn; `view` cuts out a run of neighbours.",
            ),
            question=Text(
                "把一行四个数 `view` 成两行，第一行是哪两个？",
                "If a row of four numbers is viewed as two rows, which two stand in the first?",
            ),
            caption=Text("轮流分会得到", "Dealing them out in turn"),
        ),
        Misconception(
            slug="other_head",
            title=Text("取成了另一个头的那一段", "the other head's slice"),
            told=Text(
                "token 对了，切的却是另一个头的那一段。",
                "The token is right, but the slice is the other head's.",
            ),
            question=Text(
                "题目的头是从几开始数的？这个头从第几个分量开始？",
                "From which number do the heads count here, and at which component does this one begin?",
            ),
            caption=Text("另一个头的是", "The other head's"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="slice",
            kind="vector",
            label=Text("这个头的 q", "q of this head"),
            shape=(HEAD_WIDTH,),
            tolerance=EXACT,
            role="q",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "q": (rng.permutation(TOKENS * WIDTH) + 1).reshape(TOKENS, WIDTH).tolist(),
            "token": int(rng.integers(TOKENS)),
            "head": int(rng.integers(HEADS)),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"slice": split(np.array(drawn["q"]), heads=HEADS)[drawn["head"], drawn["token"]].tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        q, token, head = np.array(drawn["q"]), drawn["token"], drawn["head"]
        slices = {
            "view_without_transpose": q.reshape(HEADS, TOKENS, HEAD_WIDTH)[head, token],
            "interleaved": q[token, head::HEADS],
            "other_head": split(q, heads=HEADS)[1 - head, token],
        }
        return {"slice": slices[slug].tolist()}

    def prompt(self, drawn: Drawn) -> Prompt:
        head, token = drawn["head"] + 1, drawn["token"] + 1
        return Prompt(
            task=Text(
                f"$Q$ 有 {TOKENS} 个 token，$d_\\text{{model}} = {WIDTH}$，拆成 $h = {HEADS}$ 个头。第 "
                f"{head} 个头里，第 {token} 个 token 的 $q$ 是哪几个数？",
                f"$Q$ holds {TOKENS} tokens, $d_\\text{{model}} = {WIDTH}$, and is split into $h = "
                f"{HEADS}$ heads. Which numbers are the $q$ of token {token} in head {head}?",
            ),
            givens=(Given(name="Q", value=drawn["q"], role="q", lit=drawn["token"]),),
            conventions=(
                Text(
                    "按原始实现拆分：先 `view` 成 $[n, h, d_h]$，再 `transpose` 成 $[h, n, d_h]$。",
                    "Split as in the original: `view` as $[n, h, d_h]$, then `transpose` to $[h, n, d_h]$.",
                ),
                Text(
                    "token（$Q$ 的行）和头都从 1 数；$Q$ 按行存放。",
                    "Tokens (rows of $Q$) and heads count from 1; $Q$ is stored row by row.",
                ),
                Text(
                    "按顺序写出，要完全一致才算对。",
                    "Give the numbers in order; only the exact ones are right.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        head, token = drawn["head"], drawn["token"]
        right, first = self.right(drawn)["slice"], head * HEAD_WIDTH + 1
        return (
            SolutionStep(
                text=Text(
                    f"每个头的宽度是 $d_h = {WIDTH}/{HEADS} = {HEAD_WIDTH}$。`view` 只把每一行切成连续的"
                    f" {HEADS} 段。",
                    f"One head is $d_h = {WIDTH}/{HEADS} = {HEAD_WIDTH}$ wide. The `view` only cuts "
                    f"every row into {HEADS} runs of neighbours.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"第 {token + 1} 行是 ${tex(drawn['q'][token])}$，第 {head + 1} 段是第 {first} 到第 "
                    f"{first + HEAD_WIDTH - 1} 个分量：${tex(right)}$。",
                    f"Row {token + 1} is ${tex(drawn['q'][token])}$, and its run {head + 1} holds "
                    f"components {first} to {first + HEAD_WIDTH - 1}: ${tex(right)}$.",
                ),
                part="slice",
            ),
            SolutionStep(
                text=Text(
                    "`transpose` 只交换下标的次序，不再移动同一个 token 里的数；直接 `view` 成 "
                    "$[h, n, d_h]$ 形状相同，内容却乱了。",
                    "The `transpose` only exchanges the order of the indices and leaves the numbers of "
                    "a token together; a `view` straight to $[h, n, d_h]$ has the same shape and the "
                    "wrong contents.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row = drawn["q"][drawn["token"]]
        return (
            Text(
                "每个 token 的每个头，只能分到这个 token 自己那一行里的数。",
                "A head of a token can only hold numbers from that token's own row.",
            ),
            Text(
                f"一行 {WIDTH} 个数，切成 {HEADS} 段连续的，每段 {HEAD_WIDTH} 个。",
                f"A row of {WIDTH} numbers is cut into {HEADS} runs of {HEAD_WIDTH} neighbours.",
            ),
            Text(
                f"从 ${tex(row)}$ 里取{'前' if drawn['head'] == 0 else '后'}一半。",
                f"Take the {'first' if drawn['head'] == 0 else 'second'} half of ${tex(row)}$.",
            ),
        )
