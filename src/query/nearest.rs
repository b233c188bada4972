//! The nearest boxes to a point.

use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::cast::is_finite;
use super::{Neighbor, Queries, Scene};
use crate::Scalar;
use crate::layout::Shape;

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
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
        let mut nearest = Nearest::new(k, std::mem::take(found));
        self.find_nearest(&point.into(), &mut nearest, Some);
        *found = nearest.into_sorted_vec();
    }

    /// Adds what `of` makes of the objects, if it makes something of them, to those that are the nearest so far.
    #[inline]
    pub(crate) fn find_nearest<T: Near<S>>(
        &self,
        point: &[S; D],
        nearest: &mut Nearest<T>,
        of: impl Fn(Neighbor<S>) -> Option<T>,
    ) {
        let makes_sense = nearest.k > 0 && point.iter().all(|&x| is_finite(x));
        let Some(scene) = self.scene.as_ref().filter(|_| makes_sense) else { return };
        // Where objects are dense, the density tells how far the nearest are. Where they are not, or not after all, the search goes
        // outwards until it need not go on.
        let is_first = nearest.heap.is_empty();
        let limit = if is_first { scene.likely_limit(point, nearest.k) } else { nearest.limit() };
        if let Some(limit) = limit {
            let look = scene.one_by_one(point, |neighbor| nearest.add(of(neighbor), limit));
            let ControlFlow::Continue(()) = scene.search(point, limit, look);
        }
        if nearest.heap.len() < nearest.k {
            if is_first {
                nearest.heap.clear();
            }
            let look = scene.one_by_one(point, |neighbor| nearest.add(of(neighbor), S::INFINITY));
            let ControlFlow::Continue(()) = scene.expand(point, look);
        }
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

    /// Takes a neighbor in, if it is one and near enough. Returns how near the next one has to be, at most `limit`.
    #[inline]
    pub(super) fn add<S: Scalar>(&mut self, neighbor: Option<T>, limit: S) -> ControlFlow<Infallible, S>
    where
        T: Near<S>,
    {
        if let Some(neighbor) = neighbor {
            if self.heap.len() < self.k {
                self.heap.push(neighbor);
            } else if let Some(mut furthest) = self.heap.peek_mut()
                && neighbor < *furthest
            {
                *furthest = neighbor;
            }
        }
        ControlFlow::Continue(self.limit().unwrap_or(limit))
    }

    /// The nearest first.
    pub(crate) fn into_sorted_vec(self) -> Vec<T> {
        self.heap.into_sorted_vec()
    }
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// The square of a distance within which there should be so many objects and some more, from how many there are in the chunks
    /// around the point; nothing if there are none.
    pub(super) fn likely_limit(&self, point: &[S; D], k: usize) -> Option<S> {
        let mut density = 0.0;
        for (level, region) in self.occupied() {
            let coords = Shape::<D>::chunk_of(self.grid.levels[level].cell(point));
            if let Some(chunk) = self.grid.find(level, coords) {
                density += chunk.entries().len() as f64 / region.chunk_size::<D>().iter().product::<f64>();
            }
        }
        let space = (1.5 * k as f64 + 2.0) / density;
        let radius = if D == 2 { (space / PI).sqrt() } else { (space / (PI * 4.0 / 3.0)).cbrt() };
        (radius > 0.0 && radius.is_finite()).then(|| S::from_f64(radius * radius))
    }
}
