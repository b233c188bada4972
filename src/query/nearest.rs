//! The nearest boxes to a point.

use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use super::cast::is_finite;
use super::lanes::gap;
use super::{Neighbor, Queries, Scene};
use crate::grid::{Shape, chunk_key};
use crate::{Aabb, Scalar};

/// So many times the objects asked for are expected within the first radius: too few of them, and it takes another search; too
/// many, and one search takes longer.
const EXPECTED: f64 = 2.0;

/// The next radius, if one was too small.
const GROWTH: f64 = 1.6;

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
        let point = point.into();
        let makes_sense = k > 0 && point.iter().all(|&x| is_finite(x));
        let Some(scene) = self.scene.as_ref().filter(|_| makes_sense) else { return };
        // The greatest on top: the one that the next better one drives out.
        let mut heap = BinaryHeap::from(std::mem::take(found));
        let least = scene.distance(&point);
        let mut beyond = scene.first_guess(&point, k);
        loop {
            heap.clear();
            let limit = S::from_f64((least + beyond) * (least + beyond));
            let whole = scene.search_nearest(&point, k, limit, &mut heap);
            if heap.len() == k {
                break;
            }
            if whole {
                // Nearly everything was in reach. What was not may be at any distance.
                heap.clear();
                scene.search_nearest(&point, k, S::INFINITY, &mut heap);
                break;
            }
            beyond *= GROWTH;
        }
        *found = heap.into_sorted_vec();
    }
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Collects the `k` nearest of the objects that are no further away than the limit, a square. Returns whether the whole
    /// grid was searched.
    fn search_nearest(&self, point: &[S; D], k: usize, limit: S, heap: &mut BinaryHeap<Neighbor<S>>) -> bool {
        let ControlFlow::Continue(whole) = self.search(point, limit, |neighbor| {
            if heap.len() < k {
                heap.push(neighbor);
            } else if let Some(mut worst) = heap.peek_mut()
                && neighbor < *worst
            {
                *worst = neighbor;
            }
            let worst = heap.peek().filter(|_| heap.len() == k);
            ControlFlow::<Infallible, S>::Continue(worst.map_or(limit, |worst| worst.distance_squared))
        });
        whole
    }

    /// A lower bound of the distance to the nearest object of a level.
    fn distance(&self, point: &[S; D]) -> f64 {
        let distance = |bounds: Aabb<S, D>| {
            let gaps = (0..D).map(|axis| gap(point[axis], bounds.min[axis], bounds.max[axis]).to_f64());
            gaps.fold(0.0, |sum, gap| sum + gap * gap).sqrt()
        };
        let distances = self.occupied().map(|(_, region)| distance(region.bounds::<S, D>(region.low, region.high)));
        let least = distances.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// A radius within which about so many objects should be, from how many there are in the chunks around the point, or else in
    /// chunks on average.
    fn first_guess(&self, point: &[S; D], k: usize) -> f64 {
        let mut density = 0.0;
        for (level, region) in self.occupied() {
            let coords = Shape::<D>::chunk_of(self.grid.levels[level].cell(point));
            let here = self.grid.directory.find(&self.grid.pool, &chunk_key(level, coords));
            let average = self.grid.objects[level] as f64 / region.chunks as f64;
            let objects = here.map_or(average, |(_, chunk)| chunk.entries().len() as f64);
            density += objects / region.chunk_size::<D>().iter().product::<f64>();
        }
        let space = EXPECTED * k as f64 / density;
        let edge = if D == 2 { space.sqrt() } else { space.cbrt() };
        // Where the numbers fail, everything is in reach.
        if edge > 0.0 { edge / 2.0 } else { f64::INFINITY }
    }
}
