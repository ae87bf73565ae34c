"""What the drill of the dispatcher says: kernels, masks, what may decide, and why another answer is wrong."""

from __future__ import annotations

from types import MappingProxyType

from quiz.exercises.choosing import Pick
from quiz.exercises.types import Misconception, Text

KERNELS = MappingProxyType(
    {
        "flash": Text("flash（SDPA 的 FlashAttention 后端）", "flash (the FlashAttention backend of SDPA)"),
        "efficient": Text(
            "efficient（SDPA 的省显存后端）", "efficient (the memory-efficient backend of SDPA)"
        ),
        "cudnn": Text("cudnn（SDPA 的 cuDNN 后端）", "cudnn (the cuDNN backend of SDPA)"),
        "triton_flash": Text(
            "triton_flash（自己用 Triton 写的融合内核）",
            "triton_flash (a fused kernel of one's own, in Triton)",
        ),
    }
)
# Alignment of the causal rule, whether a boolean mask stands beside it, queries and keys.
MASKS: MappingProxyType[str, tuple[str | None, bool, int, int]] = MappingProxyType(
    {
        "none": (None, False, 512, 512),
        "causal": ("top_left", False, 512, 512),
        "padding": (None, True, 512, 512),
        "causal_padding": ("top_left", True, 512, 512),
        "decode": ("bottom_right", False, 16, 512),
    }
)
MASK_WORDS = MappingProxyType(
    {
        "none": Text("没有", "none"),
        "causal": Text("因果，query 和 key 一样长", "causal, as many queries as keys"),
        "padding": Text("布尔 padding 掩码", "a boolean padding mask"),
        "causal_padding": Text("因果，再加布尔 padding 掩码", "causal, and a boolean padding mask"),
        "decode": Text(
            "因果，右下角对齐：16 个 query，512 个 key", "causal, aligned bottom-right: 16 queries, 512 keys"
        ),
    }
)
DECISIONS = MappingProxyType(
    {
        pick.slug: pick
        for pick in (
            Pick(
                slug="run",
                label=Text("按请求的内核返回", "return what the asked kernel made"),
                mistake="decided_run",
            ),
            Pick(
                slug="fall_back",
                label=Text("换下一个内核，记下原因，再返回", "take the next kernel, record why, and return"),
                mistake="decided_fall_back",
            ),
            Pick(
                slug="stop",
                label=Text("停下报错，什么也不返回", "stop with an error and return nothing"),
                mistake="decided_stop",
            ),
        )
    }
)
REASONS = MappingProxyType(
    {
        slug: Pick(slug=slug, label=label, mistake=f"because_{slug}")
        for slug, label in {
            "accepted": Text("内核接得住，检查也都通过", "the kernel takes it and every check is passed"),
            "dtype": Text("内核不接这种 dtype", "the kernel does not take this dtype"),
            "mask": Text("内核不接显式的掩码", "the kernel does not take an explicit mask"),
            "device": Text("内核不在这种设备上跑", "the kernel does not run on this device"),
            "width": Text("内核不接这样的宽度", "the kernel does not take these widths"),
            "error": Text("误差超出了允许的范围", "the error is beyond what is allowed"),
            "nan": Text("输出里有 NaN", "there are NaNs in the output"),
            "hidden": Text("看不见的 value 影响了输出", "hidden values moved the output"),
        }.items()
    }
)


def _mistake(slug: str, *, title: Text, told: Text, question: Text) -> Misconception:
    caption = Text(f"选了：{title.zh}", f"Chosen: {title.en}")
    return Misconception(slug=slug, title=title, told=told, question=question, caption=caption)


def _no_matter(slug: str, zh: str, en: str) -> Misconception:
    return _mistake(
        f"because_{slug}",
        title=Text(f"以为决定这一步的是{zh}", f"{en} taken for what decides"),
        told=Text(
            f"决定这一步的不是{zh}：内核接得住，它就不成问题；接不住，也只是换一个内核，算出来的数还要过检"
            f"查。",
            f"It is not {en} that decides: where the kernel takes it, it does not matter, and where it does "
            f"not, "
            "another kernel is tried whose numbers are checked all the same.",
        ),
        question=Text(
            "先问请求的内核接不接得住，再问算出来的数过不过得了检查：答案各是什么？",
            "First, does the asked kernel take the call? Second, do the numbers pass the checks? What are "
            "the two "
            "answers?",
        ),
    )


DECIDED_WRONGLY = (
    _mistake(
        "decided_run",
        title=Text("以为可以照请求的返回", "a result taken to be fit to return as asked"),
        told=Text(
            "照请求的返回，要两件事都成立：请求的内核接得住这次调用，算出来的数也过得了检查。",
            "Returning as asked takes two things: the asked kernel takes this call, and its numbers pass the "
            "checks.",
        ),
        question=Text(
            "设备、dtype、掩码、宽度，再加几项检查：哪一项没有过？",
            "Device, dtype, mask, widths, and the checks: which of them is not passed?",
        ),
    ),
    _mistake(
        "decided_fall_back",
        title=Text("以为该换下一个内核", "a fallback where there is no reason for one"),
        told=Text(
            "换内核只有一个理由：还没算就知道接不住。数算出来不对，换一个内核只会把错盖住；什么都没被拒绝，也"
            "用不着换。",
            "There is one reason to fall back: a kernel that cannot take the call, known before any number "
            "is made. "
            "Where the numbers are wrong another kernel would only cover it up; where nothing is refused "
            "none is "
            "needed.",
        ),
        question=Text(
            "请求的内核拒绝这次调用了吗？算出来的数过了检查吗？",
            "Does the asked kernel refuse this call, and do the numbers pass the checks?",
        ),
    ),
    _mistake(
        "decided_stop",
        title=Text("以为该停下报错", "an error where nothing is wrong"),
        told=Text(
            "停下报错，只因为算出来的数不可信：误差超出范围、有 NaN、看不见的东西影响了输出。「不支持」不是这"
            "样的错。",
            "One stops for numbers that cannot be trusted: an error beyond what is allowed, NaN, an "
            "influence of "
            "what is hidden. “Unsupported” is none of these.",
        ),
        question=Text(
            "把误差和允许的范围比一比，再看别的检查：哪一项不对？",
            "Compare the error with what is allowed, and look at the other checks: which is not right?",
        ),
    ),
    _mistake(
        "because_accepted",
        title=Text("以为一切正常", "nothing taken to be amiss"),
        told=Text(
            "并不是一切正常：或者请求的内核接不住，或者检查没有通过。",
            "Something is amiss: either the asked kernel cannot take the call, or a check is not passed.",
        ),
        question=Text(
            "这种设备、这种 dtype、这种掩码，请求的内核都接得住吗？",
            "Does the asked kernel take this device, this dtype and this mask?",
        ),
    ),
    _no_matter("dtype", "dtype", "the dtype"),
    _no_matter("mask", "掩码", "the mask"),
    _no_matter("device", "设备", "the device"),
    _no_matter("width", "宽度", "the width"),
    _mistake(
        "because_error",
        title=Text("以为误差太大", "the error taken to be too large"),
        told=Text(
            "误差没有超出范围：低精度的朴素实现本来就有误差，允许的是它的两倍，再加几次舍入。",
            "The error is within what is allowed: plain low precision has an error of its own, and twice "
            "that and "
            "a few roundings are granted.",
        ),
        question=Text(
            "朴素实现的误差乘以 2 是多少？题目里的误差比它大吗？",
            "What is twice the error of the plain kernel, and is the error in question larger?",
        ),
    ),
    _mistake(
        "because_nan",
        title=Text("以为输出里有 NaN", "an output taken to hold NaNs"),
        told=Text(
            "输出里没有 NaN：有的话，最大误差就不会是一个有限的数。",
            "There are no NaNs: with one, the largest error would not be a finite number.",
        ),
        question=Text(
            "有一个 NaN 时，和参考的最大误差会显示成什么？",
            "With one NaN in the output, how would the largest error from the reference read?",
        ),
    ),
    _mistake(
        "because_hidden",
        title=Text("以为看不见的 value 影响了输出", "hidden values taken to have moved the output"),
        told=Text(
            "没有一行跟着看不见的 value 变：那一项检查是 0 行。",
            "No row moved with the hidden values: that check counted 0 rows.",
        ),
        question=Text(
            "表里哪一项说的是看不见的 value？它是几？",
            "Which line of the table is about hidden values, and what does it say?",
        ),
    ),
)
