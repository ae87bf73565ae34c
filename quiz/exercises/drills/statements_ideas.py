"""Statements about what attention is, and is not."""

from __future__ import annotations

from quiz.exercises.drills.statement import Fix, Statement
from quiz.exercises.types import Text

IDEAS = {
    "fixed_roles": Statement(
        name=Text("Q、K、V 的含义", "what Q, K and V hold"),
        claim=Text(
            "$Q$、$K$、$V$ 各装着一种固定的语义：问题、标签、内容。",
            "$Q$, $K$ and $V$ each hold a fixed kind of meaning: questions, labels, contents.",
        ),
        believed=Text(
            "换一组投影矩阵，同一个 token 的三个向量就全变了：没有哪一个天生装着什么。",
            "With other projection matrices all three vectors of the same token change: none of them holds "
            "anything by nature.",
        ),
        question=Text(
            "这三个向量是从哪里算出来的？训练改变的又是什么？",
            "From what are the three vectors computed, and what does training change?",
        ),
        fixes=(
            Fix(
                slug="learnt",
                label=Text(
                    "它们是同一个输入经三个可学习的矩阵投影出来的，各管什么由训练决定",
                    "they are projections of one input by three matrices that are learnt, and training "
                    "decides what each is for",
                ),
            ),
            Fix(
                slug="three_inputs",
                label=Text(
                    "它们是三个不同的输入序列，各有各的语义",
                    "they are three different input sequences, each with a meaning of its own",
                ),
                told=Text(
                    "自注意力里三个都出自同一个序列，不同的只是投影矩阵。",
                    "In self-attention all three come from one sequence; only the matrices differ.",
                ),
            ),
        ),
    ),
    "weights_explain": Statement(
        name=Text("权重当解释", "weights as explanations"),
        claim=Text(
            "注意力权重大，就说明模型是因为那个 token 才这样输出的。",
            "A large attention weight shows that the model gave its output because of that token.",
        ),
        believed=Text(
            "把权重换成别的分布，输出有时几乎不变；value 和后面的层也在起作用。",
            "Other weights sometimes leave the output nearly as it was; values and later layers have a say "
            "too.",
        ),
        question=Text(
            "除了权重，输出还由什么决定？value 全都一样的时候，权重还重要吗？",
            "What else decides the output, and do weights matter when all values are the same?",
        ),
        fixes=(
            Fix(
                slug="hint_only",
                label=Text(
                    "权重只是混合的比例，可以帮助排查，单独当不了因果解释",
                    "weights are shares of a mixture: a help in debugging, no causal explanation by "
                    "themselves",
                ),
            ),
            Fix(
                slug="averaged_heads",
                label=Text(
                    "要先把各个头平均，权重才能当因果解释",
                    "only once averaged over the heads do weights explain the output",
                ),
                told=Text(
                    "各个头的 value 不一样，平均掉以后离实际用到的更远。",
                    "Heads mix different values; an average is even farther from what was really used.",
                ),
            ),
        ),
    ),
    "attention_only": Statement(
        name=Text("参数在哪里", "where the parameters are"),
        claim=Text(
            "Transformer 的参数几乎都在注意力里，FFN 只是点缀。",
            "Nearly all parameters of a Transformer are in attention; the FFN is an ornament.",
        ),
        believed=Text(
            "按 $d_\\text{ff} = 4d$ 数一数：FFN 的两个矩阵就有 $8d^2$ 个权重。",
            "Count them with $d_\\text{ff} = 4d$: the two matrices of the FFN alone hold $8d^2$ weights.",
        ),
        question=Text(
            "一层里注意力有几个 $d \\times d$ 的矩阵？FFN 的两个矩阵加起来又是多大？",
            "How many $d \\times d$ matrices has the attention of a layer, and how large are the two of the "
            "FFN together?",
        ),
        fixes=(
            Fix(
                slug="two_thirds",
                label=Text(
                    "$d_\\text{ff} = 4d$ 时，一层的权重有三分之二在 FFN 里",
                    "with $d_\\text{ff} = 4d$ two thirds of the weights of a layer are in the FFN",
                ),
            ),
            Fix(
                slug="half",
                label=Text(
                    "$d_\\text{ff} = 4d$ 时，一层的权重两边各占一半",
                    "with $d_\\text{ff} = 4d$ each side has half of the weights of a layer",
                ),
                told=Text(
                    "注意力是四个 $d \\times d$，FFN 是两个 $d \\times 4d$：不是各一半。",
                    "Attention has four $d \\times d$, the FFN two $d \\times 4d$: not half each.",
                ),
            ),
        ),
    ),
    "named_heads": Statement(
        name=Text("头的分工", "what heads learn"),
        claim=Text(
            "多头注意力里，每个头都会学出一个人叫得出名字的功能。",
            "In multi-head attention every head learns a function that people can put a name to.",
        ),
        believed=Text(
            "剪掉不少头，效果几乎不变：不是每个头都有自己的用处。",
            "Many heads can be pruned with hardly any loss: not each of them has a use of its own.",
        ),
        question=Text(
            "各头的参数互相独立，这是「允许」分工，还是「保证」分工？",
            "Heads have independent parameters: does that allow them to specialise, or guarantee it?",
        ),
        fixes=(
            Fix(
                slug="allowed",
                label=Text(
                    "独立的参数允许分工，但不保证，不少头是多余的",
                    "independent parameters allow heads to specialise but do not make them; many are "
                    "redundant",
                ),
            ),
            Fix(
                slug="with_many",
                label=Text("头足够多的时候才会这样", "they do so once there are enough heads"),
                told=Text("头越多，多余的也越多。", "The more heads, the more of them are redundant."),
            ),
        ),
    ),
    "heads_repeat": Statement(
        name=Text("头是不是重复", "heads as repetitions"),
        claim=Text(
            "多头就是把同一个注意力重复算几遍，再取平均。",
            "Several heads are the same attention computed several times and averaged.",
        ),
        believed=Text(
            "各头若是一样，平均以后就和一个头没有区别，算几遍也是白算。",
            "If the heads were alike, their average would be one of them, and computing it several times a "
            "waste.",
        ),
        question=Text(
            "每个头看到的 $q$、$k$ 是同一组投影吗？最后是加起来，还是接起来？",
            "Do all heads see the same projections, and are they added up or put side by side at the end?",
        ),
        fixes=(
            Fix(
                slug="own_projections",
                label=Text(
                    "每个头有自己的投影，各自的输出接起来，再过 $W_O$",
                    "each head has projections of its own; their outputs are put side by side and go through "
                    "$W_O$",
                ),
            ),
            Fix(
                slug="same_projections",
                label=Text(
                    "各头的投影相同，只是 $W_O$ 里用的行不同",
                    "all heads share their projections and differ in the rows of $W_O$ only",
                ),
                told=Text(
                    "投影相同，各头的权重就一模一样，那正是「重复算」。",
                    "With one projection all heads have the same weights, which is just the repetition.",
                ),
            ),
        ),
    ),
    "always_square": Statement(
        name=Text("分数的形状", "the shape of the scores"),
        claim=Text(
            "注意力的分数矩阵总是 $n \\times n$ 的方阵。",
            "The matrix of attention scores is always square, $n \\times n$.",
        ),
        believed=Text("query 和 key 不一定一样多。", "There need not be as many queries as keys."),
        question=Text(
            "解码时带着缓存，这一步有几个 query、几个 key？",
            "Decoding beside a cache, how many queries and how many keys are there in a step?",
        ),
        fixes=(
            Fix(
                slug="queries_by_keys",
                label=Text(
                    "它是 query 数乘 key 数：交叉注意力和带缓存的解码都不是方阵",
                    "it is queries by keys: square neither in cross-attention nor in decoding from a cache",
                ),
            ),
            Fix(
                slug="width_square",
                label=Text("它是 $d_k \\times d_k$ 的方阵", "it is square, but $d_k \\times d_k$"),
                told=Text(
                    "$QK^\\top$ 消掉的正是 $d_k$ 那一维。",
                    "$d_k$ is just the axis that $QK^\\top$ sums away.",
                ),
            ),
        ),
    ),
    "original_pre_ln": Statement(
        name=Text("论文里的归一化", "the norm in the paper"),
        claim=Text(
            "2017 年论文里的 Transformer 用的是 Pre-LN：$x + F(\\text{LN}(x))$。",
            "The Transformer of the 2017 paper is Pre-LN: $x + F(\\text{LN}(x))$.",
        ),
        believed=Text(
            "论文里归一化在相加之后；后来的很多实现才挪到支路的入口。",
            "In the paper the norm comes after the sum; many later implementations moved it to the entrance "
            "of the branch.",
        ),
        question=Text(
            "论文里写的是 $\\text{LayerNorm}(x + \\text{Sublayer}(x))$ 还是别的？",
            "Does the paper write $\\text{LayerNorm}(x + \\text{Sublayer}(x))$, or something else?",
        ),
        fixes=(
            Fix(
                slug="post_ln",
                label=Text(
                    "论文用的是 Post-LN：$\\text{LN}(x + F(x))$",
                    "the paper is Post-LN: $\\text{LN}(x + F(x))$",
                ),
            ),
            Fix(
                slug="rms_norm",
                label=Text("论文用的是 RMSNorm，不是 LayerNorm", "the paper uses RMSNorm and not LayerNorm"),
                told=Text("RMSNorm 是 2019 年才提出的。", "RMSNorm was proposed in 2019 only."),
            ),
        ),
    ),
    "symmetric_weights": Statement(
        name=Text("权重的对称", "symmetry of the weights"),
        claim=Text(
            "$XX^\\top$ 是对称的，所以它逐行 softmax 之后的权重也对称。",
            "$XX^\\top$ is symmetric, so its weights after a softmax of each row are symmetric too.",
        ),
        believed=Text("第 $i$ 行和第 $j$ 行的分母不一样。", "Rows $i$ and $j$ have different denominators."),
        question=Text(
            "$A_{ij}$ 除以的是哪一行的总和？$A_{ji}$ 呢？",
            "By the sum of which row is $A_{ij}$ divided, and $A_{ji}$?",
        ),
        fixes=(
            Fix(
                slug="own_denominator",
                label=Text(
                    "分数对称，每行的分母却不同，权重一般不对称",
                    "the scores are symmetric, but each row has its own denominator, so the weights in "
                    "general are not",
                ),
            ),
            Fix(
                slug="after_scaling",
                label=Text(
                    "除以 $\\sqrt{d_k}$ 之后才不对称",
                    "they are no longer symmetric once divided by $\\sqrt{d_k}$",
                ),
                told=Text(
                    "整个矩阵除以同一个数，对称性不变。",
                    "Dividing the whole matrix by one number keeps its symmetry.",
                ),
            ),
        ),
    ),
    "never_symmetric": Statement(
        name=Text("分数的对称", "symmetry of the scores"),
        claim=Text(
            "$Q$、$K$ 用了两个不同的矩阵，$QK^\\top$ 就一定不对称。",
            "With two different matrices for $Q$ and $K$, $QK^\\top$ cannot be symmetric.",
        ),
        believed=Text(
            "$QK^\\top = X(W_QW_K^\\top)X^\\top$，对不对称要看中间那个积。",
            "$QK^\\top = X(W_QW_K^\\top)X^\\top$: the product in the middle decides.",
        ),
        question=Text(
            "$W_QW_K^\\top$ 本身对称的话，$QK^\\top$ 会怎样？", "What if $W_QW_K^\\top$ is itself symmetric?"
        ),
        fixes=(
            Fix(
                slug="product_decides",
                label=Text(
                    "$W_QW_K^\\top$ 对称时它就对称；讲义 7.12 的例子正是这样",
                    "it is symmetric whenever $W_QW_K^\\top$ is, as in the example of section 7.12",
                ),
            ),
            Fix(
                slug="orthogonal",
                label=Text(
                    "两个矩阵都是正交阵时它才对称", "it is symmetric where both matrices are orthogonal"
                ),
                told=Text(
                    "两个正交阵的积是正交阵，不一定对称。",
                    "The product of two orthogonal matrices is orthogonal, and need not be symmetric.",
                ),
            ),
        ),
    ),
    "residual_leaks": Statement(
        name=Text("残差和因果", "residual and causality"),
        claim=Text(
            "残差连接绕过了因果掩码，会把后面 token 的信息带到前面。",
            "The residual goes round the causal mask and carries later tokens to earlier ones.",
        ),
        believed=Text(
            "残差是逐行相加的：第 $i$ 行只加回第 $i$ 行。",
            "The residual adds row by row: row $i$ to row $i$.",
        ),
        question=Text("$x_j$ 经过残差能到达第几行？", "Which row does $x_j$ reach through the residual?"),
        fixes=(
            Fix(
                slug="own_row",
                label=Text(
                    "$x_i$ 只加回第 $i$ 行，而第 $i$ 行本来就看得见它",
                    "$x_i$ is added to row $i$ alone, which may see it anyway",
                ),
            ),
            Fix(
                slug="mask_residual",
                label=Text("残差也乘上掩码，才不会绕过去", "only a masked residual does not go round it"),
                told=Text(
                    "残差里没有「谁看谁」，也就没有可遮的。",
                    "In the residual nobody looks at anybody, so there is nothing to hide.",
                ),
            ),
        ),
    ),
    "mask_own_key": Statement(
        name=Text("BERT 的 [MASK]", "BERT's [MASK]"),
        claim=Text(
            "BERT 不必把词换成 [MASK]：在注意力里遮住它自己的 key，就看不到答案了。",
            "BERT need not replace a word by [MASK]: hiding its own key in attention is enough to hide the "
            "answer.",
        ),
        believed=Text(
            "遮住自己的 key，答案还有别的路回来。", "With its own key hidden, the answer has other ways back."
        ),
        question=Text(
            "第一层里别的 token 看过它，第二层它再看那些 token，会怎样？",
            "In layer 1 others look at it, in layer 2 it looks at them: what then?",
        ),
        fixes=(
            Fix(
                slug="other_ways",
                label=Text(
                    "残差、自己的 query、绕两层，都会把答案带回来",
                    "the residual, its own query and a detour over two layers all bring the answer back",
                ),
            ),
            Fix(
                slug="every_layer",
                label=Text("每一层都遮住自己的 key 就够了", "hiding its own key in every layer is enough"),
                told=Text(
                    "残差根本不经过注意力：$x_i$ 直接加进第 $i$ 行。",
                    "The residual does not go through attention at all: $x_i$ is added to row $i$.",
                ),
            ),
        ),
    ),
}
