//! Sizes and distances over many powers of ten.

use super::canvas::{Canvas, lattice, octaves, reach, side};
use crate::layout::root;

/// The volume between the radii 1 and 2, by dimension.
const SHELL: [f64; 4] = [0.0, 2.0, 9.42, 29.3];
/// The surface of the unit ball, by dimension.
#[allow(clippy::approx_constant, reason = "a density needs no more digits")]
const SURFACE: [f64; 4] = [0.0, 2.0, 6.28, 12.57];

/// Radii over so many octaves, and sizes in proportion.
fn log_polar<const D: usize>(canvas: &mut Canvas<D>, range: f64) {
    let fraction = root(2.0 * SHELL[D] * range / canvas.n(), D) / 2.0;
    for _ in 0..canvas.count {
        let radius = octaves(range * canvas.random.unit());
        let center = canvas.direction().map(|x| x * radius);
        canvas.cube(center, fraction.min(0.5) * radius);
    }
}

/// Four decades.
pub(super) fn log_polar_4<const D: usize>(canvas: &mut Canvas<D>) {
    log_polar(canvas, 13.3);
}

/// Six decades.
pub(super) fn log_polar_6<const D: usize>(canvas: &mut Canvas<D>) {
    log_polar(canvas, 20.0);
}

/// Cubes along the diagonal, each a little larger than the one before, corner to corner over sixty octaves.
pub(super) fn geometric<const D: usize>(canvas: &mut Canvas<D>) {
    let place = |index: usize, n: f64| octaves(60.0 * index as f64 / n - 30.0);
    for index in 0..canvas.count {
        let n = canvas.n();
        canvas.span([place(index, n); D], [place(index + 1, n); D]);
    }
}

/// Sizes over three decades, all places alike.
pub(super) fn log_uniform<const D: usize>(canvas: &mut Canvas<D>) {
    let edge = |quantile: f64| octaves(10.0 * quantile);
    let side = side(canvas.n(), reach::<D>(edge), 4.0, D);
    for _ in 0..canvas.count {
        let center = canvas.anywhere(side);
        let edge = edge(canvas.random.unit());
        canvas.cube(center, edge);
    }
}

/// Power laws of both: many small ones and few large ones, at each of five decades of distance.
pub(super) fn power_halo<const D: usize>(canvas: &mut Canvas<D>) {
    let range = 16.6;
    let fraction = root(2.0 * SHELL[D] * range / canvas.n(), D) / 4.0;
    for _ in 0..canvas.count {
        let radius = octaves(range * canvas.random.unit());
        let center = canvas.direction().map(|x| x * radius);
        let edge = (fraction * radius / (1.0 - 0.92 * canvas.random.unit())).min(0.5 * radius);
        canvas.cube(center, edge);
    }
}

/// Seventeen concentric spheres, each twice as wide as the last, with nothing between.
pub(super) fn onion<const D: usize>(canvas: &mut Canvas<D>) {
    const SPHERES: usize = 17;
    let each = (canvas.n() / SPHERES as f64).max(1.0);
    let fraction = root(2.0 * SURFACE[D] / each, D - 1) / 2.0;
    for index in 0..canvas.count {
        let radius = 2f64.powi((index % SPHERES) as i32);
        let center = canvas.direction().map(|x| x * radius);
        canvas.cube(center, fraction.min(0.2) * radius);
    }
}

/// The walls of nested rooms: room `k` reaches `k` to either side, and each of its walls is a plate.
pub(super) fn nested_rooms<const D: usize>(canvas: &mut Canvas<D>) {
    const THICK: f64 = 0.2;
    for index in 0..canvas.count {
        let (room, wall) = ((index / (2 * D) + 1) as f64, index % (2 * D));
        let (mut center, mut edges) = ([0.0; D], [2.0 * room; D]);
        center[wall / 2] = if wall % 2 == 0 { -room } else { room };
        edges[wall / 2] = THICK;
        canvas.block(center, edges);
    }
}

/// A cube, the cubes of half its size in it, theirs in them, and so on.
pub(super) fn quadtree<const D: usize>(canvas: &mut Canvas<D>) {
    for level in 0.. {
        let width = 1usize << level;
        let edge = 1024.0 / width as f64;
        for cell in 0..width.pow(D as u32).min(canvas.count - canvas.drawn()) {
            let center = lattice::<D>(cell, width).map(|x| (x + 0.5) * edge);
            canvas.cube(center, 0.9 * edge);
        }
        if canvas.is_full() {
            break;
        }
    }
}

/// A walk whose steps follow a power law, and cubes in proportion to the step.
pub(super) fn levy<const D: usize>(canvas: &mut Canvas<D>) {
    let mut place = [0.0; D];
    for _ in 0..canvas.count {
        let step = (1.0 / (1.0 - canvas.random.unit())).min(1e5);
        let direction = canvas.direction();
        place = std::array::from_fn(|axis| place[axis] + step * direction[axis]);
        canvas.cube(place, 0.3 * step);
    }
}

/// Two sizes in the ratio 1:10 000, the small ones everywhere and the large ones in a plane through them.
pub(super) fn sand_and_slab<const D: usize>(canvas: &mut Canvas<D>) {
    let large = canvas.count / 1000;
    let side = side(canvas.n(), 2f64.powi(D as i32), 1.0, D);
    canvas.cloud(canvas.count - large, [0.0; D], side, 1.0);
    for _ in 0..large {
        let mut center = canvas.anywhere(side);
        center[D - 1] = side / 2.0;
        let mut edges = [side / 4.0; D];
        edges[D - 1] = 1e-4 * side;
        canvas.block(center, edges);
    }
}
