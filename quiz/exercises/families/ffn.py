"""G6: the feed-forward network on one token: pre-activation, hidden layer, output."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.feedforward import feed_forward, relu
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
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

Array = npt.NDArray[np.float64]
WIDTH, INNER = 2, 3


@register
class FeedForwardNetwork(Family):
    """Drawn: x (2), w1 (2, 3), b1 (3), w2 (3, 2), b2 (2), small integers."""

    slug = "ffn"
    code = "G6"
    title = Text("算出前馈网络的输出", "The output of a feed-forward network")
    sections = ("7.21",)
    questions = (31,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_relu",
            title=Text("没有做 ReLU", "a missing ReLU"),
            told=Text(
                "隐藏层的负数没有变成 0，直接乘了 $W_2$。",
                "Negative hidden values were multiplied by $W_2$ as they stand instead of becoming 0.",
            ),
            question=Text(
                "如果中间没有非线性，两个矩阵相当于几个矩阵？",
                "Without a bend in between, how many matrices do two matrices amount to?",
            ),
            caption=Text("不做 ReLU 会得到", "Without the ReLU"),
        ),
        Misconception(
            slug="relu_last",
            title=Text("ReLU 放到了最后", "the ReLU at the very end"),
            told=Text(
                "ReLU 作用在了输出上，而不是两次线性变换之间。",
                "The ReLU was applied to the output, not between the two linear maps.",
            ),
            question=Text(
                "FFN 的输出要加回残差流。它可以是负数吗？",
                "The output is added back to the residual stream: may it be negative?",
            ),
            caption=Text("ReLU 放最后会得到", "With the ReLU last"),
        ),
        Misconception(
            slug="no_first_bias",
            title=Text("忘了加 b₁", "b₁ left out"),
            told=Text(
                "第一次线性变换之后没有加偏置 $b_1$。",
                "The bias $b_1$ was not added after the first linear map.",
            ),
            question=Text(
                "公式里有几个偏置？你各用在了哪里？",
                "How many biases does the formula have, and where did you use each?",
            ),
            caption=Text("不加 b₁ 会得到", "Without b₁"),
        ),
        Misconception(
            slug="relu_on_input",
            title=Text("ReLU 作用在了 x 上", "the ReLU applied to x"),
            told=Text(
                "先对输入 $x$ 做了 ReLU，隐藏层反而没有做。",
                "The ReLU was applied to the input $x$, and not to the hidden layer.",
            ),
            question=Text("激活函数在哪一个矩阵之后？", "After which matrix does the activation come?"),
            caption=Text("对 x 做 ReLU 会得到", "With the ReLU on x"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="pre_activation",
            kind="vector",
            label=Text("激活前 xW₁+b₁", "pre-activation xW₁+b₁"),
            shape=(INNER,),
            required=False,
        ),
        Part(
            name="hidden",
            kind="vector",
            label=Text("隐藏层（ReLU 之后）", "hidden layer (after ReLU)"),
            shape=(INNER,),
            required=False,
            uses=("pre_activation",),
        ),
        Part(
            name="output",
            kind="vector",
            label=Text("输出", "output"),
            shape=(WIDTH,),
            role="o",
            uses=("hidden",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice([-3, -2, -1, 1, 2, 3], WIDTH).tolist(),
            "w1": rng.integers(-2, 3, (WIDTH, INNER)).tolist(),
            "b1": rng.integers(-2, 3, INNER).tolist(),
            "w2": rng.integers(-2, 3, (INNER, WIDTH)).tolist(),
            "b2": rng.choice([-2, -1, 1, 2], WIDTH).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Some pre-activations are negative and some positive, x has a negative entry, no weight row is 0."""
        x, w1, b1, w2, _ = _arrays(drawn)
        before = x @ w1 + b1
        if not (w1.any(axis=1).all() and w2.any(axis=1).all()):
            return False
        return min(drawn["x"]) < 0 and bool(before.min() < 0 < before.max())

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        x, w1, b1, w2, b2 = _arrays(drawn)
        before = x @ w1 + b1
        return _values(before, relu(before), feed_forward(x[None], w1, w2, b1=b1, b2=b2)[0])

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, w1, b1, w2, b2 = _arrays(drawn)
        start = np.maximum(x, 0) if slug == "relu_on_input" else x
        before = start @ w1 + (0 if slug == "no_first_bias" else b1)
        hidden = np.maximum(before, 0) if slug == "no_first_bias" else before
        output = hidden @ w2 + b2
        return _values(before, hidden, np.maximum(output, 0) if slug == "relu_last" else output)

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        _, _, _, w2, b2 = _arrays(drawn)
        if part == "hidden":
            return (relu(np.array(earlier["pre_activation"], dtype=np.float64)) + 0.0).tolist()
        if part == "output":
            return (np.array(earlier["hidden"], dtype=np.float64) @ w2 + b2 + 0.0).tolist()
        return None

    def prompt(self, drawn: Drawn) -> Prompt:
        names = (("x", "x"), ("W_1", "w1"), ("b_1", "b1"), ("W_2", "w2"), ("b_2", "b2"))
        return Prompt(
            task=Text(
                "算出这个 token 经过前馈网络（FFN）的输出。",
                "Work out the output of the feed-forward network for this token.",
            ),
            givens=tuple(Given(name=name, value=drawn[key]) for name, key in names),
            conventions=(
                Text(
                    "$\\text{FFN}(x) = \\max(0,\\ xW_1 + b_1)\\,W_2 + b_2$，激活函数是 ReLU；token "
                    "是行向量。",
                    "$\\text{FFN}(x) = \\max(0,\\ xW_1 + b_1)\\,W_2 + b_2$, the activation is ReLU; "
                    "a token is a row vector.",
                ),
                Text(
                    "只算前馈网络本身：没有残差，没有归一化，没有 dropout。",
                    "Only the network itself: no residual, no norm, no dropout.",
                ),
                Text("结果都是整数。", "All results are whole numbers."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right = self.right(drawn)
        before, hidden, output = (right[part.name] for part in self._PARTS)
        return (
            SolutionStep(
                text=told(
                    f"先放大到 {INNER} 维：",
                    f"First up to {INNER} dimensions:",
                    rf"xW_1 + b_1 = {tex(drawn['x'])}\, W_1 + {tex(drawn['b1'])} = {tex(before)}",
                ),
                part="pre_activation",
            ),
            SolutionStep(
                text=told(
                    "ReLU：负数变成 0，其余不变：",
                    "ReLU: negatives become 0, the rest stays:",
                    rf"h = \max(0,\ {tex(before)}) = {tex(hidden)}",
                ),
                part="hidden",
            ),
            SolutionStep(
                text=told(
                    "再回到模型宽度，输出可正可负：",
                    "Back to the model width; the output may have either sign:",
                    rf"hW_2 + b_2 = {tex(hidden)}\, W_2 + {tex(drawn['b2'])} = {tex(output)}",
                ),
                part="output",
                figure=Given(name="y", value=output, role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        before = self.right(drawn)["pre_activation"]
        return (
            Text(
                "两次线性变换，中间夹一个 ReLU；两次都有偏置。",
                "Two linear maps with a ReLU in between; both have a bias.",
            ),
            Text(
                "ReLU 只作用在 $xW_1+b_1$ 上：负数变成 0。",
                "The ReLU acts on $xW_1+b_1$ only: negatives become 0.",
            ),
            Text(
                f"$xW_1+b_1 = {tex(before)}$；把负数换成 0，再乘 $W_2$、加 $b_2$。",
                f"$xW_1+b_1 = {tex(before)}$; set the negatives to 0, then multiply by $W_2$ and add $b_2$.",
            ),
        )


def _arrays(drawn: Drawn) -> tuple[Array, ...]:
    return tuple(np.array(drawn[name], dtype=np.float64) for name in ("x", "w1", "b1", "w2", "b2"))


def _values(before: Array, hidden: Array, output: Array) -> Values:
    found = {"pre_activation": before, "hidden": hidden, "output": output}
    return {name: (value + 0.0).tolist() for name, value in found.items()}
