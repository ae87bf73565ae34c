"""What each kind of line in a listing does, for whoever suspects one that is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from quiz.exercises.types import Misconception, Text


@dataclass(frozen=True, kw_only=True)
class Role:
    """`does` completes “the line that …” (zh: “…的那一行”); `fine` says why nothing is wrong with it."""

    does: Text
    fine: Text


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "signature": Role(
            does=Text("定义函数", "defines the function"),
            fine=Text(
                "这一行只列出参数，什么也没有算。",
                "This line only names the arguments; nothing is computed in it.",
            ),
        ),
        "width": Role(
            does=Text("取出头宽", "takes the head width"),
            fine=Text(
                "$d_k$ 就是 $q$ 最后一维的长度，没有取错。",
                "$d_k$ is the length of the last axis of $q$, as it should be.",
            ),
        ),
        "sizes": Role(
            does=Text("取出长度和头宽", "takes the length and the head width"),
            fine=Text(
                "$q$ 是 $(n, d_k)$，两个数都没有取错。", "$q$ is $(n, d_k)$; both numbers are taken rightly."
            ),
        ),
        "lengths": Role(
            does=Text("取出两个长度", "takes the two lengths"),
            fine=Text(
                "$t$ 是 query 的个数，$s$ 是 key 的个数，没有取错。",
                "$t$ is the number of queries and $s$ that of keys, as they should be.",
            ),
        ),
        "queries": Role(
            does=Text("投影出 Q", "projects the queries"),
            fine=Text("$x$ 乘 $W_Q$，没有错。", "$x$ times $W_Q$, as it should be."),
        ),
        "keys": Role(
            does=Text("投影出 K", "projects the keys"),
            fine=Text("$x$ 乘 $W_K$，没有错。", "$x$ times $W_K$, as it should be."),
        ),
        "values": Role(
            does=Text("投影出 V", "projects the values"),
            fine=Text("$x$ 乘 $W_V$，没有错。", "$x$ times $W_V$, as it should be."),
        ),
        "scores": Role(
            does=Text("算点积", "takes the dot products"),
            fine=Text(
                "$q$ 乘 $k$ 的转置：query 在行，key 在列，没有错。",
                "$q$ times the transpose of $k$: queries as rows, keys as columns, as it should be.",
            ),
        ),
        "scaling": Role(
            does=Text("缩放分数", "scales the scores"),
            fine=Text(
                "分数除以 $\\sqrt{d_k}$，没有错。",
                "The scores are divided by $\\sqrt{d_k}$, as they should be.",
            ),
        ),
        "scaled_scores": Role(
            does=Text("算缩放点积", "computes the scaled dot products"),
            fine=Text(
                "$q$ 乘 $k$ 的转置，再除以根号下的头宽，这一行自己没有错。",
                "$q$ times the transpose of $k$, divided by the root of the head width: by itself the line "
                "is right.",
            ),
        ),
        "past": Role(
            does=Text("造下三角", "builds the lower triangle"),
            fine=Text(
                "对角线和它下面是 True：自己和前面的看得见，没有错。",
                "True on the diagonal and below it: a token sees itself and those before it, as it should.",
            ),
        ),
        "bias": Role(
            does=Text("造加性掩码", "builds the additive mask"),
            fine=Text(
                "真实 token 加 0，其余加 $-\\infty$，没有错。",
                "0 for real tokens and $-\\infty$ for the others, as it should be.",
            ),
        ),
        "near": Role(
            does=Text("定窗口的左边", "sets the left edge of the window"),
            fine=Text(
                "从自己往前数 `left` 个，都在窗口里，没有错。",
                "The `left` tokens before a token are inside the window, as they should be.",
            ),
        ),
        "seen": Role(
            does=Text("合并两个条件", "combines the two conditions"),
            fine=Text(
                "两个条件都满足才看得见，没有错。",
                "A place is seen where both conditions hold, as it should be.",
            ),
        ),
        "hiding": Role(
            does=Text("遮住分数", "hides scores"),
            fine=Text(
                "看不见的换成 $-\\infty$，看得见的留着原来的分数，没有错。",
                "Hidden scores become $-\\infty$ and the others stay, as they should.",
            ),
        ),
        "query_positions": Role(
            does=Text("算 query 的位置", "places the queries"),
            fine=Text(
                "最后一个 query 正好对着最后一个 key，没有错。",
                "The last query stands at the last key, as it should.",
            ),
        ),
        "key_positions": Role(
            does=Text("算 key 的位置", "places the keys"),
            fine=Text("key 从 0 数起，没有错。", "Keys count from 0, as they should."),
        ),
        "top": Role(
            does=Text("取每行的最大值", "takes each row's maximum"),
            fine=Text("沿 key 那一维取最大值，没有错。", "The maximum runs over the keys, as it should."),
        ),
        "guard": Role(
            does=Text("照顾全是 −∞ 的行", "looks after rows of nothing but −∞"),
            fine=Text(
                "最大值是 $-\\infty$ 的行改用 0，免得出现 $-\\infty - (-\\infty)$，没有错。",
                "Rows whose maximum is $-\\infty$ use 0 instead, so that no $-\\infty - (-\\infty)$ appears; "
                "that is right.",
            ),
        ),
        "exponentials": Role(
            does=Text("取指数", "takes exponentials"),
            fine=Text(
                "减去最大值再取指数：份额不变，也不会溢出，没有错。",
                "Exponentials less the maximum: shares stay the same and nothing overflows, as it should be.",
            ),
        ),
        "total": Role(
            does=Text("求分母", "adds up the denominator"),
            fine=Text(
                "沿 key 那一维求和，每行一个分母，没有错。",
                "The sum runs over the keys, one denominator a row, as it should be.",
            ),
        ),
        "division": Role(
            does=Text("除以总和", "divides by the sum"),
            fine=Text(
                "除以自己那一行的总和，总和是 0 的行给 0，没有错。",
                "Each row is divided by its own sum, and rows whose sum is 0 give zeros, as they should.",
            ),
        ),
        "weights": Role(
            does=Text("做 softmax", "takes the softmax"),
            fine=Text(
                "用的是该用的分数，沿最后一维（key）归一化，没有错。",
                "It takes the scores it should, and normalises along the last axis, the keys.",
            ),
        ),
        "mixing": Role(
            does=Text("乘 V", "mixes the values"),
            fine=Text(
                "每一行权重去混合 value，没有错。", "Each row of weights mixes the values, as it should."
            ),
        ),
        "softmax_mixing": Role(
            does=Text("做 softmax 并乘 V", "takes the softmax and mixes the values"),
            fine=Text(
                "沿 key 归一化，再混合 value，没有错。",
                "It normalises along the keys and mixes the values, as it should.",
            ),
        ),
        "group": Role(
            does=Text("算每组几个头", "counts the heads of a group"),
            fine=Text(
                "query 头数除以 KV 头数，没有错。", "Query heads divided by key/value heads, as it should be."
            ),
        ),
        "repeating": Role(
            does=Text("复制 KV 头", "repeats the key/value heads"),
            fine=Text(
                "每个 KV 头挨着复制，正好配给相邻的 query 头，没有错。",
                "Each key/value head is repeated beside itself and so serves neighbouring query heads, as it "
                "should.",
            ),
        ),
    }
)


def mistake_slug(role: str) -> str:
    """The misconception of whoever suspects this line while it is right."""
    return f"suspected_{role}"


def suspected() -> tuple[Misconception, ...]:
    """One misconception a role."""
    return tuple(_suspected(role) for role in ROLES)


def _suspected(slug: str) -> Misconception:
    role = ROLES[slug]
    return Misconception(
        slug=mistake_slug(slug),
        title=Text(f"怀疑了「{role.does.zh}」的那一行", f"suspicion of the line that {role.does.en}"),
        told=role.fine,
        question=Text(
            "拿一个两三个 token 的例子走一遍别的行：哪一行的结果和公式要的不同？",
            "Walk through the other lines with two or three tokens: which one gives something else than the "
            "formula asks for?",
        ),
        caption=Text(f"选了「{role.does.zh}」的那一行", f"The line that {role.does.en} chosen"),
    )
