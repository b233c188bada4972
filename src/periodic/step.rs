//! A step in a periodic domain, from top to bottom: images, the engine's step on them, order, rejected objects.

use std::ops::ControlFlow;
use std::time::Duration;

use super::pairs::sealed::Shifted;
use super::pairs::{Meanings, PeriodicPairs};
use super::space::{Placed, Space};
use super::{ByKind, Images, Periodic, PeriodicPair, PeriodicReason, PeriodicRejected, rejected_of};
use crate::detect::sink::StorePairs;
use crate::request::Host;
use crate::request::visit::States;
use crate::runtime::clock::Clock;
use crate::runtime::memory::{self, Budget, bytes_of};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::{Team, Threads};
use crate::sorting::Ordered;
use crate::{DetectError, MAX_OBJECTS, Pair, Scalar};

impl<S: Scalar, const D: usize> Host for Periodic<S, D> {
    type Inner = Self;

    fn attempt<R: Send>(
        &mut self,
        threads: Threads<'_>,
        objects: usize,
        step: impl FnOnce(&mut Self, Team<'_>) -> R + Send,
    ) -> Result<R, DetectError> {
        let is_small = objects <= self.broad_phase.engine.builder.config.serial_up_to;
        let mut attempt = Attempt { periodic: self, is_complete: false };
        attempt.periodic.begin();
        let outcome = memory::catch(|| {
            let outcome = threads.enter(is_small, |team| step(attempt.periodic, team));
            attempt.periodic.settle_bytes();
            outcome
        });
        match outcome {
            Ok(_) => attempt.is_complete = true,
            Err(_) => attempt.periodic.release(),
        }
        outcome
    }

    fn left_out(&self) -> bool {
        self.rejected.last().is_some_and(|last| last.is_beyond_index())
    }
}

/// A step in progress. However it ends, even by a panic of the user's code, every accessor is truthful afterwards.
struct Attempt<'a, S: Scalar, const D: usize> {
    periodic: &'a mut Periodic<S, D>,
    is_complete: bool,
}

impl<S: Scalar, const D: usize> Drop for Attempt<'_, S, D> {
    fn drop(&mut self) {
        match self.is_complete {
            true => self.periodic.broad_phase.engine.finish(),
            false => self.periodic.abandon(),
        }
    }
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Begins a step: from here on, nothing of the last one can be read.
    pub(super) fn begin(&mut self) {
        self.broad_phase.engine.begin();
        self.images.clear();
        self.rejected.clear();
        self.second_set_start = 0;
    }

    /// Ends a step that did not complete: there is nothing to report but how much memory is held.
    pub(super) fn abandon(&mut self) {
        self.broad_phase.engine.abandon();
        self.images.clear();
        self.rejected.clear();
        self.count_own_bytes();
    }

    /// Gives back nearly all memory, after a step that was refused some.
    fn release(&mut self) {
        self.broad_phase.engine.release();
        self.images = Images::new();
        self.release_results();
    }

    pub(super) fn release_results(&mut self) {
        (self.ordered, self.static_ordered) = (Ordered::default(), Ordered::default());
        self.rejected = Vec::new();
        self.by_kind = ByKind::new();
        self.statics.release();
    }

    /// A step that stores the pairs. Those of two sets have their second indices counted from where that set begins.
    pub(super) fn store<O: Objects<S, D> + ?Sized, P: Shifted<D>>(
        &mut self,
        objects: &O,
        second_set_start: usize,
        team: Team<'_>,
        is_wanted: &(impl Fn(P) -> bool + Sync),
    ) {
        self.second_set_start = second_set_start as u32;
        let time = self.make_images(objects, team);
        let images = self.images.of(&self.space, objects);
        let meanings = Meanings::OneSet { owners: images.owners, second_set_start: self.second_set_start };
        let filter = |pair: Pair| images.pair(pair.a as usize, pair.b as usize) && is_wanted(P::of(meanings.of(pair)));
        let searched = (&images, self.images.by_kind());
        self.by_kind.step(&mut self.broad_phase.engine, searched, team, || StorePairs { filter }, drop);
        self.order_moving(team);
        self.conclude(objects, time);
    }

    /// A step that shows the pairs to a visitor.
    pub(super) fn show<O: Objects<S, D> + ?Sized, P: Shifted<D>, Q, W: Send>(
        &mut self,
        objects: &O,
        second_set_start: usize,
        team: Team<'_>,
        as_wanted: &(impl Fn(P) -> Option<Q> + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Q) -> ControlFlow<()> + Sync),
    ) -> States<W> {
        let time = self.make_images(objects, team);
        let images = self.images.of(&self.space, objects);
        let meanings = Meanings::OneSet { owners: images.owners, second_set_start: second_set_start as u32 };
        let mut states = States::new(team);
        let lent = states.lend();
        let pair_of = |pair: Pair| {
            let is_pair = images.pair(pair.a as usize, pair.b as usize);
            is_pair.then(|| P::of(meanings.of(pair))).and_then(as_wanted)
        };
        let consumer = || lent.consumer(new_state, visit, &pair_of);
        let searched = (&images, self.images.by_kind());
        self.by_kind.step(&mut self.broad_phase.engine, searched, team, consumer, |visitor| visitor.finish());
        self.conclude(objects, time);
        states
    }

    /// Makes the images of objects, and returns how long that took.
    fn make_images<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, team: Team) -> Duration {
        let mut clock = Clock::start();
        let budget = self.budget();
        scope!("pivotgrid::images", self.images.fill(&self.space, objects, MAX_OBJECTS, team, &budget));
        let own = self.own_bytes();
        self.broad_phase.engine.builder.budget.count_elsewhere(own);
        clock.lap()
    }

    /// The user's limit, and all memory that is held.
    pub(super) fn budget(&self) -> Budget {
        let engine = &self.broad_phase.engine;
        let mut budget = Budget::new(engine.builder.config.max_bytes);
        budget.begin(engine.bytes() + self.own_bytes());
        budget
    }

    /// Ends a step, after its pairs: figures, and rejected objects.
    fn conclude<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, images: Duration) {
        let (space, engine) = (&self.space, &mut self.broad_phase.engine);
        engine.builder.stats.times.images = images;
        rejected_of(
            &engine.builder.rejected,
            self.images.objects(),
            objects.len(),
            |index| misfit(space, objects, index),
            &mut self.rejected,
        );
        engine.builder.stats.rejected = self.rejected.len();
    }

    /// Puts the pairs of moving objects into ascending order, if that is requested.
    fn order_moving(&mut self, team: Team) {
        let meanings = Meanings::OneSet { owners: self.images.owners(), second_set_start: self.second_set_start };
        let budget = self.budget();
        if self.canonical_order {
            let engine = &mut self.broad_phase.engine;
            engine.builder.stats.times.order += order(&mut self.ordered, &engine.detector.pairs, meanings, &budget, team);
        }
    }

    /// The same for pairs with static objects.
    pub(super) fn order_with_statics(&mut self, team: Team) {
        let meanings = Meanings::WithStatics { moving: self.images.owners(), statics: self.statics.images() };
        let budget = self.budget();
        if self.canonical_order {
            let engine = &mut self.broad_phase.engine;
            engine.builder.stats.times.order += order(&mut self.static_ordered, &engine.static_pairs, meanings, &budget, team);
        }
    }

    /// Reports how much memory is held, and ends the step if that exceeds the limit.
    fn settle_bytes(&mut self) {
        let own = self.own_bytes();
        let engine = &mut self.broad_phase.engine;
        engine.builder.budget.count_elsewhere(own);
        engine.settle_bytes();
        self.count_own_bytes();
    }

    pub(super) fn own_bytes(&self) -> usize {
        self.images.bytes()
            + self.ordered.bytes()
            + self.static_ordered.bytes()
            + bytes_of::<PeriodicRejected>(self.rejected.capacity())
            + self.statics.bytes()
            + self.by_kind.bytes()
    }

    pub(super) fn count_own_bytes(&mut self) {
        self.broad_phase.engine.builder.stats.bytes += self.own_bytes();
    }
}

/// Sorts pairs, and returns how long that took.
fn order<const D: usize>(
    ordered: &mut Ordered<PeriodicPair<D>>,
    blocks: &[Vec<Pair>],
    meanings: Meanings<'_, D>,
    budget: &Budget,
    team: Team,
) -> Duration {
    let mut clock = Clock::start();
    let pairs = PeriodicPairs::<D>::new(blocks, None, meanings, &[]);
    budget.check(Ordered::<PeriodicPair<D>>::bytes_for(pairs.len()).saturating_sub(ordered.bytes()));
    scope!("pivotgrid::order", ordered.sort(&pairs, team));
    clock.lap()
}

/// The reason why an object has no place.
pub(super) fn misfit<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    space: &Space<S, D>,
    objects: &O,
    index: usize,
) -> Option<PeriodicReason> {
    match space.place(&objects.bounds(index)) {
        Placed::Misfit(reason) => Some(reason),
        Placed::Here | Placed::There(_) => None,
    }
}
