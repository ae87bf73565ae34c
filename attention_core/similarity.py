"""How alike a query and a key are: the three scores of the literature, before any softmax.

    dot        q · k                         Luong et al. 2015; scaled by 1/√d in Vaswani et al. 2017
    general    q W kᵀ                        Luong et al. 2015
    additive   tanh(q W₁ + k W₂) v           Bahdanau et al. 2015

The additive score is a small network for every pair; its projections q W₁ and k W₂ are made once a token, so
it is dearer than the dot product by a constant, not by a factor d (see `costs.additive_score_flops`).
"""

from attention_core.arrays import Array, namespace_of, read_floats, shape_of
from attention_core.errors import ShapeError


def dot_scores(q: Array, k: Array) -> Array:
    """q_i · k_j: (..., T, D) and (..., S, D) → (..., T, S).

    >>> dot_scores([[1.0, 2.0]], [[3.0, 1.0], [0.0, 1.0]]).tolist()
    [[5.0, 2.0]]
    """
    xp = namespace_of(q=q, k=k)
    q, k = read_floats("q", q, xp), read_floats("k", k, xp)
    _check_rows("q", q)
    _check_rows("k", k)
    if q.shape[-1] != k.shape[-1]:
        raise ShapeError("k", f"shape {shape_of(k)}", f"width {q.shape[-1]}, that of q")
    return q @ k.mT


def general_scores(q: Array, k: Array, w: Array) -> Array:
    """q_i W k_jᵀ, w (width of q, width of k): the dot product after a projection; W = I gives `dot_scores`.

    >>> general_scores([[1.0, 2.0]], [[3.0]], [[1.0], [1.0]]).tolist()
    [[9.0]]
    """
    xp = namespace_of(q=q, k=k, w=w)
    q, w = read_floats("q", q, xp), read_floats("w", w, xp)
    _check_rows("q", q)
    _check_matrix("w", w, q.shape[-1])
    return dot_scores(q @ w, k)


def additive_scores(q: Array, k: Array, *, w_q: Array, w_k: Array, v: Array) -> Array:
    """tanh(q_i W₁ + k_j W₂) v: (..., T, ·) and (..., S, ·) → (..., T, S).

    w_q (width of q, A), w_k (width of k, A), v (A,). Raises ShapeError naming what does not fit.

    >>> additive_scores([[0.0]], [[0.0], [20.0]], w_q=[[1.0]], w_k=[[1.0]], v=[3.0]).tolist()
    [[0.0, 3.0]]
    """
    xp = namespace_of(q=q, k=k, w_q=w_q, w_k=w_k, v=v)
    q, k, v = read_floats("q", q, xp), read_floats("k", k, xp), read_floats("v", v, xp)
    w_q, w_k = read_floats("w_q", w_q, xp), read_floats("w_k", w_k, xp)
    _check_rows("q", q)
    _check_rows("k", k)
    _check_matrix("w_q", w_q, q.shape[-1])
    _check_matrix("w_k", w_k, k.shape[-1])
    if w_k.shape[1] != w_q.shape[1]:
        raise ShapeError("w_k", f"shape {shape_of(w_k)}", f"{w_q.shape[1]} columns, as w_q has")
    if shape_of(v) != (w_q.shape[1],):
        raise ShapeError("v", f"shape {shape_of(v)}", f"({w_q.shape[1]},): one for each column of w_q")
    pairs = (q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :]  # (..., T, S, A)
    return (xp.tanh(pairs) @ v[:, None])[..., 0]


def _check_rows(name: str, rows: Array) -> None:
    if rows.ndim < 2:
        raise ShapeError(name, f"shape {shape_of(rows)}", "(..., length, width)")


def _check_matrix(name: str, matrix: Array, rows: int) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise ShapeError(
            name, f"shape {shape_of(matrix)}", f"({rows}, ·): a row for each number of the vector"
        )
