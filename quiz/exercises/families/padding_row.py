"""E1: one row of attention over padded keys: masked scores, weights, output."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import faults, masks, pipeline
from attention_core.faults.hiding import FINITE_FILL
from attention_core.inputs import Inputs
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import mixed_line, told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.mask_mistakes import MASK_MISTAKES
from quiz.exercises.padding_mistakes import PADDING_MISTAKES
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
SATURATED = 0.95


@register
class PaddingRow(Family):
    """Drawn: scaled, the asked row's scores (5) in halves; v (5, 2) integers; real, how many tokens are no
    padding; row from 0, itself a row of padding, so that hiding rows and hiding columns differ.
    """

    slug = "padding_row"
    code = "E1"
    title = Text("有 PAD 时算出注意力的一行", "One row of attention with padding")
    sections = ("7.16",)
    questions = (21,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = tuple(
        (ATTENTION_MISTAKES | MASK_MISTAKES | PADDING_MISTAKES)[slug] for slug in faults.PADDING_ROW
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
        real = int(rng.choice([2, 3]))
        return {
            "scaled": [
                *(rng.choice(np.arange(-3, 4), real, replace=False) / 2).tolist(),
                *(rng.choice(np.arange(2, 7), TOKENS - real, replace=False) / 2).tolist(),
            ],
            "v": rng.integers(-2, 4, (TOKENS, WIDTH)).tolist(),
            "real": real,
            "row": int(rng.integers(real, TOKENS)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """Every padded key scores above every real one, the real ones reach 0 without saturation, no two
        rows of V are equal, and honest rounding comes out right.
        """
        real, scaled = drawn["real"], drawn["scaled"]
        if min(scaled[real:]) <= max(scaled[:real]) or max(scaled[:real]) < 0:
            return False
        if len({tuple(value) for value in drawn["v"]}) < TOKENS:
            return False
        t, row = pipeline.follow(_inputs(drawn)), slice(drawn["row"], drawn["row"] + 1)
        if t.weights[row].max() >= SATURATED:
            return False
        return honesty.survives(t.masked[row], t.v, t.output[row])

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

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part not in ("weights", "output"):
            return None
        row, v = np.array([drawn["scaled"]], dtype=np.float64), np.array(drawn["v"], dtype=np.float64)
        return resumed_row(pipeline.prepare(row, np.eye(TOKENS), v, scale=1.0), earlier, part)

    def prompt(self, drawn: Drawn) -> Prompt:
        row, real = drawn["row"] + 1, drawn["real"]
        return Prompt(
            task=Text(
                f"一句 {real} 个 token 的话用 PAD 补到了 {TOKENS} 个，做单头双向自注意力。给出的是第 {row} "
                "行的分数，这一行自己就是 PAD。按规矩遮住 PAD，算出这一行的输出。",
                f"A sentence of {real} tokens is padded to {TOKENS} for single-head self-attention in both "
                f"directions. The scores of row {row} are given, a row that is itself padding. Hide the "
                "padding as it should be and work out this row's output.",
            ),
            givens=(
                Given(name=f"s_{row}", value=drawn["scaled"], role="s"),
                Given(name="m", value=_real(drawn), note=Text("1 真实，0 是 PAD", "1 real, 0 padding")),
                Given(name="V", value=drawn["v"], role="v"),
            ),
            conventions=(
                Text(
                    "分数已经除过 $\\sqrt{d_k}$，还没有加掩码；没有因果掩码。",
                    "The scores are already divided by $\\sqrt{d_k}$ and not yet masked; there is no "
                    "causal mask.",
                ),
                Text(
                    "掩码作用在 key 上：PAD 不许被任何一行看；PAD 自己的行照常计算，输出以后会丢掉。",
                    "The mask acts on keys: no row may see the padding. Rows of padding are worked out "
                    "like any other; their output is dropped later.",
                ),
                Text(
                    "看不见的分数记作 `-inf`（或 −∞）。",
                    "A hidden score is written `-inf` (or −∞).",
                ),
                say.SOFTMAX_OVER_KEYS,
                Text("没有 dropout，最后不乘 $W_O$。", "No dropout, and no $W_O$ at the end."),
                say.COUNTED_FROM_ONE,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        row, real, right = drawn["row"] + 1, drawn["real"], self.right(drawn)
        return (
            SolutionStep(
                text=told(
                    f"只有前 {real} 个 key 是真的，其余的列填 $-\\infty$，哪一行都一样：",
                    f"Only the first {real} keys are real; the other columns become $-\\infty$, in every "
                    "row alike:",
                    tex(right["masked"]),
                ),
                part="masked",
                figure=Given(name=f"s_{row}", value=right["masked"], role="s"),
            ),
            SolutionStep(
                text=told(
                    f"$e^{{-\\infty}} = 0$，softmax 只在 {real} 个真实的 key 之间分：",
                    f"$e^{{-\\infty}} = 0$, so the softmax shares among the {real} real keys only:",
                    *weights_lines(right["masked"][:real]),
                ),
                part="weights",
                figure=Given(name=f"a_{row}", value=right["weights"], role="s"),
            ),
            SolutionStep(
                text=told(
                    f"用这些权重汇总 $V$ 的前 {real} 行：",
                    f"Add up the first {real} rows of $V$ by these weights:",
                    mixed_line(right["weights"], drawn["v"], f"o_{{{row}}}"),
                ),
                part="output",
                figure=Given(name=f"o_{row}", value=right["output"], role="o"),
            ),
            SolutionStep(
                text=Text(
                    "自查：PAD 的分数最高，权重却是 0；再多补几个 PAD，结果一点也不变。",
                    "Check: the padding scored highest and yet weighs 0; adding more of it changes nothing.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        real = drawn["real"]
        return (
            Text(
                "先想清楚要拦住的是「谁去看」还是「谁被看」。",
                "First settle whether someone is to be stopped from looking, or something from being seen.",
            ),
            Text(
                "PAD 的列要在 softmax 之前去掉：填成多少，指数才是 0？",
                "The columns of the padding go before the softmax: what must stand there for the "
                "exponential to be 0?",
            ),
            Text(
                f"只剩 {real} 个分数 ${tex(drawn['scaled'][:real])}$，对它们做 softmax，再汇总 $V$ 的前 "
                f"{real} 行。",
                f"{real} scores are left, ${tex(drawn['scaled'][:real])}$: take their softmax and add up "
                f"the first {real} rows of $V$.",
            ),
        )


def _real(drawn: Drawn) -> list[int]:
    return [int(seen) for seen in masks.padding([drawn["real"]], keys=TOKENS)[0, 0, 0]]


def _inputs(drawn: Drawn) -> Inputs:
    """The asked row as q·Iᵀ with scale 1; the other rows are 0, nothing depends on them."""
    scaled = np.zeros((TOKENS, TOKENS))
    scaled[drawn["row"]] = drawn["scaled"]
    v = np.array(drawn["v"], dtype=np.float64)
    return pipeline.prepare(
        scaled, np.eye(TOKENS), v, mask=masks.padding([drawn["real"]], keys=TOKENS)[0, 0], scale=1.0
    )


def _values(drawn: Drawn, trace: pipeline.Trace) -> Values:
    """The asked row. A large negative fill counts as −∞, which is how it would be written down."""

    def row(name: str) -> Any:
        return (trace[name][drawn["row"]] + 0.0).tolist()

    masked = [-np.inf if score <= FINITE_FILL / 2 else score for score in row("masked")]
    return {"masked": masked, "weights": row("weights"), "output": row("output")}
