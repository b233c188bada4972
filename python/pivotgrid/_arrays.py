"""From what users have to what the native half takes: C-contiguous, aligned, ``float32`` or ``float64``.

Arrays that are so already are passed on as they are, without a copy. Anything else (lists, other types, other layouts) is converted
once: ``float32`` stays, all else becomes ``float64``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def dtype_of(*arrays: Array) -> np.dtype[Any]:
    """``float32`` if all arrays are, ``float64`` otherwise."""
    single = all(array.dtype == np.float32 for array in arrays)
    return np.dtype(np.float32 if single else np.float64)


def floats(values: ArrayLike, dtype: np.dtype[Any] | None = None) -> Array:
    """An array of coordinates that the native half can read where it lies."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"expected an array of numbers, got one of {array.dtype}")
    return np.require(array, dtype or dtype_of(array), ["C", "A"])


def points(values: ArrayLike, what: str = "positions", dtype: np.dtype[Any] | None = None) -> Array:
    """An array of shape ``(n, 2)`` or ``(n, 3)``."""
    array = floats(values, dtype)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"{what} must have the shape (n, 2) or (n, 3), not {array.shape}")
    return array


def boxes(values: ArrayLike, dtype: np.dtype[Any] | None = None) -> Array:
    """An array of shape ``(n, 2, dim)``: for each box its least and its greatest corner."""
    array = floats(values, dtype)
    if array.ndim == 2 and array.shape[1] in (4, 6):
        return array.reshape(len(array), 2, array.shape[1] // 2)
    if array.ndim == 3 and array.shape[1] == 2 and array.shape[2] in (2, 3):
        return array
    raise ValueError(f"boxes must have the shape (n, 2, dim) or (n, 2 * dim) with dim 2 or 3, not {array.shape}")


def per_object(values: ArrayLike, count: int, what: str, dtype: np.dtype[Any]) -> Array:
    """A number for each object, or the same for all."""
    array = floats(values, dtype)
    if array.ndim == 0:
        return np.full(count, array, dtype)
    if array.shape != (count,):
        raise ValueError(f"{what} must be a number or have the shape ({count},), not {array.shape}")
    return array


def group_bits(values: ArrayLike | None, count: int) -> Array | None:
    """Columns member, mask and body of ``uint32``."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[0] != count or array.shape[1] not in (2, 3):
        raise ValueError(f"groups must be integers of the shape ({count}, 2) or ({count}, 3): member, mask and perhaps body")
    # -1 is all groups, as in C.
    if array.size and (array.min() < -1 or array.max() > 0xFFFFFFFF):
        raise ValueError("groups must fit 32 bits")
    bits = np.zeros((count, 3), np.uint32)
    bits[:, : array.shape[1]] = (array.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    return bits


def thread_count(n_threads: int | None) -> int:
    """0 for all cores."""
    if n_threads is None:
        return 0
    count = int(n_threads)
    if count < 1 or count > 1024:
        raise ValueError(f"n_threads must be 1 to 1024, or None for all cores, not {n_threads}")
    return count


def memory_limit(max_bytes: int | None) -> int | None:
    """The limit that was set, or four fifths of the machine's memory: beyond that the system would end the process."""
    if max_bytes is not None:
        return int(max_bytes)
    try:
        return int(0.8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return None
