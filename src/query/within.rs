//! Boxes within a radius of a point.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use super::cast::is_finite;
use super::lanes::steps;
use super::{Neighbor, Queries, Region, Scene};
use crate::kernel::{LANES, bits, gap, mask, squared_distances};
use crate::layout::Chunk;
use crate::layout::{Coords, Shape, Window};
use crate::{Aabb, Ball, Scalar};

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
    /// Calls `visit` with every object whose box is within the ball's radius of its center, in no particular order, until it
    /// returns `Break`.
    ///
    /// The distance is the one to the nearest point of the box. Its square, computed in `S`, is compared with the square of the
    /// radius, so a radius whose square overflows (1.9e19 in `f32`) finds everything, as an infinite one does. Nothing is within a
    /// radius that is NaN or negative, or of a center that is not finite.
    pub fn visit_within<B>(&self, ball: &Ball<S, D>, mut visit: impl FnMut(Neighbor<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        let makes_sense = makes_sense(ball);
        let Some(scene) = self.scene.as_ref().filter(|_| makes_sense) else { return ControlFlow::Continue(()) };
        let limit = ball.radius * ball.radius;
        let visit = |neighbor| visit(neighbor).map_continue(|()| limit);
        scene.search(&ball.center, limit, scene.one_by_one(&ball.center, visit))
    }

    /// All objects whose boxes are within the ball's radius of its center, in no particular order.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Ball, BroadPhase};
    ///
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// broad_phase.detect(&[Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([5.0, 5.0], [6.0, 6.0])]);
    ///
    /// let mut found = Vec::new();
    /// broad_phase.queries().within(&Ball::new([4.0, 5.0], 3.0), &mut found);
    /// assert_eq!(found.len(), 1);
    /// assert_eq!((found[0].index, found[0].distance_squared), (1, 1.0));
    /// ```
    pub fn within(&self, ball: &Ball<S, D>, found: &mut Vec<Neighbor<S>>) {
        found.clear();
        let makes_sense = makes_sense(ball);
        let Some(scene) = self.scene.as_ref().filter(|_| makes_sense) else { return };
        let limit = ball.radius * ball.radius;
        let ControlFlow::Continue(()) = scene.search(&ball.center, limit, |run, limit| {
            scene.kernel.near(&scene.columns, &ball.center, limit, run, |index, distance_squared| {
                found.push(Neighbor { index, distance_squared });
            });
            ControlFlow::<Infallible, S>::Continue(limit)
        });
    }
}

fn makes_sense<S: Scalar, const D: usize>(ball: &Ball<S, D>) -> bool {
    ball.radius >= S::ZERO && ball.center.iter().all(|&x| is_finite(x))
}

/// A search around a point.
pub(super) struct Search<'a, S, const D: usize, F> {
    pub(super) scene: &'a Scene<'a, S, D>,
    pub(super) point: &'a [S; D],
    /// The square of the distance beyond which nothing is of interest.
    pub(super) limit: S,
    /// Looks at a run of entries up to the limit, and returns the limit from then on.
    pub(super) look: F,
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Has runs looked at among which is every object that is no further away than the limit, a square, each once.
    pub(super) fn search<B>(
        &self,
        point: &[S; D],
        limit: S,
        look: impl FnMut(Range<usize>, S) -> ControlFlow<B, S>,
    ) -> ControlFlow<B> {
        let mut search = Search { scene: self, point, limit, look };
        search.entries(self.grid.oversized.clone())?;
        for (level, region) in self.occupied() {
            let around = around(point, search.limit);
            let window = Window::new(&self.grid.levels[level], self.grid.spans[level], &around);
            let is_near = |search: &Search<'_, _, D, _>, coords| !(search.square_to_chunk(region, coords) > search.limit);
            self.try_for_each_chunk(level, region, &window, &mut search, is_near, |search, coords, chunk| {
                search.chunk(region, &window, coords, chunk)
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Looks at a run by calling `visit` with each object that is no further away than the limit, which the visitor may lower.
    pub(super) fn one_by_one<B>(
        &self,
        point: &[S; D],
        mut visit: impl FnMut(Neighbor<S>) -> ControlFlow<B, S>,
    ) -> impl FnMut(Range<usize>, S) -> ControlFlow<B, S> {
        let columns = &self.columns;
        move |run, mut limit| {
            for (at, inside) in steps(run) {
                let squares = squared_distances(columns, point, at);
                let near = mask::<LANES>(std::array::from_fn(|lane| squares[lane] <= limit));
                for lane in bits(near & inside) {
                    // The limit may have come down since the lanes were computed.
                    if squares[lane] <= limit {
                        limit = visit(Neighbor { index: columns.id(at + lane), distance_squared: squares[lane] })?;
                    }
                }
            }
            ControlFlow::Continue(limit)
        }
    }
}

impl<S: Scalar, const D: usize, B, F: FnMut(Range<usize>, S) -> ControlFlow<B, S>> Search<'_, S, D, F> {
    pub(super) fn chunk(&mut self, region: &Region, window: &Window, coords: Coords, chunk: &Chunk) -> ControlFlow<B> {
        let base = Shape::<D>::base_of(coords);
        let edge = Shape::<D>::EDGE;
        let low: Coords = std::array::from_fn(|axis| (window.low[axis] - base[axis]).max(0));
        let high: Coords = std::array::from_fn(|axis| (window.high[axis] - base[axis]).min(edge[axis] - 1));
        let occupied = chunk.rows();
        for z in low[2]..=high[2] {
            let away = self.square(region, 2, base[2] + z);
            if away > self.limit {
                continue;
            }
            for y in low[1]..=high[1] {
                let number = Shape::<D>::row(y, z);
                if occupied >> number & 1 != 0 && !(self.square(region, 1, base[1] + y) + away > self.limit) {
                    let row = chunk.row(number);
                    self.entries(row.begin(low[0] as usize)..row.end(high[0] as usize))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The square of the distance to the box around everything that lives in a chunk.
    pub(super) fn square_to_chunk(&self, region: &Region, coords: Coords) -> S {
        square_of_distance(self.point, &region.bounds(coords, coords))
    }

    /// The square of the distance to everything that lives in a layer of cells, as far as one axis tells. Monotone operations, so
    /// what is in the layer is computed to be at least as far away.
    #[inline(always)]
    fn square(&self, region: &Region, axis: usize, cell: i32) -> S {
        if axis >= D {
            return S::ZERO;
        }
        let (min, max) = region.around(axis, cell, cell);
        let gap = gap(self.point[axis], min, max);
        gap * gap
    }

    #[inline]
    pub(super) fn entries(&mut self, run: Range<usize>) -> ControlFlow<B> {
        self.limit = (self.look)(run, self.limit)?;
        ControlFlow::Continue(())
    }
}

/// The square of the distance from a point to a box. Monotone operations, so whatever is inside the box is computed to be at least as
/// far away.
#[inline]
pub(crate) fn square_of_distance<S: Scalar, const D: usize>(point: &[S; D], bounds: &Aabb<S, D>) -> S {
    (0..D).fold(S::ZERO, |sum, axis| {
        let gap = gap(point[axis], bounds.min[axis], bounds.max[axis]);
        sum + gap * gap
    })
}

/// A box that overlaps every box whose distance from the point, squared in `S`, is computed to be at most `limit`.
///
/// The computed square of a gap is at most some roundings less than the true one, or less by what underflow takes away: its
/// root is below the root of the smallest cell.
fn around<S: Scalar, const D: usize>(point: &[S; D], limit: S) -> Aabb<S, D> {
    let reach = limit.to_f64().sqrt() * (1.0 + 8.0 * S::EPSILON) + S::SMALLEST_CELL.sqrt();
    Aabb { min: point.map(|x| S::from_f64(x.to_f64() - reach)), max: point.map(|x| S::from_f64(x.to_f64() + reach)) }
}
