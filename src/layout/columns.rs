//! The data table as kernels read it.

use std::ops::Range;

use crate::faults::{Fault, injected};
use crate::isa::eight::{LANES, mask};
use crate::{Aabb, Ball, Scalar};

/// How many values every column of the table has behind the last entry: a kernel may read that far.
pub(crate) const PADDING: usize = 16;
const _: () = assert!(PADDING >= crate::isa::WIDTH && PADDING >= crate::isa::eight::LANES, "the widest kernel may read on");

/// The data table as kernels read it. Every column has at least [`PADDING`] values behind the last entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a, S, const D: usize> {
    pub(crate) min: [&'a [S]; D],
    pub(crate) max: [&'a [S]; D],
    pub(crate) ids: &'a [u32],
    /// Member, mask and body, where objects are in groups.
    pub(crate) groups: Option<[&'a [u32]; 3]>,
    /// Centers and radii, where objects are balls.
    pub(crate) balls: Option<Balls<'a, S, D>>,
    /// Whether there are balls whose squares may underflow or overflow, so that [`Ball::touches`] itself has to decide.
    pub(crate) has_extreme_balls: bool,
    /// Whether all entries are balls, so that [`Kernel::partners`](crate::kernel::Kernel::partners) need not compare the boxes: those of
    /// balls that touch overlap.
    pub(crate) balls_only: bool,
    /// How many entries there are.
    pub(crate) entries: usize,
}

/// An entry that is compared with others, perhaps of another table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeEntry<S, const D: usize> {
    pub(crate) id: u32,
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) groups: Option<[u32; 3]>,
    pub(crate) ball: Option<([S; D], S)>,
}

/// Columns of centers, and the column of radii.
type Balls<'a, S, const D: usize> = ([&'a [S]; D], &'a [S]);

impl<'a, S: Scalar, const D: usize> Columns<'a, S, D> {
    pub(crate) fn new(min: [&'a [S]; D], max: [&'a [S]; D], ids: &'a [u32]) -> Self {
        let shortest = min.iter().chain(&max).map(|column| column.len()).fold(ids.len(), usize::min);
        let entries = shortest.checked_sub(PADDING).expect("the columns are padded");
        Columns { min, max, ids, groups: None, balls: None, has_extreme_balls: false, balls_only: false, entries }
    }

    /// The same with what only some scenes have.
    pub(crate) fn with(mut self, groups: Option<[&'a [u32]; 3]>, balls: Option<Balls<'a, S, D>>) -> Self {
        let lengths = groups.iter().flatten().map(|column| column.len());
        let lengths =
            lengths.chain(balls.iter().flat_map(|(centers, radii)| centers.iter().chain([radii]).map(|column| column.len())));
        let shortest = lengths.fold(usize::MAX, usize::min);
        self.entries = self.entries.min(shortest.checked_sub(PADDING).expect("the columns are padded"));
        (self.groups, self.balls) = (groups, balls);
        self
    }

    /// The same for many calls of [`Kernel::partners`](crate::kernel::Kernel::partners) with the first `entries` entries: if all of these
    /// are balls, their boxes are left out, which saves more than half of the reads.
    ///
    /// Only with radii whose squares neither underflow nor overflow: an object that is no ball has an infinite radius here, and its box
    /// counts.
    pub(crate) fn for_partners(mut self, entries: usize) -> Self {
        let is_round = |radius: S| (radius >= S::LEAST_SQUARED) & (radius <= S::MOST_SQUARED);
        self.balls_only =
            self.balls.is_some_and(|(_, radii)| radii[..entries].iter().fold(true, |all, &radius| all & is_round(radius)));
        self
    }

    /// Whether overlapping boxes are not all that makes a pair.
    #[inline(always)]
    pub(crate) fn has_extras(&self) -> bool {
        self.groups.is_some() || self.balls.is_some()
    }

    /// The object of an entry.
    #[inline(always)]
    pub(crate) fn id(&self, entry: usize) -> u32 {
        self.ids[entry]
    }

    /// An entry, to be compared with others: its box, or what is extra, or both. The functions read what a column has for it, each
    /// kernel in its own way.
    #[inline(always)]
    pub(crate) fn own<const BOXES: bool, const EXTRAS: bool>(
        &self,
        number: impl Fn(&[S]) -> S,
        word: impl Fn(&[u32]) -> u32,
    ) -> ProbeEntry<S, D> {
        let bounds = || Aabb { min: self.min.map(&number), max: self.max.map(&number) };
        let (groups, balls) = (self.groups.filter(|_| EXTRAS), self.balls.filter(|_| EXTRAS));
        ProbeEntry {
            id: word(self.ids),
            bounds: if BOXES { bounds() } else { Aabb::EMPTY },
            groups: groups.map(|columns| columns.map(&word)),
            ball: balls.map(|(centers, radii)| (centers.map(&number), number(radii))),
        }
    }

    /// Of the entries from `at` on whose bit is set, those that touch a ball, as [`Ball::touches`] says. An object that is no ball has an
    /// infinite radius here, and touches every ball.
    #[cold]
    pub(crate) fn touching(&self, (center, radius): ([S; D], S), at: usize, among: u32) -> u32 {
        let Some((centers, radii)) = self.balls else { return among };
        let own = Ball { center, radius };
        let other = |entry: usize| Ball { center: centers.map(|column| column[entry]), radius: radii[entry] };
        (0..u32::BITS).fold(0, |touching, lane| {
            let touches = |other: Ball<S, D>| own.radius == S::INFINITY || other.radius == S::INFINITY || own.touches(&other);
            touching | u32::from(among >> lane & 1 != 0 && touches(other(at + lane as usize))) << lane
        })
    }

    /// The same with x and another axis swapped, which does not change what overlaps.
    #[inline(always)]
    pub(crate) fn turned(mut self, row: usize) -> Self {
        self.min.swap(0, row);
        self.max.swap(0, row);
        self
    }

    /// The column of least corners along an axis.
    pub(crate) fn min(&self, axis: usize) -> &'a [S] {
        self.min[axis]
    }

    /// The column of greatest corners along an axis.
    pub(crate) fn max(&self, axis: usize) -> &'a [S] {
        self.max[axis]
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, entry: usize) -> Aabb<S, D> {
        Aabb { min: self.min.map(|column| column[entry]), max: self.max.map(|column| column[entry]) }
    }

    /// The box around some entries.
    pub(crate) fn box_around(&self, entries: Range<usize>) -> Aabb<S, D> {
        Aabb {
            min: self.min.map(|column| extreme(&column[entries.clone()], S::INFINITY, |new, old| new < old)),
            max: self.max.map(|column| extreme(&column[entries.clone()], S::NEG_INFINITY, |new, old| new > old)),
        }
    }
}

/// A bit for each of the entries from `at` on that overlaps.
#[inline(always)]
pub(crate) fn overlaps<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, bounds: &Aabb<S, D>, at: usize) -> u32 {
    let mut hit = [true; LANES];
    for axis in 0..D {
        let (min, max) = (load(columns.min[axis], at), load(columns.max[axis], at));
        for lane in 0..LANES {
            hit[lane] &= (min[lane] <= bounds.max[axis]) & (bounds.min[axis] <= max[lane]);
            if injected(Fault::TouchIsNoOverlap) {
                hit[lane] &= min[lane] != bounds.max[axis];
            }
        }
    }
    mask(hit)
}

/// The values of the entries from `at` on.
#[inline(always)]
pub(crate) fn load<T>(column: &[T], at: usize) -> &[T; LANES] {
    column[at..].first_chunk().expect("the columns are padded")
}

/// The value that `replaces` all others. In lanes that do not depend on each other, so that they become vectors.
#[inline(always)]
fn extreme<S: Scalar>(values: &[S], first: S, replaces: impl Fn(S, S) -> bool) -> S {
    let better = |old: S, new: S| if replaces(new, old) { new } else { old };
    let mut lanes = [first; 16];
    let (groups, rest) = values.as_chunks::<16>();
    for group in groups {
        lanes = std::array::from_fn(|lane| better(lanes[lane], group[lane]));
    }
    rest.iter().chain(&lanes).fold(first, |old, &new| better(old, new))
}
