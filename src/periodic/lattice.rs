//! A space that is periodic along any vectors: the arithmetic of sheared cells.

use super::domain::MOST_PERIODS;
use super::{PeriodicError, PeriodicReason};
use crate::{Aabb, Scalar};

/// The most periods that an object may be long, along each axis: so that differences of ghosts' numbers fit into an `i8`.
pub(crate) const MOST_IMAGES: f64 = 100.0;

/// A bound for the roundings that add up.
const FEW: f64 = 8.0;

/// A space that repeats itself along some of `D` vectors, which need be neither perpendicular nor along the axes: a sheared
/// (triclinic) domain.
///
/// For neighbor lists: [`Neighbors::lattice`](crate::Neighbors::lattice). For pairs and queries:
/// [`Periodic::of_lattice`](crate::Periodic::of_lattice). The numbers of shifts count these vectors. Only the vectors matter, not where the
/// domain begins.
///
/// ```
/// use pivotgrid::{Lattice, Neighbors, PeriodicError, PeriodicNeighbor};
///
/// // A sheared box: whatever leaves it at the top comes in again at the bottom, three to the left.
/// let lattice = Lattice::new([[10.0, 0.0], [3.0, 8.0]], [true, true])?;
/// let mut neighbors = Neighbors::<f64, 2>::new().lattice(lattice);
/// let rows = neighbors.par_within(&[[1.0, 0.5], [4.0, 7.75]], 1.0);
/// assert_eq!(rows.row(0).collect::<Vec<_>>(), [PeriodicNeighbor { index: 1, shift: [0, -1] }]);
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "SavedLattice<D>", try_from = "SavedLattice<D>"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "[f64; D]: serde::Serialize, [[f64; D]; D]: serde::Serialize, [bool; D]: serde::Serialize",
        deserialize = "[f64; D]: serde::Deserialize<'de>, [[f64; D]; D]: serde::Deserialize<'de>, [bool; D]: serde::Deserialize<'de>"
    ))
)]
pub struct Lattice<const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    /// Where the domain begins.
    origin: [f64; D],
    /// For each vector, the factors that turn coordinates into a number of such vectors; zeros for vectors that are not periodic.
    dual: [[f64; D]; D],
    /// The lengths of the dual vectors: the most periods in a unit of length.
    per_length: [f64; D],
    /// The extent of all vectors together along each axis.
    extent: [f64; D],
    /// The sum of the extents.
    size: f64,
    /// The origin, counted in the vectors.
    origin_counts: [f64; D],
}

/// What is saved of a lattice: the rest follows, and a lattice that there cannot be is refused.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Lattice")]
#[serde(bound(
    serialize = "[f64; D]: serde::Serialize, [[f64; D]; D]: serde::Serialize, [bool; D]: serde::Serialize",
    deserialize = "[f64; D]: serde::Deserialize<'de>, [[f64; D]; D]: serde::Deserialize<'de>, [bool; D]: serde::Deserialize<'de>"
))]
struct SavedLattice<const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    #[serde(default = "zeros")]
    origin: [f64; D],
}

#[cfg(feature = "serde")]
fn zeros<const D: usize>() -> [f64; D] {
    [0.0; D]
}

#[cfg(feature = "serde")]
impl<const D: usize> From<Lattice<D>> for SavedLattice<D> {
    fn from(Lattice { vectors, periodic, origin, .. }: Lattice<D>) -> Self {
        SavedLattice { vectors, periodic, origin }
    }
}

#[cfg(feature = "serde")]
impl<const D: usize> TryFrom<SavedLattice<D>> for Lattice<D> {
    type Error = PeriodicError;

    fn try_from(SavedLattice { vectors, periodic, origin }: SavedLattice<D>) -> Result<Self, PeriodicError> {
        let is_finite = origin.iter().all(|x| x.is_finite());
        Lattice::new(vectors, periodic)
            .and_then(|lattice| if is_finite { Ok(lattice.at(origin)) } else { Err(PeriodicError::Lattice) })
    }
}

/// The place of an object in a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LatticePlace<const D: usize> {
    /// By how many periods it must be moved down into the domain, by vector.
    pub(crate) periods: [i32; D],
    /// How many ghosts it has along each vector.
    pub(crate) counts: [u8; D],
}

impl<const D: usize> Default for LatticePlace<D> {
    /// Not moved, without ghosts.
    fn default() -> Self {
        LatticePlace { periods: [0; D], counts: [0; D] }
    }
}

/// How far an object reaches from its center.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half<const D: usize> {
    /// Equally far in all directions.
    Ball(f64),
    /// This far along each axis.
    Box([f64; D]),
}

impl<const D: usize> Lattice<D> {
    /// The space that repeats itself along the marked vectors; the others are ignored.
    ///
    /// Returns an error if the marked vectors are not finite, or depend on each other.
    pub fn new(vectors: [[f64; D]; D], periodic: [bool; D]) -> Result<Self, PeriodicError> {
        let (zeros, dual) = ([0.0; D], [[0.0; D]; D]);
        let mut lattice =
            Lattice { vectors, periodic, origin: zeros, dual, per_length: zeros, extent: zeros, size: 0.0, origin_counts: zeros };
        lattice.dual = lattice.invert().ok_or(PeriodicError::Lattice)?;
        lattice.per_length = lattice.dual.map(|dual| dot(&dual, &dual).sqrt());
        for vector in (0..D).filter(|&vector| periodic[vector]) {
            for axis in 0..D {
                lattice.extent[axis] += vectors[vector][axis].abs();
            }
        }
        lattice.size = lattice.extent.iter().sum();
        Ok(lattice)
    }

    /// The same as of a box whose sides are parallel to the axes.
    pub(crate) fn of_domain<S: Scalar>(domain: &Aabb<S, D>, periodic: [bool; D]) -> Result<Self, PeriodicError> {
        super::space(*domain, periodic)?;
        let [low, high] = [domain.min, domain.max].map(|corner| corner.map(S::to_f64));
        // Along other axes the domain may be infinite.
        let length = |axis: usize| if (high[axis] - low[axis]).is_finite() { high[axis] - low[axis] } else { 0.0 };
        let along = |axis: usize| std::array::from_fn(|other| if other == axis { length(axis) } else { 0.0 });
        let lattice = Lattice::new(std::array::from_fn(along), periodic)?;
        Ok(lattice.at(std::array::from_fn(|axis| if periodic[axis] { low[axis] } else { 0.0 })))
    }

    /// The same with a domain that begins there instead of at zero.
    fn at(mut self, origin: [f64; D]) -> Self {
        self.origin = origin;
        self.origin_counts = self.dual.map(|dual| dot(&dual, &origin));
        self.size += origin.iter().map(|x| x.abs()).sum::<f64>();
        self
    }

    /// The vectors.
    pub fn vectors(&self) -> &[[f64; D]; D] {
        &self.vectors
    }

    /// The vectors along which space repeats itself.
    pub fn periodic(&self) -> [bool; D] {
        self.periodic
    }

    /// The shift by a number of periods along each vector.
    #[inline]
    pub fn translation(&self, shift: [i32; D]) -> [f64; D] {
        let mut sum = [0.0; D];
        for vector in 0..D {
            if shift[vector] != 0 {
                for axis in 0..D {
                    sum[axis] += f64::from(shift[vector]) * self.vectors[vector][axis];
                }
            }
        }
        sum
    }

    /// The most periods along one of the vectors that correspond to a displacement.
    pub(crate) fn periods_along(&self, way: [f64; D]) -> f64 {
        self.dual.iter().map(|dual| dot(dual, &way).abs()).fold(0.0, f64::max)
    }

    /// The least distance between two sides of the domain; any length if it has none.
    pub(crate) fn shortest(&self) -> f64 {
        let most = self.per_length.iter().copied().fold(0.0, f64::max);
        if most > 0.0 { 1.0 / most } else { 1.0 }
    }

    /// An upper bound for the coordinates of objects in the domain, along axes on which it repeats itself.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// A point moved down by a number of periods along each vector, rounded once.
    #[inline]
    pub(crate) fn down<S: Scalar>(&self, point: [S; D], periods: [i32; D]) -> [S; D] {
        if periods == [0; D] {
            return point;
        }
        let by = self.translation(periods);
        std::array::from_fn(|axis| if by[axis] == 0.0 { point[axis] } else { S::from_f64(point[axis].to_f64() - by[axis]) })
    }

    /// The place of an object that reaches `half` around its center. If it reaches as far as `usual`, its center is put into the domain.
    ///
    /// It begins where its center lies, less its reach; counted in periods, and apart from the whole ones, that is a number from 0 to 1.
    /// `images.rs` proves that every meeting is found once if there is a ghost for each number of periods by which an object ends behind
    /// the border. The rounding of its places, in `S`, is added to its reach.
    #[inline]
    pub(crate) fn place<S: Scalar>(
        &self,
        mut center: [f64; D],
        half: Half<D>,
        usual: f64,
    ) -> Result<LatticePlace<D>, PeriodicReason> {
        if !center.iter().all(|x| x.is_finite()) {
            center = self.finite(center)?;
        }
        let (mut begin, mut length, mut is_inside) = ([0.0; D], [0.0; D], true);
        // An upper bound for the rounding of its coordinates in the domain.
        let rounded = FEW * S::EPSILON * (center.iter().map(|x| x.abs()).sum::<f64>() + self.size);
        // Vectors that are not periodic have a count of 0.
        for vector in 0..D {
            let half = self.in_periods(vector, half);
            let at = dot(&self.dual[vector], &center) - self.origin_counts[vector];
            (begin[vector], length[vector]) = (at - half + usual * self.per_length[vector], 2.0 * half);
            let end = begin[vector] + length[vector] + rounded * self.per_length[vector];
            is_inside &= (begin[vector] >= 0.0) & (end < 1.0);
        }
        match is_inside {
            true => Ok(LatticePlace::default()),
            false => self.place_outside::<S>(&center, begin, length),
        }
    }

    /// The same for an object that begins or ends outside of the domain.
    fn place_outside<S: Scalar>(
        &self,
        center: &[f64; D],
        begin: [f64; D],
        length: [f64; D],
    ) -> Result<LatticePlace<D>, PeriodicReason> {
        let mut place = LatticePlace::default();
        for axis in (0..D).filter(|&axis| self.periodic[axis]) {
            if length[axis].is_nan() || length[axis] >= MOST_IMAGES - 2.0 {
                return Err(PeriodicReason::LargerThanPeriod { axis: axis as u8 });
            }
            if begin[axis].is_nan() || begin[axis].abs() > MOST_PERIODS {
                return Err(PeriodicReason::TooFarOut { axis: axis as u8 });
            }
            place.periods[axis] = floor(begin[axis]);
        }
        let moved = self.translation(place.periods);
        for axis in (0..D).filter(|&axis| self.periodic[axis]) {
            let rounded = |other: usize| {
                let inside = (center[other] - moved[other]).abs() + self.extent[other];
                (S::EPSILON * inside + f64::EPSILON * center[other].abs()) * self.dual[axis][other].abs()
            };
            let rounded = FEW * (0..D).map(rounded).sum::<f64>();
            let end = begin[axis] - f64::from(place.periods[axis]) + length[axis] + rounded;
            place.counts[axis] = end.min(MOST_IMAGES) as u8;
        }
        Ok(place)
    }

    /// Whether objects in the domain have only small coordinates along the periodic axes: false if space is repeated along a diagonal
    /// alone, or along vectors that are nearly the same.
    fn has_small_coordinates(&self) -> bool {
        let counting = (0..D).filter(|&axis| self.dual.iter().any(|dual| dual[axis] != 0.0)).count();
        let vectors = self.periodic.iter().filter(|&&periodic| periodic).count();
        // How much larger coordinates can be than their sum in periods.
        let cancelled = (0..D).map(|vector| self.per_length[vector] * self.size).fold(0.0, f64::max);
        counting == vectors && cancelled < 1e3
    }

    /// An object may be infinite along an axis if nothing is repeated along it.
    #[cold]
    pub(crate) fn check_infinite(&self, axis: usize) -> Result<(), PeriodicReason> {
        match (0..D).find(|&vector| self.dual[vector][axis] != 0.0) {
            Some(vector) => Err(PeriodicReason::LargerThanPeriod { axis: vector as u8 }),
            None => Ok(()),
        }
    }

    /// Zeros instead of infinite coordinates, if nothing is repeated along those axes.
    #[cold]
    fn finite(&self, mut center: [f64; D]) -> Result<[f64; D], PeriodicReason> {
        for axis in 0..D {
            if center[axis].is_finite() {
                continue;
            }
            if let Some(vector) = (0..D).find(|&vector| self.dual[vector][axis] != 0.0) {
                return Err(PeriodicReason::TooFarOut { axis: vector as u8 });
            }
            center[axis] = 0.0;
        }
        Ok(center)
    }

    /// By how many periods along a vector an object reaches from its center.
    #[inline]
    fn in_periods(&self, vector: usize, half: Half<D>) -> f64 {
        match half {
            Half::Ball(radius) => radius * self.per_length[vector],
            Half::Box(half) => {
                let dual = &self.dual[vector];
                // It may be infinite along other axes.
                (0..D).map(|axis| if dual[axis] == 0.0 { 0.0 } else { dual[axis].abs() * half[axis] }).sum()
            }
        }
    }

    /// The dual vectors, in the space of those vectors that count: `dual[i] . vectors[j]` is 1 for `i == j` and 0 otherwise.
    fn invert(&self) -> Option<[[f64; D]; D]> {
        let (vectors, periodic) = (&self.vectors, &self.periodic);
        let mut dual = [[0.0; D]; D];
        // The part of each vector that is perpendicular to all others, computed twice because the first result is rounded: its inverse is
        // the dual vector.
        for vector in (0..D).filter(|&vector| periodic[vector]) {
            if !vectors[vector].iter().all(|x| x.is_finite()) {
                return None;
            }
            let mut basis: [Option<[f64; D]>; D] = [None; D];
            let mut apart = vectors[vector];
            for other in (0..D).filter(|&other| periodic[other] && other != vector) {
                let mut along = vectors[other];
                for _ in 0..2 {
                    basis.iter().flatten().for_each(|unit| along = without(&along, unit));
                }
                let length = dot(&along, &along).sqrt();
                basis[other] = (length > 0.0).then(|| along.map(|x| x / length));
            }
            for _ in 0..2 {
                basis.iter().flatten().for_each(|unit| apart = without(&apart, unit));
            }
            let (square, whole) = (dot(&apart, &apart), dot(&vectors[vector], &vectors[vector]));
            // The domain is so flat that a rounded point may lie anywhere.
            if !(square > 1e-20 * whole && square.is_finite() && (1.0 / square).is_finite()) {
                return None;
            }
            dual[vector] = apart.map(|x| x / square);
        }
        Some(dual)
    }
}

/// The sides of a lattice's domain, moved inwards by more than any rounding: a valid box between all of them neither has to be moved nor
/// has ghosts, despite the roundings of [`place`](Lattice::place). In the coordinates' own type, because every box is compared with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<S, const D: usize> {
    /// What each axis contributes to the counts of periods, of which there are up to three: the fourth of a register's lanes is unused.
    dual: [[S; LANES]; D],
    /// The same without the signs.
    dual_lengths: [[S; LANES]; D],
    /// Twice the counts within which a box begins and ends.
    low: [S; LANES],
    high: [S; LANES],
}

/// A box is compared with all vectors at once.
const LANES: usize = 4;

/// By how many relative roundings sides are moved inwards: `place` allows for some 16, and comparing with sides takes some 8.
const INWARDS: f64 = 64.0;

impl<S: Scalar, const D: usize> Sides<S, D> {
    pub(super) fn of(lattice: &Lattice<D>) -> Self {
        let zeros = [[S::ZERO; LANES]; D];
        let mut sides = Sides { dual: zeros, dual_lengths: zeros, low: [S::NEG_INFINITY; LANES], high: [S::INFINITY; LANES] };
        for vector in (0..D).filter(|&vector| lattice.periodic[vector]) {
            for axis in 0..D {
                let dual = lattice.dual[vector][axis];
                sides.dual[axis][vector] = S::from_f64(dual);
                sides.dual_lengths[axis][vector] = S::from_f64(dual.abs());
            }
            let rounded = INWARDS * S::EPSILON * (1.0 + lattice.size * lattice.per_length[vector]);
            let at = lattice.origin_counts[vector];
            // No box is between the sides if roundings are too large, or if large coordinates may cancel each other.
            let may_tell = rounded < 0.01 && lattice.has_small_coordinates();
            sides.low[vector] = if may_tell { S::from_f64(2.0 * (at + rounded)) } else { S::INFINITY };
            sides.high[vector] = S::from_f64(2.0 * (at + 1.0 - rounded));
        }
        sides
    }

    /// Whether a box lies between them. False if it is infinite or NaN along an axis.
    #[inline(always)]
    pub(crate) fn enclose(&self, aabb: &Aabb<S, D>) -> bool {
        let (mut at, mut length) = ([S::ZERO; LANES], [S::ZERO; LANES]);
        for axis in 0..D {
            let (sum, difference) = (aabb.min[axis] + aabb.max[axis], aabb.max[axis] - aabb.min[axis]);
            for lane in 0..LANES {
                at[lane] = at[lane] + self.dual[axis][lane] * sum;
                length[lane] = length[lane] + self.dual_lengths[axis][lane] * difference;
            }
        }
        // Without `&&`, so that there is one predictable branch.
        (0..LANES).fold(true, |inside, lane| {
            inside & (at[lane] - length[lane] >= self.low[lane]) & (at[lane] + length[lane] <= self.high[lane])
        })
    }
}

/// For a number that fits into an `i32`. Written without `floor` because the baseline x86-64 instruction set has none and would call libm.
#[inline]
fn floor(x: f64) -> i32 {
    let towards_zero = x as i32;
    towards_zero - i32::from(f64::from(towards_zero) > x)
}

#[inline]
fn dot<const D: usize>(one: &[f64; D], other: &[f64; D]) -> f64 {
    (0..D).map(|axis| one[axis] * other[axis]).sum()
}

/// The part of a vector that is perpendicular to a vector of length 1.
fn without<const D: usize>(vector: &[f64; D], unit: &[f64; D]) -> [f64; D] {
    let along = dot(vector, unit);
    std::array::from_fn(|axis| vector[axis] - along * unit[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dual_vectors_count_the_others() {
        let vectors = [[10.0, 0.0, 0.0], [3.0, 8.0, 0.5], [-2.0, 1.0, 5.0]];
        for periodic in [[true; 3], [true, false, true], [false, false, true]] {
            let lattice = Lattice::new(vectors, periodic).expect("a lattice");
            for i in (0..3).filter(|&i| periodic[i]) {
                for j in (0..3).filter(|&j| periodic[j]) {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((dot(&lattice.dual[i], &vectors[j]) - expected).abs() < 1e-14, "{lattice:?}");
                }
            }
        }
    }

    #[test]
    fn bad_vectors_are_refused() {
        let refused = |vectors| Lattice::<2>::new(vectors, [true, true]).is_err();
        assert!(refused([[1.0, 0.0], [2.0, 0.0]]) && refused([[0.0, 0.0], [0.0, 1.0]]));
        assert!(refused([[f64::NAN, 0.0], [0.0, 1.0]]) && refused([[f64::INFINITY, 0.0], [0.0, 1.0]]));
        assert!(Lattice::<2>::new([[1.0, 0.0], [0.0, 0.0]], [true, false]).is_ok());
        assert!(Lattice::<2>::new([[1e9, 0.0], [0.0, 1e-9]], [true, true]).is_ok());
    }

    #[test]
    fn places_in_a_sheared_domain() {
        let lattice = Lattice::new([[10.0, 0.0], [5.0, 10.0]], [true, true]).expect("a lattice");
        let place = |center: [f64; 2], radius: f64| lattice.place::<f32>(center, Half::Ball(radius), radius).expect("a place");
        assert_eq!((place([7.0, 5.0], 0.5).periods, place([7.0, 5.0], 0.5).counts), ([0, 0], [0, 0]));
        // Left of the sheared side.
        assert_eq!(place([2.0, 5.0], 0.5).periods, [-1, 0]);
        assert_eq!(place([7.0, 9.5], 0.5).counts, [0, 1]);
        assert_eq!(place([7.0, 25.0], 12.0).periods, [-1, 2]);
        assert!(place([7.0, 5.0], 12.0).counts.iter().all(|&count| count >= 2));
        assert_eq!(lattice.down([7.0f32, 25.0], [-1, 2]), [7.0, 5.0]);
    }
}
