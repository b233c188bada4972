//! The canonical order: ascending, whatever the threads and the history.

use super::{Code, CodeSorter, Output};
use crate::engine::Engine;
use crate::pairs::source::Stored;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{CrossPair, Pair, Pairs, PeriodicCrossPair, PeriodicPair, Scalar};

/// Pairs that have a canonical order.
pub trait Sortable: Copy + Send + Sync {
    /// Sorts as the pairs do.
    type Code: Code;

    /// Its first index.
    fn first(&self) -> u32;

    fn code(&self) -> Self::Code;

    fn of_code(code: Self::Code) -> Self;
}

impl Sortable for Pair {
    type Code = u64;

    #[inline(always)]
    fn first(&self) -> u32 {
        self.a
    }

    #[inline(always)]
    fn code(&self) -> u64 {
        u64::from(self.a) << 32 | u64::from(self.b)
    }

    #[inline(always)]
    fn of_code(code: u64) -> Self {
        Pair { a: (code >> 32) as u32, b: code as u32 }
    }
}

impl Sortable for CrossPair {
    type Code = u64;

    #[inline(always)]
    fn first(&self) -> u32 {
        self.first
    }

    #[inline(always)]
    fn code(&self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.second)
    }

    #[inline(always)]
    fn of_code(code: u64) -> Self {
        CrossPair { first: (code >> 32) as u32, second: code as u32 }
    }
}

/// A number of either sign as one that sorts like it.
#[inline(always)]
pub(crate) fn sortable(periods: i32) -> u32 {
    periods as u32 ^ 1 << 31
}

#[inline(always)]
pub(crate) fn of_sortable(periods: u32) -> i32 {
    (periods ^ 1 << 31) as i32
}

impl<const D: usize> Sortable for PeriodicPair<D> {
    type Code = [u32; 6];

    #[inline(always)]
    fn first(&self) -> u32 {
        self.a
    }

    #[inline(always)]
    fn code(&self) -> [u32; 6] {
        let mut code = [self.a, self.b, 0, 0, 0, 0];
        (0..D).for_each(|axis| code[2 + axis] = sortable(self.shift[axis]));
        code
    }

    #[inline(always)]
    fn of_code(code: [u32; 6]) -> Self {
        PeriodicPair { a: code[0], b: code[1], shift: std::array::from_fn(|axis| of_sortable(code[2 + axis])) }
    }
}

impl<const D: usize> Sortable for PeriodicCrossPair<D> {
    type Code = [u32; 6];

    #[inline(always)]
    fn first(&self) -> u32 {
        self.first
    }

    #[inline(always)]
    fn code(&self) -> [u32; 6] {
        let PeriodicCrossPair { first, second, shift } = *self;
        PeriodicPair { a: first, b: second, shift }.code()
    }

    #[inline(always)]
    fn of_code(code: [u32; 6]) -> Self {
        let PeriodicPair { a, b, shift } = PeriodicPair::of_code(code);
        PeriodicCrossPair { first: a, second: b, shift }
    }
}

/// Pairs of a step in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Ordered<P: Sortable> {
    sorter: CodeSorter<P::Code>,
    pub(crate) pairs: Vec<P>,
}

impl<P: Sortable> Default for Ordered<P> {
    fn default() -> Self {
        Ordered { sorter: CodeSorter::default(), pairs: Vec::new() }
    }
}

impl<P: Sortable> Ordered<P> {
    /// Sorts pairs.
    pub(crate) fn sort<S: Stored<Pair = P>>(&mut self, source: &S, team: Team) {
        sort_into(&mut self.sorter, source, &mut self.pairs, team);
    }

    /// What so many pairs take at most: two codes each while they are sorted, and then themselves.
    pub(crate) fn bytes_for(pairs: usize) -> usize {
        CodeSorter::<P::Code>::bytes_for(pairs).saturating_add(memory::with_slack(pairs).saturating_mul(size_of::<P>()))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sorter.bytes() + self.pairs.capacity() * size_of::<P>()
    }
}

/// Sorts pairs into a vector, whose contents are replaced.
pub(crate) fn sort_into<S: Stored>(
    sorter: &mut CodeSorter<<S::Pair as Sortable>::Code>,
    source: &S,
    into: &mut Vec<S::Pair>,
    team: Team,
) where
    S::Pair: Sortable,
{
    let [objects, _] = sorter.survey(source, &|pair| [pair.first(), 0], team);
    let largest = objects.saturating_sub(1) as usize;
    sorter.sort(source, largest, &|pair| [Some(pair.code())], |total| Decoded::new(into, total), team);
}

/// The pairs that the codes stand for.
struct Decoded<'a, P> {
    pairs: &'a mut [P],
}

impl<'a, P: Sortable> Decoded<'a, P> {
    fn new(into: &'a mut Vec<P>, total: usize) -> Self {
        // What is there already is overwritten.
        memory::reserve_with_slack(into, total);
        into.resize(total, P::of_code(bytemuck::Zeroable::zeroed()));
        Decoded { pairs: into }
    }
}

impl<P: Sortable> Output<P::Code> for Decoded<'_, P> {
    fn divide(self, codes: usize, _: usize) -> (Self, Self) {
        let (pairs, others) = self.pairs.split_at_mut(codes);
        (Decoded { pairs }, Decoded { pairs: others })
    }

    fn write(self, codes: &[P::Code]) {
        for (pair, code) in self.pairs.iter_mut().zip(codes) {
            *pair = P::of_code(*code);
        }
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Puts the pairs of the current step into order, if the settings say so.
    pub(crate) fn order_pairs(&mut self, team: Team) {
        if self.config.canonical_order {
            self.budget.check(Ordered::<Pair>::bytes_for(self.stats.pairs).saturating_sub(self.ordered.bytes()));
            let mut clock = Clock::start();
            scope!("pivotgrid::order", self.ordered.sort(&Pairs::<Pair>::new(&self.pairs, &[]), team));
            self.stats.bytes = self.bytes();
            self.stats.times.order += clock.lap();
        }
    }

    /// The same for the pairs with static objects.
    pub(crate) fn order_static_pairs(&mut self, team: Team) {
        if self.config.canonical_order {
            let mut clock = Clock::start();
            scope!("pivotgrid::order", self.static_ordered.sort(&Pairs::<Pair>::new(&self.static_pairs, &[]), team));
            self.stats.times.order += clock.lap();
        }
    }
}
