//! A formula on eight boxes at once: loops over arrays, which the compiler turns into vector instructions.

use std::ops::Range;

use crate::isa::eight::{LANES, mask};
use crate::kernel::gap;
use crate::layout::columns::{Columns, load};
use crate::{Aabb, Scalar};

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

/// A bit for each box that overlaps another box.
#[inline(always)]
pub(super) fn overlaps<S: Scalar, const D: usize>(boxes: &Eight<'_, S, D>, bounds: &Aabb<S, D>) -> u32 {
    let mut hit = [true; LANES];
    for axis in 0..D {
        let [min, max] = boxes[axis];
        for lane in 0..LANES {
            hit[lane] &= (min[lane] <= bounds.max[axis]) & (bounds.min[axis] <= max[lane]);
        }
    }
    mask(hit)
}

/// The squares of the distances from a point.
#[inline(always)]
pub(super) fn squares<S: Scalar, const D: usize>(boxes: &Eight<'_, S, D>, point: &[S; D]) -> [S; LANES] {
    let mut squares = [S::ZERO; LANES];
    for axis in 0..D {
        let [min, max] = boxes[axis];
        for lane in 0..LANES {
            let gap = gap(point[axis], min[lane], max[lane]);
            squares[lane] = squares[lane] + gap * gap;
        }
    }
    squares
}

/// A bit for each number that is at most `limit`.
#[inline(always)]
pub(super) fn up_to<S: Scalar>(numbers: &[S; LANES], limit: S) -> u32 {
    mask::<LANES>(std::array::from_fn(|lane| numbers[lane] <= limit))
}
