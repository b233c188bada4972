//! Pairs together with the keys of their objects.
#![allow(private_interfaces, reason = "the traits that name a team are sealed, and no other crate can call their methods")]

use std::marker::PhantomData;

use super::kinds::{InPeriods, Key, OneSet, PairKind, Tracked, TwoSets, TwoSetsInPeriods};
use super::ranks::Ranks;
use crate::runtime::team::Team;
use crate::{CrossPair, PairSource, Pairs, PeriodicCrossPair, PeriodicPairs, WithoutShifts};

/// Pairs of a step with the keys of their objects, for a [`Tracker`](crate::Tracker) or a [`DataMap`](crate::DataMap); made by
/// `keyed_by` and `by_index` of [`Pairs`] and of [`PeriodicPairs`]. It is a [`KeyedPairs`].
#[must_use = "keyed pairs do nothing until a tracker or a map takes them"]
#[derive(Clone, Copy, Debug)]
pub struct Keyed<P, S, F, J = Always> {
    source: S,
    keys: F,
    judge: J,
    kind: PhantomData<fn() -> P>,
}

/// Pairs of a [kind](PairKind) with the keys of their objects: a [`Keyed`]. Sealed.
pub trait KeyedPairs: Labeled {}

/// All pairs may start.
#[derive(Clone, Copy, Debug)]
pub struct Always;

/// Pairs may start if a function returns true.
#[derive(Clone, Copy, Debug)]
pub struct Touching<F>(F);

/// A function decides which pairs exist, and which of those may start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<F>(F);

/// An object's index is its key, for objects that keep their indices for life. There is no function to call.
#[derive(Clone, Copy, Debug)]
pub struct ByIndex;

impl<P, S, F> Keyed<P, S, F> {
    pub(crate) fn new(source: S, keys: F) -> Self {
        Keyed { source, keys, judge: Always, kind: PhantomData }
    }

    /// The same pairs, but only those for which `touches` is true may start. All of them may go on. `touches` gets each pair as the step
    /// found it, in indices, once and from any thread. See [margins](crate::Tracker#margins).
    ///
    /// It need not compare boxes: if `touches` calls the narrow phase, pairs last from the first contact until their boxes part.
    pub fn touching<T>(self, touches: T) -> Keyed<P, S, F, Touching<T>>
    where
        P: PairKind,
        T: Fn(P::Indices) -> bool + Sync,
    {
        Keyed { source: self.source, keys: self.keys, judge: Touching(touches), kind: PhantomData }
    }

    /// The same pairs without those for which `judge` returns `None`; of the others, those may start for which it returns true.
    pub(crate) fn judged<J>(self, judge: J) -> Keyed<P, S, F, Judged<J>>
    where
        P: PairKind,
        J: Fn(P::Indices) -> Option<bool> + Sync,
    {
        Keyed { source: self.source, keys: self.keys, judge: Judged(judge), kind: PhantomData }
    }
}

impl<'a> Pairs<'a> {
    /// The pairs with the keys of their objects. `key` is called once for every index up to the largest in a pair, from any thread.
    pub fn keyed_by<K: Key, F: Fn(u32) -> K + Sync>(self, key: F) -> Keyed<OneSet<K>, Self, F> {
        Keyed::new(self, key)
    }

    /// The pairs with their objects' indices as keys, for objects that keep their indices for life. Like `keyed_by(|index| index)`,
    /// but without visiting every object.
    pub fn by_index(self) -> Keyed<OneSet<u32>, Self, ByIndex> {
        Keyed::new(self, ByIndex)
    }
}

impl<'a> Pairs<'a, CrossPair> {
    /// The pairs with the keys of their objects: those of the first set, or the moving ones, and those of the second set, or the
    /// static ones. Both functions are called once for every index of their set up to the largest in a pair, from any thread.
    pub fn keyed_by<A: Key, B: Key, F, G>(self, first: F, second: G) -> Keyed<TwoSets<A, B>, Self, (F, G)>
    where
        F: Fn(u32) -> A + Sync,
        G: Fn(u32) -> B + Sync,
    {
        Keyed::new(self, (first, second))
    }

    /// The pairs with their objects' indices as keys, for objects that keep their indices for life. Like
    /// `keyed_by(|index| index, |index| index)`, but without visiting every object of both sets.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, CrossTracker, StaticSet};
    ///
    /// let mut walls = StaticSet::<f32, 2>::new();
    /// walls.par_build(&[Aabb::new([0.0, 9.0], [99.0, 10.0]), Aabb::new([0.0, 0.0], [99.0, 1.0])]);
    /// let (mut broad_phase, mut tracker) = (BroadPhase::<f32, 2>::new(), CrossTracker::new());
    /// let ball = [Aabb::around([50.0, 1.5], [1.0, 1.0])];
    /// assert_eq!(tracker.par_update(broad_phase.over(&ball).with(&walls).pairs().statics.by_index()).started, [(0, 1)]);
    /// ```
    pub fn by_index(self) -> Keyed<TwoSets<u32, u32>, Self, ByIndex> {
        Keyed::new(self, ByIndex)
    }
}

impl<'a, const D: usize> PeriodicPairs<'a, D> {
    /// The pairs with the keys of their objects. `key` is called once for every index up to the largest in a pair, from any thread.
    ///
    /// A pair is remembered with its shift, and two objects that meet with another shift are another pair. So if an object is moved back
    /// into the domain by a period, its pairs end and others start. To avoid that, drop the [shifts](Self::without_shifts).
    pub fn keyed_by<K: Key, F: Fn(u32) -> K + Sync>(self, key: F) -> Keyed<InPeriods<K, D>, Self, F> {
        Keyed::new(self, key)
    }

    /// The pairs with their objects' indices as keys, for objects that keep their indices for life. Like `keyed_by(|index| index)`,
    /// but without visiting every object.
    pub fn by_index(self) -> Keyed<InPeriods<u32, D>, Self, ByIndex> {
        Keyed::new(self, ByIndex)
    }
}

impl<'a, const D: usize> PeriodicPairs<'a, D, PeriodicCrossPair<D>> {
    /// The pairs with the keys of their objects: those of the first set, or the moving ones, and those of the second set, or the
    /// static ones. Both functions are called once for every index of their set up to the largest in a pair, from any thread.
    ///
    /// A pair is remembered with its shift, as those of [one set](PeriodicPairs#method.keyed_by) are.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Periodic, PeriodicCrossTracker, PeriodicError, StaticSet};
    ///
    /// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false])?;
    /// let mut posts = StaticSet::<f32, 2>::new();
    /// posts.build(&[Aabb::new([0.0, 0.0], [0.5, 9.0])]);
    /// let mut tracker = PeriodicCrossTracker::new();
    /// for (x, met) in [(5.0, vec![]), (9.5, vec![(0, "post", [1, 0])])] {
    ///     let found = ring.over(&[Aabb::around([x, 1.0], [0.75, 0.75])]).with(&posts).pairs();
    ///     let events = tracker.update(found.statics.keyed_by(|ball| ball, |_| "post"));
    ///     assert_eq!(events.started, met); // moved by one period, the post meets the ball
    /// }
    /// # Ok::<(), PeriodicError>(())
    /// ```
    pub fn keyed_by<A: Key, B: Key, F, G>(self, first: F, second: G) -> Keyed<TwoSetsInPeriods<A, B, D>, Self, (F, G)>
    where
        F: Fn(u32) -> A + Sync,
        G: Fn(u32) -> B + Sync,
    {
        Keyed::new(self, (first, second))
    }

    /// The pairs with their objects' indices as keys, for objects that keep their indices for life. Like
    /// `keyed_by(|index| index, |index| index)`, but without visiting every object of both sets.
    pub fn by_index(self) -> Keyed<TwoSetsInPeriods<u32, u32, D>, Self, ByIndex> {
        Keyed::new(self, ByIndex)
    }
}

impl<'a, const D: usize> WithoutShifts<'a, D> {
    /// The pairs with the keys of their objects. `key` is called once for every index up to the largest in a pair, from any thread.
    pub fn keyed_by<K: Key, F: Fn(u32) -> K + Sync>(self, key: F) -> Keyed<OneSet<K>, Self, F> {
        Keyed::new(self, key)
    }
}

impl<'a, const D: usize> WithoutShifts<'a, D, PeriodicCrossPair<D>> {
    /// The pairs with the keys of their objects: those of the first set, or the moving ones, and those of the second set, or the
    /// static ones. Both functions are called once for every index of their set up to the largest in a pair, from any thread.
    pub fn keyed_by<A: Key, B: Key, F, G>(self, first: F, second: G) -> Keyed<TwoSets<A, B>, Self, (F, G)>
    where
        F: Fn(u32) -> A + Sync,
        G: Fn(u32) -> B + Sync,
    {
        Keyed::new(self, (first, second))
    }
}

/// Access of an update to pairs and keys.
pub trait Labeled: Sync {
    type Kind: PairKind;
    type Source: PairSource<Pair = <Self::Kind as Tracked>::Indices>;

    fn source(&self) -> &Self::Source;

    /// Ranks the keys of the first objects of each side.
    fn assign(&self, ranks: &mut <Self::Kind as Tracked>::Ranks, objects: [u32; 2], team: Team);

    /// Whether the pair may start; `None` if it does not count as a pair.
    fn judge(&self, pair: <Self::Kind as Tracked>::Indices) -> Option<bool>;
}

/// The keys of a kind.
pub trait Assign<P: Tracked>: Sync {
    fn assign(&self, ranks: &mut P::Ranks, objects: [u32; 2], team: Team);
}

pub trait Judge<I>: Sync {
    fn judge(&self, pair: I) -> Option<bool>;
}

impl<P, S, F, J> KeyedPairs for Keyed<P, S, F, J>
where
    P: PairKind,
    S: PairSource<Pair = P::Indices>,
    F: Assign<P>,
    J: Judge<P::Indices>,
{
}

impl<P, S, F, J> Labeled for Keyed<P, S, F, J>
where
    P: PairKind,
    S: PairSource<Pair = P::Indices>,
    F: Assign<P>,
    J: Judge<P::Indices>,
{
    type Kind = P;
    type Source = S;

    fn source(&self) -> &S {
        &self.source
    }

    fn assign(&self, ranks: &mut P::Ranks, objects: [u32; 2], team: Team) {
        self.keys.assign(ranks, objects, team);
    }

    #[inline(always)]
    fn judge(&self, pair: P::Indices) -> Option<bool> {
        self.judge.judge(pair)
    }
}

impl<K: Key, F: Fn(u32) -> K + Sync> Assign<OneSet<K>> for F {
    fn assign(&self, ranks: &mut Ranks<K>, objects: [u32; 2], team: Team) {
        ranks.assign(objects[0], self, team);
    }
}

impl<K: Key, F: Fn(u32) -> K + Sync, const D: usize> Assign<InPeriods<K, D>> for F {
    fn assign(&self, ranks: &mut Ranks<K>, objects: [u32; 2], team: Team) {
        ranks.assign(objects[0], self, team);
    }
}

impl<A: Key, B: Key, F: Fn(u32) -> A + Sync, G: Fn(u32) -> B + Sync> Assign<TwoSets<A, B>> for (F, G) {
    fn assign(&self, ranks: &mut <TwoSets<A, B> as Tracked>::Ranks, objects: [u32; 2], team: Team) {
        ranks.0.assign(objects[0], &self.0, team);
        ranks.1.assign(objects[1], &self.1, team);
    }
}

impl<A: Key, B: Key, F, G, const D: usize> Assign<TwoSetsInPeriods<A, B, D>> for (F, G)
where
    Self: Assign<TwoSets<A, B>>,
{
    fn assign(&self, ranks: &mut (Ranks<A>, Ranks<B>), objects: [u32; 2], team: Team) {
        <Self as Assign<TwoSets<A, B>>>::assign(self, ranks, objects, team);
    }
}

impl Assign<OneSet<u32>> for ByIndex {
    fn assign(&self, ranks: &mut Ranks<u32>, objects: [u32; 2], _: Team) {
        ranks.assign_indices(objects[0]);
    }
}

impl<const D: usize> Assign<InPeriods<u32, D>> for ByIndex {
    fn assign(&self, ranks: &mut Ranks<u32>, objects: [u32; 2], _: Team) {
        ranks.assign_indices(objects[0]);
    }
}

impl<const D: usize> Assign<TwoSetsInPeriods<u32, u32, D>> for ByIndex {
    fn assign(&self, ranks: &mut (Ranks<u32>, Ranks<u32>), objects: [u32; 2], team: Team) {
        <Self as Assign<TwoSets<u32, u32>>>::assign(self, ranks, objects, team);
    }
}

impl Assign<TwoSets<u32, u32>> for ByIndex {
    fn assign(&self, ranks: &mut (Ranks<u32>, Ranks<u32>), objects: [u32; 2], _: Team) {
        ranks.0.assign_indices(objects[0]);
        ranks.1.assign_indices(objects[1]);
    }
}

impl<I> Judge<I> for Always {
    #[inline(always)]
    fn judge(&self, _: I) -> Option<bool> {
        Some(true)
    }
}

impl<I, F: Fn(I) -> bool + Sync> Judge<I> for Touching<F> {
    #[inline(always)]
    fn judge(&self, pair: I) -> Option<bool> {
        Some(self.0(pair))
    }
}

impl<I, F: Fn(I) -> Option<bool> + Sync> Judge<I> for Judged<F> {
    #[inline(always)]
    fn judge(&self, pair: I) -> Option<bool> {
        self.0(pair)
    }
}
