"""Words for the faults in what is hidden: masks, windows, biases."""

from __future__ import annotations

from quiz.exercises.drills.words import FaultWords
from quiz.exercises.types import Text

HIDING_FAULTS = {
    "causal_applied": FaultWords(
        label=Text("没让加，却加了因果掩码", "a causal mask that was not asked for"),
        sign=Text(
            "不要掩码时，后面的 token 变了，前面的行却不变；打乱 key 的顺序，输出也变。",
            "without any mask asked for, a later token does not move an earlier row, and the order of the "
            "keys matters.",
        ),
        question=Text(
            "不带掩码调用时，第 1 行看得见后面的 token 吗？",
            "Without a mask, does row 1 see the later tokens?",
        ),
    ),
    "no_mask": FaultWords(
        label=Text("掩码没有起作用", "a mask that does nothing"),
        sign=Text(
            "传不传掩码都一样：看不见的位置照样拿权重，未来也漏进来。",
            "with and without a mask everything is the same: hidden places take weight, and the future leaks "
            "in.",
        ),
        question=Text(
            "传了掩码和没传掩码，输出有没有区别？",
            "Does the output differ between a call with a mask and one without?",
        ),
    ),
    "reversed_mask": FaultWords(
        label=Text("因果掩码的方向反了", "a causal mask the wrong way round"),
        sign=Text(
            "未来漏进来，过去反而看不见：改掉最前面的 token，后面的行不变。",
            "the future leaks in and the past is hidden: changing the first token leaves later rows as they "
            "were.",
        ),
        question=Text(
            "改掉最前面的 token，后面的行该不该变？", "Should later rows move when the first token changes?"
        ),
    ),
    "diagonal_hidden": FaultWords(
        label=Text("因果掩码连自己也遮住了", "a causal mask that hides the token itself"),
        sign=Text(
            "改掉一个 token 自己的 $k$、$v$，它自己那一行不变；第 1 行什么都看不见。",
            "changing a token's own $k$ and $v$ leaves its row as it was, and row 1 sees nothing.",
        ),
        question=Text("第 $i$ 行看得见第 $i$ 个 token 吗？", "Does row $i$ see token $i$?"),
    ),
    "sees_one_ahead": FaultWords(
        label=Text("因果掩码多放过了后面一个", "a causal mask that lets the next token through"),
        sign=Text(
            "紧跟着的下一个 token 漏进来，再往后的不会。",
            "the very next token leaks in, those after it do not.",
        ),
        question=Text(
            "改掉紧跟着的下一个 token，这一行变不变？改更后面的呢？",
            "Does a row move when the very next token changes, and when a later one does?",
        ),
    ),
    "filled_with_zero": FaultWords(
        label=Text("看不见的分数填成了 0", "hidden scores filled with 0"),
        sign=Text(
            "看不见的 key 换成什么都一样，它们的 value 却会漏进来，因为 $e^0 = 1$。",
            "what the hidden keys are does not matter, yet their values leak in, because $e^0 = 1$.",
        ),
        question=Text(
            "看不见的位置，key 变了有没有影响？value 变了呢？",
            "Does a change of the hidden keys matter, and a change of their values?",
        ),
    ),
    "masked_after_softmax": FaultWords(
        label=Text("先 softmax、后掩码，没有重新归一化", "a mask after the softmax, without renormalising"),
        sign=Text(
            "看不见的 value 漏不进来，看得见的权重却加不到 1：分母里还有看不见的 key。",
            "hidden values do not leak, but the visible weights sum to less than 1: the hidden keys are "
            "still in the denominator.",
        ),
        question=Text(
            "遮住一部分以后，剩下的权重加起来是多少？",
            "Once some keys are hidden, what do the remaining weights sum to?",
        ),
    ),
    "additive_01_mask": FaultWords(
        label=Text("把 0/1 掩码加到了分数上", "a 0/1 mask added to the scores"),
        sign=Text(
            "看不见的 key 和 value 都会漏进来，只是分数低了 1。",
            "hidden keys and values both leak in, only with scores lower by 1.",
        ),
        question=Text(
            "看不见的位置，权重是 0，还是只小了一点？", "Is the weight of a hidden place 0, or only smaller?"
        ),
    ),
    "finite_fill": FaultWords(
        label=Text("用有限的大负数当 −∞", "a large finite number for −∞"),
        sign=Text(
            "平时看不出来；一行什么都看不见时，输出是所有 value 的平均，而不是 0。",
            "nothing shows as long as a row sees a key; a row that sees none gives the mean of all values, "
            "not zeros.",
        ),
        question=Text(
            "一行的 key 全被遮住时，输出是什么？", "What is the output of a row whose keys are all hidden?"
        ),
    ),
    "nan_rows": FaultWords(
        label=Text("全被遮住的行做了 0/0", "a 0/0 in rows that see nothing"),
        sign=Text(
            "平时看不出来；一行什么都看不见时，输出是 NaN。",
            "nothing shows as long as a row sees a key; a row that sees none gives NaN.",
        ),
        question=Text(
            "一行一个 key 都看不见时，分母是多少？", "What is the denominator of a row that sees no key?"
        ),
    ),
    "other_alignment": FaultWords(
        label=Text("因果掩码对错了角", "a causal mask aligned to the wrong corner"),
        sign=Text(
            "query 和 key 一样长时看不出来；带着缓存、只来一个 query 时，它和整段一起算的最后一行不一样。",
            "nothing shows with as many queries as keys; one query beside a cache gets another row than the "
            "last of the whole pass.",
        ),
        question=Text(
            "缓存里已有 5 个 key，只来一个 query，它该看得见几个？",
            "With 5 keys in the cache and a single query, how many should it see?",
        ),
    ),
    "only_causal": FaultWords(
        label=Text("只有因果掩码起作用，传来的掩码被丢了", "the causal mask alone, the given mask dropped"),
        sign=Text(
            "PAD 变了，真实 token 的输出跟着变；未来倒是看不见。",
            "padding moves the output of the real tokens; the future stays hidden.",
        ),
        question=Text(
            "改掉 PAD 的 value，真实 token 的行该不该变？",
            "Should the rows of real tokens move when the values of the padding change?",
        ),
    ),
    "only_padding": FaultWords(
        label=Text("只有传来的掩码起作用，因果掩码被丢了", "the given mask alone, the causal mask dropped"),
        sign=Text("PAD 漏不进来，未来却漏进来了。", "padding does not leak in, but the future does."),
        question=Text(
            "改掉后面的 token，前面的行变不变？", "Does an earlier row move when a later token changes?"
        ),
    ),
    "hidden_by_both": FaultWords(
        label=Text("两个掩码都遮，才算遮住", "hidden only where both masks hide"),
        sign=Text(
            "单独用哪个掩码都对；两个一起用，PAD 和未来都漏进来。",
            "either mask alone works; used together, both padding and future leak in.",
        ),
        question=Text(
            "一个位置只被其中一个掩码遮住时，它看得见吗？",
            "Is a place seen that only one of two masks hides?",
        ),
    ),
    "inverted_polarity": FaultWords(
        label=Text("掩码的真假弄反了", "a mask read the wrong way round"),
        sign=Text(
            "该看的看不见，该遮的反而在拿权重。",
            "what should be seen is hidden, and what should be hidden takes the weight.",
        ),
        question=Text(
            "掩码里为 True 的位置变了，输出变不变？",
            "Does the output move when a place changes at which the mask is True?",
        ),
    ),
    "query_rows_masked": FaultWords(
        label=Text("遮的是 PAD 的行，不是列", "rows of the padding hidden instead of columns"),
        sign=Text(
            "PAD 自己的行被遮掉了，PAD 的 key 却没有：它们的 value 漏进真实 token。",
            "the rows of the padding are hidden and its keys are not: its values leak into the real tokens.",
        ),
        question=Text(
            "padding 掩码要拦住的是「谁去看」还是「谁被看」？",
            "Does a padding mask stop someone from looking, or something from being seen?",
        ),
    ),
    "window_ignored": FaultWords(
        label=Text("窗口没有起作用", "a window that does nothing"),
        sign=Text(
            "窗口外很远的 token 变了，这一行也跟着变。", "a token far outside the window moves the row."
        ),
        question=Text(
            "窗口以外最远的那个 token 变了，这一行变不变？",
            "Does the row move when the farthest token outside the window changes?",
        ),
    ),
    "window_one_wider": FaultWords(
        label=Text("窗口宽了一格", "a window one token too wide"),
        sign=Text(
            "窗口外紧挨着的那个 token 漏进来，再远的不会。",
            "the token just outside the window leaks in, those beyond it do not.",
        ),
        question=Text("窗口 (1, 0) 里一共有几个 key？", "How many keys does the window (1, 0) hold?"),
    ),
    "window_without_itself": FaultWords(
        label=Text("窗口里没有自己", "a window without the token itself"),
        sign=Text(
            "改掉自己的 $k$、$v$，自己那一行不变。",
            "changing a token's own $k$ and $v$ leaves its row as it was.",
        ),
        question=Text("窗口 (1, 0) 里有没有自己？", "Does the window (1, 0) hold the token itself?"),
    ),
    "bias_sign_flipped": FaultWords(
        label=Text("偏置的符号反了", "a bias of the opposite sign"),
        sign=Text(
            "给一个 key 加正的偏置，它的权重反而变小。", "a positive bias on a key makes its weight smaller."
        ),
        question=Text(
            "给一个 key 的分数加 2，它的权重该变大还是变小？",
            "Should the weight of a key grow or shrink when 2 is added to its scores?",
        ),
    ),
}
