//! Which entries are within reach of one, by a rule that takes both radii.

use std::ops::Range;

use super::{Columns, Kernel, LANES, bits, lanes_below, load, mask};
use crate::Scalar;
use crate::isa::eight::Reaching;
use crate::runtime::memory;

impl<S: Scalar, const D: usize> Reaching<S, D> {
    /// How far apart the two may be.
    #[inline(always)]
    pub(crate) fn reach(&self, radius: S) -> S {
        let at_least = if radius > self.floor { radius } else { self.floor };
        if at_least < self.cap { at_least } else { self.cap }
    }
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
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.reaching(own, others, run, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.reaching(own, others, run, out),
            _ => portable(own, others, run, out),
        }
    }
}

fn portable<S: Scalar, const D: usize>(own: &Reaching<S, D>, others: &Columns<'_, S, D>, run: Range<usize>, out: &mut Vec<u32>) {
    let Some((centers, radii)) = others.balls else { return };
    for at in run.clone().step_by(LANES) {
        let (centers, radii) = (centers.map(|column| load(column, at)), load(radii, at));
        let mut near = [false; LANES];
        for lane in 0..LANES {
            let distance = (0..D).fold(S::ZERO, |sum, axis| {
                let along = own.center[axis] - centers[axis][lane];
                sum + along * along
            });
            let reach = own.reach(radii[lane]);
            near[lane] = distance <= reach * reach;
        }
        memory::reserve(out, LANES);
        let near = mask(near) & lanes_below::<LANES>(run.end - at);
        out.extend(bits(near).map(|lane| others.ids[at + lane]).filter(|&id| id != own.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstructionSet;
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
                    let reach = own.reach(radii[id]);
                    id != 17 && along[0] * along[0] + along[1] * along[1] + along[2] * along[2] <= reach * reach
                };
                let expected: Vec<u32> = run.clone().filter(near).map(|id| id as u32).collect();
                for set in [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512] {
                    let Some(kernel) = Kernel::of(set) else { continue };
                    let mut found = Vec::new();
                    kernel.reaching(&own, &others, run.clone(), &mut found);
                    assert_eq!(found, expected, "{set:?}, {run:?}, {own:?}");
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
