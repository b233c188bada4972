"""Pairs against an exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest
from brute import box_pairs
from hypothesis import given
from hypothesis import strategies as st

from pivotgrid import Balls, BroadPhase, PairTracker, StaticSet


def random_boxes(rng: np.random.Generator, count: int, dim: int, dtype: type = np.float64) -> np.ndarray:
    low = rng.random((count, dim)) * 10
    size = 10 ** rng.uniform(-3, 0.3, (count, 1)) * rng.random((count, dim))
    return np.stack([low, low + size], axis=1).astype(dtype)


def as_set(pairs: np.ndarray) -> set[tuple[int, ...]]:
    assert pairs.shape == (len(pairs), 2) and pairs.dtype == np.int64
    found = {tuple(pair) for pair in pairs.tolist()}
    assert len(found) == len(pairs), "a pair was found twice"
    return found


def expected(pairs: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(pair) for pair in pairs.tolist()}


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2, None])
def test_pairs_of_one_set(dim: int, dtype: type, n_threads: int | None) -> None:
    rng = np.random.default_rng(dim)
    broad_phase = BroadPhase(n_threads=n_threads)
    for count in (0, 1, 2, 70, 1500, 600):
        boxes = random_boxes(rng, count, dim, dtype)
        assert as_set(broad_phase.detect(boxes)) == expected(box_pairs(boxes))
        assert as_set(broad_phase.detect(boxes.reshape(count, 2 * dim))) == expected(box_pairs(boxes))
        assert broad_phase.stats["objects"] == count


corners = st.integers(-4, 4)


@given(st.lists(st.tuples(corners, corners, corners, corners), max_size=90), st.booleans())
def test_drawn_boxes_touch_often(drawn: list[tuple[int, ...]], single: bool) -> None:
    corners = np.array(drawn, np.float32 if single else np.float64).reshape(-1, 2, 2)
    boxes = np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)
    assert as_set(BroadPhase(n_threads=1).detect(boxes)) == expected(box_pairs(boxes))


@pytest.mark.parametrize("dim", [2, 3])
def test_balls_pair_exactly(dim: int) -> None:
    rng = np.random.default_rng(17)
    centers, radii = rng.random((900, dim)) * 8, 0.02 * 30 ** rng.random(900)
    distance = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    meet = np.argwhere(np.triu(distance <= radii[:, None] + radii[None], 1))
    assert as_set(BroadPhase().detect(Balls(centers, radii))) == expected(meet)


def test_groups_and_bodies() -> None:
    rng = np.random.default_rng(19)
    boxes = random_boxes(rng, 700, 3)
    groups = np.stack([rng.integers(0, 8, 700), rng.integers(0, 8, 700), rng.integers(0, 5, 700)], axis=1)

    def admitted(pairs: np.ndarray, bits: np.ndarray) -> set[tuple[int, ...]]:
        a, b = bits[pairs[:, 0]], bits[pairs[:, 1]]
        meet = (a[:, 0] & b[:, 1] != 0) & (b[:, 0] & a[:, 1] != 0)
        if bits.shape[1] == 3:
            meet &= (a[:, 2] == 0) | (a[:, 2] != b[:, 2])
        return expected(pairs[meet])

    broad_phase = BroadPhase()
    for bits in (groups, groups[:, :2], groups.astype(np.uint32), np.full((700, 2), -1), np.full((700, 2), 2**32 - 1)):
        assert as_set(broad_phase.detect(boxes, groups=bits)) == admitted(box_pairs(boxes), bits.astype(np.int64))


def test_two_sets() -> None:
    rng = np.random.default_rng(23)
    broad_phase = BroadPhase()
    for first, second in ((0, 5), (5, 0), (40, 30), (900, 700)):
        one, two = random_boxes(rng, first, 3), random_boxes(rng, second, 3)
        pairs = box_pairs(one, two)
        assert as_set(broad_phase.detect_between(one, two)) == expected(pairs)
        assert as_set(broad_phase.detect_between(one.astype(np.float32), two.astype(np.float32))) == expected(
            box_pairs(one.astype(np.float32), two.astype(np.float32))
        )
        mine, others = rng.integers(0, 8, (first, 3)), rng.integers(0, 8, (second, 3))
        a, b = mine[pairs[:, 0]], others[pairs[:, 1]]
        meet = (a[:, 0] & b[:, 1] != 0) & (b[:, 0] & a[:, 1] != 0) & ((a[:, 2] == 0) | (a[:, 2] != b[:, 2]))
        found = broad_phase.detect_between(one, two, first_groups=mine, second_groups=others)
        assert as_set(found) == expected(pairs[meet])


def test_static_sets() -> None:
    rng = np.random.default_rng(29)
    walls, actors = random_boxes(rng, 2000, 3), random_boxes(rng, 500, 3)
    statics, broad_phase = StaticSet(walls), BroadPhase(n_threads=2)
    moving, static = broad_phase.detect_with(actors, statics)
    assert as_set(moving) == expected(box_pairs(actors))
    assert as_set(static) == expected(box_pairs(actors, walls))

    (new,) = statics.insert(walls[:1])
    assert new == 2000 and len(statics) == 2001
    statics.update(0, actors[0])
    statics.remove(1)
    with pytest.raises(IndexError):
        statics.remove(1)
    with pytest.raises(IndexError):
        statics.update(5000, actors[0])
    now = np.concatenate([walls, walls[:1]])
    now[0], now[1] = actors[0], [[99.0] * 3, [99.0] * 3]
    assert as_set(broad_phase.detect_with(actors, statics)[1]) == expected(box_pairs(actors, now))
    # A set of doubles takes objects of single precision, as doubles.
    exact = actors.astype(np.float32)
    assert as_set(broad_phase.detect_with(exact, statics)[1]) == expected(box_pairs(exact.astype(np.float64), now))


def test_events() -> None:
    rng = np.random.default_rng(31)
    tracker, before = PairTracker(), set()
    boxes, keys = random_boxes(rng, 800, 3), rng.permutation(10_000)[:800]
    for _ in range(5):
        boxes = boxes + rng.normal(scale=0.05, size=(800, 1, 3))
        now = {tuple(sorted((int(keys[a]), int(keys[b])))) for a, b in box_pairs(boxes)}
        events = tracker.update(boxes, keys=keys)
        assert as_set(events.started) == now - before
        assert as_set(events.ongoing) == now & before
        assert as_set(events.ended) == before - now
        assert as_set(tracker.current) == now
        assert events.started.tolist() == sorted(events.started.tolist())
        order = rng.permutation(800)
        boxes, keys, before = boxes[order], keys[order], now
    key = int(keys[0])
    tracker.forget(key)
    assert key not in tracker.current


def test_events_with_a_margin() -> None:
    tracker = PairTracker(BroadPhase(n_threads=1))

    def counts(gap: float) -> tuple[int, ...]:
        events = tracker.update([[0.0, 0, 1, 1], [1 + gap, 0, 2 + gap, 1]], margin=0.1)
        return tuple(len(pairs) for pairs in events)

    assert [counts(gap) for gap in (0.15, 0.0, 0.15, 0.25)] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    with pytest.raises(ValueError, match="margin"):
        tracker.update([[0.0, 0, 1, 1]], margin=0.1, groups=[[1, 1]])


def test_canonical_order_is_the_same_for_every_number_of_threads() -> None:
    boxes = random_boxes(np.random.default_rng(37), 4000, 3, np.float32)
    lists = [BroadPhase(n_threads=threads, canonical_order=True).detect(boxes) for threads in (1, 2, 4, None)]
    assert lists[0].tolist() == sorted(lists[0].tolist())
    assert all(np.array_equal(lists[0], other) for other in lists[1:])


def test_infinite_boxes() -> None:
    plane = [[-np.inf, -np.inf, -1.0], [np.inf, np.inf, 0.0]]
    boxes = np.array([plane, [[0, 0, -0.5], [1, 1, 1]], [[0, 0, 0.5], [1, 1, 1]]])
    assert as_set(BroadPhase().detect(boxes)) == {(0, 1), (1, 2)}


def test_one_engine_for_all_kinds() -> None:
    broad_phase, rng = BroadPhase(), np.random.default_rng(41)
    for dim, dtype in ((2, np.float32), (3, np.float64), (3, np.float32), (2, np.float64)):
        boxes = random_boxes(rng, 200, dim, dtype)
        assert as_set(broad_phase.detect(boxes)) == expected(box_pairs(boxes))
