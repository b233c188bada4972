//! A question to some entries at once: loops over arrays, which the compiler turns into vector instructions.

use std::ops::Range;

use crate::detect::kernel::{Columns, LANES};
use crate::{Aabb, Scalar};

/// The entries of a run, [`LANES`] at a time: where they begin, and a bit for each lane that is inside the run.
#[inline(always)]
pub(super) fn steps(run: Range<usize>) -> impl Iterator<Item = (usize, u32)> {
    run.clone().step_by(LANES).map(move |at| (at, (1 << (run.end - at).min(LANES)) - 1))
}

/// The numbers of the bits that are set.
#[inline(always)]
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}

/// A bit for each that is true.
#[inline(always)]
pub(super) fn mask<const N: usize>(lanes: [bool; N]) -> u32 {
    lanes.iter().enumerate().fold(0, |mask, (lane, &is)| mask | u32::from(is) << lane)
}

#[inline(always)]
pub(super) fn load<S: Scalar>(column: &[S], at: usize) -> &[S; LANES] {
    column[at..at + LANES].try_into().expect("the columns are padded")
}

/// A bit for each of the entries from `at` on that overlaps the box.
#[inline(always)]
pub(super) fn overlaps<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, bounds: &Aabb<S, D>, at: usize) -> u32 {
    let mut hit = [true; LANES];
    for axis in 0..D {
        let (min, max) = (load(columns.min(axis), at), load(columns.max(axis), at));
        for lane in 0..LANES {
            hit[lane] &= (min[lane] <= bounds.max[axis]) & (bounds.min[axis] <= max[lane]);
        }
    }
    mask(hit)
}

/// Eight boxes: the lower and the upper bounds along each axis.
pub(super) type Eight<'a, S, const D: usize> = [[&'a [S; LANES]; 2]; D];

/// The entries from `at` on.
#[inline(always)]
pub(super) fn entries<'a, S: Scalar, const D: usize>(columns: &Columns<'a, S, D>, at: usize) -> Eight<'a, S, D> {
    std::array::from_fn(|axis| [load(columns.min(axis), at), load(columns.max(axis), at)])
}
