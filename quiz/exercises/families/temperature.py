"""C5: a softmax with a temperature."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.softmax import softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

ENTRIES = 3
SATURATED, FAINT = 0.95, 0.001  # weights beyond these hide the others, or hide among zeros


@register
class Temperature(Family):
    """Drawn: scores, three different integers; temperature, 0.5, 2 or 4."""

    slug = "temperature"
    code = "C5"
    title = Text("带温度的 softmax", "A softmax with temperature")
    sections = ("7.9",)
    questions = (12,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="multiplied_by_temperature",
            title=Text("分数乘了温度，没有除", "scores multiplied by the temperature instead of divided"),
            told=Text(
                "指数里用的是 $sT$：尖锐和平缓正好反了。",
                "The exponents were $sT$, which exchanges sharper and flatter.",
            ),
            question=Text(
                "温度升高时，分布应当更平还是更尖？你的结果朝哪边走了？",
                "Should a higher temperature make the weights more even or more peaked? Which way did "
                "yours go?",
            ),
            caption=Text("乘以温度会得到", "Multiplying by the temperature"),
        ),
        Misconception(
            slug="weights_divided",
            title=Text("softmax 之后才除以温度", "the weights divided by the temperature"),
            told=Text(
                "先做了 softmax，再把权重除以 $T$，加起来不再是 1。",
                "The softmax came first and its weights were divided by $T$, so they no longer sum to 1.",
            ),
            question=Text(
                "你的三个权重加起来是多少？温度应当改变总量，还是改变分配？",
                "What do your three weights add up to? Should a temperature change the total or the shares?",
            ),
            caption=Text("权重除以温度会得到", "Dividing the weights"),
        ),
        Misconception(
            slug="temperature_ignored",
            title=Text("没有用上温度", "a temperature that was left out"),
            told=Text(
                "直接对原来的分数做了 softmax，相当于 $T = 1$。",
                "The softmax saw the scores as they stand, which is $T = 1$.",
            ),
            question=Text(
                "题目给的 $T$ 是多少？它应当作用在哪一步？",
                "What is $T$ here, and at which step does it act?",
            ),
            caption=Text("不用温度会得到", "Without the temperature"),
        ),
        Misconception(
            slug="weights_to_the_power",
            title=Text("对权重取了 T 次方，没有归一", "weights raised to the power T, not normalised"),
            told=Text(
                "给出的是 $p^{T}$：指数的方向反了，取幂之后也没有再除以总和。",
                "This is $p^{T}$: the power goes the wrong way, and the results were not divided by "
                "their sum.",
            ),
            question=Text(
                "$e^{s/T}$ 是 $e^{s}$ 的几次方？取幂之后，加起来还是 1 吗？",
                "Which power of $e^{s}$ is $e^{s/T}$? And do the results still sum to 1?",
            ),
            caption=Text("取 T 次方会得到", "Raising to the power T"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="weights", kind="vector", label=Text("权重", "weights"), shape=(ENTRIES,), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "scores": rng.choice(np.arange(-3, 5), ENTRIES, replace=False).tolist(),
            "temperature": float(rng.choice([0.5, 2.0, 4.0])),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The largest score is not negative, no weight takes nearly all or nearly none, and rounded work is
        right."""
        scaled = np.array([_scaled(drawn)])
        weights = softmax(scaled)
        if scaled.max() < 0 or weights.max() >= SATURATED or weights.min() < FAINT:
            return False
        return honesty.survives(scaled, np.eye(ENTRIES), weights)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"weights": softmax(np.array(_scaled(drawn))).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        scores, temperature = np.array(drawn["scores"], dtype=np.float64), drawn["temperature"]
        plain = softmax(scores)
        weights = {
            "multiplied_by_temperature": softmax(scores * temperature),
            "weights_divided": plain / temperature,
            "temperature_ignored": plain,
            "weights_to_the_power": plain**temperature,
        }
        return {"weights": weights[slug].tolist()}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "温度为 $T$ 时，这一行分数的 softmax 权重是多少？",
                "What are the softmax weights of this row of scores at temperature $T$?",
            ),
            givens=(
                Given(name="s", value=drawn["scores"], role="s"),
                Given(name="T", value=drawn["temperature"], note=Text("温度", "temperature")),
            ),
            conventions=(
                Text(
                    "带温度的 softmax 是 $e^{s_j/T} / \\sum_k e^{s_k/T}$，指数以自然常数 $e$ 为底。",
                    "At temperature $T$ the softmax is $e^{s_j/T} / \\sum_k e^{s_k/T}$, with the "
                    "natural exponential $e^x$.",
                ),
                Text(
                    "除温度以外不再缩放，也没有掩码。",
                    "There is no scaling but the temperature, and no mask.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        scaled, temperature = _scaled(drawn), drawn["temperature"]
        flatter = temperature > 1
        return (
            SolutionStep(
                text=told(
                    "分数先除以温度：",
                    "First the scores are divided by the temperature:",
                    rf"\frac{{1}}{{{tex(temperature, 1)}}} \times {tex(drawn['scores'])} = {tex(scaled)}",
                )
            ),
            SolutionStep(
                text=told("再照常做 softmax：", "Then the softmax as usual:", *weights_lines(scaled)),
                part="weights",
                figure=Given(name="a", value=self.right(drawn)["weights"], role="s"),
            ),
            SolutionStep(
                text=Text(
                    f"自查：$T {'>' if flatter else '<'} 1$，分数之差被{'缩小' if flatter else '放大'}，"
                    f"权重比 $T = 1$ 时更{'平' if flatter else '尖'}。除以 $\\sqrt{{d_k}}$ 就是 "
                    f"$T = \\sqrt{{d_k}}$ 的温度。",
                    f"Check: with $T {'>' if flatter else '<'} 1$ the differences "
                    f"{'shrink' if flatter else 'grow'}, so the weights are "
                    f"{'more even' if flatter else 'more peaked'} than at $T = 1$. Dividing by "
                    f"$\\sqrt{{d_k}}$ is a temperature of $\\sqrt{{d_k}}$.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        exponentials = [math.exp(score) for score in _scaled(drawn)]
        return (
            Text(
                "温度作用在分数上，在取指数之前。",
                "The temperature acts on the scores, before the exponentials.",
            ),
            Text(
                f"先算 $s/T$：${tex(_scaled(drawn))}$，再做普通的 softmax。",
                f"First $s/T$: ${tex(_scaled(drawn))}$, then an ordinary softmax.",
            ),
            Text(
                f"指数是 ${tex(exponentials)}$，还差除以总和。",
                f"The exponentials are ${tex(exponentials)}$; the sum is left to divide by.",
            ),
        )


def _scaled(drawn: Drawn) -> list[float]:
    return [score / drawn["temperature"] for score in drawn["scores"]]
