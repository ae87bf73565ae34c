"""How mistakes about padding, alone and together with a causal mask, are explained."""

from __future__ import annotations

from types import MappingProxyType

from quiz.exercises.types import Misconception, Text

PADDING_MISTAKES = MappingProxyType(
    {
        m.slug: m
        for m in (
            Misconception(
                slug="no_mask",
                title=Text("没有遮住 PAD", "padding that was not hidden"),
                told=Text(
                    "PAD 也参与了 softmax，而且分数最高，大部分权重都给了没有内容的位置。",
                    "The padding took part in the softmax and, with the highest scores, drew most of the "
                    "weight to places that hold nothing.",
                ),
                question=Text(
                    "把句子补得更长一些，真实 token 的权重应不应该变？",
                    "If the sentence were padded further, should the weights of its real tokens change?",
                ),
                caption=Text("不遮 PAD 会得到", "With the padding left in"),
            ),
            Misconception(
                slug="inverted_polarity",
                title=Text("掩码的含义弄反了", "a mask read the wrong way round"),
                told=Text(
                    "真实的 token 被遮住了，留下的是 PAD：1 和 0 的含义正好反了。",
                    "The real tokens were hidden and the padding was kept: 1 and 0 changed places.",
                ),
                question=Text(
                    "题目里 1 表示「可以看」还是「要遮住」？",
                    "In this task, does 1 mean “may be seen” or “has to be hidden”?",
                ),
                caption=Text("掩码反着读会得到", "With the mask inverted"),
            ),
            Misconception(
                slug="query_rows_masked",
                title=Text("遮的是 PAD 的行，而不是列", "rows of the padding hidden instead of its columns"),
                told=Text(
                    "因为这一行自己是 PAD，就把整行都遮了：分数全都一样低，softmax 只能平均分给所有位置。",
                    "Because this row is itself padding, the whole row was hidden: with all scores equally "
                    "low, the softmax can only share evenly among all positions.",
                ),
                question=Text(
                    "掩码要拦住的是「谁去看」还是「谁被看」？被看的那一维是行还是列？",
                    "Does the mask stop someone from looking, or something from being seen? Is what is "
                    "seen a row or a column?",
                ),
                caption=Text("遮行不遮列会得到", "With rows hidden instead"),
            ),
            Misconception(
                slug="only_causal",
                title=Text("只加了因果掩码，忘了 PAD", "the causal mask alone, with the padding left in"),
                told=Text(
                    "后面的位置遮住了，但左边的 PAD 还在拿权重。",
                    "Later positions were hidden, but the padding on the left still took weight.",
                ),
                question=Text(
                    "排在前面的位置，因果掩码都放行。其中有没有不该看的？",
                    "The causal mask lets every earlier position through. Is there one among them that "
                    "should not be seen?",
                ),
                caption=Text("只加因果掩码会得到", "With the causal mask alone"),
            ),
            Misconception(
                slug="only_padding",
                title=Text("只遮了 PAD，忘了因果掩码", "the padding hidden, but no causal mask"),
                told=Text(
                    "PAD 遮住了，但这个 token 还是看到了自己后面的内容。",
                    "The padding was hidden, but this token still saw what comes after it.",
                ),
                question=Text(
                    "生成这个 token 的时候，它后面的真实 token 存在吗？",
                    "When this token is being generated, do the real tokens after it exist yet?",
                ),
                caption=Text("只遮 PAD 会得到", "With the padding mask alone"),
            ),
            Misconception(
                slug="hidden_by_both",
                title=Text(
                    "两个掩码都遮才遮，等于没遮",
                    "a position hidden only where both masks hide it: here nowhere",
                ),
                told=Text(
                    "合并时取成了「两个都遮才遮」。PAD 在左边，未来在右边，"
                    "没有哪个位置会被两个掩码同时遮住。",
                    "The masks were joined as “hidden if both hide it”. The padding is on the left and the "
                    "future on the right, so no position is hidden by both.",
                ),
                question=Text(
                    "只要有一个掩码说「不许看」，还能看吗？这对应「遮」的「或」还是「与」？",
                    "If one of the masks forbids a position, may it be seen? Is that an “or” or an “and” "
                    "of what is hidden?",
                ),
                caption=Text("两个都遮才遮会得到", "Hidden only where both masks hide"),
            ),
        )
    }
)
