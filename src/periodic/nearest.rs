//! The nearest boxes to a point in a periodic domain.
//!
//! The point, moved by every number of periods, is compared with the images, ring by ring from small shifts to large ones, until a whole
//! ring is farther away than the nearest objects so far. Along one axis:
//!
//! - Moved down, it meets objects only; they begin in the domain, and the point lies below it.
//! - Moved by nothing, it meets objects and ghosts.
//! - Moved up, it meets ghosts, and objects that have none; these end in the domain, and the point lies above it.
//!
//! That is every object with every shift, once. An object is met with a shift by the point that is moved the other way; only if it has
//! a ghost and is shifted down, that ghost is met instead, by the point that is moved one period less. And what is met with the
//! point outside of the domain is no nearer to the point than the border is.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::domain::{Domain, Period};
use super::query_images::AxisSpan;
use super::space::Space;
use super::{PeriodicQueries, Shifted};
use crate::query::{Near, Nearest, is_finite, square_of_distance};
use crate::runtime::team::Team;
use crate::{Aabb, Neighbor, QueryFilter, Rows, Scalar};

/// The most periods by which a point is moved, by the number of periodic axes: about as many copies of the domain as a ray crosses.
const MOST_RINGS: [i32; 4] = [0, 1000, 127, 19];

impl<S: Scalar, const D: usize> Near<S> for Shifted<Neighbor<S>, D> {
    #[inline]
    fn distance_squared(&self) -> S {
        self.found.distance_squared
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> PeriodicQueries<'_, S, D, F> {
    /// The `k` nearest to the point among all objects with all their shifts, the nearest first, those equally near in the order of
    /// their indices and then of their shifts.
    ///
    /// Objects repeat endlessly, so there usually are `k`, even of few objects. Looks no further than 1000 periods along the axis if one is
    /// periodic, 127 along each of two, and 19 along each of three; finds fewer if there are fewer. In a [`Lattice`](crate::Lattice) it
    /// looks no further than 48 times the least distance between two sides of the domain, 19 times if all three vectors are periodic, in
    /// any direction.
    pub fn nearest(&self, point: impl Into<[S; D]>, k: usize, found: &mut Vec<Shifted<Neighbor<S>, D>>) {
        found.clear();
        let point = point.into();
        let domain = match self.space {
            _ if k == 0 => return,
            Space::Domain(domain) => domain,
            Space::Lattice(lattice, _) => return self.nearest_in_lattice(lattice, point, k, found),
        };
        let Some(rings) = Rings::new(self, domain, point) else { return };
        let mut nearest = Nearest::new(k, std::mem::take(found));
        for ring in 0..=rings.most() {
            let too_far = |square: S, nearest: &Nearest<_>| nearest.limit().is_some_and(|limit| square > limit);
            // The rings behind it are farther away still.
            if too_far(rings.square_of_distance(ring), &nearest) {
                break;
            }
            let ControlFlow::Continue(()) = domain.try_for_each_choice(&rings.axes(ring), |query| {
                let point = query.bounds.min;
                if rings.is_inside(query.periods, ring) || too_far(square_of_distance(&point, &rings.around), &nearest) {
                    return ControlFlow::<Infallible>::Continue(());
                }
                let [down, up] = rings.sides(query.periods);
                self.target.find_nearest(&point, &self.filter_of(down), &mut nearest, |neighbor| {
                    // A ghost that is moved back farther is met instead.
                    let is_last = self.owners.reaching(neighbor.index as usize) & up == 0;
                    is_last.then(|| self.shifted(query, neighbor.index, |index| Neighbor { index, ..neighbor }))
                });
                ControlFlow::Continue(())
            });
        }
        *found = nearest.into_sorted_vec();
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32> + Sync> PeriodicQueries<'_, S, D, F> {
    /// [`nearest`](Self::nearest) for many points, on the threads of the rayon pool in which it is called.
    pub fn par_nearest<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], k: usize, rows: &mut Rows<Shifted<Neighbor<S>, D>>) {
        self.target.prepare_tree(Team::of_current_pool());
        rows.fill(points, |point, found| self.nearest(*point, k, found));
    }
}

/// A point moved by every number of periods. A ring contains the points that are moved by its number along some axis, and by no more along
/// any axis.
struct Rings<'a, S, const D: usize> {
    periods: [Option<&'a Period<S>>; D],
    point: [S; D],
    /// By how many periods it must be moved down into the domain.
    numbers: [i32; D],
    /// The domain along periodic axes, and the extent of all objects along the others.
    around: Aabb<S, D>,
}

impl<'a, S: Scalar, const D: usize> Rings<'a, S, D> {
    /// Nothing if there are no objects, or if the point is not finite or too far away.
    fn new<F>(queries: &PeriodicQueries<'a, S, D, F>, domain: &'a Domain<S, D>, point: [S; D]) -> Option<Self> {
        let around = queries.target.bounds();
        let makes_sense = around.is_valid() && point.iter().all(|&x| is_finite(x));
        let periods = std::array::from_fn(|axis| domain.period(axis));
        let mut rings = makes_sense.then_some(Rings { periods, point, numbers: [0; D], around })?;
        for axis in 0..D {
            if let Some(period) = rings.periods[axis] {
                rings.numbers[axis] = period.number(point[axis])?;
                (rings.around.min[axis], rings.around.max[axis]) = period.roughly();
            }
        }
        Some(rings)
    }

    fn most(&self) -> i32 {
        MOST_RINGS[self.periods.iter().flatten().count()]
    }

    /// The point, moved by the numbers of a ring and of all rings inside it.
    fn axes(&self, ring: i32) -> [AxisSpan<S>; D] {
        std::array::from_fn(|axis| {
            let once = AxisSpan::once(self.point[axis], self.point[axis]);
            let many = AxisSpan { first: self.numbers[axis] - ring, count: 2 * ring + 1, ..once };
            if self.periods[axis].is_some() { many } else { once }
        })
    }

    /// Whether what was moved down by these periods belongs to a smaller ring.
    fn is_inside(&self, periods: [i32; D], ring: i32) -> bool {
        (0..D).all(|axis| (periods[axis] - self.numbers[axis]).abs() < ring)
    }

    /// The axes, as bits, along which what was moved down by these periods lies below the domain, and those along which it lies
    /// above.
    fn sides(&self, periods: [i32; D]) -> [u8; 2] {
        let bits = |is: fn(&i32, &i32) -> bool| {
            (0..D).fold(0, |bits, axis| bits | u8::from(is(&periods[axis], &self.numbers[axis])) << axis)
        };
        [bits(i32::gt), bits(i32::lt)]
    }

    /// The square of the distance from the domain to anything in a ring, along one axis.
    fn square_of_distance(&self, ring: i32) -> S {
        let mut least = S::INFINITY;
        for axis in 0..D {
            let Some(period) = self.periods[axis] else { continue };
            for number in [self.numbers[axis] - ring, self.numbers[axis] + ring] {
                let interval = Aabb { min: [self.around.min[axis]], max: [self.around.max[axis]] };
                let square = square_of_distance(&[period.down(self.point[axis], number)], &interval);
                least = if square < least { square } else { least };
            }
        }
        least
    }
}
