//! Finds the entries within reach of a given entry, by a rule that uses both radii.

#![allow(unsafe_code)]

use std::ops::Range;

use super::append::{Choice, append};
use super::partners::square_of_distance;
use super::scalar::{load_all, splat_all};
use super::{IsaWork, Kernel};
use crate::Scalar;
use crate::isa::{Isa, Lanes, Mask};
use crate::layout::columns::Columns;

/// An entry that looks for others within reach. The reach of a pair is the radius of the other, but at least `floor` and at most `cap`: so
/// one formula covers the entry's own radius, the other's, and the greater of the two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaching<S, const D: usize> {
    pub(crate) id: u32,
    pub(crate) center: [S; D],
    pub(crate) floor: S,
    pub(crate) cap: S,
}

impl Kernel {
    /// Appends the objects of a run of entries, all of them balls, that are within reach of an entry, which may be in the run itself.
    #[inline]
    pub(crate) fn reaching<S: Scalar, const D: usize>(
        self,
        own: &Reaching<S, D>,
        others: &Columns<'_, S, D>,
        run: Range<usize>,
        out: &mut Vec<u32>,
    ) {
        self.dispatch(Reach { own, others, run, out });
    }
}

struct Reach<'c, 'a, S, const D: usize> {
    own: &'c Reaching<S, D>,
    others: &'c Columns<'a, S, D>,
    run: Range<usize>,
    out: &'c mut Vec<u32>,
}

impl<S: Scalar, const D: usize> IsaWork for Reach<'_, '_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Reach { own, others, run, out } = self;
        let Some((centers, radii)) = &others.balls else { return };
        let choice = Within {
            ids: others.ids.as_ptr(),
            centers: centers.map(|column| column.as_ptr()),
            radii: radii.as_ptr(),
            id: isa.splat(own.id as i32),
            center: splat_all::<I, S, D>(isa, &own.center),
            floor: <S::In<I>>::splat(isa, own.floor),
            cap: <S::In<I>>::splat(isa, own.cap),
        };
        append(isa, others.entries, run, out, &choice);
    }
}

/// The entries within reach of one: columns, and its own values in all lanes.
struct Within<S, W, V, const D: usize> {
    ids: *const u32,
    centers: [*const S; D],
    radii: *const S,
    id: W,
    center: [V; D],
    floor: V,
    cap: V,
}

impl<I: Isa, S: Scalar, const D: usize> Choice<I> for Within<S, I::Words, S::In<I>, D> {
    #[inline(always)]
    unsafe fn choose(&self, isa: I, mask: Mask, at: usize) -> (Mask, I::Words) {
        // SAFETY: `at` is an entry, by the caller's promise, and all columns have sixteen values from it on.
        unsafe {
            let ids = isa.load(self.ids.add(at));
            let distance = square_of_distance::<I, S, D>(isa, &self.center, &load_all(isa, self.centers, at));
            let reach = <S::In<I>>::load(isa, self.radii.add(at)).greater(isa, self.floor).lesser(isa, self.cap);
            (mask & !isa.eq(ids, self.id) & distance.le(isa, reach.mul(isa, reach)), ids)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::columns::PADDING;

    /// Every kernel finds what the formula says, for runs of every length.
    fn check<S: Scalar>() {
        let len = 100;
        let mut state = 1u32;
        let mut number = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            S::from_f64(f64::from(state >> 8) / f64::from(1 << 24))
        };
        let mut column = || (0..len + PADDING).map(|_| number()).collect::<Vec<S>>();
        let centers = [column(), column(), column()];
        let radii = column();
        let ids: Vec<u32> = (0..(len + PADDING) as u32).collect();
        let slices = centers.each_ref().map(Vec::as_slice);
        let others = Columns::new(slices, slices, &ids).with(None, Some((slices, &radii)));
        let (zero, half) = (S::ZERO, S::from_f64(0.5));
        for (floor, cap) in [(half, S::INFINITY), (half, half), (zero, S::INFINITY)] {
            let own = Reaching { id: 17, center: [half; 3], floor, cap };
            for run in [0..len, 3..4, 5..29, 16..33, 17..17, 90..len] {
                let near = |&id: &usize| {
                    let along = centers.each_ref().map(|column| half - column[id]);
                    let at_least = if radii[id] > own.floor { radii[id] } else { own.floor };
                    let reach = if at_least < own.cap { at_least } else { own.cap };
                    id != 17 && along[0] * along[0] + along[1] * along[1] + along[2] * along[2] <= reach * reach
                };
                let expected: Vec<u32> = run.clone().filter(near).map(|id| id as u32).collect();
                for kernel in Kernel::all() {
                    let mut found = Vec::new();
                    kernel.reaching(&own, &others, run.clone(), &mut found);
                    assert_eq!(found, expected, "{kernel:?}, {run:?}, {own:?}");
                }
            }
        }
    }

    #[test]
    fn kernels_agree_with_the_formula() {
        check::<f32>();
        check::<f64>();
    }
}
