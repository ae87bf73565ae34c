"""I2: the cross-entropy of one token with label smoothing."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.softmax import log_softmax
from attention_core.training import cross_entropy, smooth_targets
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
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

EPSILON = 0.2


@register
class LabelSmoothing(Family):
    """Drawn: logits, 4 or 5 different integers; label, the true class from 0."""

    slug = "label_smoothing"
    code = "I2"
    title = Text("算出带标签平滑的交叉熵", "Cross-entropy with label smoothing")
    sections = ("7.23",)
    questions = (34,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="not_smoothed",
            title=Text("没有做标签平滑", "no smoothing at all"),
            told=Text(
                "只取了真实类别的 $-\\ln p$，那是普通的交叉熵。",
                "Only the true class's $-\\ln p$ was taken, which is the ordinary cross-entropy.",
            ),
            question=Text(
                "平滑之后，别的类别的目标概率还是 0 吗？",
                "After smoothing, is the target of the other classes still 0?",
            ),
            caption=Text("不平滑会得到", "Without smoothing"),
        ),
        Misconception(
            slug="spread_over_others",
            title=Text("ε 只分给了其余 K−1 类", "ε spread over the other K−1 classes only"),
            told=Text(
                "目标用成了真实类别 $1-\\varepsilon$、其余 $\\varepsilon/(K-1)$，那是另一种约定。",
                "The targets were $1-\\varepsilon$ for the true class and $\\varepsilon/(K-1)$ for "
                "the others, which is another convention.",
            ),
            question=Text(
                "题目说 $\\varepsilon$ 平均分给几个类别？真实类别算不算在内？",
                "Over how many classes does the task spread $\\varepsilon$, and is the true one among them?",
            ),
            caption=Text("按 K−1 类分会得到", "With ε/(K−1)"),
        ),
        Misconception(
            slug="base_two",
            title=Text("对数用了 2 为底", "logarithms to base 2"),
            told=Text(
                "结果以比特为单位，是自然对数的 $1/\\ln 2$ 倍。",
                "The result is in bits, $1/\\ln 2$ times that of natural logarithms.",
            ),
            question=Text("题目约定的是哪一种对数？", "Which logarithm does the task name?"),
            caption=Text("以 2 为底会得到", "With base 2"),
        ),
        Misconception(
            slug="true_class_only",
            title=Text("只加了真实类别的一项", "the true class's term only"),
            told=Text(
                "真实类别的权重是对的，其余类别各 $\\varepsilon/K$ 的那几项没有加。",
                "The true class has the right weight, but the terms of the others, $\\varepsilon/K$ "
                "each, are missing.",
            ),
            question=Text(
                "目标分布里有几个非零的数？交叉熵要加几项？",
                "How many targets are not 0, and how many terms does the cross-entropy have?",
            ),
            caption=Text("只加一项会得到", "With one term"),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        classes = int(rng.choice([4, 5]))
        return {
            "logits": rng.choice(np.arange(-2, 5), classes, replace=False).tolist(),
            "label": int(rng.integers(classes)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Honest rounding of every logarithm and every term comes out right."""
        exact = self.right(drawn)["loss"]
        terms = [
            round(y * round(log, PLACES), PLACES)
            for y, log in zip(_targets(drawn), _logs(drawn), strict=True)
        ]
        return bool(abs(-sum(terms) - exact) <= MARGIN)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (
            Part(
                name="log_probabilities",
                kind="vector",
                label=Text("每一类的 ln p", "ln p of every class"),
                shape=(len(drawn["logits"]),),
                role="s",
                required=False,
            ),
            Part(
                name="loss", kind="scalar", label=Text("交叉熵", "cross-entropy"), uses=("log_probabilities",)
            ),
        )

    def right(self, drawn: Drawn) -> Values:
        logits, label = np.array([drawn["logits"]], dtype=np.float64), np.array([drawn["label"]])
        return {
            "log_probabilities": _logs(drawn),
            "loss": float(cross_entropy(logits, label, epsilon=EPSILON)),
        }

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        logs, label, right = _logs(drawn), drawn["label"], self.right(drawn)
        if slug == "base_two":
            return {
                "log_probabilities": [log / math.log(2) for log in logs],
                "loss": right["loss"] / math.log(2),
            }
        losses = {
            "not_smoothed": -logs[label],
            "spread_over_others": -sum(
                y * log for y, log in zip(_targets(drawn, "others"), logs, strict=True)
            ),
            "true_class_only": -_targets(drawn)[label] * logs[label],
        }
        return {"log_probabilities": logs, "loss": losses[slug]}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part != "loss":
            return None
        return -sum(y * log for y, log in zip(_targets(drawn), earlier["log_probabilities"], strict=True))

    def prompt(self, drawn: Drawn) -> Prompt:
        classes, label = len(drawn["logits"]), drawn["label"] + 1
        return Prompt(
            task=Text(
                f"这个 token 的真实类别是第 {label} 类。算出带标签平滑的交叉熵。",
                f"The true class of this token is number {label}. Work out the cross-entropy with "
                "label smoothing.",
            ),
            givens=(
                Given(
                    name="z",
                    value=drawn["logits"],
                    role="s",
                    note=Text("logits，从第 1 类起", "logits, from class 1"),
                ),
                Given(name="ε", value=EPSILON),
            ),
            conventions=(
                Text(
                    f"$\\varepsilon/K$ 的形式，$K = {classes}$：真实类别的目标是 $1-\\varepsilon+\\"
                    "varepsilon/K$，其余各是 $\\varepsilon/K$。",
                    f"The $\\varepsilon/K$ form, $K = {classes}$: the target is $1-\\varepsilon+\\"
                    "varepsilon/K$ for the true class and $\\varepsilon/K$ for each other.",
                ),
                Text(
                    "$p = \\text{softmax}(z)$，交叉熵是 $-\\sum_k y_k \\ln p_k$，用自然对数；类别从 1 数。",
                    "$p = \\text{softmax}(z)$, the cross-entropy is $-\\sum_k y_k \\ln p_k$ with "
                    "the natural logarithm; classes count from 1.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        logits, logs, targets = drawn["logits"], _logs(drawn), _targets(drawn)
        total = sum(math.exp(value) for value in logits)
        terms = " + ".join(
            rf"{tex(y)} \times {tex_factor(log)}" for y, log in zip(targets, logs, strict=True)
        )
        return (
            SolutionStep(
                text=told(
                    "先算每一类的 $\\ln p$，也就是 logit 减去 $\\ln\\sum e^{z}$：",
                    "First $\\ln p$ of every class, its logit less $\\ln\\sum e^{z}$:",
                    rf"\ln \sum_k e^{{z_k}} \approx {tex(math.log(total))}",
                    rf"\ln p \approx {tex(logs)}",
                ),
                part="log_probabilities",
                figure=Given(name="ln p", value=logs, role="s"),
            ),
            SolutionStep(
                text=told(
                    "平滑后的目标加起来还是 1：",
                    "The smoothed targets still sum to 1:",
                    rf"y = {tex(targets)}",
                )
            ),
            SolutionStep(
                text=told(
                    "每一类都有一项：",
                    "Every class has a term:",
                    rf"-\left({terms}\right) \approx {tex(self.right(drawn)['loss'])}",
                ),
                part="loss",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text(
                "先写出平滑后的目标分布，检查它加起来等于 1。",
                "First write down the smoothed targets and check that they sum to 1.",
            ),
            Text(
                "$\\ln p_k = z_k - \\ln\\sum e^{z}$，不必真的算出每个概率。",
                "$\\ln p_k = z_k - \\ln\\sum e^{z}$: the probabilities themselves are not needed.",
            ),
            Text(
                f"目标是 ${tex(_targets(drawn))}$，$\\ln p \\approx {tex(_logs(drawn))}$；逐项相乘、"
                "相加、取负。",
                f"The targets are ${tex(_targets(drawn))}$, $\\ln p \\approx {tex(_logs(drawn))}$; "
                "multiply, add, change the sign.",
            ),
        )


def _logs(drawn: Drawn) -> list[float]:
    return [float(value) for value in log_softmax(np.array(drawn["logits"], dtype=np.float64))]


def _targets(drawn: Drawn, form: str = "all") -> list[float]:
    label = np.array([drawn["label"]])
    return [
        float(y) for y in smooth_targets(label, classes=len(drawn["logits"]), epsilon=EPSILON, form=form)[0]
    ]
