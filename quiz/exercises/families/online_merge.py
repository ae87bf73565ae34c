"""H8: online softmax over two blocks of keys: each block's own state, and the merged one."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.tiling import State, absorb, merge
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Value, Values

Array = npt.NDArray[np.float64]
BLOCK, WIDTH = 2, 2
CELLS = 2 + WIDTH  # m, l and the components of o


@register
class OnlineMerge(Family):
    """Drawn: scores (4), two blocks of two, the larger maximum in the second; v (4, 2) integers."""

    slug = "online_merge"
    code = "H8"
    title = Text("合并两块 online softmax 的状态", "Merging two blocks of an online softmax")
    sections = ("7.15",)
    questions = (37, 39)
    minutes = 5
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="not_rescaled",
            title=Text("合并时没有换算到新的最大值", "a merge without rescaling to the new maximum"),
            told=Text(
                "$l$ 和 $\\tilde o$ 都直接相加了：两块的指数减去的最大值不同，不能直接加。",
                "Both $l$ and $\\tilde o$ were simply added, although the two blocks subtracted "
                "different maxima.",
            ),
            question=Text(
                "第一块的 $e^{s-m_1}$ 要变成 $e^{s-m}$，得乘上什么？",
                "What turns the first block's $e^{s-m_1}$ into $e^{s-m}$?",
            ),
            caption=Text("不换算会得到", "Without rescaling"),
        ),
        Misconception(
            slug="averaged",
            title=Text("把两块的输出取了平均", "an average of the two blocks' outputs"),
            told=Text(
                "两块各自的注意力输出被等权平均了，没有按各自的总权重来合。",
                "The outputs of the two blocks were averaged evenly, without weighing them by their totals.",
            ),
            question=Text(
                "如果一块的分数高得多，它应当只占一半吗？",
                "If one block has much higher scores, should it still count for a half?",
            ),
            caption=Text("取平均会得到", "By averaging"),
        ),
        Misconception(
            slug="only_total_rescaled",
            title=Text("只换算了 l，没有换算 õ", "l rescaled, but not õ"),
            told=Text(
                "$l_1$ 乘了 $\\alpha$，$\\tilde o_1$ 却没有乘。",
                "$l_1$ was multiplied by $\\alpha$, but $\\tilde o_1$ was not.",
            ),
            question=Text(
                "$\\tilde o$ 里的指数减去的是哪一个最大值？",
                "Which maximum was subtracted in the exponentials inside $\\tilde o$?",
            ),
            caption=Text("只换算 l 会得到", "Rescaling l only"),
        ),
        Misconception(
            slug="only_output_rescaled",
            title=Text("只换算了 õ，没有换算 l", "õ rescaled, but not l"),
            told=Text(
                "$\\tilde o_1$ 乘了 $\\alpha$，分母里的 $l_1$ 却没有乘。",
                "$\\tilde o_1$ was multiplied by $\\alpha$, but the $l_1$ of the denominator was not.",
            ),
            question=Text(
                "如果 $V$ 的每一行都是 1，输出应当是多少？你的公式给出多少？",
                "If every row of $V$ were 1, what should the output be, and what does your formula give?",
            ),
            caption=Text("只换算 õ 会得到", "Rescaling õ only"),
        ),
        Misconception(
            slug="not_divided",
            title=Text("最后没有除以 l", "the final division by l left out"),
            told=Text(
                "给出的是 $\\alpha\\tilde o_1 + \\tilde o_2$，还没有归一化。",
                "What you gave is $\\alpha\\tilde o_1 + \\tilde o_2$, which is not normalised yet.",
            ),
            question=Text(
                "权重加起来要等于 1，归一化放在哪一步做？",
                "The weights must sum to 1: at which step is that done?",
            ),
            caption=Text("不除以 l 会得到", "Without dividing by l"),
        ),
        Misconception(
            slug="normalised_first",
            title=Text("第一块用了归一化之后的输出", "the first block's output already normalised"),
            told=Text(
                "合并时用的是 $\\bar o_1 = \\tilde o_1 / l_1$：它已经除过一次 $l_1$，第一块的分量变小了。",
                "The merge used $\\bar o_1 = \\tilde o_1 / l_1$, already divided by $l_1$ once, so "
                "the first block weighs too little.",
            ),
            question=Text(
                "$\\tilde o$ 是加权和，还是加权平均？", "Is $\\tilde o$ a weighted sum or a weighted mean?"
            ),
            caption=Text("用归一化的 o₁ 会得到", "With a normalised o₁"),
        ),
        Misconception(
            slug="first_maximum",
            title=Text("一直用第一块的最大值", "the first block's maximum kept"),
            told=Text(
                "输出是对的，但 $m$ 停在了第一块的最大值，$l$ 也以它为准；分数再大一些就会溢出。",
                "The output is right, but $m$ stayed the first block's maximum, and $l$ goes by it; "
                "larger scores would overflow.",
            ),
            question=Text(
                "减最大值是为了防溢出。第二块的分数更大时，指数会怎样？",
                "The maximum is there against overflow. What do the exponentials do when the second "
                "block's scores are larger?",
            ),
            caption=Text("沿用第一块的最大值会得到", "With the first maximum"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="first",
            kind="vector",
            label=Text("第一块 m₁, l₁, õ₁", "first block m₁, l₁, õ₁"),
            shape=(CELLS,),
            role="s",
            required=False,
        ),
        Part(
            name="second",
            kind="vector",
            label=Text("第二块 m₂, l₂, õ₂", "second block m₂, l₂, õ₂"),
            shape=(CELLS,),
            role="s",
            required=False,
        ),
        Part(
            name="merged",
            kind="vector",
            label=Text("合并后 m, l, o", "merged m, l, o"),
            shape=(CELLS,),
            role="o",
            uses=("first", "second"),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "scores": rng.integers(-1, 6, 2 * BLOCK).tolist(),
            "v": rng.integers(-3, 5, (2 * BLOCK, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """The second maximum is 1 or 2 larger; no block has equal scores; rounded work comes out right."""
        a, b, c, d = drawn["scores"]
        if a == b or c == d or not 1 <= max(c, d) - max(a, b) <= 2:
            return False
        first, second = (np.round(_cells(state), PLACES) for state in _blocks(drawn))
        shrink = round(math.exp(first[0] - second[0]), PLACES)
        total, weighted = np.round(shrink * first[1:2] + second[1:2], PLACES), shrink * first[2:] + second[2:]
        output = np.round(np.round(weighted, PLACES) / total, PLACES)
        exact = np.array(self.right(drawn)["merged"])
        return float(np.abs(np.concatenate([total, output]) - exact[1:]).max()) <= MARGIN

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        first, second = _blocks(drawn)
        both = merge(first, second)
        return _values(first, second, [*_cells(both)[:2].tolist(), *both.output[0].tolist()])

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        blocks = _blocks(drawn)
        (m1, l1, *o1), (m2, l2, *o2) = (_cells(state).tolist() for state in blocks)
        shrink = math.exp(m1 - m2)
        total, plain = shrink * l1 + l2, l1 + l2
        sums = [shrink * a + b for a, b in zip(o1, o2, strict=True)]
        added = [a + b for a, b in zip(o1, o2, strict=True)]
        merged: dict[str, list[float]] = {
            "not_rescaled": [m2, plain, *(s / plain for s in added)],
            "averaged": [m2, total, *((a / l1 + b / l2) / 2 for a, b in zip(o1, o2, strict=True))],
            "only_total_rescaled": [m2, total, *(s / total for s in added)],
            "only_output_rescaled": [m2, plain, *(s / plain for s in sums)],
            "not_divided": [m2, total, *sums],
            "normalised_first": [
                m2,
                total,
                *((shrink * a / l1 + b) / total for a, b in zip(o1, o2, strict=True)),
            ],
            "first_maximum": [m1, total / shrink, *(s / total for s in sums)],
        }
        return _values(*blocks, merged[slug])

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part != "merged":
            return None
        both = merge(_state(earlier["first"]), _state(earlier["second"]))
        return [*_cells(both)[:2].tolist(), *both.output[0].tolist()]

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "一个 query 对 4 个 key 的分数分成两块处理，每块 2 个。先各算各的状态，再合并成一"
                "份，按顺序写出 $m$、$l$ 和输出 $o$ 的两个分量。",
                "A query's scores for 4 keys are handled in two blocks of 2. Work out each block's "
                "state, merge them, and give $m$, $l$ and the two components of the output $o$, in "
                "this order.",
            ),
            givens=(
                Given(
                    name="s",
                    value=drawn["scores"],
                    role="s",
                    note=Text("前两个是第一块", "the first two are block 1"),
                ),
                Given(name="V", value=drawn["v"], role="v"),
            ),
            conventions=(
                Text(
                    "每块的状态：$m$ 是这块分数的最大值，$l = \\sum e^{s-m}$，$\\tilde o = \\sum "
                    "e^{s-m} v$。",
                    "A block's state: $m$ is the maximum of its scores, $l = \\sum e^{s-m}$, $\\"
                    "tilde o = \\sum e^{s-m} v$.",
                ),
                Text(
                    "$\\tilde o$ 一直不归一化，到最后才除：$o = \\tilde o / l$。合并后的 $m$ 是全部"
                    "分数的最大值。",
                    "$\\tilde o$ stays unnormalised until the end: $o = \\tilde o / l$. The merged "
                    "$m$ is the maximum of all scores.",
                ),
                Text(
                    "分数已经缩放过，没有掩码；指数以 $e$ 为底。",
                    "The scores are already scaled, nothing is masked; exponentials are $e^x$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right, scores = self.right(drawn), drawn["scores"]
        (m1, l1, *o1), (m2, l2, *o2) = right["first"], right["second"]
        shrink = math.exp(m1 - m2)
        sums = [shrink * a + b for a, b in zip(o1, o2, strict=True)]
        return (
            _block_step("first", scores, right["first"], Text("第一块：", "The first block:")),
            _block_step("second", scores, right["second"], Text("第二块：", "The second block:")),
            SolutionStep(
                text=told(
                    "第二块的最大值更大，第一块的 $l$ 和 $\\tilde o$ 都要乘 $\\alpha$：",
                    "The second maximum is larger, so the first block's $l$ and $\\tilde o$ are "
                    "both multiplied by $\\alpha$:",
                    rf"\alpha = e^{{m_1 - m}} = e^{{{tex(m1 - m2)}}} \approx {tex(shrink)}",
                    rf"l = {tex(shrink)} \times {tex(l1)} + {tex(l2)} \approx {tex(right['merged'][1])}",
                    rf"\tilde o = {tex(shrink)} \times {tex(o1)} + {tex(o2)} \approx {tex(sums)}",
                )
            ),
            SolutionStep(
                text=told(
                    "最后除以 $l$，和一次算完 4 个 key 的 softmax 完全一样：",
                    "Last, divide by $l$: exactly what one softmax over all 4 keys gives:",
                    rf"o = \tilde o / l \approx {tex(right['merged'][2:])}",
                    rf"[m,\ l,\ o] \approx {tex(right['merged'])}",
                ),
                part="merged",
                figure=Given(name="m, l, o", value=right["merged"], role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        right = self.right(drawn)
        m1, m2 = right["first"][0], right["second"][0]
        return (
            Text("两块先各用自己的最大值算。", "First let each block use its own maximum."),
            Text(
                "合并时要统一到更大的那个最大值：另一块的 $l$ 和 $\\tilde o$ 都乘 $\\alpha = e^{m_1 - m}$。",
                "To merge, bring both to the larger maximum: the other block's $l$ and $\\tilde o$ "
                "are both multiplied by $\\alpha = e^{m_1 - m}$.",
            ),
            Text(
                f"第一块是 ${tex(right['first'])}$，第二块是 ${tex(right['second'])}$，$\\alpha \\"
                f"approx {tex(math.exp(m1 - m2))}$。",
                f"Block 1 is ${tex(right['first'])}$, block 2 is ${tex(right['second'])}$, and $\\"
                f"alpha \\approx {tex(math.exp(m1 - m2))}$.",
            ),
        )


def _blocks(drawn: Drawn) -> tuple[State, State]:
    scores, v = np.array([drawn["scores"]], dtype=np.float64), np.array(drawn["v"], dtype=np.float64)
    first = absorb(None, scores[:, :BLOCK], v[:BLOCK], xp=np)
    return first, absorb(None, scores[:, BLOCK:], v[BLOCK:], xp=np)


def _state(cells: Value) -> State:
    """The state whose `_cells` these are."""
    row = np.array([cells], dtype=np.float64)
    return State(maximum=row[:, :1], total=row[:, 1:2], weighted=row[:, 2:], xp=np)


def _cells(state: State) -> Array:
    """m, l and õ in one row."""
    cells: Array = np.concatenate([state.maximum[0], state.total[0], state.weighted[0]])
    return cells


def _values(first: State, second: State, merged: Value) -> Values:
    return {
        "first": (_cells(first) + 0.0).tolist(),
        "second": (_cells(second) + 0.0).tolist(),
        "merged": [value + 0.0 for value in merged],
    }


def _block_step(part: str, scores: list[int], state: list[float], title: Text) -> SolutionStep:
    maximum, total, *weighted = state
    numbered = list(enumerate(scores, start=1))
    block = numbered[:BLOCK] if part == "first" else numbered[BLOCK:]
    exponentials = " + ".join(f"e^{{{tex(score - maximum)}}}" for _, score in block)
    terms = " + ".join(rf"e^{{{tex(score - maximum)}}} v_{j}" for j, score in block)
    return SolutionStep(
        text=told(
            title.zh,
            title.en,
            rf"m = {tex_factor(maximum)},\quad l = {exponentials} \approx {tex(total)}",
            rf"\tilde o = {terms} \approx {tex(weighted)}",
        ),
        part=part,
        figure=Given(name="m, l, õ", value=state, role="s"),
    )
