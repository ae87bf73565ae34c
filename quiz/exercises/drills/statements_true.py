"""Statements that are true, and doubted all the same."""

from __future__ import annotations

from quiz.exercises.drills.statement import Fix, Statement
from quiz.exercises.types import Text

TRUTHS = {
    "common_key_shift": Statement(
        name=Text("key 同加一个向量", "one vector added to all keys"),
        claim=Text(
            "给所有 key 加上同一个向量，注意力的输出不变。",
            "Adding one vector to all keys leaves the output of attention unchanged.",
        ),
        question=Text(
            "每一行分数都加上了什么？softmax 在乎它吗？",
            "What is added to each row of scores, and does the softmax care?",
        ),
        fixes=(
            Fix(
                slug="moves",
                label=Text("输出会变：分数都变了", "the output changes, because all scores do"),
                told=Text(
                    "分数变了，但一行里同加了 $q\\cdot c$ 这一个数。",
                    "The scores change, but a whole row gains the one number $q\\cdot c$.",
                ),
            ),
            Fix(
                slug="only_unscaled",
                label=Text("只有不除以 $\\sqrt{d_k}$ 时才不变", "only without the division by $\\sqrt{d_k}$"),
                told=Text(
                    "除以 $\\sqrt{d_k}$ 以后，一行里同加的还是同一个数。",
                    "Divided by $\\sqrt{d_k}$ it is still one number for the whole row.",
                ),
            ),
        ),
    ),
    "heads_keep_parameters": Statement(
        name=Text("头数与参数量", "heads and parameters"),
        claim=Text(
            "模型宽度不变，头数从 8 改成 16，注意力四个投影的参数总量不变。",
            "With the same model width, 16 heads instead of 8 leave the number of parameters of the four "
            "projections unchanged.",
        ),
        question=Text(
            "每个头变窄了多少？所有头接起来有多宽？",
            "How much narrower is each head, and how wide are all of them side by side?",
        ),
        fixes=(
            Fix(
                slug="doubles",
                label=Text("参数翻倍：多了一倍的头", "it doubles, with twice as many heads"),
                told=Text("头多了一倍，每个头也窄了一半。", "Twice as many heads, each half as wide."),
            ),
            Fix(
                slug="halves",
                label=Text("参数减半：每个头窄了一半", "it halves, with heads half as wide"),
                told=Text("每个头窄了一半，头也多了一倍。", "Heads half as wide, but twice as many."),
            ),
        ),
    ),
    "causal_stays_causal": Statement(
        name=Text("多层的因果", "causality over layers"),
        claim=Text(
            "因果掩码下，改掉第 $j$ 个 token，$j$ 之前各行经过多少层带残差的网络都不变。",
            "Under a causal mask a change of token $j$ leaves all rows before $j$ unchanged, through any "
            "number of layers with residuals.",
        ),
        question=Text(
            "第 $i$ 行的输入都来自哪些行？叠一层会多出什么来？",
            "From which rows does row $i$ get its inputs, and does another layer add any?",
        ),
        fixes=(
            Fix(
                slug="after_two_layers",
                label=Text(
                    "叠到两层就不成立：信息会绕回来", "not beyond one layer: information finds a way round"
                ),
                told=Text(
                    "每一层第 $i$ 行都只读到第 $i$ 行为止，叠多少层都一样。",
                    "In every layer row $i$ reads up to row $i$ only, however many there are.",
                ),
            ),
            Fix(
                slug="residual_breaks",
                label=Text("有残差就不成立", "not with residuals"),
                told=Text("残差逐行相加，不会换行。", "Residuals add row by row and never change rows."),
            ),
        ),
    ),
    "right_padding_is_free": Statement(
        name=Text("右填充加因果", "padding on the right"),
        claim=Text(
            "右填充加因果掩码时，加不加 padding 掩码，真实 token 的行都一样。",
            "With padding on the right and a causal mask, a padding mask makes no difference to the rows of "
            "real tokens.",
        ),
        question=Text(
            "PAD 都在真实 token 的后面，因果掩码让真实 token 看得见它们吗？",
            "All padding comes after the real tokens: does the causal mask let these see it?",
        ),
        fixes=(
            Fix(
                slug="weights_leak",
                label=Text("不一样：PAD 会拿走一部分权重", "it does: padding takes some of the weight"),
                told=Text(
                    "PAD 都在后面，因果掩码已经遮住了它们。",
                    "The padding comes later and is hidden by the causal mask already.",
                ),
            ),
            Fix(
                slug="only_last_row",
                label=Text(
                    "只有最后一个真实 token 的行不一样", "only the row of the last real token differs"
                ),
                told=Text(
                    "最后一个真实 token 后面才是 PAD，它也看不见。",
                    "The padding comes after the last real token too, which does not see it.",
                ),
            ),
        ),
    ),
    "renormalised_mask": Statement(
        name=Text("清零再归一化", "zeroing and renormalising"),
        claim=Text(
            "先 softmax、再把看不见的清零、最后重新归一化，和先掩码再 softmax 结果相同。",
            "A softmax, zeros for what is hidden and a renormalisation give the same as a mask before the "
            "softmax.",
        ),
        question=Text(
            "清零以后再除以剩下的总和，分母里还有看不见的吗？",
            "After zeroing and dividing by what is left, is anything hidden still in the denominator?",
        ),
        fixes=(
            Fix(
                slug="loses_weight",
                label=Text("不同：看不见的权重已经丢了", "it differs: the hidden weight is lost"),
                told=Text(
                    "重新归一化正是把剩下的放回到加起来是 1。",
                    "Renormalising is just what brings the rest back to a sum of 1.",
                ),
            ),
            Fix(
                slug="equal_scores_only",
                label=Text("只有分数都相等时才相同", "it is the same for equal scores only"),
                told=Text(
                    "$e^{s_j}$ 之间的比没有变，除以剩下的总和就一样。",
                    "The ratios between the $e^{s_j}$ are untouched, and their sum divides them alike.",
                ),
            ),
        ),
    ),
    "rope_is_relative": Statement(
        name=Text("RoPE 的相对性", "RoPE's relativity"),
        claim=Text(
            "用了 RoPE，两个 token 的点积只取决于它们内容和位置之差。",
            "With RoPE the dot product of two tokens depends on their contents and the difference of their "
            "positions only.",
        ),
        question=Text(
            "$R_m$ 和 $R_n$ 都是旋转，$R_m^\\top R_n$ 等于哪个角度的旋转？",
            "$R_m$ and $R_n$ are rotations: by which angle does $R_m^\\top R_n$ turn?",
        ),
        fixes=(
            Fix(
                slug="absolute",
                label=Text(
                    "还取决于绝对位置：两边转的角度不同",
                    "it depends on absolute positions too, since both are turned by different angles",
                ),
                told=Text(
                    "转的角度不同，点积只看两者之差。",
                    "The angles differ, and the product sees their difference only.",
                ),
            ),
            Fix(
                slug="distance_only",
                label=Text(
                    "只取决于距离的大小，谁前谁后都一样",
                    "it depends on the distance alone, whichever comes first",
                ),
                told=Text(
                    "$m-n$ 和 $n-m$ 转向相反，点积一般不同。",
                    "$m-n$ and $n-m$ turn opposite ways, and the products differ in general.",
                ),
            ),
        ),
    ),
    "one_query_needs_no_mask": Statement(
        name=Text("一个 query 的掩码", "the mask of a single query"),
        claim=Text(
            "带缓存逐个生成时，这一步只有一个 query，可以不要因果掩码。",
            "Generating one token at a time from a cache, the step has a single query and needs no causal "
            "mask.",
        ),
        question=Text(
            "缓存里有没有比这个 query 更靠后的 key？",
            "Is there any key in the cache that comes after this query?",
        ),
        fixes=(
            Fix(
                slug="still_needed",
                label=Text("还是要：否则会看见未来", "it does, or the future would be seen"),
                told=Text(
                    "缓存里全是它自己和它前面的，没有未来可看。",
                    "The cache holds the token itself and those before it; there is no future to see.",
                ),
            ),
            Fix(
                slug="is_causal_flag",
                label=Text("要，传 `is_causal=True` 就行", "it does, by passing `is_causal=True`"),
                told=Text(
                    "SDPA 的 `is_causal` 按左上角对齐，那样只剩第一个 key。",
                    "`is_causal` of SDPA aligns top-left and would leave the first key only.",
                ),
            ),
        ),
    ),
    "quarter_of_the_cache": Statement(
        name=Text("GQA 的缓存", "the cache of grouped heads"),
        claim=Text(
            "32 个 query 头、8 个 KV 头的 GQA，KV 缓存是 32 头 MHA 的四分之一。",
            "Grouped attention with 32 query heads and 8 key/value heads has a quarter of the KV cache of "
            "32-head attention.",
        ),
        question=Text("缓存里存的是哪一种头？", "Heads of which kind are in the cache?"),
        fixes=(
            Fix(
                slug="same_size",
                label=Text("一样大：query 头还是 32 个", "it is as large: there are still 32 query heads"),
                told=Text("缓存里没有 query，只有 KV 头。", "No queries are cached, only key/value heads."),
            ),
            Fix(
                slug="sixteenth",
                label=Text(
                    "是十六分之一：$K$ 和 $V$ 各少四分之三",
                    "it is a sixteenth, with a quarter of $K$ and a quarter of $V$",
                ),
                told=Text(
                    "$K$ 是四分之一，$V$ 也是四分之一，加起来还是四分之一。",
                    "A quarter of $K$ and a quarter of $V$ make a quarter of both.",
                ),
            ),
        ),
    ),
}
