"""What a block is given beside its source, and how it says what is wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quiz.expressions import Value


class BlockError(ValueError):
    """Something in a block that cannot be drawn; `line` counts from 1 inside the fence, 0 for all of it."""

    def __init__(self, message: str, line: int = 0) -> None:
        self.message, self.line = message, line
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a block stands.

    `language` of the text; `names` that its let fences gave so far; `slug`, unique on the page, for ids;
    `argument`, what follows the block's name; `markdown` renders text that stands inside the block.
    """

    language: str
    names: Mapping[str, Value]
    slug: str
    argument: str
    markdown: Callable[[str], str]

    @property
    def is_chinese(self) -> bool:
        return self.language.lower().startswith("zh")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A kind of block: its source as safe HTML, and as words alone. Both raise BlockError."""

    html: Callable[[str, Setting], str]
    text: Callable[[str, Setting], str]
    takes_argument: bool = False
