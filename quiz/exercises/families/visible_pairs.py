"""E4: how many pairs a causal sliding window lets through."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import costs
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class VisiblePairs(Family):
    """Drawn: tokens, window; the window is shorter than the sequence."""

    slug = "visible_pairs"
    code = "E4"
    title = Text("数出滑动窗口里的可见对", "Pairs that a sliding window lets through")
    sections = ("7.17",)
    questions = (3, 22)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="window_ignored",
            title=Text("没有用窗口，只用了因果掩码", "the causal mask alone, without the window"),
            told=Text(
                "数的是整个下三角：很久以前的 key 也算了进去。",
                "The whole lower triangle was counted, keys from long ago included.",
            ),
            question=Text(
                "最后一个 token 还看得见第一个 token 吗？",
                "Does the last token still see the first one?",
            ),
            caption=Text("不用窗口会得到", "Without the window"),
        ),
        Misconception(
            slug="every_row_full",
            title=Text("每一行都按满窗算了", "a full window in every row"),
            told=Text(
                "用了 $n \\times w$；可开头几行前面没有那么多 token。",
                "The count was $n \\times w$, but the first rows do not have that many tokens before them.",
            ),
            question=Text(
                "第 1 行看得见几个 key？从第几行起窗口才装满？",
                "How many keys does row 1 see? From which row on is the window full?",
            ),
            caption=Text("每行都按满窗算会得到", "With a full window in every row"),
        ),
        Misconception(
            slug="window_without_itself",
            title=Text("没有把自己算进去", "the token itself left out"),
            told=Text(
                "每一行都少数了一个：窗口里的 $w$ 个位置包括 token 自己。",
                "Every row came out one short: the $w$ positions of the window include the token itself.",
            ),
            question=Text(
                "按题目的约定，第 1 行看得见几个 key？",
                "By the task's convention, how many keys does row 1 see?",
            ),
            caption=Text("不算自己会得到", "Without the token itself"),
        ),
        Misconception(
            slug="no_mask",
            title=Text("所有的对都算了", "all pairs counted"),
            told=Text(
                "数的是整个 $n \\times n$ 矩阵，因果和窗口两个限制都没用上。",
                "The whole $n \\times n$ matrix was counted; neither the causal rule nor the window was "
                "used.",
            ),
            question=Text(
                "一个 token 能看见排在它后面的 token 吗？",
                "May a token see those that come after it?",
            ),
            caption=Text("全部都算会得到", "Counting all pairs"),
        ),
        Misconception(
            slug="window_two_sided",
            title=Text("窗口往两边都开了", "a window open to both sides"),
            told=Text(
                "前后都看了 $w-1$ 个；因果窗口只往前看。",
                "It reached $w-1$ positions both ways; a causal window looks back only.",
            ),
            question=Text(
                "这是因果的窗口：它应当往哪一边开？",
                "This window is causal: to which side should it open?",
            ),
            caption=Text("两边都看会得到", "Looking both ways"),
        ),
        Misconception(
            slug="window_one_wider",
            title=Text("窗口多了一个位置", "a window one position too wide"),
            told=Text(
                "往前看了 $w$ 个，再加上自己，一共成了 $w+1$ 个。",
                "It reached $w$ positions back and added the token itself, $w+1$ in all.",
            ),
            question=Text(
                "窗口里一共 $w$ 个位置，去掉自己，往前能看几个？",
                "The window holds $w$ positions in all. Without the token itself, how many are behind it?",
            ),
            caption=Text("窗口多一个会得到", "With a window one wider"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="pairs", kind="integer", label=Text("可见对数", "visible pairs"), tolerance=EXACT, role="s"
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        tokens = int(rng.integers(5, 33))
        return {"tokens": tokens, "window": int(rng.integers(3, tokens))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        n, w = drawn["tokens"], drawn["window"]
        return {"pairs": costs.visible_pairs(n, keys=n, causal="top_left", window=(w - 1, 0))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        n, w = drawn["tokens"], drawn["window"]
        counts = {
            "window_ignored": costs.visible_pairs(n, keys=n, causal="top_left"),
            "every_row_full": n * w,
            "window_without_itself": self.right(drawn)["pairs"] - n,
            "no_mask": costs.visible_pairs(n, keys=n),
            "window_two_sided": costs.visible_pairs(n, keys=n, window=(w - 1, w - 1)),
            "window_one_wider": costs.visible_pairs(n, keys=n, causal="top_left", window=(w, 0)),
        }
        return {"pairs": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        n, w = drawn["tokens"], drawn["window"]
        return Prompt(
            task=Text(
                f"{n} 个 token 做因果自注意力，滑动窗口宽 $w = {w}$。注意力矩阵里一共有多少对（query, "
                "key）是可见的？",
                f"{n} tokens attend causally through a sliding window of $w = {w}$. How many (query, key) "
                "pairs of the attention matrix are visible?",
            ),
            givens=(
                Given(name="n", value=n, note=Text("token 数", "tokens")),
                Given(name="w", value=w, note=Text("窗口宽，含自己", "window, itself included")),
            ),
            conventions=(
                Text(
                    "每个 token 最多看 $w$ 个位置：自己和紧挨在前面的 $w-1$ 个，后面的一个也不看。",
                    "A token sees at most $w$ positions: itself and the $w-1$ right before it, none after "
                    "it.",
                ),
                Text(
                    "一个头、一条序列，没有 PAD，没有缓存。",
                    "One head, one sequence, no padding and no cache.",
                ),
                Text("要整数，必须准确；可以写算式。", "A whole number, exact; an expression will do."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        n, w, pairs = drawn["tokens"], drawn["window"], self.right(drawn)["pairs"]
        growing = costs.visible_pairs(w, keys=w, causal="top_left")
        return (
            SolutionStep(
                text=told(
                    f"前 {w} 行窗口还没装满，第 $i$ 行看得见 $i$ 个：",
                    f"In the first {w} rows the window is still filling; row $i$ sees $i$ keys:",
                    rf"1 + 2 + \cdots + {w} = \frac{{{w} \times {w + 1}}}{{2}} = {growing}",
                )
            ),
            SolutionStep(
                text=told(
                    f"其余 {n - w} 行每行都是满的 {w} 个，加起来：",
                    f"After them, each of the {n - w} left sees a full {w}; together:",
                    rf"{growing} + {n - w} \times {w} = {pairs}",
                ),
                part="pairs",
            ),
            SolutionStep(
                text=Text(
                    "自查：结果不超过 $n \\times w$，也不超过整个下三角 $n(n+1)/2$。",
                    "Check: it exceeds neither $n \\times w$ nor the whole lower triangle $n(n+1)/2$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        n, w = drawn["tokens"], drawn["window"]
        return (
            Text(
                "一行一行地数：第 1 行看得见几个，第 2 行呢？",
                "Count row by row: how many does row 1 see, and row 2?",
            ),
            Text(
                "第 $i$ 行（从 1 数）看得见 $\\min(i, w)$ 个。",
                "Row $i$, counted from 1, sees $\\min(i, w)$ keys.",
            ),
            Text(
                f"前 {w} 行是 $1, 2, \\ldots, {w}$，其余 {n - w} 行每行 {w} 个。",
                f"The first {w} rows see $1, 2, \\ldots, {w}$; each of the {n - w} left sees {w}.",
            ),
        )
