"""The one small evaluator: live numbers in Markdown, and exercises that are authored as data.

An expression is one line of a small language that looks like Python and is *not* run by Python: it is parsed
to a tree, every node is checked against a list, and the tree is walked here, within limits of length, depth,
size and time (`limits`). There are no statements, no loops, no assignments and no Python objects.

    numbers       3, 0.5, 1e-5, True, False, pi, e, inf, KiB, MiB, GiB
    arrays        [1, 2, 3], [[1, 0], [0, 1]]       lists of numbers or of rows; tuples are shapes: (2, 8)
    arithmetic    + - * / // % **, @ (matrix product), -x; comparisons, one at a time: a < b
    elements      A[0], A[0, 2], A[-1]              whole numbers only, counted from 0
    names         what the caller gives, and the words below
    calls         sqrt(2), softmax(S, axis=-1)      only of the words below; texts only as arguments
    dots          chapter.Q, costs.kv_cache_bytes   only into the named groups below

Words (all of them: `vocabulary.WORDS`):

    elementwise   sqrt exp log log2 tanh sin cos abs floor ceil round(x, places) where(condition, a, b)
    reductions    sum mean max min (of an array, axis=…, or of several numbers), var (population), std, argmax
                  erf
    arrays        transpose shape eye(n) zeros(rows, columns) ones(rows, columns) arange(n)
                  row(A, i) column(A, i), rows(A, first, last) columns(A, first, last): counted from 0, the
                  last included; outer(a, b) diag(x) concat(a, b, axis=-1)
                  norm(x) (Frobenius) eigenvalues(symmetric) trace_of(A) (the sum of the diagonal)
    attention     softmax(S), log_softmax(S), log_sum_exp(S), entropy(A), softmax_jacobian(a)
                  attention(Q, K, V, causal="top_left", scale=…, …)
                  dot_scores(q, k), additive_scores(q, k, w_q=…, w_k=…, v=…)
                  split_heads(x, heads=2) merge_heads(x)
                  online(row, block=3, values=…) .m .l .o, an entry a block
                  tile_count(queries, keys=…, rows=…, columns=…, causal=…)
                  trace(Q, K, V, …) .scores .scaled .masked .weights .output
                  trace_from_x(X, W_Q, W_K, W_V, …) the same and .q .k .v
                  Both traces take fault="no_scale" (the names of attention_core.faults), so that a wrong
                  variant's number can be told beside the right one.
    masks         masks.causal(n), masks.window(n, span=(1, 0)), masks.padding([2, 3], keys=4)
    layers        layer_norm(x) rms_norm(x) (eps=… too), relu gelu(x, approximate=True) silu
                  swiglu(x, w, v, w2), feed_forward(x, w1, w2, b1=…, b2=…, activation="relu"), also
                  "gelu", "silu", "none"
    positions     sinusoidal(positions, width), rope(x, positions, base=…, interleaved=…, rotary_dim=…),
                  alibi_slopes(heads), alibi_bias(heads, queries, keys)
    training      training.noam_rate(4000, d_model=512, warmup=4000), training.perplexity(log(p)),
                  training.smooth_targets(labels, classes=5, epsilon=0.1, form=…),
                  training.cross_entropy(logits, labels), training.dropout(x, p=0.1, keep=[1, 0]),
                  training.supervised_positions(lengths)
    costs         costs.kv_cache_bytes(layers=32, …) and every other count of attention_core.costs, exact
    examples      chapter, contrast: .X .W_Q .W_K .W_V .Q .K .V .S (scores) .scaled .A (weights) .out
                  and .causal.masked .causal.A .causal.out; all computed from X and the three W
                  cross: .Q .K .V .S .scaled .A .out of the example with 2 queries and 3 keys

`evaluate(source, names)` gives an int, float or bool, a NumPy array of float64 or bool, or a tuple of numbers
(a shape). `define` gives groups too, for names that a text keeps. Everything that is wrong is an
`ExpressionError` with the column and what was expected; NaN is no answer.

>>> evaluate("sqrt(2) * a", {"a": 3}) == 3 * 2**0.5
True
>>> evaluate("shape(chapter.S)")
(3, 3)
"""

from quiz.expressions.errors import ExpressionError
from quiz.expressions.evaluating import define, evaluate
from quiz.expressions.values import Namespace, Value
from quiz.expressions.vocabulary import is_word

__all__ = ["ExpressionError", "Namespace", "Value", "define", "evaluate", "is_word"]
