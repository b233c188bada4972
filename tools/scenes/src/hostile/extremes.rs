//! Numbers at the ends of what a coordinate can be.

use super::canvas::{Canvas, side};

/// The plain scene in a cube, for the others of this file.
fn plain<const D: usize>(canvas: &mut Canvas<D>) -> f64 {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    canvas.cloud(canvas.count - canvas.drawn(), [0.0; D], side, 2.0);
    side
}

/// Ten boxes at 1e30, in all directions, and a plain scene.
pub(super) fn outliers<const D: usize>(canvas: &mut Canvas<D>) {
    for _ in 0..10.min(canvas.count) {
        let center = canvas.direction().map(|x| 1e30 * x);
        canvas.cube(center, 1.0);
    }
    plain(canvas);
}

/// A thousandth of the objects at distances of 1e3 to 1e30, one decade after the other.
pub(super) fn stragglers<const D: usize>(canvas: &mut Canvas<D>) {
    for index in 0..canvas.count / 1000 {
        let center = canvas.direction().map(|x| x * 10f64.powi(3 + (index % 28) as i32));
        canvas.cube(center, 1.0);
    }
    plain(canvas);
}

/// Everything below the smallest normal number of `f32`.
pub(super) fn denormal<const D: usize>(canvas: &mut Canvas<D>) {
    let side = plain(canvas);
    canvas.transform(1e-38 / side, [0.0; D]);
}

/// Everything near the largest number of `f32`: the domain's width overflows.
pub(super) fn brim<const D: usize>(canvas: &mut Canvas<D>) {
    let side = plain(canvas);
    canvas.transform(6e38 / side, [-3e38; D]);
}

/// A small scene a million from the origin.
pub(super) fn offset<const D: usize>(canvas: &mut Canvas<D>) {
    plain(canvas);
    canvas.transform(1.0, [1e6; D]);
}

/// So far from the origin that `f32` rounds every border to an even number.
pub(super) fn rounded<const D: usize>(canvas: &mut Canvas<D>) {
    plain(canvas);
    canvas.transform(4.0, [2e7; D]);
}

/// Sizes of a millionth of what `f32` can tell apart.
pub(super) fn specks<const D: usize>(canvas: &mut Canvas<D>) {
    for _ in 0..canvas.count {
        let center = canvas.anywhere(100.0);
        canvas.cube(center, 1e-13);
    }
}

/// The axes have units of their own: a million, one, and a millionth.
pub(super) fn units<const D: usize>(canvas: &mut Canvas<D>) {
    let side = side(canvas.n(), 2f64.powi(D as i32), 2.0, D);
    for _ in 0..canvas.count {
        let place = canvas.anywhere(side);
        let unit = |axis: usize| 1e6 * 1e-6f64.powi(axis as i32);
        canvas.block(std::array::from_fn(|axis| place[axis] * unit(axis)), std::array::from_fn(unit));
    }
}
