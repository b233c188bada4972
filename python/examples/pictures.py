"""Three uses of pivotgrid, with pictures: ``python examples/pictures.py [FOLDER]`` writes them to FOLDER, ``docs`` unless given.

# %% is a cell for editors that know notebooks in scripts.
"""

# %% Setup
from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

import pivotgrid

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PatchCollection  # noqa: E402
from matplotlib.patches import Circle  # noqa: E402
from PIL import Image  # noqa: E402

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs"
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(2026)


def save(name: str) -> None:
    plt.tight_layout()
    plt.savefig(folder / name, dpi=80)
    plt.close()
    # Few colors make small files.
    Image.open(folder / name).convert("RGB").quantize(200).save(folder / name, optimize=True)


# %% SPH: the density of a fluid by a kernel over all neighbors within twice the smoothing length
def sph_density(positions: np.ndarray, mass: float, h: float, edge: float) -> np.ndarray:
    rows = pivotgrid.NeighborList(2 * h).rows(positions, cell=[edge, edge], pbc=True)

    def kernel(r: np.ndarray) -> np.ndarray:  # the cubic spline in two dimensions
        q = r / h
        w = np.where(q < 1, 1 - 1.5 * q**2 * (1 - q / 2), 0.25 * np.maximum(2 - q, 0) ** 3)
        return 10 / (7 * np.pi * h**2) * w

    # A sparse matrix of kernels: its product with the masses is the sum over neighbors. Each particle counts for itself, too.
    return rows.sparse(kernel(rows.distances)) @ np.full(len(positions), mass) + mass * kernel(np.zeros(1))


edge, count = 10.0, 20_000
lattice = np.stack(np.meshgrid(*[np.linspace(0, edge, 200, endpoint=False)] * 2), axis=-1).reshape(-1, 2)[:40_000]
fluid = lattice[rng.permutation(len(lattice))[:count]] + rng.normal(scale=0.01, size=(count, 2))
wave = 2 * np.pi / edge
fluid += 0.6 * np.stack([np.sin(wave * fluid[:, 0]) * np.cos(2 * wave * fluid[:, 1]), np.sin(wave * fluid[:, 1])], axis=1)
fluid %= edge
density = sph_density(fluid, mass=edge**2 / count, h=0.15, edge=edge)
assert abs(np.average(1 / density) - 1) < 0.2  # a particle's volume is its mass over its density

plt.figure(figsize=(6, 5))
plt.scatter(*fluid.T, c=density, s=7, cmap="viridis", linewidths=0)
plt.colorbar(label="density")
plt.axis("square"), plt.xlim(0, edge), plt.ylim(0, edge)
plt.title(f"SPH density of {count:,} particles in a periodic box")
save("sph-density.png")


# %% A packing of discs, and the network of its contacts
def relaxed(centers: np.ndarray, radii: np.ndarray, edge: float, steps: int) -> np.ndarray:
    """Pushes overlapping discs apart, step after step."""
    search = pivotgrid.NeighborList(radii, half=True)  # neighbors touch: nearer than the sum of their radii
    for _ in range(steps):
        i, j, d, D = search.compute("ijdD", centers, cell=[edge, edge], pbc=True)
        push = (0.5 * (radii[i] + radii[j] - d) / np.maximum(d, 1e-12))[:, None] * D
        np.add.at(centers, i, -0.5 * push)
        np.add.at(centers, j, 0.5 * push)
        centers %= edge
    return centers


edge, count = 20.0, 900
radii = rng.choice([0.22, 0.30, 0.45], count, p=[0.4, 0.4, 0.2])
radii *= np.sqrt(0.86 * edge**2 / (np.pi * (radii**2).sum()))  # 86 % of the area: jammed
centers = relaxed(rng.random((count, 2)) * edge, radii, edge, 400)
i, j, S, d, D = pivotgrid.neighbor_list("ijSdD", centers, radii * 1.0005, cell=[edge, edge], half=True)
overlap = radii[i] + radii[j] - d
contacts = 2 * len(i) / count

plt.figure(figsize=(6, 6))
discs = PatchCollection([Circle(c, r) for c, r in zip(centers, radii)], facecolor="#d8dee9", edgecolor="white", linewidth=0.5)
plt.gca().add_collection(discs)
lines = np.stack([centers[i], centers[i] + D], axis=1)
strength = np.maximum(overlap, 0) / max(overlap.max(), 1e-12)
plt.gca().add_collection(LineCollection(lines, linewidths=0.3 + 3 * strength, colors="#bf616a"))
plt.axis("square"), plt.xlim(0, edge), plt.ylim(0, edge)
plt.title(f"Contacts of {count} discs in a periodic box: {contacts:.2f} per disc")
save("packing.png")

# %% A structure of ASE: neighbors by shell, and how many each atom has around a surface
from ase.build import fcc111  # noqa: E402

slab = fcc111("Cu", size=(12, 12, 5), vacuum=8.0)
slab.rattle(0.08, seed=1)
i, d = pivotgrid.neighbor_list("id", slab, 7.0)
first_shell = pivotgrid.neighbor_list("i", slab, 3.1)
coordination = np.bincount(first_shell, minlength=len(slab))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.hist(d, bins=140, color="#5e81ac")
left.set(xlabel="distance in Å", ylabel="neighbors", title=f"Neighbors in a Cu(111) slab of {len(slab)} atoms")
dots = right.scatter(slab.positions[:, 0], slab.positions[:, 2], c=coordination, s=18, cmap="viridis", vmin=6, vmax=12)
figure.colorbar(dots, ax=right, label="first neighbors")
right.set(xlabel="x in Å", ylabel="z in Å", title="Atoms at the surfaces have 9, inside 12")
save("slab.png")
assert set(coordination) <= set(range(8, 14)) and np.median(coordination) == 12

print(f"pictures in {folder}: density {density.min():.2f} to {density.max():.2f}, {contacts:.2f} contacts per disc")
