"""H10: how many convolution layers it takes from the first token to the last."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import attention_path, convolution_path, dilated_path, recurrent_path
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class PathLength(Family):
    """Drawn: length, kernel."""

    slug = "path"
    code = "H10"
    title = Text(
        "卷积要几层才能看到第一个 token", "The convolution layers between the first token and the last"
    )
    sections = ("7.1",)
    questions = (1,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="attention",
            title=Text("当成了注意力，一步就到", "the path of attention, one step"),
            told=Text(
                "只有注意力能一步看到任意位置；一层卷积只看得见核里的几个 token。",
                "Only attention reaches any position in one step; a convolution layer sees the "
                "tokens under its kernel.",
            ),
            question=Text(
                "一层卷积能看到多远之前的 token？", "How far back does one layer of convolution see?"
            ),
            caption=Text("注意力是", "Attention needs"),
        ),
        Misconception(
            slug="recurrent",
            title=Text("当成了 RNN，一次走一个 token", "the path of a recurrent network, token by token"),
            told=Text(
                "算的是 $n-1$：每层只往前走了一个 token，没有用上卷积核的宽度。",
                "The count is $n-1$, one token a layer, as if the kernel had no width.",
            ),
            question=Text(
                "核宽 $k$ 时，一层能跨过几个 token？",
                "With a kernel of $k$, how many tokens does one layer cross?",
            ),
            caption=Text("RNN 是", "A recurrent network needs"),
        ),
        Misconception(
            slug="centred_kernel",
            title=Text("按居中的卷积核算了", "a centred kernel assumed"),
            told=Text(
                "把核的一半放到了后面，每层只往前看 $(k-1)/2$ 个；题目里的核只看前面。",
                "Half of the kernel was put ahead, so a layer looks back only $(k-1)/2$; here it "
                "looks back with all of it.",
            ),
            question=Text(
                "题目里的卷积核是居中的，还是只看前面的？",
                "Is the kernel of this task centred, or does it look back only?",
            ),
            caption=Text("居中的核要", "A centred kernel needs"),
        ),
        Misconception(
            slug="dilated",
            title=Text("按空洞卷积算了", "a dilated convolution assumed"),
            told=Text(
                "用了 $\\lceil\\log_k n\\rceil$，那要求每层的间隔成倍放大；题目里的核是连续的。",
                "The count is $\\lceil\\log_k n\\rceil$, which needs gaps that grow from layer to "
                "layer; here the kernel is contiguous.",
            ),
            question=Text(
                "每加一层，视野是加上一个常数，还是乘上一个常数？",
                "With each layer, is a constant added to the view, or is the view multiplied?",
            ),
            caption=Text("空洞卷积要", "A dilated one needs"),
        ),
        Misconception(
            slug="kernel_not_less_one",
            title=Text("除以了 k，没有减 1", "a division of n by k, nothing subtracted"),
            told=Text(
                "算成了 $\\lceil n/k \\rceil$：核里有一格是 token 自己，每层只往前多看 $k-1$ 个。",
                "The count is $\\lceil n/k \\rceil$, but one place of the kernel is the token "
                "itself, so a layer looks back $k-1$ more.",
            ),
            question=Text(
                "宽 $k$ 的核里，除了自己还有几个 token？",
                "In a kernel of $k$, how many tokens are there besides the token itself?",
            ),
            caption=Text("用 n/k 会得到", "With n/k"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="layers", kind="integer", label=Text("层数", "layers"), tolerance=EXACT),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"length": int(rng.integers(40, 320)), "kernel": int(rng.choice([5, 7]))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"layers": convolution_path(**drawn)}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        n, kernel = drawn["length"], drawn["kernel"]
        layers = {
            "attention": attention_path(length=n),
            "recurrent": recurrent_path(length=n),
            "centred_kernel": convolution_path(length=n, kernel=kernel, centred=True),
            "dilated": dilated_path(length=n, kernel=kernel),
            "kernel_not_less_one": -(-n // kernel),
        }
        return {"layers": layers[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "长为 $n$ 的序列经过一摞卷积层。最少要几层，最后一个 token 的输出才能受到第一个 "
                "token 的影响？",
                "A sequence of length $n$ goes through a stack of convolution layers. How many does "
                "it take at least until the first token can reach the output at the last one?",
            ),
            givens=(
                Given(name="n", value=drawn["length"], note=Text("序列长度", "sequence length")),
                Given(name="k", value=drawn["kernel"], note=Text("卷积核宽", "kernel width")),
            ),
            conventions=(
                Text(
                    "卷积核是单边的：只看自己和前面的 $k-1$ 个 token，不看后面的。",
                    "The kernel is one-sided: it sees the token itself and the $k-1$ before it, none after.",
                ),
                Text(
                    "核是连续的（没有空洞），步长 1，没有池化。",
                    "It is contiguous (no dilation), its stride is 1, and nothing is pooled.",
                ),
                Text("要整数，必须准确。", "A whole number, exact."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        n, kernel, layers = drawn["length"], drawn["kernel"], self.right(drawn)["layers"]
        return (
            SolutionStep(
                text=Text(
                    f"每加一层，往前多看 $k-1 = {kernel - 1}$ 个 token；第一个和最后一个相隔 $n-1 = "
                    f"{n - 1}$。",
                    f"Each layer looks $k-1 = {kernel - 1}$ tokens further back; first and last are "
                    f"$n-1 = {n - 1}$ apart.",
                )
            ),
            SolutionStep(
                text=told(
                    "不够一层也要一层，所以向上取整：",
                    "Part of a layer is a layer, so round up:",
                    rf"\left\lceil \frac{{{n - 1}}}{{{kernel - 1}}} \right\rceil = {layers}",
                ),
                part="layers",
            ),
            SolutionStep(
                text=Text(
                    f"对照：RNN 要传 {n - 1} 步，自注意力只要 {attention_path(length=n)} 层。",
                    f"For comparison: a recurrent network takes {n - 1} steps, self-attention "
                    f"{attention_path(length=n)} layer.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        n, kernel = drawn["length"], drawn["kernel"]
        return (
            Text(
                "一层能往前看几个 token？两层呢？",
                "How many tokens back does one layer see, and how many do two?",
            ),
            Text(
                "看的是间隔：第一个和最后一个 token 相隔 $n-1$。",
                "What counts is the distance: first and last token are $n-1$ apart.",
            ),
            Text(
                f"间隔是 {n - 1}，每层走 {kernel - 1}，除不尽就向上取整。",
                f"The distance is {n - 1}, a layer covers {kernel - 1}; round up what is left over.",
            ),
        )
