//! A step from top to bottom.

use std::time::Duration;

use crate::build::builder::Builder;
use crate::build::gather::{Gathered, Source};
use crate::build::presort::Copied;
use crate::build::review::Revisions;
use crate::build::sort::Sorted;
use crate::detect::sink::{Consumer, StorePairs};
use crate::engine::{Engine, Made};
use crate::layout::table::Table;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, MAX_OBJECTS, Pair, PassTimes, RejectReason, Rejected, Scalar};

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
    engine.builder.stats.times = PassTimes::default();

    // If the user's code panics below, or memory is refused, the last step's order is lost. That costs some speed, and nothing else.
    let last_len = std::mem::take(&mut engine.builder.last_len);
    if engine.builder.makes_list(len) {
        engine.clear(Team::ALONE);
        engine.builder.busy.pause();
        let sorted = scope!("pivotgrid::list", engine.builder.list(objects, len));
        engine.builder.stats.times.gather = clock.lap();
        return Rebuilt { sorted, team: Team::ALONE, objects: len, surplus: false, clock };
    }
    let last_len = engine.builder.drop_gone(last_len, len);
    let presorted = engine.builder.presort_from(last_len, len);
    let last_len = presorted.unwrap_or(last_len);
    let visited = last_len.max(len);
    let team = engine.prepare(last_len, visited, team);
    let mut order = std::mem::take(&mut engine.builder.order);
    let gathered = if let Some(first) = presorted {
        scope!("pivotgrid::presort", engine.builder.presort(objects, first, &mut order[first..len], team));
        engine.builder.stats.times.presort = clock.lap();
        // The boxes are in the table now. It is written again after gathering only.
        let table = std::mem::replace(&mut engine.builder.table, Table::new());
        let copied = Copied { objects, first, boxes: table.records(len - first) };
        let mut source = Source { objects: &copied, len, order: &mut order[..len] };
        let gathered = gather(&mut engine.builder, &mut source, (first == 0).then_some(copied.boxes), team, &mut clock);
        engine.builder.table = table;
        gathered
    } else {
        engine.builder.stats.times.presort = clock.lap();
        gather(&mut engine.builder, &mut Source { objects, len, order: &mut order[..visited] }, None, team, &mut clock)
    };
    engine.builder.judge_presort(presorted.is_some(), len);
    let mut source = Source { objects, len, order: &mut order[..visited] };
    let sorted = sort(&mut engine.builder, &mut source, gathered, team, &mut clock);
    engine.builder.order = std::mem::replace(&mut engine.builder.next_order, order);
    engine.builder.last_len = len;
    Rebuilt { sorted, team, objects: len, surplus: objects.len() > len, clock }
}

/// Plans, if necessary, and gathers. `copied`: all boxes, by object, if presort copied them.
fn gather<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    builder: &mut Builder<S, D>,
    source: &mut Source<'_, O>,
    copied: Option<&[Aabb<S, D>]>,
    team: Team,
    clock: &mut Clock,
) -> Gathered {
    let staged = scope!("pivotgrid::plan", builder.plan(source, copied, team));
    builder.stats.times.plan = clock.lap();
    let gathered = scope!("pivotgrid::gather", builder.gather(source, staged, team));
    builder.stats.times.gather = clock.lap();
    gathered
}

/// Arranges and sorts, and reviews the levels by the counts. If others are better, gathers the staged boxes again.
fn sort<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    builder: &mut Builder<S, D>,
    source: &mut Source<'_, O>,
    mut gathered: Gathered,
    team: Team,
    clock: &mut Clock,
) -> Sorted {
    (builder.stats.times.arrange, builder.stats.times.sort) = (Duration::ZERO, Duration::ZERO);
    let mut revisions = Revisions::default();
    loop {
        let arranged = scope!("pivotgrid::arrange", builder.arrange(gathered, source.order.len(), team));
        builder.stats.times.arrange += clock.lap();
        let sorted = scope!("pivotgrid::sort", builder.sort(source, arranged, team));
        builder.stats.times.sort += clock.lap();
        let reviewed = scope!("pivotgrid::plan", builder.review(source, sorted, &mut revisions, team));
        builder.stats.times.plan += clock.lap();
        if let Some(sorted) = reviewed {
            scope!("pivotgrid::sort", builder.complete(source, &sorted, team));
            builder.stats.times.sort += clock.lap();
            return sorted;
        }
        gathered = scope!("pivotgrid::gather", builder.gather(source, true, team));
        builder.stats.times.gather += clock.lap();
    }
}

impl Rebuilt<'_> {
    /// Ends a step, whatever its second half was.
    pub(crate) fn conclude<S: Scalar, const D: usize>(mut self, engine: &mut Engine<S, D>) {
        let Builder { stats, busy, .. } = &mut engine.builder;
        stats.times.detect = self.clock.lap();
        busy.resume(stats.times.gather + stats.times.detect);
        if self.surplus {
            memory::push(&mut engine.builder.rejected, Rejected { index: MAX_OBJECTS, reason: RejectReason::BeyondIndex });
        }
        engine.conclude(self.objects, self.team);
        engine.builder.stats.times.conclude = self.clock.lap();
    }
}

/// A step. Each worker of detection makes a `consumer` for its pairs, and passes it to `finish` afterwards.
pub(crate) fn step<S: Scalar, const D: usize, C: Consumer>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    consumer: impl Fn() -> C + Sync,
    finish: impl Fn(C) + Sync,
) {
    scope!("pivotgrid::step");
    let rebuilt = rebuild(engine, objects, team);
    scope!("pivotgrid::detect", engine.detector.detect(&mut engine.builder, &rebuilt.sorted, rebuilt.team, consumer, finish));
    rebuilt.conclude(engine);
}

/// A step that stores the pairs.
pub(crate) fn store<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    is_wanted: &(impl Fn(Pair) -> bool + Sync),
) {
    let filter = |pair: Pair| objects.pair(pair.a as usize, pair.b as usize) && is_wanted(pair);
    step(engine, objects, team, || StorePairs { filter }, drop);
    engine.order_pairs(team);
    *engine.made.discard() = Made::Pairs;
}
