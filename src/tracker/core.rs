//! What trackers and maps share: an update, and the memory for it.

use std::fmt;

use super::keyed::KeyedPairs;
use super::kinds::{PairKind, Tracked};
use super::merge::{Lists, Merger, SortedCodes, Values};
use crate::DetectError;
use crate::pairs::source::Stored;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::sorting::{CodeSorter, SERIAL_UP_TO};
use crate::stats::TrackTimes;

/// The pairs that are, with data, and what the last update found.
#[derive(Clone)]
pub(super) struct Core<P: PairKind, T> {
    ranks: <P as Tracked>::Ranks,
    sorter: CodeSorter<<P as Tracked>::Code>,
    merger: Merger<<P as Tracked>::Keys>,
    pub(super) lists: Lists<<P as Tracked>::Keys>,
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

    /// Runs an update with as many workers as the pool has, or on the calling thread where handing out work would cost more.
    pub(super) fn in_pool(
        &mut self,
        pairs: &impl KeyedPairs<Kind = P>,
        update: impl FnOnce(&mut Self, Team) + Send,
    ) -> Result<(), DetectError>
    where
        Self: Send,
    {
        let count = pairs.source().blocks().iter().map(Vec::len).sum::<usize>();
        match count + self.lists.current.len() <= SERIAL_UP_TO {
            true => memory::catch(|| update(self, Team::ALONE)),
            // One way into the pool for the whole update, instead of one per pass.
            false => memory::catch(|| rayon::scope(|_| update(self, Team::of_current_pool()))),
        }
    }

    /// Takes the pairs of the next step.
    pub(super) fn update(
        &mut self,
        pairs: &impl KeyedPairs<Kind = P>,
        with_ongoing: bool,
        make: &(impl Fn(P::Keys) -> T + Sync),
        team: Team,
    ) {
        scope!("pivotgrid::track");
        let mut clock = Clock::start();
        let Core { ranks, sorter, merger, lists, values, .. } = self;
        let source = pairs.source();
        let objects = sorter.survey(source, &P::indices, team);
        pairs.assign(ranks, objects, team);
        let keys = clock.lap();
        let code = |pair| P::code(pair, ranks, || pairs.judge(pair));
        let codes = scope!("pivotgrid::sort_pairs", sorter.sort_codes(source, P::largest(ranks), &code, team));
        let sort = clock.lap();
        let codes = SortedCodes::<P> { codes, ranks };
        scope!("pivotgrid::merge_pairs", merger.update(&codes, lists, values, with_ongoing, make, team));
        self.times = TrackTimes { keys, sort, merge: clock.lap() };
    }

    pub(super) fn bytes(&self) -> usize {
        let Lists { started, ongoing, ended, current } = &self.lists;
        let pairs: usize = [started, ongoing, ended, current].into_iter().map(Vec::capacity).sum();
        let values = self.values.current.capacity() + self.values.ended.capacity() + self.values.spare.capacity();
        P::bytes(&self.ranks)
            + self.sorter.bytes()
            + self.merger.bytes()
            + pairs * size_of::<P::Keys>()
            + values.saturating_mul(size_of::<T>())
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.ranks = P::Ranks::default();
        self.sorter = CodeSorter::default();
        self.merger = Merger::default();
        let Lists { started, ongoing, ended, current } = &mut self.lists;
        self.values.current.truncate(current.len());
        self.values.current.shrink_to_fit();
        self.values.ended.shrink_to_fit();
        self.values.spare = Vec::new();
        [started, ongoing, ended, current].into_iter().for_each(Vec::shrink_to_fit);
    }
}
