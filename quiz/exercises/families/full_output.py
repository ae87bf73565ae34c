"""D3: the whole output matrix of self-attention, from X and the projections."""

from __future__ import annotations

from typing import ClassVar

from attention_core import faults, pipeline
from quiz.exercises import conventions as say
from quiz.exercises.attention_mistakes import ATTENTION_MISTAKES
from quiz.exercises.attention_steps import mixed_line, scaled_line, scores_lines, told, weights_lines
from quiz.exercises.formatting import tex
from quiz.exercises.mask_mistakes import MASK_MISTAKES
from quiz.exercises.projected import D_K, TOKENS, ProjectedAttention, givens_of, inputs_of, listed
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Part, Prompt, Role, SolutionStep, Text, Value


def _step(name: str, label: Text, columns: int, role: Role, *uses: str) -> Part:
    return Part(
        name=name, kind="matrix", label=label, shape=(TOKENS, columns), role=role, required=False, uses=uses
    )


@register
class FullOutput(ProjectedAttention):
    """Drawn: as `ProjectedAttention`."""

    slug = "full_output"
    code = "D3"
    title = Text("算出完整的注意力输出", "The whole output of attention")
    sections = ("7.12", "7.13")
    questions = (15, 16)
    minutes = 8
    one_handed = False
    misconceptions = tuple((ATTENTION_MISTAKES | MASK_MISTAKES)[slug] for slug in faults.FULL_OUTPUT)

    _PARTS: ClassVar[tuple[Part, ...]] = (
        _step("q", Text("Q", "Q"), D_K, "q"),
        _step("k", Text("K", "K"), D_K, "k"),
        _step("v", Text("V", "V"), D_K, "v"),
        _step("scores", Text("分数 QKᵀ", "scores QKᵀ"), TOKENS, "s", "q", "k"),
        _step("scaled", Text("缩放后", "scaled"), TOKENS, "s", "scores"),
        _step("weights", Text("权重 A", "weights A"), TOKENS, "s", "scaled"),
        Part(
            name="output",
            kind="matrix",
            label=Text("输出 AV", "output AV"),
            shape=(TOKENS, D_K),
            role="o",
            uses=("weights", "v"),
        ),
    )

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def value(self, drawn: Drawn, trace: pipeline.Trace, part: str) -> Value:
        return listed(trace[part])

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"{TOKENS} 个 token 做单头自注意力。算出完整的输出矩阵（{TOKENS} 行 {D_K} 列）。",
                f"Single-head self-attention over {TOKENS} tokens. Work out the whole output ({TOKENS} rows, "
                f"{D_K} columns).",
            ),
            givens=givens_of(drawn),
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
        t = pipeline.follow(inputs_of(drawn))
        q, k, v = listed(t.q), listed(t.k), listed(t.v)
        scores, scaled, weights = listed(t.scores), listed(t.scaled), listed(t.weights)
        return (
            _shown(
                "q", "先投影：$Q = XW_Q$", "Project first: $Q = XW_Q$", Given(name="Q", value=q, role="q")
            ),
            _shown("k", "$K = XW_K$", "$K = XW_K$", Given(name="K", value=k, role="k")),
            _shown("v", "$V = XW_V$", "$V = XW_V$", Given(name="V", value=v, role="v")),
            _worked(
                "scores",
                Text(
                    "每个 query 和每个 key 做点积，第 1 行是：",
                    "Every query with every key; row 1 is:",
                ),
                scores_lines(q[0], k, 1),
                Given(name="QKᵀ", value=scores, role="s"),
            ),
            _worked(
                "scaled",
                Text(
                    "全部除以 $\\sqrt{d_k} = \\sqrt{2}$：", "All of it divided by $\\sqrt{d_k} = \\sqrt{2}$:"
                ),
                [scaled_line(scores[0], D_K)],
                Given(name="QKᵀ/√2", value=scaled, role="s"),
            ),
            _worked(
                "weights",
                Text(
                    "每一行各做 softmax，每行加起来是 1。第 1 行：",
                    "A softmax of each row, so that every row sums to 1. Row 1:",
                ),
                weights_lines(scaled[0]),
                Given(name="A", value=weights, role="s"),
            ),
            _worked(
                "output",
                Text("每一行的权重去汇总 $V$ 的三行：", "Each row of weights adds up the three rows of $V$:"),
                [mixed_line(row, v, f"o_{{{i}}}") for i, row in enumerate(weights, start=1)],
                Given(name="AV", value=listed(t.output), role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        rows = f"${tex(listed(pipeline.follow(inputs_of(drawn)).scores))}$"
        return (
            Text(
                "一步一个矩阵：$Q$、$K$、$V$ → $QK^\\top$ → 缩放 → softmax → 乘 $V$。",
                "One matrix at a time: $Q$, $K$, $V$ → $QK^\\top$ → scaling → softmax → times $V$.",
            ),
            Text(
                "softmax 之后先自查：每一行的三个权重加起来是不是 1？",
                "Check after the softmax: do the three weights of every row sum to 1?",
            ),
            Text(
                f"$QK^\\top$ 的三行是 {rows}。除以 $\\sqrt{{2}}$，逐行 softmax，再乘 $V$。",
                f"The rows of $QK^\\top$ are {rows}. Divide by $\\sqrt{{2}}$, softmax each row, then "
                "multiply by $V$.",
            ),
        )


def _shown(part: str, zh: str, en: str, figure: Given) -> SolutionStep:
    return SolutionStep(text=Text(zh, en), part=part, figure=figure)


def _worked(part: str, text: Text, lines: list[str], figure: Given) -> SolutionStep:
    return SolutionStep(text=told(text.zh, text.en, *lines), part=part, figure=figure)
