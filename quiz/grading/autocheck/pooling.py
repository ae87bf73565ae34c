"""Judging many rows on several processes: order kept, memory bounded.

Rows of one variant always go to the same process, which draws it once. A window of rows is cut into
one share for each process; while one window is written, the next ones are being judged.
"""

from __future__ import annotations

import multiprocessing
import os
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice

from quiz.grading.autocheck.columns import Row
from quiz.grading.autocheck.judging import Judgement, judge

WINDOW = 400  # rows for each process
AHEAD = 3  # windows being judged at once
WORTHWHILE = 1000  # fewer rows are done sooner than processes start

Share = list[Row]
Window = tuple[list[Row], list[int], list["Future[list[Judgement]]"]]


def processes_for(total: int, asked: int | None = None) -> int:
    """How many processes to use for so many rows: what was asked, else the cores this process may use."""
    if asked is not None:
        return max(1, asked)
    return len(os.sched_getaffinity(0)) if total >= WORTHWHILE else 1


def judge_rows(rows: Iterable[Row], *, processes: int) -> Iterator[tuple[Row, Judgement]]:
    """Each row with its judgement, in the order of the rows."""
    if processes == 1:
        yield from ((row, judge(row)) for row in rows)
        return
    with ExitStack() as stack:
        # One pool of one process each: a shared pool would hand a variant's rows to whichever is free.
        context = multiprocessing.get_context("spawn")
        pools = [stack.enter_context(ProcessPoolExecutor(1, mp_context=context)) for _ in range(processes)]
        yield from _in_order(iter(rows), pools)


def _in_order(rows: Iterator[Row], pools: list[ProcessPoolExecutor]) -> Iterator[tuple[Row, Judgement]]:
    waiting: deque[Window] = deque()
    try:
        while True:
            while len(waiting) < AHEAD and (window := list(islice(rows, WINDOW * len(pools)))):
                waiting.append(_submit(window, pools))
            if not waiting:
                return
            yield from _collect(waiting.popleft())
    finally:
        for _, _, futures in waiting:
            for future in futures:
                future.cancel()


def _submit(window: list[Row], pools: list[ProcessPoolExecutor]) -> Window:
    owners = [zlib.crc32(f"{row.family}\0{row.seed}".encode(errors="replace")) % len(pools) for row in window]
    shares: list[Share] = [[] for _ in pools]
    for row, owner in zip(window, owners, strict=True):
        shares[owner].append(Row(row.line, None, row.family, row.seed, row.part, row.response, row.problem))
    futures = [pool.submit(judge_share, share) for pool, share in zip(pools, shares, strict=True)]
    return window, owners, futures


def _collect(window: Window) -> Iterator[tuple[Row, Judgement]]:
    rows, owners, futures = window
    results = [iter(future.result()) for future in futures]
    for row, owner in zip(rows, owners, strict=True):
        yield row, next(results[owner])


def judge_share(share: Share) -> list[Judgement]:
    """What a process does with its share of a window."""
    return [judge(row) for row in share]
