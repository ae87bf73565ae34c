"""Why a batch file as a whole cannot be read: a sentence with its place, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from quiz.exercises.types import Text


class Refusal(Exception):
    """The file is not judged at all, and nothing is written."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


def empty_file() -> Refusal:
    return Refusal(Text("第 1 行：文件是空的，没有表头。", "line 1: the file is empty and has no header."))


def not_decoded(line: int, byte: int, encoding: str) -> Refusal:
    return Refusal(
        Text(
            f"第 {line} 行（文件第 {byte} 字节）不是 {encoding} 编码。如果是中文 Excel 存的 CSV，请加 "
            "--encoding gb18030。",
            f"line {line} (byte {byte} of the file) is not {encoding}. For a CSV saved by a Chinese Excel, "
            "add --encoding gb18030.",
        )
    )


def missing_columns(missing: Sequence[str], found: Sequence[str]) -> Refusal:
    have = [name for name in found if name][:20]
    return Refusal(
        Text(
            f"第 1 行：缺少列 {'、'.join(missing)}（现有的列：{'、'.join(have) or '没有'}）。",
            f"line 1: missing column {', '.join(missing)} (found: {', '.join(have) or 'none'}).",
        )
    )


def repeated_column(name: str, place: int) -> Refusal:
    return Refusal(
        Text(
            f"第 1 行第 {place} 列：列名 {name} 重复了。",
            f"line 1, column {place}: the column {name} occurs twice.",
        )
    )


def broken_quotes(line: int, column: int, *, unclosed: bool) -> Refusal:
    zh = "引号没有闭合" if unclosed else "引号后面还有别的字符"
    en = "a quote is never closed" if unclosed else "something follows a closing quote"
    return Refusal(Text(f"第 {line} 行第 {column} 列：{zh}。", f"line {line}, column {column}: {en}."))


def too_long_cell(line: int, limit: int) -> Refusal:
    return Refusal(
        Text(
            f"第 {line} 行：有一格超过 {limit} 个字符。",
            f"line {line}: a cell is longer than {limit} characters.",
        )
    )
