//! The nearest boxes to a point.

use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::cast::is_finite;
use super::chunks::InDirectory;
use super::descend::{Descent, Guide, last_rank};
use super::filter::QueryFilter;
use super::lanes::{squares, steps, up_to};
use super::tree::{LeafEntries, Node, boxes_of, present};
use super::view::GridView;
use super::within::Reach;
use super::{Neighbor, Queries};
use crate::Scalar;
use crate::isa::Isa;
use crate::isa::eight::{LANES, UNRANKED, bits, rank};
use crate::kernel::NearLanes;
use crate::layout::Shape;
use crate::runtime::team::Team;

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> Queries<'_, S, D, F> {
    /// The `k` objects whose boxes are nearest to the point, the nearest first, those equally near in the order of their indices;
    /// fewer if there are fewer. The distance is the one to the nearest point of the box: 0 for all boxes that contain the point.
    ///
    /// Nothing is near a point that is not finite.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase};
    ///
    /// let boxes: Vec<_> = (0..1000).map(|i| Aabb::new([3.0 * i as f32, 0.0], [3.0 * i as f32 + 1.0, 1.0])).collect();
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// broad_phase.detect(&boxes);
    ///
    /// let mut found = Vec::new();
    /// broad_phase.queries().nearest([299.5, 0.5], 3, &mut found);
    /// let found: Vec<_> = found.iter().map(|neighbor| (neighbor.index, neighbor.distance_squared)).collect();
    /// assert_eq!(found, [(100, 0.25), (99, 2.25), (101, 12.25)]);
    /// ```
    pub fn nearest(&self, point: impl Into<[S; D]>, k: usize, found: &mut Vec<Neighbor<S>>) {
        found.clear();
        let (point, mut nearest) = (point.into(), Nearest::new(k, std::mem::take(found)));
        if k > 0 && point.iter().all(|&x| is_finite(x)) {
            self.target.find_nearest(&point, &self.filter, &mut nearest, Some);
        }
        *found = nearest.into_sorted_vec();
    }
}

/// What is near, and how near. In the order of the distance, whatever comes next.
pub(crate) trait Near<S>: Ord {
    fn distance_squared(&self) -> S;
}

impl<S: Scalar> Near<S> for Neighbor<S> {
    #[inline]
    fn distance_squared(&self) -> S {
        self.distance_squared
    }
}

/// The `k` nearest so far, the furthest of them on top: the one that the next nearer one drives out.
pub(crate) struct Nearest<T> {
    k: usize,
    heap: BinaryHeap<T>,
}

impl<T: Ord> Nearest<T> {
    /// None so far. Uses the memory of an empty vector.
    pub(crate) fn new(k: usize, memory: Vec<T>) -> Self {
        Nearest { k, heap: BinaryHeap::from(memory) }
    }

    /// The square of the distance beyond which nothing is of interest, once there are `k`.
    #[inline]
    pub(crate) fn limit<S: Scalar>(&self) -> Option<S>
    where
        T: Near<S>,
    {
        self.heap.peek().filter(|_| self.heap.len() == self.k).map(T::distance_squared)
    }

    /// Takes a neighbor in, if it is one and near enough.
    #[inline]
    pub(super) fn add(&mut self, neighbor: Option<T>) {
        let Some(neighbor) = neighbor else { return };
        if self.heap.len() < self.k {
            self.heap.push(neighbor);
        } else if let Some(mut furthest) = self.heap.peek_mut()
            && neighbor < *furthest
        {
            *furthest = neighbor;
        }
    }

    /// The nearest first.
    pub(crate) fn into_sorted_vec(self) -> Vec<T> {
        self.heap.into_sorted_vec()
    }
}

/// The search by density reads at most this many entries per requested object, and per lane: elsewhere the tree is faster.
const MOST_READ: usize = 32;

/// It is left out if more than one object in this number is requested.
const LEAST_SHARE: usize = 16;

impl<S: Scalar, const D: usize> GridView<'_, S, D> {
    /// Offers objects to the nearest ones so far, until all others are further away.
    #[inline]
    pub(super) fn find_nearest<T: Near<S>, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        filter: &F,
        nearest: &mut Nearest<T>,
        of: &impl Fn(Neighbor<S>) -> Option<T>,
    ) {
        if nearest.heap.is_empty() && nearest.k <= self.entries().len() / LEAST_SHARE {
            // If objects are dense, the density around the point predicts how far the nearest are. The grid finds what lies within that
            // distance in a quarter to a half of the time that a descent takes (`docs/measurements.md`).
            if self.find_as_predicted(point, filter, nearest, of).is_continue() && nearest.heap.len() == nearest.k {
                return;
            }
            nearest.heap.clear();
        }
        self.descend_to_nearest(point, filter, nearest, of);
    }

    /// Offers all objects within the distance that should hold the requested ones. Breaks if that reads too many entries.
    #[inline]
    fn find_as_predicted<T: Near<S>, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        filter: &F,
        nearest: &mut Nearest<T>,
        of: &impl Fn(Neighbor<S>) -> Option<T>,
    ) -> ControlFlow<()> {
        let ball = Reach { point, limit: self.likely_limit(point, nearest.k)? };
        if self.tree_for(&ball.around()).is_some() {
            return ControlFlow::Break(());
        }
        let (mut left, mut near) = (MOST_READ * (nearest.k + LANES), NearLanes::new());
        self.search(&ball, &mut InDirectory, |steps| {
            #[cfg(test)]
            super::work::count_looks(steps.iter().map(|(_, len)| len.div_ceil(LANES)).sum());
            left = match left.checked_sub(steps.iter().map(|(_, len)| len).sum()) {
                Some(left) => left,
                None => return ControlFlow::Break(()),
            };
            // The limit that the nearest so far set, if it is less: fewer are offered.
            let limit = nearest.limit().map_or(ball.limit, |so_far| if so_far < ball.limit { so_far } else { ball.limit });
            self.visit_near(&Reach { point, limit }, filter, steps, &mut near, &mut |neighbor| {
                nearest.add(of(neighbor));
                ControlFlow::Continue(())
            })
        })
    }

    /// The square of a distance within which there should be `k` objects and some more, by the number of objects in the chunks around the
    /// point. Breaks if there are none.
    #[inline]
    fn likely_limit(&self, point: &[S; D], k: usize) -> ControlFlow<(), S> {
        let mut density = 0.0;
        for region in self.regions {
            let level = &self.grid.levels[region.level];
            if let Some(chunk) = self.grid.find(region.level, Shape::<D>::chunk_of(level.cell(point))) {
                let cell: f64 = level.cell_size()[..D].iter().product();
                density += chunk.entries().len() as f64 / (cell * Shape::<D>::CELLS as f64);
            }
        }
        let space = (1.5 * k as f64 + 2.0) / density;
        let radius = if D == 2 { (space / PI).sqrt() } else { (space / (PI * 4.0 / 3.0)).cbrt() };
        if radius > 0.0 && radius.is_finite() {
            ControlFlow::Continue(S::from_f64(radius * radius))
        } else {
            ControlFlow::Break(())
        }
    }

    /// Offers the objects to the nearest ones so far, near ones first, until all others are further away.
    fn descend_to_nearest<T: Near<S>, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        filter: &F,
        nearest: &mut Nearest<T>,
        of: &impl Fn(Neighbor<S>) -> Option<T>,
    ) {
        let limit = nearest.limit().unwrap_or(S::INFINITY);
        let offer = |entry: usize, distance_squared: S| {
            if let Some(index) = self.admit(entry, filter) {
                nearest.add(of(Neighbor { index, distance_squared }));
            }
            nearest.limit().unwrap_or(S::INFINITY)
        };
        let mut approach = Approach { point, limit, last: last_rank(limit), offer };
        let ControlFlow::Continue(()) = match self.tree(Team::ALONE) {
            Some(tree) => self.kernel.dispatch(Descent { tree, guide: &mut approach }),
            None => steps(self.entries()).try_for_each(|(at, inside)| {
                let entries = std::array::from_fn(|lane| (at + lane) as u32);
                approach.offer(&boxes_of(&self.columns, at), &entries, inside)
            }),
        };
    }
}

/// A descent to the nearest entries.
struct Approach<'a, S, const D: usize, F> {
    point: &'a [S; D],
    /// The square of the distance beyond which nothing is of interest, and the greatest rank of what is.
    limit: S,
    last: u32,
    /// Takes an entry and the square of its distance, and returns the limit from then on.
    offer: F,
}

impl<S: Scalar, const D: usize, F: FnMut(usize, S) -> S> Approach<'_, S, D, F> {
    /// Offers what is near enough of some entries, of which those count whose bit is set.
    #[inline(always)]
    fn offer(&mut self, boxes: &Node<S, D>, entries: &LeafEntries, inside: u32) -> ControlFlow<Infallible> {
        let squares = squares(&boxes.children(), self.point);
        for lane in bits(up_to(&squares, self.limit) & inside) {
            // The limit may have come down since the lanes were computed.
            if squares[lane] <= self.limit {
                self.limit = (self.offer)(entries[lane] as usize, squares[lane]);
                self.last = last_rank(self.limit);
            }
        }
        ControlFlow::Continue(())
    }
}

impl<S: Scalar, const D: usize, F: FnMut(usize, S) -> S> Guide<S, D> for Approach<'_, S, D, F> {
    type Break = Infallible;
    const MEETS_EMPTY: bool = true;

    #[inline(always)]
    fn ranks<I: Isa>(&self, _isa: I, node: &Node<S, D>) -> [u32; LANES] {
        let squares = squares(&node.children(), self.point);
        std::array::from_fn(|lane| if squares[lane] <= self.limit { rank(squares[lane]) | lane as u32 } else { UNRANKED })
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.last
    }

    #[inline(always)]
    fn visit<I: Isa>(&mut self, _isa: I, leaf: &Node<S, D>, entries: &LeafEntries) -> ControlFlow<Infallible> {
        self.offer(leaf, entries, present(entries))
    }
}
