"""A diagram by its name: ```` ```diagram encoder_layer ````; its words follow the language of the text."""

from __future__ import annotations

from quiz.bank.blocks.setting import Block, BlockError, Setting
from quiz.figures import diagrams


def _figure(source: str, setting: Setting) -> str:
    return diagrams.draw(_name(source, setting), language=setting.language, slug=setting.slug)


def _words(source: str, setting: Setting) -> str:
    return diagrams.described(_name(source, setting), language=setting.language)


def _name(source: str, setting: Setting) -> str:
    if source.strip():
        raise BlockError("a diagram has a name and nothing inside", 1)
    if setting.argument not in diagrams.NAMES:
        known = ", ".join(diagrams.NAMES)
        raise BlockError(f"the diagram {setting.argument!r} does not exist: {known}")
    return setting.argument


DIAGRAM = Block(html=_figure, text=_words, takes_argument=True)
