//! Boxes within a radius of a point.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use super::cast::is_finite;
use super::filter::QueryFilter;
use super::lanes::{squares, steps, up_to};
use super::region::Region;
use super::tree::{Node, Probe, Tree, Unordered};
use super::view::GridView;
use super::{Neighbor, Queries};
use crate::isa::Work;
use crate::isa::eight::bits;
use crate::kernel::{gap, squared_distances};
use crate::layout::{Chunk, Coords, Shape, Window};
use crate::{Aabb, Ball, Scalar};

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> Queries<'_, S, D, F> {
    /// Calls `visit` with every object whose box is within the ball's radius of its center, in no particular order, until it
    /// returns `Break`.
    ///
    /// The distance is the one to the nearest point of the box. Its square, computed in `S`, is compared with the square of the
    /// radius, so a radius whose square overflows (1.9e19 in `f32`) finds everything, as an infinite one does. Nothing is within a
    /// radius that is NaN or negative, or of a center that is not finite.
    pub fn visit_within<B>(&self, ball: &Ball<S, D>, visit: impl FnMut(Neighbor<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        match limit(ball) {
            Some(limit) => self.target.visit_within(&ball.center, limit, &self.filter, visit),
            None => ControlFlow::Continue(()),
        }
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
        let ControlFlow::Continue(()) = self.visit_within(ball, |neighbor| {
            found.push(neighbor);
            ControlFlow::<Infallible>::Continue(())
        });
    }
}

/// The square of the radius; nothing if the ball makes no sense.
#[inline]
pub(crate) fn limit<S: Scalar, const D: usize>(ball: &Ball<S, D>) -> Option<S> {
    (ball.radius >= S::ZERO && ball.center.iter().all(|&x| is_finite(x))).then_some(ball.radius * ball.radius)
}

impl<S: Scalar, const D: usize> GridView<'_, S, D> {
    #[inline]
    pub(super) fn visit_within<B, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        limit: S,
        filter: &F,
        visit: &mut impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.search(point, limit, |run| self.visit_near(point, limit, filter, run, visit))
    }

    /// Calls `visit` with the objects of a run of entries that are no further away than the limit, a square.
    #[inline]
    pub(super) fn visit_near<B, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        limit: S,
        filter: &F,
        run: Range<usize>,
        visit: &mut impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.admits_all::<F>() {
            let mut flow = ControlFlow::Continue(());
            self.kernel.near(&self.columns, point, limit, run, |index, distance_squared| {
                if flow.is_continue() {
                    flow = visit(Neighbor { index, distance_squared });
                }
            });
            return flow;
        }
        for (at, inside) in steps(run) {
            let squares = squared_distances(&self.columns, point, at);
            for lane in bits(up_to(&squares, limit) & inside) {
                if let Some(index) = self.admit(at + lane, filter) {
                    visit(Neighbor { index, distance_squared: squares[lane] })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `look` with runs of entries among which is every object that is no further away than the limit, a square; each entry
    /// once.
    #[inline]
    pub(super) fn search<B>(
        &self,
        point: &[S; D],
        limit: S,
        mut look: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let around = around(point, limit);
        if let Some(tree) = self.tree_for(&around) {
            return self.kernel.compiled_for(BallDescent { tree, reach: Reach { point, limit }, look });
        }
        let mut flow = ControlFlow::Continue(());
        self.grid.oversized_around(&around, |run| {
            if flow.is_continue() {
                flow = look(run);
            }
        });
        flow?;
        let reach = Reach { point, limit };
        for region in self.regions {
            let window = self.window(region, &around);
            let is_near = |coords| !(square_of_distance(point, &region.bounds(coords, coords)) > limit);
            self.try_for_each_chunk(region, &window, is_near, |coords, chunk| {
                reach.try_for_each_row(region, &window, coords, chunk, &mut look)
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Everything up to some distance from a point.
struct Reach<'a, S, const D: usize> {
    point: &'a [S; D],
    /// The square of the distance.
    limit: S,
}

impl<S: Scalar, const D: usize> Probe<S, D> for Reach<'_, S, D> {
    #[inline(always)]
    fn reaches(&self, node: &Node<S, D>) -> u32 {
        up_to(&squares(&node.children(), self.point), self.limit)
    }
}

impl<S: Scalar, const D: usize> Reach<'_, S, D> {
    /// Calls `look` with the parts of a chunk's rows that lie in a window and are not too far away.
    #[inline]
    fn try_for_each_row<B>(
        &self,
        region: &Region,
        window: &Window,
        coords: Coords,
        chunk: &Chunk,
        look: &mut impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
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
                    look(row.begin(low[0] as usize)..row.end(high[0] as usize))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A lower bound for the squared distance to everything that lives in a layer of cells, along one axis. All operations are monotone, so
    /// the computed distance of an object in the layer is at least this.
    #[inline(always)]
    fn square(&self, region: &Region, coordinate: usize, cell: i32) -> S {
        if coordinate >= D {
            return S::ZERO;
        }
        let (min, max) = region.around(coordinate, cell, cell);
        let gap = gap(self.point[region.axis_of(coordinate)], min, max);
        gap * gap
    }
}

/// Down the tree to everything within reach.
struct BallDescent<'a, S, const D: usize, F> {
    tree: &'a Tree<S, D>,
    reach: Reach<'a, S, D>,
    look: F,
}

impl<S: Scalar, const D: usize, B, F: FnMut(Range<usize>) -> ControlFlow<B>> Work for BallDescent<'_, S, D, F> {
    type Outcome = ControlFlow<B>;

    #[inline(always)]
    fn run(mut self) -> ControlFlow<B> {
        let mut descent = Unordered::new(self.tree, &self.reach);
        while let Some(run) = descent.next_run() {
            (self.look)(run.entries())?;
        }
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
