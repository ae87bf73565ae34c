"""F2: the sinusoidal encoding k positions further on, as a turn of its pair."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.positions import sinusoidal
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.position_conventions import POSITIONS_FROM_ZERO, RADIANS
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

FREQUENCIES = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)


@register
class PeShift(Family):
    """Drawn: frequency of the pair; position; shift."""

    slug = "pe_shift"
    code = "F2"
    title = Text("位置编码平移 k 步", "A position encoding shifted by k")
    sections = ("7.3",)
    questions = (4,)
    minutes = 3
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="shifted_back",
            title=Text("往回移了 k 步", "a shift backwards"),
            told=Text(
                "算成了位置 $p-k$：和角公式里的符号反了。",
                "This is position $p-k$: the signs of the addition formulas are swapped.",
            ),
            question=Text(
                "$\\sin(\\alpha+\\beta)$ 展开后，中间是加号还是减号？",
                "In the expansion of $\\sin(\\alpha+\\beta)$, is there a plus or a minus in the middle?",
            ),
            caption=Text("往回移会得到", "Shifted back"),
        ),
        Misconception(
            slug="encodings_added",
            title=Text("把位置 p 和位置 k 的编码相加了", "the encodings of p and k added"),
            told=Text(
                "结果是 $\\mathrm{PE}(p) + \\mathrm{PE}(k)$；位置可以相加，编码不可以。",
                "This is $\\mathrm{PE}(p) + \\mathrm{PE}(k)$; positions add up, their encodings do not.",
            ),
            question=Text(
                "一对正弦、余弦的平方和应当是多少？你的结果呢？",
                "What do the squares of a sine and its cosine sum to, and what do yours?",
            ),
            caption=Text("两个编码相加会得到", "Adding the encodings"),
        ),
        Misconception(
            slug="encodings_multiplied",
            title=Text("把两个编码逐个相乘了", "the encodings multiplied entry by entry"),
            told=Text(
                "正弦乘正弦、余弦乘余弦；和角公式的每一项里，两个分量是交叉着用的。",
                "Sine went with sine and cosine with cosine; in the addition formulas each component needs "
                "both.",
            ),
            question=Text(
                "$k = 0$ 时应当原样不动。按你的做法，第一个分量会变成什么？",
                "With $k = 0$ nothing should change. What would your way make of the first component?",
            ),
            caption=Text("逐个相乘会得到", "Multiplied entry by entry"),
        ),
        Misconception(
            slug="unchanged",
            title=Text("编码没有变", "an encoding left as it was"),
            told=Text(
                "给出的还是位置 $p$ 的那一对。",
                "This is still the pair of position $p$.",
            ),
            question=Text(
                "往后移 $k$ 步，角度增加了多少？",
                "By how much does the angle grow over $k$ positions?",
            ),
            caption=Text("不移动就是", "Left unshifted"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="shifted", kind="vector", label=Text("（正弦，余弦）", "(sine, cosine)"), shape=(2,)),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "frequency": float(rng.choice(FREQUENCIES)),
            "position": int(rng.integers(2, 21)),
            "shift": int(rng.integers(1, 9)),
        }

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"shifted": _pair(drawn, drawn["position"] + drawn["shift"])}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        here, step = _pair(drawn, drawn["position"]), _pair(drawn, drawn["shift"])
        pairs = {
            "shifted_back": _pair(drawn, drawn["position"] - drawn["shift"]),
            "encodings_added": [a + b for a, b in zip(here, step, strict=True)],
            "encodings_multiplied": [a * b for a, b in zip(here, step, strict=True)],
            "unchanged": here,
        }
        return {"shifted": pairs[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        position, shift = drawn["position"], drawn["shift"]
        return Prompt(
            task=Text(
                f"正弦位置编码里有一对分量，频率是 $\\omega$；位置 {position} 的这一对已经算好。再往后 "
                f"{shift} 个位置，这一对是多少？",
                "One pair of the sinusoidal encoding has the frequency $\\omega$, and its values at "
                f"position {position} are known. What is the pair {shift} positions further on?",
            ),
            givens=(
                Given(name="ω", value=drawn["frequency"], note=Text("这一对的频率", "the pair's frequency")),
                Given(name="p", value=position, note=Text("已知的位置", "the known position")),
                Given(name="k", value=shift, note=Text("往后移几步", "positions to go on")),
                Given(
                    name="PE(p)",
                    value=[round(value, 3) for value in _pair(drawn, position)],
                    note=Text("保留 3 位小数", "to 3 decimals"),
                ),
            ),
            conventions=(
                Text(
                    "一对分量是 $(\\sin \\omega p,\\ \\cos \\omega p)$，正弦在前；按这个次序写。",
                    "A pair is $(\\sin \\omega p,\\ \\cos \\omega p)$, the sine first; answer in this order.",
                ),
                POSITIONS_FROM_ZERO,
                RADIANS,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        sine, cosine = _pair(drawn, drawn["position"])
        step_sine, step_cosine = _pair(drawn, drawn["shift"])
        shifted = self.right(drawn)["shifted"]
        a, b, s, c = (tex_factor(value) for value in (sine, cosine, step_sine, step_cosine))
        return (
            SolutionStep(
                text=told(
                    "往后移 $k$ 步，角度增加 $\\omega k$；先算它的正弦和余弦：",
                    "Over $k$ positions the angle grows by $\\omega k$; its sine and cosine first:",
                    rf"\omega k = {tex(drawn['frequency'])} \times {drawn['shift']} = "
                    rf"{tex(drawn['frequency'] * drawn['shift'])}",
                    rf"\sin \omega k \approx {tex(step_sine)},\quad \cos \omega k \approx {tex(step_cosine)}",
                )
            ),
            SolutionStep(
                text=told(
                    "和角公式就是把这一对转一个角度，系数只和 $k$ 有关，和 $p$ 无关：",
                    "The addition formulas turn the pair; their factors depend on $k$ alone, not on $p$:",
                    rf"\sin \omega(p+k) \approx {a} \times {c} + {b} \times {s} \approx {tex(shifted[0])}",
                    rf"\cos \omega(p+k) \approx {b} \times {c} - {a} \times {s} \approx {tex(shifted[1])}",
                ),
                part="shifted",
                figure=Given(name="PE(p+k)", value=shifted),
            ),
            SolutionStep(
                text=Text(
                    "自查：两个分量的平方和还是 1；直接算 $\\omega(p+k)$ 的正弦、余弦，结果一样。",
                    "Check: the squares still sum to 1, and the sine and cosine of $\\omega(p+k)$ agree.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        step_sine, step_cosine = _pair(drawn, drawn["shift"])
        return (
            Text(
                "位置往后移，这一对的角度跟着变大，长度不变。",
                "Further on, the pair's angle grows while its length stays the same.",
            ),
            Text(
                "用和角公式：$\\sin(\\alpha+\\beta) = \\sin\\alpha\\cos\\beta + \\cos\\alpha\\sin\\beta$，"
                "余弦类似。",
                "Use $\\sin(\\alpha+\\beta) = \\sin\\alpha\\cos\\beta + \\cos\\alpha\\sin\\beta$, and its "
                "like for the cosine.",
            ),
            Text(
                f"$\\sin \\omega k \\approx {tex(step_sine)}$，$\\cos \\omega k \\approx "
                f"{tex(step_cosine)}$；和已知的一对交叉相乘再相加减。",
                f"$\\sin \\omega k \\approx {tex(step_sine)}$ and $\\cos \\omega k \\approx "
                f"{tex(step_cosine)}$; combine them crosswise with the known pair.",
            ),
        )


def _pair(drawn: Drawn, position: int) -> list[float]:
    """(sin ωp, cos ωp): the two columns of width 2, whose frequency is 1, at the place ωp."""
    return [float(value) for value in sinusoidal(drawn["frequency"] * position, 2)]
