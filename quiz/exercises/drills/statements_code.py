"""Statements about masks, interfaces and code."""

from __future__ import annotations

from quiz.exercises.drills.statement import Fix, Statement
from quiz.exercises.types import Text

CODE = {
    "mask_removes": Statement(
        name=Text("因果掩码做了什么", "what a causal mask does"),
        claim=Text(
            "因果掩码就是把后面的 token 从输入里去掉。", "A causal mask removes later tokens from the input."
        ),
        believed=Text(
            "token 一个也没有少：训练时所有位置同时在算。",
            "No token is missing: in training all positions are computed at once.",
        ),
        question=Text(
            "去掉了后面的 token，一次前向还能同时训练所有位置吗？",
            "Without the later tokens, could one forward pass train all positions at once?",
        ),
        fixes=(
            Fix(
                slug="scores_only",
                label=Text(
                    "token 都在，只是在分数上不许前面的看后面的",
                    "all tokens are there; only in the scores may none look ahead",
                ),
            ),
            Fix(
                slug="zero_values",
                label=Text("是把后面 token 的 value 换成 0", "it sets the values of later tokens to 0"),
                told=Text(
                    "那样它们的 key 还在分母里拿权重。",
                    "Then their keys would still take weight in the denominator.",
                ),
            ),
        ),
    ),
    "rows_always_one": Statement(
        name=Text("行和是不是 1", "rows that sum to 1"),
        claim=Text(
            "只要做了 softmax，每一行权重都加到 1，有掩码也一样。",
            "After a softmax every row of weights sums to 1, with a mask as well.",
        ),
        believed=Text(
            "有一种行例外：它一个 key 都看不见。", "One kind of row is an exception: that which sees no key."
        ),
        question=Text(
            "左填充再加因果掩码，最前面的 PAD 那一行看得见谁？",
            "With padding on the left and a causal mask, whom does the first row see?",
        ),
        fixes=(
            Fix(
                slug="blind_rows",
                label=Text(
                    "一个 key 都看不见的行不是：照公式是 NaN，有的实现给 0",
                    "not a row that sees no key: by the formula it is NaN, and some implementations give 0",
                ),
            ),
            Fix(
                slug="first_row",
                label=Text(
                    "因果掩码的第 1 行不是：它只有一个 key", "not row 1 of a causal mask: it has one key only"
                ),
                told=Text("只有一个 key，它的权重正好是 1。", "With one key its weight is just 1."),
            ),
        ),
    ),
    "broadcast_mask": Statement(
        name=Text("掩码的广播", "broadcasting a mask"),
        claim=Text(
            "`mask[:, None, :]` 可以直接用在 `[B, h, n, n]` 的分数上，广播会对齐。",
            "`mask[:, None, :]` can be used on scores `[B, h, n, n]`: broadcasting aligns it.",
        ),
        believed=Text(
            "广播从右往左对：批那一维对到了头上。",
            "Broadcasting aligns from the right: the batch axis meets the heads.",
        ),
        question=Text(
            "`[B, 1, n]` 补成四维以后，$B$ 落在第几维？",
            "Once `[B, 1, n]` has four axes, which of them is $B$?",
        ),
        fixes=(
            Fix(
                slug="two_axes",
                label=Text(
                    "要写成 `mask[:, None, None, :]`；$B = h$ 时错的那种不报错",
                    "it has to be `mask[:, None, None, :]`; where $B = h$ the wrong one raises no error",
                ),
            ),
            Fix(
                slug="always_raises",
                label=Text(
                    "写错了总会报形状的错，不用担心",
                    "a wrong one always raises a shape error, so there is no danger",
                ),
                told=Text(
                    "$B$ 正好等于 $h$ 时不报错，每个样本用了别人的掩码。",
                    "Where $B$ equals $h$ nothing is raised, and samples use each other's masks.",
                ),
            ),
        ),
    ),
    "linear_as_it_is": Statement(
        name=Text("nn.Linear 的权重", "the weight of nn.Linear"),
        claim=Text(
            "把 $W_Q$ 原样拷进 `nn.Linear.weight`，算出来的就是 $xW_Q$。",
            "Copying $W_Q$ into `nn.Linear.weight` as it stands makes it compute $xW_Q$.",
        ),
        believed=Text("`nn.Linear` 的权重是 `[out, in]` 的。", "The weight of `nn.Linear` is `[out, in]`."),
        question=Text(
            "`nn.Linear` 算的是 $xW$ 还是 $xW^\\top$？", "Does `nn.Linear` compute $xW$ or $xW^\\top$?"
        ),
        fixes=(
            Fix(
                slug="transposed",
                label=Text(
                    "它算 $xW^\\top$，要拷进去的是 $W_Q^\\top$",
                    "it computes $xW^\\top$, so $W_Q^\\top$ has to be copied",
                ),
            ),
            Fix(
                slug="square_only",
                label=Text(
                    "方阵可以原样拷，不是方阵的才要转置",
                    "a square matrix can be copied as it is, others have to be transposed",
                ),
                told=Text(
                    "方阵只是不报形状的错，算出来一样是转置的结果。",
                    "A square one only raises no error; what it computes is the transpose all the same.",
                ),
            ),
        ),
    ),
    "is_causal_alone": Statement(
        name=Text("单独的 is_causal", "is_causal by itself"),
        claim=Text(
            "给 `nn.MultiheadAttention` 传 `is_causal=True`，不给 `attn_mask`，就是因果注意力。",
            "Passing `is_causal=True` to `nn.MultiheadAttention` without an `attn_mask` makes it causal.",
        ),
        believed=Text(
            "它只是说「我给的掩码是因果的」，自己不造掩码。",
            "It only says “the mask I give is causal”; it makes none.",
        ),
        question=Text(
            "在 `nn.MultiheadAttention` 里，它是开关，还是对掩码的说明？",
            "In `nn.MultiheadAttention`, is it a switch, or a remark about the mask?",
        ),
        fixes=(
            Fix(
                slug="needs_mask",
                label=Text(
                    "它只是提示，不同时给 `attn_mask` 会报错",
                    "it is a hint, and without an `attn_mask` it raises an error",
                ),
            ),
            Fix(
                slug="ignored",
                label=Text(
                    "它会被悄悄忽略，算成双向的",
                    "it is silently ignored, and attention runs in both directions",
                ),
                told=Text(
                    "2.13 会抛出异常，要求同时给 `attn_mask`。",
                    "2.13 raises and asks for the `attn_mask` as well.",
                ),
            ),
        ),
    ),
    "is_causal_decode": Statement(
        name=Text("解码时的 is_causal", "is_causal in decoding"),
        claim=Text(
            "带缓存解码时，给 SDPA 传 `is_causal=True` 是对的。",
            "In decoding from a cache it is right to pass `is_causal=True` to SDPA.",
        ),
        believed=Text(
            "它按左上角对齐：把唯一的 query 当成了位置 0。",
            "It aligns top-left and takes the only query for position 0.",
        ),
        question=Text(
            "一个 query、五个 key，按左上角对齐，它看得见几个？",
            "One query and five keys, aligned top-left: how many does it see?",
        ),
        fixes=(
            Fix(
                slug="sees_first",
                label=Text(
                    "它按左上角对齐，唯一的 query 只看得见第一个 key",
                    "it aligns top-left, so that the only query sees the first key alone",
                ),
            ),
            Fix(
                slug="raises",
                label=Text(
                    "query 和 key 不一样长时它会报错", "it raises when there are not as many queries as keys"
                ),
                told=Text(
                    "它不报错，安安静静地返回了 $v_0$。", "It raises nothing and quietly returns $v_0$."
                ),
            ),
        ),
    ),
    "opposite_booleans": Statement(
        name=Text("两种布尔约定", "two boolean conventions"),
        claim=Text(
            "SDPA 的布尔 `attn_mask` 里 True 是「可以看」，`nn.MultiheadAttention` 的正好相反。",
            "True in a boolean `attn_mask` of SDPA means “may be seen”; in `nn.MultiheadAttention` it is the "
            "opposite.",
        ),
        question=Text(
            "两个函数的文档，各自说 True 是 take part 还是 not allowed？",
            "In the documentation of each, does True mean “take part” or “not allowed”?",
        ),
        fixes=(
            Fix(
                slug="both_seen",
                label=Text("两处都是「可以看」", "in both it means “may be seen”"),
                told=Text(
                    "`nn.MultiheadAttention` 的文档里，True 是不许看。",
                    "In the documentation of `nn.MultiheadAttention` True is not allowed.",
                ),
            ),
            Fix(
                slug="both_hidden",
                label=Text("两处都是「遮住」", "in both it means “hidden”"),
                told=Text(
                    "SDPA 的文档里，True 是参与注意力。", "In the documentation of SDPA True takes part."
                ),
            ),
        ),
    ),
}
