"""How a value is shown back to the person who typed it: “read as −0.7071”."""

from __future__ import annotations

import math
from typing import Any

DECIMALS = 4
MINUS = "−"

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def read_as(value: Any) -> str:
    """A number to four decimals (four significant ones below 1), with a true minus; lists in brackets.

    >>> read_as(-1 / 2**0.5), read_as(300000000), read_as([[1, 0.5]]), read_as(1.25e-7)
    ('−0.7071', '300000000', '[[1, 0.5]]', '1.25×10⁻⁷')
    """
    if isinstance(value, list | tuple):
        return "[" + ", ".join(read_as(item) for item in value) + "]"
    if isinstance(value, int):
        return str(value).replace("-", MINUS)
    if math.isinf(value):
        return (MINUS if value < 0 else "") + "∞"
    return _decimal(value).replace("-", MINUS)


def _decimal(value: float) -> str:
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1e9 or size < 1e-4:
        mantissa, exponent = f"{value:.{DECIMALS - 1}e}".split("e")
        return f"{_trimmed(mantissa)}×10{str(int(exponent)).translate(_RAISED)}"
    decimals = DECIMALS if size >= 1 else DECIMALS - 1 - math.floor(math.log10(size))
    return _trimmed(f"{value:.{decimals}f}")


def _trimmed(written: str) -> str:
    return written.rstrip("0").rstrip(".") if "." in written else written
