"""``ase.neighborlist.neighbor_list``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import Array
from .._neighbors import Cutoff, neighbor_list as _neighbor_list


def neighbor_list(
    quantities: str, a: Any, cutoff: Cutoff, self_interaction: bool = False, max_nbins: float = 1e6
) -> Array | tuple[Array, ...]:
    """Called and answered as ``ase.neighborlist.neighbor_list``: cutoffs are a number, a dictionary by pairs of species, or a radius
    for each atom (neighbors are nearer than the sum of the two). Rows are in the order of ``i``; the order within is another one.

    ``max_nbins`` means nothing here. Shifts are ``int32``, where ASE has ``int64``.

    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> atoms = SimpleNamespace(positions=np.zeros((1, 3)), cell=np.eye(3) * 2.0, pbc=[True] * 3, numbers=[18], get_positions=None)
    >>> neighbor_list("d", atoms, 2.5)
    array([2., 2., 2., 2., 2., 2.])
    """
    positions = np.asarray(a.positions, np.float64)
    found = _neighbor_list(
        quantities,
        positions,
        cutoff,
        cell=np.asarray(a.cell, np.float64),
        pbc=np.asarray(a.pbc, bool),
        numbers=a.numbers,
        inclusive=False,
        self_interaction=self_interaction,
    )
    return found  # type: ignore[no-any-return]
