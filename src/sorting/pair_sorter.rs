//! Sorted pairs for users, in memory that is kept.

use std::time::Duration;

use super::canonical::{Ordered, sort_into};
use super::{CodeSorter, SERIAL_UP_TO};
use crate::pairs::code::Sortable;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Team, Threads};
use crate::{AnyPair, DetectError, Pair, PairSource, Pairs};

/// Sorts the pairs of a step, on all threads, into memory that is reused: [`Pair`]s, [`CrossPair`](crate::CrossPair)s or
/// [`PeriodicPair`](crate::PeriodicPair)s in ascending order.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair, PairSorter};
///
/// let boxes: Vec<_> = (0..5000).rev().map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let mut sorter = PairSorter::new(); // keep it between steps
/// let pairs = sorter.par_sort(broad_phase.par_detect(&boxes));
/// assert_eq!(pairs[0], Pair { a: 0, b: 1 });
/// assert!(pairs.is_sorted());
/// ```
///
/// The order is that of [`Config::canonical_order`](crate::Config::canonical_order), which sorts inside the step: use a sorter if only some
/// steps need sorted pairs, or if both orders are needed. A sorter allocates nothing unless there are more pairs than ever before.
#[derive(Clone, Debug)]
pub struct PairSorter<P: Sortable = Pair> {
    ordered: Ordered<P>,
    time: Duration,
}

impl<P: Sortable> Default for PairSorter<P> {
    fn default() -> Self {
        PairSorter { ordered: Ordered::default(), time: Duration::ZERO }
    }
}

impl<P: Sortable> PairSorter<P> {
    /// A sorter without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts pairs on the threads of the rayon pool in which it is called.
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_par_sort`](Self::try_par_sort) returns an error instead.
    pub fn par_sort(&mut self, pairs: impl PairSource<Pair = P>) -> &[P] {
        self.try_par_sort(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_sort`](Self::par_sort) on the calling thread.
    pub fn sort(&mut self, pairs: impl PairSource<Pair = P>) -> &[P] {
        self.try_sort(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_sort`](Self::par_sort), or an error when memory is refused. The sorter stays usable.
    pub fn try_par_sort(&mut self, pairs: impl PairSource<Pair = P>) -> Result<&[P], DetectError> {
        self.run(pairs, Threads::Pool)
    }

    /// [`try_par_sort`](Self::try_par_sort) on the calling thread.
    pub fn try_sort(&mut self, pairs: impl PairSource<Pair = P>) -> Result<&[P], DetectError> {
        self.run(pairs, Threads::Serial)
    }

    /// The next call on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// How long the last sort took.
    pub fn time(&self) -> Duration {
        self.time
    }

    fn run(&mut self, pairs: impl PairSource<Pair = P>, threads: Threads<'_>) -> Result<&[P], DetectError> {
        let mut clock = Clock::start();
        enter(&pairs, threads, |team| self.ordered.sort(&pairs, team))?;
        self.time = clock.lap();
        Ok(&self.ordered.pairs)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.ordered.bytes()
    }

    /// Gives all memory back.
    pub fn shrink_to_fit(&mut self) {
        *self = Self::default();
    }
}

/// Sorts pairs into a vector, by a temporary sorter.
pub(crate) fn sort_once<S: PairSource>(pairs: &S, into: &mut Vec<S::Pair>, team: Team)
where
    S::Pair: Sortable,
{
    sort_into(&mut CodeSorter::default(), pairs, &mut 0, into, team);
}

impl<'a, P: Sortable> On<'a, '_, PairSorter<P>> {
    /// [`PairSorter::par_sort`] on these threads.
    pub fn sort(self, pairs: impl PairSource<Pair = P>) -> &'a [P] {
        self.try_sort(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`PairSorter::try_par_sort`] on these threads.
    pub fn try_sort(self, pairs: impl PairSource<Pair = P>) -> Result<&'a [P], DetectError> {
        self.it.run(pairs, self.threads)
    }
}

/// [`enter`] on the threads of the rayon pool in which it is called.
pub(crate) fn in_pool<R: Send>(pairs: &impl PairSource, work: impl FnOnce(Team) -> R + Send) -> Result<R, DetectError> {
    enter(pairs, Threads::Pool, work)
}

/// Runs work on pairs on these threads, or on the calling one if handing out work would cost more than it saves.
pub(crate) fn enter<R: Send>(
    pairs: &impl PairSource,
    threads: Threads<'_>,
    work: impl FnOnce(Team) -> R + Send,
) -> Result<R, DetectError> {
    scope!("pivotgrid::pairs");
    let is_small = pairs.blocks().iter().map(Vec::len).sum::<usize>() <= SERIAL_UP_TO;
    memory::catch(|| threads.enter(is_small, work))
}

/// In ascending order.
impl<P: AnyPair> Pairs<'_, P> {
    /// A copy of the pairs in ascending order.
    pub fn sorted(&self) -> Vec<P> {
        let mut pairs = Vec::with_capacity(self.len());
        self.sorted_into(&mut pairs);
        pairs
    }

    /// Replaces what the vector holds by the pairs in ascending order. Scratch memory is allocated for the sort; a
    /// [`PairSorter`](crate::PairSorter) keeps it.
    pub fn sorted_into(&self, into: &mut Vec<P>) {
        sort_once(self, into, Team::ALONE);
    }

    /// [`sorted_into`](Self::sorted_into) on the threads of the rayon pool in which it is called.
    pub fn par_sorted_into(&self, into: &mut Vec<P>) {
        in_pool(self, |team| sort_once(self, into, team)).unwrap_or_else(|error| panic!("{error}"));
    }
}
