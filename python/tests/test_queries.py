"""Queries in batches against an exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest
from brute import box_pairs
from test_pairs import random_boxes

from pivotgrid import BroadPhase, StaticSet


@pytest.fixture(params=[2, 3])
def dim(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(params=["step, one thread", "step", "static set"])
def scene(request: pytest.FixtureRequest, dim: int):
    boxes = random_boxes(np.random.default_rng(43), 900, dim)
    if request.param == "static set":
        return StaticSet(boxes), boxes
    broad_phase = BroadPhase(n_threads=1 if "one" in request.param else None)
    broad_phase.detect(boxes)
    return broad_phase, boxes


def distances(points: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    gap = np.maximum(np.maximum(boxes[None, :, 0] - points[:, None], points[:, None] - boxes[None, :, 1]), 0.0)
    return np.sqrt((gap**2).sum(axis=2))


def test_boxes(scene, dim: int) -> None:
    engine, boxes = scene
    asked = random_boxes(np.random.default_rng(1), 300, dim)
    rows = engine.overlapping(asked)
    found = np.stack([np.repeat(np.arange(300), rows.counts), rows.indices], axis=1)
    assert found.tolist() == box_pairs(asked, boxes).tolist()


def test_points(scene, dim: int) -> None:
    engine, boxes = scene
    points = np.random.default_rng(2).random((300, dim)) * 10
    rows = engine.containing(points)
    inside = distances(points, boxes) == 0.0
    assert rows.lists() == [np.flatnonzero(row).tolist() for row in inside]


def test_radii(scene, dim: int) -> None:
    engine, boxes = scene
    rng = np.random.default_rng(3)
    points, radii = rng.random((300, dim)) * 10, rng.random(300)
    far = distances(points, boxes)
    rows = engine.within(points, radii)
    for row, (found, radius) in enumerate(zip(rows, radii)):
        assert sorted(found.tolist()) == np.flatnonzero(far[row] <= radius).tolist()
        values = rows.values[rows.offsets[row] : rows.offsets[row + 1]]
        np.testing.assert_allclose(values, far[row, found], atol=1e-12)
        assert (np.diff(values) >= 0).all()
    assert engine.within(points, 0.5).counts.tolist() == (far <= 0.5).sum(axis=1).tolist()


def test_nearest(scene, dim: int) -> None:
    engine, boxes = scene
    points = np.random.default_rng(4).random((200, dim)) * 12 - 1
    far = distances(points, boxes)
    for k in (1, 7):
        indices, lengths = engine.nearest(points, k)
        assert indices.shape == lengths.shape == (200, k)
        np.testing.assert_allclose(lengths, np.sort(far, axis=1)[:, :k], atol=1e-12)
        np.testing.assert_allclose(np.take_along_axis(far, indices, axis=1), lengths, atol=1e-12)
    indices, lengths = engine.nearest(points[:3], 1000)
    assert (indices[:, 900:] == -1).all() and np.isinf(lengths[:, 900:]).all() and (indices[:, :900] >= 0).all()


def test_rays(scene, dim: int) -> None:
    engine, boxes = scene
    rng = np.random.default_rng(5)
    origins, directions = rng.random((200, dim)) * 10, rng.normal(size=(200, dim))
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = ((boxes[None, :, side] - origins[:, None]) / directions[:, None] for side in (0, 1))
    enter, leave = np.minimum(one, two).max(axis=2), np.maximum(one, two).min(axis=2)
    for end in (np.inf, 2.0):
        met = (enter <= leave) & (leave >= 0) & (enter <= end)
        rows = engine.ray_hits(origins, directions, end)
        first, times = engine.first_hits(origins, directions, end)
        for row, found in enumerate(rows):
            assert sorted(found.tolist()) == np.flatnonzero(met[row]).tolist()
            values = rows.values[rows.offsets[row] : rows.offsets[row + 1]]
            np.testing.assert_allclose(values, np.maximum(enter[row, found], 0.0), atol=1e-9)
            assert (np.diff(values) >= 0).all()
            if len(found):
                assert (first[row], times[row]) == (found[0], values[0])
            else:
                assert first[row] == -1 and np.isinf(times[row])
    # One origin for all directions.
    assert len(engine.ray_hits(origins[0], directions)) == 200


def test_no_queries(scene, dim: int) -> None:
    engine, _ = scene
    assert len(engine.overlapping(np.empty((0, 2, dim)))) == 0
    assert len(engine.within(np.empty((0, dim)), 1.0)) == 0
    assert engine.nearest(np.empty((0, dim)), 3)[0].shape == (0, 3)


def test_what_makes_no_sense_is_refused_or_finds_nothing(scene, dim: int) -> None:
    engine, _ = scene
    with pytest.raises(ValueError, match="dimensions"):
        engine.containing(np.zeros((4, 5 - dim)))
    with pytest.raises(ValueError, match="at least 1"):
        engine.nearest(np.zeros((4, dim)), 0)
    with pytest.raises(ValueError, match="radius"):
        engine.within(np.zeros((4, dim)), np.zeros(3))
    nan = np.full((1, dim), np.nan)
    assert engine.containing(nan).counts.tolist() == engine.within(nan, 1.0).counts.tolist() == [0]
    assert engine.first_hits(nan, nan)[0].tolist() == [-1]


def test_there_must_be_a_step() -> None:
    with pytest.raises(ValueError, match="last step"):
        BroadPhase().nearest([[0.0, 0.0]])
