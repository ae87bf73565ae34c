"""Experiments on what must be seen and what must not: time, windows, padding, both at once."""

from __future__ import annotations

from quiz.exercises.drills.experiment import Experiment
from quiz.exercises.drills.looking import one_row, rows_of
from quiz.exercises.types import Text

_CAUSAL = ("因果掩码。", "Causal mask. ")
_PADDED = ("第 4、5 个 key 是 PAD，被遮住。", "Keys 4 and 5 are padding and hidden. ")
_NEAR = ("因果掩码，窗口 (1, 0)。", "Causal mask, window (1, 0). ")
_BOTH = ("因果掩码，第 1 个 key 又是 PAD。", "Causal mask, and key 1 is padding. ")
_PLAIN = ("不加掩码。", "No mask. ")


def _changed(mask: tuple[str, str], token: int, row: int, *, sees: bool) -> tuple[Text, Text]:
    """What was done and what should come of it: another token, and a row that sees it or not."""
    done = Text(
        f"{mask[0]}改掉第 {token} 个 token 的 $k$、$v$，看第 {row} 行的输出",
        f"{mask[1]}Token {token} gets other $k$ and $v$; row {row} of the output",
    )
    if sees:
        return done, Text(
            f"第 {row} 行看得见第 {token} 个 token，应当变", f"row {row} sees token {token} and should move"
        )
    return done, Text(
        f"第 {row} 行看不见第 {token} 个 token，不该变",
        f"row {row} does not see token {token} and should not move",
    )


def _token(probe: str, mask: tuple[str, str], *, token: int, row: int, sees: bool = False) -> Experiment:
    did, should = _changed(mask, token, row, sees=sees)
    return Experiment(
        probes=(probe,), did=did, should=should, look=rows_of(row), kind="moves" if sees else "same"
    )


HIDING_EXPERIMENTS = {
    "next": _token("next_token_leaks", _CAUSAL, token=3, row=2),
    "future": _token("distant_future_leaks", _CAUSAL, token=5, row=2),
    "itself": _token("own_token_unseen", _CAUSAL, token=3, row=3, sees=True),
    "past": _token("past_unseen", _CAUSAL, token=1, row=4, sees=True),
    "unasked": _token("causal_without_being_asked", _PLAIN, token=5, row=2, sees=True),
    "cache": Experiment(
        probes=("cached_row_differs",),
        did=Text(
            "因果掩码，右下角对齐：五个 query 一起算的最后一行，和只给最后一个 query、五个 key 算出来的",
            "Causal mask, aligned bottom-right: the last row of all five queries, and the last query "
            "alone over the five keys",
        ),
        should=Text(
            "带着缓存逐个生成，应当和整段一起算一样",
            "going on from a cache should give what the whole pass gives",
        ),
        look=lambda outputs: rows_of(1, before=Text("一起算", "together"), after=Text("单独算", "alone"))(
            [outputs[0][-1:], outputs[1]]
        ),
    ),
    "window_far": _token("window_leaks", _NEAR, token=2, row=5),
    "window_next": _token("window_one_too_wide", _NEAR, token=3, row=5),
    "window_itself": _token("window_without_its_own_token", _NEAR, token=4, row=4, sees=True),
    "hidden_keys": Experiment(
        probes=("hidden_keys_leak",),
        did=Text(
            f"{_PADDED[0]}改掉它们的 $k$，看第 {{row}} 行的输出",
            f"{_PADDED[1]}Their $k$ changed; row {{row}} of the output",
        ),
        should=Text("谁也看不见它们，不该变", "nobody sees them, so it should not move"),
        look=rows_of(),
    ),
    "hidden_values": Experiment(
        probes=("hidden_values_leak",),
        did=Text(
            f"{_PADDED[0]}改掉它们的 $v$，看第 {{row}} 行的输出",
            f"{_PADDED[1]}Their $v$ changed; row {{row}} of the output",
        ),
        should=Text("真实 token 看不见它们，不该变", "real tokens do not see them, so it should not move"),
        look=rows_of(1, 2, 3),
    ),
    "padded_rows": Experiment(
        probes=("padded_queries_unlike",),
        did=Text(
            f"{_PADDED[0]}改掉它们的 $v$，看第 {{row}} 行（PAD 自己的行）的输出",
            f"{_PADDED[1]}Their $v$ changed; row {{row}}, one of the padding's own",
        ),
        should=Text(
            "PAD 的行也看不见 PAD，不该变",
            "rows of the padding do not see it either, so it should not move",
        ),
        look=rows_of(4, 5),
    ),
    "seen_token": Experiment(
        probes=("visible_tokens_unseen",),
        did=Text(
            f"{_PADDED[0]}改掉第 2 个 token 的 $k$、$v$，看第 {{row}} 行的输出",
            f"{_PADDED[1]}Token 2 gets other $k$ and $v$; row {{row}} of the output",
        ),
        should=Text("第 2 个 token 看得见，应当变", "token 2 is seen, so it should move"),
        look=rows_of(),
        kind="moves",
    ),
    "mask": Experiment(
        probes=("mask_does_nothing",),
        did=Text(
            "先不加掩码，再遮住第 4、5 个 key，看第 {row} 行的输出",
            "Without a mask, then with keys 4 and 5 hidden; row {row} of the output",
        ),
        should=Text("少了两个 key，应当变", "two keys are gone, so it should move"),
        look=rows_of(before=Text("不遮", "unmasked"), after=Text("遮住", "masked")),
        kind="moves",
    ),
    "blind": Experiment(
        probes=("not_a_number", "unseeing_row_not_zero"),
        did=Text(
            "掩码让第 2 行一个 key 都看不见，看第 2 行的输出",
            "A mask hides every key from row 2; row 2 of the output",
        ),
        should=Text("约定是给 0", "by the convention it should be zeros"),
        look=one_row(2, Text("输出", "output")),
        kind="other",
    ),
    "both_padding": Experiment(
        probes=("padding_leaks_beside_causal",),
        did=Text(
            f"{_BOTH[0]}改掉第 1 个 token 的 $k$、$v$，看第 {{row}} 行的输出",
            f"{_BOTH[1]}Token 1 gets other $k$ and $v$; row {{row}} of the output",
        ),
        should=Text("PAD 谁也看不见，不该变", "nobody sees padding, so it should not move"),
        look=rows_of(2, 3),
    ),
    "both_future": Experiment(
        probes=("future_leaks_beside_padding",),
        did=Text(
            f"{_BOTH[0]}改掉第 5 个 token 的 $k$、$v$，看第 {{row}} 行的输出",
            f"{_BOTH[1]}Token 5 gets other $k$ and $v$; row {{row}} of the output",
        ),
        should=Text("第 5 个在它后面，不该变", "token 5 comes later, so it should not move"),
        look=rows_of(2, 3),
    ),
}
