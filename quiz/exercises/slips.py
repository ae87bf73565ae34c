"""The common slips: what goes wrong in any exercise, whatever it is about, and how each is told.

A misconception is a wrong idea about the subject and belongs to a family; a slip is a right idea carried out
carelessly. Their slugs begin with `slip_`, which no misconception's does. Which slip gives a wrong answer is
found in `spotting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from quiz.exercises.types import Text

PREFIX = "slip_"
WHERE = "{where}"
SOME_CELL = Text("某一格", "one entry")


@dataclass(frozen=True, kw_only=True)
class Slip:
    """`title` completes "looks like …" and may say `{where}`; `told` says what was probably done, `question`
    leads on. A slip has no number of its own to show: it would be the right value, thinly disguised."""

    slug: str
    title: Text
    told: Text
    question: Text

    def title_at(self, where: Text) -> Text:
        return Text(self.title.zh.replace(WHERE, where.zh), self.title.en.replace(WHERE, where.en))


ROUNDING = Slip(
    slug="slip_rounding",
    title=Text("四舍五入得太早", "rounding too early"),
    told=Text(
        "方法没有看出问题，差的这一点像是中途只留了一两位小数。",
        "Nothing seems wrong with the method; the small difference looks like one or two decimals kept on "
        "the way.",
    ),
    question=Text(
        "从哪一步起只留了一两位小数？每一步都多留一位，结果会变多少？",
        "From which step on did you keep one or two decimals? By how much does the result move if every step "
        "keeps one more?",
    ),
)
TRANSPOSED = Slip(
    slug="slip_transposed",
    title=Text("行和列对调了", "rows and columns exchanged"),
    told=Text("这些数都对，只是写成了转置。", "These are the right numbers, written as the transpose."),
    question=Text(
        "按题目的约定，结果的一行代表什么，一列又代表什么？",
        "By the conventions of the task, what does a row of the result stand for, and what does a column?",
    ),
)
ORDER = Slip(
    slug="slip_order",
    title=Text("次序排错了", "the right numbers in another order"),
    told=Text(
        "要的数都在，只是排列的次序不对。", "All the numbers asked for are there, but not in their places."
    ),
    question=Text(
        "从第 1 个位置数起，每个位置该放谁的数：哪一个 token，哪一维？",
        "From the first place on: whose number belongs there, which token's or which component's?",
    ),
)
SIGN = Slip(
    slug="slip_sign",
    title=Text("正负号反了", "the opposite sign"),
    told=Text(
        "只看大小是对的，方法多半没有问题。",
        "The size is right by itself, so the method should be too.",
    ),
    question=Text(
        "从哪一步起正负号变了？那一步里是谁减谁，或者哪个因子是负的？",
        "At which step did the sign turn? What is subtracted from what there, or which factor is negative?",
    ),
)
ONE_SIGN = Slip(
    slug="slip_one_sign",
    title=Text("{where}的正负号反了", "the opposite sign in {where}"),
    told=Text(
        "别的都对，只有这一格不对，而且只差一个负号。",
        "The rest is right; this one is wrong, and by its sign alone.",
    ),
    question=Text("算这一格时，哪几项是负的？", "Which of the terms of this entry are negative?"),
)
PERCENT = Slip(
    slug="slip_percent",
    title=Text("写成了百分数", "a percentage without its sign"),
    told=Text(
        "数是对的，却写成了百分数：差了 100 倍。",
        "The number is right but stands as a percentage: a hundred times too large.",
    ),
    question=Text(
        "题目要的数应当在 0 和 1 之间，还是 0 和 100 之间？",
        "Should the number asked for lie between 0 and 1, or between 0 and 100?",
    ),
)
POWER_OF_TEN = Slip(
    slug="slip_power_of_ten",
    title=Text("小数点错了位", "a decimal point in the wrong place"),
    told=Text(
        "数字都对，大小却差了 10、100 这样的倍数：小数点错了位，或者少换算、多换算了一次单位。",
        "The digits are right, but the size is off by a factor such as 10 or 100: a point out of place, or a "
        "unit converted once too often or not at all.",
    ),
    question=Text(
        "不用细算，先估一下：结果的整数部分应当有几位？",
        "Before any detail, an estimate: how many digits should stand before the point?",
    ),
)
ONE_CELL = Slip(
    slug="slip_one_cell",
    title=Text("只有{where}算错了", "a slip in {where} alone"),
    told=Text(
        "别的都对，所以方法应当没有问题，多半是这一格的算术。",
        "The rest is right, so the method should be too: it is probably the arithmetic of this one.",
    ),
    question=Text(
        "把这一格的算式重写一遍：每一项用的是哪两个数？",
        "Write this entry out again: which two numbers go into each term?",
    ),
)

SLIPS = MappingProxyType(
    {
        slip.slug: slip
        for slip in (ROUNDING, TRANSPOSED, ORDER, SIGN, ONE_SIGN, PERCENT, POWER_OF_TEN, ONE_CELL)
    }
)


def place(shape: tuple[int, ...], cells: Sequence[bool]) -> Text:
    """Where the only wrong one of these cells is, counted from 1; `SOME_CELL` when it is not one alone."""
    wrong = [index for index, right in enumerate(cells) if not right]
    if len(wrong) != 1 or not shape:
        return SOME_CELL
    if len(shape) == 1:
        return Text(f"第 {wrong[0] + 1} 格", f"entry {wrong[0] + 1}")
    row, column = divmod(wrong[0], shape[1])
    return Text(f"第 {row + 1} 行第 {column + 1} 格", f"row {row + 1}, column {column + 1}")
