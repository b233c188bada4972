//! A step from top to bottom.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::build::gather::Source;
use crate::detect::sink::{Consumer, Show, Store};
use crate::engine::{Clock, Engine};
use crate::lockfree::{Blocks, Cursor};
use crate::passes::{Revisions, Scattered};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{MAX_OBJECTS, Pair, RejectReason, Rejected, Scalar};

/// The first half of a step done: the grid is complete, and the second half may read it.
pub(crate) struct Rebuilt {
    pub(crate) scattered: Scattered,
    pub(crate) team: Team,
    objects: usize,
    surplus: bool,
    clock: Clock,
}

/// The first half of a step: all passes up to the complete grid.
pub(crate) fn rebuild<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
) -> Rebuilt {
    let len = objects.len().min(MAX_OBJECTS);
    let mut clock = Clock::start();

    // If the user's code panics below, or memory is refused, nothing of the last step is known any more. All that is lost with its
    // order is some speed.
    let known = std::mem::take(&mut engine.known);
    engine.border = 0;
    let visited = known.max(len);
    let team = engine.prepare(known, visited, team);
    let order = std::mem::take(&mut engine.order);
    let source = Source { objects, len, order: &order[..visited], rejected: Cursor::new() };

    let mut planned = scope!("pivotgrid::plan", engine.plan(&source, team));
    engine.stats.times.plan = clock.lap();
    engine.stats.times.count = Duration::ZERO;
    engine.stats.times.offset = Duration::ZERO;
    let mut revisions = Revisions::default();
    let offsets = loop {
        let counted = scope!("pivotgrid::count", engine.count(&source, planned, team));
        engine.stats.times.count += clock.lap();
        let offsets = scope!("pivotgrid::offset", engine.offset(counted, team));
        engine.stats.times.offset += clock.lap();
        let reviewed = scope!("pivotgrid::plan", engine.review(&source, offsets, &mut revisions, team));
        engine.stats.times.plan += clock.lap();
        match reviewed {
            Ok(offsets) => break offsets,
            Err(again) => planned = again,
        }
    };
    let scattered = scope!("pivotgrid::scatter", engine.scatter(&source, offsets, team));
    engine.order = std::mem::replace(&mut engine.next_order, order);
    engine.known = len;
    engine.stats.times.scatter = clock.lap();
    Rebuilt { scattered, team, objects: len, surplus: objects.len() > len, clock }
}

impl Rebuilt {
    /// The end of a step, after whatever its second half was.
    pub(crate) fn conclude<S: Scalar, const D: usize>(mut self, engine: &mut Engine<S, D>) {
        engine.stats.times.detect = self.clock.lap();
        if self.surplus {
            memory::push(&mut engine.rejected, Rejected { index: MAX_OBJECTS, reason: RejectReason::BeyondIndex });
        }
        engine.conclude(self.objects, self.team);
    }
}

/// The step. Each worker of detection makes a `consumer` for its pairs, and lets `finish` have it afterwards.
pub(crate) fn step<S: Scalar, const D: usize, C: Consumer>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    consumer: impl Fn() -> C + Sync,
    finish: impl Fn(C) + Sync,
) {
    scope!("pivotgrid::step");
    let rebuilt = rebuild(engine, objects, team);
    scope!("pivotgrid::detect", engine.detect(&rebuilt.scattered, rebuilt.team, consumer, finish));
    rebuilt.conclude(engine);
}

/// A step that stores its pairs.
pub(crate) fn store<S: Scalar, const D: usize>(engine: &mut Engine<S, D>, objects: &(impl Objects<S, D> + ?Sized), team: Team) {
    let filter = |pair: Pair| objects.pair(pair.a as usize, pair.b as usize);
    step(engine, objects, team, || Store { filter }, drop);
    engine.order_pairs(team);
}

/// A step that shows its pairs to a visitor.
pub(crate) fn show<S: Scalar, const D: usize, W: Send>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    new_state: impl Fn() -> W + Sync,
    visit: impl Fn(&mut W, Pair) -> ControlFlow<()> + Sync,
) -> Vec<W> {
    let filter = |pair: Pair| objects.pair(pair.a as usize, pair.b as usize);
    let mut states: Vec<Option<W>> = memory::collect((0..team.workers()).map(|_| None));
    let places = Blocks::new(&mut states, 1);
    let finish = |show: Show<_, _, W>| {
        if let Some(place) = places.claim_one() {
            *place = Some(show.state);
        }
    };
    step(engine, objects, team, || Show { filter, visit: &visit, state: new_state() }, finish);
    states.into_iter().flatten().collect()
}
