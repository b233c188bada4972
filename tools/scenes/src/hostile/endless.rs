//! Infinite boxes, and such as might as well be.

use super::canvas::{Canvas, octaves, root_side, side};

const NEVER: f64 = f64::INFINITY;

/// Infinite on every axis but the last.
pub(super) fn infinite_slabs<const D: usize>(canvas: &mut Canvas<D>) {
    for _ in 0..canvas.count {
        let from = canvas.n() * canvas.random.unit();
        let (mut min, mut max) = ([-NEVER; D], [NEVER; D]);
        (min[D - 1], max[D - 1]) = (from, from + 1.0);
        canvas.span(min, max);
    }
}

/// Columns along the last axis, from `ends` to `ends`.
fn columns<const D: usize>(canvas: &mut Canvas<D>, mut ends: impl FnMut(&mut Canvas<D>) -> (f64, f64)) {
    let side = root_side(canvas.n(), 1.0, D - 1);
    for _ in 0..canvas.count {
        let mut min = canvas.anywhere(side);
        let mut max = min.map(|x| x + 1.0);
        (min[D - 1], max[D - 1]) = ends(canvas);
        canvas.span(min, max);
    }
}

/// Infinite along the last axis.
pub(super) fn infinite_columns<const D: usize>(canvas: &mut Canvas<D>) {
    columns(canvas, |_| (-NEVER, NEVER));
}

/// From somewhere to infinity, up or down.
pub(super) fn half_infinite<const D: usize>(canvas: &mut Canvas<D>) {
    columns(canvas, |canvas| {
        let end = canvas.random.between(-100.0, 100.0);
        if canvas.random.below(2) == 0 { (end, NEVER) } else { (-NEVER, end) }
    });
}

/// From ±1e9 to ±1e30.
pub(super) fn long_columns<const D: usize>(canvas: &mut Canvas<D>) {
    columns(canvas, |canvas| {
        let mut end = || octaves(canvas.random.between(30.0, 99.6));
        (-end(), end())
    });
}

/// Infinite along x, y or z.
pub(super) fn infinite_beams<const D: usize>(canvas: &mut Canvas<D>) {
    // Two beams of different directions meet where they are as high, so the domain grows like the number.
    let side = canvas.n() / 3.0;
    for _ in 0..canvas.count {
        let mut min = canvas.anywhere(side);
        let mut max = min.map(|x| x + 1.0);
        let along = canvas.random.below(D);
        (min[along], max[along]) = (-NEVER, NEVER);
        canvas.span(min, max);
    }
}

/// Five boxes that contain everything, and a plain scene.
pub(super) fn everywhere<const D: usize>(canvas: &mut Canvas<D>) {
    (0..5).for_each(|_| canvas.span([-NEVER; D], [NEVER; D]));
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    canvas.cloud(canvas.count - canvas.drawn(), [0.0; D], side, 2.0);
}

/// A third infinite columns, a third beams of length 1000, a third unit cubes, all in one place.
pub(super) fn mixed_reach<const D: usize>(canvas: &mut Canvas<D>) {
    let side = 16.0 * canvas.n();
    for index in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        let mut edges = [1.0; D];
        match index % 3 {
            0 => edges[D - 1] = NEVER,
            1 => edges[0] = 1000.0,
            _ => {}
        }
        if edges[D - 1] == NEVER {
            center[D - 1] = 0.0;
        }
        canvas.block(center, edges);
    }
}
