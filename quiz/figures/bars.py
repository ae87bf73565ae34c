"""One horizontal bar of a table, as SVG that follows the width of its cell. Pure.

The numbers stand beside it in the table, so a screen reader is not told of it. What tells bars apart is their
filling (solid, hatched, outlined), not the hue alone.
"""

from __future__ import annotations

from typing import Literal

from quiz.figures.svg import element, number

Kind = Literal["ink", "hatched", "accent", "outlined"]
HEIGHT = 12


def bar(share: float, *, kind: Kind = "ink") -> str:
    """A bar over `share` (0 to 1) of the room. Hatched ones need `hatching()` once on the page."""
    size = {"width": f"{number(100 * min(max(share, 0.0), 1.0))}%", "height": str(HEIGHT)}
    filling = {"fill": "url(#tally-hatching)"} if kind == "hatched" else {}
    return element(
        "svg",
        element("rect", **size, **filling),
        class_=f"tally tally-{kind}",
        width="100%",
        height=HEIGHT,
        aria_hidden="true",
        focusable="false",
    )


def hatching() -> str:
    """The pattern of hatched bars, in a drawing without size."""
    line = element("path", d="M0 6 6 0", stroke="currentColor", stroke_width=1.5)
    pattern = element("pattern", line, id="tally-hatching", width=6, height=6, patternUnits="userSpaceOnUse")
    return element(
        "svg", element("defs", pattern), class_="tally-pattern", width=0, height=0, aria_hidden="true"
    )
