"""How the mistakes of `attention_core.faults` are explained, for every family that asks for a piece of
attention.

The values come from the core; here stand the words. A title completes "looks like …" and may be shown
where no formula can be typeset; the other sentences are Markdown with maths.
"""

from __future__ import annotations

from types import MappingProxyType

from quiz.exercises.types import Misconception, Text


def _mistake(
    slug: str, *, title: Text, told: Text, question: Text, caption: Text
) -> tuple[str, Misconception]:
    return slug, Misconception(slug=slug, title=title, told=told, question=question, caption=caption)


ATTENTION_MISTAKES = MappingProxyType(
    dict(
        (
            _mistake(
                "no_scale",
                title=Text("忘了除以 √d_k", "the division by √d_k is missing"),
                told=Text(
                    "点积 $q\\cdot k$ 原样拿来用了，少了缩放这一步。",
                    "The dot products $q\\cdot k$ were used as they stand; the scaling step is missing.",
                ),
                question=Text(
                    "$q$ 和 $k$ 的每一维方差都是 1 时，$q\\cdot k$ 的方差是多少？拿什么去除才能回到 1？",
                    "If every component of $q$ and $k$ has variance 1, what is the variance of $q\\cdot k$, "
                    "and what would bring it back to 1?",
                ),
                caption=Text("不除以 √d_k 会得到", "Without dividing by √d_k"),
            ),
            _mistake(
                "scale_by_d_k",
                title=Text("除以了 d_k，而不是 √d_k", "a division by d_k instead of √d_k"),
                told=Text(
                    "分数除以了 $d_k$ 本身，缩得太狠，softmax 出来的权重会偏平。",
                    "The scores were divided by $d_k$ itself; that is too much, and the softmax comes out "
                    "too even.",
                ),
                question=Text(
                    "要让方差变成 1，除数应当是方差，还是标准差？",
                    "To bring a variance to 1, do you divide by the variance or by the standard deviation?",
                ),
                caption=Text("除以 d_k 会得到", "Dividing by d_k"),
            ),
            _mistake(
                "scale_by_sqrt_d_model",
                title=Text("除以了 √d_model，而不是 √d_k", "a division by √d_model instead of √d_k"),
                told=Text(
                    "缩放用成了模型宽度 $d_\\text{model}$，而点积是在 $d_k$ 维的 $q$、$k$ 之间做的。",
                    "The scaling used the model width $d_\\text{model}$, but the dot product runs over the "
                    "$d_k$ components of $q$ and $k$.",
                ),
                question=Text(
                    "一个分数 $q\\cdot k$ 是多少项之和？",
                    "How many terms are added up in one score $q\\cdot k$?",
                ),
                caption=Text("除以 √d_model 会得到", "Dividing by √d_model"),
            ),
            _mistake(
                "softmax_over_columns",
                title=Text("softmax 沿列做了", "a softmax over the columns"),
                told=Text(
                    "归一化沿着 query 那一维做了：每一列加起来是 1，每一行却不是。",
                    "The normalisation ran over the queries: every column sums to 1, the rows do not.",
                ),
                question=Text(
                    "一个 query 要把注意力分给所有 key。哪一维加起来该是 1？",
                    "One query shares its attention among all keys. Along which axis should the weights sum "
                    "to 1?",
                ),
                caption=Text("沿列做 softmax 会得到", "With a softmax over columns"),
            ),
            _mistake(
                "softmax_over_all",
                title=Text("对整个矩阵做了一次 softmax", "one softmax over the whole matrix"),
                told=Text(
                    "所有分数放在一起归一化了：整个矩阵加起来是 1，每行分到的总权重不足 1。",
                    "All scores were normalised together: the whole matrix sums to 1, so each row gets less "
                    "than 1.",
                ),
                question=Text(
                    "每个 query 手里的注意力总量是多少？它和别的 query 共用吗？",
                    "How much attention does each query have to give, and does it share that with other "
                    "queries?",
                ),
                caption=Text("整个矩阵一起 softmax 会得到", "With one softmax over everything"),
            ),
            _mistake(
                "transposed_scores",
                title=Text("分数算成了 KQᵀ", "scores computed as KQᵀ"),
                told=Text(
                    "分数矩阵转置了：该由 $q_i$ 去问 $k_j$ 的地方，成了 $k_i$ 去问 $q_j$。",
                    "The score matrix is transposed: where $q_i$ should meet $k_j$, it was $k_i$ that met "
                    "$q_j$.",
                ),
                question=Text(
                    "第 $i$ 行第 $j$ 列的分数，用的是哪个 token 的 query、哪个 token 的 key？",
                    "For the score in row $i$, column $j$: whose query and whose key is it?",
                ),
                caption=Text("用 KQᵀ 会得到", "With KQᵀ"),
            ),
            _mistake(
                "mix_with_keys",
                title=Text("加权求和用了 K，而不是 V", "a weighted sum of K instead of V"),
                told=Text(
                    "权重是对的，但最后乘的是 $K$：取回来的成了「地址」，不是「内容」。",
                    "The weights are right, but they were multiplied by $K$: that fetches the addresses, not "
                    "the contents.",
                ),
                question=Text(
                    "打分时已经用过 $K$ 了。输出要汇总的是哪个矩阵？",
                    "$K$ has already done its work in the scores. Which matrix holds what the output "
                    "collects?",
                ),
                caption=Text("用 A·K 会得到", "With A·K"),
            ),
            _mistake(
                "no_softmax",
                title=Text("没有做 softmax", "a missing softmax"),
                told=Text(
                    "缩放后的分数被直接拿来当权重，没有变成和为 1 的正数。",
                    "The scaled scores were used as weights as they stand, without becoming positive shares "
                    "that sum to 1.",
                ),
                question=Text(
                    "你用的这些权重里有没有负数？加起来是 1 吗？",
                    "Are any of the weights you used negative? Do they sum to 1?",
                ),
                caption=Text("不做 softmax 会得到", "Without the softmax"),
            ),
            _mistake(
                "uniform_weights",
                title=Text("权重取成了平均值", "equal weights for every visible key"),
                told=Text(
                    "能看到的每个 key 都给了同样的权重，分数完全没有起作用。",
                    "Every visible key got the same weight; the scores had no say.",
                ),
                question=Text(
                    "这一行的分数都相等吗？分数高的 key 应当多拿多少？",
                    "Are the scores of this row all equal? How much more should a key with a higher score "
                    "get?",
                ),
                caption=Text("平均权重会得到", "With equal weights"),
            ),
            _mistake(
                "transposed_weights",
                title=Text("权重矩阵转置了，用了 Aᵀ", "a transposed weight matrix, Aᵀ"),
                told=Text(
                    "乘 $V$ 之前权重转置了：用的是别人给这个 token 的权重，不是它给别人的。",
                    "The weights were transposed before meeting $V$: they are what others give this token, "
                    "not what it gives to others.",
                ),
                question=Text(
                    "第 $i$ 个输出该用 $A$ 的第 $i$ 行还是第 $i$ 列？哪一个加起来是 1？",
                    "Does output $i$ use row $i$ or column $i$ of $A$? Which of the two sums to 1?",
                ),
                caption=Text("用 AᵀV 会得到", "With AᵀV"),
            ),
            _mistake(
                "scaled_after_softmax",
                title=Text("先 softmax，后除以 √d_k", "the scaling after the softmax"),
                told=Text(
                    "softmax 用的是没缩放的分数，$\\sqrt{d_k}$ 是在最后才除的，输出因此整体变小。",
                    "The softmax saw unscaled scores and $\\sqrt{d_k}$ was divided out at the end, which "
                    "shrinks the output.",
                ),
                question=Text(
                    "softmax 之后再除一个常数，权重之和还是 1 吗？缩放想救的是哪一步？",
                    "After dividing the softmax by a constant, do the weights still sum to 1? Which step is "
                    "the scaling meant to protect?",
                ),
                caption=Text("softmax 之后才除会得到", "Scaling after the softmax"),
            ),
            _mistake(
                "swapped_keys_and_values",
                title=Text("K 和 V 的角色互换了", "K and V in each other's place"),
                told=Text(
                    "打分用了 $QV^\\top$，汇总用了 $K$：两个矩阵各自干了对方的活。",
                    "The scores came from $QV^\\top$ and the sum from $K$: each matrix did the other's work.",
                ),
                question=Text(
                    "谁负责被匹配，谁负责被取走？",
                    "Which one is there to be matched, and which one to be fetched?",
                ),
                caption=Text("K、V 互换会得到", "With K and V swapped"),
            ),
            _mistake(
                "unnormalised",
                title=Text("取了指数，没有除以总和", "exponentials that were not divided by their sum"),
                told=Text(
                    "权重停在了 $e^{s}$：少了除以这一行总和的一步，输出因此偏大。",
                    "The weights stopped at $e^{s}$, without the division by the row's sum, so the output is "
                    "too large.",
                ),
                question=Text(
                    "你这一行的权重加起来是多少？应当是多少？",
                    "What do the weights of your row add up to, and what should they?",
                ),
                caption=Text("不除以总和会得到", "Without dividing by the sum"),
            ),
        )
    )
)
