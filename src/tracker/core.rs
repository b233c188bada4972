//! The part that trackers and maps share: an update, and the memory for it.

use std::fmt;

use super::keyed::KeyedPairs;
use super::kinds::{PairKind, Tracked};
use super::merge::{Lists, Merger, SortedCodes, Values};
use crate::DetectError;
use crate::pairs::source::Stored;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::scope::scope;
use crate::runtime::team::{Team, Threads};
use crate::sorting::{CodeSorter, SERIAL_UP_TO};
use crate::stats::TrackTimes;

/// The current pairs, with data, and the results of the last update.
#[derive(Clone)]
pub(super) struct Core<P: PairKind, T> {
    ranks: <P as Tracked>::Ranks,
    sorter: CodeSorter<<P as Tracked>::Code>,
    merger: Merger<<P as Tracked>::Keys, <P as Tracked>::Code>,
    pub(super) lists: Lists<<P as Tracked>::Keys, <P as Tracked>::Code>,
    pub(super) values: Values<T>,
    pub(super) times: TrackTimes,
}

impl<P: PairKind, T> fmt::Debug for Core<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("pairs", &self.lists.current.len()).field("times", &self.times).finish_non_exhaustive()
    }
}

impl<P: PairKind, T> Default for Core<P, T> {
    fn default() -> Self {
        Core {
            ranks: P::Ranks::default(),
            sorter: CodeSorter::default(),
            merger: Merger::default(),
            lists: Lists::default(),
            values: Values::default(),
            times: TrackTimes::default(),
        }
    }
}

impl<P: PairKind, T: Default + Send> Core<P, T> {
    /// Pairs in ascending order, with their data, as if an update had found them.
    pub(super) fn with_entries(values: Vec<T>, pairs: Vec<P::Keys>) -> Self {
        Core {
            lists: Lists { current: pairs, ..Lists::default() },
            values: Values { current: values, ..Values::default() },
            ..Self::default()
        }
    }

    /// Takes the pairs of the next step, on these threads, or on the calling one if handing out work would cost more than it saves.
    pub(super) fn update_on(
        &mut self,
        pairs: &impl KeyedPairs<Kind = P>,
        with_ongoing: bool,
        make: &(impl Fn(P::Keys) -> T + Sync),
        threads: Threads<'_>,
    ) -> Result<(), DetectError>
    where
        Self: Send,
    {
        let count = pairs.source().blocks().iter().map(Vec::len).sum::<usize>();
        let is_small = count + self.lists.current.len() <= SERIAL_UP_TO;
        memory::catch(|| threads.enter(is_small, |team| self.update(pairs, with_ongoing, make, team)))
    }

    fn update(
        &mut self,
        pairs: &impl KeyedPairs<Kind = P>,
        with_ongoing: bool,
        make: &(impl Fn(P::Keys) -> T + Sync),
        team: Team,
    ) {
        scope!("pivotgrid::track");
        let mut clock = Clock::start();
        let Core { ranks, sorter, merger, lists, values, .. } = self;
        // Until this is completed, the ranks may differ from those in the codes.
        let has_codes = std::mem::take(&mut lists.has_codes);
        let source = pairs.source();
        let objects = sorter.survey(source, &P::indices, team);
        pairs.assign(ranks, objects, team);
        let keys = clock.lap();
        let code = |pair| P::code(pair, ranks, || pairs.judge(pair));
        let codes = scope!("pivotgrid::sort_pairs", sorter.sort_codes(source, P::largest(ranks), &code, team));
        let sort = clock.lap();
        let are_comparable = has_codes && P::are_stable(ranks);
        let codes = SortedCodes::<P> { codes, ranks, are_comparable };
        scope!("pivotgrid::merge_pairs", merger.update(&codes, lists, values, with_ongoing, make, team));
        self.times = TrackTimes { keys, sort, merge: clock.lap() };
    }

    pub(super) fn bytes(&self) -> usize {
        let Lists { started, ongoing, ended, current, codes, .. } = &self.lists;
        let pairs: usize = [started, ongoing, ended, current].into_iter().map(Vec::capacity).sum();
        // One by one: a vector of values without a size has the greatest of all capacities.
        let values =
            [&self.values.current, &self.values.ended, &self.values.spare].map(|values| memory::bytes_of::<T>(values.capacity()));
        P::bytes(&self.ranks)
            + self.sorter.bytes()
            + self.merger.bytes()
            + pairs * size_of::<P::Keys>()
            + codes.capacity() * size_of::<P::Code>()
            + values.iter().sum::<usize>()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.ranks = P::Ranks::default();
        self.sorter = CodeSorter::default();
        self.merger = Merger::default();
        let Lists { started, ongoing, ended, current, codes, has_codes } = &mut self.lists;
        (*codes, *has_codes) = (Vec::new(), false);
        self.values.current.truncate(current.len());
        self.values.current.shrink_to_fit();
        self.values.ended.shrink_to_fit();
        self.values.spare = Vec::new();
        [started, ongoing, ended, current].into_iter().for_each(Vec::shrink_to_fit);
    }
}
