"""D6: two heads by hand, then side by side."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core import pipeline
from attention_core.heads import split
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import mixed_line, scaled_line, scores_lines, told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.projected import listed
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
    Value,
    Values,
)

HEADS, HEAD_WIDTH, KEYS = 2, 3, 3  # d_h is not √d_model, so that √d_model and d_h scale differently
WIDTH = HEADS * HEAD_WIDTH
SATURATED = 0.95
CENT = Tolerance(absolute=0.01)  # a long way by hand


def _step(name: str, label: Text, *uses: str) -> Part:
    """A step before the answer: weights over the keys, or (from them) a head's output."""
    if uses:
        return Part(
            name=name,
            kind="vector",
            label=label,
            shape=(HEAD_WIDTH,),
            tolerance=CENT,
            role="o",
            required=False,
            uses=uses,
        )
    return Part(
        name=name, kind="vector", label=label, shape=(KEYS,), tolerance=CENT, role="s", required=False
    )


@register
class TwoHeads(Family):
    """Drawn: q (6,) without zeros, k, v (3, 6), small integers; head 1 has the first three components."""

    slug = "two_heads"
    code = "D6"
    title = Text("两个头，手算一行", "Two heads by hand")
    sections = ("7.14",)
    questions = (20,)
    minutes = 8
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        ATTENTION_MISTAKES["scale_by_sqrt_d_model"],
        ATTENTION_MISTAKES["no_scale"],
        Misconception(
            slug="one_big_head",
            title=Text("没有拆头，当成一个大头算了", "one big head, without splitting"),
            told=Text(
                "六个分量一起算了一组权重；拆成两个头，就该有两组互不相干的权重。",
                "All six components went into one set of weights; two heads have two sets, each its own.",
            ),
            question=Text(
                "两个头可以看向不同的 token。你的两段输出用的是同一组权重吗？",
                "Two heads may look at different tokens. Did both halves of your output use the same "
                "weights?",
            ),
            caption=Text("不拆头会得到", "Without splitting"),
        ),
        Misconception(
            slug="scale_by_head_width",
            title=Text("除以了 d_h，而不是 √d_h", "a division by d_h instead of √d_h"),
            told=Text(
                "分数除以了头宽 $d_h$ 本身，缩得太狠，权重偏平。",
                "The scores were divided by the head width $d_h$ itself; that is too much, and the "
                "weights come out too even.",
            ),
            question=Text(
                "一个头里 $q\\cdot k$ 的方差是 $d_h$。除以多少，方差才回到 1？",
                "In one head the variance of $q\\cdot k$ is $d_h$. Dividing by what brings it back to 1?",
            ),
            caption=Text("除以 d_h 会得到", "Dividing by d_h"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        _step("weights_1", Text("第 1 个头的权重", "weights of head 1")),
        _step("head_1", Text("第 1 个头的输出", "output of head 1"), "weights_1"),
        _step("weights_2", Text("第 2 个头的权重", "weights of head 2")),
        _step("head_2", Text("第 2 个头的输出", "output of head 2"), "weights_2"),
        Part(
            name="output",
            kind="vector",
            label=Text("拼接后的输出", "concatenated output"),
            shape=(WIDTH,),
            tolerance=CENT,
            role="o",
            uses=("weights_1", "weights_2"),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "q": rng.choice([-1, 1, 2], WIDTH).tolist(),
            "k": rng.integers(-1, 3, (KEYS, WIDTH)).tolist(),
            "v": rng.integers(-2, 4, (KEYS, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """In each head: a score that is not negative, different scores, no saturated weight, and rounded work
        that is right.
        """
        trace = _heads(drawn)
        for head in range(HEADS):
            scores, weights = trace.scores[head], trace.weights[head]
            if scores.max() < 0 or len(set(scores[0].tolist())) == 1 or weights.max() >= SATURATED:
                return False
            if not honesty.survives(scores, trace.v[head], trace.output[head], scale=trace.scale):
                return False
        return True

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return _values(_heads(drawn))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        if slug == "one_big_head":
            q, k, v = _arrays(drawn)
            trace = pipeline.follow(pipeline.prepare(q, k, v))
            weights, output = listed(trace.weights[0]), listed(trace.output[0])
            halves = output[:HEAD_WIDTH], output[HEAD_WIDTH:]
            return {
                "weights_1": weights,
                "head_1": halves[0],
                "weights_2": weights,
                "head_2": halves[1],
                "output": output,
            }
        scale = {
            "scale_by_sqrt_d_model": 1 / math.sqrt(WIDTH),
            "no_scale": 1.0,
            "scale_by_head_width": 1 / HEAD_WIDTH,
        }[slug]
        return _values(_heads(drawn, scale))

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        """The output is put together from the heads as they stand."""
        if part == "output":
            return earlier["head_1"] + earlier["head_2"]
        if part not in ("head_1", "head_2"):
            return None
        head = int(part[-1])
        _, _, v = (split(array, heads=HEADS)[head - 1] for array in _arrays(drawn))
        return listed(np.array(earlier[f"weights_{head}"], dtype=np.float64) @ v)

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"$d_\\text{{model}} = {WIDTH}$，$h = {HEADS}$ 个头。对这一个 query 算出两个头的输出，再"
                f"拼接起来。",
                f"$d_\\text{{model}} = {WIDTH}$ and $h = {HEADS}$ heads. For this one query, work out "
                f"the output of both heads and concatenate them.",
            ),
            givens=(
                Given(name="q", value=drawn["q"], role="q"),
                Given(name="K", value=drawn["k"], role="k"),
                Given(name="V", value=drawn["v"], role="v"),
            ),
            conventions=(
                Text(
                    f"$q$、$K$、$V$ 已经投影好；前 {HEAD_WIDTH} 个分量（列）属于第 1 个头，后 "
                    f"{HEAD_WIDTH} 个属于第 2 个头，$d_h = {HEAD_WIDTH}$。",
                    f"$q$, $K$ and $V$ are already projected; the first {HEAD_WIDTH} components "
                    f"(columns) belong to head 1, the last {HEAD_WIDTH} to head 2, $d_h = {HEAD_WIDTH}$.",
                ),
                Text(
                    "每个头各自做缩放点积注意力，$d_k$ 就是 $d_h$；没有掩码，拼接后不乘 $W_O$。",
                    "Each head does scaled dot-product attention by itself, with $d_k = d_h$; no mask, "
                    "and no $W_O$ after the concatenation.",
                ),
                say.SOFTMAX_OVER_KEYS,
                Text(
                    "小数请至少写到第 3 位，与准确值相差不超过 0.01 算对；也可以写算式。",
                    "Give at least 3 decimals; within 0.01 of the exact value is right. Expressions are "
                    "fine.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right, trace = self.right(drawn), _heads(drawn)
        raw = [tex(listed(trace.scores[head, 0])) for head in range(HEADS)]
        return (
            SolutionStep(
                text=told(
                    "把 $q$、$K$、$V$ 竖着切成两半。每个头只用自己那一半算分数，还没有缩放：",
                    "Cut $q$, $K$ and $V$ into two halves of columns. Each head scores with its own "
                    "half; unscaled:",
                    rf"q^{{(1)}} {{K^{{(1)}}}}^\top = {raw[0]}",
                    rf"q^{{(2)}} {{K^{{(2)}}}}^\top = {raw[1]}",
                )
            ),
            *_head_steps(drawn, right, 1),
            *_head_steps(drawn, right, 2),
            SolutionStep(
                text=told(
                    "按次序拼接：",
                    "Concatenate in order:",
                    rf"[o^{{(1)}}, o^{{(2)}}] \approx {tex(right['output'])}",
                ),
                part="output",
                figure=Given(name="o", value=right["output"], role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        trace = _heads(drawn)
        first, second = (listed(trace.scores[head, 0]) for head in range(HEADS))
        return (
            Text(
                "先把 $q$、$K$、$V$ 竖着切成两半，每一半是一个头，各算各的。",
                "Cut $q$, $K$ and $V$ into two halves of columns first; each half is a head and works alone.",
            ),
            Text(
                "每个头里的点积只有三项，除以的是 $\\sqrt{d_h}$。",
                "A dot product inside a head has three terms and is divided by $\\sqrt{d_h}$.",
            ),
            Text(
                f"缩放之前，第 1 个头的分数是 ${tex(first)}$，第 2 个头是 ${tex(second)}$。",
                f"Before the scaling the scores of head 1 are ${tex(first)}$ and those of head 2 "
                f"${tex(second)}$.",
            ),
        )


def _arrays(drawn: Drawn) -> tuple[np.typing.NDArray[np.float64], ...]:
    """q (1, 6), k and v (3, 6)."""
    return tuple(np.atleast_2d(np.array(drawn[name], dtype=np.float64)) for name in ("q", "k", "v"))


def _heads(drawn: Drawn, scale: float | None = None) -> pipeline.Trace:
    """Both heads' attention, every value (2, 1, ·); divided by √d_h unless a scale is given."""
    q, k, v = (split(array, heads=HEADS) for array in _arrays(drawn))
    return pipeline.follow(pipeline.prepare(q, k, v, scale=scale))


def _values(trace: pipeline.Trace) -> Values:
    weights, outputs = listed(trace.weights[:, 0]), listed(trace.output[:, 0])
    return {
        "weights_1": weights[0],
        "head_1": outputs[0],
        "weights_2": weights[1],
        "head_2": outputs[1],
        "output": outputs[0] + outputs[1],
    }


def _head_steps(drawn: Drawn, right: Values, head: int) -> tuple[SolutionStep, SolutionStep]:
    """The work of one head, from 1: its weights, then its output."""
    columns = slice((head - 1) * HEAD_WIDTH, head * HEAD_WIDTH)
    q, keys, values = drawn["q"][columns], [k[columns] for k in drawn["k"]], [v[columns] for v in drawn["v"]]
    scores = [sum(a * b for a, b in zip(q, k, strict=True)) for k in keys]
    scaled = [score / math.sqrt(HEAD_WIDTH) for score in scores]
    weights = right[f"weights_{head}"]
    return (
        SolutionStep(
            text=told(
                f"第 {head} 个头取第 {columns.start + 1} 到第 {columns.stop} 列，算分数、缩放、softmax：",
                f"Head {head} takes columns {columns.start + 1} to {columns.stop}: scores, scaling, softmax:",
                *[line.replace("q_{1}", "q") for line in scores_lines(q, keys, 1)],
                scaled_line(scores, HEAD_WIDTH),
                *weights_lines(scaled),
            ),
            part=f"weights_{head}",
            figure=Given(name="a", value=weights, role="s"),
        ),
        SolutionStep(
            text=told(
                f"用这组权重对第 {head} 个头的 $v$ 加权求和：",
                f"Weigh the $v$ of head {head} with them and add up:",
                mixed_line(weights, values, rf"o^{{({head})}}"),
            ),
            part=f"head_{head}",
            figure=Given(name="o", value=right[f"head_{head}"], role="o"),
        ),
    )
