"""Time of neighbor lists and pairs from Python, against the packages that people use: ``python benchmarks/peers.py [--n 100000]``.

All calls are timed from Python, binding and conversion included, on one thread each, as CPU time of the process. For each row all packages
take turns on the same arrays, and the median of the rounds is shown. The numbers of what they find must be the same.
"""

from __future__ import annotations

import os

# Before any package starts threads.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TBB_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import argparse
import datetime
import importlib
import importlib.metadata
import platform
import statistics
import time
from typing import Any, Callable

import numpy as np

import pivotgrid
from pivotgrid.compat import ase as our_ase
from pivotgrid.compat import scipy as our_scipy

NEIGHBORS = 28


def package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"!!! {name} is not installed: its column is empty")
        return None


ase_neighborlist, vesin, matscipy, freud, scipy_spatial = (
    package(name) for name in ("ase.neighborlist", "vesin", "matscipy.neighbours", "freud", "scipy.spatial")
)


def machine() -> str:
    model = platform.processor()
    try:
        with open("/proc/cpuinfo") as info:
            model = next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def versions() -> str:
    names = ("pivotgrid", "numpy", "scipy", "ase", "vesin", "matscipy", "freud-analysis")
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} missing")
    return ", ".join(found)


Call = Callable[[], Any]


def contest(calls: dict[str, Call | None], count: Callable[[Any], int], rounds: int) -> dict[str, float]:
    """The median of each in milliseconds. The number of what is found must be the same."""
    there = {name: call for name, call in calls.items() if call is not None}
    counts = {name: count(call()) for name, call in there.items()}
    times: dict[str, list[float]] = {name: [] for name in there}
    for _ in range(rounds):
        for name, call in there.items():
            begin = time.process_time()
            found = call()
            times[name].append(time.process_time() - begin)
            del found
    first = next(iter(counts.values()))
    wrong = {name: other for name, other in counts.items() if abs(other - first) > 2e-5 * first}
    assert not wrong, f"different answers: {counts}"
    return {name: 1e3 * statistics.median(spent) for name, spent in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="", help="only rows whose names contain this")
    options = parser.parse_args()
    n, rounds = options.n, options.rounds
    print(f"{datetime.date.today()}, {machine()}\n{versions()}")
    print(f"{n} particles, {NEIGHBORS} neighbors each, float64, one thread each; median CPU milliseconds of {rounds} rounds\n")

    rng = np.random.default_rng(0)
    edge = n ** (1 / 3)
    cutoff = (NEIGHBORS * 3 / (4 * np.pi)) ** (1 / 3)
    positions = rng.random((n, 3)) * edge
    cell = np.eye(3) * edge
    sheared = cell @ np.array([[1, 0, 0], [0.3, 1, 0], [-0.2, 0.25, 1]])
    in_sheared = np.linalg.solve(cell.T, positions.T).T @ sheared

    def atoms(where: np.ndarray, vectors: np.ndarray, pbc: bool) -> Any:
        import ase

        return ase.Atoms(numbers=np.ones(len(where)), positions=where, cell=vectors, pbc=pbc)

    def lists(quantities: str, where: np.ndarray, vectors: np.ndarray, pbc: bool) -> dict[str, Call | None]:
        search = pivotgrid.NeighborList(cutoff, n_threads=1)
        calls: dict[str, Call | None] = {"pivotgrid": lambda: search.compute(quantities, where, vectors, pbc)}
        calls["pivotgrid, function"] = lambda: pivotgrid.neighbor_list(
            quantities, where, cutoff, cell=vectors, pbc=pbc, n_threads=1
        )
        if vesin:
            calculator = vesin.NeighborList(cutoff=cutoff, full_list=True, n_threads=1)
            calls["vesin"] = lambda: calculator.compute(where, vectors, pbc, quantities)
            calls["vesin, no copy"] = lambda: calculator.compute(where, vectors, pbc, quantities, copy=False)
        if matscipy:
            flags = np.array([pbc] * 3)
            calls["matscipy"] = lambda: matscipy.neighbour_list(quantities, positions=where, cell=vectors, pbc=flags, cutoff=cutoff)
        return calls

    table: list[tuple[str, dict[str, float]]] = []

    def row(name: str, calls: Callable[[], dict[str, Call | None]], count: Callable[[Any], int]) -> None:
        if options.rows in name:
            table.append((name, contest(calls(), count, rounds)))
            shown = ", ".join(f"{package} {spent:.0f}" for package, spent in table[-1][1].items())
            print(f"  {name}: {shown}", flush=True)

    length = lambda found: len(found[0])  # noqa: E731
    for quantities in ("ij", "ijS", "ijSdD"):
        row(f"periodic, {quantities}", lambda: lists(quantities, positions, cell, True), length)
    row("triclinic, ijSdD", lambda: lists("ijSdD", in_sheared, sheared, True), length)
    row("open, ijd", lambda: lists("ijd", positions, cell, False), length)

    def freud_calls() -> dict[str, Call | None]:
        search = pivotgrid.NeighborList(cutoff, n_threads=1)
        centered = (positions - edge / 2).astype(np.float32)
        calls: dict[str, Call | None] = {"pivotgrid": lambda: search.compute("ijd", centered, cell, True)}
        if freud:
            freud.parallel.set_num_threads(1)
            box = freud.box.Box.cube(edge)
            arguments = dict(mode="ball", r_max=cutoff, exclude_ii=True)
            calls["freud"] = lambda: freud.locality.AABBQuery(box, centered).query(centered, arguments).toNeighborList()
        return calls

    row("periodic, ijd, float32", freud_calls, lambda found: len(found[0]) if isinstance(found, tuple) else len(found[:]))

    def pairs_calls(boxsize: float | None) -> dict[str, Call | None]:
        vectors, pbc = (cell, True) if boxsize else (None, False)
        search = pivotgrid.NeighborList(cutoff, half=True, n_threads=1)
        calls: dict[str, Call | None] = {"pivotgrid": lambda: search.compute("P", positions, vectors, pbc)[0]}
        if scipy_spatial:
            calls["scipy"] = lambda: scipy_spatial.cKDTree(positions, boxsize=boxsize).query_pairs(cutoff, output_type="ndarray")
        return calls

    row("query_pairs, open", lambda: pairs_calls(None), len)
    row("query_pairs, periodic", lambda: pairs_calls(edge), len)

    def ball_calls() -> dict[str, Call | None]:
        def ours() -> Any:
            tree = our_scipy.cKDTree(positions)
            return tree.query_ball_point(tree.data, cutoff)

        calls: dict[str, Call | None] = {"pivotgrid": ours}
        if scipy_spatial:
            calls["scipy"] = lambda: scipy_spatial.cKDTree(positions).query_ball_point(positions, cutoff)
        return calls

    row("query_ball_point, lists", ball_calls, lambda found: sum(map(len, found)))

    def nearest_calls() -> dict[str, Call | None]:
        others = rng.random((n, 3)) * edge
        calls: dict[str, Call | None] = {"pivotgrid": lambda: our_scipy.cKDTree(positions).query(others, 8)}
        if scipy_spatial:
            calls["scipy"] = lambda: scipy_spatial.cKDTree(positions).query(others, 8)
        return calls

    row("query, 8 nearest", nearest_calls, lambda found: int(np.isfinite(found[0]).sum()))

    # ASE takes half a minute for 100 000 atoms: a tenth of them, at the same density.
    few = n // 10
    part = rng.random((few, 3)) * few ** (1 / 3)
    small = np.eye(3) * few ** (1 / 3)

    def ase_calls() -> dict[str, Call | None]:
        structure = atoms(part, small, True)
        return {
            "pivotgrid": lambda: our_ase.neighbor_list("ijSdD", structure, cutoff),
            "ase": lambda: ase_neighborlist.neighbor_list("ijSdD", structure, cutoff),
        }

    def species_calls() -> dict[str, Call | None]:
        structure = atoms(positions, cell, True)
        structure.numbers[:] = rng.choice([1, 8], n)
        cutoffs = {(1, 1): 0.6 * cutoff, (1, 8): 0.8 * cutoff, (8, 8): cutoff}
        search = pivotgrid.NeighborList(cutoffs, n_threads=1)
        calls: dict[str, Call | None] = {"pivotgrid": lambda: search.compute("ijSd", structure)}
        if matscipy:
            calls["matscipy"] = lambda: matscipy.neighbour_list("ijSd", structure, cutoffs)
        return calls

    if ase_neighborlist:
        row("by species, ijSd", species_calls, length)
        row(f"drop-in of ASE, ijSdD, {few} atoms", ase_calls, length)

    peers = list(dict.fromkeys(name for _, times in table for name in times))
    print("\n| " + " | ".join(["row", *peers, "fastest other"]) + " |")
    print("|---|" + "---:|" * (len(peers) + 1))
    for name, times in table:
        others = {peer: spent for peer, spent in times.items() if not peer.startswith("pivotgrid")}
        best = min(others, key=lambda peer: others[peer]) if others else None
        factor = f"{others[best] / times['pivotgrid']:.1f}× {best}" if best else ""
        cells = [f"{times[peer]:.1f}" if peer in times else "" for peer in peers]
        print("| " + " | ".join([name, *cells, factor]) + " |")


if __name__ == "__main__":
    main()
