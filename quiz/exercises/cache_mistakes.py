"""How mistakes about the size of a KV cache are explained."""

from __future__ import annotations

from quiz.exercises.types import Misconception, Text

CACHE_MISTAKES = (
    Misconception(
        slug="forgot_factor_two",
        title=Text("忘了 K 和 V 是两份", "the factor 2 for K and V missing"),
        told=Text("只算了 K 或 V 中的一份。", "Only one of K and V was counted."),
        question=Text(
            "解码一步要从缓存里读哪几样东西？", "What does a decoding step have to read from the cache?"
        ),
        caption=Text("只算一份会得到", "Counting only one of the two"),
    ),
    Misconception(
        slug="query_heads",
        title=Text("用了 query 的头数", "query heads counted instead of key/value heads"),
        told=Text(
            "头数用成了 $h$，等于把 GQA 当成了普通多头（MHA）。",
            "The number of heads was $h$, as if this were ordinary multi-head attention and not grouped.",
        ),
        question=Text(
            "一组 query 头共用几个 K、V 头？缓存里存的是谁？",
            "How many key/value heads does a group of query heads share, and which of them are cached?",
        ),
        caption=Text("用 query 头数会得到", "With query heads"),
    ),
    Misconception(
        slug="ratio_inverted",
        title=Text("分组的比例弄反了", "the group ratio upside down"),
        told=Text(
            "KV 头数算成了 $h \\times g$：分组是为了让缓存变小，结果却变大了。",
            "The key/value heads came out as $h \\times g$: grouping should shrink the cache, here it grew.",
        ),
        question=Text(
            "KV 头数应当比 query 头数多还是少？", "Should there be more KV heads than query heads, or fewer?"
        ),
        caption=Text("比例弄反会得到", "With the ratio inverted"),
    ),
    Misconception(
        slug="bits",
        title=Text("按比特算了", "bits counted as bytes"),
        told=Text(
            "每个元素用了 16，而 fp16 是 16 比特，也就是 2 字节。",
            "Each element was given 16; fp16 is 16 bits, which is 2 bytes.",
        ),
        question=Text("一个 fp16 数占几个字节？", "How many bytes does one fp16 number take?"),
        caption=Text("按比特算会得到", "In bits"),
    ),
    Misconception(
        slug="no_layers",
        title=Text("忘了乘层数", "the number of layers left out"),
        told=Text("只算了一层的缓存。", "Only one layer's cache was counted."),
        question=Text("每一层用的是同一份 K、V 吗？", "Do all layers use the same K and V?"),
        caption=Text("只算一层会得到", "For one layer only"),
    ),
    Misconception(
        slug="no_batch",
        title=Text("忘了乘序列数", "the number of sequences left out"),
        told=Text("只算了一条序列。", "Only one sequence was counted."),
        question=Text("不同的序列能共用同一份缓存吗？", "Can different sequences share one cache?"),
        caption=Text("只算一条序列会得到", "For one sequence only"),
    ),
    Misconception(
        slug="decimal_units",
        title=Text("单位按 1000 换算了", "units of 1000 instead of 1024"),
        told=Text(
            "用的是 MB、GB（$10^6$、$10^9$），题目要的是 MiB、GiB。",
            "The units were MB and GB ($10^6$, $10^9$); MiB and GiB were asked for.",
        ),
        question=Text("1 GiB 是多少字节？", "How many bytes are 1 GiB?"),
        caption=Text("按 1000 进位会得到", "In decimal units"),
    ),
    Misconception(
        slug="queries_cached",
        title=Text("把 Q 也缓存了", "Q cached as well"),
        told=Text(
            "算了 Q、K、V 三份；过去的 $q$ 以后再也用不到。",
            "Q, K and V were all counted; a past $q$ is never needed again.",
        ),
        question=Text(
            "生成下一个 token 时，哪些过去的向量还会被读到？",
            "Which vectors of the past are read when the next token is generated?",
        ),
        caption=Text("连 Q 一起缓存会得到", "Caching Q too"),
    ),
    Misconception(
        slug="group_as_heads",
        title=Text("把组的大小当成了 KV 头数", "the group size taken for the number of KV heads"),
        told=Text(
            "KV 头数用成了 $g$；$g$ 是一组里有几个 query 头，不是有几组。",
            "The key/value heads were taken as $g$; that is how many query heads a group has, not how many "
            "groups.",
        ),
        question=Text(
            "$h$ 个 query 头，每 $g$ 个一组，一共有几组？",
            "With $h$ query heads in groups of $g$, how many groups are there?",
        ),
        caption=Text("用组的大小会得到", "With the group size"),
    ),
    Misconception(
        slug="prompt_only",
        title=Text("只算了提示部分", "the prompt counted alone"),
        told=Text("已生成的 $T$ 个 token 没有算进去。", "The $T$ generated tokens were left out."),
        question=Text(
            "生成出来的 token，后面的步骤还要不要看它们？",
            "Do later steps look back at the tokens generated so far?",
        ),
        caption=Text("只算提示会得到", "With the prompt only"),
    ),
    Misconception(
        slug="output_only",
        title=Text("只算了生成部分", "the output counted alone"),
        told=Text("提示的 $P$ 个 token 没有算进去。", "The $P$ prompt tokens were left out."),
        question=Text(
            "prefill 之后，提示的 K、V 去了哪里？", "Where do the prompt's K and V go after the prefill?"
        ),
        caption=Text("只算生成会得到", "With the output only"),
    ),
    Misconception(
        slug="four_bytes",
        title=Text("每个元素按 4 字节（fp32）算了", "4 bytes per element (fp32)"),
        told=Text("元素大小用成了 fp32 的 4 字节。", "Each element was given the 4 bytes of fp32."),
        question=Text("题目里的缓存用什么精度？", "In which precision does this cache keep its numbers?"),
        caption=Text("按 fp32 算会得到", "In fp32"),
    ),
    Misconception(
        slug="model_width",
        title=Text("每个头的宽度用成了 d_model", "d_model used as the width of one head"),
        told=Text(
            "头宽用成了 $d_\\text{model} = h \\cdot d_h$，再乘头数就重复算了。",
            "The head width was $d_\\text{model} = h \\cdot d_h$; multiplied by heads, that counts them "
            "twice.",
        ),
        question=Text("一个 K 头的向量有多长？", "How long is the vector of one key head?"),
        caption=Text("头宽用 d_model 会得到", "With d_model for the head width"),
    ),
)
