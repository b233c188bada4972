//! The lanes of a coordinate type in an instruction set.

#![allow(unsafe_code)]

use super::isa::{Isa, Lanes, WIDTH};
use crate::layout::columns::Columns;
use crate::{Aabb, Scalar};

/// A coordinate type of which every instruction set has sixteen lanes. Public in name only: it seals [`Scalar`].
pub trait LaneScalar: Sized {
    #[doc(hidden)]
    type In<I: Isa>: Lanes<Self, I>;
}

impl LaneScalar for f32 {
    type In<I: Isa> = I::F32;
}

impl LaneScalar for f64 {
    type In<I: Isa> = I::F64;
}

/// Sixteen numbers of type `S`.
pub(crate) struct Vector<S, I>(std::marker::PhantomData<(S, I)>);

impl<S: Scalar, I: Isa> Vector<S, I> {
    #[inline(always)]
    pub(crate) fn splat(isa: I, value: S) -> S::In<I> {
        S::In::<I>::splat(isa, value)
    }

    /// The values of a column from `at` on.
    #[inline(always)]
    pub(crate) fn sixteen<const N: usize>(isa: I, column: &[S; N], at: usize) -> S::In<I> {
        let values: &[S; WIDTH] = column[at..].first_chunk().expect("sixteen values");
        // SAFETY: an array of sixteen.
        unsafe { S::In::<I>::load(isa, values.as_ptr()) }
    }
}

/// The boxes of sixteen entries.
#[derive(Clone, Copy)]
pub(crate) struct Boxes<V, const D: usize> {
    pub(crate) min: [V; D],
    pub(crate) max: [V; D],
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
        let load = |column: *const S| unsafe { S::In::<I>::load(isa, column.add(at)) };
        Boxes { min: self.min.map(load), max: self.max.map(load) }
    }

    /// The box of an entry in all lanes.
    ///
    /// # Safety
    ///
    /// `entry` must be an entry.
    #[inline(always)]
    pub(crate) unsafe fn all_lanes<I: Isa>(&self, isa: I, entry: usize) -> Boxes<S::In<I>, D> {
        // SAFETY: an entry, by the caller's promise.
        let splat = |column: *const S| S::In::<I>::splat(isa, unsafe { *column.add(entry) });
        Boxes { min: self.min.map(splat), max: self.max.map(splat) }
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
        let load = |column: &[S]| unsafe { S::In::<I>::load(isa, column.as_ptr().add(at)) };
        Boxes { min: self.min.map(load), max: self.max.map(load) }
    }

    /// The box of an entry in all lanes.
    #[inline(always)]
    pub(crate) fn all_lanes<I: Isa>(&self, isa: I, entry: usize) -> Boxes<S::In<I>, D> {
        assert!(entry < self.entries);
        // SAFETY: an entry, and every column is longer than there are entries.
        let splat = |column: &[S]| S::In::<I>::splat(isa, unsafe { *column.get_unchecked(entry) });
        Boxes { min: self.min.map(splat), max: self.max.map(splat) }
    }

    /// The objects of the entries from `at` on.
    #[inline(always)]
    pub(crate) fn sixteen_ids<I: Isa>(&self, isa: I, at: usize) -> I::Words {
        assert!(at < self.entries);
        // SAFETY: as in `sixteen`.
        unsafe { isa.load(self.ids.as_ptr().add(at)) }
    }
}

/// A box in all lanes.
#[inline(always)]
pub(crate) fn splat_box<I: Isa, S: Scalar, const D: usize>(isa: I, bounds: &Aabb<S, D>) -> Boxes<S::In<I>, D> {
    let splat = |bound: S| S::In::<I>::splat(isa, bound);
    Boxes { min: bounds.min.map(splat), max: bounds.max.map(splat) }
}
