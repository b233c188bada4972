//! Placing an object in the domain: the only difference between a box with sides along the axes and a sheared cell.

use super::PeriodicReason;
use super::domain::Domain;
use super::lattice::{Half, Lattice, LatticePlace, Sides};
use crate::{Aabb, Ball, Scalar};

/// The most images of one object.
const MOST_IMAGES: usize = 4096;

/// A space that repeats itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Space<S, const D: usize> {
    /// Along axes, with rounding that is the same for every object.
    Domain(Domain<S, D>),
    /// Along any vectors. The sides of the domain show quickly that most boxes lie inside.
    Lattice(Lattice<D>, Sides<S, D>),
}

/// The placement of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placed<const D: usize> {
    /// It stays where it is and has no ghosts. Invalid boxes stay as well; the engine rejects them.
    Here,
    /// It is moved, or has ghosts.
    There(LatticePlace<D>),
    /// There is no place for it.
    Misfit(PeriodicReason),
}

impl<S: Scalar, const D: usize> Space<S, D> {
    /// The space that a lattice repeats.
    pub(super) fn of_lattice(lattice: Lattice<D>) -> Self {
        Space::Lattice(lattice, Sides::of(&lattice))
    }

    /// Whether a box stays where it is and has no ghosts. True for most such boxes, not for all.
    #[inline(always)]
    pub(crate) fn is_well_inside(&self, aabb: &Aabb<S, D>) -> bool {
        match self {
            Space::Domain(domain) => domain.is_well_inside(aabb),
            Space::Lattice(_, sides) => sides.enclose(aabb),
        }
    }

    /// The place of a box.
    #[inline(always)]
    pub(crate) fn place(&self, aabb: &Aabb<S, D>) -> Placed<D> {
        if self.is_well_inside(aabb) { Placed::Here } else { self.place_exactly(*aabb) }
    }

    /// The same for a box that may have to be moved. By value: a reference would force every box into memory, even those in registers.
    #[inline(never)]
    fn place_exactly(&self, aabb: Aabb<S, D>) -> Placed<D> {
        match self {
            _ if !aabb.is_valid() => Placed::Here,
            Space::Domain(domain) => place_in_domain(domain, &aabb),
            Space::Lattice(lattice, _) => place_in_lattice(lattice, &aabb),
        }
    }

    /// A box where it was [placed](Self::place), `periods` periods down; `ball` is the ball that the object is, if it is one.
    pub(crate) fn placed_box(&self, aabb: &Aabb<S, D>, ball: Option<Ball<S, D>>, periods: [i32; D]) -> Aabb<S, D> {
        match self {
            Space::Domain(domain) => domain.wrap(*aabb).map_or(Aabb::EMPTY, |wrapped| wrapped.bounds),
            Space::Lattice(lattice, _) => moved_in_lattice(lattice, aabb, ball, periods),
        }
    }

    /// The box of a ghost, a number of periods back from a place.
    pub(crate) fn ghost(&self, aabb: &Aabb<S, D>, ball: Option<Ball<S, D>>, periods: [i32; D], back: [u8; D]) -> Aabb<S, D> {
        match self {
            Space::Domain(domain) => {
                let (placed, back) = (self.placed_box(aabb, ball, periods), back.map(i32::from));
                Aabb { min: domain.down(placed.min, back), max: domain.down(placed.max, back) }
            }
            Space::Lattice(lattice, _) => {
                moved_in_lattice(lattice, aabb, ball, std::array::from_fn(|axis| periods[axis] + i32::from(back[axis])))
            }
        }
    }

    /// A point moved down by a number of periods.
    #[inline]
    pub(crate) fn down(&self, point: [S; D], periods: [i32; D]) -> [S; D] {
        match self {
            Space::Domain(domain) => domain.down(point, periods),
            Space::Lattice(lattice, _) => lattice.down(point, periods),
        }
    }

    /// The shift by a number of periods upward.
    #[inline]
    pub(crate) fn translation(&self, shift: [i32; D]) -> [S; D] {
        match self {
            Space::Domain(domain) => domain.translation(shift),
            Space::Lattice(lattice, _) => lattice.translation(shift).map(S::from_f64),
        }
    }
}

fn place_in_domain<S: Scalar, const D: usize>(domain: &Domain<S, D>, aabb: &Aabb<S, D>) -> Placed<D> {
    match domain.wrap(*aabb) {
        Ok(wrapped) => {
            let counts = std::array::from_fn(|axis| wrapped.crossing >> axis & 1);
            Placed::There(LatticePlace { periods: wrapped.periods, counts })
        }
        Err(reason) => Placed::Misfit(reason),
    }
}

#[inline]
fn place_in_lattice<S: Scalar, const D: usize>(lattice: &Lattice<D>, aabb: &Aabb<S, D>) -> Placed<D> {
    let place = match place_box(lattice, aabb) {
        Ok(place) if place == LatticePlace::default() => return Placed::Here,
        Ok(place) => place,
        Err(reason) => return Placed::Misfit(reason),
    };
    if place.counts.iter().map(|&count| usize::from(count) + 1).product::<usize>() > MOST_IMAGES {
        let axis = (0..D).max_by_key(|&axis| place.counts[axis]).unwrap_or(0);
        return Placed::Misfit(PeriodicReason::LargerThanPeriod { axis: axis as u8 });
    }
    Placed::There(place)
}

/// The place of a valid box.
#[inline]
fn place_box<S: Scalar, const D: usize>(lattice: &Lattice<D>, aabb: &Aabb<S, D>) -> Result<LatticePlace<D>, PeriodicReason> {
    place_interval::<S, D>(lattice, aabb.min.map(S::to_f64), aabb.max.map(S::to_f64))
}

/// The place of an object between two corners, if places are rounded to `S`.
#[inline]
pub(super) fn place_interval<S: Scalar, const D: usize>(
    lattice: &Lattice<D>,
    min: [f64; D],
    max: [f64; D],
) -> Result<LatticePlace<D>, PeriodicReason> {
    let (mut center, mut half) = ([0.0; D], [0.0; D]);
    for axis in 0..D {
        let (min, max) = (min[axis], max[axis]);
        // Halves first: the sum and the difference of two numbers may overflow.
        (center[axis], half[axis]) = (0.5 * min + 0.5 * max, 0.5 * max - 0.5 * min);
        if half[axis] == f64::INFINITY {
            lattice.check_infinite(axis)?;
            center[axis] = 0.0;
        }
    }
    lattice.place::<S>(center, Half::Box(half), 0.0)
}

/// A box, moved down by a number of periods. It also covers the object's ball where that is moved to, because the two may differ in the
/// last digit.
#[inline]
pub(super) fn moved_in_lattice<S: Scalar, const D: usize>(
    lattice: &Lattice<D>,
    aabb: &Aabb<S, D>,
    ball: Option<Ball<S, D>>,
    periods: [i32; D],
) -> Aabb<S, D> {
    let mut moved = Aabb { min: lattice.down(aabb.min, periods), max: lattice.down(aabb.max, periods) };
    if let Some(Ball { center, radius }) = ball {
        moved.grow(&Ball { center: lattice.down(center, periods), radius }.aabb());
    }
    moved
}
