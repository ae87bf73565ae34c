"""Mistakes about which rows meet in a score: what the families on QKᵀ share."""

from __future__ import annotations

from quiz.exercises.types import Misconception, Text

QUERIES_ONLY = Misconception(
    slug="queries_only",
    title=Text("拿 query 和 query 做了点积", "queries multiplied with queries"),
    told=Text("两边用的都是 $Q$ 的行，$K$ 没有参与。", "Both sides were rows of $Q$; $K$ took no part."),
    question=Text(
        "query 是在提问。它要去和谁对照，才知道匹配不匹配？",
        "A query asks. Whose rows does it have to be compared with to find a match?",
    ),
    caption=Text("用 QQᵀ 会得到", "With QQᵀ"),
)
KEYS_ONLY = Misconception(
    slug="keys_only",
    title=Text("拿 key 和 key 做了点积", "keys multiplied with keys"),
    told=Text(
        "两边用的都是 $K$ 的行，提问的 $Q$ 没有参与。",
        "Both sides were rows of $K$; $Q$, which does the asking, took no part.",
    ),
    question=Text(
        "一个分数衡量的是「谁想找」和「谁能被找到」。前一半写在哪个矩阵里？",
        "A score brings together who is looking and who can be found. Which matrix holds the first half?",
    ),
    caption=Text("用 KKᵀ 会得到", "With KKᵀ"),
)
