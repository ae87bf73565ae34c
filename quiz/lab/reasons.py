"""Why a point has no figures, in the reader's language.

What is stored is English, whoever measured: the sentences below, with numbers and names in them. Each is
known here by its own words and translated when it is shown. What is not known here, such as an error of
PyTorch's, is shown as it was said.
"""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import gettext, gettext_noop

SENTENCES = (
    # the worker, and the process that watches the measuring one
    gettext_noop("stopped after %(seconds)s s"),
    gettext_noop("stopped at %(bytes)s resident bytes"),
    gettext_noop("killed by the system, as when memory runs out"),
    gettext_noop("the measuring process printed no result"),
    gettext_noop("exit code %(code)s"),
    gettext_noop("signal %(number)s"),
    gettext_noop("needs %(needed)s bytes, %(room)s may be used (%(free)s free × %(share)s)"),
    gettext_noop("the run is for a GPU, and the worker has none"),
    # the measuring process
    gettext_noop("this machine has no usable CUDA device"),
    gettext_noop("dispatched %(kernel)s instead"),
    gettext_noop("the error is more than allowed"),
    gettext_noop("the error of the gradient of %(name)s is more than allowed"),
    gettext_noop("%(count)s query rows change with values hidden from them"),
    gettext_noop("the result is wrong at n = %(length)s"),
    gettext_noop("a decoded row is not that of the full pass"),
    gettext_noop("a sequence is not what it is when computed alone"),
    gettext_noop("real rows change with what stands in the padding"),
    gettext_noop("the check does not tell them apart"),
    gettext_noop("the new kernel fails: %(gates)s"),
    gettext_noop(
        "%(measured)s is more than the dense peak of %(device)s in %(dtype)s, %(most)s: time or count is "
        "wrong"
    ),
    gettext_noop(
        "%(measured)s is more than what %(cores)s cores of any processor could do, %(most)s: time or count "
        "is wrong"
    ),
    # a kernel that refuses
    gettext_noop("Triton is not installed"),
    gettext_noop("no CUDA tensors"),
    gettext_noop("no CUDA tensors, and Triton's interpreter is off (TRITON_INTERPRET=1)"),
    gettext_noop("bfloat16 under Triton's interpreter, which miscalculates it"),
    gettext_noop("an explicit mask"),
    gettext_noop("gradients: only its forward pass is called here"),
    gettext_noop("gradients: this kernel has no backward pass"),
    gettext_noop("%(dtype)s: float16 and bfloat16 only"),
    gettext_noop("%(dtype)s: float16, bfloat16 and float32 only"),
    gettext_noop("values of width %(values)s with keys of width %(keys)s"),
    gettext_noop("width %(width)s: at most %(most)s"),
    gettext_noop("compute capability %(found)s: at least %(least)s"),
    gettext_noop("%(system)s cannot limit the memory of a process"),
    gettext_noop("this process may map %(limit)s bytes only, %(most)s are asked for"),
    gettext_noop("%(free)s bytes are free on the card, %(asked)s are asked for"),
)
# Words that stand in a sentence, one or several: the conditions of a rollout, what slows a card down.
WORDS = (
    gettext_noop("error"),
    gettext_noop("causality"),
    gettext_noop("padding"),
    gettext_noop("finite"),
    gettext_noop("power cap"),
    gettext_noop("hardware slowdown"),
    gettext_noop("software thermal"),
    gettext_noop("hardware thermal"),
    gettext_noop("power brake"),
)
OWN_ERROR = "NoSuchDevice: "  # by which a failed run tells that its error is one of the sentences


def translated(said: str) -> str:
    """A stored reason as it is shown; of a known sentence with an unknown one behind it, the first is."""
    said = said.removeprefix(OWN_ERROR)
    whole = _known(said)
    if whole is not None:
        return whole
    first, stop, rest = said.partition(". ")
    return f"{_known(first) or first}{stop}{rest}"


def words(said: str) -> str:
    """Words between commas, each that is known in the reader's language."""
    return ", ".join(gettext(word) if word in WORDS else word for word in said.split(", "))


def _known(said: str) -> str | None:
    for sentence, pattern in _patterns():
        if found := pattern.fullmatch(said):
            return gettext(sentence) % {name: words(text) for name, text in found.groupdict().items()}
    return None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Each sentence with what it looks like once it is filled in."""
    return [
        (sentence, re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+)", re.escape(sentence))))
        for sentence in SENTENCES
    ]
