"""What stands around an answer without changing it: quotes, a label, the print-out of an array library.

`undress` takes off `x =`, `"…"`, `tensor(…, grad_fn=<…>)` and the like, layer by layer. An argument that
might change the value is refused by name.
"""

from __future__ import annotations

import re

from quiz.exercises.reading.reasons import Unreadable

MOST_LAYERS = 8
LONGEST_LABEL = 60

_FENCE = re.compile(r"'{3}(?:[A-Za-z]*\n)?([^']+)'{3}")  # backquotes are folded to quotes
_QUOTES = ('"', "'", "$$", "$")
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉₊₋₌ₐₑₒₓₖₙₜᵢⱼ"
_LABEL = re.compile(
    rf"(?:\\?[^\W\d_][\w.{_SUBSCRIPTS}]*(?:_?\{{[\w, ]*\}})?(?:\[[0-9,: ]*\])?[′']{{0,3}}\s*(?::=|[=:≈])"
    r"|[=≈]|Parameter containing:)\s*"
)
_WRAPPERS = {
    "tensor", "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "as_tensor", "constant",
    "array", "asarray", "Array", "DeviceArray", "matrix", "Matrix", "float", "int", "list", "tuple",
    "Size", "TensorShape", "Parameter", "Decimal",
}  # fmt: skip
_MODULES = {"", "torch", "np", "numpy", "jnp", "jax.numpy", "tf", "mx", "sympy", "nn", "torch.nn", "decimal"}
_TYPE = re.compile(r"b?float\d*(?:_\d)?|u?int\d*|double|long|half")
_CALL = re.compile(r"([A-Za-z][A-Za-z0-9_.]*)\s*\(")
_KEYWORD = re.compile(
    r"(?:dtype|device|grad_fn|requires_grad|layout|size|names|weak_type|shape|copy|ndmin)\s*=[^=]*\Z"
)
_TENSORFLOW = re.compile(r"<tf\.(?:Tensor|Variable)[^>]{0,200}?numpy=")


def undress(text: str) -> str:
    """`text` without the layers around it."""
    for _ in range(MOST_LAYERS):
        before = text
        text = _one_layer(text.strip())
        if text == before:
            break
    return text


def _one_layer(text: str) -> str:
    fence = _FENCE.fullmatch(text)
    if fence:
        return fence[1]
    for quote in _QUOTES:
        inside = text[len(quote) : -len(quote)]
        if len(text) > 2 * len(quote) and text == quote + inside + quote and quote not in inside:
            return inside
    label = _LABEL.match(text[:LONGEST_LABEL])
    if label:
        return text[label.end() :]
    tensorflow = _TENSORFLOW.match(text)
    if tensorflow and text.endswith(">"):
        return text[tensorflow.end() : -1]
    call = _CALL.match(text)
    if call and text.endswith(")") and _is_wrapper(call[1]):
        return _first_argument(text, call)
    return text


def _is_wrapper(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return module in _MODULES and (last in _WRAPPERS or bool(_TYPE.fullmatch(last)))


def _first_argument(text: str, call: re.Match[str]) -> str:
    first, *rest = split_outside(text[call.end() : -1], ",")
    check_arguments(rest)
    if _TYPE.fullmatch(call[1].rpartition(".")[2]) and "int" in call[1] and "." in first:
        raise Unreadable("argument", first)  # int(1.5) is 1: leave that to the candidate
    return first


def check_arguments(arguments: list[str]) -> None:
    """Refuse every argument that is not a type, a device or the like."""
    for argument in arguments:
        named = argument.strip()
        bare_type = _is_wrapper(named) and _TYPE.fullmatch(named.rpartition(".")[2])
        if named and not (_KEYWORD.match(named) or bare_type):
            raise Unreadable("argument", named)


def split_outside(text: str, separators: str) -> list[str]:
    """`text` split at the separators that stand outside brackets and quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character == '"' or (character == "'" and not text[index - 1 : index].isalnum()):
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and character in separators:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts
