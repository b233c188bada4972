"""Settings of all tests, and systems to search."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# Machines are slow now and then, and the first call of an engine is slower than the others: no deadlines.
settings.register_profile("default", deadline=None, max_examples=40, suppress_health_check=list(HealthCheck), derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("PIVOTGRID_TESTS", "default"))


def peer(name: str):
    """Another package, or a loud skip."""
    return pytest.importorskip(name, reason=f"!!! SKIPPED: {name} is not installed, nothing was compared with it")


@dataclass
class System:
    """Particles, the cell they are in, and a cutoff."""

    name: str
    positions: np.ndarray
    cell: np.ndarray
    pbc: tuple[bool, ...]
    cutoff: float

    def __repr__(self) -> str:
        return self.name


def all_systems() -> list[System]:
    rng = np.random.default_rng(2026)
    cube, sheared = np.diag([9.0, 9.0, 9.0]), np.array([[8.0, 0.0, 0.0], [3.0, 7.0, 0.5], [-2.5, 1.0, 6.0]])
    everywhere, open_space, slab = (True,) * 3, (False,) * 3, (True, True, False)
    uniform = rng.random((400, 3))
    clusters = rng.normal(scale=0.04, size=(400, 3)) + rng.random((8, 3))[rng.integers(0, 8, 400)]
    polydisperse = np.concatenate([rng.random((300, 3)), 0.5 + 0.001 * rng.random((60, 3))])
    fcc = 4.05 * np.array([[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]])
    triclinic = np.array([[3.0, 0.0, 0.0], [1.4, 2.6, 0.0], [-0.9, 0.8, 2.2]])
    return [
        System("random, open", uniform @ cube, cube, open_space, 1.51),
        System("random, periodic", uniform @ cube, cube, everywhere, 1.51),
        System("random, sheared", uniform @ sheared, sheared, everywhere, 1.33),
        System("random, slab", uniform @ sheared, sheared, slab, 1.47),
        System("random, wire", uniform @ sheared, sheared, (False, True, False), 1.47),
        System("random, outside of the cell", (3 * uniform[:150] - 1) @ sheared, sheared, everywhere, 1.71),
        System("clustered", clusters @ cube, cube, everywhere, 0.37),
        System("polydisperse", polydisperse @ cube, cube, everywhere, 0.713),
        System("fcc, one atom", np.array([[0.1, 0.2, 0.3]]), fcc, everywhere, 9.1),
        System("fcc, sheared cell", rng.random((3, 3)) @ fcc, fcc, everywhere, 7.3),
        System("tiny triclinic, several periods", rng.random((4, 3)) @ triclinic, triclinic, everywhere, 8.17),
        System("tiny, periodic along one vector", rng.random((4, 3)) @ triclinic, triclinic, (False, False, True), 9.3),
        System("two atoms", np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 2.1]]), 4.0 * np.eye(3), everywhere, 4.9),
        System("none", np.empty((0, 3)), cube, everywhere, 1.0),
        System("one, open", np.zeros((1, 3)), cube, open_space, 1.0),
    ]


@pytest.fixture(params=all_systems(), ids=repr)
def system(request: pytest.FixtureRequest) -> System:
    return request.param
