//! The lanes of a coordinate type in an instruction set.

#![allow(unsafe_code)]

use crate::isa::{Isa, Lanes, WIDTH};
use crate::layout::columns::Columns;
use crate::{Aabb, Scalar};

/// Sixteen numbers of type `S`.
pub(crate) struct Vector<S, I>(std::marker::PhantomData<(S, I)>);

impl<S: Scalar, I: Isa> Vector<S, I> {
    #[inline(always)]
    pub(crate) fn splat(isa: I, value: S) -> S::In<I> {
        S::In::<I>::splat(isa, value)
    }

    /// The boxes of sixteen records.
    #[inline(always)]
    pub(crate) fn boxes<const D: usize>(isa: I, records: &[Aabb<S, D>; WIDTH]) -> Boxes<S::In<I>, D> {
        let first = records.as_ptr().cast::<S>();
        // SAFETY: a box is `2 * D` numbers, first `min`, then `max` (`repr(C)`, without padding).
        unsafe {
            // Loops, not closures: see `splat_all`.
            let mut boxes =
                Boxes { min: [S::In::<I>::column(isa, first, 2 * D, 0); D], max: [S::In::<I>::column(isa, first, 2 * D, D); D] };
            for axis in 1..D {
                boxes.min[axis] = S::In::<I>::column(isa, first, 2 * D, axis);
                boxes.max[axis] = S::In::<I>::column(isa, first, 2 * D, D + axis);
            }
            boxes
        }
    }
}

/// The boxes of sixteen entries.
#[derive(Clone, Copy)]
pub(crate) struct Boxes<V, const D: usize> {
    pub(crate) min: [V; D],
    pub(crate) max: [V; D],
}

/// Sixteen values of each of some columns.
///
/// # Safety
///
/// Sixteen values must be readable from `at` on in each of them.
#[inline(always)]
pub(super) unsafe fn load_all<I: Isa, S: Scalar, const D: usize>(isa: I, columns: [*const S; D], at: usize) -> [S::In<I>; D] {
    // A loop, not a closure: see `splat_all`.
    // SAFETY: by the caller's promise.
    let mut values = [unsafe { S::In::<I>::load(isa, columns[0].add(at)) }; D];
    for axis in 1..D {
        // SAFETY: as above.
        values[axis] = unsafe { S::In::<I>::load(isa, columns[axis].add(at)) };
    }
    values
}

/// The columns of boxes as pointers, for loops that have checked all indices before.
#[derive(Clone, Copy)]
pub(crate) struct Pointers<S, const D: usize> {
    min: [*const S; D],
    max: [*const S; D],
}

impl<S: Scalar, const D: usize> Pointers<S, D> {
    /// The boxes of the entries from `at` on.
    ///
    /// # Safety
    ///
    /// `at` must be an entry of a padded table.
    #[inline(always)]
    pub(crate) unsafe fn sixteen<I: Isa>(&self, isa: I, at: usize) -> Boxes<S::In<I>, D> {
        // SAFETY: an entry, by the caller's promise, and at least sixteen values from it on.
        unsafe { Boxes { min: load_all(isa, self.min, at), max: load_all(isa, self.max, at) } }
    }

    /// The box of an entry in all lanes.
    ///
    /// # Safety
    ///
    /// `entry` must be an entry.
    #[inline(always)]
    pub(crate) unsafe fn all_lanes<I: Isa>(&self, isa: I, entry: usize) -> Boxes<S::In<I>, D> {
        // SAFETY: an entry, by the caller's promise.
        let (min, max) = unsafe { (self.min.map(|column| *column.add(entry)), self.max.map(|column| *column.add(entry))) };
        splat_box(isa, &Aabb { min, max })
    }
}

impl<S: Scalar, const D: usize> Columns<'_, S, D> {
    #[inline(always)]
    pub(crate) fn pointers(&self) -> Pointers<S, D> {
        Pointers { min: self.min.map(|column| column.as_ptr()), max: self.max.map(|column| column.as_ptr()) }
    }

    /// The boxes of the entries from `at` on. What lies behind the last entry is unspecified.
    #[inline(always)]
    pub(crate) fn sixteen<I: Isa>(&self, isa: I, at: usize) -> Boxes<S::In<I>, D> {
        assert!(at < self.entries);
        // SAFETY: `at` is an entry, and every column has `PADDING`, at least sixteen, values behind the last one.
        unsafe { self.pointers().sixteen(isa, at) }
    }

    /// The box of an entry in all lanes.
    #[inline(always)]
    pub(crate) fn all_lanes<I: Isa>(&self, isa: I, entry: usize) -> Boxes<S::In<I>, D> {
        assert!(entry < self.entries);
        // SAFETY: an entry, and every column is longer than there are entries.
        unsafe { self.pointers().all_lanes(isa, entry) }
    }
}

/// The coordinates of a point, each in all lanes.
#[inline(always)]
pub(super) fn splat_all<I: Isa, S: Scalar, const D: usize>(isa: I, point: &[S; D]) -> [S::In<I>; D] {
    // A loop, not a closure: a closure that is not inlined is compiled without the instruction set.
    let mut values = [S::In::<I>::splat(isa, point[0]); D];
    for axis in 1..D {
        values[axis] = S::In::<I>::splat(isa, point[axis]);
    }
    values
}

/// A box in all lanes.
#[inline(always)]
pub(crate) fn splat_box<I: Isa, S: Scalar, const D: usize>(isa: I, bounds: &Aabb<S, D>) -> Boxes<S::In<I>, D> {
    Boxes { min: splat_all(isa, &bounds.min), max: splat_all(isa, &bounds.max) }
}
