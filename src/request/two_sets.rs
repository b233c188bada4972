//! Pairs across two sets: one set in which each side is a body, and parts of a body do not pair.

use std::ops::ControlFlow;

use super::Source;
use super::visit::States;
use crate::detect::sink::{Consumer, StorePairs};
use crate::engine::step::step;
use crate::engine::{Engine, Made};
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, BroadPhase, CrossPair, Groups, Pair, Pairs, Scalar};

/// Two sets of objects, of which the second is numbered on after the first. See [`Request::against`](crate::Request::against).
#[derive(Clone, Copy, Debug)]
pub struct BetweenSets<A, B> {
    pub(crate) first: A,
    pub(crate) second: B,
}

impl<S: Scalar, const D: usize, A: Objects<S, D>, B: Objects<S, D>> Source<BroadPhase<S, D>> for BetweenSets<A, B> {
    type Pair = CrossPair;
    type Pairs<'a> = Pairs<'a, CrossPair>;

    fn count(&self) -> usize {
        Objects::<S, D>::len(self)
    }

    /// Stores pairs with the indices that their objects have in their sets.
    fn store(&self, engine: &mut Engine<S, D>, team: Team<'_>, is_wanted: &(impl Fn(CrossPair) -> bool + Sync)) {
        let second_set_start = self.first.len();
        let filter = |pair: Pair| is_between(self, pair) && is_wanted(across(pair, second_set_start));
        let consumer = || StoreBetween { store: StorePairs { filter }, second_set_start: second_set_start as u32 };
        step(engine, self, team, consumer, drop);
        engine.order_pairs(team);
        *engine.made.discard() = Made::PairsBetween { second_set_start };
    }

    fn show<W: Send>(
        &self,
        engine: &mut Engine<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(CrossPair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, CrossPair) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let second_set_start = self.first.len();
        let mut states = States::new(team);
        let lent = states.lend();
        let pair_of = |pair: Pair| {
            let pair = is_between(self, pair).then(|| across(pair, second_set_start))?;
            is_wanted(pair).then_some(pair)
        };
        step(engine, self, team, || lent.consumer(new_state, visit, &pair_of), |visitor| visitor.finish());
        states.into_states()
    }

    fn found<'a>(engine: &'a BroadPhase<S, D>) -> Pairs<'a, CrossPair> {
        engine.found_between()
    }
}

/// Whether the objects' own bodies and filters admit a pair.
#[inline(always)]
fn is_between<S: Scalar, const D: usize>(sets: &impl Objects<S, D>, pair: Pair) -> bool {
    sets.pair(pair.a as usize, pair.b as usize)
}

/// The pair with the indices that its objects have in their sets. Of the two, `a` is the smaller and so the one of the first set.
#[inline(always)]
fn across(pair: Pair, second_set_start: usize) -> CrossPair {
    CrossPair { first: pair.a, second: pair.b.wrapping_sub(second_set_start as u32) }
}

impl<A, B> BetweenSets<A, B> {
    #[inline(always)]
    fn groups_of<S: Scalar, const D: usize>(&self, index: usize) -> Groups
    where
        A: Objects<S, D>,
        B: Objects<S, D>,
    {
        match index.checked_sub(self.first.len()) {
            None => self.first.groups(index),
            Some(index) => self.second.groups(index),
        }
    }
}

impl<S: Scalar, const D: usize, A: Objects<S, D>, B: Objects<S, D>> Objects<S, D> for BetweenSets<A, B> {
    fn len(&self) -> usize {
        self.first.len().saturating_add(self.second.len())
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        match index.checked_sub(self.first.len()) {
            None => self.first.bounds(index),
            Some(index) => self.second.bounds(index),
        }
    }

    /// Each set is one body, whose parts do not pair. The objects' own bodies are left to [`pair`](Objects::pair).
    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        self.groups_of(index).of_body(if index < self.first.len() { 1 } else { 2 })
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        match index.checked_sub(self.first.len()) {
            None => self.first.ball(index),
            Some(index) => self.second.ball(index),
        }
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.groups_of(a).body, self.groups_of(b).body);
        a == 0 || a != b
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        match index.checked_sub(self.first.len()) {
            None => self.first.prefetch(index),
            Some(index) => self.second.prefetch(index),
        }
    }
}

/// Stores pairs of two sets with the indices that their objects have there: in each, `a` is one of the first set, `b` one of the
/// second.
struct StoreBetween<F> {
    store: StorePairs<F>,
    second_set_start: u32,
}

impl<F: Fn(Pair) -> bool> Consumer for StoreBetween<F> {
    fn consume(&mut self, block: &mut Vec<Pair>, fresh: usize) -> ControlFlow<()> {
        let flow = self.store.consume(block, fresh);
        block[fresh..].iter_mut().for_each(|pair| pair.b -= self.second_set_start);
        flow
    }
}
