"""``vesin.NeighborList``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _neighbors
from .._arrays import Array


class NeighborList:
    """Called and answered as ``vesin.NeighborList``. Indices are ``int64``, where vesin has ``uint64``; the order of the pairs is
    another one. ``algorithm`` and ``skin``, which do not change what vesin returns, mean nothing here.

    >>> import numpy as np
    >>> calculator = NeighborList(cutoff=1.2, full_list=True)
    >>> points, box = np.array([[0.1, 0.5, 0.5], [2.9, 0.5, 0.5]]), 3.0 * np.eye(3)
    >>> i, j, d = calculator.compute(points=points, box=box, periodic=True, quantities="ijd")
    >>> i, j, d.round(6)
    (array([0, 1]), array([1, 0]), array([0.2, 0.2]))
    """

    def __init__(
        self,
        *,
        cutoff: float,
        full_list: bool,
        sorted: bool = False,
        algorithm: str = "auto",
        skin: float = 0.0,
        n_threads: int = 0,
    ) -> None:
        if algorithm.lower() not in ("auto", "brute_force", "cell_list"):
            raise ValueError(f"Unknown algorithm '{algorithm}'. Must be one of 'auto', 'brute_force', or 'cell_list'.")
        if n_threads < 0:
            raise ValueError("n_threads must be zero or a positive integer")
        self.cutoff = float(cutoff)
        self.full_list = bool(full_list)
        self.sorted = bool(sorted)
        self.algorithm = algorithm.lower()
        self.skin = float(skin)
        self.n_threads = int(n_threads)
        self._list = _neighbors.NeighborList(
            self.cutoff, half=not full_list, sorted=sorted, inclusive=False, n_threads=n_threads or None
        )

    def compute(
        self,
        points: ArrayLike,
        box: ArrayLike,
        periodic: bool | ArrayLike,
        quantities: str = "ij",
        copy: bool = True,
    ) -> tuple[Array, ...]:
        """The neighbors of all points. Arrays are valid for as long as they are kept, whatever ``copy`` says."""
        array, cell = np.asarray(points), np.asarray(box)
        if cell.shape != (3, 3):
            raise ValueError("`box` must be a 3x3 matrix")
        if array.ndim != 2 or array.shape[1] != 3:
            raise ValueError("`points` must be a nx3 array")
        # As in vesin, the search is in double precision, and results have the precision of the points.
        arrays = self._list.compute(quantities, array.astype(np.float64, copy=False), cell, periodic)
        if array.dtype != np.float32:
            return arrays
        return tuple(made.astype(np.float32) if made.dtype == np.float64 else made for made in arrays)
