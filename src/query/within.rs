//! Boxes within a radius of a point.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::cast::is_finite;
use super::chunks::FindChunk;
use super::filter::QueryFilter;
use super::lanes::{squares, up_to};
use super::region::Region;
use super::tree::{Node, Probe, Tree, Unordered};
use super::view::GridView;
use super::{Neighbor, Queries};
use crate::isa::Work;
use crate::kernel::steps::Steps;
use crate::kernel::{NearLanes, gap};
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

impl<'a, S: Scalar, const D: usize> GridView<'a, S, D> {
    #[inline]
    pub(super) fn visit_within<B, F: QueryFilter<u32>>(
        &self,
        ball: &Reach<'_, S, D>,
        filter: &F,
        finder: &mut impl FindChunk<'a>,
        near: &mut NearLanes<S>,
        visit: &mut impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(tree) = self.tree_for(&ball.around()) {
            let visit = |entry: usize, distance_squared: S| match self.admit(entry, filter) {
                Some(index) => visit(Neighbor { index, distance_squared }),
                None => ControlFlow::Continue(()),
            };
            return self.kernel.compiled_for(BallDescent { tree, ball, visit });
        }
        self.search(ball, finder, |steps| self.visit_near(ball, filter, steps, near, visit))
    }

    /// Calls `visit` with the objects of some steps that are within reach.
    #[inline(always)]
    pub(super) fn visit_near<B, F: QueryFilter<u32>>(
        &self,
        ball: &Reach<'_, S, D>,
        filter: &F,
        steps: &Steps,
        near: &mut NearLanes<S>,
        visit: &mut impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.kernel.near(&self.columns, ball.point, ball.limit, steps, near);
        let admits_all = self.admits_all::<F>();
        for (lane, distance_squared) in near.iter() {
            let entry = steps.entry(lane);
            let index = if admits_all { Some(self.columns.id(entry)) } else { self.admit(entry, filter) };
            if let Some(index) = index {
                visit(Neighbor { index, distance_squared })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `look` with steps among whose entries is every object within reach, each entry once: those of the cells around.
    #[inline]
    pub(super) fn search<B>(
        &self,
        ball: &Reach<'_, S, D>,
        finder: &mut impl FindChunk<'a>,
        mut look: impl FnMut(&Steps) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (around, mut steps) = (ball.around(), Steps::new());
        self.add_oversized(&around, &mut steps, &mut look)?;
        for region in self.regions {
            let window = self.window(region, &around);
            let across = [Layers::of(region, 1, &window, ball.point), Layers::of(region, 2, &window, ball.point)];
            self.try_for_each_chunk(region, &window, finder, |coords, chunk| {
                steps.part();
                ball.add_rows(&across, &window, coords, chunk, &mut steps, &mut look)
            })?;
        }
        steps.finish(&mut look)
    }
}

/// Everything up to some distance from a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a, S, const D: usize> {
    pub(crate) point: &'a [S; D],
    /// The square of the distance.
    pub(crate) limit: S,
}

impl<S: Scalar, const D: usize> Probe<S, D> for Reach<'_, S, D> {
    #[inline(always)]
    fn reaches(&self, node: &Node<S, D>) -> u32 {
        up_to(&squares(&node.children(), self.point), self.limit)
    }
}

impl<S: Scalar, const D: usize> Reach<'_, S, D> {
    /// A box that overlaps every box whose distance from the point, squared in `S`, is computed to be at most the limit.
    ///
    /// The computed square of a gap is at most some roundings less than the true one, or less by what underflow takes away: its
    /// root is below the root of the smallest cell.
    #[inline(always)]
    pub(super) fn around(&self) -> Aabb<S, D> {
        let reach = self.limit.to_f64().sqrt() * (1.0 + 8.0 * S::EPSILON) + S::SMALLEST_CELL.sqrt();
        let mut around = Aabb { min: *self.point, max: *self.point };
        for axis in 0..D {
            let x = self.point[axis].to_f64();
            (around.min[axis], around.max[axis]) = (S::from_f64(x - reach), S::from_f64(x + reach));
        }
        around
    }

    /// Adds the parts of a chunk's rows that lie in a window and are not too far away across the rows.
    #[inline(always)]
    fn add_rows<B>(
        &self,
        across: &[Layers<S>; 2],
        window: &Window,
        coords: Coords,
        chunk: &Chunk,
        steps: &mut Steps,
        look: &mut impl FnMut(&Steps) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (base, (low, high)) = (Shape::<D>::base_of(coords), window.corners_in::<D>(coords));
        for z in low[2]..high[2] + 1 {
            let away = across[1].square(base[2] + z);
            for y in low[1]..high[1] + 1 {
                let row = chunk.row(Shape::<D>::row(y, z));
                let (begin, end) = (row.begin(low[0] as usize), row.end(high[0] as usize));
                let is_far = across[0].square(base[1] + y) + away > self.limit;
                steps.add(begin..if is_far { begin } else { end }, look)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The layers of cells of a window along an axis, as a point sees them.
#[derive(Clone, Copy, Debug)]
struct Layers<S> {
    first: i32,
    /// The interval that holds what lives in the first layer, and how far both of its ends move from each layer to the next.
    bounds: [f64; 3],
    /// The point's coordinate.
    x: S,
}

impl<S: Scalar> Layers<S> {
    #[inline(always)]
    fn of<const D: usize>(region: &Region, coordinate: usize, window: &Window, point: &[S; D]) -> Self {
        let (first, last) = (window.low[coordinate], window.high[coordinate]);
        let anywhere = [f64::NEG_INFINITY, f64::INFINITY, 0.0];
        if coordinate >= D {
            return Layers { first, bounds: anywhere, x: S::ZERO };
        }
        let bounds = region.layers::<S>(coordinate, first, last).unwrap_or(anywhere);
        Layers { first, bounds, x: point[region.axis_of(coordinate)] }
    }

    /// A lower bound for the squared distance, along the axis, to everything that lives in a layer. All operations are monotone, so the
    /// computed distance of an object in there is at least this.
    #[inline(always)]
    fn square(&self, layer: i32) -> S {
        let ([min, max, step], number) = (self.bounds, f64::from(layer - self.first));
        let gap = gap(self.x, S::from_f64(min + number * step), S::from_f64(max + number * step));
        gap * gap
    }
}

/// Down the tree to everything within reach.
struct BallDescent<'a, 'b, S, const D: usize, F> {
    tree: &'a Tree<S, D>,
    ball: &'a Reach<'b, S, D>,
    /// Takes an entry and the square of its distance.
    visit: F,
}

impl<S: Scalar, const D: usize, B, F: FnMut(usize, S) -> ControlFlow<B>> Work for BallDescent<'_, '_, S, D, F> {
    type Outcome = ControlFlow<B>;

    #[inline(always)]
    fn run(mut self) -> ControlFlow<B> {
        let mut descent = Unordered::new(self.tree, self.ball);
        while let Some((entry, leaf, lane)) = descent.next_entry() {
            (self.visit)(entry, square_of_distance(self.ball.point, &leaf.child(lane)))?;
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
