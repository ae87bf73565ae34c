"""Experiments that ask for no mask, or only look at shares and heads."""

from __future__ import annotations

import math

from attention_core import drills
from quiz.exercises.drills.experiment import Experiment
from quiz.exercises.drills.looking import FIRST, SECOND, bounds, first_column, rows_of, two_weights
from quiz.exercises.formatting import tex
from quiz.exercises.types import Text


def _weights(name_zh: str, name_en: str) -> Text:
    return Text(f"{name_zh}：w₁、w₂、w₁/w₂", f"{name_en}: w₁, w₂, w₁/w₂")


OPEN_EXPERIMENTS = {
    "again": Experiment(
        probes=("two_calls_differ",),
        did=Text("同样的输入算两次，看第 {row} 行的输出", "The same input twice; row {row} of the output"),
        should=Text("两次应当一样", "both should be the same"),
        look=rows_of(before=FIRST, after=SECOND),
    ),
    "ones": Experiment(
        probes=("rows_do_not_sum_to_one",),
        did=Text(
            "不加掩码，$V$ 全是 1，看每一行的输出（一行里的数都一样，写一个）",
            "No mask, $V$ all ones; each row's output, whose numbers are all the same",
        ),
        should=Text("权重加到 1，输出应当全是 1", "weights sum to 1, so all of it should be 1"),
        look=first_column(Text("输出", "output")),
        kind="other",
    ),
    "causal_ones": Experiment(
        probes=("visible_weights_do_not_sum_to_one",),
        did=Text(
            "因果掩码，$V$ 全是 1，看每一行的输出（一行里的数都一样，写一个）",
            "Causal mask, $V$ all ones; each row's output, whose numbers are all the same",
        ),
        should=Text(
            "看得见的权重加到 1，输出应当全是 1", "the visible weights sum to 1, so all of it should be 1"
        ),
        look=first_column(Text("输出", "output")),
        kind="other",
    ),
    "bounds": Experiment(
        probes=("outside_the_values",),
        did=Text("不加掩码，看输出的第 {row} 列", "No mask; column {row} of the output"),
        should=Text(
            "输出是 value 的加权平均，应当在最小和最大的 value 之间",
            "it is an average of values and should lie between the least and the largest",
        ),
        look=bounds(drills.PROBES["outside_the_values"].calls[0].v),
        kind="other",
    ),
    "doubled": Experiment(
        probes=("not_proportional_to_the_values",),
        did=Text(
            "不加掩码，把 $V$ 乘以 2，看第 {row} 行的输出",
            "No mask, $V$ doubled; row {row} of the output",
        ),
        should=Text("输出应当正好翻倍", "the output should be doubled"),
        look=rows_of(1),
        kind="other",
    ),
    "query": Experiment(
        probes=("queries_do_not_matter",),
        did=Text(
            "不加掩码，改掉第 3 个 query，看第 {row} 行的输出",
            "No mask, query 3 changed; row {row} of the output",
        ),
        should=Text("这是它自己的一行，应当变", "that is its own row and should move"),
        look=rows_of(3),
        kind="moves",
    ),
    "other_rows": Experiment(
        probes=("other_queries_matter",),
        did=Text(
            "不加掩码，改掉第 3 个 query，看第 {row} 行的输出",
            "No mask, query 3 changed; row {row} of the output",
        ),
        should=Text(
            "别的行只和自己的 query 有关，不该变",
            "other rows depend on their own queries only and should not move",
        ),
        look=rows_of(1, 2, 4, 5),
    ),
    "key": Experiment(
        probes=("keys_do_not_matter",),
        did=Text(
            "不加掩码，改掉第 2 个 key，看第 {row} 行的输出",
            "No mask, key 2 changed; row {row} of the output",
        ),
        should=Text("每一行都看得见它，应当变", "every row sees it and should move"),
        look=rows_of(),
        kind="moves",
    ),
    "values": Experiment(
        probes=("values_do_not_matter",),
        did=Text(
            "不加掩码，改掉所有 value，看第 {row} 行的输出",
            "No mask, all values changed; row {row} of the output",
        ),
        should=Text("混合的就是 value，应当变", "values are what is mixed, so it should move"),
        look=rows_of(),
        kind="moves",
    ),
    "order": Experiment(
        probes=("key_order_matters",),
        did=Text(
            "不加掩码，把 key 和 value 按同一个次序打乱，看第 {row} 行的输出",
            "No mask, keys and values reordered alike; row {row} of the output",
        ),
        should=Text(
            "没有掩码时次序无所谓，不该变",
            "without a mask their order does not matter, so it should not move",
        ),
        look=rows_of(),
    ),
    "shift": Experiment(
        probes=("common_shift_matters",),
        did=Text(
            "不加掩码，给所有 key 加上同一个向量，看第 {row} 行的输出",
            "No mask, one vector added to all keys; row {row} of the output",
        ),
        should=Text(
            "一行分数只是同加一个数，不该变",
            "that adds one number to a row of scores, so it should not move",
        ),
        look=rows_of(),
    ),
    "sharpness": Experiment(
        probes=("too_sharp", "too_flat"),
        did=Text(
            "一个 query、两个 key，$d_k = 4$，两个点积相差 3，看两个权重",
            "One query and two keys, $d_k = 4$, dot products 3 apart; the two weights",
        ),
        should=Text(
            f"权重之比应当是 $e^{{3/\\sqrt{{4}}}} \\approx {tex(math.exp(1.5))}$",
            f"their ratio should be $e^{{3/\\sqrt{{4}}}} \\approx {tex(math.exp(1.5))}$",
        ),
        look=two_weights(_weights("权重", "weights")),
        kind="other",
    ),
    "scale": Experiment(
        probes=("scale_argument_does_nothing",),
        did=Text(
            "一个 query、两个 key；先用默认的缩放，再传 `scale=0.1`",
            "One query and two keys; the scale as it comes, then `scale=0.1`",
        ),
        should=Text("缩放小了，权重应当变平", "with a smaller scale the weights should flatten"),
        look=two_weights(_weights("默认", "as it comes"), _weights("scale=0.1", "scale=0.1")),
        kind="moves",
    ),
    "heads_number": Experiment(
        probes=("sharpness_depends_on_the_heads",),
        did=Text(
            "同样的一个 query、两个 key；先一个头，再三个一模一样的头，看第一个头",
            "The same query and two keys in one head, then in three equal heads; the first head",
        ),
        should=Text(
            "一个头里的权重和头数无关，不该变",
            "weights within a head do not depend on how many there are and should not move",
        ),
        look=two_weights(_weights("一个头", "one head"), _weights("三个头", "three heads")),
    ),
    "length": Experiment(
        probes=("sharpness_depends_on_the_length",),
        did=Text(
            "两个 key 之后再接两个全 0 的 key，看头两个权重之比",
            "Two more keys of zeros after the two; the ratio of the first two weights",
        ),
        should=Text(
            "两个 key 之间的比只看它们自己的分数，不该变",
            "the ratio between two keys depends on their own scores and should not move",
        ),
        look=two_weights(_weights("两个 key", "two keys"), _weights("四个 key", "four keys")),
        kind="other",
    ),
    "bias": Experiment(
        probes=("bias_does_nothing", "bias_reversed"),
        did=Text(
            "给第 3 个 key 的分数加 2，看第 {row} 行的五个权重",
            "2 added to the scores of key 3; the five weights of row {row}",
        ),
        should=Text("第 3 个权重应当变大", "the third weight should grow"),
        look=rows_of(1),
        kind="other",
    ),
    "groups": Experiment(
        probes=("groups_meet_other_heads",),
        did=Text(
            "4 个 query 头、2 个 KV 头；改掉第 2 个 KV 头，看前两个 query 头里的一行",
            "4 query heads and 2 key/value heads; the second of these changed; a row of the first two "
            "query heads",
        ),
        should=Text(
            "它们用的是第 1 个 KV 头，不该变", "they use the first key/value head, so it should not move"
        ),
        look=rows_of(heads=slice(0, 2)),
    ),
    "heads": Experiment(
        probes=("heads_mix",),
        did=Text(
            "4 个头；只改第 1 个头的 query，看别的头里的一行",
            "4 heads; only the queries of the first changed; a row of the others",
        ),
        should=Text("各头互不影响，不该变", "heads do not influence each other, so it should not move"),
        look=rows_of(heads=slice(1, None)),
    ),
}
