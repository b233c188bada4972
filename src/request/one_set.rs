//! Pairs within one set.

use std::ops::ControlFlow;

use super::visit::States;
use super::{Host, Source};
use crate::engine::Engine;
use crate::engine::step::{step, store};
use crate::runtime::objects::Objects;
use crate::runtime::team::{Team, Threads};
use crate::{BroadPhase, DetectError, Pair, Pairs, Scalar};

/// One set of objects: those of a slice, or by index. The source of [`BroadPhase::over`] and [`BroadPhase::over_fn`].
#[derive(Clone, Copy, Debug)]
pub struct WithinSet<O>(pub(crate) O);

impl<S: Scalar, const D: usize> Host for BroadPhase<S, D> {
    type Inner = Engine<S, D>;

    fn attempt<R: Send>(
        &mut self,
        threads: Threads<'_>,
        objects: usize,
        step: impl FnOnce(&mut Engine<S, D>, Team<'_>) -> R + Send,
    ) -> Result<R, DetectError> {
        self.run(threads, objects, step)
    }
}

impl<S: Scalar, const D: usize, O: Objects<S, D>> Source<BroadPhase<S, D>> for WithinSet<O> {
    type Pair = Pair;
    type Pairs<'a> = Pairs<'a>;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn store(&self, engine: &mut Engine<S, D>, team: Team<'_>, is_wanted: &(impl Fn(Pair) -> bool + Sync)) {
        store(engine, &self.0, team, is_wanted);
    }

    fn show<W: Send>(
        &self,
        engine: &mut Engine<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(Pair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Pair) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let mut states = States::new(team);
        let lent = states.lend();
        let pair_of = |pair: Pair| (self.0.pair(pair.a as usize, pair.b as usize) && is_wanted(pair)).then_some(pair);
        step(engine, &self.0, team, || lent.consumer(new_state, visit, &pair_of), |visitor| visitor.finish());
        states.into_states()
    }

    fn found<'a>(engine: &'a BroadPhase<S, D>) -> Pairs<'a> {
        engine.found()
    }
}
