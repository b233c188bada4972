//! Densities that differ from place to place.

use super::canvas::{Canvas, fitting, octaves, root_side, side};

/// A share of the objects in a clump that is `scale` times as wide as the rest, sizes to match.
fn clump<const D: usize>(canvas: &mut Canvas<D>, share: f64, scale: f64) {
    let inside = (share * canvas.n()) as usize;
    let outside = canvas.count - inside.min(canvas.count);
    let side = side(outside.max(1) as f64, 2f64.powi(D as i32), 1.0, D);
    canvas.cloud(outside, [0.0; D], side, 1.0);
    canvas.cloud(inside, [0.1 * side; D], scale * side, 2.0);
}

/// Half in a clump of a thousandth.
pub(super) fn clump_50<const D: usize>(canvas: &mut Canvas<D>) {
    clump(canvas, 0.5, 1e-3);
}

/// 70 % in a clump of 1/10 000.
pub(super) fn clump_70<const D: usize>(canvas: &mut Canvas<D>) {
    clump(canvas, 0.7, 1e-4);
}

/// 90 % in a clump of a hundredth.
pub(super) fn clump_90<const D: usize>(canvas: &mut Canvas<D>) {
    clump(canvas, 0.9, 1e-2);
}

/// 1 % of equal cubes in a clump of 1/10 000.
pub(super) fn pinprick<const D: usize>(canvas: &mut Canvas<D>) {
    let inside = canvas.count / 100;
    let edge = fitting::<D>(inside, 1.0, 2.0);
    for index in 0..canvas.count {
        let place = if index < inside { canvas.anywhere(1.0).map(|x| x + 1000.0) } else { canvas.anywhere(1e4) };
        canvas.cube(place, edge);
    }
}

/// Two clumps, a million apart, of sizes in the ratio 1:1000.
pub(super) fn two_clumps<const D: usize>(canvas: &mut Canvas<D>) {
    let half = canvas.count / 2;
    canvas.cloud(half, [0.0; D], 40.0, 2.0);
    canvas.cloud(canvas.count - half, [1e6; D], 4e4, 2.0);
}

/// Thirty clumps of all sizes and densities in a wide domain.
pub(super) fn archipelago<const D: usize>(canvas: &mut Canvas<D>) {
    const CLUMPS: usize = 30;
    for clump in 0..CLUMPS {
        let corner = canvas.anywhere(1e5);
        let side = octaves(canvas.random.between(-2.0, 12.0));
        let count = canvas.count * (clump + 1) / CLUMPS - canvas.count * clump / CLUMPS;
        canvas.cloud(count, corner, side, 2.0);
    }
}

/// Each clump holds as many as all outside of it, at a sixteenth of the scale, twelve times over.
pub(super) fn matryoshka<const D: usize>(canvas: &mut Canvas<D>) {
    let mut side = 2f64.powi(20);
    for _ in 0..12 {
        let outside = (canvas.count - canvas.drawn()) / 2;
        canvas.cloud(outside, [0.0; D], side, 1.0);
        side /= 16.0;
    }
    canvas.cloud(canvas.count - canvas.drawn(), [0.0; D], side, 1.0);
}

/// Equal cubes around a point, as many between any two radii of the same difference.
pub(super) fn halo<const D: usize>(canvas: &mut Canvas<D>) {
    let edge = 10.0;
    for _ in 0..canvas.count {
        let radius = canvas.n() * canvas.random.unit();
        let center = canvas.direction().map(|x| x * radius);
        canvas.cube(center, edge);
    }
}

/// A dense plate in a thin gas: three of four objects in a layer a ten-thousandth of the domain high.
pub(super) fn sediment<const D: usize>(canvas: &mut Canvas<D>) {
    let outside = canvas.count / 4;
    let side = 1000.0;
    let edge = side / root_side(0.75 * canvas.n(), 1.0, D - 1);
    for index in 0..canvas.count {
        let mut center = canvas.anywhere(side);
        if index >= outside {
            center[D - 1] *= 1e-4;
        }
        canvas.cube(center, edge);
    }
}
