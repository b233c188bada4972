//! Pairs within a set, and pairs of its objects with static ones.

use std::ops::ControlFlow;

use super::Source;
use super::visit::States;
use crate::detect::sink::StorePairs;
use crate::engine::step::{step, store};
use crate::engine::{Engine, Made};
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;
use crate::{BroadPhase, CrossPair, Pair, PairsWithStatics, Scalar, StaticSet};

/// Moving objects and static ones: see [`Request::with`](crate::Request::with).
#[derive(Debug)]
pub struct WithStatics<'s, S: Scalar, const D: usize, O> {
    pub(crate) moving: O,
    pub(crate) statics: &'s StaticSet<S, D>,
}

/// A pair of a step with static objects, as a filter or a visitor gets it.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, EitherPair, StaticSet};
///
/// let mut walls = StaticSet::<f32, 2>::new();
/// walls.build(&[Aabb::new([0.0, 0.0], [1.0, 9.0])]);
/// let actors = [Aabb::new([0.5, 0.0], [1.5, 2.0]), Aabb::new([1.0, 1.0], [2.0, 2.0])];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let counts = broad_phase.over(&actors).with(&walls).fold(
///     || [0, 0],
///     |[moving, with_walls], pair| match pair {
///         EitherPair::Moving(_) => [moving + 1, with_walls],
///         EitherPair::Static(_) => [moving, with_walls + 1],
///     },
///     |one, other| [one[0] + other[0], one[1] + other[1]],
/// );
/// assert_eq!(counts, [1, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EitherPair<M = Pair, C = CrossPair> {
    /// Two moving objects.
    Moving(M),
    /// A moving object, which is `first`, and a static one, whose index in the [`StaticSet`] is `second`.
    Static(C),
}

impl<S: Scalar, const D: usize, O: Objects<S, D>> Source<BroadPhase<S, D>> for WithStatics<'_, S, D, O> {
    type Pair = EitherPair;
    type Pairs<'a> = PairsWithStatics<'a>;

    fn count(&self) -> usize {
        self.moving.len()
    }

    fn store(&self, engine: &mut Engine<S, D>, team: Team<'_>, is_wanted: &(impl Fn(EitherPair) -> bool + Sync)) {
        store(engine, &self.moving, team, &|pair| is_wanted(EitherPair::Moving(pair)));
        let filter = |pair: Pair| is_wanted(with_static(pair));
        engine.search(&self.moving, self.statics, team, || StorePairs { filter }, drop);
        engine.order_static_pairs(team);
        *engine.made.discard() = Made::PairsWithStatics;
    }

    fn show<W: Send>(
        &self,
        engine: &mut Engine<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(EitherPair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, EitherPair) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let mut states = States::new(team);
        let lent = states.lend();
        let moving = &self.moving;
        let pair_of = |pair: Pair| {
            let is_pair = moving.pair(pair.a as usize, pair.b as usize);
            let pair = EitherPair::Moving(pair);
            (is_pair && is_wanted(pair)).then_some(pair)
        };
        let consumer = || lent.consumer(new_state, visit, &pair_of);
        step(engine, moving, team, consumer, |visitor| visitor.finish());
        if !states.is_over() {
            let lent = states.lend();
            let pair_of = |pair: Pair| Some(with_static(pair)).filter(|&pair| is_wanted(pair));
            let consumer = || lent.consumer(new_state, visit, &pair_of);
            engine.search(moving, self.statics, team, consumer, |visitor| visitor.finish());
        }
        states.into_states()
    }

    fn found<'a>(engine: &'a BroadPhase<S, D>) -> PairsWithStatics<'a> {
        engine.found_with_statics()
    }
}

/// The engine's stored pair of a moving and a static object.
#[inline(always)]
fn with_static(pair: Pair) -> EitherPair {
    EitherPair::Static(CrossPair { first: pair.a, second: pair.b })
}
