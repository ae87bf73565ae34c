"""Statements about scales, costs and numbers."""

from __future__ import annotations

from quiz.exercises.drills.statement import Fix, Statement
from quiz.exercises.types import Text

NUMBERS = {
    "additive_cost": Statement(
        name=Text("加性注意力的代价", "the cost of additive attention"),
        claim=Text(
            "加性注意力比点积注意力贵一个 $d$：$O(n^2d^2)$ 对 $O(n^2d)$。",
            "Additive attention costs a factor of $d$ more than dot products: $O(n^2d^2)$ against $O(n^2d)$.",
        ),
        believed=Text(
            "那是把投影对每一对 token 都重算了一遍的代价。",
            "That is the price of computing the projections anew for every pair of tokens.",
        ),
        question=Text(
            "$W_1q_i$ 和 $j$ 有关系吗？一共要算几次？",
            "Does $W_1q_i$ depend on $j$, and how often is it computed in all?",
        ),
        fixes=(
            Fix(
                slug="hoisted",
                label=Text(
                    "投影每个 token 只算一次，所以是 $O(nd^2 + n^2d)$，同样是 $n^2d$",
                    "each token is projected once, which makes $O(nd^2 + n^2d)$: again $n^2d$",
                ),
            ),
            Fix(
                slug="cheaper",
                label=Text(
                    "加性的其实低一阶：$O(n^2)$", "additive attention is in fact one order cheaper: $O(n^2)$"
                ),
                told=Text(
                    "每一对 token 还要做 $d$ 维的加法、tanh 和点积。",
                    "Every pair still takes an addition, a tanh and a product over $d$ components.",
                ),
            ),
        ),
    ),
    "scale_by_model": Statement(
        name=Text("除以哪个宽度", "which width divides"),
        claim=Text(
            "点积要除以 $\\sqrt{d}$，$d$ 是模型的宽度。",
            "Dot products are divided by $\\sqrt{d}$, where $d$ is the width of the model.",
        ),
        believed=Text(
            "一个头里的点积只有 $d_k$ 项，方差也就是 $d_k$。",
            "A dot product within a head has $d_k$ terms, and so a variance of $d_k$.",
        ),
        question=Text(
            "一个头里的 $q\\cdot k$ 是多少个数之和？",
            "How many numbers are added up in $q\\cdot k$ within a head?",
        ),
        fixes=(
            Fix(
                slug="head_width",
                label=Text(
                    "除以 $\\sqrt{d_k}$，$d_k$ 是一个头里 $q$、$k$ 的宽度",
                    "by $\\sqrt{d_k}$, where $d_k$ is the width of $q$ and $k$ in one head",
                ),
            ),
            Fix(
                slug="without_root",
                label=Text("除以 $d_k$，不开根号", "by $d_k$, without the root"),
                told=Text(
                    "标准差是 $\\sqrt{d_k}$；除以方差会缩过头。",
                    "The standard deviation is $\\sqrt{d_k}$; dividing by the variance is too much.",
                ),
            ),
        ),
    ),
    "scaled_into_range": Statement(
        name=Text("缩放的目的", "what scaling is for"),
        claim=Text(
            "除以 $\\sqrt{d_k}$ 是为了把分数归一化到 0 和 1 之间。",
            "The division by $\\sqrt{d_k}$ brings the scores between 0 and 1.",
        ),
        believed=Text(
            "除完以后分数照样有负的、有大于 1 的。",
            "Afterwards there are still negative scores, and scores above 1.",
        ),
        question=Text(
            "把分数变成 0 到 1 之间的份额，是哪一步做的？",
            "Which step is it that turns scores into shares between 0 and 1?",
        ),
        fixes=(
            Fix(
                slug="unit_variance",
                label=Text(
                    "是让分数的方差回到 1 左右，免得 softmax 饱和、梯度变小",
                    "it brings their variance back to about 1, so that the softmax does not saturate and "
                    "lose its gradient",
                ),
            ),
            Fix(
                slug="zero_mean",
                label=Text("是让每一行分数的平均变成 0", "it makes the mean of every row of scores 0"),
                told=Text(
                    "除法不会改变平均的正负，更不会让它变成 0。", "A division does not turn a mean into 0."
                ),
            ),
        ),
    ),
    "quadratic_only": Statement(
        name=Text("长度翻倍", "doubling the length"),
        claim=Text(
            "序列长度翻倍，一层的计算量就是原来的 4 倍。",
            "Twice the sequence length makes a layer cost four times as much.",
        ),
        believed=Text(
            "只有分数和混合那一部分随 $n^2$ 走；投影和 FFN 随 $n$ 走。",
            "Only scores and mixing grow with $n^2$; projections and FFN grow with $n$.",
        ),
        question=Text(
            "投影和 FFN 的计算量，$n$ 翻倍时变成几倍？",
            "By how much do projections and FFN grow when $n$ doubles?",
        ),
        fixes=(
            Fix(
                slug="between",
                label=Text(
                    "在 2 到 4 倍之间：$n$ 比 $d$ 小得多时接近 2 倍",
                    "between two and four times, and close to twice while $n$ is far below $d$",
                ),
            ),
            Fix(
                slug="always_double",
                label=Text("永远是 2 倍", "always twice"),
                told=Text(
                    "分数矩阵有 $n^2$ 个数，这一部分是 4 倍。",
                    "The matrix of scores has $n^2$ numbers, and that part is four times as much.",
                ),
            ),
        ),
    ),
    "flash_linear": Statement(
        name=Text("FlashAttention 的计算量", "what FlashAttention computes"),
        claim=Text(
            "FlashAttention 把注意力的计算量从 $n^2$ 降成了线性。",
            "FlashAttention brings the computation of attention from $n^2$ down to linear.",
        ),
        believed=Text(
            "每个 query 照样要和每个 key 做一次点积。", "Every query still meets every key in a dot product."
        ),
        question=Text(
            "它不存分数矩阵；可每一对 query 和 key 的分数，算还是不算？",
            "It does not store the scores; but does it compute the score of every pair?",
        ),
        fixes=(
            Fix(
                slug="memory_traffic",
                label=Text(
                    "算的一样多，少的是中间矩阵和显存读写，结果是精确的",
                    "it computes as much; what it saves is the matrix in between and memory traffic, and it "
                    "is exact",
                ),
            ),
            Fix(
                slug="approximate",
                label=Text(
                    "它跳过了小的分数，是一种近似", "it skips small scores and so is an approximation"
                ),
                told=Text(
                    "它一个分数都不跳：在线 softmax 和一次算完的相同。",
                    "It skips no score: the online softmax equals the one taken at once.",
                ),
            ),
        ),
    ),
    "cache_constant": Statement(
        name=Text("缓存以后的计算量", "the work beside a cache"),
        claim=Text(
            "有了 KV 缓存，每生成一个 token 的计算量就和已有的长度无关了。",
            "With a KV cache the work for each new token no longer depends on the length so far.",
        ),
        believed=Text(
            "新的 query 还是要看完所有历史的 key 和 value。",
            "The new query still has to look at every key and value so far.",
        ),
        question=Text(
            "这一步的分数有几个？它随长度怎样变？",
            "How many scores are there in this step, and how does that change with the length?",
        ),
        fixes=(
            Fix(
                slug="linear",
                label=Text(
                    "省掉的是重算 $K$、$V$；看历史的那一部分仍随长度线性增长",
                    "what it saves is computing $K$ and $V$ again; looking at the past still grows linearly",
                ),
            ),
            Fix(
                slug="quadratic",
                label=Text("每一步仍是 $n^2$", "every step is still $n^2$"),
                told=Text(
                    "有了缓存，这一步只有一个 query，不是 $n$ 个。",
                    "With a cache a step has one query, not $n$.",
                ),
            ),
        ),
    ),
    "minus_a_billion": Statement(
        name=Text("−1e9 当负无穷", "−1e9 for minus infinity"),
        claim=Text(
            "用 $-10^9$ 当「负无穷」填掩码，什么精度都行，什么时候都行。",
            "Filling masks with $-10^9$ for minus infinity works in any precision, always.",
        ),
        believed=Text(
            "它是一个有限的数，而且不是哪种精度都放得下。",
            "It is a finite number, and not every precision can hold it.",
        ),
        question=Text(
            "float16 最大能表示多少？整行都填成 $-10^9$ 时，softmax 给出什么？",
            "How large can a float16 be, and what does the softmax of a row of nothing but $-10^9$ give?",
        ),
        fixes=(
            Fix(
                slug="finite",
                label=Text(
                    "float16 放不下它；整行都是它时，得到的是平均，不是 0",
                    "a float16 cannot hold it, and a row of nothing else gives the mean, not zeros",
                ),
            ),
            Fix(
                slug="still_weight",
                label=Text(
                    "它不够小，被遮的位置还会留下看得出来的权重",
                    "it is not small enough: hidden places keep a weight that can be seen",
                ),
                told=Text(
                    "$e^{-10^9}$ 在任何浮点数里都是 0。", "$e^{-10^9}$ is 0 in every floating-point format."
                ),
            ),
        ),
    ),
    "embedding_root": Statement(
        name=Text("词向量乘 √d", "embeddings times √d"),
        claim=Text(
            "词向量一律要乘 $\\sqrt{d}$，不管怎样初始化。",
            "Embeddings are always multiplied by $\\sqrt{d}$, however they are initialised.",
        ),
        believed=Text(
            "乘多少，是看词向量的尺度和位置编码差多少。",
            "The factor depends on how far the embeddings' scale is from that of the positions.",
        ),
        question=Text(
            "用标准差 1 初始化的词向量再乘 $\\sqrt{512}$，和位置编码比有多大？",
            "Embeddings of standard deviation 1 times $\\sqrt{512}$: how large are they beside the "
            "positions?",
        ),
        fixes=(
            Fix(
                slug="small_init",
                label=Text(
                    "它配的是标准差 $d^{-1/2}$ 的初始化；按标准差 1 初始化的不必再乘",
                    "it belongs to an initialisation of standard deviation $d^{-1/2}$; with 1 there is no "
                    "need for it",
                ),
            ),
            Fix(
                slug="divide",
                label=Text(
                    "按标准差 $d^{-1/2}$ 初始化的要除以 $\\sqrt{d}$",
                    "with a standard deviation of $d^{-1/2}$ one divides by $\\sqrt{d}$",
                ),
                told=Text(
                    "那样会更小：$d^{-1/2}$ 再除以 $\\sqrt{d}$ 是 $1/d$。",
                    "That makes them smaller still: $d^{-1/2}$ divided by $\\sqrt{d}$ is $1/d$.",
                ),
            ),
        ),
    ),
    "sample_variance": Statement(
        name=Text("LayerNorm 的方差", "the variance of LayerNorm"),
        claim=Text(
            "LayerNorm 用的是样本方差，除以 $n - 1$。",
            "LayerNorm uses the sample variance, divided by $n - 1$.",
        ),
        believed=Text(
            "有的教程这样写，官方实现不是。",
            "Some tutorials write it so; the official implementations do not.",
        ),
        question=Text(
            "这里是在估计一个总体的方差，还是就在算这几个特征自己的？",
            "Is the variance of some population being estimated here, or that of these very features?",
        ),
        fixes=(
            Fix(
                slug="population",
                label=Text(
                    "用总体方差，除以特征数 $n$",
                    "it uses the population variance, divided by the number of features $n$",
                ),
            ),
            Fix(
                slug="over_batch",
                label=Text(
                    "用总体方差，但沿批的那一维求", "it uses the population variance, taken over the batch"
                ),
                told=Text("沿批求统计量的是 BatchNorm。", "Statistics over the batch belong to BatchNorm."),
            ),
        ),
    ),
    "convex_with_dropout": Statement(
        name=Text("dropout 与凸组合", "dropout and convexity"),
        claim=Text(
            "输出总是 value 的凸组合，训练时开着 attention dropout 也一样。",
            "The output is always a convex combination of the values, with attention dropout in training "
            "too.",
        ),
        believed=Text(
            "dropout 之后，一行权重加起来不再是 1。", "After dropout a row of weights no longer sums to 1."
        ),
        question=Text(
            "inverted dropout 把留下的权重放大了多少倍？",
            "By how much does inverted dropout enlarge the weights that stay?",
        ),
        fixes=(
            Fix(
                slug="without_dropout",
                label=Text(
                    "没有 dropout 时才是；inverted dropout 让一行权重不再加到 1",
                    "only without dropout: inverted dropout makes a row sum to something else than 1",
                ),
            ),
            Fix(
                slug="positive_values",
                label=Text("value 全是正数时才是", "only while all values are positive"),
                told=Text(
                    "凸组合说的是权重非负、加到 1，和 value 的正负无关。",
                    "A convex combination is about weights that are not negative and sum to 1, whatever the "
                    "values are.",
                ),
            ),
        ),
    ),
}
