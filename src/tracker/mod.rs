//! From pairs to events: which pairs began in this step, which go on, which have ended.
//!
//! An update follows a step's pairs through three files: the objects' keys become ranks (`ranks.rs`), the pairs become sorted
//! numbers (`codes.rs`), and those are merged with the sorted pairs of the last step (`merge.rs`).

mod codes;
mod margin;
mod merge;
mod ranks;

use crate::runtime::memory;
use crate::runtime::team::{Team, Threads};
use crate::sorting::Sorter;
use crate::{DetectError, Pair, Pairs};
use codes::{Code, MAX_RANKS, SortedCodes};
use merge::{Lists, Merger};
use ranks::Ranks;

/// Up to this many pairs, of this step and the last together, `par_update` stays on the calling thread.
const SERIAL_UP_TO: usize = 4000;

/// Turns the pairs of successive steps into pairs that [started, go on, and ended](Events).
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, PairTracker};
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let mut tracker = PairTracker::new();
/// let mut boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([0.5, 0.0], [1.5, 1.0]), Aabb::new([3.0, 0.0], [4.0, 1.0])];
///
/// let events = tracker.par_update(broad_phase.par_detect(&boxes), |index| index);
/// assert_eq!(events.started, [(0, 1)]);
///
/// boxes[1] = Aabb::new([2.5, 0.0], [3.5, 1.0]); // away from the first, into the last
/// let events = tracker.par_update(broad_phase.par_detect(&boxes), |index| index);
/// assert_eq!((events.started, events.ongoing, events.ended), (&[(1, 2)][..], &[][..], &[(0, 1)][..]));
/// ```
///
/// # Keys
///
/// An index says where an object stands in this step's slice; a key says which object it is. The tracker remembers keys, so
/// objects may come, go, and change places between steps. Any `Copy + Ord` type will do: an index, if objects keep theirs for
/// life, or a generational handle, where indices are reused. In a pair the smaller key comes first.
///
/// ```
/// # use pivotgrid::{Aabb, BroadPhase, PairTracker};
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Handle { slot: u32, generation: u32 }
///
/// # let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([0.5, 0.0], [1.5, 1.0])];
/// let mut handles = [Handle { slot: 0, generation: 0 }, Handle { slot: 7, generation: 2 }];
/// let mut tracker = PairTracker::new();
/// tracker.par_update(broad_phase.par_detect(&boxes), |index| handles[index as usize]);
///
/// let gone = handles[1];
/// handles[1].generation = 3; // another object in the same place
/// let events = tracker.par_update(broad_phase.par_detect(&boxes), |index| handles[index as usize]);
/// assert_eq!(events.ended, [(handles[0], gone)]);
/// assert_eq!(events.started, [(handles[0], handles[1])]);
/// ```
///
/// - **An object that is gone** needs no word to the tracker: its pairs are among the ended ones of the next update.
///   [`forget`](Self::forget) it if nobody should hear of it any more.
/// - **Objects that share a key** are one to the tracker, such as the parts of a body: two keys are a pair from when the first of
///   their objects meet until the last ones part, and objects with the same key are no pair.
/// - **Keys in ascending order** (by index) are the cheapest. Others cost some more in steps in which they change.
///
/// # Margins
///
/// Objects that rest or slide against each other can touch in one step and not in the next. To keep their pairs from
/// flickering, detect with boxes that have a [margin](crate::Aabb::with_margin), and tell the tracker which pairs touch without it:
/// a pair then starts when the tight boxes touch, and ends when the boxes with margins no longer do.
///
/// ```
/// # use pivotgrid::{Aabb, BroadPhase, PairTracker};
/// # let (mut broad_phase, mut tracker) = (BroadPhase::<f32, 2>::new(), PairTracker::new());
/// let mut events = |gap: f32| {
///     let tight = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([1.0 + gap, 0.0], [2.0 + gap, 1.0])];
///     let loose = tight.map(|tight| tight.with_margin(0.1));
///     let touches = |a: u32, b: u32| tight[a as usize].overlaps(&tight[b as usize]);
///     let pairs = broad_phase.par_detect(&loose);
///     let events = tracker.par_update_with_margin(pairs, |index| index, |pair| touches(pair.a, pair.b));
///     (events.started.len(), events.ongoing.len(), events.ended.len())
/// };
/// assert_eq!(events(0.15), (0, 0, 0)); // near is not enough to start
/// assert_eq!(events(0.00), (1, 0, 0));
/// assert_eq!(events(0.15), (0, 1, 0)); // but enough to go on
/// assert_eq!(events(0.25), (0, 0, 1));
/// ```
///
/// # What you can rely on
///
/// The three lists are sorted, and the same for every number of threads. An update of a scene that has stopped growing
/// allocates nothing. If one of the closures panics, or memory is refused, it is as if the update had not been called; if comparing
/// two keys panics, it may also be as if the tracker were new.
#[derive(Clone, Debug)]
pub struct PairTracker<K = u32> {
    ranks: Ranks<K>,
    sorter: Sorter,
    merger: Merger<K>,
    lists: Lists<K>,
}

/// What an update found, as pairs of keys, the smaller one first. Every list is in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events<'a, K = u32> {
    /// Pairs that are, and were not after the update before.
    pub started: &'a [(K, K)],
    /// Pairs that are, and were before.
    pub ongoing: &'a [(K, K)],
    /// Pairs that were before, and are no longer.
    pub ended: &'a [(K, K)],
}

impl<K> Default for PairTracker<K> {
    fn default() -> Self {
        PairTracker { ranks: Ranks::default(), sorter: Sorter::default(), merger: Merger::default(), lists: Lists::default() }
    }
}

impl<K: Copy + Ord + Send + Sync> PairTracker<K> {
    /// A tracker that knows of no pair.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tracker that knows of these pairs, as if an update had found them: to go on from what [`current`](Self::current) said when
    /// a state was saved. In any order; what is no pair of two different keys is left out.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, PairTracker};
    ///
    /// let mut tracker = PairTracker::with_current(vec![(8, 7)]);
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let no_boxes: [Aabb<f32, 2>; 0] = [];
    /// assert_eq!(tracker.update(broad_phase.detect(&no_boxes), |index| index).ended, [(7, 8)]);
    /// ```
    pub fn with_current(mut pairs: Vec<(K, K)>) -> Self {
        pairs.retain(|(a, b)| a != b);
        pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        pairs.sort_unstable();
        pairs.dedup();
        PairTracker { lists: Lists { current: pairs, ..Lists::default() }, ..Self::default() }
    }

    /// Takes the pairs of the next step, on the threads of the rayon pool in which it is called.
    ///
    /// `key` is asked once for every index up to the largest in a pair, from any thread.
    ///
    /// # Panics
    ///
    /// If the user's `key` does, see [above](Self#what-you-can-rely-on), or with more than 2³¹ different keys. If memory is refused;
    /// [`try_par_update`](Self::try_par_update) returns an error instead.
    pub fn par_update(&mut self, pairs: Pairs<'_>, key: impl Fn(u32) -> K + Sync) -> Events<'_, K> {
        self.par_update_with_margin(pairs, key, |_| true)
    }

    /// [`par_update`](Self::par_update), or an error when memory is refused. It is then as if the update had not been called.
    pub fn try_par_update(&mut self, pairs: Pairs<'_>, key: impl Fn(u32) -> K + Sync) -> Result<Events<'_, K>, DetectError> {
        self.try_par_update_with_margin(pairs, key, |_| true)
    }

    /// [`par_update`](Self::par_update) on the calling thread.
    pub fn update(&mut self, pairs: Pairs<'_>, key: impl Fn(u32) -> K + Sync) -> Events<'_, K> {
        self.update_with_margin(pairs, key, |_| true)
    }

    /// [`try_par_update`](Self::try_par_update) on the calling thread.
    pub fn try_update(&mut self, pairs: Pairs<'_>, key: impl Fn(u32) -> K + Sync) -> Result<Events<'_, K>, DetectError> {
        self.try_update_with_margin(pairs, key, |_| true)
    }

    /// [`par_update`](Self::par_update) with the pairs of boxes that have a [margin](Self#margins): they go on if they were, but
    /// start only if `touches` says so. It is asked once for every pair (of indices), from any thread.
    ///
    /// It need not be about boxes: with a `touches` that asks the narrow phase, pairs last from contact to clear distance.
    pub fn par_update_with_margin(
        &mut self,
        pairs: Pairs<'_>,
        key: impl Fn(u32) -> K + Sync,
        touches: impl Fn(Pair) -> bool + Sync,
    ) -> Events<'_, K> {
        self.try_par_update_with_margin(pairs, key, touches).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update_with_margin`](Self::par_update_with_margin), or an error when memory is refused. It is then as if the update had
    /// not been called.
    pub fn try_par_update_with_margin(
        &mut self,
        pairs: Pairs<'_>,
        key: impl Fn(u32) -> K + Sync,
        touches: impl Fn(Pair) -> bool + Sync,
    ) -> Result<Events<'_, K>, DetectError> {
        if pairs.len() + self.lists.current.len() <= SERIAL_UP_TO {
            return self.try_update_with_margin(pairs, key, touches);
        }
        memory::catch(|| Threads::Pool.enter(false, |team| self.step(pairs, &key, &touches, team)))?;
        Ok(self.events())
    }

    /// [`par_update_with_margin`](Self::par_update_with_margin) on the calling thread.
    pub fn update_with_margin(
        &mut self,
        pairs: Pairs<'_>,
        key: impl Fn(u32) -> K + Sync,
        touches: impl Fn(Pair) -> bool + Sync,
    ) -> Events<'_, K> {
        self.try_update_with_margin(pairs, key, touches).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`try_par_update_with_margin`](Self::try_par_update_with_margin) on the calling thread.
    pub fn try_update_with_margin(
        &mut self,
        pairs: Pairs<'_>,
        key: impl Fn(u32) -> K + Sync,
        touches: impl Fn(Pair) -> bool + Sync,
    ) -> Result<Events<'_, K>, DetectError> {
        memory::catch(|| self.step(pairs, &key, &touches, Team::ALONE))?;
        Ok(self.events())
    }

    /// What the last update found.
    pub fn events(&self) -> Events<'_, K> {
        Events { started: &self.lists.started, ongoing: &self.lists.ongoing, ended: &self.lists.ended }
    }

    /// All pairs that are: the started and the ongoing ones in one list, less those forgotten since. In ascending order.
    pub fn current(&self) -> &[(K, K)] {
        &self.lists.current
    }

    /// Forgets the pairs of an object that was removed, so that the next update does not tell of their end. If it is still there,
    /// they start again. Goes over all pairs: to forget many objects at once, [`retain`](Self::retain) those of the others.
    ///
    /// The [events](Self::events) of the last update stay as they are.
    pub fn forget(&mut self, key: K) {
        self.retain(|a, b| a != key && b != key);
    }

    /// [Forgets](Self::forget) all pairs but those for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(K, K) -> bool) {
        self.lists.current.retain(|&(a, b)| keep(a, b));
    }

    /// Gives back memory that holds nothing any more.
    pub fn shrink_to_fit(&mut self) {
        self.ranks = Ranks::default();
        self.sorter = Sorter::default();
        self.merger = Merger::default();
        let Lists { started, ongoing, ended, current } = &mut self.lists;
        [started, ongoing, ended, current].into_iter().for_each(Vec::shrink_to_fit);
    }

    fn step(&mut self, pairs: Pairs<'_>, key: &(impl Fn(u32) -> K + Sync), touches: &(impl Fn(Pair) -> bool + Sync), team: Team) {
        let objects = self.sorter.survey(pairs, team);
        self.ranks.assign(objects, key, team);
        let ranks = self.ranks.keys().len();
        assert!(ranks <= MAX_RANKS, "{ranks} different keys, but a tracker takes at most {MAX_RANKS}");
        let code = |pair: Pair| Code::of(pair, &self.ranks, touches);
        let codes = SortedCodes(self.sorter.sort(pairs, ranks.saturating_sub(1), &code, team));
        self.merger.update(&mut self.lists, codes, self.ranks.keys(), team);
    }
}
