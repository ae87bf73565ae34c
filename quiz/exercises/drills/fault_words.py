"""What each fault of an implementation is called, and how it would show: for whoever takes one for another.

The faults themselves are changed steps in `attention_core.faults`; here stand the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from attention_core.faults import FAULTS
from quiz.exercises.drills.hiding_faults import HIDING_FAULTS
from quiz.exercises.drills.weighing_faults import WEIGHING_FAULTS
from quiz.exercises.drills.words import FaultWords
from quiz.exercises.types import Misconception, Text

FAULT_WORDS: Mapping[str, FaultWords] = MappingProxyType(WEIGHING_FAULTS | HIDING_FAULTS)


STEPS = MappingProxyType(
    {
        "score": Text("哪些向量在做点积", "which vectors meet in the scores"),
        "scale": Text("分数怎样缩放", "how the scores are scaled"),
        "mask": Text("遮住了什么、怎样遮", "what is hidden, and how"),
        "normalise": Text("分数怎样变成权重", "how scores become weights"),
        "mix": Text("权重拿去混合了什么", "what the weights mix"),
    }
)


def step_of(fault: str) -> Text:
    """The step of the pipeline that a fault changes, in words."""
    return STEPS[FAULTS[fault].step if fault in FAULTS else "mix"]  # dropout, which is not in the table


def mistake_slug(fault: str) -> str:
    """The misconception of whoever takes this fault for the one that is there."""
    return f"took_{fault}"


def taken_for(faults: Iterable[str]) -> tuple[Misconception, ...]:
    """One misconception a fault: it was named, and it is another."""
    return tuple(_taken(fault) for fault in faults)


def _taken(fault: str) -> Misconception:
    words = FAULT_WORDS[fault]
    label, sign = words.label, words.sign
    return Misconception(
        slug=mistake_slug(fault),
        title=Text(f"把毛病当成了「{label.zh}」", f"the fault was taken for “{label.en}”"),
        told=Text(f"如果是「{label.zh}」：{sign.zh}", f"If it were “{label.en}”: {sign.en}"),
        question=words.question,
        caption=Text(f"选了「{label.zh}」", f"“{label.en}” chosen"),
    )
