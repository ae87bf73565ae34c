"""A box that sets right what people may have read elsewhere; its inside is Markdown of its own."""

from __future__ import annotations

from html import escape

from quiz.bank.blocks.setting import Block, BlockError, Setting

TITLES = {True: "常见说法订正", False: "Often said, set right"}  # by whether the text is Chinese


def _box(source: str, setting: Setting) -> str:
    title = TITLES[setting.is_chinese]
    return (
        f'<div class="correction" role="note"><p class="correction-title">{escape(title)}</p>'
        f"{_inside(source, setting)}</div>"
    )


def _words(source: str, setting: Setting) -> str:
    return f"{TITLES[setting.is_chinese]}\n{_inside(source, setting)}"


def _inside(source: str, setting: Setting) -> str:
    if not source.strip():
        raise BlockError("the correction is empty")
    return setting.markdown(source)


CORRECTION = Block(html=_box, text=_words)
