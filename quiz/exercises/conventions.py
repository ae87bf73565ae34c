"""The conventions that prompts print, each worded once, so that no answer depends on something unsaid."""

from __future__ import annotations

from quiz.exercises.types import Text

ROW_VECTORS = Text(
    "每个 token 是一个行向量：$Q = XW_Q$、$K = XW_K$、$V = XW_V$，没有偏置。",
    "Every token is a row vector: $Q = XW_Q$, $K = XW_K$, $V = XW_V$, without biases.",
)
SCALED_BY_HEAD_WIDTH = Text(
    "分数是 $QK^\\top$，除以 $\\sqrt{d_k}$；$d_k$ 是每个头里 $q$、$k$ 的宽度。",
    "The scores are $QK^\\top$, divided by $\\sqrt{d_k}$; $d_k$ is the width of $q$ and $k$ in one head.",
)
SOFTMAX_OVER_KEYS = Text(
    "softmax 对每一行做（沿 key 那一维），指数以自然常数 $e$ 为底。",
    "The softmax runs over each row (over the keys), with the natural exponential $e^x$.",
)
NOTHING_MORE = Text(
    "单头，没有掩码、没有 dropout，最后也不乘 $W_O$。",
    "One head, no mask, no dropout, and no $W_O$ at the end.",
)
COUNTED_FROM_ONE = Text(
    "行号从 1 数，第 1 行就是位置 0 的 token（位置从 0 数）。",
    "Rows count from 1; row 1 is the token at position 0 (positions count from 0).",
)
THREE_DECIMALS = Text(
    "小数请至少写到第 3 位，与准确值相差不超过 0.005 算对；也可以写算式，例如 `-1/√2`。",
    "Give at least 3 decimals; within 0.005 of the exact value is right. Expressions such as `-1/√2` are "
    "fine.",
)
HALF_PERCENT = Text(
    "不是整数的结果与准确值相差不超过 0.5% 算对；请至少写到小数点后 3 位，也可以写算式。",
    "Results that are not whole numbers are right within 0.5% of the exact value; give at least 3 decimals, "
    "or an expression.",
)
NUMBERS_ONLY = Text("只写数，不写单位。", "Write the number only, without its unit.")
FACTOR_TWO = Text(
    "要缓存的是 $K$ 和 $V$ 两份；权重、激活值都不算。",
    "What is cached is $K$ and $V$; weights and activations are not counted.",
)
BINARY_UNITS = Text(
    "1 MiB $= 2^{20}$ 字节，1 GiB $= 2^{30}$ 字节，1 字节 = 8 比特。",
    "1 MiB is $2^{20}$ bytes, 1 GiB is $2^{30}$ bytes, 1 byte is 8 bits.",
)
WHOLE_NUMBERS = Text(
    "结果是整数，要完全一致才算对。",
    "The results are whole numbers; only the exact ones are right.",
)
PLAIN_SCORES = Text(
    "分数就是 $QK^\\top$ 本身：还没有缩放，也没有掩码和 softmax。",
    "The scores are $QK^\\top$ itself: not yet scaled, no mask, no softmax.",
)
ROWS_FROM_ONE = Text(
    "行号、列号都从 1 数；$Q$ 和 $K$ 的每一行是一个 token。",
    "Rows and columns count from 1; every row of $Q$ and of $K$ is one token.",
)
