//! The sources and the hosts of requests.

use std::ops::ControlFlow;

use crate::DetectError;
use crate::runtime::team::{Team, Threads};

/// The host of a step: a [`BroadPhase`](crate::BroadPhase) or a [`Periodic`](crate::Periodic) domain. Sealed: its methods take types that
/// cannot be named.
pub trait Host: Send + Sync {
    /// What a step works on.
    #[doc(hidden)]
    type Inner: Send;

    /// Runs a step of `objects` objects. However it ends, every accessor is truthful afterwards.
    #[doc(hidden)]
    fn attempt<R: Send>(
        &mut self,
        threads: Threads<'_>,
        objects: usize,
        step: impl FnOnce(&mut Self::Inner, Team<'_>) -> R + Send,
    ) -> Result<R, DetectError>;

    /// Whether the last step left out objects at the end because they became too many only within the step.
    #[doc(hidden)]
    fn left_out(&self) -> bool {
        false
    }
}

/// What a [`Request`](crate::Request) is about. Sealed: its methods take types that cannot be named.
pub trait Source<E: Host>: Sync {
    /// The kind of pairs: [`Pair`](crate::Pair), [`CrossPair`](crate::CrossPair), [`EitherPair`](crate::EitherPair), and the like with
    /// shifts: [`PeriodicPair`](crate::PeriodicPair), [`PeriodicCrossPair`](crate::PeriodicCrossPair).
    type Pair: Copy + Send + Sync;
    /// The type of the stored pairs.
    type Pairs<'a>
    where
        E: 'a;

    /// How many objects there are.
    #[doc(hidden)]
    fn count(&self) -> usize;

    /// A step that stores the pairs.
    #[doc(hidden)]
    fn store(&self, engine: &mut E::Inner, team: Team<'_>, is_wanted: &(impl Fn(Self::Pair) -> bool + Sync));

    /// A step that shows the pairs to a visitor.
    #[doc(hidden)]
    fn show<W: Send>(
        &self,
        engine: &mut E::Inner,
        team: Team<'_>,
        is_wanted: &(impl Fn(Self::Pair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Self::Pair) -> ControlFlow<()> + Sync),
    ) -> Vec<W>;

    /// What the last step stored.
    #[doc(hidden)]
    fn found<'a>(engine: &'a E) -> Self::Pairs<'a>;
}

/// A source with a filter of pairs: see [`Request::filter`](crate::Request::filter).
#[derive(Clone, Copy, Debug)]
pub struct WithFilter<Q, F> {
    pub(super) source: Q,
    pub(super) is_wanted: F,
}

impl<E: Host, Q: Source<E>, F: Fn(Q::Pair) -> bool + Sync> Source<E> for WithFilter<Q, F> {
    type Pair = Q::Pair;
    type Pairs<'a>
        = Q::Pairs<'a>
    where
        E: 'a;

    fn count(&self) -> usize {
        self.source.count()
    }

    fn store(&self, engine: &mut E::Inner, team: Team<'_>, is_wanted: &(impl Fn(Q::Pair) -> bool + Sync)) {
        self.source.store(engine, team, &|pair| (self.is_wanted)(pair) && is_wanted(pair));
    }

    fn show<W: Send>(
        &self,
        engine: &mut E::Inner,
        team: Team<'_>,
        is_wanted: &(impl Fn(Q::Pair) -> bool + Sync),
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Q::Pair) -> ControlFlow<()> + Sync),
    ) -> Vec<W> {
        self.source.show(engine, team, &|pair| (self.is_wanted)(pair) && is_wanted(pair), new_state, visit)
    }

    fn found<'a>(engine: &'a E) -> Q::Pairs<'a> {
        Q::found(engine)
    }
}
