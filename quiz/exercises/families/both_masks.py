"""E3: one row of weights under padding on the left and a causal mask at once."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import faults, masks, pipeline
from attention_core.inputs import Inputs
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.padding_mistakes import PADDING_MISTAKES
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS = 6
SATURATED = 0.95


@register
class BothMasks(Family):
    """Drawn: scaled, the asked row's scores (6), different halves; pads on the left, 1 or 2; row from 0, with
    at least two keys seen and one hidden by the causal mask.
    """

    slug = "both_masks"
    code = "E3"
    title = Text("两种掩码一起用", "Two masks at once")
    sections = ("7.16", "7.17")
    questions = (23,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = tuple(
        PADDING_MISTAKES[slug] for slug in faults.BOTH_MASKS
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
            uses=("masked",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        pads = int(rng.choice([1, 2]))
        return {
            "scaled": (rng.choice(np.arange(-3, 6), TOKENS, replace=False) / 2).tolist(),
            "pads": pads,
            "row": int(rng.integers(pads + 1, TOKENS - 1)),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """What the row sees reaches 0 without saturation, and honest rounding comes out right."""
        row = slice(drawn["row"], drawn["row"] + 1)
        t = pipeline.follow(_inputs(drawn))
        if t.masked[row].max() < 0 or t.weights[row].max() >= SATURATED:
            return False
        return honesty.survives(t.masked[row], np.eye(TOKENS), t.weights[row])

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn)))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return _values(drawn, pipeline.follow(_inputs(drawn), faults.steps_with(slug)))

    def prompt(self, drawn: Drawn) -> Prompt:
        row, pads = drawn["row"] + 1, drawn["pads"]
        return Prompt(
            task=Text(
                f"解码器里一条序列左边补了 {pads} 个 PAD，一共 {TOKENS} 个位置，做因果自注意力。给出第 "
                f"{row} 行的分数，算出这一行的权重。",
                f"In a decoder a sequence has {_padding_tokens(pads)} on its left, {TOKENS} positions in "
                f"all, and attends causally. The scores of row {row} are given; work out its weights.",
            ),
            givens=(
                Given(name=f"s_{row}", value=drawn["scaled"], role="s"),
                Given(
                    name="m",
                    value=[int(seen) for seen in _padding(drawn)[0]],
                    note=Text("1 真实，0 是 PAD", "1 real, 0 padding"),
                ),
            ),
            conventions=(
                Text(
                    "分数已经除过 $\\sqrt{d_k}$，还没有加任何掩码。",
                    "The scores are already divided by $\\sqrt{d_k}$ and not yet masked in any way.",
                ),
                Text(
                    "因果掩码：每个 token 看得见自己和前面的。PAD 不许被任何一行看。",
                    "Causal mask: a token sees itself and those before it. No row may see the padding.",
                ),
                Text(
                    "看不见的分数记作 `-inf`（或 −∞），权重是 0，也要写出来。",
                    "A hidden score is written `-inf` (or −∞); its weight is 0 and is written too.",
                ),
                say.SOFTMAX_OVER_KEYS,
                say.COUNTED_FROM_ONE,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        row, pads, right = drawn["row"] + 1, drawn["pads"], self.right(drawn)
        return (
            SolutionStep(
                text=told(
                    f"padding 掩码遮掉前 {pads} 列，因果掩码遮掉第 {row} 列后面的。有一个遮，就看不见：",
                    f"The padding mask hides the columns up to {pads}, the causal mask those after {row}. "
                    "Hidden by either is hidden:",
                    tex(right["masked"]),
                ),
                part="masked",
                figure=Given(name=f"s_{row}", value=right["masked"], role="s"),
            ),
            SolutionStep(
                text=told(
                    f"剩下第 {pads + 1} 到第 {row} 列，softmax 只在它们之间分：",
                    f"Columns {pads + 1} to {row} are left, and the softmax shares among them only:",
                    *weights_lines(right["masked"][pads:row]),
                ),
                part="weights",
                figure=Given(name=f"a_{row}", value=right["weights"], role="s"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row, pads = drawn["row"] + 1, drawn["pads"]
        return (
            Text(
                "两个掩码各自遮住哪些列？先分别写出来。",
                "Which columns does each mask hide? Write the two lists first.",
            ),
            Text(
                "要两个掩码都放行，这一列才看得见。",
                "A column is seen only if both masks let it through.",
            ),
            Text(
                f"看得见的是第 {pads + 1} 到第 {row} 列，分数是 ${tex(drawn['scaled'][pads:row])}$。",
                f"Columns {pads + 1} to {row} are seen, with the scores ${tex(drawn['scaled'][pads:row])}$.",
            ),
        )


def _padding_tokens(pads: int) -> str:
    return f"{pads} padding token{'s' if pads > 1 else ''}"


def _padding(drawn: Drawn) -> Any:
    """(1, keys): True at the real ones, which stand on the right."""
    return masks.padding([TOKENS - drawn["pads"]], keys=TOKENS, side="left")[0, 0]


def _inputs(drawn: Drawn) -> Inputs:
    """The asked row as q·Iᵀ with scale 1; the other rows are 0, nothing depends on them."""
    scaled = np.zeros((TOKENS, TOKENS))
    scaled[drawn["row"]] = drawn["scaled"]
    one = np.eye(TOKENS)
    return pipeline.prepare(scaled, one, one, mask=_padding(drawn), causal="top_left", scale=1.0)


def _values(drawn: Drawn, trace: pipeline.Trace) -> Values:
    return {name: (trace[name][drawn["row"]] + 0.0).tolist() for name in ("masked", "weights")}
