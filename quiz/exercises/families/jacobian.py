"""C4: how a softmax weight answers to another key's score."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.gradients import softmax_jacobian
from attention_core.softmax import softmax
from quiz.exercises.attention_steps import told, weights_lines
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
    Tolerance,
    Values,
)

ENTRIES = 3
FINE = Tolerance(absolute=0.002)  # products of two weights are small


@register
class Jacobian(Family):
    """Drawn: scores, three different integers; row and column, the asked entry from 0, not equal."""

    slug = "jacobian"
    code = "C4"
    title = Text("softmax 的导数", "A derivative of the softmax")
    sections = ("7.9",)
    questions = (13,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="sign_lost",
            title=Text("漏了负号", "a lost minus sign"),
            told=Text(
                "给出的是 $p_i p_j$：大小对，符号反了。",
                "This is $p_i p_j$: the right size with the wrong sign.",
            ),
            question=Text(
                "另一个 key 的分数升高时，这个 key 的权重会升还是降？",
                "When another key's score rises, does this key's weight rise or fall?",
            ),
            caption=Text("漏掉负号会得到", "Without the minus sign"),
        ),
        Misconception(
            slug="diagonal_formula",
            title=Text("用了对角线的公式", "the formula of the diagonal"),
            told=Text(
                "给出的是 $p_i(1-p_i)$，那是权重对自己的分数求导。",
                "This is $p_i(1-p_i)$, the derivative of a weight by its own score.",
            ),
            question=Text(
                "求导用的是哪个 key 的分数？和这个权重是同一个 key 吗？",
                "By which key's score is the derivative taken, and is it the weight's own?",
            ),
            caption=Text("用对角线公式会得到", "With the diagonal's formula"),
        ),
        Misconception(
            slug="mixed_formula",
            title=Text("把两个公式混成了 pᵢ(1−pⱼ)", "a mixture of the two formulas, pᵢ(1−pⱼ)"),
            told=Text(
                "给出的是 $p_i(1-p_j)$；括号里的 1 只在 $i=j$ 时出现。",
                "This is $p_i(1-p_j)$; the 1 in the bracket is there only if $i=j$.",
            ),
            question=Text(
                "$i \\ne j$ 时，$e^{s_i}$ 这个分子里含有 $s_j$ 吗？",
                "For $i \\ne j$, does the numerator $e^{s_i}$ contain $s_j$?",
            ),
            caption=Text("用 pᵢ(1−pⱼ) 会得到", "With pᵢ(1−pⱼ)"),
        ),
        Misconception(
            slug="no_influence",
            title=Text("以为别的分数没有影响", "other scores taken to have no influence"),
            told=Text(
                "给出的是 0，好像每个权重只看自己的分数。",
                "This is 0, as if each weight depended on its own score only.",
            ),
            question=Text("$s_j$ 还出现在公式的哪个地方？", "Where else in the formula does $s_j$ appear?"),
            caption=Text("认为没有影响会得到", "Without any influence"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="derivative", kind="scalar", label=Text("导数", "derivative"), tolerance=FINE, role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        row, column = rng.choice(ENTRIES, 2, replace=False).tolist()
        return {
            "scores": rng.choice(np.arange(-2, 4), ENTRIES, replace=False).tolist(),
            "row": row,
            "column": column,
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        jacobian = softmax_jacobian(np.array(_weights(drawn)))
        return {"derivative": float(jacobian[drawn["row"], drawn["column"]])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        weights = _weights(drawn)
        p_i, p_j = weights[drawn["row"]], weights[drawn["column"]]
        values = {
            "sign_lost": p_i * p_j,
            "diagonal_formula": p_i * (1 - p_i),
            "mixed_formula": p_i * (1 - p_j),
            "no_influence": 0.0,
        }
        return {"derivative": values[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        return Prompt(
            task=Text(
                f"$p = \\operatorname{{softmax}}(s)$。算出 $\\partial p_{i} / \\partial s_{j}$ 在这一行"
                f"分数处的值。",
                f"$p = \\operatorname{{softmax}}(s)$. Work out $\\partial p_{i} / \\partial s_{j}$ at "
                f"this row of scores.",
            ),
            givens=(Given(name="s", value=drawn["scores"], role="s"),),
            conventions=(
                Text(
                    "下标从 1 数；指数以自然常数 $e$ 为底，分数不再缩放。",
                    "Indices count from 1; natural exponential $e^x$, no further scaling of the scores.",
                ),
                Text(
                    "小数请至少写到第 3 位，与准确值相差不超过 0.002 算对；也可以写算式。",
                    "Give at least 3 decimals; within 0.002 of the exact value is right. Expressions "
                    "are fine.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        weights = _weights(drawn)
        return (
            SolutionStep(text=told("先做 softmax：", "First the softmax:", *weights_lines(drawn["scores"]))),
            SolutionStep(
                text=told(
                    f"$s_{j}$ 只出现在 $p_{i}$ 的分母里，对商求导：",
                    f"$s_{j}$ appears only in the denominator of $p_{i}$; the quotient rule gives",
                    rf"\frac{{\partial p_{i}}}{{\partial s_{j}}} = -\frac{{e^{{s_{i}}}\, "
                    rf"e^{{s_{j}}}}}{{\left(\sum_k e^{{s_k}}\right)^2}} = -p_{i}\, p_{j}",
                )
            ),
            SolutionStep(
                text=told(
                    "代入：",
                    "With the numbers:",
                    rf"-{tex(weights[i - 1])} \times {tex(weights[j - 1])} \approx "
                    rf"{tex(self.right(drawn)['derivative'])}",
                ),
                part="derivative",
            ),
            SolutionStep(
                text=Text(
                    "合起来，雅可比矩阵是 $\\operatorname{diag}(p) - p^\\top p$（$p$ 是行向量），每一行"
                    "加起来是 0：总量恒为 1，一个升，别的就降。权重接近 0 或 1 时它处处接近 0，这就是饱"
                    "和时梯度消失。",
                    "Together the Jacobian is $\\operatorname{diag}(p) - p^\\top p$ (with $p$ a row "
                    "vector), and its rows sum to 0: the total stays 1, so one rises and others fall. "
                    "With weights near 0 or 1 all of it is near 0: that is how gradients vanish when a "
                    "softmax saturates.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        i, j = drawn["row"] + 1, drawn["column"] + 1
        weights = _weights(drawn)
        return (
            Text(
                f"别的 key 的分数 $s_{j}$ 升高，分母变大，$p_{i}$ 会怎样？",
                f"If the other key's score $s_{j}$ rises, the denominator grows. What happens to $p_{i}$?",
            ),
            Text(
                "$i \\ne j$ 时，导数是两个权重之积，带一个符号。",
                "For $i \\ne j$ the derivative is the product of two weights, with a sign.",
            ),
            Text(
                f"$p_{i} \\approx {tex(weights[i - 1])}$，$p_{j} \\approx {tex(weights[j - 1])}$。",
                f"$p_{i} \\approx {tex(weights[i - 1])}$ and $p_{j} \\approx {tex(weights[j - 1])}$.",
            ),
        )


def _weights(drawn: Drawn) -> list[float]:
    weights: list[float] = softmax(np.array(drawn["scores"], dtype=np.float64)).tolist()
    return weights
