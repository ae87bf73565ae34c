"""H1: the FLOPs of a cross-attention layer, part by part, and at twice the lengths."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import attention_flops, feed_forward_flops, layer_flops, projection_flops
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


def _count(name: str, label: Text, *uses: str, required: bool = False) -> Part:
    return Part(name=name, kind="integer", label=label, tolerance=EXACT, required=required, uses=uses)


@register
class LayerFlops(Family):
    """Drawn: queries, keys (different), d_model, multiple (d_ff over d_model), heads."""

    slug = "layer_flops"
    code = "H1"
    title = Text("一层交叉注意力加前馈网络的 FLOPs", "The FLOPs of a layer with cross-attention")
    sections = ("7.4", "7.15")
    questions = (17, 32)
    minutes = 4
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="half",
            title=Text("一次乘加只算了 1 FLOP", "a multiply-add counted as 1 FLOP"),
            told=Text(
                "所有数都只有一半：一次乘加是一次乘法加一次加法。",
                "Everything is half as large: a multiply-add is one multiplication and one addition.",
            ),
            question=Text(
                "题目约定一次乘加算几 FLOPs？", "How many FLOPs does the task give a multiply-add?"
            ),
            caption=Text("不乘 2 会得到", "Without the 2"),
        ),
        Misconception(
            slug="quadratic_only",
            title=Text("只算了 QKᵀ 和 AV", "QKᵀ and AV only"),
            told=Text(
                "四个投影和前馈网络没有算进去。",
                "The four projections and the feed-forward network are missing.",
            ),
            question=Text(
                "除了注意力的两次矩阵乘法，一层里还有哪些矩阵？",
                "Besides attention's own two products, which matrices does a layer hold?",
            ),
            caption=Text("只算平方项会得到", "The quadratic part only"),
        ),
        Misconception(
            slug="times_heads",
            title=Text("又乘了一遍头数", "one more factor, the number of heads"),
            told=Text(
                "$QK^\\top$ 和 $AV$ 又乘了 $h$；各头合起来才宽 $d$，总量和头数无关。",
                "$QK^\\top$ and $AV$ were multiplied by $h$, but the heads are $d$ wide together, "
                "so their number does not matter.",
            ),
            question=Text(
                "每个头有多宽？$h$ 个头加起来呢？", "How wide is one head, and how wide are all $h$ together?"
            ),
            caption=Text("再乘头数会得到", "Times the heads"),
        ),
        Misconception(
            slug="self_attention",
            title=Text("按自注意力算了", "self-attention assumed"),
            told=Text(
                "$K$、$V$ 也按 $n_q$ 个 token 算了；它们来自另一条序列，有 $n_k$ 个。",
                "$K$ and $V$ were counted for $n_q$ tokens, but they come from the other sequence "
                "and have $n_k$.",
            ),
            question=Text(
                "交叉注意力的 $K$、$V$ 来自哪条序列，有几个 token？",
                "From which sequence do K and V come in cross-attention, and how long is it?",
            ),
            caption=Text("按自注意力算会得到", "As self-attention"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        _count("projections", Text("四个投影", "four projections")),
        _count("mixing", Text("QKᵀ 和 AV", "QKᵀ and AV")),
        _count("feed_forward", Text("前馈网络", "feed-forward network")),
        _count("total", Text("合计", "total"), "projections", "mixing", "feed_forward", required=True),
        _count(
            "doubled",
            Text("两个长度都翻倍后的合计", "total at twice both lengths"),
            "projections",
            "mixing",
            "feed_forward",
            required=True,
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        heads = int(rng.choice([4, 5, 8, 10]))
        return {
            "queries": 10 * int(rng.integers(3, 30)),
            "keys": 10 * int(rng.integers(3, 60)),
            "d_model": heads * int(rng.choice([20, 30, 40, 50])),
            "multiple": int(rng.choice([2, 3, 4])),
            "heads": heads,
        }

    def accepts(self, drawn: Drawn) -> bool:
        """No two of the sizes are equal, and no two mistakes share a total, doubled or not."""
        width = drawn["d_model"]
        if len({drawn["queries"], drawn["keys"], width, drawn["multiple"] * width}) < 4:
            return False
        found = [_values(drawn, slug) for slug in ("", *(m.slug for m in self.misconceptions))]
        return all(len({values[name] for values in found}) == len(found) for name in ("total", "doubled"))

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        inner = drawn["d_model"] * drawn["multiple"]
        queries, keys = 2 * drawn["queries"], 2 * drawn["keys"]
        doubled = layer_flops(queries=queries, keys=keys, d_model=drawn["d_model"], d_ff=inner)
        return {**_values(drawn, ""), "doubled": doubled}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return _values(drawn, slug)

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        """At twice the lengths the projections and the network double, the scores and mixing quadruple."""
        if part not in ("total", "doubled"):
            return None
        linear, mixing = earlier["projections"] + earlier["feed_forward"], earlier["mixing"]
        return linear + mixing if part == "total" else 2 * linear + 4 * mixing

    def prompt(self, drawn: Drawn) -> Prompt:
        given = (
            ("n_q", drawn["queries"], Text("解码器这边的 token 数", "tokens on the decoder's side")),
            ("n_k", drawn["keys"], Text("编码器输出的 token 数", "tokens of the encoder's output")),
            ("d", drawn["d_model"], Text("模型宽度", "model width")),
            (
                "d_ff",
                drawn["d_model"] * drawn["multiple"],
                Text("前馈网络的中间宽度", "inner width of the feed-forward network"),
            ),
            ("h", drawn["heads"], Text("头数", "number of heads")),
        )
        return Prompt(
            task=Text(
                "一个交叉注意力子层加一个前馈网络，前向一次要多少 FLOPs？$n_q$、$n_k$ 都翻倍之后呢？",
                "How many FLOPs does one forward pass through a cross-attention sublayer and a "
                "feed-forward network take? And when $n_q$ and $n_k$ both double?",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    "1 次乘加算 2 FLOPs；softmax、归一化、偏置、激活函数、残差都不算；没有掩码。",
                    "A multiply-add is 2 FLOPs; softmax, norms, biases, activations and residuals "
                    "do not count; no mask.",
                ),
                Text(
                    "$Q$ 由解码器的 $n_q$ 个 token 算，$K$、$V$ 由编码器的 $n_k$ 个 token 算，输出投"
                    "影 $W_O$ 要算；各头合起来宽 $d$。",
                    "$Q$ is made from the decoder's $n_q$ tokens, $K$ and $V$ from the encoder's "
                    "$n_k$; the output projection $W_O$ counts; the heads are $d$ wide together.",
                ),
                Text(
                    "前馈网络两个矩阵，作用在 $n_q$ 个 token 上。一条序列，没有缓存。",
                    "The feed-forward network has two matrices and acts on the $n_q$ tokens. One "
                    "sequence, nothing cached.",
                ),
                Text(
                    "都是整数，必须准确；也可以写算式。",
                    "All are whole numbers, exact; expressions are fine.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        q, k, d = drawn["queries"], drawn["keys"], drawn["d_model"]
        inner, right = d * drawn["multiple"], self.right(drawn)
        linear = right["projections"] + right["feed_forward"]
        return (
            SolutionStep(
                text=told(
                    "$Q$ 和 $W_O$ 各 $2n_qd^2$，$K$ 和 $V$ 各 $2n_kd^2$：",
                    "$Q$ and $W_O$ take $2n_qd^2$ each, $K$ and $V$ $2n_kd^2$ each:",
                    rf"4(n_q + n_k)d^2 = 4 \times ({q} + {k}) \times {d}^2 = {right['projections']}",
                ),
                part="projections",
            ),
            SolutionStep(
                text=told(
                    "$QK^\\top$ 和 $AV$ 各 $2n_qn_kd$，和头数无关：",
                    "$QK^\\top$ and $AV$ take $2n_qn_kd$ each, whatever the number of heads:",
                    rf"4 n_q n_k d = 4 \times {q} \times {k} \times {d} = {right['mixing']}",
                ),
                part="mixing",
            ),
            SolutionStep(
                text=told(
                    "前馈网络两个矩阵：",
                    "The feed-forward network's two matrices:",
                    rf"4 n_q d \cdot d_\text{{ff}} = 4 \times {q} \times {d} \times {inner} = "
                    rf"{right['feed_forward']}",
                ),
                part="feed_forward",
            ),
            SolutionStep(
                text=told(
                    "相加：",
                    "Together:",
                    rf"{right['projections']} + {right['mixing']} + {right['feed_forward']} = "
                    rf"{right['total']}",
                ),
                part="total",
            ),
            SolutionStep(
                text=told(
                    "长度都翻倍：投影和前馈网络变成 2 倍，$QK^\\top$ 和 $AV$ 变成 4 倍：",
                    "At twice the lengths projections and feed-forward network double, and $QK^\\"
                    "top$ and $AV$ become 4 times as much:",
                    rf"2 \times {linear} + 4 \times {right['mixing']} = {right['doubled']}",
                ),
                part="doubled",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        right = self.right(drawn)
        return (
            Text(
                "分三块算：投影、$QK^\\top$ 和 $AV$、前馈网络。",
                "Three parts: projections, $QK^\\top$ and $AV$, feed-forward network.",
            ),
            Text(
                "$[a, b]$ 乘 $[b, c]$ 的矩阵乘法是 $2abc$ FLOPs；注意哪些矩阵用 $n_q$，哪些用 $n_k$。",
                "A product of $[a, b]$ and $[b, c]$ takes $2abc$ FLOPs; mind which matrices go with "
                "$n_q$ and which with $n_k$.",
            ),
            Text(
                f"投影是 {right['projections']}，$QK^\\top$ 和 $AV$ 共 {right['mixing']}；翻倍时前者"
                "乘 2，后者乘 4。",
                f"The projections take {right['projections']}, $QK^\\top$ and $AV$ together "
                f"{right['mixing']}; doubling makes the former 2 and the latter 4 times as much.",
            ),
        )


def _values(drawn: Drawn, slug: str) -> Values:
    """The parts with one mistake made (none for ""), at these lengths and at twice them."""
    once, twice = (_parts(drawn, slug, times) for times in (1, 2))
    names = ("projections", "mixing", "feed_forward")
    return {**dict(zip(names, once, strict=True)), "total": sum(once), "doubled": sum(twice)}


def _parts(drawn: Drawn, slug: str, times: int) -> tuple[int, int, int]:
    width, queries = drawn["d_model"], times * drawn["queries"]
    keys = queries if slug == "self_attention" else times * drawn["keys"]
    projections = projection_flops(queries=queries, keys=keys, d_model=width)
    mixing = attention_flops(batch=1, heads=1, queries=queries, keys=keys, width=width)
    inner = feed_forward_flops(tokens=queries, d_model=width, d_ff=drawn["multiple"] * width)
    if slug == "half":
        return projections // 2, mixing // 2, inner // 2
    if slug == "quadratic_only":
        return 0, mixing, 0
    return projections, mixing * (drawn["heads"] if slug == "times_heads" else 1), inner
