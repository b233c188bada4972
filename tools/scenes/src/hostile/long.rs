//! Boxes that are long along some axes: no cell fits them.

use super::canvas::{Canvas, lattice, side, width};
use crate::layout::root;

/// Boxes with `long` edges on some axes, all orientations, anywhere; with that many contacts each.
fn thrown<const D: usize>(canvas: &mut Canvas<D>, length: f64, long_axes: usize, contacts: f64) {
    let oriented =
        |turn: usize| -> [f64; D] { std::array::from_fn(|axis| if (axis + turn) % D < long_axes { length } else { 1.0 }) };
    let met = |a: [f64; D], b: [f64; D]| (0..D).map(|axis| a[axis] + b[axis]).product::<f64>();
    let reach = (0..D).map(|turn| met(oriented(0), oriented(turn))).sum::<f64>() / D as f64;
    let side = side(canvas.n(), reach, contacts, D);
    for _ in 0..canvas.count {
        let center = canvas.anywhere(side);
        let turn = canvas.random.below(D);
        canvas.block(center, oriented(turn));
    }
}

/// 1×1×1000.
pub(super) fn needles<const D: usize>(canvas: &mut Canvas<D>) {
    thrown(canvas, 1000.0, 1, 4.0);
}

/// 100×100×1 (2D: 100×1).
pub(super) fn plates<const D: usize>(canvas: &mut Canvas<D>) {
    thrown(canvas, 100.0, D - 1, 4.0);
}

/// Rods from one end of the domain to the other, layer on layer, along x and y in turn: a weave in which nothing meets.
pub(super) fn weave<const D: usize>(canvas: &mut Canvas<D>) {
    let layers = width(canvas.count, 2);
    let length = 2.0 * layers as f64;
    for index in 0..canvas.count {
        let (layer, rod) = (index / layers, index % layers);
        let (mut center, mut edges) = ([length / 2.0; D], [1.0; D]);
        let along = layer % (D - 1);
        edges[along] = length;
        center[(along + 1) % (D - 1)] = 2.0 * rod as f64;
        center[D - 1] = 2.0 * layer as f64;
        canvas.block(center, edges);
    }
}

/// Rods of 1×1×50 that stand in a lattice, five stories high.
pub(super) fn rods<const D: usize>(canvas: &mut Canvas<D>) {
    let width = width(canvas.count.div_ceil(5), D - 1);
    let per_story = width.pow(D as u32 - 1);
    for index in 0..canvas.count {
        let mut center: [f64; D] = lattice(index % per_story, width);
        center = center.map(|x| x * 1.5);
        center[D - 1] = 51.0 * (index / per_story) as f64;
        let mut edges = [1.0; D];
        edges[D - 1] = 50.0;
        canvas.block(center, edges);
    }
}

/// A wall of rods along x, each as long as the domain.
pub(super) fn rod_wall<const D: usize>(canvas: &mut Canvas<D>) {
    let width = width(canvas.count, D - 1);
    for index in 0..canvas.count {
        let place: [f64; D] = lattice(index, width);
        let mut center: [f64; D] = std::array::from_fn(|axis| 1.25 * place[(axis + D - 1) % D]);
        // The lattice's last axis is the one that has no end, and a wall needs D - 1.
        center[0] = 0.0;
        if D == 2 {
            center[1] = 1.25 * index as f64;
        }
        let mut edges = [1.0; D];
        edges[0] = 1000.0 + canvas.random.between(0.0, 50.0);
        canvas.block(center, edges);
    }
}

/// Combs of all sizes: a spine along x and 31 teeth across it.
pub(super) fn combs<const D: usize>(canvas: &mut Canvas<D>) {
    const TEETH: usize = 31;
    let side = 64.0 * root(canvas.n(), D);
    while !canvas.is_full() {
        let corner = canvas.anywhere(side);
        let scale = 2f64.powi(canvas.random.below(6) as i32);
        let mut spine = corner;
        spine[0] += scale * TEETH as f64;
        spine[1] += scale;
        canvas.span(corner, std::array::from_fn(|axis| if axis > 1 { corner[axis] + scale } else { spine[axis] }));
        for tooth in 0..TEETH {
            let mut low = corner;
            low[0] += scale * tooth as f64;
            let mut high = low.map(|x| x + 0.5 * scale);
            high[1] = low[1] + 40.0 * scale;
            canvas.span(low, high);
        }
    }
}

/// Slabs as wide as the domain, one behind the other along an axis, each as thick as the distance to the next.
fn slabs<const D: usize>(canvas: &mut Canvas<D>, across: usize) {
    for index in 0..canvas.count {
        let (mut center, mut edges) = ([0.0; D], [1000.0; D]);
        center[across] = index as f64;
        edges[across] = canvas.random.between(0.5, 1.5);
        canvas.block(center, edges);
    }
}

/// Across x.
pub(super) fn slabs_x<const D: usize>(canvas: &mut Canvas<D>) {
    slabs(canvas, 0);
}

/// Across y.
pub(super) fn slabs_y<const D: usize>(canvas: &mut Canvas<D>) {
    slabs(canvas, 1);
}

/// Across z (2D: across y), in memory as in space.
pub(super) fn slabs_sorted<const D: usize>(canvas: &mut Canvas<D>) {
    canvas.keep_order();
    slabs(canvas, D - 1);
}

/// Unit cubes along the diagonal of space.
pub(super) fn diagonal<const D: usize>(canvas: &mut Canvas<D>) {
    for index in 0..canvas.count {
        canvas.cube([0.75 * index as f64; D], 1.0);
    }
}

/// Stairs: long thin steps, each further along and higher than the last by less than its length.
pub(super) fn stairs<const D: usize>(canvas: &mut Canvas<D>) {
    for index in 0..canvas.count {
        let mut center = [0.0; D];
        center[0] = 3.0 * index as f64;
        center[D - 1] = index as f64;
        let mut edges = [200.0; D];
        edges[D - 1] = 1.25;
        canvas.block(center, edges);
    }
}

/// Aspect ratios of up to a million: hairs along z in a bundle, with ends that differ by their whole length.
pub(super) fn hairs<const D: usize>(canvas: &mut Canvas<D>) {
    let side = root(canvas.n(), D - 1);
    for _ in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        let length = 1e4 + 1e6 * canvas.random.unit();
        center[D - 1] = length * canvas.random.between(-0.5, 0.5);
        let mut edges = [0.7; D];
        edges[D - 1] = length;
        canvas.block(center, edges);
    }
}

/// Each axis is long for a third of the objects by another factor: 3, 30 and 300.
pub(super) fn sticks<const D: usize>(canvas: &mut Canvas<D>) {
    let side = 12.0 * root(canvas.n(), D);
    for _ in 0..canvas.count {
        let center = canvas.anywhere(side);
        let mut edges = [1.0; D];
        let axis = canvas.random.below(D);
        edges[axis] = 3.0 * 10f64.powi(axis as i32);
        canvas.block(center, edges);
    }
}
