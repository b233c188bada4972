//! The queries of the structures.

use crate::Bounds;

/// Queries that the paper measures: in figure 4 the objects that a moving particle may hit, in figure 5 the neighbors
/// of a point.
pub trait Queries<const D: usize> {
    /// Takes all boxes. The same boxes are handed over with each question.
    fn build(&mut self, boxes: &[Bounds<D>]);

    /// Appends every object whose box overlaps `query`, once. For a moving particle, ask for the box of its [`path`]. The
    /// hashing schemes visit all cells under the query that can hold something, so it should not be much larger than the
    /// smallest objects.
    fn overlapping(&self, boxes: &[Bounds<D>], query: &Bounds<D>, found: &mut Vec<u32>);

    /// Appends every object whose center is no further than `radius` from `point`, once.
    fn within(&self, boxes: &[Bounds<D>], point: [f32; D], radius: f32, found: &mut Vec<u32>);
}

/// The box around the way from one point to another: section 3.3.1.
pub fn path<const D: usize>(from: [f32; D], to: [f32; D]) -> Bounds<D> {
    Bounds {
        min: std::array::from_fn(|axis| from[axis].min(to[axis])),
        max: std::array::from_fn(|axis| from[axis].max(to[axis])),
    }
}

#[inline]
pub(super) fn center<const D: usize>(bounds: &Bounds<D>) -> [f32; D] {
    std::array::from_fn(|axis| 0.5 * bounds.min[axis] + 0.5 * bounds.max[axis])
}

#[inline]
pub(super) fn squared_distance<const D: usize>(a: [f32; D], b: [f32; D]) -> f32 {
    (0..D).map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis])).sum()
}

/// A box that holds every point within the radius, also if the distance is rounded down to it.
pub(super) fn around<const D: usize>(point: [f32; D], radius: f32) -> Bounds<D> {
    let reach = radius * (1.0 + 1e-6);
    Bounds { min: point.map(|x| (x - reach).next_down()), max: point.map(|x| (x + reach).next_up()) }
}

/// Keeps those of the visited objects whose centers are near enough.
pub(super) fn keep_within<'a, const D: usize>(
    boxes: &'a [Bounds<D>],
    point: [f32; D],
    radius: f32,
    found: &'a mut Vec<u32>,
) -> impl FnMut(u32) + 'a {
    move |object| {
        if squared_distance(center(&boxes[object as usize]), point) <= radius * radius {
            found.push(object);
        }
    }
}
