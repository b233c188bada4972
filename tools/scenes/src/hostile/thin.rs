//! Axes without extent: nothing to measure a density along.

use super::canvas::{Canvas, lattice, root_side, side, width};

/// All in one plane (2D: on one line), without thickness.
pub(super) fn flat<const D: usize>(canvas: &mut Canvas<D>) {
    let side = root_side(canvas.n(), 1.0, D - 1);
    let mut edges = [1.0; D];
    edges[D - 1] = 0.0;
    for _ in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        center[D - 1] = 7.0;
        canvas.block(center, edges);
    }
}

/// On one line, x in 3D and y in 2D, without thickness.
pub(super) fn wire<const D: usize>(canvas: &mut Canvas<D>) {
    let along = if D == 2 { 1 } else { 0 };
    for _ in 0..canvas.count {
        let (mut center, mut edges) = ([3.0; D], [0.0; D]);
        center[along] = canvas.n() * canvas.random.unit();
        edges[along] = 1.0;
        canvas.block(center, edges);
    }
}

/// Points, two at each place.
pub(super) fn points<const D: usize>(canvas: &mut Canvas<D>) {
    while !canvas.is_full() {
        let place = canvas.anywhere(1000.0);
        canvas.cube(place, 0.0);
        canvas.cube(place, 0.0);
    }
}

/// A floor of tiles without thickness that touch, and 1 % movers on and above it.
pub(super) fn tiles<const D: usize>(canvas: &mut Canvas<D>) {
    let movers = canvas.count / 100;
    let tiles = canvas.count - movers;
    let width = width(tiles, D - 1);
    for tile in 0..tiles {
        let mut corner: [f64; D] = lattice(tile, width);
        // In the lattice the last axis has no end; here the floor is filled before it is reached.
        corner[D - 1] = 0.0;
        let mut upper = corner.map(|x| x + 1.0);
        upper[D - 1] = 0.0;
        canvas.span(corner, upper);
    }
    for _ in 0..movers {
        let mut center = canvas.anywhere(width as f64);
        let drift = (0.1 * canvas.step as f64 + center[0]) % width as f64;
        center[0] = drift;
        center[D - 1] = canvas.random.between(0.0, 3.0);
        canvas.cube(center, 1.0);
    }
}

/// Sixteen planes without thickness, at distances from 0.001 to 32.
pub(super) fn sheets<const D: usize>(canvas: &mut Canvas<D>) {
    let side = root_side(canvas.n() / 16.0, 1.0, D - 1);
    let mut edges = [1.0; D];
    edges[D - 1] = 0.0;
    for index in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        center[D - 1] = 2f64.powi((index % 16) as i32 - 10);
        canvas.block(center, edges);
    }
}

/// A tilted plane: thin, but along no axis.
pub(super) fn tilted<const D: usize>(canvas: &mut Canvas<D>) {
    let side = root_side(canvas.n(), 1.0, D - 1);
    for _ in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        center[D - 1] = 0.0;
        center[D - 1] = -center.iter().sum::<f64>();
        canvas.cube(center, 1.0);
    }
}

/// Eight equal cubes at each of few places.
pub(super) fn stacks<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n() / 8.0, 2f64.powi(D as i32), 0.5, D);
    while !canvas.is_full() {
        let place = canvas.anywhere(side);
        (0..8).for_each(|_| canvas.cube(place, 1.0));
    }
}

/// Many cubes at one place, and far fewer pairs elsewhere.
pub(super) fn knot<const D: usize>(canvas: &mut Canvas<D>) {
    let knotted = (canvas.count / 50).min(400);
    let side = side(canvas.n(), 2f64.powi(D as i32), 1.0, D);
    let place = canvas.anywhere(side);
    (0..knotted).for_each(|_| canvas.cube(place, 1.0));
    canvas.cloud(canvas.count - knotted, [0.0; D], side, 1.0);
}
