//! Order: cells and boxes have the same borders, or almost.

use super::canvas::{Canvas, lattice, width};

/// Unit cubes that fill space and touch.
pub(super) fn touching<const D: usize>(canvas: &mut Canvas<D>) {
    let width = width(canvas.count, D);
    (0..canvas.count).for_each(|index| canvas.cell(lattice(index, width), 1.0));
}

/// The same with gaps of 1/1024.
pub(super) fn hairline<const D: usize>(canvas: &mut Canvas<D>) {
    let width = width(canvas.count, D);
    (0..canvas.count).for_each(|index| canvas.cell(lattice(index, width), 1.0 - 1.0 / 1024.0));
}

/// Every other cube: they touch at edges and corners only.
pub(super) fn checkerboard<const D: usize>(canvas: &mut Canvas<D>) {
    let width = width(2 * canvas.count, D);
    for index in 0.. {
        if canvas.is_full() {
            break;
        }
        let corner: [f64; D] = lattice(index, width);
        if corner.iter().sum::<f64>() % 2.0 == 0.0 {
            canvas.cell(corner, 1.0);
        }
    }
}

/// Rows of touching cubes along x, a thousand apart.
pub(super) fn threads<const D: usize>(canvas: &mut Canvas<D>) {
    let rows = width(canvas.count, 2);
    let wide = width(rows, D - 1);
    for index in 0..canvas.count {
        let row: [f64; D] = lattice(index / rows, wide);
        let mut corner: [f64; D] = std::array::from_fn(|axis| 1000.0 * row[(axis + D - 1) % D]);
        corner[0] = (index % rows) as f64;
        canvas.cell(corner, 1.0);
    }
}

/// Points of the Cantor set on every axis, as deep as there are objects for.
pub(super) fn cantor<const D: usize>(canvas: &mut Canvas<D>) {
    let depth = (canvas.count / 2).max(1).ilog2() / D as u32;
    for _ in 0..canvas.count {
        let corner: [f64; D] =
            std::array::from_fn(|_| (0..depth).fold(0.0, |x, _| 3.0 * x + 2.0 * canvas.random.below(2) as f64));
        let within = canvas.anywhere(0.5);
        canvas.cell(std::array::from_fn(|axis| corner[axis] + within[axis]), 0.5);
    }
}

/// A Menger sponge (2D: Sierpinski's carpet) of touching cubes.
pub(super) fn menger<const D: usize>(canvas: &mut Canvas<D>) {
    // A cell of 3^D belongs to it if at most one axis is in the middle (2D: not both).
    let belongs = |cell: &[f64; D]| cell.iter().filter(|&&x| x == 1.0).count() <= 1;
    let cells: Vec<[f64; D]> = (0..3usize.pow(D as u32)).map(|cell| lattice(cell, 3)).filter(belongs).collect();
    for index in 0..canvas.count {
        let (mut corner, mut rest, mut scale) = ([0.0; D], index, 1.0);
        while rest > 0 {
            let cell = cells[rest % cells.len()];
            corner = std::array::from_fn(|axis| corner[axis] + scale * cell[axis]);
            rest /= cells.len();
            scale *= 3.0;
        }
        canvas.cell(corner, 1.0);
    }
}

/// Bricks of 4×1 (3D: 4×2×1), each row shifted by half a brick.
pub(super) fn bricks<const D: usize>(canvas: &mut Canvas<D>) {
    let edges: [f64; D] = std::array::from_fn(|axis| 2f64.powi((D - 1 - axis) as i32));
    let width = width(canvas.count, D);
    for index in 0..canvas.count {
        let cell: [f64; D] = lattice(index, width);
        let mut corner: [f64; D] = std::array::from_fn(|axis| cell[axis] * edges[axis]);
        corner[0] += edges[0] / 2.0 * (cell[D - 1] % 2.0);
        canvas.span(corner, std::array::from_fn(|axis| corner[axis] + edges[axis]));
    }
}
