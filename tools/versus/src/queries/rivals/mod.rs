//! pivotgrid and its rivals, each through its fastest public interface.

mod kiddo;
mod parry;
mod pivotgrid;
mod rstar;
mod sorted_grid;

pub(super) use kiddo::{KiddoNeighbors, KiddoTree};
pub(super) use parry::ParryBvh;
pub(super) use pivotgrid::{Pivotgrid, PivotgridNeighbors, PivotgridStatics};
pub(super) use rstar::RstarTree;
pub(super) use sorted_grid::SortedGrid;

/// The square of the distance from a point to a box, computed as pivotgrid does, so that all agree to the last bit.
#[inline(always)]
fn squared_distance(point: &[f32; 3], min: [f32; 3], max: [f32; 3]) -> f32 {
    (0..3).fold(0.0, |sum, axis| {
        let gap = (min[axis] - point[axis]).max(0.0).max(point[axis] - max[axis]);
        sum + gap * gap
    })
}
