"""D2: one row of the output of self-attention, from X and the projections, step by step."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core import faults, pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import mixed_line, scaled_line, scores_lines, told, weights_lines
from quiz.exercises.formatting import tex
from quiz.exercises.projected import D_K, TOKENS, ProjectedAttention, givens_of, inputs_of, listed
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Part, Prompt, SolutionStep, Text, Value

WHOLE = ("k", "v")  # parts that are matrices; the others are the asked row


@register
class AttentionRow(ProjectedAttention):
    """Drawn: as `ProjectedAttention`, and `row`, the asked row from 0."""

    slug = "attention_row"
    code = "D2"
    title = Text("算出注意力输出的一行", "One row of attention's output")
    sections = ("7.4", "7.12")
    questions = (7, 15)
    minutes = 4
    one_handed = False
    misconceptions = tuple(ATTENTION_MISTAKES[slug] for slug in faults.ATTENTION_ROW)

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="q",
            kind="vector",
            label=Text("这一行的 q", "this row's q"),
            shape=(D_K,),
            role="q",
            required=False,
        ),
        Part(name="k", kind="matrix", label=Text("K", "K"), shape=(TOKENS, D_K), role="k", required=False),
        Part(name="v", kind="matrix", label=Text("V", "V"), shape=(TOKENS, D_K), role="v", required=False),
        Part(
            name="scores",
            kind="vector",
            label=Text("分数 q·kⱼ", "scores q·kⱼ"),
            shape=(TOKENS,),
            role="s",
            required=False,
            uses=("q", "k"),
        ),
        Part(
            name="scaled",
            kind="vector",
            label=Text("缩放后", "scaled"),
            shape=(TOKENS,),
            role="s",
            required=False,
            uses=("scores",),
        ),
        Part(
            name="weights",
            kind="vector",
            label=Text("权重", "weights"),
            shape=(TOKENS,),
            role="s",
            required=False,
            uses=("scaled",),
        ),
        Part(
            name="output",
            kind="vector",
            label=Text("输出", "output"),
            shape=(D_K,),
            role="o",
            uses=("weights", "v"),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {**super().draw(rng), "row": int(rng.integers(TOKENS))}

    def asked(self, drawn: Drawn) -> slice:
        return slice(drawn["row"], drawn["row"] + 1)

    def accepts(self, drawn: Drawn) -> bool:
        """No two keys get the same score from the asked row, besides what `ProjectedAttention` wants."""
        x, w_q, w_k = (np.array(drawn[name]) for name in ("x", "w_q", "w_k"))
        scores = (x[drawn["row"]] @ w_q) @ (x @ w_k).T
        return len(set(scores.tolist())) == TOKENS and super().accepts(drawn)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def value(self, drawn: Drawn, trace: pipeline.Trace, part: str) -> Value:
        return listed(trace[part] if part in WHOLE else trace[part][drawn["row"]])

    def prompt(self, drawn: Drawn) -> Prompt:
        row = drawn["row"] + 1
        return Prompt(
            task=Text(
                f"{TOKENS} 个 token 做单头自注意力。算出第 {row} 行的输出。",
                f"Single-head self-attention over {TOKENS} tokens. Work out row {row} of the output.",
            ),
            givens=givens_of(drawn, lit=drawn["row"]),
            conventions=(
                say.ROW_VECTORS,
                say.SCALED_BY_HEAD_WIDTH,
                Text(
                    "这里 $d_\\text{model} = 3$，$d_k = d_v = 2$。",
                    "Here $d_\\text{model} = 3$ and $d_k = d_v = 2$.",
                ),
                say.SOFTMAX_OVER_KEYS,
                say.NOTHING_MORE,
                say.COUNTED_FROM_ONE,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        index, row = drawn["row"], drawn["row"] + 1
        t = pipeline.follow(inputs_of(drawn))
        scores, scaled, weights = (listed(t[name][index]) for name in ("scores", "scaled", "weights"))
        q, k, v = listed(t.q[index]), listed(t.k), listed(t.v)
        return (
            SolutionStep(
                text=told(
                    f"先投影。要的只是第 {row} 行的 $q$：",
                    f"Project first. Only row {row} of $Q$ is needed:",
                    rf"q_{{{row}}} = x_{{{row}}} W_Q = {tex(drawn['x'][index])}\, W_Q = {tex(q)}",
                ),
                part="q",
                figure=Given(name=f"q_{row}", value=q, role="q"),
            ),
            SolutionStep(
                text=Text(
                    "$K$ 要全部三行，因为要和每个 key 比：", "$K$ is needed whole, to compare with every key:"
                ),
                part="k",
                figure=Given(name="K", value=k, role="k"),
            ),
            SolutionStep(
                text=Text("$V$ 也要全部三行：", "$V$ is needed whole too:"),
                part="v",
                figure=Given(name="V", value=v, role="v"),
            ),
            SolutionStep(
                text=told("和每个 key 做点积：", "Dot products with every key:", *scores_lines(q, k, row)),
                part="scores",
                figure=Given(name=f"s_{row}", value=scores, role="s"),
            ),
            SolutionStep(
                text=told(
                    "除以 $\\sqrt{d_k}$，$d_k = 2$：",
                    "Divide by $\\sqrt{d_k}$, $d_k = 2$:",
                    scaled_line(scores, D_K),
                ),
                part="scaled",
            ),
            SolutionStep(
                text=told(
                    "softmax：取指数，再除以总和，三个权重加起来是 1：",
                    "Softmax: exponentials, divided by their sum, so that the three weights sum to 1:",
                    *weights_lines(scaled),
                ),
                part="weights",
            ),
            SolutionStep(
                text=told(
                    "用权重汇总 $V$ 的三行：",
                    "Add up the rows of $V$ by these weights:",
                    mixed_line(weights, v, f"o_{{{row}}}"),
                ),
                part="output",
                figure=Given(name=f"o_{row}", value=listed(t.output[index]), role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row = drawn["row"] + 1
        return (
            Text(
                f"只要第 {row} 行：$Q$ 只用算一行，$K$、$V$ 要算全。",
                f"Only row {row} is asked: one row of $Q$ will do, but $K$ and $V$ are needed whole.",
            ),
            Text(
                "顺序是：点积 → 除以 $\\sqrt{2}$ → softmax → 乘 $V$。缩放在 softmax 之前。",
                "In order: dot products → divide by $\\sqrt{2}$ → softmax → times $V$. The scaling comes "
                "first.",
            ),
            Text(
                f"缩放后的一行是 {_shown_scaled(drawn)}；取指数、除以总和，再去乘 $V$ 的三行。",
                f"The scaled row is {_shown_scaled(drawn)}; take exponentials, divide by their sum, and "
                "weigh the rows of $V$.",
            ),
        )


def _shown_scaled(drawn: Drawn) -> str:
    return f"${tex(listed(pipeline.follow(inputs_of(drawn)).scaled[drawn['row']]))}$"
