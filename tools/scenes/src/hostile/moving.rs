//! Scenes that a kept plan does not fit any more.

use super::canvas::{Canvas, add, fitting, octaves, root_side, side};

/// The plain scene with a little motion, its places (and not its sizes) scaled. At scale 1 it has two contacts each.
fn scaled_places<const D: usize>(canvas: &mut Canvas<D>, scale: f64) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    for _ in 0..canvas.count {
        let place = canvas.anywhere(side);
        let noise: [f64; D] = std::array::from_fn(|_| canvas.noise.between(-0.1, 0.1));
        canvas.cube(add(place.map(|x| x * scale), noise), 1.0);
    }
}

/// The plain scene with a little motion, places and sizes scaled.
fn scaled<const D: usize>(canvas: &mut Canvas<D>, scale: f64) {
    scaled_places(canvas, 1.0);
    canvas.transform(scale, [0.0; D]);
}

/// Sparse until step 3; then everything is a hundred times as near.
pub(super) fn implosion<const D: usize>(canvas: &mut Canvas<D>) {
    scaled_places(canvas, if canvas.step < 3 { 100.0 } else { 1.0 });
}

/// Dense until step 3; then everything is a hundred times as far apart.
pub(super) fn explosion<const D: usize>(canvas: &mut Canvas<D>) {
    scaled_places(canvas, if canvas.step < 3 { 1.0 } else { 100.0 });
}

/// Places and sizes shrink a hundredfold at step 3.
pub(super) fn shrink<const D: usize>(canvas: &mut Canvas<D>) {
    scaled(canvas, if canvas.step < 3 { 1.0 } else { 0.01 });
}

/// Up and down by a factor of 32 in 32 steps, places only.
pub(super) fn breathing<const D: usize>(canvas: &mut Canvas<D>) {
    let phase = (canvas.step % 32) as f64;
    scaled_places(canvas, octaves(5.0 * (1.0 - (phase / 16.0 - 1.0).abs())));
}

/// The places contract by a factor of 100 within 200 steps.
pub(super) fn slow_implosion<const D: usize>(canvas: &mut Canvas<D>) {
    scaled_places(canvas, octaves(6.64 * (1.0 - (canvas.step as f64 / 200.0).min(1.0))));
}

/// The places expand by a factor of 100 within 200 steps.
pub(super) fn slow_explosion<const D: usize>(canvas: &mut Canvas<D>) {
    scaled_places(canvas, octaves(6.64 * (canvas.step as f64 / 200.0).min(1.0)));
}

/// At every step all of it is somewhere else, up to a million away.
pub(super) fn teleport<const D: usize>(canvas: &mut Canvas<D>) {
    scaled_places(canvas, 1.0);
    let shift = std::array::from_fn(|_| canvas.noise.between(-1e5, 1e5).floor());
    canvas.transform(1.0, shift);
}

/// At every step each object is somewhere else.
pub(super) fn reshuffled<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    for _ in 0..canvas.count {
        let place = std::array::from_fn(|_| side * canvas.noise.unit());
        canvas.cube(place, 1.0);
    }
}

/// Spread at even steps; at odd ones half of it in a clump of a hundredth, sizes to match.
pub(super) fn flicker<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    let half = canvas.count / 2;
    let scale = if canvas.step.is_multiple_of(2) { 1.0 } else { 0.01 };
    canvas.cloud(half, [0.0; D], side, 1.0);
    canvas.cloud(canvas.count - half, [0.0; D], scale * side, 1.0);
}

/// Pressed flat within eight steps, to no thickness at all, and back.
pub(super) fn press<const D: usize>(canvas: &mut Canvas<D>) {
    let phase = canvas.step % 16;
    let height = (phase.abs_diff(8) as f64 / 8.0).powi(4);
    // Sparse enough to be in one plane: two contacts each.
    let side = root_side(canvas.n(), 1.0, D - 1);
    for _ in 0..canvas.count {
        let mut place = canvas.anywhere(side);
        place[D - 1] *= height;
        let mut edges = [1.0; D];
        edges[D - 1] = height;
        canvas.block(place, edges);
    }
}

/// One object in a hundred grows thirtyfold within sixteen steps, and shrinks again.
pub(super) fn bubbles<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), if D == 2 { 0.5 } else { 0.05 }, D);
    let grown = octaves(5.0 * (1.0 - ((canvas.step % 32) as f64 / 16.0 - 1.0).abs()));
    for index in 0..canvas.count {
        let place = canvas.anywhere(side);
        canvas.cube(place, if index % 100 == 0 { grown } else { 1.0 });
    }
}

/// A clump of a fifth of the objects flies through the others, ten of its own widths per step.
pub(super) fn comet<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 0.5, D);
    let fifth = canvas.count / 5;
    let wide = 0.01 * side;
    canvas.cloud(canvas.count - fifth, [0.0; D], side, 0.5);
    canvas.cloud(fifth, [(10.0 * wide * canvas.step as f64) % side; D], wide, 2.0);
}

/// Two clumps that pass through each other.
pub(super) fn collision<const D: usize>(canvas: &mut Canvas<D>) {
    let half = canvas.count / 2;
    let wide = 1.0 / fitting::<D>(half, 1.0, 2.0);
    let way = wide * (canvas.step as f64 / 8.0 - 1.0);
    let (mut left, mut right) = ([0.0; D], [0.0; D]);
    (left[0], right[0]) = (way, -way);
    canvas.cloud(half, left, wide, 2.0);
    canvas.cloud(canvas.count - half, right, wide, 2.0);
}

/// Rods of 40 that all lie along x, then along y, then along z.
pub(super) fn turning_rods<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 80.0 * 2f64.powi(D as i32 - 1), 2.0, D);
    let along = (canvas.step % D as u64) as usize;
    for _ in 0..canvas.count {
        let place = canvas.anywhere(side);
        let mut edges = [1.0; D];
        edges[along] = 40.0;
        canvas.block(place, edges);
    }
}
