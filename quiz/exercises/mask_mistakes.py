"""How the mistakes about masks are explained; their values come from `attention_core.faults`."""

from __future__ import annotations

from types import MappingProxyType

from quiz.exercises.types import Misconception, Text


def _mistake(
    slug: str, *, title: Text, told: Text, question: Text, caption: Text
) -> tuple[str, Misconception]:
    return slug, Misconception(slug=slug, title=title, told=told, question=question, caption=caption)


MASK_MISTAKES = MappingProxyType(
    dict(
        (
            _mistake(
                "causal_applied",
                title=Text("多加了因果掩码", "a causal mask that was not asked for"),
                told=Text(
                    "后面的 token 被遮住了，但这道题是没有掩码的双向注意力。",
                    "Later tokens were hidden, but this is attention without a mask, in both directions.",
                ),
                question=Text(
                    "题目里说了哪些位置看不见吗？",
                    "Does the task say that any position may not be seen?",
                ),
                caption=Text("加上因果掩码会得到", "With a causal mask"),
            ),
            _mistake(
                "no_mask",
                title=Text("没有加掩码", "a missing mask"),
                told=Text(
                    "所有位置都参与了 softmax，这个 token 看到了自己后面的内容。",
                    "Every position took part in the softmax, so this token saw what comes after it.",
                ),
                question=Text(
                    "生成这个 token 的时候，它后面的位置存在吗？",
                    "When this token is being generated, do the positions after it exist yet?",
                ),
                caption=Text("不加掩码会得到", "Without the mask"),
            ),
            _mistake(
                "reversed_mask",
                title=Text("掩码方向反了", "a mask the wrong way round"),
                told=Text(
                    "遮住的是过去，留下的是自己和未来：上三角和下三角弄反了。",
                    "The past was hidden and the token itself and the future were kept: the triangles are "
                    "swapped.",
                ),
                question=Text(
                    "第 $i$ 行允许看的列 $j$，满足 $j \\le i$ 还是 $j \\ge i$？第一行能看见谁？",
                    "May row $i$ see the columns $j \\le i$ or $j \\ge i$? Whom can the first row see?",
                ),
                caption=Text("掩码反过来会得到", "With the mask reversed"),
            ),
            _mistake(
                "diagonal_hidden",
                title=Text("把自己也遮住了", "the token itself hidden as well"),
                told=Text(
                    "对角线也被遮了：这个 token 只能看到前面的，看不到自己。",
                    "The diagonal was hidden too: the token sees those before it, but not itself.",
                ),
                question=Text(
                    "要是对角线也遮住，第一行还剩下什么可以看？",
                    "If the diagonal is hidden as well, what is left for the first row to see?",
                ),
                caption=Text("遮住对角线会得到", "With the diagonal hidden"),
            ),
            _mistake(
                "sees_one_ahead",
                title=Text("多看了后面一个位置", "a mask that lets the next position through"),
                told=Text(
                    "掩码从对角线上方第二条线才开始，像是 `triu` 的偏移写成了 2：下一个 token 漏了进来。",
                    "The mask starts one diagonal too late, as with an offset of 2 in `triu`: the next token "
                    "leaks in.",
                ),
                question=Text(
                    "第 $i$ 行里第一个该遮住的列是第几列？",
                    "In row $i$, which is the first column that has to be hidden?",
                ),
                caption=Text("多看一个位置会得到", "Seeing one ahead"),
            ),
            _mistake(
                "filled_with_zero",
                title=Text("被遮的分数填成了 0", "hidden scores filled with 0"),
                told=Text(
                    "被遮的位置填了 0 而不是 $-\\infty$（或者让分数乘了 0/1 掩码），它们在 softmax "
                    "里仍然拿走了权重。",
                    "Hidden positions were set to 0 instead of $-\\infty$ (or the scores were multiplied by "
                    "a 0/1 mask), so they still took weight in the softmax.",
                ),
                question=Text(
                    "$e^0$ 等于多少？填成几才能让指数等于 0？",
                    "What is $e^0$? What would have to stand there for the exponential to be 0?",
                ),
                caption=Text("填 0 会得到", "Filled with 0"),
            ),
            _mistake(
                "masked_after_softmax",
                title=Text(
                    "先 softmax 后掩码，没有重新归一化", "a mask after the softmax, without renormalising"
                ),
                told=Text(
                    "softmax 算的是全部位置，之后才把看不见的权重清零：剩下的加起来不到 1。",
                    "The softmax ran over all positions and the hidden weights were zeroed afterwards: what "
                    "is left sums to less than 1.",
                ),
                question=Text(
                    "清零之后，这一行的权重加起来还是 1 吗？",
                    "After zeroing, do the weights of the row still sum to 1?",
                ),
                caption=Text("softmax 之后再掩码会得到", "Masking after the softmax"),
            ),
            _mistake(
                "additive_01_mask",
                title=Text("把 0/1 掩码加到了分数上", "a 0/1 mask added to the scores"),
                told=Text(
                    "加上去的是 0 和 1：可见的位置只多了 1 分，被遮的位置仍在参与。",
                    "What was added were zeros and ones: visible positions gained one point, hidden ones "
                    "still took part.",
                ),
                question=Text(
                    "加性掩码里，「看不见」对应的数应当是几？",
                    "In an additive mask, which number means “may not be seen”?",
                ),
                caption=Text("加 0/1 掩码会得到", "Adding a 0/1 mask"),
            ),
        )
    )
)
