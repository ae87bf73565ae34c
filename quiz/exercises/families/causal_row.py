"""E2: one row of causal attention, from the scaled scores and V: masked scores, weights, output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from attention_core import faults, pipeline
from attention_core.inputs import Inputs
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import mixed_line, told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.mask_mistakes import MASK_MISTAKES
from quiz.exercises.pairing import paired
from quiz.exercises.registry import register
from quiz.exercises.resuming import resumed_row
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

TOKENS, WIDTH = 5, 2
ROWS = (1, 2)  # from 0: at least two keys seen and two hidden, so that seeing one ahead is not seeing all
SATURATED = 0.95


@register
class CausalRow(Family):
    """Drawn: scaled (5, 5) of halves, v (5, 2) integers, row from 0."""

    slug = "causal_row"
    code = "E2"
    title = Text("算出因果注意力的一行", "One row of causal attention")
    sections = ("7.17",)
    questions = (16, 22)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = tuple(
        (ATTENTION_MISTAKES | MASK_MISTAKES)[slug] for slug in faults.CAUSAL_ROW
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="masked",
            kind="vector",
            label=Text("掩码后的分数", "masked scores"),
            shape=(TOKENS,),
            role="s",
            required=False,
            infinite=True,
        ),
        Part(
            name="weights",
            kind="vector",
            label=Text("权重", "weights"),
            shape=(TOKENS,),
            role="s",
            required=False,
            uses=("masked",),
        ),
        Part(
            name="output",
            kind="vector",
            label=Text("输出", "output"),
            shape=(WIDTH,),
            role="o",
            uses=("weights",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "scaled": (rng.integers(-3, 6, (TOKENS, TOKENS)) / 2).tolist(),
            "v": rng.integers(-2, 4, (TOKENS, WIDTH)).tolist(),
            "row": int(rng.choice(ROWS)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The asked row's scores are all different; what it sees has a maximum ≥ 0 and is not saturated;
        no two rows of V are equal; honest rounding comes out right.
        """
        row, scaled = drawn["row"], drawn["scaled"][drawn["row"]]
        if len(set(scaled)) < TOKENS or max(scaled[: row + 1]) < 0:
            return False
        if len({tuple(value) for value in drawn["v"]}) < TOKENS:
            return False
        t = pipeline.follow(_inputs(drawn))
        if t.weights[row].max() >= SATURATED:
            return False
        return honesty.survives(t.masked[row : row + 1], t.v, t.output[row : row + 1])

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn)))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn), faults.steps_with(slug)))

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        inputs = _inputs(drawn)
        return {
            m.slug: _values(drawn, pipeline.follow(inputs, faults.steps_with(m.slug)))
            for m in self.misconceptions
        }

    def pairs(self, drawn: Drawn, part: str) -> Mapping[tuple[str, str], Value]:
        runs = paired(_inputs(drawn), self.misconceptions)
        return {pair: _value(drawn, trace, part) for pair, trace in runs}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part not in ("weights", "output"):
            return None
        row = np.array([drawn["scaled"][drawn["row"]]], dtype=np.float64)
        v = np.array(drawn["v"], dtype=np.float64)
        return resumed_row(pipeline.prepare(row, np.eye(TOKENS), v, scale=1.0), earlier, part)

    def prompt(self, drawn: Drawn) -> Prompt:
        row = drawn["row"] + 1
        return Prompt(
            task=Text(
                f"{TOKENS} 个 token 做单头因果自注意力。$S$ 已经除过 $\\sqrt{{d_k}}$，还没有加掩码。算出第 "
                f"{row} 行的输出。",
                f"Single-head causal self-attention over {TOKENS} tokens. $S$ is already divided by "
                f"$\\sqrt{{d_k}}$ but not yet masked. Work out row {row} of the output.",
            ),
            givens=(
                Given(name="S", value=drawn["scaled"], role="s", lit=drawn["row"]),
                Given(name="V", value=drawn["v"], role="v"),
            ),
            conventions=(
                Text(
                    "$S$ 的行是 query、列是 key，不用再缩放。",
                    "The rows of $S$ are queries, its columns keys; no further scaling.",
                ),
                Text(
                    "因果掩码：每个 token 看得见自己和前面的，看不见后面的；看不见的分数记作 `-inf`（或 "
                    "−∞）。",
                    "Causal mask: a token sees itself and those before it, none after it; a hidden score is "
                    "written `-inf` (or −∞).",
                ),
                say.SOFTMAX_OVER_KEYS,
                Text("没有 dropout，最后不乘 $W_O$。", "No dropout, and no $W_O$ at the end."),
                say.COUNTED_FROM_ONE,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        row, right = drawn["row"] + 1, self.right(drawn)
        seen = right["masked"][:row]
        return (
            SolutionStep(
                text=told(
                    f"第 {row} 行只看得见前 {row} 个 key，其余填 $-\\infty$：",
                    f"Row {row} sees the first {row} keys only; the others become $-\\infty$:",
                    tex(right["masked"]),
                ),
                part="masked",
                figure=Given(name=f"s_{row}", value=right["masked"], role="s"),
            ),
            SolutionStep(
                text=told(
                    "$e^{-\\infty} = 0$，所以 softmax 只在看得见的分数上做，它们的权重加起来是 1：",
                    "$e^{-\\infty} = 0$, so the softmax shares among the visible scores only, and they sum "
                    "to 1:",
                    *weights_lines(seen),
                ),
                part="weights",
                figure=Given(name=f"a_{row}", value=right["weights"], role="s"),
            ),
            SolutionStep(
                text=told(
                    f"用这些权重汇总 $V$ 的前 {row} 行：",
                    f"Add up the first {row} rows of $V$ by these weights:",
                    mixed_line(right["weights"], drawn["v"], f"o_{{{row}}}"),
                ),
                part="output",
                figure=Given(name=f"o_{row}", value=right["output"], role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row = drawn["row"] + 1
        seen = self.right(drawn)["masked"][:row]
        return (
            Text(
                f"先想清楚第 {row} 行看得见哪几列，自己算不算在内。",
                f"First settle which columns row {row} may see, and whether itself is among them.",
            ),
            Text(
                "看不见的要在 softmax 之前去掉：填成多少，指数才是 0？",
                "Hidden scores go before the softmax: what must stand there for the exponential to be 0?",
            ),
            Text(
                f"只剩 {row} 个分数 ${tex(seen)}$，对它们做 softmax，再汇总 $V$ 的前 {row} 行。",
                f"{row} scores are left, ${tex(seen)}$: take their softmax and add up the first {row} rows "
                "of $V$.",
            ),
        )


def _inputs(drawn: Drawn) -> Inputs:
    """The given scores as q·Iᵀ: with unit keys and scale 1 the pipeline starts from them."""
    scaled = np.array(drawn["scaled"], dtype=np.float64)
    v = np.array(drawn["v"], dtype=np.float64)
    return pipeline.prepare(scaled, np.eye(TOKENS), v, causal="top_left", scale=1.0)


def _value(drawn: Drawn, trace: pipeline.Trace, part: str) -> Value:
    return (trace[part][drawn["row"]] + 0.0).tolist()


def _values(drawn: Drawn, trace: pipeline.Trace) -> Values:
    return {part: _value(drawn, trace, part) for part in ("masked", "weights", "output")}
