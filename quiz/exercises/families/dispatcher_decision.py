"""The drill of the dispatcher: run as asked, fall back and record, or stop; and what decides that."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from attention_core.kernel_rules import (
    FALLBACKS,
    Outcome,
    Request,
    allowed_error,
    decide,
    first_that_can,
    is_wrong,
    plainly_causal,
    refusal,
)
from quiz.exercises.choosing import Asked, in_order, sampled, shuffled
from quiz.exercises.drills.dispatches import DECIDED_WRONGLY, DECISIONS, KERNELS, MASK_WORDS, MASKS, REASONS
from quiz.exercises.drills.drill import Drill
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Misconception, Prompt, SolutionStep, Table, Text

CARD = (9, 0)
OFFERED = 6  # reasons, the right one among them
PLAIN_ERRORS = {
    "float16": (2e-4, 9e-4),
    "bfloat16": (2e-3, 8e-3),
    "float32": (1e-7, 6e-7),
    "float64": (1e-16, 8e-16),
}
# How often each reason decides: about a third of the draws runs, falls back, stops.
WANTED = {
    "accepted": 0.32,
    "dtype": 0.12,
    "mask": 0.11,
    "device": 0.07,
    "width": 0.05,
    "error": 0.13,
    "nan": 0.08,
    "hidden": 0.12,
}
# Facts that every kernel takes: each alone, put in the place of one that was drawn, tells what is in the way.
FITTING: dict[str, dict[str, Any]] = {
    "dtype": {"dtype": "bfloat16"},
    "mask": {"masked": False},
    "device": {"device": "cuda", "capability": CARD},
    "width": {"width": 64, "value_width": 64},
}


@register
class DispatcherDecision(Drill):
    """Drawn: asked, the kernel; device; dtype; mask, a key of `MASKS`; width and value_width; error (None for
    NaN), plain, largest and influenced, what was measured; decisions and reasons, the orders of the choices.
    """

    slug = "dispatcher_decision"
    code = "dispatcher decision"
    title = Text("内核调度：照跑、降级还是停下", "The dispatcher: run, fall back, or stop")
    sections = ("7.15",)
    questions = (37, 39)
    minutes = 2
    misconceptions: ClassVar[tuple[Misconception, ...]] = DECIDED_WRONGLY

    def draw(self, rng: np.random.Generator) -> Drawn:
        wanted = str(rng.choice(list(WANTED), p=list(WANTED.values())))
        while True:
            call = _call(rng)
            drawn = {**call, **_measured(rng, dtype=call["dtype"], found=wanted)}
            if _is_plain(drawn) and _reason(drawn) == wanted:
                break
        others = sampled(rng, (slug for slug in REASONS if slug != wanted), OFFERED - 1)
        reasons = shuffled(rng, [wanted, *others])
        return {**drawn, "decisions": shuffled(rng, DECISIONS), "reasons": reasons}

    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        decision = decide(drawn["asked"], _request(drawn), _outcome(drawn))
        return (
            Asked(
                name="decision",
                label=Text("调度器该怎么做", "what the dispatcher does"),
                picks=in_order(DECISIONS, drawn["decisions"]),
                right=decision,
            ),
            Asked(
                name="reason",
                label=Text("是什么决定的", "what decides it"),
                picks=in_order(REASONS, drawn["reasons"]),
                right=_reason(drawn),
            ),
        )

    def prompt(self, drawn: Drawn) -> Prompt:
        chain = " → ".join((drawn["asked"], *FALLBACKS[drawn["asked"]]))
        return Prompt(
            task=Text(
                "下面这次注意力调用，头一个接得住的内核已经算完，结果也检查过了。调度器该怎么做，是什么决定"
                "的？",
                "The first kernel that can take this call of attention has made a result, and the result was "
                "checked. What does the dispatcher do, and what decides that?",
            ),
            givens=(),
            tables=(_call_table(drawn), _check_table(drawn)),
            conventions=(
                Text(
                    f"依次试：{chain}。接不住的内核在算出任何数之前就拒绝，调度器记下原因、试下一个。",
                    f"Tried in this order: {chain}. A kernel that cannot take a call refuses before it makes "
                    f"any "
                    "number; the dispatcher records why and tries the next.",
                ),
                Text(
                    "允许的误差：同一 dtype 的朴素实现误差的两倍，再加几次舍入；参考是 float64。超出的、不是"
                    "数的、"
                    "随看不见的 value 变的，都算不对。",
                    "Allowed is twice the error of the plain kernel in the same dtype and a few roundings, "
                    "against "
                    "float64. What is beyond that, is not a number, or moves with hidden values, is wrong.",
                ),
                Text(
                    "只做前向。哪个内核接得住什么，以 PyTorch 2.13 和算力 9.0 的卡为准；因果掩码只有左上角对"
                    "齐、"
                    "旁边没有别的掩码时，才不用传显式的掩码。自己写的 Triton 内核接 16 位和 float32、最宽 "
                    "256、布尔掩码，"
                    "没有开解释器。",
                    "Forward only. What a kernel takes is as in PyTorch 2.13 on a card of compute capability "
                    "9.0; a "
                    "causal rule needs no explicit mask only when it is aligned top-left with no other mask "
                    "beside it. The Triton kernel takes 16-bit floats and float32, widths to 256 and boolean "
                    "masks; its interpreter is off.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        asked = self.asked(drawn)
        request, outcome = _request(drawn), _outcome(drawn)
        refused = refusal(drawn["asked"], request) is not None
        runs = first_that_can(drawn["asked"], request)
        taken = Text(f"{drawn['asked']} 接得住这次调用", f"{drawn['asked']} takes this call")
        if refused:
            taken = Text(
                f"{drawn['asked']} 拒绝这次调用，跑的是 {runs}，原因要记下来",
                f"{drawn['asked']} refuses this call; {runs} runs instead, and why is recorded",
            )
        wrong = is_wrong(outcome, dtype=request.dtype)
        checked = Text("检查都通过了", "the checks are passed")
        if wrong:
            checked = Text(
                "检查没有通过：不管是谁算的，都不能返回",
                "a check is not passed: whoever made it, nothing is returned",
            )
        labels = [one.right_label for one in asked]
        return (
            SolutionStep(text=Text(f"先看接不接得住：{taken.zh}。", f"First what can take it: {taken.en}.")),
            SolutionStep(text=Text(f"再看算出来的数：{checked.zh}。", f"Then the numbers: {checked.en}.")),
            SolutionStep(text=Text(f"所以：{labels[0].zh}。", f"So: {labels[0].en}."), part="decision"),
            SolutionStep(
                text=Text(f"决定它的是：{labels[1].zh}。", f"What decides: {labels[1].en}."), part="reason"
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        refused = refusal(drawn["asked"], _request(drawn)) is not None
        taken = Text("接不住", "does not take") if refused else Text("接得住", "takes")
        return (
            Text(
                "两类失败不能混：「不支持」换一个内核，「不对」停下来。",
                "Two kinds of failure, never mixed: “unsupported” takes another kernel, “wrong” stops.",
            ),
            Text(
                "两问分开答：请求的内核接得住吗？算出来的数过得了检查吗？第二问更要紧。",
                "Two questions: does the asked kernel take the call? Do the numbers pass the checks? The "
                "second "
                "weighs more.",
            ),
            Text(
                f"请求的内核{taken.zh}这次调用；剩下的看检查那张表。",
                f"The asked kernel {taken.en} this call; the table of checks tells the rest.",
            ),
        )


def _call(rng: np.random.Generator) -> dict[str, Any]:
    asked = str(rng.choice(list(KERNELS)))
    masks = ("none", "causal") if asked == "cudnn" else tuple(MASKS)
    widths = [(64, 64), (64, 64), (128, 128)]
    widths += {"flash": [(64, 128)], "triton_flash": [(64, 128), (320, 320)]}.get(asked, [])
    width, value_width = widths[int(rng.integers(len(widths)))]
    return {
        "asked": asked,
        "device": str(rng.choice(["cuda", "cuda", "cpu"])),
        "dtype": str(rng.choice(list(PLAIN_ERRORS))),
        "mask": str(rng.choice(masks)),
        "width": width,
        "value_width": value_width,
    }


def _measured(rng: np.random.Generator, *, dtype: str, found: str) -> dict[str, Any]:
    """Right results stay below twice the plain error; wrong ones lie far beyond what is allowed. Two digits
    of each number are kept, which is what is shown."""
    plain, largest = _two_digits(rng.uniform(*PLAIN_ERRORS[dtype])), round(float(rng.uniform(0.8, 3.0)), 1)
    error: float | None = _two_digits(plain * rng.uniform(0.4, 1.7))
    if found == "error":
        allowed = allowed_error(plain=plain, largest=largest, dtype=dtype)
        error = _two_digits(allowed * rng.uniform(4, 40))
    return {
        "plain": plain,
        "largest": largest,
        "error": None if found == "nan" else error,
        "influenced": int(rng.integers(1, 40)) if found == "hidden" else 0,
    }


def _two_digits(number: float) -> float:
    return float(f"{number:.1e}")


def _outcome(drawn: Drawn) -> Outcome:
    return Outcome(
        error=math.nan if drawn["error"] is None else drawn["error"],
        plain=drawn["plain"],
        largest=drawn["largest"],
        influenced=drawn["influenced"],
    )


def _request(drawn: Drawn) -> Request:
    causal, masked, queries, keys = MASKS[drawn["mask"]]
    plain = plainly_causal(causal, masked=masked, queries=queries, keys=keys)
    return Request(
        device=drawn["device"],
        dtype=drawn["dtype"],
        width=drawn["width"],
        value_width=drawn["value_width"],
        masked=not plain and (masked or causal is not None),
        capability=CARD if drawn["device"] == "cuda" else None,
    )


def _obstacles(drawn: Drawn) -> list[str]:
    """The facts each of which, changed alone, would make the asked kernel take the call."""
    request = _request(drawn)
    if refusal(drawn["asked"], request) is None:
        return []
    return [
        fact
        for fact, fitting in FITTING.items()
        if refusal(drawn["asked"], replace(request, **fitting)) is None
    ]


def _is_plain(drawn: Drawn) -> bool:
    """One reason only: a refusal has one cause, and hidden values need a mask that hides some."""
    refused = refusal(drawn["asked"], _request(drawn)) is not None
    hides = drawn["influenced"] == 0 or drawn["mask"] != "none"
    return hides and (len(_obstacles(drawn)) == 1 or not refused)


def _reason(drawn: Drawn) -> str:
    outcome = _outcome(drawn)
    if is_wrong(outcome, dtype=drawn["dtype"]):
        return "nan" if math.isnan(outcome.error) else "hidden" if outcome.influenced else "error"
    obstacles = _obstacles(drawn)
    return obstacles[0] if obstacles else "accepted"


def _same(text: str) -> Text:
    return Text(text, text)


def _call_table(drawn: Drawn) -> Table:
    device = (
        _same("CPU")
        if drawn["device"] == "cpu"
        else Text("CUDA（算力 9.0）", "CUDA (compute capability 9.0)")
    )
    widths = Text(
        f"key 宽 {drawn['width']}，value 宽 {drawn['value_width']}",
        f"keys {drawn['width']}, values {drawn['value_width']}",
    )
    return Table(
        caption=Text("调用", "The call"),
        rows=(
            (Text("请求的内核", "asked kernel"), KERNELS[drawn["asked"]]),
            (Text("设备", "device"), device),
            (_same("dtype"), _same(drawn["dtype"])),
            (Text("宽度", "widths"), widths),
            (Text("掩码", "mask"), MASK_WORDS[drawn["mask"]]),
        ),
    )


def _check_table(drawn: Drawn) -> Table:
    outcome = _outcome(drawn)
    return Table(
        caption=Text("对结果的检查", "Checks of the result"),
        rows=(
            (Text("和 float64 参考的最大误差", "largest error from float64"), _same(_power(outcome.error))),
            (Text("朴素实现的最大误差", "largest error of the plain kernel"), _same(_power(outcome.plain))),
            (Text("输出里最大的数", "largest output"), _same(f"{outcome.largest:.1f}")),
            (
                Text(
                    "看不见的 value 变大后，跟着变的行", "rows that moved when hidden values were made large"
                ),
                _same(str(outcome.influenced)),
            ),
        ),
    )


def _power(number: float) -> str:
    """`$3.1 \\times 10^{-4}$`, or NaN."""
    if math.isnan(number):
        return "NaN"
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"${mantissa} \\times 10^{{{int(exponent)}}}$"
