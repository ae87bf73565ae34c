"""H7: how many sequences fit beside the weights."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import admitted_sequences, kv_bytes_per_token, kv_cache_bytes, weight_bytes
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
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
    Text,
    Value,
    Values,
)

ITEMSIZE = 2
GIB, BILLION = 2**30, 10**9


def _count(name: str, label: Text, *uses: str, required: bool = False) -> Part:
    return Part(name=name, kind="integer", label=label, tolerance=EXACT, required=required, uses=uses)


@register
class MaxConcurrency(Family):
    """Drawn: memory in GiB, billions of weights, layers, kv_heads, group, head_width, prompt, output."""

    slug = "max_concurrency"
    code = "H7"
    title = Text("一张卡最多同时服务几条序列", "How many sequences one card can serve at once")
    sections = ("7.15",)
    questions = (35, 38)
    minutes = 4
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="forgot_weights",
            title=Text("没有扣掉权重", "the weights not subtracted"),
            told=Text(
                "整张卡的显存都给了 KV Cache，权重没有地方放。",
                "All of the memory went to the KV cache, which leaves no room for the weights.",
            ),
            question=Text(
                "服务开始之前，显存里已经放了什么？", "What is in memory before the first sequence arrives?"
            ),
            caption=Text("不扣权重会得到", "Without the weights"),
        ),
        Misconception(
            slug="one_byte_weights",
            title=Text("每个参数只算了 1 字节", "1 byte for each weight"),
            told=Text(
                "权重按参数个数直接当字节数用了。", "The number of weights was used as their number of bytes."
            ),
            question=Text(
                "题目里的权重是什么精度，每个几字节？",
                "In which format are the weights, and how many bytes is one?",
            ),
            caption=Text("权重按 1 字节算会得到", "With 1-byte weights"),
        ),
        Misconception(
            slug="rounded_up",
            title=Text("向上取整了", "a quotient rounded up"),
            told=Text(
                "最后一条序列只放得下一部分，显存会在中途用完。",
                "Only a part of the last sequence fits; memory would run out on the way.",
            ),
            question=Text(
                "放得下大半条，能算放得下一条吗？", "If most of a sequence fits, does the sequence fit?"
            ),
            caption=Text("向上取整会得到", "Rounded up"),
        ),
        Misconception(
            slug="forgot_factor_two",
            title=Text("忘了 K 和 V 是两份", "the factor 2 for K and V missing"),
            told=Text(
                "每个 token 只算了 K 或 V 中的一份。", "For each token only one of K and V was counted."
            ),
            question=Text(
                "解码一步要从缓存里读哪几样东西？", "What does a decoding step have to read from the cache?"
            ),
            caption=Text("只算一份会得到", "Counting only one of the two"),
        ),
        Misconception(
            slug="decimal_memory",
            title=Text("GiB 当成了 GB（10⁹ 字节）", "GB of 10⁹ bytes instead of GiB"),
            told=Text(
                "显存按 $10^9$ 换算了，比 $2^{30}$ 少了约 7%。",
                "The memory was taken in units of $10^9$ bytes, about 7% less than $2^{30}$.",
            ),
            question=Text("1 GiB 是多少字节？", "How many bytes is a GiB?"),
            caption=Text("按 10⁹ 换算会得到", "With 10⁹ bytes"),
        ),
        Misconception(
            slug="query_heads",
            title=Text("用了 query 的头数", "query heads counted instead of key/value heads"),
            told=Text(
                "缓存按 $h$ 个头算了；GQA 只缓存 $h/g$ 个 K、V 头。",
                "The cache was counted with $h$ heads, but only $h/g$ key and value heads are cached.",
            ),
            question=Text(
                "一组 query 头共用几对 K、V 头？", "How many K and V heads does a group of query heads share?"
            ),
            caption=Text("用 query 头数会得到", "With query heads"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        _count("per_token", Text("每个 token（字节）", "per token (bytes)")),
        _count("per_sequence", Text("每条序列（字节）", "per sequence (bytes)"), "per_token"),
        _count("sequences", Text("最多几条序列", "sequences at most"), "per_sequence", required=True),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "memory": int(rng.choice([24, 32, 40, 48, 64, 80, 96])),
            "billions": int(rng.choice([3, 4, 7, 8, 9, 13, 14])),
            "layers": int(rng.choice([28, 32, 36, 40])),
            "kv_heads": int(rng.choice([2, 4, 8])),
            "group": int(rng.choice([3, 4, 5, 7])),
            "head_width": int(rng.choice([64, 96, 128])),
            "prompt": int(rng.choice([1000, 1500, 2000, 3000, 4000, 6000])),
            "output": int(rng.choice([200, 500, 800, 1000, 2000])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The weights take no more than three quarters, and between 5 and 99 sequences fit."""
        weights = weight_bytes(parameters=drawn["billions"] * BILLION, itemsize=ITEMSIZE)
        return bool(weights <= 0.75 * drawn["memory"] * GIB and 5 <= self.right(drawn)["sequences"] <= 99)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn)

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        if slug == "rounded_up":
            right = _values(drawn)
            free = drawn["memory"] * GIB - drawn["billions"] * BILLION * ITEMSIZE
            return {**right, "sequences": -(-free // right["per_sequence"])}
        if slug in ("forgot_weights", "one_byte_weights"):
            return _values(drawn, weight_size=0 if slug == "forgot_weights" else 1)
        if slug == "decimal_memory":
            return _values(drawn, gib=BILLION)
        doubled = {"forgot_factor_two": (1, 2), "query_heads": (drawn["group"], 1)}
        return _values(drawn, factor=doubled[slug])

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part == "per_sequence":
            return earlier["per_token"] * (drawn["prompt"] + drawn["output"])
        if part != "sequences":
            return None
        weights = weight_bytes(parameters=drawn["billions"] * BILLION, itemsize=ITEMSIZE)
        return max(0, int((drawn["memory"] * GIB - weights) // earlier["per_sequence"]))

    def prompt(self, drawn: Drawn) -> Prompt:
        given = (
            ("M", drawn["memory"], Text("显存，GiB", "memory, GiB")),
            ("P", drawn["billions"], Text("参数量，十亿", "weights, in billions (10⁹)")),
            ("L", drawn["layers"], Text("层数", "layers")),
            ("h", drawn["kv_heads"] * drawn["group"], Text("query 头数", "query heads")),
            (
                "g",
                drawn["group"],
                Text("每组几个 query 头共用一对 K、V 头", "query heads that share one K and V head"),
            ),
            ("d_h", drawn["head_width"], Text("每个头的宽度", "width of one head")),
            ("p", drawn["prompt"], Text("每条序列的提示 token 数", "prompt tokens of a sequence")),
            ("o", drawn["output"], Text("每条序列最多生成的 token 数", "tokens a sequence may generate")),
        )
        return Prompt(
            task=Text(
                "一张卡部署一个用 GQA 的模型。要保证每条序列都能生成到最长，最多能同时服务几条序列？",
                "A model with grouped-query attention is served on one card. How many sequences can "
                "it serve at once if each must be able to reach its full length?",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    f"权重和 KV Cache 都是 fp16，每个元素 {ITEMSIZE} 字节；十亿是 $10^9$。",
                    f"Weights and KV cache are both fp16, {ITEMSIZE} bytes per element; a billion is $10^9$.",
                ),
                Text(
                    "显存只放权重和 KV Cache，激活值、碎片等其他开销都不计；K 和 V 每层都缓存。",
                    "Memory holds the weights and the KV cache and nothing else: no activations, no "
                    "fragmentation. K and V are cached in every layer.",
                ),
                Text(
                    "每条序列按提示加最长输出预留；1 GiB $= 2^{30}$ 字节。",
                    "For each sequence, prompt and longest output are reserved; 1 GiB is $2^{30}$ bytes.",
                ),
                Text(
                    "三个答案都是整数，必须准确；也可以写算式。",
                    "All three answers are whole numbers, exact; an expression is fine.",
                ),
                say.NUMBERS_ONLY,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right, length = self.right(drawn), drawn["prompt"] + drawn["output"]
        weights = weight_bytes(parameters=drawn["billions"] * BILLION, itemsize=ITEMSIZE)
        free = drawn["memory"] * GIB - weights
        token, sequence = right["per_token"], right["per_sequence"]
        return (
            SolutionStep(
                text=told(
                    "每个 token：K、V 两份 × 层数 × KV 头数 $h/g$ × 头宽 × 字节数：",
                    "Per token: K and V × layers × KV heads $h/g$ × head width × bytes:",
                    rf"2 \times {drawn['layers']} \times {drawn['kv_heads']} \times "
                    rf"{drawn['head_width']} \times {ITEMSIZE} = {token}",
                ),
                part="per_token",
            ),
            SolutionStep(
                text=told(
                    "每条序列按最长预留：",
                    "A sequence reserves its full length:",
                    rf"{token} \times ({drawn['prompt']} + {drawn['output']}) = {token} \times "
                    rf"{length} = {sequence}",
                ),
                part="per_sequence",
            ),
            SolutionStep(
                text=told(
                    "显存减去权重，才是 KV Cache 能用的：",
                    "Memory less the weights is what the cache may use:",
                    rf"{drawn['memory']} \times 2^{{30}} - {drawn['billions']} \times 10^9 \times "
                    rf"{ITEMSIZE} = {free}",
                )
            ),
            SolutionStep(
                text=told(
                    "相除，向下取整：",
                    "Divide and round down:",
                    rf"\left\lfloor \frac{{{free}}}{{{sequence}}} \right\rfloor = {right['sequences']}",
                ),
                part="sequences",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        right = self.right(drawn)
        return (
            Text("先看显存里要放哪两样东西。", "First: which two things have to be in memory?"),
            Text(
                "（显存 − 权重）÷ 每条序列的 KV Cache，向下取整；头数用 $h/g$。",
                "(Memory − weights) ÷ the KV cache of a sequence, rounded down; the heads are $h/g$.",
            ),
            Text(
                f"每个 token 是 {right['per_token']} 字节；权重要 $P \\times 10^9 \\times {ITEMSIZE}$ 字节。",
                f"One token takes {right['per_token']} bytes; the weights take $P \\times 10^9 \\"
                f"times {ITEMSIZE}$ bytes.",
            ),
        )


def _values(
    drawn: Drawn, *, weight_size: int = ITEMSIZE, gib: int = GIB, factor: tuple[int, int] = (1, 1)
) -> Values:
    """`factor`: by which fraction a mistake changes the cache (over and under)."""
    sizes = {"layers": drawn["layers"], "kv_heads": drawn["kv_heads"], "head_width": drawn["head_width"]}
    token = kv_bytes_per_token(**sizes, itemsize=ITEMSIZE)
    length = drawn["prompt"] + drawn["output"]
    sequence = kv_cache_bytes(**sizes, batch=1, length=length, itemsize=ITEMSIZE)
    token, sequence = (amount * factor[0] // factor[1] for amount in (token, sequence))
    weights = weight_bytes(parameters=drawn["billions"] * BILLION, itemsize=weight_size)
    count = admitted_sequences(memory=drawn["memory"] * gib, weights=weights, per_sequence=sequence)
    return {"per_token": token, "per_sequence": sequence, "sequences": count}
