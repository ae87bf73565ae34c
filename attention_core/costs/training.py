"""Peak memory of one training call of attention: forward, then backward from a given upstream gradient.

What must be alive at the worst moment, with M = B·H·n² and X = B·H·n·D numbers. Products of the backward pass
go from the output to the inputs, so the worst moment is the softmax's own:

    naive   the weights A, kept since the forward pass, ∂A and ∂S: three matrices. Beside them the scaled
            queries that Q Kᵀ keeps, the output, and ∂V, which is finished: 3 M + 3 X
    math    the same three in float32 at least; scaled queries and scaled keys, the output, ∂V: 3 M + 4 X.
            In 16 bits V, the scaled queries and keys, the upstream gradient and ∂V are float32 copies, and
            the output is not; freed copies of Q and K stay with the allocator: 3 M + 7 X in float32, and X
    flash   no matrix: the output, ∂Q, ∂K, ∂V, one gradient gathered in float32, and for each row its
            log-sum-exp and δ: 4 X, X in float32, and 8 bytes a row

Gradients count as outputs; q, k, v and the upstream gradient are inputs. The laws hold to a fifth of what
is measured on a CPU, beside up to 8 MiB that do not depend on n, where a matrix has more than 32 MiB; with
smaller ones a call needs up to one and a half matrices more, not always the same. A causal mask adds a byte
or two a pair, of one head only. The other fused kernels are given flash's law; on a card it has not been
measured. `triton_flash` has no backward pass and no law.
"""

from attention_core.costs.counting import itemsize as bytes_of
from attention_core.costs.counting import product
from attention_core.costs.memory import CHECKED_ROWS
from attention_core.errors import ShapeError

WITH_BACKWARD = ("naive", "math", "flash", "efficient", "cudnn")


def training_peak_bytes(backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str) -> int:
    """What one training call is predicted to need beyond q, k, v and the upstream gradient.

    >>> shape = {"batch": 1, "heads": 8, "length": 1024, "width": 64, "dtype": "float32"}
    >>> [training_peak_bytes(backend, **shape) // 2**20 for backend in ("naive", "math", "flash")]
    [102, 104, 10]
    """
    if backend not in WITH_BACKWARD:
        raise ShapeError("backend", repr(backend), " or ".join(WITH_BACKWARD))
    size = bytes_of(dtype)
    rows = product(batch=batch, heads=heads, length=length)
    numbers, pairs = product(rows=rows, width=width), product(rows=rows, length=length)
    if backend == "naive":
        return 3 * pairs * size + 3 * numbers * size
    if backend == "math":
        wide = max(size, 4)
        copies = (4 if wide == size else 7) * numbers * wide
        return 3 * pairs * wide + copies + (numbers * size if wide > size else 0)
    return 4 * numbers * size + numbers * max(size, 4) + 8 * rows


def predicted_training_bytes(
    backend: str, *, batch: int, heads: int, length: int, width: int, dtype: str
) -> int:
    """What measuring a training call needs at most at one time, for the admission check.

    Its inputs, plus the larger of the call's peak and the check: outputs and gradients of the kernel and of
    plain low precision (7 X), keys, values and their gradients in float64 (5 X), ten float64 matrices of the
    checked rows. A backend without a law needs its inputs only: it is refused before anything is made.

    >>> predicted_training_bytes("flash", batch=1, heads=8, length=128, width=64, dtype="float16")
    9306112
    """
    size = bytes_of(dtype)
    rows = product(batch=batch, heads=heads, length=length)
    numbers = product(rows=rows, width=width)
    if backend not in WITH_BACKWARD:
        return 4 * numbers * size
    shape = {"batch": batch, "heads": heads, "length": length, "width": width}
    peak = training_peak_bytes(backend, dtype=dtype, **shape)
    checking = 7 * numbers * size + 5 * numbers * 8 + 10 * rows * min(length, CHECKED_ROWS) * 8
    return 4 * numbers * size + max(peak, checking)
