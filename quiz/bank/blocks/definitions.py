"""A let fence shows nothing: it gives names to values for the text after it."""

from __future__ import annotations

from quiz.bank.blocks.setting import Block, BlockError, Setting
from quiz.bank.defining import defined


def _nothing(source: str, setting: Setting) -> str:
    _, wrong = defined(source, setting.names)
    if wrong:
        raise BlockError(wrong[0].message, wrong[0].line)
    return ""


LET = Block(html=_nothing, text=_nothing)
