"""E6: how far a stack of sliding windows reaches."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import costs
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class ReceptiveField(Family):
    """Drawn: layers, window."""

    slug = "receptive_field"
    code = "E6"
    title = Text("滑动窗口叠几层能看多远", "How far stacked sliding windows reach")
    sections = ("7.15",)
    questions = (37,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="layers_times_window",
            title=Text("直接用层数乘了窗口", "layers times window"),
            told=Text(
                "每一层的窗口都包括 token 自己，直接相乘会把自己重复数上好几遍。",
                "Every layer's window includes the token itself; a plain product counts it over and over.",
            ),
            question=Text(
                "窗口宽是 1、只看自己的时候，叠多少层能看到几个 token？",
                "With a window of 1, the token alone, how many tokens do any number of layers reach?",
            ),
            caption=Text("层数乘窗口会得到", "Layers times window"),
        ),
        Misconception(
            slug="one_layer",
            title=Text("只算了一层", "one layer alone"),
            told=Text(
                "给出的是一层的窗口；上一层看到的 token，自己也已经看过更早的。",
                "This is one layer's window; but what a layer sees has itself seen earlier tokens.",
            ),
            question=Text(
                "第二层看到的最远的那个 token，在第一层又看到了谁？",
                "The furthest token that layer 2 sees: whom did it see in layer 1?",
            ),
            caption=Text("只算一层是", "For one layer"),
        ),
        Misconception(
            slug="window_to_the_layers",
            title=Text("窗口按层数连乘了", "the window multiplied by itself layer after layer"),
            told=Text(
                "用了 $w^L$；同样宽的窗口逐层只向前多伸固定的一段，不是成倍地伸。",
                "The answer was $w^L$; equal windows add the same stretch at each layer, they do not "
                "multiply it.",
            ),
            question=Text(
                "再叠一层，最远的位置往前多走了几步？这个步数会随层数变吗？",
                "One more layer: how many positions further back does it reach, and does that depend on "
                "the layer?",
            ),
            caption=Text("连乘会得到", "Multiplied up"),
        ),
        Misconception(
            slug="itself_left_out",
            title=Text("没有把自己算进去", "the token itself left out"),
            told=Text(
                "往前伸了多远算对了，但 token 自己也影响自己的输出。",
                "How far it reaches back is right, but the token itself also enters its own output.",
            ),
            question=Text(
                "一层的时候，按你的公式是几个？题目说窗口里有没有自己？",
                "What does your formula give for one layer, and does the window hold the token itself?",
            ),
            caption=Text("不算自己会得到", "Without the token itself"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="tokens", kind="integer", label=Text("token 数", "tokens"), tolerance=EXACT),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"layers": int(rng.integers(2, 13)), "window": int(rng.integers(3, 21))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"tokens": costs.receptive_field(layers=drawn["layers"], window=drawn["window"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        layers, window = drawn["layers"], drawn["window"]
        counts = {
            "layers_times_window": layers * window,
            "one_layer": costs.receptive_field(layers=1, window=window),
            "window_to_the_layers": window**layers,
            "itself_left_out": self.right(drawn)["tokens"] - 1,
        }
        return {"tokens": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        layers, window = drawn["layers"], drawn["window"]
        return Prompt(
            task=Text(
                f"{layers} 层因果自注意力，每层的滑动窗口都是 $w = {window}$。最后一个 token 在顶层的输出，"
                "最多会受多少个输入 token 的影响？",
                f"{layers} layers of causal self-attention each have a sliding window of $w = {window}$. "
                "How many input tokens can at most influence the last token's output at the top?",
            ),
            givens=(
                Given(name="L", value=layers, note=Text("层数", "layers")),
                Given(name="w", value=window, note=Text("窗口宽，含自己", "window, itself included")),
            ),
            conventions=(
                Text(
                    "窗口包括 token 自己：每层看自己和紧挨在前面的 $w-1$ 个。",
                    "The window includes the token itself: each layer sees it and the $w-1$ right before it.",
                ),
                Text(
                    "序列足够长，没有全局 token、没有 sink，每层窗口一样宽。",
                    "The sequence is long enough; no global tokens, no sinks, the same window in every "
                    "layer.",
                ),
                Text(
                    "最后一个 token 自己也算在内。要整数，必须准确。",
                    "The last token itself counts. A whole number, exact.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        layers, window, tokens = drawn["layers"], drawn["window"], self.right(drawn)["tokens"]
        return (
            SolutionStep(
                text=Text(
                    f"每过一层，最远的位置再往前伸 $w-1 = {window - 1}$ 步。",
                    f"Each layer reaches another $w-1 = {window - 1}$ positions further back.",
                )
            ),
            SolutionStep(
                text=told(
                    f"{layers} 层一共往前 ${layers} \\times {window - 1}$ 步，再加上自己：",
                    f"Over {layers} layers that is ${layers} \\times {window - 1}$ positions, and the "
                    "token itself:",
                    rf"L(w-1) + 1 = {layers} \times {window - 1} + 1 = {tokens}",
                ),
                part="tokens",
            ),
            SolutionStep(
                text=Text(
                    "这是上限：能传到，不等于传得清楚，越远的信息经过的层越多。",
                    "This is a bound: what can arrive need not arrive clearly, and the furthest has passed "
                    "the most layers.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        window = drawn["window"]
        return (
            Text(
                "先看两层：顶层看到的最远的 token，在下面一层又看到了谁？",
                "Take two layers: the furthest token that the top one sees, whom did it see below?",
            ),
            Text(
                "每多一层，最远处再往前伸的步数是固定的。",
                "Each further layer adds the same number of positions.",
            ),
            Text(
                f"一层往前伸 {window - 1} 步；全部加起来以后，别忘了 token 自己。",
                f"One layer reaches {window - 1} positions back; after adding them up, remember the token "
                "itself.",
            ),
        )
