"""B6: weights from large dot products, rescued by the scaling."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.softmax import softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import scaled_line, told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

ENTRIES = 3
SQUARES = (16, 25, 36, 49, 64)
HALVES = (0.0, 0.5, 1.0, 1.5)  # what the scaled scores may be


@register
class Saturation(Family):
    """Drawn: d_k, a square; scores, the raw row: √d_k times three different halves between 0 and 1.5."""

    slug = "saturation"
    code = "B6"
    title = Text("缩放让 softmax 不饱和", "Scaling keeps the softmax from saturating")
    sections = ("7.9", "7.10")
    questions = (12,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        ATTENTION_MISTAKES["no_scale"],
        ATTENTION_MISTAKES["scale_by_d_k"],
        ATTENTION_MISTAKES["scaled_after_softmax"],
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="weights", kind="vector", label=Text("权重", "weights"), shape=(ENTRIES,), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        d_k = int(rng.choice(SQUARES))
        halves = rng.choice(HALVES, ENTRIES, replace=False)
        return {"d_k": d_k, "scores": (math.isqrt(d_k) * halves).tolist()}

    def accepts(self, drawn: Drawn) -> bool:
        scaled = np.array([_scaled(drawn)])
        return honesty.survives(scaled, np.eye(ENTRIES), softmax(scaled))

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"weights": softmax(np.array(_scaled(drawn))).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        scores, d_k = np.array(drawn["scores"]), drawn["d_k"]
        weights = {
            "no_scale": softmax(scores),
            "scale_by_d_k": softmax(scores / d_k),
            "scaled_after_softmax": softmax(scores) / math.sqrt(d_k),
        }
        return {"weights": weights[slug].tolist()}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "这一行是 $q$ 和三个 key 的点积，还没有缩放。算出注意力权重。",
                "This row holds the dot products of $q$ with three keys, not yet scaled. Work out the "
                "attention weights.",
            ),
            givens=(
                Given(name="s", value=drawn["scores"], role="s"),
                Given(
                    name="d_k",
                    value=drawn["d_k"],
                    note=Text("每个头里 q、k 的宽度", "width of q and k in one head"),
                ),
            ),
            conventions=(
                say.SCALED_BY_HEAD_WIDTH,
                say.SOFTMAX_OVER_KEYS,
                Text("没有掩码。", "There is no mask."),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        scaled, unscaled = _scaled(drawn), self.mistaken(drawn, "no_scale")["weights"]
        return (
            SolutionStep(
                text=told(
                    f"先除以 $\\sqrt{{{drawn['d_k']}}} = {math.isqrt(drawn['d_k'])}$：",
                    f"First divide by $\\sqrt{{{drawn['d_k']}}} = {math.isqrt(drawn['d_k'])}$:",
                    scaled_line(drawn["scores"], drawn["d_k"]).replace(r"\approx", "="),
                )
            ),
            SolutionStep(
                text=told("再做 softmax：", "Then the softmax:", *weights_lines(scaled)),
                part="weights",
                figure=Given(name="a", value=self.right(drawn)["weights"], role="s"),
            ),
            SolutionStep(
                text=Text(
                    f"不缩放的话，最大的权重会是 ${tex(max(unscaled))}$：接近 one-hot，softmax 的导数 "
                    f"$p_i(1-p_i)$、$-p_ip_j$ 都接近 0，几乎学不动。",
                    f"Unscaled, the largest weight would be ${tex(max(unscaled))}$: nearly one-hot, "
                    f"where the derivatives of the softmax, $p_i(1-p_i)$ and $-p_ip_j$, are close to 0 "
                    f"and little can be learnt.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        return (
            Text("点积这么大，先别急着取指数。", "With dot products this large, hold back the exponentials."),
            Text(
                "每个点积除以 $\\sqrt{d_k}$，然后才是 softmax。",
                "Divide each dot product by $\\sqrt{d_k}$, and only then take the softmax.",
            ),
            Text(
                f"缩放后是 ${tex(_scaled(drawn))}$，指数是 ${tex([math.exp(s) for s in _scaled(drawn)])}$。",
                f"Scaled they are ${tex(_scaled(drawn))}$, with exponentials "
                f"${tex([math.exp(s) for s in _scaled(drawn)])}$.",
            ),
        )


def _scaled(drawn: Drawn) -> list[float]:
    return [score / math.sqrt(drawn["d_k"]) for score in drawn["scores"]]
