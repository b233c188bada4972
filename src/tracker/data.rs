//! Data that lasts as long as a pair.

use std::fmt;

use super::KeyedPairs;
use super::core::Core;
use super::kinds::{InPeriods, OneSet, PairKind, TwoSets, TwoSetsInPeriods};
use crate::DetectError;
use crate::runtime::on::On;
use crate::runtime::team::{ForkJoin, Threads};
use crate::sorting::{Divisible, SERIAL_UP_TO, share_out};
use crate::stats::TrackTimes;

/// A [`DataMap`] for pairs of one set, with keys of one type.
pub type PairMap<K, T> = DataMap<OneSet<K>, T>;
/// A [`DataMap`] for pairs of two sets, or of moving and static objects, with a type of keys for each.
pub type CrossMap<A, B, T> = DataMap<TwoSets<A, B>, T>;
/// A [`DataMap`] for pairs in a periodic domain, with their shifts.
pub type PeriodicMap<K, T, const D: usize = 3> = DataMap<InPeriods<K, D>, T>;
/// A [`DataMap`] for pairs of two sets, or of moving and static objects, in a periodic domain, with their shifts.
pub type PeriodicCrossMap<A, B, T, const D: usize = 3> = DataMap<TwoSetsInPeriods<A, B, D>, T>;

/// Data for each pair, from the step in which the pair starts to the one in which it ends: contact histories, impulses for a warm
/// start. Of one set: a [`PairMap`].
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, PairMap};
///
/// #[derive(Default)]
/// struct Contact { steps: u32, slip: [f32; 2] }
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let mut contacts = PairMap::new();
/// let mut boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([0.5, 0.0], [1.5, 1.0]), Aabb::new([3.0, 0.0], [4.0, 1.0])];
/// for _ in 0..5 {
///     let pairs = broad_phase.par_detect(&boxes).keyed_by(|index| index);
///     contacts.par_update(pairs, |_new_pair| Contact::default());
///     contacts.par_for_each(|_pair, contact| contact.steps += 1);
/// }
/// assert_eq!(contacts.get((0, 1)).unwrap().steps, 5);
///
/// boxes[1] = boxes[2]; // away from the first, into the last
/// let changes = contacts.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| index), |_| Contact::default());
/// assert_eq!((changes.started, changes.ended), (&[(1, 2)][..], &[(0, 1)][..]));
/// assert_eq!(changes.ended_values[0].steps, 5); // handed back
/// ```
///
/// Keys, kinds of pairs and [`touching`](super::Keyed::touching) are those of a [`Tracker`](super::Tracker). Entries lie in ascending order
/// of their pairs, so a loop over them does not depend on threads, on indices or on history. The map fills memory that values have left
/// with `T::default()`.
///
/// # What you can rely on
///
/// An update of a scene that has stopped growing allocates nothing. If memory is refused, or a function of yours panics, all entries are as
/// before. (A `T` whose `Default` or `Drop` panics may lose data.) With the feature `serde` a map can be saved and restored; saved data is
/// refused if its pairs are not in order, or if a pair has two equal keys.
#[derive(Clone)]
pub struct DataMap<P: PairKind, T> {
    pub(super) core: Core<P, T>,
}

/// The changes of an update of a [`DataMap`]. Every list is in ascending order.
#[derive(Debug)]
pub struct Changes<'a, Q, T> {
    /// Pairs that exist now, and did not after the previous update.
    pub started: &'a [Q],
    /// Pairs that existed before, and no longer do.
    pub ended: &'a [Q],
    /// The data of the ended pairs, pair by pair. The next update drops it.
    pub ended_values: &'a mut [T],
}

impl<P: PairKind, T> fmt::Debug for DataMap<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DataMap").field(&self.core).finish()
    }
}

impl<P: PairKind, T> Default for DataMap<P, T> {
    fn default() -> Self {
        DataMap { core: Core::default() }
    }
}

/// Entries that a worker takes at a time.
const BLOCK: usize = 1024;

impl<P: PairKind, T: Default + Send> DataMap<P, T> {
    /// A map without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the pairs of the next step: makes entries for new pairs by `make`, returns those of ended pairs, and keeps the others. Runs in
    /// the rayon pool in which it is called. `make` gets the keys of a pair, from any thread.
    ///
    /// # Panics
    ///
    /// If a function of the user does, or with more than 2³¹ different keys. If memory is refused;
    /// [`try_par_update`](Self::try_par_update) returns an error instead.
    pub fn par_update(
        &mut self,
        pairs: impl KeyedPairs<Kind = P>,
        make: impl Fn(P::Keys) -> T + Sync,
    ) -> Changes<'_, P::Keys, T> {
        self.try_par_update(pairs, make).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update) on the calling thread.
    pub fn update(&mut self, pairs: impl KeyedPairs<Kind = P>, make: impl Fn(P::Keys) -> T + Sync) -> Changes<'_, P::Keys, T> {
        self.try_update(pairs, make).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update), or an error when memory is refused. All entries are then as before.
    pub fn try_par_update(
        &mut self,
        pairs: impl KeyedPairs<Kind = P>,
        make: impl Fn(P::Keys) -> T + Sync,
    ) -> Result<Changes<'_, P::Keys, T>, DetectError> {
        self.run(pairs, make, Threads::Pool)
    }

    /// [`try_par_update`](Self::try_par_update) on the calling thread.
    pub fn try_update(
        &mut self,
        pairs: impl KeyedPairs<Kind = P>,
        make: impl Fn(P::Keys) -> T + Sync,
    ) -> Result<Changes<'_, P::Keys, T>, DetectError> {
        self.run(pairs, make, Threads::Serial)
    }

    /// The next call on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    fn run(
        &mut self,
        pairs: impl KeyedPairs<Kind = P>,
        make: impl Fn(P::Keys) -> T + Sync,
        threads: Threads<'_>,
    ) -> Result<Changes<'_, P::Keys, T>, DetectError> {
        self.core.update_on(&pairs, false, &make, threads)?;
        Ok(self.changes())
    }

    /// The changes of the last update.
    pub fn changes(&mut self) -> Changes<'_, P::Keys, T> {
        let Core { lists, values, .. } = &mut self.core;
        Changes { started: &lists.started, ended: &lists.ended, ended_values: &mut values.ended }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.core.lists.current.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs, in ascending order.
    pub fn keys(&self) -> &[P::Keys] {
        &self.core.lists.current
    }

    /// The data, pair by pair.
    pub fn values(&self) -> &[T] {
        &self.core.values.current[..self.len()]
    }

    /// The data, pair by pair, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        let len = self.len();
        &mut self.core.values.current[..len]
    }

    /// The data of a pair, whose keys may be given in either order.
    pub fn get(&self, pair: P::Keys) -> Option<&T> {
        self.find(pair).map(|place| &self.core.values.current[place])
    }

    /// The data of a pair, to be changed.
    pub fn get_mut(&mut self, pair: P::Keys) -> Option<&mut T> {
        self.find(pair).map(|place| &mut self.core.values.current[place])
    }

    /// All entries, in ascending order of their pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (P::Keys, &T)> {
        self.keys().iter().copied().zip(self.values())
    }

    /// All entries, to be changed, in ascending order of their pairs.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (P::Keys, &mut T)> {
        let Core { lists, values, .. } = &mut self.core;
        lists.current.iter().copied().zip(&mut values.current)
    }

    /// Runs `work` on every entry, on the threads of the rayon pool in which it is called.
    pub fn par_for_each(&mut self, work: impl Fn(P::Keys, &mut T) + Sync) {
        self.run_on_each(work, Threads::Pool);
    }

    fn run_on_each(&mut self, work: impl Fn(P::Keys, &mut T) + Sync, threads: Threads<'_>) {
        let Core { lists, values, .. } = &mut self.core;
        let (keys, values) = (&lists.current[..], &mut values.current[..lists.current.len()]);
        let run = |Entries { keys, values }: Entries<'_, P::Keys, T>| {
            keys.iter().zip(values).for_each(|(&pair, value)| work(pair, value));
        };
        threads.enter(keys.len() <= SERIAL_UP_TO, |team| share_out(Entries { keys, values }, team, &run));
    }

    /// Drops all entries but those for which `keep` is true. The next update does not report that they ended. If their pairs still exist,
    /// they start again. If `keep` panics, the entries that it has rejected are gone, and all others stay.
    pub fn retain(&mut self, mut keep: impl FnMut(P::Keys, &mut T) -> bool) {
        let Core { lists, values, .. } = &mut self.core;
        lists.has_codes = false;
        let mut judging = Judging { keys: &mut lists.current, values: &mut values.current, kept: 0, judged: 0 };
        while let Some(&pair) = judging.keys.get(judging.judged) {
            if keep(pair, &mut judging.values[judging.judged]) {
                judging.keys.swap(judging.kept, judging.judged);
                judging.values.swap(judging.kept, judging.judged);
                judging.kept += 1;
            }
            judging.judged += 1;
        }
    }

    /// What the last update cost.
    pub fn times(&self) -> TrackTimes {
        self.core.times
    }

    /// Memory held, in bytes, without memory that the data itself owns.
    pub fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// Gives back unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.core.shrink_to_fit();
    }

    fn find(&self, pair: P::Keys) -> Option<usize> {
        self.keys().binary_search(&P::in_order(pair)?).ok()
    }
}

/// Entries during [`DataMap::retain`]: first those that are kept, then those that are dropped, then those that are not judged yet.
struct Judging<'a, Q, T> {
    keys: &'a mut Vec<Q>,
    values: &'a mut Vec<T>,
    kept: usize,
    judged: usize,
}

/// However the judging ends, each pair keeps its data.
impl<Q, T> Drop for Judging<'_, Q, T> {
    fn drop(&mut self) {
        self.keys.drain(self.kept..self.judged);
        self.values.drain(self.kept..self.judged);
    }
}

impl<'a, P: PairKind, T: Default + Send> On<'a, '_, DataMap<P, T>> {
    /// [`DataMap::par_update`] on these threads.
    pub fn update(self, pairs: impl KeyedPairs<Kind = P>, make: impl Fn(P::Keys) -> T + Sync) -> Changes<'a, P::Keys, T> {
        self.try_update(pairs, make).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`DataMap::try_par_update`] on these threads.
    pub fn try_update(
        self,
        pairs: impl KeyedPairs<Kind = P>,
        make: impl Fn(P::Keys) -> T + Sync,
    ) -> Result<Changes<'a, P::Keys, T>, DetectError> {
        self.it.run(pairs, make, self.threads)
    }

    /// [`DataMap::par_for_each`] on these threads.
    pub fn for_each(self, work: impl Fn(P::Keys, &mut T) + Sync) {
        self.it.run_on_each(work, self.threads);
    }
}

/// Entries in any order, as if an update had made them. Of several entries for one pair, the last one is kept. Entries whose two keys are
/// equal are left out.
impl<P: PairKind, T: Default + Send> FromIterator<(P::Keys, T)> for DataMap<P, T> {
    fn from_iter<I: IntoIterator<Item = (P::Keys, T)>>(entries: I) -> Self {
        let in_order = |(pair, value)| Some((P::in_order(pair)?, value));
        let mut entries: Vec<(P::Keys, T)> = entries.into_iter().filter_map(in_order).collect();
        entries.sort_by_key(|(pair, _)| *pair);
        // The later of two entries for one pair replaces the earlier.
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(&mut later.1, &mut earlier.1);
            }
            is_same
        });
        let (pairs, values) = entries.into_iter().unzip();
        DataMap { core: Core::with_entries(values, pairs) }
    }
}

/// A piece is a block of entries.
struct Entries<'a, Q, T> {
    keys: &'a [Q],
    values: &'a mut [T],
}

impl<Q: Sync, T: Send> Divisible for Entries<'_, Q, T> {
    fn pieces(&self) -> usize {
        self.keys.len().div_ceil(BLOCK)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * BLOCK).min(self.keys.len());
        let (keys, other_keys) = self.keys.split_at(at);
        let (values, other_values) = self.values.split_at_mut(at);
        (Entries { keys, values }, Entries { keys: other_keys, values: other_values })
    }
}
