"""Words for the faults in scores, softmax, mixing and heads."""

from __future__ import annotations

from quiz.exercises.drills.words import FaultWords
from quiz.exercises.types import Text

WEIGHING_FAULTS = {
    "no_scale": FaultWords(
        label=Text("没有除以 √d_k", "no division by √d_k"),
        sign=Text(
            "权重会过尖：$d_k = 4$、两个分数差 3 时，权重之比是 $e^{3}$，不是 $e^{3/2}$；传 `scale` 也不起作"
            "用。",
            "the weights are too sharp: with $d_k = 4$ and scores 3 apart their ratio is $e^{3}$, not "
            "$e^{3/2}$, and a `scale` that is passed does nothing.",
        ),
        question=Text(
            "分数进 softmax 之前除以了什么？从哪里看得出来？",
            "By what are the scores divided before the softmax, and where can that be seen?",
        ),
    ),
    "scale_by_d_k": FaultWords(
        label=Text("除以了 d_k，而不是 √d_k", "a division by d_k instead of √d_k"),
        sign=Text(
            "权重会过平：$d_k = 4$、两个分数差 3 时，权重之比是 $e^{3/4}$，不是 $e^{3/2}$。",
            "the weights are too even: with $d_k = 4$ and scores 3 apart their ratio is $e^{3/4}$, not "
            "$e^{3/2}$.",
        ),
        question=Text(
            "要让点积的方差回到 1，除数该是方差还是标准差？这里是哪一个？",
            "To bring the variance of a dot product back to 1, does one divide by the variance or by the "
            "standard deviation, and which is it here?",
        ),
    ),
    "scale_by_sqrt_d_model": FaultWords(
        label=Text("除以了 √d_model，而不是 √d_k", "a division by √d_model instead of √d_k"),
        sign=Text(
            "模型宽度和头宽不一样时，权重会过平：分数多除了 $\\sqrt{d_\\text{model}/d_k}$。",
            "where the model is wider than a head, the weights are too even: the scores are divided by a "
            "further $\\sqrt{d_\\text{model}/d_k}$.",
        ),
        question=Text(
            "一个分数 $q\\cdot k$ 是多少项之和？", "How many terms are added up in one score $q\\cdot k$?"
        ),
    ),
    "scale_by_sqrt_length": FaultWords(
        label=Text("除以了 √n，而不是 √d_k", "a division by √n instead of √d_k"),
        sign=Text(
            "序列一变长权重就变平：后面多几个无关的 key，前两个 key 之间的权重之比就变了。",
            "the weights flatten as the sequence grows: a few more keys change the ratio between the weights "
            "of the first two.",
        ),
        question=Text(
            "除数取的是哪一维的长度？序列变长时它会变吗？",
            "The length of which axis is in the divisor, and does it change when the sequence grows?",
        ),
    ),
    "scale_by_sqrt_heads": FaultWords(
        label=Text("除以了 √h，而不是 √d_k", "a division by √h instead of √d_k"),
        sign=Text(
            "头数一变，每个头里的权重就变：除数跟着头数走。",
            "with another number of heads the weights within each head change: the divisor follows the "
            "heads.",
        ),
        question=Text(
            "一个头里的分数，应当和一共有几个头有关吗？",
            "Should the scores within one head depend on how many heads there are?",
        ),
    ),
    "scale_inverted": FaultWords(
        label=Text("乘以了 √d_k", "a multiplication by √d_k"),
        sign=Text(
            "权重会尖得多：分数被放大，而不是缩小。",
            "the weights are far too sharp: the scores are enlarged instead of reduced.",
        ),
        question=Text(
            "维度越大，分数应当被放大还是缩小？",
            "With a larger width, should the scores be enlarged or reduced?",
        ),
    ),
    "transposed_scores": FaultWords(
        label=Text("分数转置了（算成 KQᵀ）", "transposed scores (KQᵀ)"),
        sign=Text(
            "一个 query 的分数写进了别的行：改掉它，别的行也变；打乱 key 的顺序，输出也变。",
            "the scores of one query stand in other rows: changing it moves those rows, and reordering the "
            "keys moves the output.",
        ),
        question=Text(
            "分数的第 $i$ 行属于哪个 query？改掉它，哪几行该变？",
            "To which query does row $i$ of the scores belong, and which rows should move when it changes?",
        ),
    ),
    "keys_with_keys": FaultWords(
        label=Text("拿 K 和 K 做了点积", "dot products of keys with keys"),
        sign=Text(
            "改掉 query，输出一点不变：query 没有参与打分。",
            "changing the queries moves nothing: they take no part in the scores.",
        ),
        question=Text("打分的时候，query 用上了吗？", "Do the queries take part in the scores?"),
    ),
    "queries_with_queries": FaultWords(
        label=Text("拿 Q 和 Q 做了点积", "dot products of queries with queries"),
        sign=Text(
            "改掉 key，输出一点不变：key 没有参与打分。",
            "changing the keys moves nothing: they take no part in the scores.",
        ),
        question=Text("打分的时候，key 用上了吗？", "Do the keys take part in the scores?"),
    ),
    "mix_with_keys": FaultWords(
        label=Text("最后乘的是 K，不是 V", "the keys mixed instead of the values"),
        sign=Text(
            "把 V 改掉，输出一点不变：取回来的是 key。",
            "changing the values moves nothing: what is fetched are the keys.",
        ),
        question=Text(
            "改掉 V，输出该不该变？这里变了吗？",
            "Should the output move when the values change, and does it here?",
        ),
    ),
    "swapped_keys_and_values": FaultWords(
        label=Text("K 和 V 用反了", "keys and values in each other's place"),
        sign=Text(
            "V 参与了打分，取回来的却是 K：把 V 乘以 2，输出不是乘以 2。",
            "the values make the scores and the keys are fetched: twice the values do not give twice the "
            "output.",
        ),
        question=Text(
            "把 V 整个乘以 2，输出应当怎样？", "What should happen to the output when all values are doubled?"
        ),
    ),
    "transposed_weights": FaultWords(
        label=Text("权重转置以后才乘 V", "the weights transposed before they mix"),
        sign=Text(
            "每一行实际用到的权重不再加到 1，别的 query 变了，这一行也跟着变。",
            "the weights that a row really uses no longer sum to 1, and a row moves when other queries "
            "change.",
        ),
        question=Text(
            "乘 $V$ 的那个矩阵，行加起来是 1，还是列？",
            "Of the matrix that multiplies $V$: is it the rows that sum to 1, or the columns?",
        ),
    ),
    "softmax_over_columns": FaultWords(
        label=Text("softmax 沿 query 那一维做了", "a softmax over the queries"),
        sign=Text(
            "每一列加起来是 1，每一行却不是；改一个 query，别的行也跟着变。",
            "the columns sum to 1 and the rows do not; changing one query moves other rows.",
        ),
        question=Text(
            "一个 query 的权重，该在哪一维上加到 1？",
            "Along which axis should the weights of one query sum to 1?",
        ),
    ),
    "softmax_over_all": FaultWords(
        label=Text("softmax 在整个矩阵上做了", "one softmax over the whole matrix"),
        sign=Text(
            "全部权重一共才加到 1，每一行只有一小份，还会随别的 query 变。",
            "all weights together sum to 1, so that each row has a small share, which moves with the other "
            "queries.",
        ),
        question=Text(
            "有 $n$ 个 query 时，全部权重一共该加到几？",
            "With $n$ queries, what should all the weights add up to?",
        ),
    ),
    "unnormalised": FaultWords(
        label=Text("取了指数，没有除以总和", "exponentials that are not divided by their sum"),
        sign=Text(
            "权重不加到 1，而且给所有 key 加上同一个向量，输出会变。",
            "the weights do not sum to 1, and adding one vector to all keys moves the output.",
        ),
        question=Text(
            "给一行分数同加一个数，权重该不该变？",
            "Should the weights move when one number is added to a whole row of scores?",
        ),
    ),
    "unnormalised_shifted": FaultWords(
        label=Text(
            "减了最大值、取了指数，没有除以总和", "exponentials less the maximum, not divided by their sum"
        ),
        sign=Text(
            "最大的权重总是 1，一行加起来超过 1；同加一个数倒是不变。",
            "the largest weight is always 1 and a row sums to more; adding one number to all scores changes "
            "nothing.",
        ),
        question=Text(
            "一行权重加起来是多少？最大的那个又是多少？",
            "What does a row of weights sum to, and how large is the largest?",
        ),
    ),
    "tiled_groups": FaultWords(
        label=Text("分组的头排成了 1、2、1、2", "grouped heads laid out 1, 2, 1, 2"),
        sign=Text(
            "一个 KV 头变了，不归它管的 query 头也跟着变。",
            "a change of one key/value head moves a query head that it does not serve.",
        ),
        question=Text(
            "4 个 query 头、2 个 KV 头，第 2 个 query 头用的是哪个 KV 头？",
            "With 4 query heads and 2 key/value heads, which of these serves the second query head?",
        ),
    ),
    "one_big_head": FaultWords(
        label=Text("几个头的分数加成了一个", "the scores of all heads added into one"),
        sign=Text(
            "改一个头的 query，别的头的输出也跟着变。",
            "changing the query of one head moves the output of the others.",
        ),
        question=Text(
            "一个头的 query 变了，别的头该不该变？",
            "Should the other heads move when the query of one head changes?",
        ),
    ),
    "dropout_left_on": FaultWords(
        label=Text("评估时 attention dropout 还开着", "attention dropout left on at evaluation"),
        sign=Text(
            "同样的输入算两次，结果不一样；别的探针也就都作不得数。",
            "the same input gives another output each time, and no other probe can be trusted.",
        ),
        question=Text(
            "同样的输入再算一遍，结果一样吗？", "Does the same input give the same output a second time?"
        ),
    ),
}
