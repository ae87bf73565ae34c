"""I1: the learning rate of the original Transformer during warmup."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.training import noam_rate
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

SHOWN = 10**4  # the rate is asked times this


def _digits(number: float) -> str:
    """The four leading digits."""
    return f"{number:.3e}".split("e")[0]


@register
class NoamRate(Family):
    """Drawn: step, in the warmup; warmup; d_model."""

    slug = "noam"
    code = "I1"
    title = Text("算出 warmup 阶段的学习率", "The learning rate during warmup")
    sections = ("7.23",)
    questions = (34,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="maximum",
            title=Text("min 取成了 max", "the maximum of the two terms instead of the minimum"),
            told=Text(
                "取的是较大的那一项 $t^{-1/2}$：那样没有 warmup，一开始就最大。",
                "The larger term $t^{-1/2}$ was taken; then there would be no warmup and the rate "
                "would start at its highest.",
            ),
            question=Text(
                "warmup 期间，学习率应当随步数上升还是下降？",
                "During warmup, should the rate rise or fall with the steps?",
            ),
            caption=Text("取 max 会得到", "With the maximum"),
        ),
        Misconception(
            slug="no_width",
            title=Text("漏了 d_model 这个因子", "the factor of d_model left out"),
            told=Text(
                "只算了括号里的部分，没有乘 $d_\\text{model}^{-1/2}$。",
                "Only the bracket was worked out, without $d_\\text{model}^{-1/2}$.",
            ),
            question=Text(
                "模型越宽，学习率应当怎样变？你的结果和宽度有关吗？",
                "How should the rate change with the width, and does yours?",
            ),
            caption=Text("不乘宽度因子会得到", "Without the width"),
        ),
        Misconception(
            slug="width_not_rooted",
            title=Text("乘了 1/d_model，没有开方", "1/d_model without the root"),
            told=Text(
                "宽度的指数用成了 $-1$，应当是 $-1/2$。",
                "The exponent of the width was $-1$ instead of $-1/2$.",
            ),
            question=Text(
                "公式里 $d_\\text{model}$ 的指数是多少？",
                "What is the exponent of $d_\\text{model}$ in the formula?",
            ),
            caption=Text("用 1/d_model 会得到", "With 1/d_model"),
        ),
        Misconception(
            slug="only_progress",
            title=Text("只算了 t/w", "the progress t/w only"),
            told=Text(
                "给出的是 warmup 走完的比例，不是学习率本身。",
                "What you gave is how much of the warmup has passed, not the rate.",
            ),
            question=Text(
                "$t = w$ 时学习率到顶。顶点是 1 吗？", "At $t = w$ the rate peaks. Is that peak 1?"
            ),
            caption=Text("只算 t/w 会得到", "With t/w only"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="rate", kind="scalar", label=Text("学习率 × 10⁴", "learning rate × 10⁴")),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        warmup = int(rng.choice([2000, 3000, 4000, 5000, 6000, 8000, 10000]))
        return {
            "step": warmup * int(rng.integers(4, 19)) // 20,
            "warmup": warmup,
            "d_model": int(rng.choice([256, 384, 512, 640, 768, 1024])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The numbers of the first step do not read like the answer."""
        step, warmup = drawn["step"], drawn["warmup"]
        rate = noam_rate(step, d_model=drawn["d_model"], warmup=warmup)
        return _digits(rate) not in (_digits(step**-0.5), _digits(step * warmup**-1.5))

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"rate": SHOWN * noam_rate(drawn["step"], d_model=drawn["d_model"], warmup=drawn["warmup"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        step, warmup, width = drawn["step"], drawn["warmup"], drawn["d_model"]
        rising = step * warmup**-1.5
        rates = {
            "maximum": max(step**-0.5, rising) / math.sqrt(width),
            "no_width": min(step**-0.5, rising),
            "width_not_rooted": min(step**-0.5, rising) / width,
            "only_progress": step / warmup,
        }
        return {"rate": SHOWN * rates[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        given = (
            ("d_model", drawn["d_model"], Text("模型宽度", "model width")),
            ("w", drawn["warmup"], Text("warmup 步数", "warmup steps")),
            ("t", drawn["step"], Text("当前步数，从 1 数", "the current step, counted from 1")),
        )
        return Prompt(
            task=Text(
                "按原始 Transformer 的学习率计划，第 $t$ 步的学习率是多少？写出它乘 $10^4$ 之后的数。",
                "By the schedule of the original Transformer, what is the learning rate at step "
                "$t$? Give it times $10^4$.",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    "$\\text{lr}(t) = d_\\text{model}^{-1/2} \\cdot \\min(t^{-1/2},\\ t \\cdot "
                    "w^{-3/2})$，前面没有别的系数。",
                    "$\\text{lr}(t) = d_\\text{model}^{-1/2} \\cdot \\min(t^{-1/2},\\ t \\cdot "
                    "w^{-3/2})$, with no other factor in front.",
                ),
                Text(
                    "例如学习率是 $2.5 \\times 10^{-4}$，就写 2.5。中间的数很小，请至少留 4 位有效数字。",
                    "For a rate of $2.5 \\times 10^{-4}$ write 2.5. Numbers on the way are small: "
                    "keep at least 4 significant digits.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        step, warmup, width = drawn["step"], drawn["warmup"], drawn["d_model"]
        return (
            SolutionStep(
                text=told(
                    f"$t = {step}$ 还没到 $w = {warmup}$，所以 $\\min$ 取上升的那一项：",
                    f"$t = {step}$ lies before $w = {warmup}$, so the minimum is the rising term:",
                    rf"t^{{-1/2}} \approx {_small(step**-0.5)},\quad t \cdot w^{{-3/2}} \approx "
                    rf"{_small(step * warmup**-1.5)}",
                )
            ),
            SolutionStep(
                text=told(
                    "乘 $d_\\text{model}^{-1/2}$，再乘 $10^4$：",
                    "Times $d_\\text{model}^{-1/2}$, and times $10^4$:",
                    rf"10^4 \times \frac{{{step}}}{{\sqrt{{{width}}} \times {warmup} \sqrt{{"
                    rf"{warmup}}}}} \approx {tex(self.right(drawn)['rate'])}",
                ),
                part="rate",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        rising = drawn["step"] * drawn["warmup"] ** -1.5
        return (
            Text(
                "先看第 $t$ 步在 warmup 之内还是之后，决定 $\\min$ 取哪一项。",
                "First see whether step $t$ lies within the warmup: that decides the minimum.",
            ),
            Text(
                "warmup 之内取 $t \\cdot w^{-3/2}$，它随 $t$ 线性上升。",
                "Within the warmup it is $t \\cdot w^{-3/2}$, which rises linearly with $t$.",
            ),
            Text(
                f"$t \\cdot w^{{-3/2}} \\approx {_small(rising)}$；还差除以 $\\sqrt{{"
                f"{drawn['d_model']}}}$，再乘 $10^4$。",
                f"$t \\cdot w^{{-3/2}} \\approx {_small(rising)}$; the division by $\\sqrt{{"
                f"{drawn['d_model']}}}$ and the $10^4$ are left.",
            ),
        )


def _small(value: float) -> str:
    """Four significant digits, as maths: `3.953 \\times 10^{-3}`."""
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}"
