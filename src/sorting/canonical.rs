//! The canonical order: ascending, whatever the threads and the history.

use super::{Divisible, Sorter, share_out};
use crate::engine::Engine;
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::{Pair, Pairs, Scalar};

/// Pairs of a step in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Ordered {
    sorter: Sorter,
    pub(crate) pairs: Vec<Pair>,
}

impl Ordered {
    /// Sorts the pairs of a stock. No `a` is more than `largest`.
    fn sort(&mut self, stock: &[Vec<Pair>], largest: usize, team: Team) {
        let pairs = Pairs::new(stock, &[]);
        self.sorter.survey(pairs, team);
        let code = |pair: Pair| Some(u64::from(pair.a) << 32 | u64::from(pair.b));
        let codes = self.sorter.sort(pairs, largest, &code, team);
        self.pairs.clear();
        memory::reserve_with_slack(&mut self.pairs, codes.len());
        self.pairs.resize(codes.len(), Pair::default());
        share_out(Decoding { codes, pairs: &mut self.pairs }, team, &|Decoding { codes, pairs }| {
            for (pair, code) in pairs.iter_mut().zip(codes) {
                *pair = Pair { a: (code >> 32) as u32, b: *code as u32 };
            }
        });
    }

    /// What so many pairs take at most: two codes each while they are sorted, and then themselves.
    fn bytes_for(pairs: usize) -> usize {
        memory::with_slack(pairs).saturating_mul(2 * size_of::<u64>() + size_of::<Pair>())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sorter.bytes() + self.pairs.capacity() * size_of::<Pair>()
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Puts the pairs of the step at hand into order, if that is wanted.
    pub(crate) fn order_pairs(&mut self, team: Team) {
        if self.config.canonical_order {
            self.budget.check(Ordered::bytes_for(self.stats.pairs).saturating_sub(self.ordered.bytes()));
            self.ordered.sort(&self.pairs, self.known, team);
            self.stats.bytes = self.bytes();
        }
    }

    /// The same for the pairs with static objects.
    pub(crate) fn order_static_pairs(&mut self, team: Team) {
        if self.config.canonical_order {
            self.static_ordered.sort(&self.static_pairs, self.known, team);
        }
    }
}

/// Codes that become pairs.
struct Decoding<'a> {
    codes: &'a [u64],
    pairs: &'a mut [Pair],
}

/// How many make a piece.
const PIECE: usize = 1 << 14;

impl Divisible for Decoding<'_> {
    fn pieces(&self) -> usize {
        self.codes.len().div_ceil(PIECE)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * PIECE).min(self.codes.len());
        let (codes, other_codes) = self.codes.split_at(at);
        let (pairs, other_pairs) = self.pairs.split_at_mut(at);
        (Decoding { codes, pairs }, Decoding { codes: other_codes, pairs: other_pairs })
    }
}
