"""What runs underneath: which kernel a call reaches and how that is known; prefill, decode and the cache."""

from __future__ import annotations

from quiz.figures.diagrams.shapes import Arrow, Box, Diagram, Frame, Layout, Words, same

_CALL = Words("模型代码：Q、K、V、掩码", "model code: Q, K, V, mask")
_CHOOSE = Words("调度器：这次调用谁能接？", "dispatcher: who can take this call?")
_CHOOSE_NOTE = Words("看设备、dtype、形状、掩码", "device, dtype, shapes, mask")
_FLASH = Words("FlashAttention", "FlashAttention")
_FLASH_NOTE = Words("分块，不存 n×n", "tiles, no n×n")
_LEAN = Words("省显存内核", "memory-efficient")
_LEAN_NOTE = Words("支持更多掩码", "takes more masks")
_MATH = Words("朴素实现", "plain maths")
_MATH_NOTE = Words("存 n×n，什么都接", "keeps n×n, takes all")
_SAME = Words("同一个数学定义，同一个输出", "one definition, one output")
_RECORD = Words("记录实际跑了谁、为何回退", "record who ran, and why not another")
_CHECK = Words("对照 float64：超出误差就报错", "checked against float64: beyond the error, raise")

KERNEL_DISPATCH = Diagram(
    title=Words("一次调用走到哪个内核", "Which kernel a call reaches"),
    description=Words(
        "模型代码把 Q、K、V 和掩码交给调度器。调度器按设备、dtype、形状和掩码挑内核：先试 FlashAttention，"
        "不支持就试省显存内核，再不支持就用朴素实现；每次回退都写下原因。三者算的是同一个定义。算完记录实"
        "际跑的是谁，并和 float64 的结果对照：不支持可以回退，算错必须报错。",
        "Model code hands Q, K, V and the mask to a dispatcher. By device, dtype, shapes and mask it "
        "picks a kernel: FlashAttention first, else the memory-efficient one, else plain maths; each fall "
        "back is written down with its reason. All three compute one definition. Who really ran is "
        "recorded, and the result is checked against float64: what is unsupported may fall back, what is "
        "wrong must raise.",
    ),
    narrow=Layout(
        columns=(200,),
        margin=64,
        rise=26,
        boxes=(
            Box(name="call", text=_CALL, at=(0, 0), kind="plain"),
            Box(
                name="choose",
                text=Words("调度器：谁能接？", "dispatcher: who can?"),
                note=_CHOOSE_NOTE,
                at=(0, 1),
            ),
            Box(name="flash", text=_FLASH, note=_FLASH_NOTE, at=(0, 2), role="s"),
            Box(name="lean", text=_LEAN, note=_LEAN_NOTE, at=(0, 3), role="s"),
            Box(name="math", text=_MATH, note=_MATH_NOTE, at=(0, 4), role="s"),
            Box(
                name="out",
                text=Words("同一定义，同一输出", "one definition,\none output"),
                at=(0, 5),
                role="o",
            ),
            Box(name="record", text=Words("记录：谁跑的、为何回退", "record: who ran,\nand why"), at=(0, 6)),
            Box(
                name="check",
                text=Words("对照 float64：错就报错", "against float64:\nwrong means raise"),
                at=(0, 7),
            ),
        ),
        arrows=(
            Arrow(start="call", end="choose"),
            Arrow(start="choose", end="flash"),
            Arrow(start="flash", end="lean", dashed=True, label=Words("不支持", "unsupported")),
            Arrow(start="lean", end="math", dashed=True, label=Words("不支持", "unsupported")),
            Arrow(start="math", end="out"),
            Arrow(start="flash", end="out", around="left", lane=2),
            Arrow(start="lean", end="out", around="right", lane=2),
            Arrow(start="out", end="record"),
            Arrow(start="record", end="check"),
        ),
    ),
    wide=Layout(
        columns=(156, 156, 156),
        gap=56,
        margin=12,
        rise=26,
        boxes=(
            Box(name="call", text=_CALL, at=(0, 0), span=3, kind="plain"),
            Box(name="choose", text=_CHOOSE, note=_CHOOSE_NOTE, at=(0, 1), span=3),
            Box(name="flash", text=_FLASH, note=_FLASH_NOTE, at=(0, 2), role="s"),
            Box(name="lean", text=_LEAN, note=_LEAN_NOTE, at=(1, 2), role="s"),
            Box(name="math", text=_MATH, note=_MATH_NOTE, at=(2, 2), role="s"),
            Box(name="out", text=_SAME, at=(0, 3), span=3, role="o"),
            Box(name="record", text=_RECORD, at=(0, 4), span=3),
            Box(name="check", text=_CHECK, at=(0, 5), span=3),
        ),
        arrows=(
            Arrow(start="call", end="choose"),
            Arrow(start="choose", end="flash"),
            Arrow(start="flash", end="lean", dashed=True, label=Words("不支持", "cannot")),
            Arrow(start="lean", end="math", dashed=True, label=Words("不支持", "cannot")),
            Arrow(start="flash", end="out"),
            Arrow(start="lean", end="out"),
            Arrow(start="math", end="out"),
            Arrow(start="out", end="record"),
            Arrow(start="record", end="check"),
        ),
    ),
)

PREFILL_DECODE = Diagram(
    title=Words("Prefill 和 Decode", "Prefill and decode"),
    description=Words(
        "Prefill 把提示词的 n 个 token 一次算完，分数是 n×n，写入每层的 K 和 V，给出第一个 token；瓶颈多在"
        "算力。Decode 每步只有一个新 token：一个 query，读缓存里全部 K 和 V，分数是 1×n，再把自己的 K、V "
        "追加进缓存；瓶颈多在显存带宽。新 token 又是下一步的输入，直到结束符。",
        "Prefill takes the n tokens of the prompt at once: scores n×n, K and V of every layer written to "
        "the cache, the first token comes out; mostly bound by compute. Decode has one new token a step: "
        "one query, all K and V read from the cache, scores 1×n, and its own K and V appended; mostly "
        "bound by memory bandwidth. The new token is the next step's input, until the end is generated.",
    ),
    narrow=Layout(
        columns=(146, 100),
        gap=58,
        margin=26,
        rise=26,
        boxes=(
            Box(name="prompt", text=Words("提示词 n 个 token", "prompt, n tokens"), at=(0, 0), kind="plain"),
            Box(
                name="prefill",
                text=Words("n 个 query 一次算完", "n queries at once"),
                at=(0, 1),
                role="q",
                note=Words("分数 n×n，多为算力瓶颈", "scores n×n, compute"),
            ),
            Box(
                name="cache",
                text=Words("KV Cache", "KV cache"),
                at=(1, 1),
                role="k",
                note=Words("每层每个 token\n一份 K、V", "K, V per layer\nand token"),
            ),
            Box(name="first", text=Words("第一个 token", "first token"), at=(0, 2), kind="plain"),
            Box(
                name="decode",
                text=Words("1 个 query", "one query"),
                at=(0, 3),
                role="q",
                note=Words("分数 1×n，多为带宽瓶颈", "scores 1×n, bandwidth"),
            ),
            Box(
                name="append", text=Words("读全部，\n追加一行", "read all,\nappend one"), at=(1, 3), role="k"
            ),
            Box(name="token", text=Words("下一个 token", "next token"), at=(0, 4), kind="plain"),
        ),
        arrows=(
            Arrow(start="prompt", end="prefill"),
            Arrow(start="prefill", end="cache", label=Words("写入", "write")),
            Arrow(start="prefill", end="first"),
            Arrow(start="first", end="decode"),
            Arrow(start="cache", end="append"),
            Arrow(start="append", end="decode", label=Words("K、V", "K, V")),
            Arrow(start="decode", end="token"),
            Arrow(start="token", end="decode", around="left", lane=2, dashed=True),
        ),
        frames=(
            Frame(text=same("Prefill"), boxes=("prefill",)),
            Frame(text=same("Decode"), boxes=("decode",)),
        ),
    ),
)
