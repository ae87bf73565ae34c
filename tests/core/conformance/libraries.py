"""The array libraries that the cases run on: the case's arrays go in, NumPy arrays come out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import array_api_compat
import array_api_strict
import numpy as np
import torch


class Library(ABC):
    """`take` a case's array, `give` back a result in the dtype that the case expects."""

    name: str

    @abstractmethod
    def take(self, array: np.ndarray) -> Any: ...

    @abstractmethod
    def give(self, result: Any, dtype: np.dtype) -> np.ndarray: ...

    def namespace(self, array: Any) -> Any:
        return array_api_compat.array_namespace(array)


def widened(array: np.ndarray) -> np.ndarray:
    """Floats of any width (bfloat16 is a user-defined dtype to NumPy) as float64."""
    is_float = array.dtype.kind == "f" or array.dtype.name == "bfloat16"
    return array.astype(np.float64) if is_float else array


class Numpy(Library):
    """In float64, rounded once at the end."""

    name = "NumPy float64"

    def take(self, array):
        return widened(array)

    def give(self, result, dtype):
        return np.asarray(result).astype(dtype)


class Strict(Library):
    """Nothing but the array-API standard: what runs here runs on any library that follows it."""

    name = "array-api-strict"

    def take(self, array):
        return array_api_strict.asarray(widened(array))

    def give(self, result, dtype):
        return np.asarray(result).astype(dtype)


class Torch(Library):
    """In the case's own dtype, 16-bit floats included."""

    name = "torch"

    def take(self, array):
        if array.dtype.name == "bfloat16":
            return torch.tensor(array.astype(np.float32)).to(torch.bfloat16)
        return torch.tensor(array)

    def give(self, result, dtype):
        if result.dtype == torch.bfloat16:
            return result.to(torch.float32).numpy().astype(dtype)
        return result.numpy().astype(dtype)


LIBRARIES: tuple[Library, ...] = (Numpy(), Torch(), Strict())
