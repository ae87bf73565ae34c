"""Fences that are not code: the first word after their marks names what they draw. Figures enter here."""

from __future__ import annotations

from quiz.bank.blocks.charts import CHART
from quiz.bank.blocks.corrections import CORRECTION
from quiz.bank.blocks.definitions import LET
from quiz.bank.blocks.diagrams import DIAGRAM
from quiz.bank.blocks.matrices import MATRIX
from quiz.bank.blocks.setting import Block, BlockError, Setting

__all__ = ["BLOCKS", "Block", "BlockError", "Setting"]

BLOCKS: dict[str, Block] = {
    "let": LET,
    "matrix": MATRIX,
    "chart": CHART,
    "diagram": DIAGRAM,
    "correction": CORRECTION,
}
