//! A step from top to bottom.

use std::time::Duration;

use crate::build::gather::{Gathered, Source};
use crate::build::presort::Copied;
use crate::build::review::Revisions;
use crate::build::sort::Sorted;
use crate::detect::sink::{Consumer, Store};
use crate::engine::{Clock, Engine, Made};
use crate::layout::table::Table;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{MAX_OBJECTS, Pair, PassTimes, RejectReason, Rejected, Scalar};

/// The first half of a step done: the grid is complete, and the second half may read it.
pub(crate) struct Rebuilt<'t> {
    pub(crate) sorted: Sorted,
    pub(crate) team: Team<'t>,
    objects: usize,
    surplus: bool,
    clock: Clock,
}

/// The first half of a step: all passes up to the complete grid.
pub(crate) fn rebuild<'t, S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team<'t>,
) -> Rebuilt<'t> {
    let len = objects.len().min(MAX_OBJECTS);
    let mut clock = Clock::start();
    engine.stats.times = PassTimes::default();

    // If the user's code panics below, or memory is refused, nothing of the last step is known any more. All that is lost with its
    // order is some speed.
    let known = std::mem::take(&mut engine.known);
    if engine.makes_list(len) {
        let sorted = scope!("pivotgrid::list", engine.list(objects, len));
        engine.known = len;
        engine.stats.times.gather = clock.lap();
        return Rebuilt { sorted, team: Team::ALONE, objects: len, surplus: false, clock };
    }
    let presorts = engine.wants_presort(known, len);
    let known = if presorts { 0 } else { known };
    let visited = known.max(len);
    let team = engine.prepare(known, visited, team);
    let mut order = std::mem::take(&mut engine.order);
    let gathered = if presorts {
        scope!("pivotgrid::presort", engine.presort(objects, &mut order[..len], team));
        engine.stats.times.presort = clock.lap();
        // The boxes are in the table now. It is written again after gathering only.
        let table = std::mem::replace(&mut engine.table, Table::new());
        let ids = std::mem::take(&mut engine.next_order);
        let copied = Copied::new(table.columns(&ids), len);
        let gathered = gather(engine, &Source { objects: &copied, len, order: &order[..len] }, team, &mut clock);
        (engine.table, engine.next_order) = (table, ids);
        gathered
    } else {
        engine.stats.times.presort = clock.lap();
        gather(engine, &Source { objects, len, order: &order[..visited] }, team, &mut clock)
    };
    engine.judge_presort(presorts, len);
    let source = Source { objects, len, order: &order[..visited] };
    let sorted = sort(engine, &source, gathered, team, &mut clock);
    engine.order = std::mem::replace(&mut engine.next_order, order);
    engine.known = len;
    Rebuilt { sorted, team, objects: len, surplus: objects.len() > len, clock }
}

/// Plans, if there is need to, and gathers.
fn gather<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    engine: &mut Engine<S, D>,
    source: &Source<'_, O>,
    team: Team,
    clock: &mut Clock,
) -> Gathered {
    let staged = scope!("pivotgrid::plan", engine.plan(source, team));
    engine.stats.times.plan = clock.lap();
    let gathered = scope!("pivotgrid::gather", engine.gather(source, staged, team));
    engine.stats.times.gather = clock.lap();
    gathered
}

/// Arranges and sorts, and checks the levels by what that shows. If others are better, gathers the staged boxes again.
fn sort<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    engine: &mut Engine<S, D>,
    source: &Source<'_, O>,
    mut gathered: Gathered,
    team: Team,
    clock: &mut Clock,
) -> Sorted {
    (engine.stats.times.arrange, engine.stats.times.sort) = (Duration::ZERO, Duration::ZERO);
    let mut revisions = Revisions::default();
    loop {
        let arranged = scope!("pivotgrid::arrange", engine.arrange(gathered, source.order.len(), team));
        engine.stats.times.arrange += clock.lap();
        let sorted = scope!("pivotgrid::sort", engine.sort(source, arranged, team));
        engine.stats.times.sort += clock.lap();
        let reviewed = scope!("pivotgrid::plan", engine.review(source, sorted, &mut revisions, team));
        engine.stats.times.plan += clock.lap();
        match reviewed {
            Some(sorted) => return sorted,
            None => gathered = scope!("pivotgrid::gather", engine.gather(source, true, team)),
        }
        engine.stats.times.gather += clock.lap();
    }
}

impl Rebuilt<'_> {
    /// The end of a step, after whatever its second half was.
    pub(crate) fn conclude<S: Scalar, const D: usize>(mut self, engine: &mut Engine<S, D>) {
        engine.stats.times.detect = self.clock.lap();
        if self.surplus {
            memory::push(&mut engine.rejected, Rejected { index: MAX_OBJECTS, reason: RejectReason::BeyondIndex });
        }
        engine.conclude(self.objects, self.team);
        engine.stats.times.conclude = self.clock.lap();
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
    scope!("pivotgrid::detect", engine.detect(&rebuilt.sorted, rebuilt.team, consumer, finish));
    rebuilt.conclude(engine);
}

/// A step that stores the pairs that are wanted.
pub(crate) fn store<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    is_wanted: &(impl Fn(Pair) -> bool + Sync),
) {
    let filter = |pair: Pair| objects.pair(pair.a as usize, pair.b as usize) && is_wanted(pair);
    step(engine, objects, team, || Store { filter }, drop);
    engine.order_pairs(team);
    *engine.made.discard() = Made::Pairs;
}
