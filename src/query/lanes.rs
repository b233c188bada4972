//! A question to some entries at once: loops over arrays, which the compiler turns into vector instructions.

use std::ops::Range;

use crate::Scalar;
use crate::kernel::{Columns, LANES, load};

/// The entries of a run, [`LANES`] at a time: where they begin, and a bit for each lane that is inside the run.
#[inline(always)]
pub(super) fn steps(run: Range<usize>) -> impl Iterator<Item = (usize, u32)> {
    run.clone().step_by(LANES).map(move |at| (at, (1 << (run.end - at).min(LANES)) - 1))
}

/// Eight boxes: the lower and the upper bounds along each axis.
pub(super) type Eight<'a, S, const D: usize> = [[&'a [S; LANES]; 2]; D];

/// The entries from `at` on.
#[inline(always)]
pub(super) fn entries<'a, S: Scalar, const D: usize>(columns: &Columns<'a, S, D>, at: usize) -> Eight<'a, S, D> {
    std::array::from_fn(|axis| [load(columns.min(axis), at), load(columns.max(axis), at)])
}
