"""Recordings, written and read."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from test_pairs import random_boxes

from pivotgrid import Recorder, Recording, record


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_there_and_back(tmp_path: Path, dim: int, dtype: type) -> None:
    rng = np.random.default_rng(1)
    frames = [random_boxes(rng, count, dim, dtype) for count in (5, 0, 70)]
    path = tmp_path / "scene.pgboxes"
    assert record(path, frames) == 3
    recording = Recording(path)
    assert (recording.format, recording.dim, recording.dtype, recording.frames) == ("binary", dim, dtype, 3)
    read = list(recording)
    assert len(read) == 3 and all(np.array_equal(one, two) for one, two in zip(read, frames))
    assert all(frame.dtype == dtype for frame in read)


def test_the_format_is_that_of_the_lab(tmp_path: Path) -> None:
    path = tmp_path / "scene.pgboxes"
    record(path, [np.array([[1.0, 2, 3, 4]], np.float32)])
    head = struct.pack("<8sIIIIQ", b"pgboxes\0", 1, 2, 4, 1, 1)
    assert path.read_bytes() == head + struct.pack("<I4f", 1, 1, 2, 3, 4)


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "scene.csv"
    path.write_text("frame,min_x,min_y,max_x,max_y\n0,0,0,1,1\n0,1,1,2,2\n1,5,5,6,6\n")
    recording = Recording(str(path))
    assert recording.format == "csv" and [frame.tolist() for frame in recording] == [
        [[[0, 0], [1, 1]], [[1, 1], [2, 2]]],
        [[[5, 5], [6, 6]]],
    ]


def test_what_a_crash_leaves_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "scene.pgboxes"
    recorder = Recorder(path)
    recorder.frame([[0.0, 0, 1, 1]])
    with pytest.raises(ValueError, match="dimension"):
        recorder.frame([[0.0, 0, 0, 1, 1, 1]])
    recorder.close()
    recorder.close()
    with pytest.raises(ValueError, match="closed"):
        recorder.frame([[0.0, 0, 1, 1]])
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    recording = Recording(path)
    with pytest.raises(ValueError, match="ends at byte"):
        list(recording)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        Recording(tmp_path / "nothing")
    path = tmp_path / "something"
    path.write_bytes(b"\x00\x01\x02something else")
    with pytest.raises(ValueError, match="recording"):
        Recording(path)
