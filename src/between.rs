//! Pairs across two sets.

use std::ops::ControlFlow;

use crate::detect::sink::{Consumer, Store};
use crate::engine::step::step;
use crate::engine::{Engine, Made};
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Bounded, BroadPhase, CrossPair, Groups, Pair, Pairs, Scalar};

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// Finds all pairs of an object of `first` and an object of `second` that overlap, and none within either: triggers and bodies,
    /// edges and faces. Works in the rayon pool in which it is called.
    ///
    /// The pairs are [`CrossPair`]s: an index into `first` and one into `second`. [`Groups`] and [`Ball`]s count as always;
    /// [`Bounded::pairs_with`] is not asked, because it knows one type only. In [`Pairs::rejected`], in [`queries`](Self::queries) and in
    /// the [`debug_view`](Self::debug_view), the objects of `second` are numbered on after those of `first`.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Ball, BroadPhase, CrossPair};
    ///
    /// let triggers = [Aabb::new([0.0, 0.0], [4.0, 4.0]), Aabb::new([3.0, 3.0], [9.0, 9.0])];
    /// let bodies = [Ball::new([1.0, 1.0], 0.5), Ball::new([1.2, 1.0], 0.5), Ball::new([20.0, 0.0], 0.5)];
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let pairs = broad_phase.par_detect_between(&triggers, &bodies);
    /// assert_eq!(pairs.sorted(), [CrossPair { first: 0, second: 0 }, CrossPair { first: 0, second: 1 }]);
    /// ```
    pub fn par_detect_between<A, B>(&mut self, first: &[A], second: &[B]) -> Pairs<'_, CrossPair>
    where
        A: Bounded<S, D> + Sync,
        B: Bounded<S, D> + Sync,
    {
        let sets = TwoSets { first, second };
        self.in_pool(first.len().saturating_add(second.len()), |engine, team| store_between(engine, &sets, team));
        self.found_between()
    }

    /// [`par_detect_between`](Self::par_detect_between) on the calling thread.
    pub fn detect_between<A, B>(&mut self, first: &[A], second: &[B]) -> Pairs<'_, CrossPair>
    where
        A: Bounded<S, D> + Sync,
        B: Bounded<S, D> + Sync,
    {
        let sets = TwoSets { first, second };
        self.with_team(Team::ALONE, |engine, team| store_between(engine, &sets, team));
        self.found_between()
    }

    /// What the last step found if it was one of two sets, and nothing otherwise.
    pub(crate) fn found_between(&self) -> Pairs<'_, CrossPair> {
        let is_between = matches!(self.engine.made.get(), Some(Made::PairsBetween { .. }));
        Pairs::new(if is_between { self.stored() } else { &[] }, &self.engine.rejected)
    }
}

/// A step that stores its pairs with the indices that their objects have in their sets.
fn store_between<S: Scalar, const D: usize, A, B>(engine: &mut Engine<S, D>, sets: &TwoSets<'_, A, B>, team: Team)
where
    A: Bounded<S, D> + Sync,
    B: Bounded<S, D> + Sync,
{
    let filter = |pair: Pair| Objects::<S, D>::pair(sets, pair.a as usize, pair.b as usize);
    let second_set_start = sets.first.len();
    step(engine, sets, team, || StoreBetween { store: Store { filter }, second_set_start: second_set_start as u32 }, drop);
    engine.order_pairs(team);
    *engine.made.discard() = Made::PairsBetween { second_set_start };
}

/// Two sets as one: the second behind the first.
struct TwoSets<'a, A, B> {
    first: &'a [A],
    second: &'a [B],
}

impl<A, B> TwoSets<'_, A, B> {
    #[inline(always)]
    fn groups_of<S: Scalar, const D: usize>(&self, index: usize) -> Groups
    where
        A: Bounded<S, D>,
        B: Bounded<S, D>,
    {
        match index.checked_sub(self.first.len()) {
            None => self.first[index].groups(),
            Some(index) => self.second[index].groups(),
        }
    }
}

impl<S: Scalar, const D: usize, A: Bounded<S, D> + Sync, B: Bounded<S, D> + Sync> Objects<S, D> for TwoSets<'_, A, B> {
    fn len(&self) -> usize {
        self.first.len().saturating_add(self.second.len())
    }

    fn bounds(&self, index: usize) -> Aabb<S, D> {
        match index.checked_sub(self.first.len()) {
            None => self.first[index].aabb(),
            Some(index) => self.second[index].aabb(),
        }
    }

    /// Each set is one body, whose parts do not pair. The objects' own bodies are left to [`pair`](Objects::pair).
    fn groups(&self, index: usize) -> Groups {
        self.groups_of(index).of_body(if index < self.first.len() { 1 } else { 2 })
    }

    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        match index.checked_sub(self.first.len()) {
            None => self.first[index].ball(),
            Some(index) => self.second[index].ball(),
        }
    }

    fn pair(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.groups_of(a).body, self.groups_of(b).body);
        a == 0 || a != b
    }
}

/// Stores pairs of two sets with the indices that their objects have there: in each, `a` is one of the first set, `b` one of the
/// second.
struct StoreBetween<F> {
    store: Store<F>,
    second_set_start: u32,
}

impl<F: Fn(Pair) -> bool> Consumer for StoreBetween<F> {
    fn consume(&mut self, block: &mut Vec<Pair>, fresh: usize) -> ControlFlow<()> {
        let flow = self.store.consume(block, fresh);
        // Of the two, `a` is the smaller and so the one of the first set.
        block[fresh..].iter_mut().for_each(|pair| pair.b -= self.second_set_start);
        flow
    }
}
