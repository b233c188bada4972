//! The sources of requests in a periodic domain: images in place of objects.

use std::ops::ControlFlow;
use std::time::Duration;

use super::owners::are_apart;
use super::pairs::{Meanings, PeriodicPairs};
use super::statics::StaticImage;
use super::{Periodic, PeriodicCrossPair, PeriodicPair, PeriodicPairsWithStatics};
use crate::detect::sink::StorePairs;
use crate::request::visit::States;
use crate::request::{BetweenSets, EitherPair, Source, WithStatics, WithinSet};
use crate::runtime::clock::Clock;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Pair, Scalar};

impl<S: Scalar, const D: usize> Periodic<S, D> {
    fn found<P: super::AnyPeriodicPair<D>>(&self) -> PeriodicPairs<'_, D, P> {
        let meanings = Meanings::OneSet { owners: self.images.owners(), second_set_start: self.second_set_start };
        let ordered = self.canonical_order.then_some(&self.ordered.pairs[..]);
        PeriodicPairs::new(&self.broad_phase.engine.detector.pairs, ordered, meanings, &self.rejected)
    }
}

impl<S: Scalar, const D: usize, O: Objects<S, D>> Source<Periodic<S, D>> for WithinSet<O> {
    type Pair = PeriodicPair<D>;
    type Pairs<'a> = PeriodicPairs<'a, D>;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn store(&self, periodic: &mut Periodic<S, D>, team: Team<'_>, is_wanted: &(impl Fn(PeriodicPair<D>) -> bool + Sync)) {
        periodic.store(&self.0, 0, team, is_wanted);
    }

    fn show<W: Send>(
        &self,
        periodic: &mut Periodic<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(PeriodicPair<D>) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, PeriodicPair<D>) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let as_wanted = |pair| is_wanted(pair).then_some(pair);
        periodic.show(&self.0, 0, team, &as_wanted, new_state, visit).into_states()
    }

    fn found<'a>(periodic: &'a Periodic<S, D>) -> PeriodicPairs<'a, D> {
        periodic.found()
    }
}

impl<S: Scalar, const D: usize, A: Objects<S, D>, B: Objects<S, D>> Source<Periodic<S, D>> for BetweenSets<A, B> {
    type Pair = PeriodicCrossPair<D>;
    type Pairs<'a> = PeriodicPairs<'a, D, PeriodicCrossPair<D>>;

    fn count(&self) -> usize {
        Objects::<S, D>::len(self)
    }

    fn store(&self, periodic: &mut Periodic<S, D>, team: Team<'_>, is_wanted: &(impl Fn(Self::Pair) -> bool + Sync)) {
        periodic.store(self, self.first.len(), team, is_wanted);
    }

    fn show<W: Send>(
        &self,
        periodic: &mut Periodic<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(Self::Pair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Self::Pair) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let as_wanted = |pair| is_wanted(pair).then_some(pair);
        periodic.show(self, self.first.len(), team, &as_wanted, new_state, visit).into_states()
    }

    fn found<'a>(periodic: &'a Periodic<S, D>) -> Self::Pairs<'a> {
        periodic.found()
    }
}

type Either<const D: usize> = EitherPair<PeriodicPair<D>, PeriodicCrossPair<D>>;

impl<S: Scalar, const D: usize, O: Objects<S, D>> WithStatics<'_, S, D, O> {
    /// Brings the images of the static objects up to date, and returns how long that took.
    fn place_statics(&self, periodic: &mut Periodic<S, D>, team: Team<'_>) -> Duration {
        let mut clock = Clock::start();
        let engine = &periodic.broad_phase.engine;
        let held = (engine.bytes() + periodic.own_bytes()).saturating_sub(periodic.statics.bytes());
        let max_bytes = engine.builder.config.max_bytes;
        scope!("pivotgrid::images", periodic.statics.update(&periodic.space, self.statics, max_bytes, held, team));
        clock.lap()
    }
}

impl<S: Scalar, const D: usize, O: Objects<S, D>> Source<Periodic<S, D>> for WithStatics<'_, S, D, O> {
    type Pair = Either<D>;
    type Pairs<'a> = PeriodicPairsWithStatics<'a, D>;

    fn count(&self) -> usize {
        self.moving.len()
    }

    fn store(&self, periodic: &mut Periodic<S, D>, team: Team<'_>, is_wanted: &(impl Fn(Either<D>) -> bool + Sync)) {
        let placing = self.place_statics(periodic, team);
        periodic.store(&self.moving, 0, team, &|pair| is_wanted(EitherPair::Moving(pair)));
        let Periodic { images, space, statics, broad_phase, .. } = periodic;
        let moving = images.of(space, &self.moving);
        let pair_of = with_static(Meanings::WithStatics { moving: moving.owners, statics: statics.images() });
        let filter = |pair: Pair| pair_of(pair).is_some_and(is_wanted);
        broad_phase.engine.search(&moving, statics.set(), team, || StorePairs { filter }, drop);
        broad_phase.engine.builder.stats.times.images += placing;
        periodic.order_with_statics(team);
    }

    fn show<W: Send>(
        &self,
        periodic: &mut Periodic<S, D>,
        team: Team<'_>,
        is_wanted: &(impl Fn(Either<D>) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Either<D>) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        let placing = self.place_statics(periodic, team);
        let as_wanted = |pair| Some(EitherPair::Moving(pair)).filter(|&pair| is_wanted(pair));
        let mut states: States<W> = periodic.show(&self.moving, 0, team, &as_wanted, new_state, visit);
        if !states.is_over() {
            let Periodic { images, space, statics, broad_phase, .. } = periodic;
            let moving = images.of(space, &self.moving);
            let pair_of = with_static(Meanings::WithStatics { moving: moving.owners, statics: statics.images() });
            let pair_of = |pair: Pair| pair_of(pair).filter(|&pair| is_wanted(pair));
            let lent = states.lend();
            let consumer = || lent.consumer(new_state, visit, &pair_of);
            broad_phase.engine.search(&moving, statics.set(), team, consumer, |visitor| visitor.finish());
        }
        periodic.broad_phase.engine.builder.stats.times.images += placing;
        states.into_states()
    }

    fn found<'a>(periodic: &'a Periodic<S, D>) -> PeriodicPairsWithStatics<'a, D> {
        let meanings = Meanings::WithStatics { moving: periodic.images.owners(), statics: periodic.statics.images() };
        let ordered = periodic.canonical_order.then_some(&periodic.static_ordered.pairs[..]);
        let statics = PeriodicPairs::new(&periodic.broad_phase.engine.static_pairs, ordered, meanings, &periodic.rejected);
        PeriodicPairsWithStatics { moving: periodic.found(), statics, rejected_statics: periodic.statics.rejected() }
    }
}

/// The meeting that an engine's pair of an image of a moving object and an image of a static object stands for, unless two other images
/// stand for it.
fn with_static<'a, const D: usize>(meanings: Meanings<'a, D>) -> impl Fn(Pair) -> Option<Either<D>> + Copy + use<'a, D> {
    move |pair| {
        let Meanings::WithStatics { moving, statics } = &meanings else { return None };
        let is_apart = are_apart(moving.back(pair.a as usize), StaticImage::of(statics, pair.b).back);
        let meeting = meanings.of(pair);
        is_apart.then_some(EitherPair::Static(PeriodicCrossPair { first: meeting.a, second: meeting.b, shift: meeting.shift }))
    }
}
