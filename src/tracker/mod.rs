//! From pairs to events: pairs that started in this step, go on, or have ended; and data that lasts as long as a pair.
//!
//! An update follows a step's pairs through these files: pairs come with keys (`keyed.rs`), which become ranks (`ranks.rs`); the
//! pairs become codes (`kinds.rs`), which are sorted and merged with the sorted pairs of the last step (`merge.rs`).

mod core;
mod data;
mod keyed;
mod kinds;
mod margin;
mod merge;
mod ranks;
#[cfg(feature = "serde")]
mod saved;

pub use data::{Changes, CrossMap, DataMap, PairMap, PeriodicCrossMap, PeriodicMap};
pub use keyed::{Always, ByIndex, Keyed, KeyedPairs, Touching};
pub use kinds::{InPeriods, Key, OneSet, PairKind, TwoSets, TwoSetsInPeriods};

use std::fmt;

use self::core::Core;
use crate::DetectError;
use crate::runtime::on::On;
use crate::runtime::team::{ForkJoin, Threads};
use crate::stats::TrackTimes;

/// A [`Tracker`] of pairs of one set, with keys of one type.
pub type PairTracker<K = u32> = Tracker<OneSet<K>>;
/// A [`Tracker`] of pairs of two sets, or of moving and static objects, with a type of keys for each.
pub type CrossTracker<A = u32, B = u32> = Tracker<TwoSets<A, B>>;
/// A [`Tracker`] of pairs in a periodic domain, with their shifts.
pub type PeriodicTracker<K = u32, const D: usize = 3> = Tracker<InPeriods<K, D>>;
/// A [`Tracker`] of pairs of two sets, or of moving and static objects, in a periodic domain, with their shifts.
pub type PeriodicCrossTracker<A = u32, B = u32, const D: usize = 3> = Tracker<TwoSetsInPeriods<A, B, D>>;

/// Turns the pairs of successive steps into pairs that [started, go on, and ended](Events). Of one set: a [`PairTracker`].
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, PairTracker};
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let mut tracker = PairTracker::new();
/// let mut boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([0.5, 0.0], [1.5, 1.0]), Aabb::new([3.0, 0.0], [4.0, 1.0])];
///
/// let events = tracker.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| index));
/// assert_eq!(events.started, [(0, 1)]);
///
/// boxes[1] = Aabb::new([2.5, 0.0], [3.5, 1.0]); // away from the first, into the last
/// let events = tracker.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| index));
/// assert_eq!((events.started, events.ongoing, events.ended), (&[(1, 2)][..], &[][..], &[(0, 1)][..]));
/// ```
///
/// # Keys
///
/// An index is an object's place in this step's slice; a key identifies the object. The tracker remembers keys, so objects may come, go,
/// and change places between steps. A key is of any `Copy + Ord` type: an index, if objects keep theirs for life, or a generational handle,
/// if indices are reused. In a pair the smaller key comes first.
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
/// tracker.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| handles[index as usize]));
///
/// let gone = handles[1];
/// handles[1].generation = 3; // another object in the same place
/// let events = tracker.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| handles[index as usize]));
/// assert_eq!(events.ended, [(handles[0], gone)]);
/// assert_eq!(events.started, [(handles[0], handles[1])]);
/// ```
///
/// - **An object that is gone** need not be reported to the tracker: its pairs are among the ended ones of the next update.
///   [`forget`](Self::forget) it if you need no events of it.
/// - **Objects that share a key**, such as the parts of a body, count as one: two keys are a pair from the time when the first of their
///   objects meet until the last ones part, and objects with the same key are no pair.
/// - **Keys in ascending order** (by index) are the cheapest. Others cost a little more in steps in which they change.
///
/// # Every kind of pairs
///
/// A tracker is for pairs of one kind: [`PairTracker`] for those of one set, [`CrossTracker`] for those of two sets or of moving and
/// static objects, [`PeriodicTracker`] and [`PeriodicCrossTracker`] for the same two in a periodic domain, with their shifts. `keyed_by`
/// of the pairs takes the keys: for two sets a function for each, because their indices count different things.
///
/// ```
/// # use pivotgrid::{Aabb, BroadPhase, CrossTracker, StaticSet};
/// # let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let names = ["north", "south"];
/// let mut walls = StaticSet::<f32, 2>::new();
/// walls.par_build(&[Aabb::new([0.0, 9.0], [99.0, 10.0]), Aabb::new([0.0, 0.0], [99.0, 1.0])]);
/// let mut tracker = CrossTracker::new();
/// let mut y = 5.0;
/// for hit in ["", "south"] {
///     let ball = Aabb::around([50.0, y], [1.0, 1.0]);
///     let pairs = broad_phase.over(&[ball]).with(&walls).pairs();
///     let events = tracker.par_update(pairs.statics.keyed_by(|ball| ball, |wall| names[wall as usize]));
///     assert_eq!(events.started, if hit.is_empty() { vec![] } else { vec![(0, hit)] });
///     y -= 4.0;
/// }
/// ```
///
/// Pairs of one kind compile neither with the keys of another kind nor with another kind's tracker:
///
/// ```compile_fail,E0271
/// use pivotgrid::{Aabb, BroadPhase, PairTracker, StaticSet};
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let boxes = [Aabb::new([0.0, 0.0], [4.0, 4.0])];
/// let mut walls = StaticSet::<f32, 2>::new();
/// walls.par_build(&boxes);
/// let mut tracker = PairTracker::<u32>::new();
/// tracker.update(broad_phase.over(&boxes).with(&walls).serial().pairs().statics.keyed_by(|ball| ball, |wall| wall));
/// ```
///
/// ```compile_fail,E0061
/// # use pivotgrid::{Aabb, BroadPhase, CrossTracker, StaticSet};
/// # let mut broad_phase = BroadPhase::<f32, 2>::new();
/// # let boxes = [Aabb::new([0.0, 0.0], [4.0, 4.0])];
/// # let mut walls = StaticSet::<f32, 2>::new();
/// # walls.par_build(&boxes);
/// let mut tracker = CrossTracker::new();
/// tracker.update(broad_phase.over(&boxes).with(&walls).serial().pairs().statics.keyed_by(|index| index));
/// ```
///
/// Periodic pairs have a kind of their own for two sets, too. A tracker of one set does not take them:
///
/// ```compile_fail,E0271
/// use pivotgrid::{Aabb, Periodic, PeriodicTracker};
///
/// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [9.0, 9.0]), [true, false]).unwrap();
/// let (bodies, triggers) = ([Aabb::new([0.0, 0.0], [4.0, 4.0])], [Aabb::new([8.0, 0.0], [9.5, 4.0])]);
/// let mut tracker = PeriodicTracker::<u32, 2>::new(); // PeriodicCrossTracker::<u32, u32, 2> would do
/// tracker.update(ring.over(&bodies).against(&triggers).serial().pairs().keyed_by(|body| body, |trigger| trigger));
/// ```
///
/// Nor do they take the keys of one set:
///
/// ```compile_fail,E0061
/// # use pivotgrid::{Aabb, Periodic, PeriodicCrossTracker};
/// # let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [9.0, 9.0]), [true, false]).unwrap();
/// # let (bodies, triggers) = ([Aabb::new([0.0, 0.0], [4.0, 4.0])], [Aabb::new([8.0, 0.0], [9.5, 4.0])]);
/// let mut tracker = PeriodicCrossTracker::new();
/// tracker.update(ring.over(&bodies).against(&triggers).serial().pairs().keyed_by(|index| index));
/// ```
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
///     let pairs = broad_phase.par_detect(&loose).keyed_by(|index| index);
///     let events = tracker.par_update(pairs.touching(|pair| touches(pair.a, pair.b)));
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
/// The three lists are sorted, and the same for every number of threads. An update of a scene that has stopped growing allocates nothing.
/// If a function of yours panics, or memory is refused, the tracker is as if the update had not been called.
#[derive(Clone)]
pub struct Tracker<P: PairKind> {
    core: Core<P, ()>,
}

/// The results of an update, as pairs of keys. Every list is in ascending order.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Events, PairTracker};
///
/// let (mut broad_phase, mut tracker) = (BroadPhase::<f32, 2>::new(), PairTracker::new());
/// let at = |x: f32| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
/// let mut log = Vec::new();
/// for door in [5.0, 0.5, 0.6, 5.0] {
///     let boxes = [at(0.0), at(door)]; // a guest and a door
///     let Events { started, ongoing, ended } = tracker.par_update(broad_phase.par_detect(&boxes).by_index());
///     log.push((started.len(), ongoing.len(), ended.len()));
/// }
/// assert_eq!(log, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events<'a, Q = (u32, u32)> {
    /// Pairs that exist now, and did not after the previous update.
    pub started: &'a [Q],
    /// Pairs that exist now, and existed before.
    pub ongoing: &'a [Q],
    /// Pairs that existed before, and no longer do.
    pub ended: &'a [Q],
}

impl<P: PairKind> fmt::Debug for Tracker<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tracker").field(&self.core).finish()
    }
}

impl<P: PairKind> Default for Tracker<P> {
    fn default() -> Self {
        Tracker { core: Core::default() }
    }
}

impl<P: PairKind> Tracker<P> {
    /// A tracker without pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tracker with these pairs, as if an update had found them: to continue from the [`current`](Self::current) pairs of a saved state.
    /// They may be in any order. Pairs of two equal keys are left out.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, PairTracker};
    ///
    /// let mut tracker = PairTracker::with_current(vec![(8, 7)]);
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let no_boxes: [Aabb<f32, 2>; 0] = [];
    /// assert_eq!(tracker.update(broad_phase.detect(&no_boxes).keyed_by(|index| index)).ended, [(7, 8)]);
    /// ```
    pub fn with_current(pairs: Vec<P::Keys>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().filter_map(P::in_order).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Tracker { core: Core::with_entries(vec![(); pairs.len()], pairs) }
    }

    /// Takes the pairs of the next step, on the threads of the rayon pool in which it is called.
    ///
    /// # Panics
    ///
    /// If a function of the user does, see [above](Self#what-you-can-rely-on), or with more than 2³¹ different keys. If memory is refused;
    /// [`try_par_update`](Self::try_par_update) returns an error instead.
    pub fn par_update(&mut self, pairs: impl KeyedPairs<Kind = P>) -> Events<'_, P::Keys> {
        self.try_par_update(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update) on the calling thread.
    pub fn update(&mut self, pairs: impl KeyedPairs<Kind = P>) -> Events<'_, P::Keys> {
        self.try_update(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update), or an error when memory is refused. It is then as if the update had not been called.
    pub fn try_par_update(&mut self, pairs: impl KeyedPairs<Kind = P>) -> Result<Events<'_, P::Keys>, DetectError> {
        self.run(pairs, Threads::Pool)
    }

    /// [`try_par_update`](Self::try_par_update) on the calling thread.
    pub fn try_update(&mut self, pairs: impl KeyedPairs<Kind = P>) -> Result<Events<'_, P::Keys>, DetectError> {
        self.run(pairs, Threads::Serial)
    }

    /// The next update on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    pub(crate) fn run(
        &mut self,
        pairs: impl KeyedPairs<Kind = P>,
        threads: Threads<'_>,
    ) -> Result<Events<'_, P::Keys>, DetectError> {
        self.core.update_on(&pairs, true, &|_| (), threads)?;
        Ok(self.events())
    }

    /// What the last update found.
    pub fn events(&self) -> Events<'_, P::Keys> {
        let lists = &self.core.lists;
        Events { started: &lists.started, ongoing: &lists.ongoing, ended: &lists.ended }
    }

    /// All current pairs: the started and the ongoing ones in one list, without those forgotten since. In ascending order.
    pub fn current(&self) -> &[P::Keys] {
        &self.core.lists.current
    }

    /// Forgets all pairs but those for which `keep` is true, so that the next update does not report that they ended. Pairs that still
    /// exist start again. The [events](Self::events) of the last update stay as they are.
    pub fn retain(&mut self, mut keep: impl FnMut(P::Keys) -> bool) {
        self.core.lists.has_codes = false;
        self.core.lists.current.retain(|&pair| keep(pair));
    }

    /// What the last update cost.
    pub fn times(&self) -> TrackTimes {
        self.core.times
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// Gives back unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.core.shrink_to_fit();
    }
}

impl<'a, P: PairKind> On<'a, '_, Tracker<P>> {
    /// [`Tracker::par_update`] on these threads.
    pub fn update(self, pairs: impl KeyedPairs<Kind = P>) -> Events<'a, P::Keys> {
        self.try_update(pairs).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`Tracker::try_par_update`] on these threads.
    pub fn try_update(self, pairs: impl KeyedPairs<Kind = P>) -> Result<Events<'a, P::Keys>, DetectError> {
        self.it.run(pairs, self.threads)
    }
}

impl<K: Key> PairTracker<K> {
    /// Forgets the pairs of an object that was removed, so that the next update does not report that they ended. Pairs that still exist
    /// start again. Visits all pairs: to forget many objects at once, [`retain`](Self::retain) the pairs of the others.
    pub fn forget(&mut self, key: K) {
        self.retain(|(a, b)| a != key && b != key);
    }
}

impl<A: Key, B: Key> CrossTracker<A, B> {
    /// Forgets the pairs of an object of the first set that was removed, as [`PairTracker::forget`](Tracker#method.forget) does.
    pub fn forget_first(&mut self, key: A) {
        self.retain(|(first, _)| first != key);
    }

    /// Forgets the pairs of an object of the second set that was removed.
    pub fn forget_second(&mut self, key: B) {
        self.retain(|(_, second)| second != key);
    }
}

impl<K: Key, const D: usize> PeriodicTracker<K, D> {
    /// Forgets the pairs of an object that was removed, as [`PairTracker::forget`](Tracker#method.forget) does.
    pub fn forget(&mut self, key: K) {
        self.retain(|(a, b, _)| a != key && b != key);
    }
}

impl<A: Key, B: Key, const D: usize> PeriodicCrossTracker<A, B, D> {
    /// Forgets the pairs of an object of the first set that was removed, as [`PairTracker::forget`](Tracker#method.forget) does.
    pub fn forget_first(&mut self, key: A) {
        self.retain(|(first, ..)| first != key);
    }

    /// Forgets the pairs of an object of the second set that was removed.
    pub fn forget_second(&mut self, key: B) {
        self.retain(|(_, second, _)| second != key);
    }
}
