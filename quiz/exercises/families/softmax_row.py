"""C1: the softmax of four whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from attention_core import softmax
from attention_core.softmax import log_softmax
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told, weights_lines
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

ENTRIES = 4
SATURATED = 0.95
Row = list[float]


def _linear(s: Row) -> Row:
    return [score / sum(s) for score in s]


def _base_two(s: Row) -> Row:
    powers = [2.0**score for score in s]
    return [power / sum(powers) for power in powers]


def _unnormalised(s: Row) -> Row:
    return [math.exp(score) for score in s]


def _shifted_unnormalised(s: Row) -> Row:
    return [math.exp(score - max(s)) for score in s]


def _log_softmax(s: Row) -> Row:
    return [float(value) for value in log_softmax(np.array(s, dtype=np.float64))]


def _unit_length(s: Row) -> Row:
    return [score / math.hypot(*s) for score in s]


def _argmax(s: Row) -> Row:
    return [1.0 if score == max(s) else 0.0 for score in s]


def _sigmoid(s: Row) -> Row:
    return [1 / (1 + math.exp(-score)) for score in s]


@register
class SoftmaxRow(Family):
    """Drawn: scores, four different integers that do not sum to 0."""

    slug = "softmax_row"
    code = "C1"
    title = Text("算出一行分数的 softmax", "Softmax of a row of scores")
    sections = ("7.10",)
    questions = (13,)
    minutes = 2
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="linear_shares",
            title=Text("直接按比例分，没有取指数", "plain proportions, without the exponential"),
            told=Text(
                "每个分数除以了分数之和；遇到负分数，「权重」也会是负的。",
                "Each score was divided by the sum of the scores; a negative score then gets a negative "
                "“weight”.",
            ),
            question=Text(
                "权重必须都是正数。分数可正可负，先怎样变成正数？",
                "Weights have to be positive. Scores may have either sign: what makes them positive first?",
            ),
            caption=Text("按比例分会得到", "By plain proportions"),
        ),
        Misconception(
            slug="base_two",
            title=Text("指数以 2 为底", "powers of 2 instead of e"),
            told=Text("用了 $2^s$，而不是 $e^s$。", "The powers were $2^s$, not $e^s$."),
            question=Text(
                "题目约定的底数是哪一个？相差 1 分，权重应当相差多少倍？",
                "Which base does the task name? What factor lies between two weights whose scores differ by "
                "1?",
            ),
            caption=Text("以 2 为底会得到", "With base 2"),
        ),
        Misconception(
            slug="unnormalised",
            title=Text("取了指数，没有除以总和", "exponentials that were not divided by their sum"),
            told=Text("停在了 $e^s$ 这一步。", "The work stopped at $e^s$."),
            question=Text(
                "这四个数加起来是多少？应当是多少？",
                "What do your four numbers add up to, and what should they?",
            ),
            caption=Text("不除以总和会得到", "Without dividing by the sum"),
        ),
        Misconception(
            slug="shifted_unnormalised",
            title=Text(
                "减去最大值取了指数，没有除以总和",
                "exponentials with the maximum subtracted, not divided by their sum",
            ),
            told=Text(
                "停在了 $e^{s-\\max s}$：减最大值只是防溢出，归一化还没做。",
                "The work stopped at $e^{s-\\max s}$: subtracting the maximum only prevents overflow, it "
                "does not normalise.",
            ),
            question=Text(
                "减去最大值以后，最大的那个总是 1。它真的独占全部权重吗？",
                "With the maximum subtracted the largest is always 1. Does it really take all of the weight?",
            ),
            caption=Text("减最大值、不归一会得到", "Shifted, not normalised"),
        ),
        Misconception(
            slug="log_softmax",
            title=Text("算成了 log-softmax", "the logarithm of the softmax"),
            told=Text(
                "给出的是 $s-\\ln\\sum e^{s}$，也就是权重的对数。",
                "What you gave is $s-\\ln\\sum e^{s}$, the logarithms of the weights.",
            ),
            question=Text(
                "你的答案全都不大于 0。权重可以是负数吗？还差哪一步？",
                "None of your numbers is above 0. Can weights be negative? Which step is left?",
            ),
            caption=Text("log-softmax 会得到", "The log-softmax"),
        ),
        Misconception(
            slug="unit_length",
            title=Text("除以了向量的长度（L2 归一化）", "a division by the vector's length (L2 norm)"),
            told=Text(
                "分数除以了 $\\lVert s\\rVert_2$：平方和是 1，和却不是。",
                "The scores were divided by $\\lVert s\\rVert_2$: their squares sum to 1, they themselves do "
                "not.",
            ),
            question=Text(
                "softmax 保证的是「和为 1」还是「平方和为 1」？",
                "Does a softmax make the numbers sum to 1, or their squares?",
            ),
            caption=Text("L2 归一化会得到", "With the L2 norm"),
        ),
        Misconception(
            slug="argmax",
            title=Text("只取了最大的那个（argmax）", "only the largest one kept (argmax)"),
            told=Text(
                "最大的给了 1，其余给了 0；softmax 是「软」的，谁都有份。",
                "The largest got 1 and the others 0; a softmax is soft, everyone gets a share.",
            ),
            question=Text(
                "第二名的分数只差几分，它的 $e^s$ 真的是 0 吗？",
                "The runner-up is only a little behind: is its $e^s$ really 0?",
            ),
            caption=Text("argmax 会得到", "With argmax"),
        ),
        Misconception(
            slug="sigmoid",
            title=Text("对每个分数单独用了 sigmoid", "a sigmoid of each score by itself"),
            told=Text(
                "每个分数各自算了 $1/(1+e^{-s})$，彼此之间没有竞争。",
                "Each score went through $1/(1+e^{-s})$ by itself, without competing with the others.",
            ),
            question=Text(
                "一个分数变大，别的权重应不应该变小？",
                "When one score grows, should the other weights shrink?",
            ),
            caption=Text("sigmoid 会得到", "With sigmoids"),
        ),
    )

    _MISTAKEN: ClassVar[dict[str, Callable[[Row], Row]]] = {
        "linear_shares": _linear,
        "base_two": _base_two,
        "unnormalised": _unnormalised,
        "shifted_unnormalised": _shifted_unnormalised,
        "log_softmax": _log_softmax,
        "unit_length": _unit_length,
        "argmax": _argmax,
        "sigmoid": _sigmoid,
    }
    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="weights", kind="vector", label=Text("权重", "weights"), shape=(ENTRIES,), role="s"),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"scores": rng.choice(np.arange(-3, 5), ENTRIES, replace=False).tolist()}

    def accepts(self, drawn: Drawn) -> bool:
        """The scores do not sum to 0 (proportions exist), reach 0, and no weight takes nearly all."""
        scores = np.array([drawn["scores"]], dtype=np.float64)
        weights = softmax(scores)
        if scores.sum() == 0 or scores.max() < 0 or weights.max() >= SATURATED:
            return False
        return honesty.survives(scores, np.eye(ENTRIES), weights)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"weights": softmax(np.array(drawn["scores"], dtype=np.float64)).tolist()}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return {"weights": [value + 0.0 for value in self._MISTAKEN[slug](drawn["scores"])]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "算出这一行分数的 softmax，四个权重依次写出。",
                "Work out the softmax of this row of scores: four weights, in order.",
            ),
            givens=(Given(name="s", value=drawn["scores"], role="s"),),
            conventions=(
                Text(
                    "分数已经缩放过，直接做 softmax；指数以自然常数 $e$ 为底。",
                    "The scores are already scaled: take the softmax as they stand, with the natural "
                    "exponential $e^x$.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        scores = drawn["scores"]
        top = max(scores)
        shifted = [score - top for score in scores]
        right = self.right(drawn)["weights"]
        return (
            SolutionStep(
                text=told(
                    f"先减去最大值 {top}，结果不变，指数不会溢出：",
                    f"Subtract the maximum, {top}: the result stays the same and no exponential overflows:",
                    rf"s - {tex_factor(top)} = {tex(shifted)}",
                )
            ),
            SolutionStep(
                text=told(
                    "取指数、求和、相除：",
                    "Exponentials, their sum, and the shares:",
                    *weights_lines(shifted),
                ),
                part="weights",
                figure=Given(name="a", value=right, role="s"),
            ),
            SolutionStep(
                text=Text(
                    "自查：四个权重都是正数，加起来是 1，次序和分数一致。",
                    "Check: four positive weights that sum to 1, in the same order of size as the scores.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        exponentials = [math.exp(score - max(drawn["scores"])) for score in drawn["scores"]]
        return (
            Text(
                "先把分数都变成正数，再让它们加起来等于 1。",
                "First make every score positive, then make them sum to 1.",
            ),
            Text(
                "每个分数减去最大值，取 $e$ 的幂，再除以总和。",
                "Subtract the maximum from each score, take powers of $e$, divide by their sum.",
            ),
            Text(
                f"减去最大值后的指数是 ${tex(exponentials)}$，还差除以总和。",
                f"With the maximum subtracted the exponentials are ${tex(exponentials)}$; the sum is left to "
                "divide by.",
            ),
        )
