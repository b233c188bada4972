"""Neighbor lists of particles."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _native
from ._arrays import Array
from ._queries import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Species = Union[int, str]
Cutoff = Union[float, ArrayLike, Mapping[tuple[Species, Species], float]]
Reach = Literal["sum", "mean", "max", "gather", "scatter"]
OnInvalid = Literal["raise", "skip"]

_LETTERS = frozenset("ijPSdD")


@dataclass(frozen=True)
class NeighborRows(Rows):
    """For each particle a row of neighbors, all rows behind one another (CSR): :class:`Rows` with shifts and vectors.

    ``values`` are the distances. Arrays that were not asked for are empty.
    """

    shifts: Array
    vectors: Array

    @property
    def distances(self) -> Array:
        return self.values

    def sparse(self, values: ArrayLike | None = None) -> csr_matrix:
        """The list as a matrix of ``scipy.sparse``, a row for each particle: distances, or values of your own, or ones.

        A pair that meets several times, in a small cell, has several entries; ``sum_duplicates`` of the matrix adds them up.

        >>> import numpy as np
        >>> rows = NeighborList(1.5, sorted=True).rows(np.array([[0.0, 0], [1, 0], [2, 0]]))
        >>> rows.sparse().toarray().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        """
        from scipy.sparse import csr_matrix

        if values is not None:
            data = np.asarray(values)
        elif len(self.values) == len(self.indices):
            data = self.values
        else:
            data = np.ones(len(self.indices))
        return csr_matrix((data, self.indices, self.offsets), shape=(len(self), len(self)))


class NeighborList:
    """Finds the neighbors of particles, step after step: in open space, or in a cell that repeats itself along some or all of its
    vectors, sheared (triclinic) or not, with any cutoff, of several periods if need be.

    >>> import numpy as np
    >>> crystal = np.array([[0.0, 2, 2], [2, 0, 2], [2, 2, 0]])  # one atom per cell
    >>> neighbors = NeighborList(3.0, sorted=True)
    >>> i, j, S, d = neighbors.compute("ijSd", [[0.1, 0.2, 0.3]], cell=crystal, pbc=True)
    >>> len(i), S[0].tolist(), bool(np.allclose(d, np.sqrt(8)))
    (12, [-1, 0, 0], True)

    Keep it between steps: its memory is reused. So is that of arrays that it returned and that are not referred to any more, so an
    array is yours for as long as you keep it.

    :param cutoff: how near neighbors are: a number; or for each particle a radius (see ``reach``); or for pairs of species, as
        ``{("H", "O"): 1.3, (8, 8): 2.0}``, by symbol or atomic number, in either order (pairs that are not listed are no neighbors).
    :param reach: what radii of particles mean: neighbors are within the ``"sum"`` of the two, their ``"mean"``, the greater one
        (``"max"``), that of the particle whose row it is (``"gather"``), or that of its neighbor (``"scatter"``).
    :param half: each pair once, instead of once from either side. With ``sorted``, in the row of the smaller index.
    :param sorted: rows in ascending order, and so the same for every number of threads. (The first index is always ascending.)
    :param inclusive: whether particles exactly as far apart as the cutoff are neighbors.
    :param self_interaction: whether each particle is its own neighbor, too, at a distance of 0.
    :param index_dtype: ``int64``, or ``int32``, which is faster to write and needs care in arithmetic.
    :param n_threads: 1 is the calling thread, ``None`` all cores.
    :param on_invalid: what to do with particles that cannot be handled (NaN, a negative radius): ``"raise"``
        :class:`InvalidObjectError` with the index, or ``"skip"`` them and list them in :attr:`rejected`.
    :param max_bytes: the most memory that a search may take; ``MemoryError`` otherwise. Four fifths of the machine's unless set.
    """

    def __init__(
        self,
        cutoff: Cutoff,
        *,
        reach: Reach = "sum",
        half: bool = False,
        sorted: bool = False,
        inclusive: bool = True,
        self_interaction: bool = False,
        index_dtype: Any = np.int64,
        n_threads: int | None = None,
        on_invalid: OnInvalid = "raise",
        max_bytes: int | None = None,
        _reuse: bool = True,
    ) -> None:
        if on_invalid not in ("raise", "skip"):
            raise ValueError(f'on_invalid must be "raise" or "skip", not {on_invalid!r}')
        if np.dtype(index_dtype) not in (np.dtype(np.int64), np.dtype(np.int32)):
            raise ValueError(f"index_dtype must be int64 or int32, not {index_dtype}")
        if half and reach in ("gather", "scatter") and not np.isscalar(cutoff) and not isinstance(cutoff, Mapping):
            raise ValueError(f'with reach="{reach}" one may be a neighbor of the other and not the other way round: no half lists')
        self.cutoff = cutoff
        self.reach = reach
        self.inclusive = bool(inclusive)
        self.self_interaction = bool(self_interaction)
        self._wide = np.dtype(index_dtype) == np.int64
        self._strict = on_invalid == "raise"
        self._reuse = bool(_reuse)
        self._settings = (_arrays.thread_count(n_threads), bool(half), bool(sorted), _arrays.memory_limit(max_bytes))
        self._engine: _native.Neighbors | None = None
        self._kind: tuple[np.dtype[Any], int] | None = None

    def compute(
        self,
        quantities: str,
        positions: Any,
        cell: ArrayLike | None = None,
        pbc: bool | ArrayLike | None = None,
        numbers: ArrayLike | None = None,
    ) -> tuple[Array, ...]:
        """The neighbors of all particles, as arrays with an element for each neighbor.

        :param quantities: a letter for each array: ``i`` and ``j`` are the two particles, ``P`` both of them in an array of two
            columns, ``S`` by how many periods to move ``j`` so that it is near, ``d`` the distance, ``D`` the vector from ``i`` to
            ``j``: ``D = positions[j] - positions[i] + S @ cell``.
        :param positions: an array of the shape ``(n, 2)`` or ``(n, 3)``, or an ``ase.Atoms``, which brings its cell, ``pbc`` and numbers.
            Positions may lie anywhere, in the cell or not.
        :param cell: the vectors of the cell, a row each; or the edges of a box.
        :param pbc: along which vectors space repeats itself; ``True`` if there is a cell and nothing else is said.
        :param numbers: the species of the particles, for cutoffs by pairs of species.
        """
        unknown = set(quantities) - _LETTERS
        if unknown:
            raise ValueError(f"unknown quantities {sorted(unknown)}; there are i, j, P, S, d and D")
        return tuple(self._search(quantities, positions, cell, pbc, numbers))

    def rows(
        self,
        positions: Any,
        cell: ArrayLike | None = None,
        pbc: bool | ArrayLike | None = None,
        numbers: ArrayLike | None = None,
        *,
        distances: bool = True,
        shifts: bool = False,
        vectors: bool = False,
    ) -> NeighborRows:
        """The same as rows (CSR).

        >>> rows = NeighborList(1.5, sorted=True).rows([[0.0, 0], [1, 0], [2, 0]])
        >>> rows[1], rows.offsets, rows.distances
        (array([0, 2]), array([0, 1, 3, 4]), array([1., 1., 1., 1.]))
        """
        letters = "d" * distances + "S" * shifts + "D" * vectors
        offsets, indices, *arrays = self._search("oj" + letters, positions, cell, pbc, numbers)
        made = dict(zip(letters, arrays))
        assert self._kind is not None
        dtype, dim = self._kind
        return NeighborRows(
            offsets,
            indices,
            made.get("d", np.empty(0, dtype)),
            made.get("S", np.empty((0, dim), np.int32)),
            made.get("D", np.empty((0, dim), dtype)),
        )

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """The particles that were left out of the last search, by index, and why."""
        return [] if self._engine is None else self._engine.rejected()

    def _search(
        self,
        quantities: str,
        positions: Any,
        cell: ArrayLike | None,
        pbc: bool | ArrayLike | None,
        numbers: ArrayLike | None,
    ) -> list[Array]:
        if hasattr(positions, "get_positions"):
            atoms = positions
            positions = atoms.positions
            cell = np.asarray(atoms.cell) if cell is None else cell
            pbc = atoms.pbc if pbc is None else pbc
            numbers = atoms.numbers if numbers is None else numbers
        points = _arrays.points(positions)
        dtype, dim = points.dtype, points.shape[1]
        vectors, periodic = _lattice(cell, pbc, dim)
        rule, radius, radii, species, table = self._reach(points, numbers)
        if self._engine is None or self._kind != (dtype, dim):
            threads, half, in_order, limit = self._settings
            self._engine = _native.Neighbors(dtype == np.float64, dim, threads, half, in_order, limit)
            self._kind = (dtype, dim)
        return self._engine.search(
            {
                "quantities": quantities,
                "positions": points,
                "rule": rule,
                "radius": radius,
                "radii": radii,
                "cell": vectors,
                "periodic": periodic,
                "species": species,
                "table": table,
                "with_self": self.self_interaction,
                "wide": self._wide,
                "reuse": self._reuse,
                "strict": self._strict,
            }
        )

    def _closed(self, cutoff: Any, dtype: np.dtype[Any]) -> Array:
        """Cutoffs that are part of what is within them."""
        exact = np.asarray(cutoff, dtype)
        return exact if self.inclusive else np.nextafter(exact, dtype.type(0))

    def _reach(
        self, points: Array, numbers: ArrayLike | None
    ) -> tuple[str, float, Array | None, Array | None, list[list[float]] | None]:
        dtype = points.dtype
        if isinstance(self.cutoff, Mapping):
            if numbers is None:
                raise ValueError("cutoffs by pairs of species need the numbers of the particles")
            return self._species(points, np.asarray(numbers))
        if np.ndim(self.cutoff) == 0:
            radius = float(self._closed(self.cutoff, dtype))
            if not radius >= 0.0:
                if float(self.cutoff) != 0.0:  # type: ignore[arg-type]
                    raise ValueError(f"the cutoff must be a number and not negative, not {self.cutoff}")
            return "fixed", radius, None, None, None
        radii = _arrays.per_object(self._closed(self.cutoff, dtype), len(points), "cutoff", dtype)
        return self.reach, 0.0, radii, None, None

    def _species(self, points: Array, numbers: Array) -> tuple[str, float, Array, Array, list[list[float]]]:
        assert isinstance(self.cutoff, Mapping)
        if numbers.shape != (len(points),):
            raise ValueError(f"numbers must have the shape ({len(points)},), not {numbers.shape}")
        kinds, species = np.unique(numbers, return_inverse=True)
        place = {int(kind): at for at, kind in enumerate(kinds)}
        table = np.full((len(kinds), len(kinds)), -1.0)
        for (one, other), cutoff in self.cutoff.items():
            if not cutoff >= 0.0:
                raise ValueError(f"the cutoff of {one} and {other} must be a number and not negative, not {cutoff}")
            a, b = place.get(_number(one)), place.get(_number(other))
            if a is not None and b is not None:
                table[a, b] = table[b, a] = float(self._closed(cutoff, np.dtype(np.float64)))
        # No pair is further apart than the mean of the greatest cutoffs of its two species.
        greatest = np.maximum(table.max(axis=1, initial=0.0), 0.0)
        dtype = points.dtype
        radii = np.ascontiguousarray(np.nextafter(greatest.astype(dtype), dtype.type(np.inf))[species])
        return "mean", 0.0, radii, species.astype(np.int32).reshape(-1), table.tolist()


def _number(species: Species) -> int:
    """The atomic number of a symbol."""
    if isinstance(species, str):
        from ase.data import atomic_numbers

        return int(atomic_numbers[species])
    return int(species)


def _lattice(cell: ArrayLike | None, pbc: bool | ArrayLike | None, dim: int) -> tuple[list[list[float]] | None, list[bool]]:
    """The vectors of a cell and those that count; no vectors if none does."""
    if pbc is None:
        pbc = cell is not None
    flags = np.asarray(pbc, bool)
    if flags.ndim != 0 and flags.shape != (dim,):
        raise ValueError(f"pbc must be a bool, or {dim} of them, not of the shape {flags.shape}")
    periodic = np.broadcast_to(flags, dim).tolist()
    if not any(periodic):
        return None, periodic
    if cell is None:
        raise ValueError("a space that repeats itself needs a cell")
    vectors = np.asarray(cell, np.float64)
    if vectors.shape == (dim,):
        vectors = np.diag(vectors)
    if vectors.shape != (dim, dim):
        raise ValueError(f"cell must have the shape ({dim}, {dim}), not {vectors.shape}")
    return vectors.tolist(), periodic


# The engines of `neighbor_list`, by their settings, the last one used at the end. Each call takes one out, so threads do not meet.
_engines: dict[Any, _native.Neighbors] = {}
_lock = threading.Lock()
_MOST_ENGINES = 2


def clear_cache() -> None:
    """Gives back the memory that :func:`neighbor_list` keeps for its next calls."""
    with _lock:
        _engines.clear()


def neighbor_list(
    quantities: str,
    positions: Any,
    cutoff: Cutoff,
    *,
    cell: ArrayLike | None = None,
    pbc: bool | ArrayLike | None = None,
    numbers: ArrayLike | None = None,
    reach: Reach = "sum",
    half: bool = False,
    sorted: bool = False,
    inclusive: bool = True,
    self_interaction: bool = False,
    index_dtype: Any = np.int64,
    n_threads: int | None = None,
) -> Any:
    """The neighbors of particles: :meth:`NeighborList.compute` in one call. One letter returns an array, several a tuple of arrays.

    >>> import numpy as np
    >>> positions = np.array([[0.0, 0, 0], [1, 0, 0], [0, 3, 0]])
    >>> neighbor_list("ij", positions, 1.5)
    (array([0, 1]), array([1, 0]))
    >>> neighbor_list("d", positions, [0.5, 0.6, 3.0], half=True, sorted=True)  # radii that touch
    array([1.        , 3.        , 3.16227766])

    Memory of the search is kept for the next call; :func:`clear_cache` gives it back. The arrays are new ones.
    """
    search = NeighborList(
        cutoff,
        reach=reach,
        half=half,
        sorted=sorted,
        inclusive=inclusive,
        self_interaction=self_interaction,
        index_dtype=index_dtype,
        n_threads=n_threads,
        _reuse=False,
    )
    points = positions.positions if hasattr(positions, "get_positions") else positions
    shape = np.shape(points)
    kind = (_arrays.dtype_of(np.asarray(points)), shape[1] if len(shape) == 2 else 0)
    key = (kind, search._settings)
    with _lock:
        search._engine = _engines.pop(key, None)
    if search._engine is not None:
        search._kind = kind
    try:
        arrays = search.compute(quantities, positions, cell, pbc, numbers)
    finally:
        if search._engine is not None:
            with _lock:
                _engines[key] = search._engine
                while len(_engines) > _MOST_ENGINES:
                    del _engines[next(iter(_engines))]
    return arrays[0] if len(arrays) == 1 else arrays
