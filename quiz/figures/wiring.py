"""The wiring of a sublayer as a small drawing: boxes on a path, a split, a sum. Classes only, no styles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quiz.figures.svg import element

BOX, BOX_HEIGHT, GAP = 44.0, 28.0, 14.0
UPPER, LOWER, HEIGHT = 20.0, 58.0, 78.0
END = 22.0  # room for a letter at either end
SUM = 9.0  # the radius of the plus sign's circle


def wiring(
    *, before: Sequence[str] = (), branch: Sequence[str], after: Sequence[str] = (), skip: bool = True
) -> str:
    """One drawing, to be labelled by what it stands in: x enters at the left, y leaves at the right; the
    branch runs above, the path that goes round it below.
    """
    middle = LOWER if skip else UPPER
    parts = [_letter(END / 2 - 2, middle, "x")]
    at = END
    for name in before:
        parts += [_line(at, middle, at + GAP, middle), *_box(at + GAP, middle, name)]
        at += GAP + BOX
    if not skip:
        at = _row(parts, at, UPPER, branch)
    else:
        split = at + GAP
        boxes: list[str] = []
        end = _row(boxes, split, UPPER, branch)
        joint = end + GAP + SUM
        parts += [_line(at, LOWER, joint - SUM, LOWER), _line(split, LOWER, split, UPPER)]
        parts += [*boxes, _line(end, UPPER, joint, UPPER)]
        parts += [_line(joint, UPPER, joint, LOWER - SUM), *_plus(joint)]
        at = joint + SUM
    at = _row(parts, at, middle, after)
    parts += [_line(at, middle, at + GAP, middle), _letter(at + GAP + END / 2, middle, "y")]
    width = at + GAP + END
    height = HEIGHT if skip else 2 * UPPER
    return element(
        "svg",
        *parts,
        class_="wiring",
        viewbox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        aria_hidden="true",
        focusable="false",
    )


def _row(parts: list[str], at: float, y: float, names: Sequence[str]) -> float:
    """Boxes one after the other, each with the line that leads to it; where they end."""
    for name in names:
        parts += [_line(at, y, at + GAP, y), *_box(at + GAP, y, name)]
        at += GAP + BOX
    return at


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="wiring-line")


def _box(x: float, y: float, name: str) -> Iterator[str]:
    yield element(
        "rect", x=x, y=y - BOX_HEIGHT / 2, width=BOX, height=BOX_HEIGHT, rx="4", class_="wiring-box"
    )
    yield element("text", text=name, x=x + BOX / 2, y=y + 4.5, class_="wiring-name")


def _plus(x: float) -> Iterator[str]:
    yield element("circle", cx=x, cy=LOWER, r=SUM, class_="wiring-box")
    yield _line(x - 5, LOWER, x + 5, LOWER)
    yield _line(x, LOWER - 5, x, LOWER + 5)


def _letter(x: float, y: float, name: str) -> str:
    return element("text", text=name, x=x, y=y + 4.5, class_="wiring-letter")
