"""Which array library the caller uses, and reading its arguments.

The reference is written once, against the Python array API. NumPy's own arrays are recognised by type, so
that
`array_api_compat` (slower to import than NumPy itself) is loaded only when another library's array comes.
"""

from typing import Any, cast

import numpy as np

from attention_core.errors import NumericalError, ShapeError

Array = Any  # an array of any array-API library; the standard gives no common base class to name here
Namespace = Any  # its module: numpy, array_api_compat.torch, array_api_strict, …

_PLAIN = (np.ndarray, np.generic, list, tuple, int, float)


def namespace_of(**arguments: Array) -> Namespace:
    """The array-API namespace of the arguments (None is skipped). Lists and numbers count as NumPy's."""
    for value in arguments.values():
        if not (value is None or isinstance(value, _PLAIN)):
            return _foreign_namespace(arguments)
    return np


def _foreign_namespace(arguments: dict[str, Array]) -> Namespace:
    import array_api_compat

    found: Namespace = None
    for name, value in arguments.items():
        if value is None:
            continue
        try:
            space = array_api_compat.array_namespace(value)
        except TypeError:
            raise ShapeError(name, f"a {type(value).__name__}", "an array") from None
        if found is not None and space is not found:
            raise ShapeError(name, f"a {type(value).__name__}", "an array of the same library as the others")
        found = space
    return found


def read_floats(name: str, value: Array, xp: Namespace) -> Array:
    """The argument as a floating array of `xp`. Integers become float64; anything else is refused by name."""
    if xp is np:
        array = _numpy_array(name, value)
        if array.dtype.kind == "f":
            return array
        if array.dtype.kind in "iu":
            return array.astype(np.float64)
        raise NumericalError(name, f"values of dtype {array.dtype}", "real numbers")
    if xp.isdtype(value.dtype, "real floating"):
        return value
    if xp.isdtype(value.dtype, "integral"):
        return xp.astype(value, xp.float64)
    raise NumericalError(name, f"values of dtype {value.dtype}", "real numbers")


def _numpy_array(name: str, value: Array) -> "np.ndarray[Any, Any]":
    if type(value) is np.ndarray:
        return value
    try:
        return np.asarray(value)
    except ValueError:
        raise ShapeError(name, "rows of unequal length", "a rectangular array") from None


def check_finite(name: str, array: Array, xp: Namespace) -> None:
    """Refuse NaN and ±inf, naming the first place."""
    if not all_finite(array, xp):
        raise NumericalError(name, first_where(array, ~xp.isfinite(array), xp), "finite numbers only")


def all_finite(array: Array, xp: Namespace) -> bool:
    """True when no entry is NaN or ±inf."""
    return bool(xp.isfinite(array).all() if xp is np else xp.all(xp.isfinite(array)))


def first_where(array: Array, condition: Array, xp: Namespace) -> str:
    """For messages: the first entry at which `condition` holds, as "nan at [0, 2]"."""
    place = [int(axis[0]) for axis in xp.nonzero(condition)]
    return f"{float(array[tuple(place)])} at {place}"


def working_dtype(arrays: tuple[Array, ...], xp: Namespace) -> tuple[Any, Any]:
    """(dtype to compute in, dtype of the result). 16-bit floats are computed in float32 and rounded once."""
    first = arrays[0].dtype
    result = first if all(array.dtype == first for array in arrays) else xp.result_type(*arrays)
    return (xp.float32 if xp.finfo(result).bits < 32 else result), result


def cast_to(array: Array, dtype: Any, xp: Namespace) -> Array:
    """The array in this dtype; itself when it has it already."""
    return array if array.dtype == dtype else xp.astype(array, dtype)


def counting(stop: int, *, like: Array = None, xp: Namespace = np) -> Array:
    """0, 1, …, stop − 1, on the device of `like`."""
    if xp is np:
        return np.arange(stop)
    import array_api_compat

    return xp.arange(stop, device=array_api_compat.device(like))


def shape_of(array: Array) -> tuple[int, ...]:
    """The shape as a plain tuple (torch's prints as torch.Size([…]))."""
    return cast(tuple[int, ...], tuple(array.shape))
