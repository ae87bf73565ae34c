"""B7: an additive score, from a small network."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.similarity import additive_scores, dot_scores
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

WIDTH = 2
LARGEST = 2.0  # tanh of more is nearly 1 and hides what was added


@register
class Additive(Family):
    """Drawn: q, k (2,), halves without zeros; w_1, w_2 (2, 2) and v (2,), small integers."""

    slug = "additive"
    code = "B7"
    title = Text("算出一个加性分数", "An additive score")
    sections = ("7.8",)
    questions = (11,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_tanh",
            title=Text("没有过 tanh", "a missing tanh"),
            told=Text(
                "两个投影相加后直接点了 $v$，少了中间的非线性。",
                "The sum of the projections went straight to the dot product with $v$, without the "
                "nonlinearity between them.",
            ),
            question=Text(
                "不过 tanh 的话，分数能拆成一项只看 $q$、一项只看 $k$ 吗？那样还能比较两者吗？",
                "Without the tanh, does the score fall apart into a term in $q$ and a term in $k$, and "
                "can it then compare the two?",
            ),
            caption=Text("不过 tanh 会得到", "Without the tanh"),
        ),
        Misconception(
            slug="tanh_outside",
            title=Text("tanh 放到了最外面", "the tanh put outside"),
            told=Text(
                "先和 $v$ 做了点积，再对那个数取 tanh，结果总在 −1 到 1 之间。",
                "The dot product with $v$ came first and the tanh was taken of that number, so it "
                "always lies between −1 and 1.",
            ),
            question=Text(
                "公式里 tanh 作用在向量上还是在一个数上？",
                "In the formula, does the tanh act on a vector or on a number?",
            ),
            caption=Text("tanh 放最外面会得到", "With the tanh outside"),
        ),
        Misconception(
            slug="product_inside",
            title=Text("两个投影相乘了，没有相加", "the two projections multiplied instead of added"),
            told=Text(
                "tanh 里是两个投影逐元素的积；「加性」说的正是它们相加。",
                "The tanh was taken of the elementwise product of the projections; “additive” says that "
                "they are added.",
            ),
            question=Text("这种注意力为什么叫「加性」？", "Why is this attention called additive?"),
            caption=Text("相乘会得到", "Multiplying them"),
        ),
        Misconception(
            slug="dot_product",
            title=Text("算成了点积 q·k", "the dot product q·k"),
            told=Text(
                "给出的是 $q\\cdot k$，小网络的参数一个都没有用上。",
                "This is $q\\cdot k$; none of the small network's parameters was used.",
            ),
            question=Text(
                "题目给的 $W_1$、$W_2$、$v$ 各用在哪一步？", "Where do $W_1$, $W_2$ and $v$ come in?"
            ),
            caption=Text("点积是", "The dot product"),
        ),
        Misconception(
            slug="weights_swapped",
            title=Text("W₁ 和 W₂ 用反了", "W₁ and W₂ exchanged"),
            told=Text("$q$ 乘了 $W_2$，$k$ 乘了 $W_1$。", "$q$ went with $W_2$ and $k$ with $W_1$."),
            question=Text(
                "哪个矩阵投影 query，哪个投影 key？", "Which matrix projects the query and which the key?"
            ),
            caption=Text("用反会得到", "With the two exchanged"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="score", kind="scalar", label=Text("加性分数", "additive score"), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        halves = [-1.0, -0.5, 0.5, 1.0]
        return {
            "q": rng.choice(halves, WIDTH).tolist(),
            "k": rng.choice(halves, WIDTH).tolist(),
            "w_1": rng.integers(-1, 3, (WIDTH, WIDTH)).tolist(),
            "w_2": rng.integers(-1, 3, (WIDTH, WIDTH)).tolist(),
            "v": rng.choice([-2, -1, 1, 2], WIDTH).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Sums that are neither 0 nor saturated, two different W, and rounded work that is right."""
        inner = _summed(drawn)
        if drawn["w_1"] == drawn["w_2"] or not all(0 < abs(number) <= LARGEST for number in inner):
            return False
        rounded = sum(round(math.tanh(s), honesty.PLACES) * v for s, v in zip(inner, drawn["v"], strict=True))
        return bool(abs(rounded - self.right(drawn)["score"]) <= honesty.MARGIN)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"score": _score(drawn, "w_1", "w_2")}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        q, k, w_1, w_2, v = (
            np.array(drawn[name], dtype=np.float64) for name in ("q", "k", "w_1", "w_2", "v")
        )
        plain = float((q @ w_1 + k @ w_2) @ v)
        values = {
            "no_tanh": plain,
            "tanh_outside": math.tanh(plain),
            "product_inside": float(np.tanh((q @ w_1) * (k @ w_2)) @ v),
            "dot_product": float(dot_scores(q[None], k[None])[0, 0]),
            "weights_swapped": _score(drawn, "w_2", "w_1"),
        }
        return {"score": values[slug] + 0.0}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "算出这一对 $q$、$k$ 的加性分数 $\\tanh(qW_1 + kW_2)\\,v^\\top$。",
                "Work out the additive score $\\tanh(qW_1 + kW_2)\\,v^\\top$ of this $q$ and $k$.",
            ),
            givens=(
                Given(name="q", value=drawn["q"], role="q"),
                Given(name="k", value=drawn["k"], role="k"),
                Given(name="W_1", value=drawn["w_1"], role="q"),
                Given(name="W_2", value=drawn["w_2"], role="k"),
                Given(
                    name="v",
                    value=drawn["v"],
                    note=Text(
                        "小网络的输出权重，不是 value", "output weights of the small network, not a value"
                    ),
                ),
            ),
            conventions=(
                Text(
                    "$q$、$k$、$v$ 都是行向量，写在矩阵左边；没有偏置。tanh 逐个分量取。",
                    "$q$, $k$ and $v$ are row vectors, to the left of matrices; no biases. The tanh is "
                    "taken of each component.",
                ),
                Text(
                    "分数不再缩放，也还没有 softmax。", "The score is not scaled and there is no softmax yet."
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        inner = _summed(drawn)
        one, other = (_projected(drawn, *names) for names in (("q", "w_1"), ("k", "w_2")))
        bent = [math.tanh(number) for number in inner]
        return (
            SolutionStep(
                text=told(
                    "分别投影，再相加：",
                    "Project each, then add:",
                    rf"qW_1 = {tex(one)} \qquad kW_2 = {tex(other)}",
                    rf"qW_1 + kW_2 = {tex(inner)}",
                )
            ),
            SolutionStep(
                text=told(
                    "逐个分量取 tanh：",
                    "The tanh of each component:",
                    rf"\tanh(qW_1 + kW_2) \approx {tex(bent)}",
                )
            ),
            SolutionStep(
                text=told(
                    "和 $v$ 做点积：",
                    "Dotted with $v$:",
                    rf"{tex_dot(bent, drawn['v'])} \approx {tex(self.right(drawn)['score'])}",
                ),
                part="score",
            ),
            SolutionStep(
                text=Text(
                    "$qW_1$ 和 $kW_2$ 每个 token 只需算一次，之后每一对只剩相加、tanh 和点积，所以总代价"
                    "并不比点积注意力多一个 $d$。",
                    "$qW_1$ and $kW_2$ are made once for each token; a pair then costs an addition, a "
                    "tanh and a dot product, so the whole is not dearer than dot-product attention by a "
                    "factor of $d$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        inner = _summed(drawn)
        return (
            Text(
                "这是一个两层的小网络：先投影相加，再过 tanh，最后压成一个数。",
                "It is a small network of two layers: project and add, tanh, then down to one number.",
            ),
            Text(f"$qW_1 + kW_2 = {tex(inner)}$。", f"$qW_1 + kW_2 = {tex(inner)}$."),
            Text(
                f"tanh 之后约为 ${tex([math.tanh(number) for number in inner])}$，再和 $v$ 做点积。",
                f"After the tanh it is about ${tex([math.tanh(number) for number in inner])}$; dot it "
                f"with $v$.",
            ),
        )


def _projected(drawn: Drawn, vector: str, matrix: str) -> list[float]:
    product = np.array(drawn[vector], dtype=np.float64) @ np.array(drawn[matrix], dtype=np.float64)
    numbers: list[float] = (product + 0.0).tolist()
    return numbers


def _summed(drawn: Drawn) -> list[float]:
    """What the tanh is taken of."""
    pairs = zip(_projected(drawn, "q", "w_1"), _projected(drawn, "k", "w_2"), strict=True)
    return [one + other for one, other in pairs]


def _score(drawn: Drawn, for_q: str, for_k: str) -> float:
    q, k, w_q, w_k, v = (np.array(drawn[name], dtype=np.float64) for name in ("q", "k", for_q, for_k, "v"))
    return float(additive_scores(q[None], k[None], w_q=w_q, w_k=w_k, v=v)[0, 0])
