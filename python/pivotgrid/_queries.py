"""Queries in batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Protocol

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _native
from ._arrays import Array


@dataclass(frozen=True)
class Rows:
    """For each query a row of objects, all rows behind one another (CSR).

    ``indices[offsets[k]:offsets[k + 1]]`` are the objects of row ``k``; ``values`` has a number for each of them, if the query has
    (a distance, or where along a ray), and is empty otherwise.

    >>> import numpy as np
    >>> rows = Rows(np.array([0, 2, 3]), np.array([4, 7, 1]), np.array([0.5, 0.25, 1.0]))
    >>> len(rows), rows[0], rows.lists()
    (2, array([4, 7]), [[4, 7], [1]])
    """

    offsets: Array
    indices: Array
    values: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Array:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"row {row} of {count}")
        row %= count
        return self.indices[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[row] for row in range(len(self)))

    @property
    def counts(self) -> Array:
        """How long each row is."""
        return np.diff(self.offsets)

    def lists(self) -> list[list[int]]:
        """The rows as lists of Python's integers."""
        return _native.rows_to_lists(self.offsets, np.ascontiguousarray(self.indices, np.int64))


class _Engine(Protocol):
    def query(self, query: tuple[str, Any, Any, Any, int]) -> list[Array]: ...


class Queries:
    """Queries about the boxes of the last step, or of a static set. Boxes are closed: touching counts."""

    def _queried(self) -> tuple[_Engine, int, np.dtype[Any]]:
        raise NotImplementedError

    def _points(self, values: ArrayLike, dim: int, dtype: np.dtype[Any], what: str) -> Array:
        array = _arrays.points(np.atleast_2d(np.asarray(values)), what, dtype)
        if array.shape[1] != dim:
            raise ValueError(f"{what} have {array.shape[1]} dimensions, the boxes {dim}")
        return array

    def overlapping(self, boxes: ArrayLike) -> Rows:
        """For each of some boxes the objects whose boxes overlap it, in ascending order.

        >>> import pivotgrid
        >>> broad_phase = pivotgrid.BroadPhase()
        >>> pairs = broad_phase.detect([[0.0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]])
        >>> broad_phase.overlapping([[0.5, 0.5, 2.0, 0.5], [9, 9, 10, 10]]).lists()
        [[0, 1], []]
        """
        engine, dim, dtype = self._queried()
        array = _arrays.boxes(boxes, dtype)
        if array.shape[2] != dim:
            raise ValueError(f"the boxes of the query have {array.shape[2]} dimensions, the others {dim}")
        offsets, indices = engine.query(("boxes", array, None, None, 0))
        return Rows(offsets, indices, np.empty(0, dtype))

    def containing(self, points: ArrayLike) -> Rows:
        """For each of some points the objects whose boxes contain it, in ascending order."""
        engine, dim, dtype = self._queried()
        offsets, indices = engine.query(("points", self._points(points, dim, dtype, "points"), None, None, 0))
        return Rows(offsets, indices, np.empty(0, dtype))

    def within(self, points: ArrayLike, radius: ArrayLike) -> Rows:
        """For each of some points the objects whose boxes are within a radius, the nearest first; ``values`` are the distances.

        >>> import pivotgrid
        >>> broad_phase = pivotgrid.BroadPhase()
        >>> pairs = broad_phase.detect([[0.0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]])
        >>> rows = broad_phase.within([[1.75, 0.5]], 1.0)
        >>> rows[0], rows.values
        (array([1, 0]), array([0.25, 0.75]))
        """
        engine, dim, dtype = self._queried()
        centers = self._points(points, dim, dtype, "points")
        radii = _arrays.per_object(radius, len(centers), "radius", dtype)
        return Rows(*engine.query(("within", centers, radii, None, 0)))

    def nearest(self, points: ArrayLike, k: int = 1) -> tuple[Array, Array]:
        """Indices and distances of the ``k`` nearest boxes of each point, the nearest first: two arrays of the shape ``(m, k)``.

        Where there are fewer than ``k``, rows end in the index -1 and the distance infinity.

        >>> import pivotgrid
        >>> broad_phase = pivotgrid.BroadPhase()
        >>> pairs = broad_phase.detect([[0.0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]])
        >>> broad_phase.nearest([[1.75, 0.5]], k=2)
        (array([[1, 0]]), array([[0.25, 0.75]]))
        """
        if k < 1:
            raise ValueError("k must be at least 1")
        engine, dim, dtype = self._queried()
        indices, distances = engine.query(("nearest", self._points(points, dim, dtype, "points"), None, None, int(k)))
        return indices, distances

    def _rays(self, origins: ArrayLike, directions: ArrayLike, max_t: ArrayLike) -> tuple[_Engine, Array, Array, Array]:
        engine, dim, dtype = self._queried()
        begin = self._points(origins, dim, dtype, "origins")
        along = self._points(directions, dim, dtype, "directions")
        if len(begin) != len(along):
            begin, along = (np.ascontiguousarray(array) for array in np.broadcast_arrays(begin, along))
        return engine, begin, along, _arrays.per_object(max_t, len(begin), "max_t", dtype)

    def ray_hits(self, origins: ArrayLike, directions: ArrayLike, max_t: ArrayLike = np.inf) -> Rows:
        """For each ray the objects whose boxes it meets, in the order in which it does; ``values`` are the ``t`` at which it enters
        them, at ``origin + t * direction``; 0 if it starts inside."""
        engine, begin, along, ends = self._rays(origins, directions, max_t)
        return Rows(*engine.query(("rays", begin, along, ends, 0)))

    def first_hits(self, origins: ArrayLike, directions: ArrayLike, max_t: ArrayLike = np.inf) -> tuple[Array, Array]:
        """For each ray the object whose box it meets first, and ``t``; -1 and infinity if it meets none.

        >>> import pivotgrid
        >>> broad_phase = pivotgrid.BroadPhase()
        >>> pairs = broad_phase.detect([[0.0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]])
        >>> broad_phase.first_hits([[1.5, 0.5], [1.5, 0.5]], [[1, 0], [0, 1]])
        (array([ 1, -1]), array([0.5, inf]))
        """
        engine, begin, along, ends = self._rays(origins, directions, max_t)
        indices, times = engine.query(("first", begin, along, ends, 0))
        return indices, times
