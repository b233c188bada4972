//! Finds the entries within a distance of a point.

#![allow(unsafe_code)]

use super::compare::lanes_below;
use super::scalar::splat_all;
use super::steps::{STEPS, Steps};
use super::{IsaWork, Kernel};
use crate::Scalar;
use crate::isa::{Isa, Lanes, WIDTH};
use crate::layout::columns::Columns;

/// What lies near a point, in a list of steps.
#[derive(Clone, Debug)]
pub(crate) struct NearLanes<S> {
    /// The squares of the distances of all lanes.
    squares: [[S; WIDTH]; STEPS],
    /// The lanes that are near, counted through all steps.
    lanes: [u32; (STEPS + 1) * WIDTH],
    len: usize,
}

impl<S: Scalar> NearLanes<S> {
    pub(crate) fn new() -> Self {
        NearLanes { squares: [[S::ZERO; WIDTH]; STEPS], lanes: [0; (STEPS + 1) * WIDTH], len: 0 }
    }

    /// The lanes, and the squares of their distances.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (usize, S)> {
        self.lanes[..self.len].iter().map(|&lane| {
            let lane = lane as usize % (STEPS * WIDTH);
            (lane, self.squares.as_flattened()[lane])
        })
    }
}

impl Kernel {
    /// Finds the entries of some steps whose boxes are no further from a point than `limit`, a square.
    #[inline]
    pub(crate) fn near<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        point: &[S; D],
        limit: S,
        steps: &Steps,
        near: &mut NearLanes<S>,
    ) {
        self.dispatch(NearPoint { columns, point, limit, steps, near });
    }
}

struct NearPoint<'c, 'a, S, const D: usize> {
    columns: &'c Columns<'a, S, D>,
    point: &'c [S; D],
    limit: S,
    steps: &'c Steps,
    near: &'c mut NearLanes<S>,
}

impl<S: Scalar, const D: usize> IsaWork for NearPoint<'_, '_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let NearPoint { columns, point, limit, steps, near } = self;
        let boxes = columns.pointers();
        let (point, limit) = (splat_all::<I, S, D>(isa, point), <S::In<I>>::splat(isa, limit));
        let zero = <S::In<I>>::splat(isa, S::ZERO);
        let mut len = 0;
        for (number, (at, inside)) in steps.iter().enumerate() {
            assert!(at < columns.entries);
            // SAFETY: `at` is an entry.
            let others = unsafe { boxes.sixteen(isa, at) };
            let mut sum = zero;
            for axis in 0..D {
                // As `gap`.
                let (before, behind) = (others.min[axis].sub(isa, point[axis]), point[axis].sub(isa, others.max[axis]));
                let gap = behind.greater(isa, before.greater(isa, zero));
                sum = sum.add(isa, gap.mul(isa, gap));
            }
            near.squares[number % STEPS] = sum.array(isa);
            let mask = sum.le(isa, limit) & lanes_below(inside);
            let lanes = isa.add(isa.splat((number * WIDTH) as i32), isa.iota());
            // SAFETY: at most sixteen lanes for each step before this one are in the list, and it has room for sixteen more than all.
            len += unsafe { isa.append(near.lanes.as_mut_ptr().add(len), mask, lanes) };
        }
        near.len = len;
    }
}

/// How far a coordinate is from an interval.
#[inline(always)]
pub(crate) fn gap<S: Scalar>(x: S, min: S, max: S) -> S {
    let (before, behind) = (min - x, x - max);
    let gap = if before > S::ZERO { before } else { S::ZERO };
    if behind > gap { behind } else { gap }
}
