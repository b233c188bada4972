//! Queries in a lattice: a query has images, as objects do. A moving point or box has images on each stretch of its path.
//!
//! A box, a ball, or the box that a moving box covers on a stretch of its path is treated as one more object. It is placed, it gets ghosts,
//! and a meeting counts if along no vector both sides are ghosts (`images.rs` proves that this finds every meeting once). Stretches are
//! equally long, and overlap by the rounding of times. An object that is met on several stretches is met with the same shift on each, so
//! results with equal objects and equal shifts are the same meeting.

use std::ops::ControlFlow;

use super::lattice::{Lattice, LatticePlace};
use super::path::{Copies, MOST_COPIES, Path, Stretch, Stretches};
use super::query_images::QueryImage;
use super::replicas::for_each_ghost;
use super::space::{Space, moved_in_lattice, place_interval};
use super::{PeriodicQueries, Shifted};
use crate::query::is_finite;
use crate::{Aabb, Ball, Neighbor, QueryFilter, Scalar};

/// A bound for the roundings that add up.
const FEW: f64 = 16.0;

/// The most periods within which the nearest are searched, by the number of periodic vectors.
const MOST_RINGS: [f64; 4] = [0.0, 48.0, 48.0, 19.0];

impl<S: Scalar, const D: usize> Space<S, D> {
    /// Calls `f` with the images of a query that reaches as far as a valid box, until it returns `Break`; not at all if the query is too
    /// long or too far away.
    #[inline]
    pub(super) fn try_for_each_query_image<B>(
        &self,
        bounds: &Aabb<S, D>,
        f: impl FnMut(&QueryImage<S, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Space::Domain(domain) => domain.try_for_each_query_image(bounds, f),
            Space::Lattice(lattice, _) => {
                let place = place_interval::<S, D>(lattice, bounds.min.map(S::to_f64), bounds.max.map(S::to_f64));
                let Ok(place) = place else { return ControlFlow::Continue(()) };
                lattice.try_for_each_image_at(bounds, &place, f)
            }
        }
    }

    /// The stretches of a path, unless it has no end or begins too far away.
    pub(super) fn stretches<'a>(&'a self, path: &'a Path<S, D>) -> Option<AnyStretches<'a, S, D>> {
        match self {
            Space::Domain(domain) => domain.stretches(path).map(AnyStretches::Domain),
            Space::Lattice(lattice, _) => LatticeStretches::new(lattice, path).map(AnyStretches::Lattice),
        }
    }

    /// Calls `f` with the copies of a moving box on a stretch, where they are at time 0, until it returns `Break`.
    pub(super) fn try_for_each_copy<B>(
        &self,
        path: &Path<S, D>,
        stretch: &Stretch<S, D>,
        f: impl FnMut(&QueryImage<S, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match (self, &stretch.copies) {
            (Space::Domain(domain), Copies::Along(axes)) => domain.try_for_each_choice(axes, f),
            (Space::Lattice(lattice, _), Copies::At(place)) => lattice.try_for_each_image_at(&path.bounds, place, f),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<const D: usize> Lattice<D> {
    /// Calls `f` with the images of an object that has this place, until it returns `Break`.
    fn try_for_each_image_at<S: Scalar, B>(
        &self,
        bounds: &Aabb<S, D>,
        place: &LatticePlace<D>,
        mut f: impl FnMut(&QueryImage<S, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut flow = ControlFlow::Continue(());
        let mut meet = |back: [u8; D]| {
            if flow.is_continue() {
                let periods = std::array::from_fn(|axis| place.periods[axis] + i32::from(back[axis]));
                let ghostless = (0..D).fold(0, |bits, axis| bits | u8::from(back[axis] != 0) << axis);
                flow = f(&QueryImage { bounds: moved_in_lattice(self, bounds, None, periods), periods, ghostless });
            }
        };
        meet([0; D]);
        for_each_ghost(&place.counts, meet);
        flow
    }
}

/// A path that is being followed.
#[derive(Debug)]
pub(super) enum AnyStretches<'a, S, const D: usize> {
    Domain(Stretches<'a, S, D>),
    Lattice(LatticeStretches<'a, S, D>),
}

impl<S: Scalar, const D: usize> AnyStretches<'_, S, D> {
    pub(super) fn next_stretch(&mut self) -> Option<Stretch<S, D>> {
        match self {
            AnyStretches::Domain(stretches) => stretches.next_stretch(),
            AnyStretches::Lattice(stretches) => stretches.next_stretch(),
        }
    }
}

/// Equal parts of a path, each about a period long.
#[derive(Debug)]
pub(super) struct LatticeStretches<'a, S, const D: usize> {
    lattice: &'a Lattice<D>,
    path: &'a Path<S, D>,
    /// The duration of a stretch, the number of stretches, and the next one.
    duration: f64,
    count: usize,
    next: usize,
    /// Copies that may still be followed.
    left: usize,
}

impl<'a, S: Scalar, const D: usize> LatticeStretches<'a, S, D> {
    fn new(lattice: &'a Lattice<D>, path: &'a Path<S, D>) -> Option<Self> {
        if !is_finite(path.max_t) {
            return None;
        }
        let max_t = path.max_t.to_f64();
        let periods = lattice.periods_along(path.direction.map(S::to_f64)) * max_t;
        let parts = if periods > 1.0 { periods.ceil() } else { 1.0 };
        let count = if parts < MOST_COPIES as f64 { parts as usize } else { MOST_COPIES };
        Some(LatticeStretches { lattice, path, duration: max_t / parts, count, next: 0, left: MOST_COPIES })
    }

    fn next_stretch(&mut self) -> Option<Stretch<S, D>> {
        if self.next == self.count {
            return None;
        }
        let max_t = self.path.max_t.to_f64();
        let (from, to) = (self.next as f64 * self.duration, (self.next + 1) as f64 * self.duration);
        self.next += 1;
        let slack = self.slack(to);
        let from = S::from_f64((from - slack).max(0.0));
        let to = if to + slack < max_t { S::from_f64(to + slack) } else { self.path.max_t };
        let place = place_interval::<S, D>(self.lattice, self.end(from, to, f64::min), self.end(from, to, f64::max)).ok()?;
        let copies = place.counts.iter().fold(1, |copies: usize, &count| copies.saturating_mul(usize::from(count) + 1));
        self.left = self.left.checked_sub(copies)?;
        Some(Stretch { copies: Copies::At(place), from, to })
    }

    /// The least or the greatest corner of what is covered between two times.
    fn end(&self, from: S, to: S, choose: fn(f64, f64) -> f64) -> [f64; D] {
        std::array::from_fn(|axis| {
            let (bounds, speed) = (&self.path.bounds, self.path.direction[axis].to_f64());
            let bound = choose(bounds.min[axis].to_f64(), bounds.max[axis].to_f64());
            bound + choose(speed * from.to_f64(), speed * to.to_f64())
        })
    }

    /// The error of times that are counted from another copy, but at most a quarter of a stretch: with a larger error, rounding decides
    /// what is met at all.
    fn slack(&self, to: f64) -> f64 {
        let (bounds, direction) = (&self.path.bounds, self.path.direction.map(|speed| speed.to_f64().abs()));
        let finite = |x: &S| if is_finite(*x) { x.to_f64().abs() } else { 0.0 };
        let places = bounds.min.iter().chain(&bounds.max).map(finite).sum::<f64>() + self.lattice.size();
        let slowest = direction.iter().filter(|&&speed| speed > 0.0).fold(f64::INFINITY, |least, &speed| least.min(speed));
        let rounded = FEW * S::EPSILON * (places + direction.iter().sum::<f64>() * to) / slowest;
        rounded.min(0.25 * self.duration)
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> PeriodicQueries<'_, S, D, F> {
    /// The nearest in a lattice: balls that grow until one contains enough.
    pub(super) fn nearest_in_lattice(
        &self,
        lattice: &Lattice<D>,
        point: [S; D],
        k: usize,
        found: &mut Vec<Shifted<Neighbor<S>, D>>,
    ) {
        let objects = self.owners.moved.len();
        if objects == 0 || !self.target.bounds().is_valid() || !point.iter().all(|&x| is_finite(x)) {
            return;
        }
        let rings = MOST_RINGS[lattice.periodic().iter().filter(|&&periodic| periodic).count()];
        let most = rings * lattice.shortest();
        // A ball that holds `k` objects if the objects are spread evenly.
        let mut radius = (lattice.shortest() * (k as f64 / objects as f64).powf(1.0 / D as f64)).clamp(most * 1e-6, most);
        loop {
            self.within(&Ball { center: point, radius: S::from_f64(radius) }, found);
            if found.len() >= k || radius >= most {
                break;
            }
            radius = (2.0 * radius).min(most);
        }
        found.sort_unstable();
        found.truncate(k);
    }
}
