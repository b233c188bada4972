//! Finds the entries within a distance of a point.

#![allow(unsafe_code)]

use std::ops::Range;

use super::compare::lanes_below;
use super::scalar::splat_all;
use super::{IsaWork, Kernel};
use crate::Scalar;
use crate::isa::eight::{LANES, bits};
use crate::isa::{Isa, Lanes, WIDTH};
use crate::layout::columns::Columns;

impl Kernel {
    /// Calls `f` with the objects of a run whose boxes are no further from a point than `limit`, a square, and with the squares of their
    /// distances.
    #[inline]
    pub(crate) fn near<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        point: &[S; D],
        limit: S,
        run: Range<usize>,
        f: impl FnMut(u32, S),
    ) {
        self.dispatch(NearPoint { columns, point, limit, run, f });
    }
}

struct NearPoint<'c, 'a, S, const D: usize, F> {
    columns: &'c Columns<'a, S, D>,
    point: &'c [S; D],
    limit: S,
    run: Range<usize>,
    f: F,
}

impl<S: Scalar, const D: usize, F: FnMut(u32, S)> IsaWork for NearPoint<'_, '_, S, D, F> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let NearPoint { columns, point, limit, run, mut f } = self;
        assert!(run.end <= columns.entries);
        let boxes = columns.pointers();
        let (point, limit) = (splat_all::<I, S, D>(isa, point), <S::In<I>>::splat(isa, limit));
        let zero = <S::In<I>>::splat(isa, S::ZERO);
        for at in run.clone().step_by(WIDTH) {
            // SAFETY: an entry, because the run ends within them.
            let others = unsafe { boxes.sixteen(isa, at) };
            let mut sum = zero;
            for axis in 0..D {
                // As `gap`.
                let (before, behind) = (others.min[axis].sub(isa, point[axis]), point[axis].sub(isa, others.max[axis]));
                let gap = behind.greater(isa, before.greater(isa, zero));
                sum = sum.add(isa, gap.mul(isa, gap));
            }
            let near = sum.le(isa, limit) & lanes_below(run.end - at);
            if near != 0 {
                let squares = sum.array(isa);
                for lane in bits(u32::from(near)) {
                    f(columns.ids[at + lane], squares[lane % WIDTH]);
                }
            }
        }
    }
}

/// The squares of the distances from a point to the entries from `at` on.
#[inline(always)]
pub(crate) fn squared_distances<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, point: &[S; D], at: usize) -> [S; LANES] {
    let mut squares = [S::ZERO; LANES];
    for axis in 0..D {
        let (min, max) = (&columns.min[axis][at..at + LANES], &columns.max[axis][at..at + LANES]);
        for lane in 0..LANES {
            let gap = gap(point[axis], min[lane], max[lane]);
            squares[lane] = squares[lane] + gap * gap;
        }
    }
    squares
}

/// How far a coordinate is from an interval.
#[inline(always)]
pub(crate) fn gap<S: Scalar>(x: S, min: S, max: S) -> S {
    let (before, behind) = (min - x, x - max);
    let gap = if before > S::ZERO { before } else { S::ZERO };
    if behind > gap { behind } else { gap }
}
