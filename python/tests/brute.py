"""Each with each, in NumPy."""

from __future__ import annotations

from itertools import product

import numpy as np


def box_pairs(boxes: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
    """Pairs of overlapping boxes of one set, or of two."""
    first, second = boxes, boxes if others is None else others
    overlap = (first[:, None, 0] <= second[None, :, 1]) & (second[None, :, 0] <= first[:, None, 1])
    meet = overlap.all(axis=2)
    return np.argwhere(np.triu(meet, 1) if others is None else meet)


def images(positions: np.ndarray, cell: np.ndarray, pbc, reach: float) -> list[np.ndarray]:
    """All shifts by which two of the positions can come within reach of each other."""
    dim = positions.shape[1]
    periodic = np.broadcast_to(np.asarray(pbc, bool), dim)
    if len(positions) == 0:
        return [np.zeros(dim, int)]
    counts = np.zeros(dim, int)
    if periodic.any():
        dual = np.linalg.pinv(np.asarray(cell, float)[periodic]).T
        fractions = positions.astype(float) @ dual.T
        spread = np.ptp(fractions, axis=0)
        counts[periodic] = np.ceil(reach * np.linalg.norm(dual, axis=1) + spread + 1e-9).astype(int)
    return [np.array(shift) for shift in product(*(range(-count, count + 1) for count in counts))]


def neighbors(positions: np.ndarray, cell, pbc, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows ``i, j, S…`` of all neighbors within reach, their vectors and distances; full lists, sorted."""
    dim = positions.shape[1]
    keys, vectors = [np.empty((0, 2 + dim), int)], [np.empty((0, dim))]
    exact = positions.astype(float)
    for shift in images(positions, cell, pbc, reach):
        moved = exact[None, :, :] - exact[:, None, :]
        if shift.any():
            moved = moved + shift @ np.asarray(cell, float)
        near = np.linalg.norm(moved, axis=2) <= reach
        if not shift.any():
            np.fill_diagonal(near, False)
        pairs = np.argwhere(near)
        keys.append(np.concatenate([pairs, np.broadcast_to(shift, (len(pairs), dim))], axis=1))
        vectors.append(moved[near])
    return in_order(np.concatenate(keys), np.concatenate(vectors))


def in_order(keys: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    order = np.lexsort(keys.T[::-1])
    keys, vectors = keys[order], vectors[order]
    return keys, vectors, np.linalg.norm(vectors, axis=1)


def check_list(found, positions, cell, pbc, cutoff, *, half: bool = False, slack: float = 1e-9, digits: float = 1e-9) -> None:
    """Compares arrays ``i, j, S, d, D`` with an exhaustive search. What is as far as the cutoff, but for rounding, may be in or out."""
    i, j, S, d, D = (np.asarray(array) for array in found)
    assert len(i) == len(j) == len(S) == len(d) == len(D)
    keys = np.concatenate([i[:, None].astype(int), j[:, None].astype(int), S.astype(int)], axis=1)
    if half:
        keys = np.concatenate([keys, np.concatenate([keys[:, [1, 0]], -keys[:, 2:]], axis=1)])
        D, d = np.concatenate([D, -D]), np.concatenate([d, d])
    assert len(np.unique(keys, axis=0)) == len(keys), "a neighbor was found twice"
    keys, vectors, _ = in_order(keys, D)
    d = d[np.lexsort(np.concatenate([i[:, None], j[:, None], S], axis=1).T[::-1])] if not half else None
    expected, ways, distances = neighbors(positions, cell, pbc, cutoff + slack)
    certain = {tuple(key) for key in expected[distances <= cutoff - slack].tolist()}
    possible = {tuple(key): at for at, key in enumerate(expected.tolist())}
    seen = [tuple(key) for key in keys.tolist()]
    assert certain <= set(seen), f"missing: {sorted(certain - set(seen))[:3]}"
    assert set(seen) <= possible.keys(), f"too many: {sorted(set(seen) - possible.keys())[:3]}"
    places = [possible[key] for key in seen]
    np.testing.assert_allclose(vectors, ways[places], atol=digits, rtol=0)
    if d is not None:
        np.testing.assert_allclose(d, distances[places], atol=digits, rtol=0)
