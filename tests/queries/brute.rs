//! The results by testing every box: the formulas of the documentation, written a second time.

use pivotgrid::{Aabb, Ball, BoxCast, Hit, Neighbor, Ray};

use crate::common::Coordinate;

pub(crate) struct Brute<S, const D: usize> {
    /// Valid boxes with their indices.
    boxes: Vec<(u32, Aabb<S, D>)>,
}

impl<S: Coordinate, const D: usize> Brute<S, D> {
    pub(crate) fn new(boxes: &[Aabb<S, D>]) -> Self {
        let indexed = boxes.iter().enumerate().map(|(index, bounds)| (index as u32, *bounds));
        Brute { boxes: indexed.filter(|(_, bounds)| is_valid(bounds)).collect() }
    }

    /// Of some objects only.
    pub(crate) fn filtered(boxes: &[Aabb<S, D>], is_wanted: impl Fn(u32) -> bool) -> Self {
        let mut brute = Self::new(boxes);
        brute.boxes.retain(|(index, _)| is_wanted(*index));
        brute
    }

    /// Of objects with indices of their own.
    pub(crate) fn indexed(boxes: impl IntoIterator<Item = (u32, Aabb<S, D>)>) -> Self {
        Brute { boxes: boxes.into_iter().filter(|(_, bounds)| is_valid(bounds)).collect() }
    }

    pub(crate) fn overlapping(&self, query: &Aabb<S, D>) -> Vec<u32> {
        if !is_valid(query) {
            return Vec::new();
        }
        let apart = |b: &Aabb<S, D>| (0..D).any(|axis| b.max[axis] < query.min[axis] || query.max[axis] < b.min[axis]);
        self.boxes.iter().filter(|(_, bounds)| !apart(bounds)).map(|(index, _)| *index).collect()
    }

    pub(crate) fn ray_hits(&self, ray: &Ray<S, D>) -> Vec<Hit<S>> {
        let is_finite = |x: &S| (*x).into().is_finite();
        let moves = ray.direction.iter().any(|&x| inverse(x).is_some());
        if !moves || !ray.origin.iter().all(is_finite) {
            return Vec::new();
        }
        self.cast(&Aabb { min: ray.origin, max: ray.origin }, &ray.direction, ray.max_t)
    }

    pub(crate) fn sweep_hits(&self, sweep: &BoxCast<S, D>) -> Vec<Hit<S>> {
        self.cast(&sweep.bounds, &sweep.translation, S::of(1.0))
    }

    fn cast(&self, mover: &Aabb<S, D>, direction: &[S; D], max_t: S) -> Vec<Hit<S>> {
        if !is_valid(mover) || !direction.iter().all(|&x| x.into().is_finite()) || max_t.into().is_nan() || max_t < S::of(0.0) {
            return Vec::new();
        }
        let hit = |&(index, ref bounds): &(u32, Aabb<S, D>)| meet(mover, direction, max_t, bounds).map(|t| Hit { index, t });
        let mut hits: Vec<_> = self.boxes.iter().filter_map(hit).collect();
        hits.sort_by(|a, b| a.t.partial_cmp(&b.t).expect("no NaN").then(a.index.cmp(&b.index)));
        hits
    }

    pub(crate) fn within(&self, ball: &Ball<S, D>) -> Vec<Neighbor<S>> {
        if ball.radius.into().is_nan() || ball.radius < S::of(0.0) {
            return Vec::new();
        }
        let mut neighbors = self.neighbors(&ball.center);
        neighbors.retain(|neighbor| neighbor.distance_squared <= ball.radius * ball.radius);
        neighbors
    }

    /// All, the nearest first.
    pub(crate) fn neighbors(&self, point: &[S; D]) -> Vec<Neighbor<S>> {
        if !point.iter().all(|&x| x.into().is_finite()) {
            return Vec::new();
        }
        let neighbor = |&(index, ref bounds): &(u32, Aabb<S, D>)| Neighbor { index, distance_squared: square(point, bounds) };
        let mut all: Vec<_> = self.boxes.iter().map(neighbor).collect();
        let order = |a: &Neighbor<S>, b: &Neighbor<S>| a.distance_squared.partial_cmp(&b.distance_squared).expect("no NaN");
        all.sort_by(|a, b| order(a, b).then(a.index.cmp(&b.index)));
        all
    }
}

fn is_valid<S: Coordinate, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    bounds.min.iter().zip(&bounds.max).all(|(min, max)| min <= max)
}

/// `None` if nothing moves: the inverse is not finite.
fn inverse<S: Coordinate>(speed: S) -> Option<S> {
    let inverse = S::of(1.0 / speed.into());
    inverse.into().is_finite().then_some(inverse)
}

fn meet<S: Coordinate, const D: usize>(mover: &Aabb<S, D>, direction: &[S; D], max_t: S, target: &Aabb<S, D>) -> Option<S> {
    let (mut enter, mut exit) = (S::of(0.0), max_t);
    for axis in 0..D {
        match inverse(direction[axis]) {
            None if mover.max[axis] < target.min[axis] || target.max[axis] < mover.min[axis] => return None,
            None => {}
            Some(inverse) => {
                let mut ends = [target.min[axis] - mover.max[axis], target.max[axis] - mover.min[axis]].map(|gap| gap * inverse);
                if direction[axis] < S::of(0.0) {
                    ends.swap(0, 1);
                }
                // Infinity minus infinity: they touch from the beginning, or to the end.
                if !ends[0].into().is_nan() && enter < ends[0] {
                    enter = ends[0];
                }
                if !ends[1].into().is_nan() && exit > ends[1] {
                    exit = ends[1];
                }
            }
        }
    }
    (enter <= exit).then_some(enter)
}

fn square<S: Coordinate, const D: usize>(point: &[S; D], bounds: &Aabb<S, D>) -> S {
    (0..D).fold(S::of(0.0), |sum, axis| {
        let gap = if point[axis] < bounds.min[axis] {
            bounds.min[axis] - point[axis]
        } else if point[axis] > bounds.max[axis] {
            point[axis] - bounds.max[axis]
        } else {
            S::of(0.0)
        };
        sum + gap * gap
    })
}
