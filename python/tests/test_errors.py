"""Bad input is an exception that says what and where, and nothing ends the interpreter."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pivotgrid
from pivotgrid import Balls, BroadPhase, InvalidObjectError, NeighborList, PairTracker, StaticSet, neighbor_list


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_index_of_a_bad_box(n_threads: int) -> None:
    boxes = np.tile([0.0, 0, 0, 1, 1, 1], (3000, 1))
    boxes += 10.0 * np.arange(3000)[:, None]
    boxes[1234, 4] = np.nan
    boxes[2000] = [5, 5, 5, 4, 6, 6]
    broad_phase = BroadPhase(n_threads=n_threads)
    with pytest.raises(InvalidObjectError, match="object 1234") as caught:
        broad_phase.detect(boxes)
    assert caught.value.index == 1234 and caught.value.indices == [1234, 2000]
    assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidObjectError, match="object 1234"):
        PairTracker(broad_phase).update(boxes)
    with pytest.raises(InvalidObjectError, match="of the second set, object 1234"):
        broad_phase.detect_between(boxes[:1000], boxes)
    with pytest.raises(InvalidObjectError, match="object 1234"):
        StaticSet(boxes)
    with pytest.raises(InvalidObjectError, match="object 1234"):
        broad_phase.detect_with(boxes, StaticSet(boxes[:5]))
    # It goes on afterwards.
    assert len(broad_phase.detect(boxes[:1000])) == 0 and broad_phase.rejected == []

    lenient = BroadPhase(n_threads=n_threads, on_invalid="skip")
    assert len(lenient.detect(np.concatenate([boxes, boxes[:1]]))) == 1
    assert [index for index, _ in lenient.rejected] == [1234, 2000]
    assert "NaN" in lenient.rejected[0][1] and "min > max" in lenient.rejected[1][1]


def test_the_index_of_a_bad_particle() -> None:
    positions = np.random.default_rng(1).random((2000, 3))
    positions[77, 1] = np.nan
    for cell in (None, np.eye(3)):
        with pytest.raises(InvalidObjectError) as caught:
            neighbor_list("ij", positions, 0.1, cell=cell)
        assert caught.value.index == 77
        search = NeighborList(0.1, on_invalid="skip")
        i, j = search.compute("ij", positions, cell)
        assert 77 not in i and 77 not in j and [index for index, _ in search.rejected] == [77]
    radii = np.full(2000, 0.05)
    radii[5] = -1.0
    with pytest.raises(InvalidObjectError) as caught:
        neighbor_list("ij", np.nan_to_num(positions), radii)
    assert caught.value.index == 5
    with pytest.raises(InvalidObjectError) as caught:
        BroadPhase().detect(Balls(np.nan_to_num(positions), radii))
    assert caught.value.index == 5
    with pytest.raises(InvalidObjectError, match="period"):
        neighbor_list("ij", np.zeros((1, 3)), 200.0, cell=np.eye(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: BroadPhase().detect(np.zeros((4, 5))),
        lambda: BroadPhase().detect(np.zeros((4, 3, 2))),
        lambda: BroadPhase().detect(np.zeros(4)),
        lambda: BroadPhase().detect(np.zeros((4, 2, 4))),
        lambda: BroadPhase().detect(np.zeros((4, 4)), groups=np.zeros((3, 2), int)),
        lambda: BroadPhase().detect(np.zeros((4, 4)), groups=np.zeros((4, 4), int)),
        lambda: BroadPhase().detect(np.zeros((4, 4)), groups=np.zeros((4, 2))),
        lambda: BroadPhase().detect(np.zeros((4, 4)), groups=np.full((4, 2), 1 << 40)),
        lambda: BroadPhase().detect(Balls(np.zeros((4, 3)), np.zeros(3))),
        lambda: BroadPhase().detect_between(np.zeros((4, 4)), np.zeros((4, 6))),
        lambda: BroadPhase().detect_with(np.zeros((4, 4)), StaticSet(np.zeros((4, 6)))),
        lambda: BroadPhase(n_threads=0),
        lambda: BroadPhase(n_threads=-3),
        lambda: BroadPhase(cell_size=-1.0),
        lambda: BroadPhase(on_invalid="ignore"),  # type: ignore[arg-type]
        lambda: StaticSet(np.zeros((4, 4))).insert(np.zeros((4, 6))),
        lambda: PairTracker().update(np.zeros((4, 4)), keys=[1, 2]),
        lambda: NeighborList(-1.0).compute("i", np.zeros((4, 3))),
        lambda: NeighborList(np.nan).compute("i", np.zeros((4, 3))),
        lambda: NeighborList(1.0).compute("x", np.zeros((4, 3))),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 4))),
        lambda: NeighborList(1.0).compute("i", np.zeros(4)),
        lambda: NeighborList([1.0]).compute("i", np.zeros((4, 3))),
        lambda: NeighborList([1.0], reach="least").compute("i", np.zeros((1, 3))),  # type: ignore[arg-type]
        lambda: NeighborList([1.0], reach="gather", half=True),
        lambda: NeighborList({(1, 1): 1.0}).compute("i", np.zeros((4, 3))),
        lambda: NeighborList({(1, 1): -1.0}).compute("i", np.zeros((4, 3)), numbers=[1] * 4),
        lambda: NeighborList({(1, 1): 1.0}).compute("i", np.zeros((4, 3)), numbers=[1] * 3),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), pbc=True),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), cell=np.zeros((3, 3))),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), cell=np.full((3, 3), np.nan)),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), cell=np.eye(2)),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), cell=np.eye(3), pbc=[True, False]),
        lambda: NeighborList(1.0).compute("i", np.zeros((4, 3)), cell=[[1, 0, 0], [2, 0, 0], [0, 0, 1]]),
    ],
)
def test_wrong_arguments(call) -> None:
    with pytest.raises(ValueError):
        call()


def test_wrong_types() -> None:
    for values in (np.array(["a"]), np.zeros((4, 4), complex), [[object()] * 4], np.zeros((4, 4), "M8[s]")):
        with pytest.raises((TypeError, ValueError)):
            BroadPhase().detect(values)
    with pytest.raises(TypeError):
        BroadPhase().detect(None)  # type: ignore[arg-type]


def test_the_native_half_checks_again() -> None:
    from pivotgrid import _native

    engine = _native.BroadPhase(True, 3, 1, True, False, None, None)
    fortran = np.asfortranarray(np.zeros((4, 6)))
    for boxes in (fortran, np.zeros((4, 6), np.float32), np.zeros(5), np.zeros((4, 12))[:, ::2], "text", None):
        with pytest.raises((TypeError, ValueError)):
            engine.detect((boxes, None, None))  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError)):
        engine.detect((np.zeros((4, 6)), None, np.zeros((3, 3), np.uint32)))
    with pytest.raises(ValueError):
        _native.BroadPhase(True, 4, 1, True, False, None, None)
    with pytest.raises(ValueError):
        engine.query(("nonsense", np.zeros((1, 3)), None, None, 0))
    with pytest.raises(ValueError):
        engine.query(("within", np.zeros((1, 3)), None, None, 0))
    with pytest.raises(ValueError):
        _native.rows_to_lists(np.array([0, 5]), np.array([1]))


def test_too_much_memory_is_an_error() -> None:
    boxes = np.zeros((3000, 4))
    boxes[:, 2:] = 1.0
    broad_phase = BroadPhase(max_bytes=10_000_000)
    with pytest.raises(MemoryError, match="max_bytes"):
        broad_phase.detect(boxes)
    assert len(broad_phase.detect(boxes[:100])) == 100 * 99 // 2
    search = NeighborList(1.0, max_bytes=1_000_000)
    for _ in range(2):
        with pytest.raises(MemoryError, match="max_bytes"):
            search.compute("i", np.zeros((3000, 3)))
        assert len(search.compute("i", np.zeros((100, 3)))[0]) == 100 * 99
    # A million points, each near each: 8 TB.
    with pytest.raises(MemoryError):
        NeighborList(1.0, half=True, max_bytes=1 << 28).compute("ij", np.zeros((1_000_000, 2), np.float32))


def test_one_object_in_two_threads_is_an_exception_or_fine() -> None:
    rng = np.random.default_rng(1)
    broad_phase, failures = BroadPhase(n_threads=1), []
    boxes = rng.random((20_000, 2, 3))
    boxes[:, 1] = boxes[:, 0] + 0.01

    def work() -> None:
        for _ in range(20):
            try:
                assert len(broad_phase.detect(boxes)) == count
            except RuntimeError as error:
                assert "borrowed" in str(error)
            except Exception as error:  # noqa: BLE001
                failures.append(error)

    count = len(broad_phase.detect(boxes))
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_during_a_call() -> None:
    positions = np.random.default_rng(1).random((200_000, 3))
    search = NeighborList(0.03, n_threads=1)
    ticks, over = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    search.compute("ijd", positions)
    during = ticks - before
    over.set()
    thread.join()
    assert during > 3


def test_functions_may_be_called_from_many_threads() -> None:
    positions = np.random.default_rng(1).random((3000, 3))
    expected = neighbor_list("P", positions, 0.05, sorted=True)
    wrong = []

    def work() -> None:
        for _ in range(10):
            if not np.array_equal(neighbor_list("P", positions, 0.05, sorted=True), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def _count(queue) -> None:  # in a child
    positions = np.random.default_rng(1).random((5000, 3))
    queue.put(len(neighbor_list("i", positions, 0.05)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_has_threads_of_its_own() -> None:
    positions = np.random.default_rng(1).random((5000, 3))
    expected = len(neighbor_list("i", positions, 0.05))  # makes a pool
    BroadPhase().detect(np.zeros((2000, 4)) + np.arange(2000)[:, None])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_count, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(timeout=60)
    assert child.exitcode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_ctrl_c_ends_a_loop_of_calls() -> None:
    # A shell starts background jobs with SIGINT ignored, and programs inherit that: then Python has no handler of its own.
    program = (
        "import numpy as np, pivotgrid, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "positions = np.random.default_rng(1).random((100_000, 3))\n"
        "search = pivotgrid.NeighborList(0.03)\n"
        "print('ready', flush=True)\n"
        "while True: search.compute('ij', positions)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors and process.returncode != 0


def test_types_are_shipped() -> None:
    from pathlib import Path

    folder = Path(pivotgrid.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()
    assert set(pivotgrid.__all__) <= set(dir(pivotgrid))
