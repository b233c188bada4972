"""Recordings of boxes: a scene that can be run again, by ``lab replay`` and by others."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _native
from ._arrays import Array


class Recording:
    """A recording, read frame by frame: boxes of the shape ``(n, 2, dim)``. Reads the library's own format, CSV, and the files of the
    Broadmark framework.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "scene.pgboxes")
    >>> record(path, [[[0.0, 0, 1, 1]], [[0.5, 0, 1.5, 1], [2, 2, 3, 3]]])
    2
    >>> recording = Recording(path)
    >>> recording.format, recording.dim, recording.dtype, recording.frames
    ('binary', 2, dtype('float64'), 2)
    >>> [frame.shape for frame in recording]
    [(1, 2, 2), (2, 2, 2)]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._recording = _native.Recording(Path(path))
        self.format, self.dim, double, self.frames = self._recording.header()
        self.dtype: np.dtype[Any] = np.dtype(np.float64 if double else np.float32)

    def __iter__(self) -> Iterator[Array]:
        while (frame := self._recording.next_frame()) is not None:
            yield frame


class Recorder:
    """A recording, written frame by frame. All frames have the dimension and the precision of the first.

    What was written can be read even if the program ends before :meth:`close`; with ``with``, it is closed by itself.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._recorder: _native.Recorder | None = None
        self._kind: tuple[np.dtype[Any], int] | None = None
        self._closed = False

    def frame(self, boxes: ArrayLike) -> None:
        """Appends a frame."""
        if self._closed:
            raise ValueError("the recording is closed")
        array = _arrays.boxes(boxes, None if self._kind is None else self._kind[0])
        if self._recorder is None:
            self._kind = (array.dtype, array.shape[2])
            self._recorder = _native.Recorder(self._path, array.dtype == np.float64, array.shape[2])
        elif self._kind != (array.dtype, array.shape[2]):
            raise ValueError("all frames of a recording have the same dimension")
        self._recorder.frame(array)

    def close(self) -> None:
        """Writes the number of frames into the file."""
        self._closed = True
        if self._recorder is not None:
            self._recorder.finish()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def record(path: str | os.PathLike[str], frames: Iterable[ArrayLike]) -> int:
    """Writes frames of boxes to a file, and returns how many there were."""
    count = 0
    with Recorder(path) as recorder:
        for boxes in frames:
            recorder.frame(boxes)
            count += 1
    return count
