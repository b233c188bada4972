"""Neighbor lists against an exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest
from brute import check_list, neighbors
from conftest import System
from hypothesis import given
from hypothesis import strategies as st

import pivotgrid
from pivotgrid import NeighborList, neighbor_list

QUANTITIES = "ijSdD"


@pytest.mark.parametrize("n_threads", [1, 2, None])
@pytest.mark.parametrize("half", [False, True])
def test_every_system(system: System, half: bool, n_threads: int | None) -> None:
    found = neighbor_list(
        QUANTITIES, system.positions, system.cutoff, cell=system.cell, pbc=system.pbc, half=half, n_threads=n_threads
    )
    check_list(found, system.positions, system.cell, system.pbc, system.cutoff, half=half)
    assert (np.diff(found[0]) >= 0).all()


def test_single_precision(system: System) -> None:
    positions = system.positions.astype(np.float32)
    found = neighbor_list(QUANTITIES, positions, system.cutoff, cell=system.cell, pbc=system.pbc)
    assert found[3].dtype == found[4].dtype == np.float32
    check_list(found, positions, system.cell, system.pbc, system.cutoff, slack=2e-4, digits=1e-4)


def test_sorted_lists_are_the_same_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(5)
    positions, cell = rng.random((5000, 3)) * 17, np.diag([17.0] * 3)
    for half in (False, True):
        lists = [
            neighbor_list("PSd", positions, 1.3, cell=cell, half=half, sorted=True, n_threads=threads) for threads in (1, 2, 3, None)
        ]
        for other in lists[1:]:
            assert all(np.array_equal(one, two) for one, two in zip(lists[0], other))
        P, S, _ = lists[0]
        keys = np.concatenate([P, S], axis=1).tolist()
        assert keys == sorted(keys)
        assert not half or (P[:, 0] <= P[:, 1]).all()


@st.composite
def crystals(draw: st.DrawFn) -> System:
    dim = draw(st.sampled_from([2, 3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    while True:
        cell = rng.normal(size=(dim, dim)) * draw(st.floats(0.5, 5.0)) + np.eye(dim)
        # Neither flat nor with so many images that the exhaustive search would take minutes.
        if abs(np.linalg.det(cell)) > 0.2 * np.prod(np.linalg.norm(cell, axis=1)):
            break
    pbc = tuple(draw(st.booleans()) for _ in range(dim))
    spread = draw(st.sampled_from([1.0, 1.0, 3.0]))
    positions = (spread * rng.random((draw(st.integers(0, 12)), dim))) @ cell
    return System("drawn", positions, cell, pbc, draw(st.floats(0.05, 2.5)) * abs(np.linalg.det(cell)) ** (1 / dim))


@given(crystals(), st.booleans(), st.booleans(), st.sampled_from([1, 2]))
def test_drawn_crystals(system: System, half: bool, in_order: bool, n_threads: int) -> None:
    found = neighbor_list(
        QUANTITIES,
        system.positions,
        system.cutoff,
        cell=system.cell,
        pbc=system.pbc,
        half=half,
        sorted=in_order,
        n_threads=n_threads,
    )
    check_list(found, system.positions, system.cell, system.pbc, system.cutoff, half=half)


@pytest.mark.parametrize("rule", ["sum", "mean", "max", "gather", "scatter"])
@pytest.mark.parametrize("pbc", [False, True])
def test_a_radius_for_each_particle(rule: str, pbc: bool) -> None:
    rng = np.random.default_rng(7)
    positions, cell = rng.random((300, 3)) * 6, np.diag([6.0] * 3)
    radii = 0.1 * 10 ** rng.random(300)
    i, j, S, d = neighbor_list("ijSd", positions, radii, cell=cell, pbc=pbc, reach=rule)
    keys, _, distances = neighbors(positions, cell, pbc, 2.1)
    own, other = radii[keys[:, 0]], radii[keys[:, 1]]
    reach = {"sum": own + other, "mean": (own + other) / 2, "max": np.maximum(own, other), "gather": own, "scatter": other}[rule]
    expected = keys[distances <= reach]
    found = np.concatenate([i[:, None], j[:, None], S], axis=1)
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, expected.tolist()))


def test_cutoffs_by_pairs_of_species() -> None:
    rng = np.random.default_rng(11)
    positions, cell, numbers = rng.random((300, 3)) * 9, np.diag([9.0] * 3), rng.choice([1, 6, 8], 300)
    cutoffs = {(1, 1): 0.9, (8, 1): 1.7, (6, 6): 2.3}
    table = {frozenset(pair): cutoff for pair, cutoff in cutoffs.items()}
    for half in (False, True):
        i, j, S, d, D = neighbor_list(QUANTITIES, positions, cutoffs, cell=cell, numbers=numbers, half=half)
        keys, _, distances = neighbors(positions, cell, True, 2.4)
        reach = np.array([table.get(frozenset((int(numbers[a]), int(numbers[b]))), -1.0) for a, b in keys[:, :2]])
        expected = {tuple(key) for key in keys[distances <= reach].tolist()}
        found = [tuple(key) for key in np.concatenate([i[:, None], j[:, None], S], axis=1).tolist()]
        if half:
            found += [(b, a, -x, -y, -z) for a, b, x, y, z in found]
        assert len(found) == len(set(found)) and set(found) == expected
        np.testing.assert_allclose(D, positions[j] - positions[i] + S @ cell, atol=1e-12)
        np.testing.assert_allclose(d, np.linalg.norm(D, axis=1), atol=1e-12)
    # Species that are not there, and cutoffs of nothing.
    assert len(neighbor_list("i", positions, {(2, 3): 5.0}, numbers=numbers)) == 0


def test_particles_as_their_own_neighbors() -> None:
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [9, 9, 9]])
    for in_order in (False, True):
        i, j, d = neighbor_list("ijd", positions, 1.5, self_interaction=True, sorted=in_order)
        assert sorted(zip(i.tolist(), j.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]
        assert d[i == j].tolist() == [0.0] * 3
        assert not in_order or j.tolist() == [0, 1, 0, 1, 2]


def test_inclusive_or_not() -> None:
    positions = [[0.0, 0, 0], [3, 0, 0], [0, 4, 0]]
    assert neighbor_list("P", positions, 5.0, half=True, sorted=True).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert neighbor_list("P", positions, 5.0, half=True, sorted=True, inclusive=False).tolist() == [[0, 1], [0, 2]]
    assert len(neighbor_list("P", positions, 0.0)) == 0
    assert neighbor_list("P", [[1.0, 1]] * 2, 0.0, half=True).shape == (1, 2)


def test_rows_and_sparse_matrices() -> None:
    pytest.importorskip("scipy")
    rng = np.random.default_rng(3)
    positions = rng.random((200, 2)) * 10
    i, j, d = neighbor_list("ijd", positions, 1.5, sorted=True)
    rows = NeighborList(1.5, sorted=True).rows(positions, shifts=True, vectors=True)
    assert np.array_equal(rows.indices, j) and np.array_equal(rows.distances, d)
    assert np.array_equal(np.repeat(np.arange(200), rows.counts), i)
    assert rows.shifts.shape == rows.vectors.shape == (len(j), 2) and not rows.shifts.any()
    matrix = rows.sparse()
    assert matrix.shape == (200, 200) and matrix.nnz == len(j)
    assert (abs(matrix - matrix.T)).max() == 0
    assert rows.sparse(np.full(len(j), 2.0)).sum() == 2.0 * len(j)
    assert NeighborList(1.5).rows(positions, distances=False).sparse().sum() == len(j)
    assert [len(row) for row in rows] == rows.counts.tolist() == [len(row) for row in rows.lists()]
    assert np.array_equal(rows[-1], rows[199])
    with pytest.raises(IndexError):
        rows[200]


def test_arrays_belong_to_whoever_keeps_them() -> None:
    rng = np.random.default_rng(1)
    search = NeighborList(1.0, sorted=True)
    systems = [rng.random((2000, 3)) * 12 for _ in range(6)]
    kept = [search.compute("ijd", positions) for positions in systems]
    copies = [tuple(array.copy() for array in arrays) for arrays in kept]
    views = [arrays[2][::7] for arrays in kept]
    for positions in systems:  # overwrites whatever is free
        search.compute("ijd", positions)
    for arrays, copied, view in zip(kept, copies, views):
        assert all(np.array_equal(one, two) for one, two in zip(arrays, copied))
        assert np.array_equal(view, copied[2][::7])
    del kept, arrays
    for _ in range(3):
        search.compute("ijd", systems[0])
    assert all(np.array_equal(view, copied[2][::7]) for view, copied in zip(views, copies))


def test_memory_of_arrays_that_are_gone_is_used_again() -> None:
    positions = np.random.default_rng(1).random((3000, 3)) * 12
    search = NeighborList(1.0)
    places = set()
    for _ in range(8):
        (d,) = search.compute("d", positions)
        places.add(d.ctypes.data)
    assert len(places) <= 2


def test_index_types() -> None:
    positions = np.random.default_rng(1).random((50, 3))
    for dtype in (np.int32, np.int64):
        i, P = neighbor_list("iP", positions, 0.3, index_dtype=dtype)
        assert i.dtype == P.dtype == dtype
    with pytest.raises(ValueError):
        neighbor_list("i", positions, 0.3, index_dtype=np.uint8)


def test_anything_that_turns_into_an_array() -> None:
    exact = np.random.default_rng(1).integers(0, 9, (60, 3))
    expected = neighbor_list("P", exact.astype(float), 1.5, sorted=True)
    strided = np.zeros((120, 6))
    strided[::2, ::2] = exact
    unaligned = np.frombuffer(b"x" + exact.astype(float).tobytes(), np.uint8)[1:].view(np.float64).reshape(60, 3)
    for form in (exact, exact.tolist(), np.asfortranarray(exact.astype(float)), strided[::2, ::2], exact.astype(">f8"), unaligned):
        assert np.array_equal(neighbor_list("P", form, 1.5, sorted=True), expected)
    frozen = exact.astype(float)
    frozen.flags.writeable = False
    assert np.array_equal(neighbor_list("P", frozen, 1.5, sorted=True), expected)


def test_cells_are_forgiving() -> None:
    positions = [[0.5, 5.0], [9.75, 5.0]]
    for cell, pbc in (([10.0, 10.0], True), (np.diag([10.0, 10.0]), None), ([[10.0, 0], [7, 7]], [True, False])):
        assert neighbor_list("d", positions, 1.0, cell=cell, pbc=pbc).tolist() == [0.75, 0.75]
    assert len(neighbor_list("d", positions, 1.0, cell=[10.0, 10.0], pbc=False)) == 0


def test_the_cache_can_be_emptied() -> None:
    positions = np.random.default_rng(1).random((50, 3))
    before = neighbor_list("P", positions, 0.3, sorted=True)
    pivotgrid.clear_cache()
    assert np.array_equal(neighbor_list("P", positions, 0.3, sorted=True), before)
