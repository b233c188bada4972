"""The same sets, shifts and distances as other packages find, and drop-ins that answer as they do."""

from __future__ import annotations

import numpy as np
import pytest
from brute import check_list
from conftest import System, peer
from hypothesis import given
from hypothesis import strategies as st
from test_neighbors import crystals

import pivotgrid
from pivotgrid.compat import ase as our_ase
from pivotgrid.compat import scipy as our_scipy
from pivotgrid.compat import vesin as our_vesin


def keys_of(i, j, S) -> np.ndarray:
    keys = np.concatenate([np.asarray(i)[:, None], np.asarray(j)[:, None], np.asarray(S)], axis=1).astype(np.int64)
    return keys


def compare(ours, theirs, half: bool = False) -> None:
    """Two lists ``i, j, S, d, D`` are the same, in any order."""

    def normal(found):
        i, j, S, d, D = (np.asarray(array) for array in found)
        keys = keys_of(i, j, S)
        if half:  # which of the two comes first is open
            turn = np.array([tuple(key) > (key[1], key[0], *(-key[2:]).tolist()) for key in keys], bool).reshape(-1)
            keys[turn] = np.concatenate([keys[turn][:, [1, 0]], -keys[turn][:, 2:]], axis=1)
            D = np.where(turn[:, None], -D, D)
        order = np.lexsort(keys.T[::-1])
        return keys[order], d[order], D[order]

    (keys, d, D), (other_keys, other_d, other_D) = normal(ours), normal(theirs)
    assert np.array_equal(keys, other_keys)
    np.testing.assert_allclose(d, other_d, atol=1e-9)
    np.testing.assert_allclose(D, other_D, atol=1e-9)


def has_volume(system: System) -> bool:
    return len(system.positions) > 0


def layouts() -> dict[str, np.ndarray]:
    """Points in the unit cube: random, clustered, of a crystal with some disorder, and of a mixture of large and small distances."""
    rng = np.random.default_rng(7)
    lattice = np.stack(np.meshgrid(*[np.arange(8)] * 3), axis=-1).reshape(-1, 3) / 8
    return {
        "random": rng.random((500, 3)),
        "clustered": (rng.normal(scale=0.05, size=(500, 3)) + rng.random((6, 3))[rng.integers(0, 6, 500)]) % 1.0,
        "crystal": (lattice + 0.003 * rng.random(lattice.shape)) % 1.0,
        "polydisperse": np.concatenate([rng.random((400, 3)), 0.5 + 0.01 * rng.random((100, 3))]),
    }


class TestAse:
    def test_every_system(self, system: System) -> None:
        ase, theirs = peer("ase"), peer("ase.neighborlist")
        atoms = ase.Atoms(numbers=[1] * len(system.positions), positions=system.positions, cell=system.cell, pbc=system.pbc)
        found = our_ase.neighbor_list("ijSdD", atoms, system.cutoff)
        compare(found, theirs.neighbor_list("ijSdD", atoms, system.cutoff))
        compare(pivotgrid.neighbor_list("ijSdD", atoms, system.cutoff), found)

    def test_cutoffs_of_all_kinds(self) -> None:
        ase, theirs = peer("ase"), peer("ase.neighborlist")
        rng = np.random.default_rng(1)
        atoms = ase.Atoms(
            numbers=rng.choice([1, 6, 8], 200), positions=rng.random((200, 3)) * 8, cell=[8.0] * 3, pbc=[True, True, False]
        )
        radii = 0.3 + rng.random(200)
        symbols = {("H", "O"): 1.7, ("C", "C"): 2.1, (1, 1): 0.9}
        for cutoff in (1.3, radii, radii.tolist(), symbols):
            compare(our_ase.neighbor_list("ijSdD", atoms, cutoff), theirs.neighbor_list("ijSdD", atoms, cutoff))
        compare(
            our_ase.neighbor_list("ijSdD", atoms, 1.3, self_interaction=True),
            theirs.neighbor_list("ijSdD", atoms, 1.3, self_interaction=True),
        )

    def test_called_the_same_way(self) -> None:
        ase, theirs = peer("ase"), peer("ase.neighborlist")
        from ase.build import bulk, molecule

        for atoms, cutoff in ((bulk("Cu"), 3.1), (bulk("NaCl", "rocksalt", a=5.64) * (3, 2, 1), 3.9), (molecule("CH3CH2OH"), 1.6)):
            one, other = our_ase.neighbor_list("d", atoms, cutoff), theirs.neighbor_list("d", atoms, cutoff)
            assert isinstance(one, np.ndarray) and np.allclose(np.sort(one), np.sort(other))
            i, j = our_ase.neighbor_list("ij", atoms, cutoff)
            assert i.dtype == theirs.neighbor_list("i", atoms, cutoff).dtype
            assert np.array_equal(np.bincount(i), np.bincount(theirs.neighbor_list("i", atoms, cutoff)))
        assert isinstance(ase.Atoms(), ase.Atoms) and len(our_ase.neighbor_list("i", ase.Atoms(), 1.0)) == 0

    def test_exactly_as_far_is_too_far(self) -> None:
        ase, theirs = peer("ase"), peer("ase.neighborlist")
        atoms = ase.Atoms("H3", positions=[[0, 0, 0], [3, 0, 0], [0, 4, 0]])
        assert len(our_ase.neighbor_list("i", atoms, 5.0)) == len(theirs.neighbor_list("i", atoms, 5.0)) == 4


class TestVesin:
    def test_every_system(self, system: System) -> None:
        vesin = peer("vesin")
        if not has_volume(system):
            return
        for full in (True, False):
            options = dict(cutoff=system.cutoff, full_list=full)
            arguments = dict(points=system.positions, box=system.cell, periodic=list(system.pbc), quantities="ijSdD")
            ours = our_vesin.NeighborList(**options).compute(**arguments)
            compare(ours, vesin.NeighborList(**options).compute(**arguments), half=not full)

    @given(crystals())
    def test_drawn_crystals(self, system: System) -> None:
        vesin = peer("vesin")
        if system.positions.shape[1] != 3 or not len(system.positions):
            return
        arguments = dict(points=system.positions, box=system.cell, periodic=list(system.pbc), quantities="ijSdD")
        options = dict(cutoff=system.cutoff, full_list=True)
        compare(our_vesin.NeighborList(**options).compute(**arguments), vesin.NeighborList(**options).compute(**arguments))

    def test_called_the_same_way(self) -> None:
        vesin = peer("vesin")
        points, box = np.random.default_rng(1).random((100, 3)).astype(np.float32), np.eye(3, dtype=np.float32)
        for quantities in ("ij", "P", "d", "DSdP"):
            ours, theirs = (
                package.NeighborList(cutoff=0.2, full_list=True, sorted=True, n_threads=1).compute(
                    points, box, True, quantities, copy=False
                )
                for package in (our_vesin, vesin)
            )
            assert [array.shape for array in ours] == [array.shape for array in theirs]
            assert all(one.dtype == two.dtype for one, two in zip(ours, theirs) if one.dtype.kind == "f")
        for package in (our_vesin, vesin):
            with pytest.raises(ValueError):
                package.NeighborList(cutoff=1.0, full_list=True).compute(points, box[:2], True)
            with pytest.raises(ValueError):
                package.NeighborList(cutoff=1.0, full_list=True, algorithm="magic")


class TestMatscipy:
    def test_every_system(self, system: System) -> None:
        matscipy = peer("matscipy.neighbours")
        if not has_volume(system):
            return
        ours = pivotgrid.neighbor_list("ijSdD", system.positions, system.cutoff, cell=system.cell, pbc=system.pbc)
        theirs = matscipy.neighbour_list(
            "ijSdD", positions=system.positions, cell=system.cell, pbc=np.array(system.pbc), cutoff=system.cutoff
        )
        compare(ours, theirs)

    @pytest.mark.parametrize("layout", layouts())
    def test_cutoffs_by_particle_and_by_species(self, layout: str) -> None:
        ase, matscipy = peer("ase"), peer("matscipy.neighbours")
        rng, cell = np.random.default_rng(3), np.array([[8.0, 0.0, 0.0], [3.0, 7.0, 0.5], [-2.5, 1.0, 6.0]])
        positions = layouts()[layout] @ cell
        atoms = ase.Atoms(numbers=rng.choice([1, 8], len(positions)), positions=positions, cell=cell, pbc=[True, False, True])
        # Two particles are neighbors if their radii touch.
        radii = 0.1 + 0.9 * rng.random(len(positions)) ** 2
        compare(pivotgrid.neighbor_list("ijSdD", atoms, radii), matscipy.neighbour_list("ijSdD", atoms, radii))
        cutoffs = {(1, 1): 0.9, (1, 8): 1.2, (8, 8): 1.5}
        compare(pivotgrid.neighbor_list("ijSdD", atoms, cutoffs), matscipy.neighbour_list("ijSdD", atoms, cutoffs))


class TestFreud:
    @pytest.mark.parametrize("tilt", [0.0, 0.3])
    @pytest.mark.parametrize("layout", layouts())
    def test_every_layout(self, layout: str, tilt: float) -> None:
        freud = peer("freud")
        box = freud.box.Box(Lx=9, Ly=8, Lz=7, xy=tilt, xz=-tilt, yz=tilt)
        cell = box.to_matrix().T
        positions = ((layouts()[layout] - 0.5) @ cell).astype(np.float32)
        query = freud.locality.AABBQuery(box, positions)
        theirs = query.query(positions, dict(mode="ball", r_max=1.4, exclude_ii=True)).toNeighborList()
        i, j, d = pivotgrid.neighbor_list("ijd", positions, 1.4, cell=cell, sorted=True)
        # freud computes in single precision, and so do we here: what is as far as the cutoff may differ.
        ours = dict(zip(zip(i.tolist(), j.tolist()), d.tolist()))
        found = {(int(a), int(b)): float(far) for (a, b), far in zip(theirs[:], theirs.distances)}
        assert len(ours) == len(i) and len(found) == len(theirs[:])
        for one, other in ((ours, found), (found, ours)):
            assert {pair for pair, far in one.items() if far < 1.4 - 3e-4} <= set(other)
        assert max((abs(far - found[pair]) for pair, far in ours.items() if pair in found), default=0.0) < 1e-4
        assert len(found) > 500 and abs(len(found) - len(ours)) <= 1e-3 * len(ours)


class TestScipy:
    @pytest.mark.parametrize("boxsize", [None, 1.0])
    @pytest.mark.parametrize("layout", layouts())
    def test_every_layout(self, layout: str, boxsize: float | None) -> None:
        scipy, data = peer("scipy.spatial"), layouts()[layout]
        ours, theirs = our_scipy.cKDTree(data, boxsize=boxsize), scipy.cKDTree(data, boxsize=boxsize)
        assert ours.query_pairs(0.11) == theirs.query_pairs(0.11)
        radii = 0.2 * np.random.default_rng(1).random(len(data)) ** 3
        one, two = ours.query_ball_point(data, radii), theirs.query_ball_point(data, radii)
        assert [sorted(found) for found in one] == [sorted(found) for found in two]
        if boxsize is None:
            (d, i), (other_d, other_i) = (tree.query(data, 5) for tree in (ours, theirs))
            np.testing.assert_allclose(d, other_d, atol=1e-12)
            assert np.array_equal(i[:, 0], other_i[:, 0])

    @pytest.mark.parametrize("dim", [2, 3])
    @pytest.mark.parametrize("boxsize", [None, 5.0, "mixed"])
    @pytest.mark.parametrize("radius", [0.0, 0.4, 2.4, 3.1])
    def test_pairs_and_balls(self, dim: int, boxsize, radius: float) -> None:
        scipy = peer("scipy.spatial")
        rng = np.random.default_rng(dim)
        data = rng.random((150, dim)) * 5
        data[:5] = data[5:10]
        if boxsize == "mixed":
            boxsize = [5.0, 0.0, 7.0][:dim]
        ours, theirs = our_scipy.cKDTree(data, boxsize=boxsize), scipy.cKDTree(data, boxsize=boxsize)
        assert ours.query_pairs(radius) == theirs.query_pairs(radius)
        pairs = ours.query_pairs(radius, output_type="ndarray")
        assert pairs.dtype == np.intp and {tuple(pair) for pair in pairs.tolist()} == theirs.query_pairs(radius)

        x = rng.random((4, 20, dim)) * 5
        one, two = ours.query_ball_point(x, radius), theirs.query_ball_point(x, radius)
        assert one.shape == two.shape == (4, 20)
        assert [sorted(found) for found in one.ravel()] == [sorted(found) for found in two.ravel()]
        own, other = ours.query_ball_point(ours.data, radius), theirs.query_ball_point(theirs.data, radius)
        assert own.tolist() == [sorted(found) for found in other]
        assert ours.query_ball_point(x[0, 0], radius) == sorted(theirs.query_ball_point(x[0, 0], radius))
        counts = ours.query_ball_point(x, radius, return_length=True, workers=-1)
        assert np.array_equal(counts, theirs.query_ball_point(x, radius, return_length=True))
        radii = rng.random((4, 20)) * radius
        one, two = ours.query_ball_point(x, radii), theirs.query_ball_point(x, radii)
        assert [sorted(found) for found in one.ravel()] == [sorted(found) for found in two.ravel()]

    def test_nearest(self) -> None:
        scipy = peer("scipy.spatial")
        rng = np.random.default_rng(3)
        data = rng.random((150, 3))
        ours, theirs = our_scipy.cKDTree(data), scipy.cKDTree(data)
        for x in (rng.random((30, 3)), rng.random((2, 3, 3)), rng.random(3)):
            for k in (1, 4, 200):
                for bound in (np.inf, 0.2):
                    (d, i), (other_d, other_i) = (tree.query(x, k, distance_upper_bound=bound) for tree in (ours, theirs))
                    np.testing.assert_allclose(d, other_d, atol=1e-12)
                    assert np.array_equal(i, other_i) and np.shape(i) == np.shape(other_i)

    def test_what_is_not_there_says_so(self) -> None:
        tree = our_scipy.cKDTree(np.zeros((3, 2)), boxsize=1.0)
        with pytest.raises(NotImplementedError, match="scipy"):
            tree.query([0.0, 0.0])
        with pytest.raises(NotImplementedError, match="p=2"):
            tree.query_pairs(1.0, p=1)
        with pytest.raises(ValueError):
            our_scipy.cKDTree(np.zeros((3, 4)))
        with pytest.raises(ValueError):
            our_scipy.cKDTree([[np.nan, 0.0]])
        with pytest.raises(ValueError, match="periodic box"):
            our_scipy.cKDTree([[2.0, 0.0]], boxsize=1.0)

    @given(st.integers(0, 2**32), st.integers(1, 60), st.floats(0.01, 3.0), st.booleans())
    def test_drawn(self, seed: int, count: int, radius: float, periodic: bool) -> None:
        scipy = peer("scipy.spatial")
        rng = np.random.default_rng(seed)
        data, boxsize = rng.random((count, 2)) * 2, 2.0 if periodic else None
        assert our_scipy.cKDTree(data, boxsize=boxsize).query_pairs(radius) == scipy.cKDTree(data, boxsize=boxsize).query_pairs(radius)


def test_structures_of_ase() -> None:
    peer("ase")
    from ase.build import bulk, fcc111

    for atoms in (bulk("Si") * (2, 1, 3), bulk("Ti"), fcc111("Al", (3, 3, 2), vacuum=6.0)):
        atoms.rattle(0.05, seed=1)
        found = pivotgrid.neighbor_list("ijSdD", atoms, 5.2)
        check_list(found, atoms.positions, atoms.cell[:], atoms.pbc, 5.2)
