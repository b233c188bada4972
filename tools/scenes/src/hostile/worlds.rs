//! What users build.

use super::canvas::{Canvas, octaves, root_side, side};
use crate::layout::root;

/// One block of the city with its street.
const BLOCK: f64 = 14.0;

/// The number of blocks along one axis of a city with so many towers.
fn blocks<const D: usize>(towers: usize) -> f64 {
    root(towers.max(1) as f64, D - 1).ceil()
}

/// A tower of some block: footprint 8 to 10, height over two decades.
fn tower<const D: usize>(canvas: &mut Canvas<D>, blocks: f64) -> ([f64; D], [f64; D]) {
    let height = octaves(canvas.random.between(1.5, 8.0));
    let mut min: [f64; D] = std::array::from_fn(|_| BLOCK * (canvas.random.unit() * blocks).floor());
    let mut max = min.map(|x| x + 8.0);
    max[0] += canvas.random.between(0.0, 2.0);
    (min[D - 1], max[D - 1]) = (0.0, height);
    (min, max)
}

/// Towers, their furniture, and cars in the streets.
pub(super) fn city<const D: usize>(canvas: &mut Canvas<D>) {
    let towers = canvas.count / 10;
    let blocks = blocks::<D>(2 * towers);
    for _ in 0..towers {
        let (min, max) = tower(canvas, blocks);
        canvas.span(min, max);
        for _ in 0..6 {
            let place = std::array::from_fn(|axis| canvas.random.between(min[axis] + 0.5, max[axis] - 0.5));
            let edge = canvas.random.between(0.2, 1.0);
            canvas.cube(place, edge);
        }
    }
    while !canvas.is_full() {
        let mut center = canvas.anywhere(BLOCK * blocks);
        center[0] = BLOCK * ((center[0] / BLOCK).floor() + 1.0) - canvas.random.between(1.0, 3.0);
        center[D - 1] = 0.75;
        canvas.cube(center, 1.5);
    }
}

/// A swarm of dust, 60 %, over one block of a city of towers with plates and twenty huge boxes.
pub(super) fn swarm<const D: usize>(canvas: &mut Canvas<D>) {
    let towers = (0.39 * canvas.n()) as usize;
    let blocks = blocks::<D>(2 * towers);
    let side = BLOCK * blocks;
    for _ in 0..20.min(canvas.count) {
        let mut center = canvas.anywhere(side);
        center[D - 1] = 0.0;
        canvas.cube(center, 0.3 * side);
    }
    for _ in 0..canvas.count / 100 {
        let mut center = canvas.anywhere(side);
        center[D - 1] = canvas.random.between(0.0, 300.0);
        let mut edges = [50.0; D];
        edges[D - 1] = 0.1;
        canvas.block(center, edges);
    }
    for _ in 0..towers {
        let (min, max) = tower(canvas, blocks);
        canvas.span(min, max);
    }
    let mut corner = [0.4 * side; D];
    corner[D - 1] = 50.0;
    canvas.cloud(canvas.count - canvas.drawn(), corner, 0.003 * side, 0.5);
}

/// Drops that fall on a floor of one slab and lie there, and new ones above.
pub(super) fn rain<const D: usize>(canvas: &mut Canvas<D>) {
    const HIGH: f64 = 50.0;
    let side = root_side(canvas.n() / 10.0, 1.0, D - 1);
    let (mut low, mut high) = ([-side; D], [2.0 * side; D]);
    (low[D - 1], high[D - 1]) = (-1.0, 0.0);
    canvas.span(low, high);
    for _ in 1..canvas.count {
        let mut center = canvas.anywhere(side);
        let fallen = HIGH * canvas.random.unit() + 0.3 * canvas.step as f64;
        center[D - 1] = (HIGH - fallen % (1.1 * HIGH)).max(0.25);
        let mut edges = [0.2; D];
        edges[D - 1] = 0.5;
        canvas.block(center, edges);
    }
}

/// A disc that is densest in the middle, with two arms; sizes follow the density.
#[allow(clippy::approx_constant, reason = "a density needs no more digits")]
pub(super) fn galaxy<const D: usize>(canvas: &mut Canvas<D>) {
    const RADIUS: f64 = 1e5;
    let fraction = (2.0 * 3.14 * RADIUS.sqrt() / canvas.n()).sqrt();
    for _ in 0..canvas.count {
        let radius = RADIUS * (1e-3 + canvas.random.unit()).powi(2);
        // A half angle's tangent, near 0 or far from it: two arms that lie opposite, without a sine.
        let tangent = canvas.random.between(-1.0, 1.0).powi(3);
        let (cos, sin) = ((1.0 - tangent * tangent) / (1.0 + tangent * tangent), 2.0 * tangent / (1.0 + tangent * tangent));
        let turned = if canvas.random.below(2) == 0 { 1.0 } else { -1.0 };
        let edge = fraction * radius.sqrt() * radius.sqrt().sqrt();
        let mut center = [0.0; D];
        (center[0], center[1]) = (turned * radius * cos, turned * radius * sin);
        if D == 3 {
            center[2] = edge * canvas.random.between(-0.5, 0.5);
        }
        canvas.cube(center, 0.5 * edge);
    }
}

/// Beads on a helix (2D: on a spiral that grows): a line that lies along no axis.
pub(super) fn filament<const D: usize>(canvas: &mut Canvas<D>) {
    // The cosine and the sine of 0.01.
    const TURN: (f64, f64) = (0.999_950_000_416_665_3, 0.009_999_833_334_166_664);
    let growth = if D == 2 { 1.0 + 10.0 / canvas.n() } else { 1.0 };
    let (mut x, mut y) = (100.0, 0.0);
    let mut radius = 100.0;
    for index in 0..canvas.count {
        let mut center = [0.01 * index as f64; D];
        (center[0], center[1]) = (x, y);
        canvas.cube(center, 0.012 * radius);
        (x, y) = ((x * TURN.0 - y * TURN.1) * growth, (x * TURN.1 + y * TURN.0) * growth);
        radius *= growth;
    }
}

/// Threads of beads from a center to all sides, each bead as large as the distance to the next.
pub(super) fn cobweb<const D: usize>(canvas: &mut Canvas<D>) {
    const THREADS: usize = 64;
    let each = canvas.count.div_ceil(THREADS).max(1) as f64;
    let mut direction = [0.0; D];
    for index in 0..canvas.count {
        let bead = index / THREADS;
        // Each round needs the same 64 directions; a few numbers of the golden section are one per thread.
        let thread = index % THREADS;
        if D == 2 {
            let tangent = (thread % 32) as f64 / 16.0 - 1.0;
            let sign = if thread < 32 { 1.0 } else { -1.0 };
            (direction[0], direction[1]) =
                (sign * (1.0 - tangent * tangent) / (1.0 + tangent * tangent), sign * 2.0 * tangent / (1.0 + tangent * tangent));
        } else {
            let tip: [f64; D] = std::array::from_fn(|axis| ((thread >> (2 * axis)) & 3) as f64 - 1.5);
            let length = tip.iter().map(|x| x * x).sum::<f64>().sqrt();
            direction = tip.map(|x| x / length);
        }
        let radius = octaves(10.0 * bead as f64 / each);
        canvas.cube(direction.map(|x| x * radius), 8.0 * radius / each.max(80.0));
    }
}

/// An avalanche: boulders, rocks and gravel on a slope, the small ones in the gaps of the large ones.
pub(super) fn scree<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    for _ in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        // A size of 8 is a five hundredth as frequent as one of 1.
        let edge = (0.6 / (1.0 - canvas.random.unit()).sqrt().sqrt()).min(0.2 * side);
        center[D - 1] = 0.5 * center[0] + edge * canvas.random.between(0.0, 20.0);
        canvas.cube(center, edge);
    }
}
