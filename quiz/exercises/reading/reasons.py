"""Why a text was not read: a slug, what it names, and where.

A candidate is told the character or the rule that stopped the reading, in both languages, and the cell it
stands in; a batch file gets the same sentence as plain text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from quiz.exercises.types import Text

LONGEST_SHOWN = 24

# code -> (zh, en); {0} and {1} are what the reason names.
SENTENCES: dict[str, tuple[str, str]] = {
    "adjacent": ("「{0}」和「{1}」之间缺运算符", "no operator stands between “{0}” and “{1}”"),
    "after": ("「{0}」前后还有别的内容", "something stands beside the brackets: “{0}”"),
    "argument": ("不认识的参数「{0}」", "unknown argument “{0}”"),
    "bidi": ("含有改变显示方向的字符 {0}", "the character {0} changes the order in which digits are shown"),
    "brackets": ("只要一个数，方括号「{0}」多余", "one number is asked for, without the bracket “{0}”"),
    "character": ("不认识的字符「{0}」（{1}）", "unexpected character “{0}” ({1})"),
    "comma": (
        "「{0}」里的逗号可能是小数点，也可能是分隔符",
        "the comma in “{0}” may be a decimal point or a separator",
    ),
    "dots": (
        "「{0}」里的点不知是小数点还是乘号",
        "the middle dot in “{0}” may be a decimal point or a product",
    ),
    "elided": ("「{0}」表示有内容被省略，请写全", "“{0}” stands for numbers left out; give all of them"),
    "empty": ("什么也没写", "nothing was written"),
    "empty_cell": ("这一格是空的", "this cell is empty"),
    "exponent": ("「{0}」的指数必须是整数", "the exponent of “{0}” must be a whole number"),
    "function": ("「{0}」后面要有括号", "“{0}” needs brackets after it"),
    "grouping": ("「{0}」的千位分组不对，应三位一组", "the digits of “{0}” are not grouped in threes"),
    "hexadecimal": ("「{0}」像十六进制数，请写十进制", "“{0}” looks hexadecimal; write it in decimal"),
    "implicit_e": (
        "「{0}」可能是乘以 e，也可能是 10 的幂",
        "“{0}” may be a product with e or a power of ten",
    ),
    "implicit_product": (
        "「{0}」处省略了乘号，会有歧义",
        "a product sign is missing at “{0}”, which is ambiguous",
    ),
    "incomplete": ("算式没写完，停在「{0}」", "the expression is not complete at “{0}”"),
    "infinite": ("不能是无穷「{0}」", "infinity is not an answer here: “{0}”"),
    "latex": ("不认识的 LaTeX 命令「{0}」", "unknown LaTeX command “{0}”"),
    "leading_zero": ("「{0}」以 0 开头", "“{0}” starts with a zero"),
    "letter": ("「{0}」是文字，这里要数", "“{0}” is not a number"),
    "lines": ("只要一个数，却写了好几行", "one number is asked for, not several lines"),
    "levels": ("这一行的括号层数和第一行不同", "this row is nested less or more deeply than the first"),
    "log": (
        "「{0}」的底不明：请写 ln、log2 或 log10",
        "the base of “{0}” is not clear: write ln, log2 or log10",
    ),
    "log_domain": ("ln({0}) 没有定义", "the logarithm of {0} is not defined"),
    "mixed_levels": ("「{0}」处数和方括号混在一起", "numbers and brackets are mixed at “{0}”"),
    "mixed_separators": ("「{0}」混用了几种分隔符", "“{0}” mixes several separators"),
    "nan": ("「{0}」不是数", "“{0}” is not a number that can be an answer"),
    "negative": ("形状里不能有负数「{0}」", "a shape has no negative size: “{0}”"),
    "operator_spaces": (
        "「{0}」两边有空格，分不清是一格还是几格",
        "with spaces around “{0}” it is not clear where a cell ends",
    ),
    "overflow": ("「{0}」太大了", "“{0}” is too large"),
    "power_chain": (
        "连写的幂「{0}」有歧义，请加括号",
        "a power of a power is ambiguous without brackets: “{0}”",
    ),
    "power_undefined": ("{0} 的 {1} 次方没有实数值", "{0} to the power {1} has no real value"),
    "quote": ("引号「{0}」没有配对", "the quote “{0}” has no partner"),
    "ragged": ("这一行长 {0}，第一行长 {1}", "this row has length {0}, the first row has length {1}"),
    "range": ("「{0}」像一个范围；减号请写 -", "“{0}” looks like a range; write - for minus"),
    "readings": ("「{0}」有不止一种读法", "“{0}” can be read in more than one way"),
    "root_negative": ("不能对负数 {0} 开平方", "the square root of the negative number {0} is not defined"),
    "several": ("只要一个数，却写了「{0}」", "one number is asked for: “{0}”"),
    "signs": ("连着两个正负号「{0}」", "two signs in a row: “{0}”"),
    "spaces": ("「{0}」可能是一个算式，也可能是两个数", "“{0}” may be one expression or two numbers"),
    "too_deep": ("括号嵌套超过 {0} 层", "brackets are nested more than {0} deep"),
    "too_long": ("太长，最多 {0} 个字符", "too long: at most {0} characters"),
    "too_many_cells": ("太多项，最多 {0} 项", "too many entries: at most {0}"),
    "too_many_sizes": ("维数太多，最多 {0} 维", "too many dimensions: at most {0}"),
    "two_points": ("「{0}」有不止一个小数点", "“{0}” has more than one decimal point"),
    "unbalanced": ("括号「{0}」没有配对", "the bracket “{0}” has no partner"),
    "underflow": ("「{0}」太接近 0，表示不了", "“{0}” is too close to zero to be kept"),
    "underscore": ("「{0}」的下划线位置不对", "the underscore in “{0}” is misplaced"),
    "unit": ("只要数，不要单位「{0}」", "give the number without the unit “{0}”"),
    "whole": ("形状里的「{0}」不是整数", "“{0}” in a shape is not a whole number"),
    "zero_division": ("除数是 0", "division by zero"),
}


def shown(text: str) -> str:
    """`text` on one line, cut to what a sentence can carry."""
    line = " ".join(text[: 4 * LONGEST_SHOWN].split())
    line = "".join(c if c.isprintable() else "\ufffd" for c in line)  # no control, no lone surrogate
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"


@dataclass(frozen=True)
class Reason:
    """What stopped a reading. `row` and `column` count from 1 and are None where there is one cell only."""

    code: str
    params: tuple[str, ...] = ()
    row: int | None = None
    column: int | None = None

    @property
    def text(self) -> Text:
        zh, en = (sentence.format(*self.params) for sentence in SENTENCES[self.code])
        if self.row is None:
            return Text(zh=zh, en=en)
        if self.column is None:
            return Text(zh=f"第 {self.row} 行：{zh}", en=f"row {self.row}: {en}")
        where = f"第 {self.row} 行第 {self.column} 格"
        return Text(zh=f"{where}：{zh}", en=f"row {self.row}, column {self.column}: {en}")


class Unreadable(Exception):
    """Raised inside this package only; `read` turns it into a refusal."""

    def __init__(self, code: str, *named: str) -> None:
        super().__init__(code)
        self.reason = Reason(code, tuple(shown(name) for name in named))

    def at(self, row: int | None, column: int | None) -> Unreadable:
        """The same refusal, placed in a cell or a row; a place it already has is kept."""
        kept = self.reason
        self.reason = replace(kept, row=kept.row or row, column=kept.column or column)
        return self
