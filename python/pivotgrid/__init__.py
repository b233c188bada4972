"""Every pair of overlapping boxes, and every neighbor list, of millions of moving objects.

Pairs, step after step::

    >>> import numpy as np
    >>> import pivotgrid
    >>> boxes = np.array([[[0, 0], [2, 2]], [[1, 1], [3, 3]], [[5, 5], [6, 6]]], dtype=np.float32)
    >>> broad_phase = pivotgrid.BroadPhase()  # keep it between steps: its memory is reused
    >>> broad_phase.detect(boxes)
    array([[0, 1]])

Neighbors of particles, in a space that repeats itself or not::

    >>> positions = np.array([[0.5, 5.0, 5.0], [9.75, 5.0, 5.0]])
    >>> i, j, S, d = pivotgrid.neighbor_list("ijSd", positions, 1.0, cell=np.diag([10.0, 10, 10]), pbc=True)
    >>> i, j, S.tolist(), d
    (array([0, 1]), array([1, 0]), [[-1, 0, 0], [1, 0, 0]], array([0.75, 0.75]))

``pivotgrid.compat`` has functions and classes that are called as those of ASE, SciPy and vesin are.
"""

from importlib.metadata import PackageNotFoundError, version

from ._errors import InvalidObjectError
from ._neighbors import NeighborList, NeighborRows, clear_cache, neighbor_list
from ._pairs import Balls, BroadPhase, Events, PairTracker, StaticSet
from ._queries import Rows
from ._recording import Recorder, Recording, record

try:
    __version__ = version("pivotgrid")
except PackageNotFoundError:  # from a source tree that was not installed
    __version__ = "0"

__all__ = [
    "Balls",
    "BroadPhase",
    "Events",
    "InvalidObjectError",
    "NeighborList",
    "NeighborRows",
    "PairTracker",
    "Recorder",
    "Recording",
    "Rows",
    "StaticSet",
    "clear_cache",
    "neighbor_list",
    "record",
]
