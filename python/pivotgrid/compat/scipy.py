"""``scipy.spatial.cKDTree``: neighbors within a radius, and the nearest."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _arrays
from .._arrays import Array
from .._neighbors import NeighborList
from .._pairs import StaticSet
from .._queries import Rows


class cKDTree:
    """Called and answered as ``scipy.spatial.cKDTree`` of points in two or three dimensions, with the Euclidean distance (``p=2``):
    :meth:`query_pairs`, :meth:`query_ball_point` and :meth:`query`.

    Parameters about how a tree is built mean nothing here, and ``eps`` neither: answers are exact.

    >>> import numpy as np
    >>> tree = cKDTree(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]]))
    >>> tree.query_pairs(1.0)
    {(0, 1)}
    >>> tree.query_ball_point([[0.0, 0.1], [9.0, 9.0]], 2.0).tolist()
    [[0, 1], []]
    >>> tree.query([0.0, 0.1])
    (0.1, 0)
    """

    def __init__(
        self,
        data: ArrayLike,
        leafsize: int = 16,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: ArrayLike | None = None,
    ) -> None:
        array = np.asarray(data, np.float64)
        if copy_data:
            array = array.copy()
        self.data = _arrays.points(array, "data", np.dtype(np.float64))
        self.n, self.m = self.data.shape
        if not np.isfinite(self.data).all():
            raise ValueError("data must be finite, check for nan or inf values")
        self.boxsize: Array | None = None
        if boxsize is not None:
            self.boxsize = np.broadcast_to(np.asarray(boxsize, np.float64), self.m).copy()
            outside = (self.boxsize > 0) & ((self.data < 0) | (self.data >= self.boxsize))
            if outside.any():
                raise ValueError("Some input data are greater than the size of the periodic box.")
        self._index: StaticSet | None = None

    def _cell(self) -> tuple[Array | None, Array | None]:
        if self.boxsize is None:
            return None, None
        return np.diag(np.where(self.boxsize > 0, self.boxsize, 1.0)), self.boxsize > 0

    def _is_wide(self, radius: float) -> bool:
        """Whether a radius is so long that a point may be met in two places."""
        return self.boxsize is not None and bool((2 * radius >= np.where(self.boxsize > 0, self.boxsize, np.inf)).any())

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0, output_type: str = "set") -> Any:
        """All pairs of points whose distance is at most ``r``, the smaller index first: a set, or an array of two columns."""
        _check(p)
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        radius = float(r)
        cell, periodic = self._cell()
        pairs: Array
        if self._is_wide(radius):
            (found,) = NeighborList(radius, half=True).compute("P", self.data, cell, periodic)
            found = np.sort(found[found[:, 0] != found[:, 1]], axis=1)
            pairs = np.unique(found, axis=0)
        else:
            (pairs,) = NeighborList(radius, half=True, sorted=True).compute("P", self.data, cell, periodic)
        return pairs if output_type == "ndarray" else set(zip(pairs[:, 0].tolist(), pairs[:, 1].tolist()))

    def query_ball_point(
        self,
        x: ArrayLike,
        r: ArrayLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> Any:
        """The points whose distance from ``x`` is at most ``r``: a list of indices, or for several ``x`` an array of lists."""
        _check(p)
        queries = np.asarray(x, np.float64)
        if queries.shape[-1:] != (self.m,):
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {queries.shape}")
        shape = queries.shape[:-1]
        centers = np.ascontiguousarray(queries.reshape(-1, self.m))
        radii = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), shape).reshape(-1))
        n_threads = None if workers == -1 else workers
        rows = self._ball_rows(queries is self.data, centers, radii, n_threads)
        if return_length:
            counts = rows.counts
            return int(counts[0]) if not shape else counts.reshape(shape)
        lists = rows.lists()
        if not shape:
            return lists[0]
        answer = np.empty(len(lists), object)
        answer[:] = lists
        return answer.reshape(shape)

    def _ball_rows(self, own: bool, centers: Array, radii: Array, n_threads: int | None) -> Rows:
        """For each center the points within its radius, in ascending order."""
        largest = float(radii.max(initial=0.0))
        if own and len(radii) and (radii == radii[0]).all() and not self._is_wide(largest):
            cell, periodic = self._cell()
            search = NeighborList(float(radii[0]), sorted=True, self_interaction=True, n_threads=n_threads)
            return search.rows(self.data, cell, periodic, distances=False)
        if self.boxsize is None:
            offsets, indices = self._points(n_threads)._set.query(("ball", centers, radii, None, 0))
            return Rows(offsets, indices, np.empty(0))
        data, owners, centers = self._images(centers, largest)
        found = StaticSet(np.stack([data, data], axis=1), n_threads=n_threads).within(centers, radii)
        return _in_order(found.offsets, owners[found.indices], self.n)

    def _images(self, centers: Array, reach: float) -> tuple[Array, Array, Array]:
        """The points with their images as far as they are within reach of the box, whose they are, and centers in the box."""
        assert self.boxsize is not None
        periodic = self.boxsize > 0
        size = np.where(periodic, self.boxsize, 1.0)
        centers = np.where(periodic, centers - np.floor(centers / size) * size, centers)
        counts = np.where(periodic, np.ceil(reach / size).astype(int), 0)
        images, owners = [], []
        for shift in product(*(range(-count, count + 1) for count in counts)):
            moved = self.data + np.array(shift) * size
            near = (((moved >= -reach) & (moved <= size + reach)) | ~periodic).all(axis=1)
            images.append(moved[near])
            owners.append(np.flatnonzero(near))
        return np.concatenate(images), np.concatenate(owners), np.ascontiguousarray(centers)

    def _points(self, n_threads: int | None) -> StaticSet:
        if self._index is None:
            self._index = StaticSet(np.stack([self.data, self.data], axis=1), n_threads=n_threads)
        return self._index

    def query(
        self,
        x: ArrayLike,
        k: int = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: float = np.inf,
        workers: int = 1,
    ) -> tuple[Any, Any]:
        """Distances and indices of the ``k`` nearest points. Where there are fewer, the distance is infinite and the index ``n``.

        In a periodic box, only through ``scipy``.
        """
        _check(p)
        if self.boxsize is not None:
            raise NotImplementedError("the nearest points in a periodic box; use scipy.spatial.cKDTree for these")
        queries = np.asarray(x, np.float64)
        if queries.shape[-1:] != (self.m,):
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {queries.shape}")
        count = int(k)
        points = np.ascontiguousarray(queries.reshape(-1, self.m))
        indices, distances = self._points(None if workers == -1 else workers).nearest(points, count)
        beyond = ~(distances < distance_upper_bound)
        indices = np.where(beyond | (indices < 0), self.n, indices)
        distances = np.where(beyond, np.inf, distances)
        if count == 1:
            indices, distances = indices[:, 0], distances[:, 0]
            if queries.ndim == 1:
                return float(distances[0]), int(indices[0])
            return distances.reshape(queries.shape[:-1]), indices.reshape(queries.shape[:-1])
        shape = queries.shape[:-1] + (count,)
        return distances.reshape(shape), indices.reshape(shape)


def _check(p: float) -> None:
    if p != 2:
        raise NotImplementedError("only the Euclidean distance, p=2; use scipy.spatial.cKDTree for others")


def _in_order(offsets: Array, indices: Array, count: int) -> Rows:
    """Rows in ascending order, each index once."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys = np.unique(row * count + indices)
    row, indices = np.divmod(keys, max(count, 1))
    ends = np.searchsorted(row, np.arange(len(offsets)))
    return Rows(ends.astype(np.int64), indices, np.empty(0))


__all__ = ["cKDTree"]
