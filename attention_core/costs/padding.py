"""Padding: what a batch of unequal sequences computes beside what is asked of it.

`lengths` come in the order in which they are batched, `batch` at a time, each batch padded to its longest. A
batch of 1 pads nothing, so that `batch=1` gives what is useful.
"""

from collections.abc import Sequence

from attention_core.costs.counting import product
from attention_core.errors import ShapeError


def padded_tokens(lengths: Sequence[int], *, batch: int) -> int:
    """Σ b · m over batches of b sequences, the longest m: tokens that projections and norms compute.

    >>> padded_tokens([3, 9, 4, 4], batch=2), padded_tokens([3, 9, 4, 4], batch=1)
    (26, 20)
    """
    return sum(rows * longest for rows, longest in _batches(lengths, batch=batch))


def padded_pairs(lengths: Sequence[int], *, batch: int) -> int:
    """Σ b · m² over batches of b sequences, the longest m: (query, key) pairs that attention computes.

    >>> padded_pairs([3, 9, 4, 4], batch=2), padded_pairs([3, 9, 4, 4], batch=1)
    (194, 122)
    """
    return sum(rows * longest**2 for rows, longest in _batches(lengths, batch=batch))


def largest_batch_tokens(lengths: Sequence[int], *, batch: int) -> int:
    """max b · m over batches of b sequences, the longest m: what must be in memory at one time.

    >>> largest_batch_tokens([3, 9, 4, 4], batch=2), largest_batch_tokens([], batch=2)
    (18, 0)
    """
    return max((rows * longest for rows, longest in _batches(lengths, batch=batch)), default=0)


def padding_share(*, useful: int, computed: int) -> float:
    """(computed − useful) / computed: the share that is thrown away; 0 when nothing is computed.

    >>> padding_share(useful=20, computed=25)
    0.2
    """
    if product(useful=useful) > product(computed=computed):
        raise ShapeError("useful", repr(useful), f"at most what is computed, {computed}")
    return (computed - useful) / computed if computed else 0.0


def _batches(lengths: Sequence[int], *, batch: int) -> list[tuple[int, int]]:
    """(sequences, their longest) of each batch; the last may be smaller."""
    if product(batch=batch) == 0:
        raise ShapeError("batch", "0", "a whole number ≥ 1")
    if not isinstance(lengths, Sequence):
        raise ShapeError("lengths", repr(lengths), "a list of whole numbers ≥ 0")
    for length in lengths:
        product(lengths=length)
    groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
    return [(len(group), max(group)) for group in groups]
