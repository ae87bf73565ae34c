"""G9: the weights of grouped-query attention in one layer."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import attention_parameters
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class GqaParameters(Family):
    """Drawn: kv_heads, group (query heads for each of them), head_width."""

    slug = "gqa_params"
    code = "G9"
    title = Text("GQA 一层注意力有多少参数", "The weights of grouped-query attention")
    sections = ("7.15",)
    questions = (32, 36)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="ordinary_attention",
            title=Text("当成了普通多头（MHA）", "ordinary multi-head attention assumed"),
            told=Text(
                "四个矩阵都按 $d \\times d$ 算了，$W_K$、$W_V$ 没有变窄。",
                "All four matrices were counted as $d \\times d$; $W_K$ and $W_V$ were not narrowed.",
            ),
            question=Text(
                "K、V 只有 $h_\\text{kv}$ 个头时，$W_K$ 有几列？",
                "With $h_\\text{kv}$ heads for K and V, how many columns does $W_K$ have?",
            ),
            caption=Text("按 MHA 算会得到", "As ordinary attention"),
        ),
        Misconception(
            slug="group_as_heads",
            title=Text("把组的大小当成了 KV 头数", "the group size taken for the number of KV heads"),
            told=Text(
                "$h_\\text{kv}$ 用成了 $g$；$g$ 是几个 query 头共用一个 KV 头，比例正好反了。",
                "$h_\\text{kv}$ was taken as $g$, but $g$ is how many query heads share a KV head: "
                "the ratio is upside down.",
            ),
            question=Text(
                "$h$ 个 query 头，每 $g$ 个一组，一共几组？",
                "$h$ query heads in groups of $g$: how many groups?",
            ),
            caption=Text("把 g 当头数会得到", "With g as the heads"),
        ),
        Misconception(
            slug="queries_shrunk",
            title=Text("把 Q 的投影也缩小了", "the query projection narrowed too"),
            told=Text(
                "$W_Q$ 也按 $h_\\text{kv}$ 个头算了；GQA 里 query 头一个都没少。",
                "$W_Q$ was counted with $h_\\text{kv}$ heads as well, but grouping takes no query head away.",
            ),
            question=Text(
                "GQA 共用的是哪几个投影的头？",
                "Which projections share their heads in grouped-query attention?",
            ),
            caption=Text("把 Q 也缩小会得到", "With Q narrowed"),
        ),
        Misconception(
            slug="no_output_projection",
            title=Text("漏了 W_O", "W_O left out"),
            told=Text(
                "只算了 $W_Q$、$W_K$、$W_V$，没有算输出投影。",
                "Only $W_Q$, $W_K$ and $W_V$ were counted, not the output projection.",
            ),
            question=Text(
                "各个 query 头的输出拼起来之后，还要乘什么？",
                "Once the query heads' outputs are joined, what are they multiplied by?",
            ),
            caption=Text("漏掉 W_O 会得到", "Without W_O"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="weights", kind="integer", label=Text("参数量", "number of weights"), tolerance=EXACT),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "kv_heads": int(rng.choice([2, 4, 5, 6, 8])),
            "group": int(rng.choice([2, 3, 4, 5, 7, 8])),
            "head_width": int(rng.choice([32, 50, 64, 80, 100, 128])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The group is not as large as the number of KV heads, or both could stand for each other."""
        return bool(drawn["kv_heads"] != drawn["group"])

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        heads, width = _sizes(drawn)
        return {"weights": attention_parameters(d_model=width, heads=heads, kv_heads=drawn["kv_heads"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        heads, width = _sizes(drawn)
        narrow = width * drawn["kv_heads"] * drawn["head_width"]
        counts = {
            "ordinary_attention": attention_parameters(d_model=width, heads=heads),
            "group_as_heads": attention_parameters(d_model=width, heads=heads, kv_heads=drawn["group"]),
            "queries_shrunk": width * width + 3 * narrow,
            "no_output_projection": width * width + 2 * narrow,
        }
        return {"weights": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        heads, width = _sizes(drawn)
        given = (
            ("d_model", width, Text("模型宽度", "model width")),
            ("h", heads, Text("query 头数", "query heads")),
            (
                "g",
                drawn["group"],
                Text("每组几个 query 头共用一对 K、V 头", "query heads that share one K and V head"),
            ),
            ("d_h", drawn["head_width"], Text("每个头的宽度", "width of one head")),
        )
        return Prompt(
            task=Text(
                "一层分组查询注意力（GQA）的四个投影一共有多少参数？",
                "How many weights do the four projections of one layer of grouped-query attention have?",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    "$d_\\text{model} = h \\cdot d_h$，K、V 头和 query 头一样宽。",
                    "$d_\\text{model} = h \\cdot d_h$; K and V heads are as wide as query heads.",
                ),
                Text(
                    "$W_Q$、$W_K$、$W_V$、$W_O$ 都算，没有偏置；前馈网络和归一化不算。",
                    "$W_Q$, $W_K$, $W_V$ and $W_O$ all count, without biases; feed-forward network "
                    "and norms do not.",
                ),
                Text("要整数，必须准确；也可以写算式。", "A whole number, exact; an expression is fine."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        heads, width = _sizes(drawn)
        kv_heads, head = drawn["kv_heads"], drawn["head_width"]
        return (
            SolutionStep(
                text=told(
                    "K、V 头数：",
                    "Key and value heads:",
                    rf"h_\text{{kv}} = h / g = {heads} / {drawn['group']} = {kv_heads}",
                )
            ),
            SolutionStep(
                text=told(
                    "$W_Q$、$W_O$ 还是 $d \\times d$；$W_K$、$W_V$ 只有 $h_\\text{kv} d_h$ 列：",
                    "$W_Q$ and $W_O$ are still $d \\times d$; $W_K$ and $W_V$ have only $h_\\"
                    "text{kv} d_h$ columns:",
                    rf"2 \times {width}^2 + 2 \times {width} \times {kv_heads} \times {head} = "
                    rf"{self.right(drawn)['weights']}",
                ),
                part="weights",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        heads, width = _sizes(drawn)
        return (
            Text("四个投影里，哪两个变窄了？", "Two of the four projections are narrower: which?"),
            Text(
                "$W_K$、$W_V$ 是 $d \\times (h_\\text{kv} d_h)$，$W_Q$、$W_O$ 不变。",
                "$W_K$ and $W_V$ are $d \\times (h_\\text{kv} d_h)$; $W_Q$ and $W_O$ are as before.",
            ),
            Text(
                f"$h_\\text{{kv}} = {heads} / {drawn['group']} = {drawn['kv_heads']}$，所以 $W_K$ 是"
                f" $[{width}, {drawn['kv_heads'] * drawn['head_width']}]$。",
                f"$h_\\text{{kv}} = {heads} / {drawn['group']} = {drawn['kv_heads']}$, so $W_K$ is "
                f"$[{width}, {drawn['kv_heads'] * drawn['head_width']}]$.",
            ),
        )


def _sizes(drawn: Drawn) -> tuple[int, int]:
    """Query heads and model width."""
    heads = drawn["kv_heads"] * drawn["group"]
    return heads, heads * drawn["head_width"]
