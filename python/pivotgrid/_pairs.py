"""Pairs of overlapping objects."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _native
from ._arrays import Array
from ._queries import Queries

OnInvalid = Literal["raise", "skip"]


class Balls(NamedTuple):
    """Balls (discs in two dimensions) instead of boxes: two of them pair if they touch, exactly, and not already if boxes around
    them overlap.

    >>> BroadPhase().detect(Balls([[0.0, 0.0], [1.5, 1.5], [1.5, 1.0]], 1.0))
    array([[0, 2],
           [1, 2]])
    """

    centers: ArrayLike
    radii: ArrayLike


Objects = Union[ArrayLike, Balls]
_Given = tuple[Array, Union[Array, None], Union[Array, None]]


def _given(objects: Objects, groups: ArrayLike | None, dtype: np.dtype[Any] | None = None) -> tuple[_Given, int]:
    """Objects as the native half takes them, and their dimension."""
    if isinstance(objects, Balls):
        centers = _arrays.points(objects.centers, "centers", dtype)
        radii = _arrays.per_object(objects.radii, len(centers), "radii", centers.dtype)
        return (centers, radii, _arrays.group_bits(groups, len(centers))), centers.shape[1]
    boxes = _arrays.boxes(objects, dtype)
    return (boxes, None, _arrays.group_bits(groups, len(boxes))), boxes.shape[2]


class BroadPhase(Queries):
    """Finds all pairs of overlapping boxes of a scene, step after step.

    Keep it between steps: its memory is reused, and the order in which the last step stored the objects makes the next one faster.
    Neither changes what is found.

    >>> import numpy as np
    >>> boxes = np.array([[0, 0, 0, 90, 90, 90], [40, 40, 89.9, 40.2, 40.2, 90.1], [-7, 3, 5, -6.9, 3.1, 5]])
    >>> BroadPhase().detect(boxes)
    array([[0, 1]])

    Boxes are an array of the shape ``(n, 2, dim)``, for each box its least and its greatest corner, or ``(n, 2 * dim)``, which is the
    same memory; ``dim`` is 2 or 3. They are closed: boxes that touch overlap. Bounds may be infinite. C-contiguous arrays of
    ``float32`` and ``float64`` are read where they lie; anything else is converted first. No other thread may write to them during a
    call, which does not hold the interpreter's lock.

    :param n_threads: 1 is the calling thread, ``None`` all cores.
    :param canonical_order: whether pairs come in ascending order, and not in the order in which they were found.
    :param on_invalid: what to do with boxes that have NaN or ``min > max``: ``"raise"`` :class:`InvalidObjectError` with the index, or
        ``"skip"`` them and list them in :attr:`rejected`.
    :param max_bytes: the most memory that a step may take; ``MemoryError`` otherwise. Four fifths of the machine's unless set.
    :param cell_size: a hint for the edge of the finest cells; best left to the planner.
    """

    def __init__(
        self,
        *,
        n_threads: int | None = None,
        canonical_order: bool = False,
        on_invalid: OnInvalid = "raise",
        max_bytes: int | None = None,
        cell_size: float | None = None,
    ) -> None:
        if on_invalid not in ("raise", "skip"):
            raise ValueError(f'on_invalid must be "raise" or "skip", not {on_invalid!r}')
        self._settings = (
            _arrays.thread_count(n_threads),
            on_invalid == "raise",
            bool(canonical_order),
            _arrays.memory_limit(max_bytes),
            cell_size,
        )
        self._engine: _native.BroadPhase | None = None
        self._kind: tuple[np.dtype[Any], int] | None = None
        # So that wrong settings are an error now and not in the first step.
        _native.BroadPhase(False, 2, *self._settings)

    def _engine_for(self, dtype: np.dtype[Any], dim: int) -> _native.BroadPhase:
        if self._engine is None or self._kind != (dtype, dim):
            self._engine = _native.BroadPhase(dtype == np.float64, dim, *self._settings)
            self._kind = (dtype, dim)
        return self._engine

    def _queried(self) -> tuple[_native.BroadPhase, int, np.dtype[Any]]:
        if self._engine is None or self._kind is None:
            raise ValueError("queries are about the last step, and there was none yet")
        dtype, dim = self._kind
        return self._engine, dim, dtype

    def detect(self, objects: Objects, *, groups: ArrayLike | None = None) -> Array:
        """All pairs of objects that overlap: an array of the shape ``(m, 2)``, each pair once, the smaller index first.

        :param objects: boxes, or :class:`Balls`.
        :param groups: for each object the groups that it is a member of and those that it pairs with, a bit each, and perhaps a body:
            integers of the shape ``(n, 2)`` or ``(n, 3)``. Two objects pair if each is a member of a group that the other looks for,
            and if they are not parts of the same body (0 is none).

        >>> wall, actor = (1, 2), (2, 3)
        >>> boxes = [[0.0, 0, 1, 1]] * 4
        >>> BroadPhase(canonical_order=True).detect(boxes, groups=[wall, wall, actor, actor]).tolist()
        [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        """
        given, dim = _given(objects, groups)
        return self._engine_for(given[0].dtype, dim).detect(given)

    def detect_between(
        self,
        first: Objects,
        second: Objects,
        *,
        first_groups: ArrayLike | None = None,
        second_groups: ArrayLike | None = None,
    ) -> Array:
        """All pairs of an object of one set and an object of another: an array of the shape ``(m, 2)``, with an index into the first
        set and one into the second.

        >>> triggers, bodies = [[0.0, 0, 4, 4]], [[1.0, 1, 2, 2], [3, 3, 5, 5], [8, 8, 9, 9]]
        >>> BroadPhase(canonical_order=True).detect_between(triggers, bodies).tolist()
        [[0, 0], [0, 1]]
        """
        (one, dim), (two, other_dim) = _given(first, first_groups), _given(second, second_groups)
        if dim != other_dim:
            raise ValueError(f"the first set has {dim} dimensions, the second {other_dim}")
        dtype = _arrays.dtype_of(one[0], two[0])
        if one[0].dtype != two[0].dtype:
            one, two = _given(first, first_groups, dtype)[0], _given(second, second_groups, dtype)[0]
        return self._engine_for(dtype, dim).detect_between(one, two)

    def detect_with(self, objects: Objects, statics: StaticSet, *, groups: ArrayLike | None = None) -> tuple[Array, Array]:
        """The pairs of :meth:`detect`, and all pairs of an object and one of a static set, whose index comes second.

        >>> walls = StaticSet([[10.0 * k, 0, 10 * k + 1, 100] for k in range(1000)])
        >>> moving, static = BroadPhase().detect_with([[9.5, 0, 10, 2], [9, 0, 9.6, 2]], walls)
        >>> moving.tolist(), static.tolist()
        ([[0, 1]], [[0, 1]])
        """
        dtype, dim = statics._kind
        given, own = _given(objects, groups, dtype)
        if own != dim:
            raise ValueError(f"the objects have {own} dimensions, the static set {dim}")
        moving, static = self._engine_for(dtype, dim).detect_with(given, statics._set)
        return moving, static

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """The objects that were left out of the last step, by index, and why."""
        return [] if self._engine is None else self._engine.rejected()

    @property
    def stats(self) -> dict[str, Any]:
        """What the last step did, and how long each of its passes took."""
        return {} if self._engine is None else self._engine.stats()


class StaticSet(Queries):
    """Objects that hardly ever move: built once, and then :meth:`BroadPhase.detect_with` finds what moving objects overlap in it, at
    a cost that follows the moving ones. Also an index for queries.

    Its objects are known by their index in the array, those inserted later by what :meth:`insert` returns.

    >>> walls = StaticSet([[0.0, 0, 1, 1], [5, 5, 6, 6]])
    >>> walls.insert([[2.0, 2, 3, 3]])
    [2]
    >>> walls.remove(0)
    >>> len(walls), walls.nearest([[0.0, 0.0]])[0].tolist()
    (2, [[2]])
    """

    def __init__(self, objects: Objects, *, groups: ArrayLike | None = None, n_threads: int | None = None) -> None:
        given, dim = _given(objects, groups)
        dtype = given[0].dtype
        self._kind = (dtype, dim)
        self._set = _native.StaticSet(dtype == np.float64, dim, _arrays.thread_count(n_threads))
        self._set.build(given)

    def _queried(self) -> tuple[_native.StaticSet, int, np.dtype[Any]]:
        dtype, dim = self._kind
        return self._set, dim, dtype

    def _same(self, objects: Objects, groups: ArrayLike | None) -> _Given:
        dtype, dim = self._kind
        given, own = _given(objects, groups, dtype)
        if own != dim:
            raise ValueError(f"the objects have {own} dimensions, the static set {dim}")
        return given

    def __len__(self) -> int:
        return len(self._set)

    def insert(self, objects: Objects, *, groups: ArrayLike | None = None) -> list[int]:
        """Adds objects, and returns their indices. Indices of removed ones are given out again."""
        return self._set.insert(self._same(objects, groups))

    def update(self, index: int, box: ArrayLike, *, groups: ArrayLike | None = None) -> None:
        """Moves an object. ``IndexError`` if there is none of that index."""
        array = np.asarray(box)
        if not self._set.update(index, self._same(array.reshape(1, array.size), groups)):
            raise IndexError(f"there is no static object {index}")

    def remove(self, index: int) -> None:
        """Takes an object out. ``IndexError`` if there is none of that index."""
        if not self._set.remove(index):
            raise IndexError(f"there is no static object {index}")


class Events(NamedTuple):
    """Pairs of keys, each list in ascending order: an array of the shape ``(m, 2)`` each."""

    started: Array
    ongoing: Array
    ended: Array


class PairTracker:
    """Turns the pairs of successive steps into pairs that started, go on and ended.

    >>> tracker = PairTracker()
    >>> tracker.update([[0.0, 0, 1, 1], [0.5, 0, 1.5, 1], [3, 0, 4, 1]]).started.tolist()
    [[0, 1]]
    >>> events = tracker.update([[0.0, 0, 1, 1], [2.5, 0, 3.5, 1], [3, 0, 4, 1]])
    >>> events.started.tolist(), events.ongoing.tolist(), events.ended.tolist()
    ([[1, 2]], [], [[0, 1]])

    :param broad_phase: the engine to find pairs with; one of its own unless given.
    """

    def __init__(self, broad_phase: BroadPhase | None = None) -> None:
        self.broad_phase = broad_phase if broad_phase is not None else BroadPhase()
        self._tracker = _native.PairTracker()

    def update(
        self,
        objects: Objects,
        *,
        keys: ArrayLike | None = None,
        margin: float = 0.0,
        groups: ArrayLike | None = None,
    ) -> Events:
        """The step after the last one: finds pairs and compares.

        :param keys: for each object a number that it keeps for life; its index unless given. Objects that share a key are one.
        :param margin: pairs start when boxes touch, and end when they are further apart than twice this on some axis. For boxes
            without groups.
        """
        given, dim = _given(objects, groups)
        names = None if keys is None else np.require(keys, np.int64, ["C", "A"])
        engine = self.broad_phase._engine_for(given[0].dtype, dim)
        return Events(*engine.track(given, self._tracker, names, float(margin)))

    @property
    def current(self) -> Array:
        """All pairs that are, in ascending order."""
        return self._tracker.current()

    def forget(self, key: int) -> None:
        """Forgets the pairs of an object, so that the next update does not tell of their end."""
        self._tracker.forget(key)
