//! The canonical order: ascending, whatever the threads and the history.

use super::{CodeSorter, Output, store};
use crate::pairs::code::Sortable;
use crate::pairs::source::Stored;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// Pairs of a step in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Ordered<P: Sortable> {
    sorter: CodeSorter<P::Code>,
    /// The largest first index of the last step.
    largest: usize,
    pub(crate) pairs: Vec<P>,
}

impl<P: Sortable> Default for Ordered<P> {
    fn default() -> Self {
        Ordered { sorter: CodeSorter::default(), largest: 0, pairs: Vec::new() }
    }
}

impl<P: Sortable> Ordered<P> {
    /// Sorts pairs.
    pub(crate) fn sort<S: Stored<Pair = P>>(&mut self, source: &S, team: Team) {
        sort_into(&mut self.sorter, source, &mut self.largest, &mut self.pairs, team);
    }

    /// The most bytes that `pairs` pairs take: a code each while they are sorted, and then themselves.
    pub(crate) fn bytes_for(pairs: usize) -> usize {
        CodeSorter::<P::Code>::bytes_for(pairs).saturating_add(memory::with_slack(pairs).saturating_mul(size_of::<P>()))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sorter.bytes() + self.pairs.capacity() * size_of::<P>()
    }
}

/// Sorts pairs into a vector, whose contents are replaced. `largest` is a guess of the largest first index, and then that index.
pub(crate) fn sort_into<S: Stored>(
    sorter: &mut CodeSorter<<S::Pair as Sortable>::Code>,
    source: &S,
    largest: &mut usize,
    into: &mut Vec<S::Pair>,
    team: Team,
) where
    S::Pair: Sortable,
{
    let (_, found) = sorter.sort(source, *largest, &|pair| [pair.code()], |total, _| Decoded::new(into, total), team);
    *largest = found;
}

/// The pairs that the codes stand for.
struct Decoded<'a, P> {
    pairs: &'a mut [P],
}

impl<'a, P: Sortable> Decoded<'a, P> {
    fn new(into: &'a mut Vec<P>, total: usize) -> Self {
        // The old contents are overwritten.
        memory::reserve_with_slack(into, total);
        into.resize(total, P::of_code(bytemuck::Zeroable::zeroed()));
        Decoded { pairs: into }
    }
}

impl<P: Sortable> Output<P::Code> for Decoded<'_, P> {
    type Value = P::Code;

    #[inline(always)]
    fn value(code: P::Code) -> P::Code {
        code
    }

    fn divide(self, codes: usize, _: usize) -> (Self, Self) {
        let (pairs, others) = self.pairs.split_at_mut(codes);
        (Decoded { pairs }, Decoded { pairs: others })
    }

    fn begin_rows(&mut self, _: &[u32]) {}

    fn begin_rows_of(&mut self, _: &[P::Code]) {}

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, values: [P::Code; N], len: usize) {
        store(self.pairs, at, values, len, P::of_code);
    }
}
