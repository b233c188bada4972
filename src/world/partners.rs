//! Numbers for the static objects that moving ones overlap.

use crate::Pair;
use crate::runtime::memory;

/// Assigns a number to each static object when a moving one first overlaps it. A tracker reads every index up to the largest in a pair;
/// with these numbers instead of their indices it does not visit all static objects to find the few that matter.
///
/// Numbers are kept from step to step, because a tracker is fastest if indices keep their keys.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// By static index.
    numbers: Vec<u32>,
    /// The static indices, by number.
    pub(super) statics: Vec<u32>,
}

const UNNUMBERED: u32 = u32::MAX;
/// Unused numbers are kept if more than one number in this many is in use, or if there are at most `FEW`.
const SURPLUS: usize = 4;
const FEW: usize = 1024;

impl Partners {
    /// Forgets all numbers, because static objects have new indices.
    pub(super) fn forget(&mut self) {
        self.numbers.clear();
        self.statics.clear();
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.numbers.capacity() + self.statics.capacity()) * size_of::<u32>()
    }

    /// In pairs of a moving and a static object, replaces the indices of static objects by their numbers, counted from `first`.
    pub(super) fn number(&mut self, pairs: &mut [Vec<Pair>], statics: usize, first: u32) {
        let count: usize = pairs.iter().map(Vec::len).sum();
        if self.statics.len() > FEW.max(SURPLUS * count) {
            for index in self.statics.drain(..) {
                self.numbers[index as usize] = UNNUMBERED;
            }
        }
        memory::reserve_with_slack(&mut self.numbers, statics);
        self.numbers.resize(statics, UNNUMBERED);
        for pair in pairs.iter_mut().flatten() {
            let number = &mut self.numbers[pair.b as usize];
            if *number == UNNUMBERED {
                // The memory first: a number must not be left without an index.
                memory::reserve(&mut self.statics, 1);
                *number = self.statics.len() as u32;
                self.statics.push(pair.b);
            }
            pair.b = first + *number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(partners: &mut Partners, statics: &[u32]) -> Vec<u32> {
        let mut pairs = [statics.iter().map(|&b| Pair { a: 0, b }).collect(), Vec::new()];
        partners.number(&mut pairs, 10_000, 7);
        pairs[0].iter().map(|pair| pair.b).collect()
    }

    #[test]
    fn numbers_are_kept_while_they_are_few() {
        let mut partners = Partners::default();
        assert_eq!(numbered(&mut partners, &[500, 3, 500, 9999]), [7, 8, 7, 9]);
        assert_eq!(numbered(&mut partners, &[4, 9999, 3]), [10, 9, 8]);
        assert_eq!(partners.statics, [500, 3, 9999, 4]);

        let many: Vec<u32> = (0..3000).collect();
        numbered(&mut partners, &many);
        assert_eq!(partners.statics.len(), 3001);
        assert_eq!(numbered(&mut partners, &[2, 1]), [7, 8]);
        assert_eq!(partners.statics, [2, 1]);
        assert_eq!(numbered(&mut partners, &[500, 1]), [9, 8]);
    }
}
