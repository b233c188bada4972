//! The broad phase.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{AnyPair, Bounded, BroadPhase, CrossPair, DetectError, MAX_OBJECTS, Pair, Pairs, StaticSet};

use crate::border::{border, border_of};
use crate::handles::{pg_broad_phase, pg_results, pg_static_set};
use crate::memory::{In, Out, User, reserve};
use crate::objects::{Items, Objects, Real, keep_rejected, of_type};
use crate::query::Results;
use crate::settings::{Settings, Threads, stats_of};
use crate::statics::AnyStaticSet;
use crate::status::{Error, PG_ERROR_NULL, PG_ERROR_TYPE, Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::tracker::{Keys, Tracker};
use crate::types::{
    pg_array, pg_block, pg_blocks, pg_config, pg_objects, pg_pair, pg_pairs, pg_query, pg_rejected, pg_rows, pg_stats, pg_visitor,
};

/// A broad phase of any type.
pub(crate) type AnyBroadPhase = Box<dyn Detect>;

impl Kind for AnyBroadPhase {
    const NAME: &'static str = "pg_broad_phase";
}

/// Its operations, independent of its type.
pub(crate) trait Detect: Send + Sync {
    fn detect(&mut self, objects: In<pg_objects>, statics: Option<&dyn Any>, flat: bool) -> Result;
    fn detect_between(&mut self, first: In<pg_objects>, second: In<pg_objects>) -> Result;
    fn visit(&mut self, objects: In<pg_objects>, visitor: Visitor, user: User) -> Result;
    fn track(&mut self, objects: In<pg_objects>, tight: In<pg_objects>, keys: pg_array, tracker: &mut Tracker) -> Result;
    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result;
    fn kept(&self) -> &Kept;
    fn stats(&self) -> pg_stats;
    fn shrink(&mut self);
}

type Visitor = extern "C" fn(User, *const pg_pair, usize) -> std::ffi::c_int;

/// The result of a step, as it is lent to the caller.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    moving: KeptPairs,
    statics: KeptPairs,
    rejected: Vec<pg_rejected>,
}

#[derive(Debug, Default)]
struct KeptPairs {
    /// The engine's blocks.
    blocks: Vec<pg_block>,
    /// A copy in one piece, made on request.
    flat: Vec<pg_pair>,
}

impl KeptPairs {
    fn take<P: AnyPair>(&mut self, pairs: Pairs<'_, P>) -> Result {
        self.clear();
        for slice in pairs.slices() {
            reserve(&mut self.blocks, 1)?;
            self.blocks.push(pg_block { pairs: slice.as_ptr().cast(), count: slice.len() });
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.blocks.clear();
        self.flat.clear();
    }

    /// Copies the pairs into one array, unless they already are in one.
    fn flatten<P: AnyPair>(&mut self, pairs: Pairs<'_, P>) -> Result {
        if self.blocks.len() > 1 {
            reserve(&mut self.flat, pairs.len())?;
            pairs.slices().for_each(|slice| self.flat.extend_from_slice(bytemuck::cast_slice(slice)));
        }
        Ok(())
    }

    fn in_one_piece(&self) -> (*const pg_pair, usize) {
        match self.blocks[..] {
            [] => (std::ptr::null(), 0),
            [pg_block { pairs, count }] => (pairs, count),
            _ => (self.flat.as_ptr(), self.flat.len()),
        }
    }
}

impl Kept {
    fn clear(&mut self) {
        self.moving.clear();
        self.statics.clear();
        self.rejected.clear();
    }

    fn pairs(&self, of: &KeptPairs) -> pg_pairs {
        let (pairs, count) = of.in_one_piece();
        pg_pairs { pairs, count, rejected: self.rejected.as_ptr(), rejected_count: self.rejected.len() }
    }

    fn blocks(&self) -> pg_blocks {
        let blocks = &self.moving.blocks;
        pg_blocks {
            blocks: blocks.as_ptr(),
            block_count: blocks.len(),
            pair_count: blocks.iter().map(|block| block.count).sum(),
            rejected: self.rejected.as_ptr(),
            rejected_count: self.rejected.len(),
        }
    }
}

/// A broad phase of one type.
struct Typed<S: Real, const D: usize> {
    engine: BroadPhase<S, D>,
    threads: Threads,
    items: Items<S, D>,
    kept: Kept,
}

fn new<S: Real, const D: usize>(settings: Settings) -> Result<Typed<S, D>> {
    let Settings { config, threads, .. } = settings;
    Ok(Typed { engine: BroadPhase::with_config(config)?, threads, items: Items::default(), kept: Kept::default() })
}

/// Calls a closure with the objects as a slice of the cheapest type.
macro_rules! with_slice {
    ($objects:expr, $items:expr, |$slice:ident| $body:expr) => {
        match $objects.as_boxes() {
            Some($slice) => $body,
            None => {
                let list = $objects.items($items)?;
                let $slice = &list[..];
                let result = $body;
                $items.keep(list);
                result
            }
        }
    };
}
pub(crate) use with_slice;

impl<S: Real, const D: usize> Detect for Typed<S, D> {
    fn detect(&mut self, objects: In<pg_objects>, statics: Option<&dyn Any>, flat: bool) -> Result {
        let Typed { engine, threads, items, kept } = self;
        let objects = Objects::<S, D>::new(objects, "objects")?;
        let statics = statics.map(|statics| statics.downcast_ref::<StaticSet<S, D>>());
        let statics = match statics {
            Some(None) => return Err(Error::new(PG_ERROR_TYPE, "the static set is of another scalar or dimension")),
            Some(Some(statics)) => Some(statics),
            None => None,
        };
        kept.clear();
        with_slice!(objects, items, |slice| threads
            .run(|| found(engine, slice, statics, threads))
            .map_err(Error::from)
            .and_then(|pairs| kept.take(pairs, flat)))
    }

    fn detect_between(&mut self, first: In<pg_objects>, second: In<pg_objects>) -> Result {
        let Typed { engine, threads, items, kept } = self;
        let (first, second) = (Objects::<S, D>::new(first, "first")?, Objects::<S, D>::new(second, "second")?);
        let has_filter = first.has_filter() || second.has_filter();
        ensure!(!has_filter, PG_ERROR_ARGUMENT, "there is no filter for pairs of two sets");
        let count = first.len() + second.len();
        ensure!(count <= MAX_OBJECTS, PG_ERROR_TOO_MANY, "{count} objects, but a step takes at most {MAX_OBJECTS}");
        kept.clear();
        let mut keep = |pairs: Pairs<'_, CrossPair>| -> Result {
            keep_rejected(&mut kept.rejected, pairs.rejected())?;
            kept.moving.take(pairs)?;
            kept.moving.flatten(pairs)
        };
        // Both sets as boxes, or both as lists: for mixtures the step would be compiled twice more.
        if let (Some(ones), Some(others)) = (first.as_boxes(), second.as_boxes()) {
            return keep(threads.run(|| threads.carry(engine.over(ones).against(others)).try_pairs())?);
        }
        let (ones, others) = (first.items(items)?, second.items(&mut Items::default())?);
        let outcome = threads.run(|| threads.carry(engine.over(&ones).against(&others)).try_pairs());
        items.keep(ones);
        keep(outcome?)
    }

    fn visit(&mut self, objects: In<pg_objects>, visitor: Visitor, user: User) -> Result {
        let Typed { engine, threads, items, kept } = self;
        let objects = Objects::<S, D>::new(objects, "objects")?;
        kept.clear();
        let show = |block: &mut Vec<pg_pair>| {
            let stop = !block.is_empty() && visitor(user, block.as_ptr(), block.len()) != 0;
            block.clear();
            if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = AtomicBool::new(false);
        let visit = |block: &mut Vec<pg_pair>, Pair { a, b }: Pair| {
            block.push(pg_pair { a, b });
            let flow = if block.len() < SHOWN { ControlFlow::Continue(()) } else { show(block) };
            stopped.fetch_or(flow.is_break(), Ordering::Relaxed);
            flow
        };
        let new_block = || Vec::with_capacity(SHOWN);
        let rest =
            with_slice!(objects, items, |slice| threads.run(|| threads.carry(engine.over(slice)).try_visit(new_block, visit)))?;
        keep_rejected(&mut kept.rejected, engine.rejected())?;
        for mut block in rest {
            if stopped.load(Ordering::Relaxed) || show(&mut block).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn track(&mut self, objects: In<pg_objects>, tight: In<pg_objects>, keys: pg_array, tracker: &mut Tracker) -> Result {
        let Typed { engine, threads, items, kept } = self;
        let objects = Objects::<S, D>::new(objects, "objects")?;
        let tight = (!tight.is_null()).then(|| Objects::<S, D>::new(tight, "tight")).transpose()?;
        let count = objects.len();
        if let Some(tight) = &tight {
            ensure!(tight.len() == count, PG_ERROR_ARGUMENT, "{count} objects, but {} tight ones", tight.len());
        }
        let keys = Keys::new(keys, count)?;
        let touches =
            |pair: Pair| tight.as_ref().is_none_or(|tight| tight.item(pair.a).aabb().overlaps(&tight.item(pair.b).aabb()));
        kept.clear();
        with_slice!(objects, items, |slice| threads.run(|| -> Result {
            let (pairs, _) = found(engine, slice, None, threads)?;
            keep_rejected(&mut tracker.rejected, pairs.rejected())?;
            tracker.update(pairs, keys, touches, threads)
        }))
    }

    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result {
        results.fill(&self.engine.queries(), query, &self.threads)
    }

    fn kept(&self) -> &Kept {
        &self.kept
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.engine.stats())
    }

    fn shrink(&mut self) {
        self.engine.shrink_to_fit();
        (self.items, self.kept) = (Items::default(), Kept::default());
    }
}

impl Kept {
    fn take(&mut self, (moving, statics): Found<'_>, flat: bool) -> Result {
        keep_rejected(&mut self.rejected, moving.rejected())?;
        self.moving.take(moving)?;
        if flat {
            self.moving.flatten(moving)?;
        }
        if let Some(statics) = statics {
            self.statics.take(statics)?;
            self.statics.flatten(statics)?;
        }
        Ok(())
    }
}

/// Pairs that a visitor is shown at a time.
const SHOWN: usize = 512;

type Found<'a> = (Pairs<'a>, Option<Pairs<'a, CrossPair>>);

/// A step, with static objects or without.
fn found<'a, S: Real, const D: usize, T: Bounded<S, D> + Sync>(
    engine: &'a mut BroadPhase<S, D>,
    objects: &[T],
    statics: Option<&StaticSet<S, D>>,
    threads: &Threads,
) -> std::result::Result<Found<'a>, DetectError> {
    let request = engine.over(objects);
    match statics {
        None => threads.carry(request).try_pairs().map(|pairs| (pairs, None)),
        Some(statics) => threads.carry(request.with(statics)).try_pairs().map(|pairs| (pairs.moving, Some(pairs.statics))),
    }
}

/// Makes a broad phase. `scalar` is `PG_F32` or `PG_F64`, `dimensions` 2 or 3; `config` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_create(
    scalar: u32,
    dimensions: u32,
    config: In<pg_config>,
    broad_phase: Out<pg_broad_phase>,
) -> pg_status {
    border(|| {
        broad_phase.check("broad_phase")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyBroadPhase> = of_type!(scalar, dimensions, new(settings));
        broad_phase.set(pg_broad_phase { id: table::insert(made?, same_thread)? }, "broad_phase")
    })
}

/// Destroys it. Memory that it lent becomes invalid.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_destroy(broad_phase: pg_broad_phase) -> pg_status {
    border_of(broad_phase.id, || table::destroy::<AnyBroadPhase>(broad_phase.id))
}

/// A step: finds all overlapping pairs, each once. They are in one array, which costs a copy unless the handle was made with
/// `PG_CANONICAL_ORDER`; `pg_broad_phase_detect_blocks` does not copy.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_detect(broad_phase: pg_broad_phase, objects: In<pg_objects>, pairs: Out<pg_pairs>) -> pg_status {
    border_of(broad_phase.id, || {
        pairs.check("pairs")?;
        let entry = table::find(broad_phase.id)?;
        let mut broad_phase = entry.write::<AnyBroadPhase>()?;
        broad_phase.detect(objects, None, true)?;
        let kept = broad_phase.kept();
        pairs.set(kept.pairs(&kept.moving), "pairs")
    })
}

/// Like `pg_broad_phase_detect`, but the pairs stay where they were written: in blocks.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_detect_blocks(
    broad_phase: pg_broad_phase,
    objects: In<pg_objects>,
    blocks: Out<pg_blocks>,
) -> pg_status {
    border_of(broad_phase.id, || {
        blocks.check("blocks")?;
        let entry = table::find(broad_phase.id)?;
        let mut broad_phase = entry.write::<AnyBroadPhase>()?;
        broad_phase.detect(objects, None, false)?;
        blocks.set(broad_phase.kept().blocks(), "blocks")
    })
}

/// A step that shows its pairs to `visitor`, some at a time, instead of keeping them.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_visit(
    broad_phase: pg_broad_phase,
    objects: In<pg_objects>,
    visitor: pg_visitor,
    user: User,
) -> pg_status {
    border_of(broad_phase.id, || {
        let Some(visitor) = visitor else { return Err(Error::new(PG_ERROR_NULL, "visitor is null")) };
        table::find(broad_phase.id)?.write::<AnyBroadPhase>()?.visit(objects, visitor, user)
    })
}

/// A step of moving objects among static ones: pairs of two moving objects, and pairs of a moving object `a` and a static one `b`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_detect_with(
    broad_phase: pg_broad_phase,
    objects: In<pg_objects>,
    statics: pg_static_set,
    pairs: Out<pg_pairs>,
    static_pairs: Out<pg_pairs>,
) -> pg_status {
    border_of(broad_phase.id, || {
        pairs.check("pairs")?;
        static_pairs.check("static_pairs")?;
        let (entry, of_statics) = (table::find(broad_phase.id)?, table::find(statics.id)?);
        let mut broad_phase = entry.write::<AnyBroadPhase>()?;
        let statics = of_statics.read::<AnyStaticSet>()?;
        broad_phase.detect(objects, Some(statics.as_any()), true)?;
        let kept = broad_phase.kept();
        pairs.set(kept.pairs(&kept.moving), "pairs")?;
        static_pairs.set(kept.pairs(&kept.statics), "static_pairs")
    })
}

/// A step of two sets: pairs of an object `a` of the first and an object `b` of the second, and none within a set. In the list of
/// objects that were left out, the second set's are numbered on after the first's.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_detect_between(
    broad_phase: pg_broad_phase,
    first: In<pg_objects>,
    second: In<pg_objects>,
    pairs: Out<pg_pairs>,
) -> pg_status {
    border_of(broad_phase.id, || {
        pairs.check("pairs")?;
        let entry = table::find(broad_phase.id)?;
        let mut broad_phase = entry.write::<AnyBroadPhase>()?;
        broad_phase.detect_between(first, second)?;
        let kept = broad_phase.kept();
        pairs.set(kept.pairs(&kept.moving), "pairs")
    })
}

/// Queries about the objects of the last step. Any number of threads may query at once, each with results of its own.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_query(
    broad_phase: pg_broad_phase,
    query: In<pg_query>,
    results: pg_results,
    rows: Out<pg_rows>,
) -> pg_status {
    border_of(broad_phase.id, || {
        rows.check("rows")?;
        let (entry, of_results) = (table::find(broad_phase.id)?, table::find(results.id)?);
        let broad_phase = entry.read::<AnyBroadPhase>()?;
        let mut results = of_results.write::<Results>()?;
        broad_phase.query(query, &mut results)?;
        rows.set(results.rows(), "rows")
    })
}

/// Figures of the last step. Set `stats->size` before the call.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_stats(broad_phase: pg_broad_phase, stats: Out<pg_stats>) -> pg_status {
    border_of(broad_phase.id, || stats.set_versioned(table::find(broad_phase.id)?.read::<AnyBroadPhase>()?.stats(), "stats"))
}

/// Gives back unused memory. What the last step found is gone.
#[unsafe(no_mangle)]
pub extern "C" fn pg_broad_phase_shrink(broad_phase: pg_broad_phase) -> pg_status {
    border_of(broad_phase.id, || {
        table::find(broad_phase.id)?.write::<AnyBroadPhase>()?.shrink();
        Ok(())
    })
}
