"""C6: how spread out attention is."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.softmax import entropy, softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
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
    Value,
    Values,
)

ENTRIES = 3
FAINT = 0.005  # the logarithm of a smaller weight suffers from rounding


@register
class Entropy(Family):
    """Drawn: scores, three different integers."""

    slug = "entropy"
    code = "C6"
    title = Text("注意力权重的熵", "The entropy of attention weights")
    sections = ("7.10",)
    questions = (13,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="base_two",
            title=Text("对数以 2 为底", "logarithms to base 2"),
            told=Text(
                "用了 $\\log_2$，单位是比特；题目约定的是自然对数。",
                "The logarithms were $\\log_2$, which measures in bits; the natural one was asked for.",
            ),
            question=Text("题目约定的对数以什么为底？", "Which base do the logarithms of this task have?"),
            caption=Text("以 2 为底会得到", "With base 2"),
        ),
        Misconception(
            slug="sign_lost",
            title=Text("漏了负号", "a lost minus sign"),
            told=Text(
                "给出的是 $\\sum p\\ln p$，而熵不会是负数。",
                "This is $\\sum p\\ln p$; an entropy is never negative.",
            ),
            question=Text(
                "权重都小于 1，它们的对数是正还是负？",
                "All weights are below 1. Are their logarithms positive or negative?",
            ),
            caption=Text("漏掉负号会得到", "Without the minus sign"),
        ),
        Misconception(
            slug="not_weighed",
            title=Text("−ln p 没有用 p 加权", "the −ln p not weighed by p"),
            told=Text(
                "把各个 $-\\ln p_j$ 直接加了起来，小权重的对数因此占了大头。",
                "The $-\\ln p_j$ were added as they stand, so the smallest weights count for most.",
            ),
            question=Text(
                "熵是 $-\\ln p$ 的平均值。平均时每一项按什么比例算？",
                "An entropy is an average of $-\\ln p$. What share does each term have in it?",
            ),
            caption=Text("不加权会得到", "Without the weights"),
        ),
        Misconception(
            slug="uniform_entropy",
            title=Text("给出了均匀分布的熵 ln n", "the entropy of equal weights, ln n"),
            told=Text(
                "$\\ln n$ 是三个权重相等时的熵，也就是最大值。",
                "$\\ln n$ is the entropy of three equal weights, the largest there is.",
            ),
            question=Text(
                "三个分数都相等吗？不相等时，熵比最大值大还是小？",
                "Are the three scores equal? If not, is the entropy above or below its maximum?",
            ),
            caption=Text("均匀分布的熵是", "The entropy of equal weights"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="weights",
            kind="vector",
            label=Text("权重", "weights"),
            shape=(ENTRIES,),
            role="s",
            required=False,
        ),
        Part(name="entropy", kind="scalar", label=Text("熵", "entropy"), role="s", uses=("weights",)),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"scores": rng.choice(np.arange(-3, 5), ENTRIES, replace=False).tolist()}

    def accepts(self, drawn: Drawn) -> bool:
        """The largest score is not negative, no weight is tiny, and rounded work is right."""
        scores, exact = np.array([drawn["scores"]], dtype=np.float64), self.right(drawn)
        if scores.max() < 0 or min(exact["weights"]) < FAINT:
            return False
        return all(
            abs(sum(round(-p * math.log(p), honesty.PLACES) for p in row[0]) - exact["entropy"])
            <= honesty.MARGIN
            for row in honesty.rounded_weights(scores)
        )

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        weights = softmax(np.array(drawn["scores"], dtype=np.float64))
        return {"weights": weights.tolist(), "entropy": float(entropy(weights))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        right = self.right(drawn)
        values = {
            "base_two": right["entropy"] / math.log(2),
            "sign_lost": -right["entropy"],
            "not_weighed": -sum(math.log(p) for p in right["weights"]),
            "uniform_entropy": math.log(ENTRIES),
        }
        return {"weights": right["weights"], "entropy": values[slug]}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        return float(entropy(np.array(earlier["weights"], dtype=np.float64))) if part == "entropy" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "对这一行分数做 softmax，算出所得权重的熵。",
                "Take the softmax of this row of scores and work out the entropy of the weights.",
            ),
            givens=(Given(name="s", value=drawn["scores"], role="s"),),
            conventions=(
                Text(
                    "熵是 $H = -\\sum_j p_j \\ln p_j$，用自然对数（单位 nat）。",
                    "The entropy is $H = -\\sum_j p_j \\ln p_j$ with the natural logarithm (in nats).",
                ),
                Text(
                    "分数已经缩放过，指数以自然常数 $e$ 为底。",
                    "The scores are already scaled; natural exponential $e^x$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right = self.right(drawn)
        weights, terms = right["weights"], [-p * math.log(p) for p in right["weights"]]
        return (
            SolutionStep(
                text=told("先做 softmax：", "First the softmax:", *weights_lines(drawn["scores"])),
                part="weights",
                figure=Given(name="p", value=weights, role="s"),
            ),
            SolutionStep(
                text=told(
                    "每个权重乘上自己的 $-\\ln p$：",
                    "Each weight times its own $-\\ln p$:",
                    rf"-\ln p \approx {tex([-math.log(p) for p in weights])}",
                    rf"-p \ln p \approx {tex(terms)}",
                )
            ),
            SolutionStep(
                text=told(
                    "相加：",
                    "Their sum:",
                    rf"H \approx {' + '.join(tex(t) for t in terms)} \approx {tex(right['entropy'])}",
                ),
                part="entropy",
            ),
            SolutionStep(
                text=told(
                    "自查：熵在 0（全给一个）和 $\\ln n$（完全平均）之间。",
                    "Check: an entropy lies between 0 (all on one) and $\\ln n$ (all alike).",
                    rf"0 \le H \le \ln {ENTRIES} \approx {tex(math.log(ENTRIES))}",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        weights = self.right(drawn)["weights"]
        return (
            Text(
                "先把分数变成权重，再看权重有多分散。",
                "Turn the scores into weights first, then measure their spread.",
            ),
            Text(
                "熵是 $-\\ln p$ 按 $p$ 加权的平均。",
                "The entropy is the average of $-\\ln p$, weighed by $p$.",
            ),
            Text(
                f"权重约为 ${tex(weights)}$，各自的 $-\\ln p$ 约为 "
                f"${tex([-math.log(p) for p in weights])}$。",
                f"The weights are about ${tex(weights)}$ and their $-\\ln p$ about "
                f"${tex([-math.log(p) for p in weights])}$.",
            ),
        )
