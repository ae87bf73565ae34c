"""The diagrams of the chapter by name: layers, blocks, the walk of attention, heads, kernels, serving."""

from __future__ import annotations

from quiz.figures.diagrams.blocks import POST_LN_BLOCK, PRE_LN_BLOCK
from quiz.figures.diagrams.drawing import drawn
from quiz.figures.diagrams.layers import DECODER_LAYER, ENCODER_LAYER, TRANSFORMER
from quiz.figures.diagrams.running import KERNEL_DISPATCH, PREFILL_DECODE
from quiz.figures.diagrams.shapes import Diagram
from quiz.figures.diagrams.walks import ATTENTION_PIPELINE, HEAD_SPLIT

DIAGRAMS: dict[str, Diagram] = {
    "encoder_layer": ENCODER_LAYER,
    "decoder_layer": DECODER_LAYER,
    "transformer": TRANSFORMER,
    "pre_ln_block": PRE_LN_BLOCK,
    "post_ln_block": POST_LN_BLOCK,
    "attention_pipeline": ATTENTION_PIPELINE,
    "kernel_dispatch": KERNEL_DISPATCH,
    "prefill_decode": PREFILL_DECODE,
    "head_split": HEAD_SPLIT,
}
NAMES = tuple(DIAGRAMS)


def draw(name: str, *, language: str, slug: str) -> str:
    """The diagram as a figure, safe markup; `slug` makes its ids. KeyError for a name that is not known."""
    return drawn(DIAGRAMS[name], language=language, slug=slug)


def described(name: str, *, language: str) -> str:
    """The diagram in words: its title, and all that it shows."""
    diagram = DIAGRAMS[name]
    return "\n".join(" ".join(words.lines(language)) for words in (diagram.title, diagram.description))
