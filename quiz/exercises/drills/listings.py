"""Short pieces of Python that compute attention, and the single lines by which a fault gets into them.

Every faulty listing computes exactly what `attention_core.faults` gives for its fault, and the right one what
attention is; the tests run them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from quiz.exercises.types import Text


@dataclass(frozen=True, kw_only=True)
class Listing:
    """`means` says what the code is to compute. `lines`: what each line is there for (a key of `lines.ROLES`)
    and how it reads; `faults`: a fault, the role of the line that has it, and how that line then reads.
    """

    means: Text
    given: Text
    lines: tuple[tuple[str, str], ...]
    faults: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def code(self, fault: str = "") -> tuple[str, ...]:
        """The lines as they read with a fault in them, or right."""
        role, wrong = self.faults.get(fault, ("", ""))
        return tuple(wrong if name == role else line for name, line in self.lines)

    def faulty_line(self, fault: str) -> int:
        """The number of the line with this fault, from 1."""
        role, _ = self.faults[fault]
        return [name for name, _ in self.lines].index(role) + 1


_ONE_HEAD = Text("$q$、$k$、$v$ 是 $(n, d)$", "$q$, $k$, $v$ are $(n, d)$")

LISTINGS: Mapping[str, Listing] = MappingProxyType(
    {
        "plain": Listing(
            means=Text("单头自注意力，没有掩码", "self-attention of one head, without a mask"),
            given=_ONE_HEAD,
            lines=(
                ("signature", "def attend(q, k, v):"),
                ("width", "    d_k = q.shape[-1]"),
                ("scores", "    scores = q @ k.T"),
                ("scaling", "    scaled = scores / np.sqrt(d_k)"),
                ("weights", "    weights = softmax(scaled, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "scale_by_sqrt_length": ("width", "    d_k = q.shape[0]"),
                "transposed_scores": ("scores", "    scores = k @ q.T"),
                "keys_with_keys": ("scores", "    scores = k @ k.T"),
                "scale_by_d_k": ("scaling", "    scaled = scores / d_k"),
                "scale_inverted": ("scaling", "    scaled = scores * np.sqrt(d_k)"),
                "no_scale": ("weights", "    weights = softmax(scores, axis=-1)"),
                "softmax_over_columns": ("weights", "    weights = softmax(scaled, axis=0)"),
                "mix_with_keys": ("mixing", "    return weights @ k"),
                "transposed_weights": ("mixing", "    return weights.T @ v"),
            },
        ),
        "projected": Listing(
            means=Text("从 $x$ 投影出来的单头自注意力", "self-attention of one head, projected from $x$"),
            given=Text(
                "$x$ 是 $(n, d_\\text{model})$，三个矩阵是 $(d_\\text{model}, d_k)$，$d_k \\ne "
                "d_\\text{model}$",
                "$x$ is $(n, d_\\text{model})$, the matrices are $(d_\\text{model}, d_k)$, $d_k \\ne "
                "d_\\text{model}$",
            ),
            lines=(
                ("signature", "def attend(x, w_q, w_k, w_v):"),
                ("queries", "    q = x @ w_q"),
                ("keys", "    k = x @ w_k"),
                ("values", "    v = x @ w_v"),
                ("width", "    d_k = q.shape[-1]"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(d_k)"),
                ("weights", "    weights = softmax(scores, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "keys_with_keys": ("queries", "    q = x @ w_k"),
                "queries_with_queries": ("keys", "    k = x @ w_q"),
                "mix_with_keys": ("values", "    v = x @ w_k"),
                "scale_by_sqrt_d_model": ("width", "    d_k = x.shape[-1]"),
                "scale_by_d_k": ("scaled_scores", "    scores = q @ k.T / d_k"),
            },
        ),
        "causal": Listing(
            means=Text("因果自注意力", "causal self-attention"),
            given=_ONE_HEAD,
            lines=(
                ("signature", "def attend(q, k, v):"),
                ("sizes", "    n, d_k = q.shape"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(d_k)"),
                ("past", "    past = np.tril(np.ones((n, n), bool))"),
                ("hiding", "    masked = np.where(past, scores, -np.inf)"),
                ("weights", "    weights = softmax(masked, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "sees_one_ahead": ("past", "    past = np.tril(np.ones((n, n), bool), 1)"),
                "diagonal_hidden": ("past", "    past = np.tril(np.ones((n, n), bool), -1)"),
                "reversed_mask": ("past", "    past = np.triu(np.ones((n, n), bool))"),
                "filled_with_zero": ("hiding", "    masked = np.where(past, scores, 0.0)"),
                "additive_01_mask": ("hiding", "    masked = scores + past"),
                "no_mask": ("weights", "    weights = softmax(scores, axis=-1)"),
                "masked_after_softmax": ("weights", "    weights = past * softmax(scores, axis=-1)"),
            },
        ),
        "padded": Listing(
            means=Text("带 padding 掩码的自注意力", "self-attention with a padding mask"),
            given=Text(
                "$q$、$k$、$v$ 是 $(n, d)$；`real` 是 $(n,)$ 的布尔数组，True 是真实 token，也可能一个都没有",
                "$q$, $k$, $v$ are $(n, d)$; `real` is boolean, $(n,)$, True at real tokens, of which there "
                "may be none",
            ),
            lines=(
                ("signature", "def attend(q, k, v, real):"),
                ("width", "    d_k = q.shape[-1]"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(d_k)"),
                ("bias", "    bias = np.where(real, 0.0, -np.inf)"),
                ("weights", "    weights = softmax(scores + bias, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "inverted_polarity": ("bias", "    bias = np.where(real, -np.inf, 0.0)"),
                "finite_fill": ("bias", "    bias = np.where(real, 0.0, -1e30)"),
                "additive_01_mask": ("bias", "    bias = real.astype(float)"),
                "filled_with_zero": ("weights", "    weights = softmax(scores * real, axis=-1)"),
                "no_mask": ("weights", "    weights = softmax(scores, axis=-1)"),
            },
        ),
        "both": Listing(
            means=Text("左边有 padding 的因果自注意力", "causal self-attention with padding on the left"),
            given=Text(
                "$q$、$k$、$v$ 是 $(n, d)$；`real` 是 $(n,)$ 的布尔数组，True 是真实 token",
                "$q$, $k$, $v$ are $(n, d)$; `real` is boolean, $(n,)$, True at real tokens",
            ),
            lines=(
                ("signature", "def attend(q, k, v, real):"),
                ("sizes", "    n, d_k = q.shape"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(d_k)"),
                ("past", "    past = np.tril(np.ones((n, n), bool))"),
                ("seen", "    seen = past & real"),
                ("hiding", "    masked = np.where(seen, scores, -np.inf)"),
                ("weights", "    weights = softmax(masked, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "sees_one_ahead": ("past", "    past = np.tril(np.ones((n, n), bool), 1)"),
                "hidden_by_both": ("seen", "    seen = past | real"),
                "only_causal": ("hiding", "    masked = np.where(past, scores, -np.inf)"),
                "only_padding": ("hiding", "    masked = np.where(real, scores, -np.inf)"),
                "filled_with_zero": ("hiding", "    masked = np.where(seen, scores, 0.0)"),
                "masked_after_softmax": ("weights", "    weights = seen * softmax(scores, axis=-1)"),
            },
        ),
        "by_hand": Listing(
            means=Text("手写 softmax、带掩码的自注意力", "self-attention with a mask and a softmax by hand"),
            given=Text(
                "$q$、$k$、$v$ 是 $(n, d)$；`seen` 是 $(n, n)$ 的布尔数组，有的行可能全是 False",
                "$q$, $k$, $v$ are $(n, d)$; `seen` is boolean, $(n, n)$, and some rows may be all False",
            ),
            lines=(
                ("signature", "def attend(q, k, v, seen):"),
                ("scaled_scores", "    s = q @ k.T / np.sqrt(q.shape[-1])"),
                ("hiding", "    s = np.where(seen, s, -np.inf)"),
                ("top", "    top = s.max(axis=-1, keepdims=True)"),
                ("guard", "    top = np.where(top == -np.inf, 0.0, top)"),
                ("exponentials", "    e = np.exp(s - top)"),
                ("total", "    total = e.sum(axis=-1, keepdims=True)"),
                ("division", "    a = e / np.where(total == 0, 1.0, total)"),
                ("mixing", "    return a @ v"),
            ),
            faults={
                "no_scale": ("scaled_scores", "    s = q @ k.T"),
                "filled_with_zero": ("hiding", "    s = np.where(seen, s, 0.0)"),
                "finite_fill": ("hiding", "    s = np.where(seen, s, -1e9)"),
                "nan_rows": ("division", "    a = e / total"),
                "unnormalised_shifted": ("mixing", "    return e @ v"),
            },
        ),
        "cached": Listing(
            means=Text(
                "带着 KV 缓存的因果注意力，最后一个 query 对着最后一个 key",
                "causal attention beside a KV cache, the last query at the last key",
            ),
            given=Text(
                "$q$ 是 $(t, d)$，$k$、$v$ 是 $(s, d)$，$t \\le s$",
                "$q$ is $(t, d)$, $k$ and $v$ are $(s, d)$, $t \\le s$",
            ),
            lines=(
                ("signature", "def attend(q, k, v):"),
                ("lengths", "    t, s = len(q), len(k)"),
                ("query_positions", "    i = np.arange(t)[:, None] + (s - t)"),
                ("key_positions", "    j = np.arange(s)"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(q.shape[-1])"),
                ("hiding", "    masked = np.where(j <= i, scores, -np.inf)"),
                ("weights", "    weights = softmax(masked, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "other_alignment": ("query_positions", "    i = np.arange(t)[:, None]"),
                "sees_one_ahead": ("hiding", "    masked = np.where(j <= i + 1, scores, -np.inf)"),
                "diagonal_hidden": ("hiding", "    masked = np.where(j < i, scores, -np.inf)"),
                "reversed_mask": ("hiding", "    masked = np.where(j >= i, scores, -np.inf)"),
                "no_mask": ("weights", "    weights = softmax(scores, axis=-1)"),
            },
        ),
        "windowed": Listing(
            means=Text(
                "因果滑窗注意力：看得见自己和前面 `left` 个",
                "causal attention in a window: the token itself and the `left` tokens before it",
            ),
            given=Text(
                "$q$、$k$、$v$ 是 $(n, d)$，`left` 是整数", "$q$, $k$, $v$ are $(n, d)$, `left` is an integer"
            ),
            lines=(
                ("signature", "def attend(q, k, v, left):"),
                ("query_positions", "    i = np.arange(len(q))[:, None]"),
                ("key_positions", "    j = np.arange(len(k))"),
                ("near", "    near = j >= i - left"),
                ("seen", "    seen = (j <= i) & near"),
                ("scaled_scores", "    scores = q @ k.T / np.sqrt(q.shape[-1])"),
                ("hiding", "    masked = np.where(seen, scores, -np.inf)"),
                ("softmax_mixing", "    return softmax(masked, axis=-1) @ v"),
            ),
            faults={
                "window_one_wider": ("near", "    near = j >= i - left - 1"),
                "window_without_itself": ("seen", "    seen = (j < i) & near"),
                "window_ignored": ("seen", "    seen = j <= i"),
                "filled_with_zero": ("hiding", "    masked = np.where(seen, scores, 0.0)"),
                "no_mask": ("softmax_mixing", "    return softmax(scores, axis=-1) @ v"),
            },
        ),
        "grouped": Listing(
            means=Text(
                "分组查询注意力：相邻的 query 头共用一个 KV 头",
                "grouped-query attention: neighbouring query heads share a key/value head",
            ),
            given=Text(
                "$q$ 是 $(h, n, d)$，$k$、$v$ 是 $(g, n, d)$，$g$ 整除 $h$",
                "$q$ is $(h, n, d)$, $k$ and $v$ are $(g, n, d)$, $g$ divides $h$",
            ),
            lines=(
                ("signature", "def attend(q, k, v):"),
                ("group", "    group = len(q) // len(k)"),
                ("repeating", "    k, v = (np.repeat(x, group, 0) for x in (k, v))"),
                ("width", "    d_k = q.shape[-1]"),
                ("scaled_scores", "    scores = q @ k.swapaxes(1, 2) / np.sqrt(d_k)"),
                ("weights", "    weights = softmax(scores, axis=-1)"),
                ("mixing", "    return weights @ v"),
            ),
            faults={
                "tiled_groups": ("repeating", "    k, v = (np.tile(x, (group, 1, 1)) for x in (k, v))"),
                "scale_by_sqrt_heads": ("width", "    d_k = len(q)"),
                "scale_by_d_k": ("scaled_scores", "    scores = q @ k.swapaxes(1, 2) / d_k"),
                "softmax_over_columns": ("weights", "    weights = softmax(scores, axis=-2)"),
            },
        ),
    }
)


def faulty_listings() -> tuple[tuple[str, str], ...]:
    """Every listing with every fault that can be put into it."""
    return tuple((slug, fault) for slug, listing in LISTINGS.items() for fault in listing.faults)
