//! Gather: the user's boxes, read once, become segments of chunks.
//!
//! In parallel over blocks of visiting positions, in the order in which the last step stored the objects. A worker copies a block's boxes
//! and finds level, chunk and cell of each, sixteen at a time, some groups behind the copying: the arithmetic runs while later boxes are
//! being loaded. Consecutive objects of one chunk form a segment, which the worker appends to the chunk's list. So atomic operations are
//! per segment, not per object.

use super::regroup::Regrouper;
use crate::build::builder::{BuildWorker, Builder, SPECIALS};
use crate::isa::WIDTH;
use crate::kernel::Kernel;
use crate::kernel::locate::{Locate, Located, OVERSIZED, REJECTED, VACANT, locate_with};
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::layout::{Coords, Levels, MAX_LEVELS};
use crate::lockfree::sync::{Atomic, Ordering};
use crate::lockfree::{Blocks, ChunkHead, Directory, Full, Key, Pool, Portions, Spare, shared};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, Groups, RejectReason, Rejected, Scalar};

/// After gathering: every object is in a segment of its chunk's list.
pub(crate) struct Gathered(pub(super) ());

/// The user's objects in the order in which they are visited.
#[derive(Debug)]
pub(crate) struct Source<'a, O: ?Sized> {
    pub(crate) objects: &'a O,
    /// How many of them the step handles.
    pub(crate) len: usize,
    /// A permutation of at least all indices below `len`; those of objects that no longer exist are skipped. Gather may change the order
    /// within a block.
    pub(crate) order: &'a mut [u32],
}

/// A source while the workers read it.
struct Visits<'a, O: ?Sized> {
    objects: &'a O,
    len: usize,
    /// Read and written without synchronization: a worker goes by what its own blocks have, and prefetches what others' have.
    order: &'a [Atomic<u32>],
}

/// How many objects ahead memory is prefetched: farther than the processor would prefetch by itself, near enough to stay in the first-level
/// cache.
pub(super) const AHEAD: usize = 64;
/// With fewer objects the user's boxes stay in the cache, and prefetching them costs more than it saves.
const PREFETCH_FROM: usize = 40_000;
/// Groups of sixteen objects that are copied, and then located, at a time.
const STRIDE: usize = 2;
/// Boxes are located this many strides after they are copied.
const LAG: usize = 1;
const GROUPS: usize = BLOCK / WIDTH;
/// The most blocks that a worker claims at a time.
const MOST_BLOCKS: usize = 32;

/// What a worker saw while gathering.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) rejected: Vec<Rejected>,
    /// Whether some object is in groups of its own.
    pub(crate) grouped: bool,
    /// Whether some object is a ball.
    pub(crate) has_balls: bool,
}

impl Seen {
    /// Records an object that is left out.
    #[cold]
    pub(super) fn reject(&mut self, index: usize, reason: Option<RejectReason>) {
        memory::push(&mut self.rejected, Rejected { index, reason: reason.unwrap_or(RejectReason::Inverted) });
    }

    pub(crate) fn clear(&mut self) {
        self.rejected.clear();
        (self.grouped, self.has_balls) = (false, false);
    }
}

/// A worker's memory for gathering.
#[derive(Debug)]
pub(crate) struct Gatherer {
    located: Located,
    regrouper: Regrouper,
    /// Why there was no room, if the pass must run again.
    pub(crate) full: Option<Full>,
    pub(crate) segments: usize,
    spare: Spare,
}

impl Default for Gatherer {
    fn default() -> Self {
        Gatherer { located: Located::new(), regrouper: Regrouper::NEW, full: None, segments: 0, spare: Spare::default() }
    }
}

impl Gatherer {
    fn clear(&mut self, levels: usize) {
        self.located.clear(levels);
        (self.full, self.segments, self.spare) = (None, 0, Spare::default());
    }

    pub(crate) fn spans(&self) -> [Coords; MAX_LEVELS] {
        self.located.spans()
    }
}

/// A block to visit.
struct Visited<'a, S, const D: usize> {
    /// Its first position.
    first: usize,
    block: &'a mut StagedBlock<S, D>,
    /// The block that is written next.
    next: Option<&'a StagedBlock<S, D>>,
}

/// What the workers append segments to.
struct Target<'a, S, const D: usize> {
    levels: &'a Levels<S, D>,
    pool: &'a Pool,
    directory: &'a Directory,
    kernel: Kernel,
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Copies the boxes, unless they are staged already, and appends them to their chunks. Runs again, with more room or coarser
    /// cells, until all are appended.
    pub(crate) fn gather<O: Objects<S, D> + ?Sized>(&mut self, source: &mut Source<'_, O>, staged: bool, team: Team) -> Gathered {
        let mut staged = staged;
        let pool_before = self.grid.pool.bytes();
        loop {
            self.make_room_for_plan(source.len, team);
            let outcome = self.gather_once(source, staged, team);
            staged = true;
            match outcome {
                Ok(()) => break,
                // Before making room for all these chunks, try a plan that needs fewer.
                Err(Full::Directory) if self.is_overrun(source.len) => {
                    self.clear(team);
                    self.hint = None;
                    self.replan(source.len, source.order.len(), team);
                }
                Err(Full::Directory) => {
                    let bits = (self.grid.directory.bits() + 2).max(Directory::bits_for(self.grid.pool.used() as usize));
                    self.clear(team);
                    self.grow_directory(bits);
                }
                Err(Full::Memory(bytes)) => memory::refused_by_system(bytes),
                Err(Full::Limit(bytes)) => self.budget.refuse(bytes - pool_before),
                Err(Full::Pool) => {
                    self.grid.levels.coarsen();
                    self.clear(team);
                }
            }
            self.stats.repeats += 1;
        }
        self.budget.charge(self.grid.pool.bytes() - pool_before);
        Gathered(())
    }

    /// Makes the directory, which is empty, large enough for the chunks that a new plan predicts, so that gathering does not have to run
    /// again. A bad prediction costs memory, and at most a slot per object.
    fn make_room_for_plan(&mut self, objects: usize, team: Team) {
        let (Some(plan), true) = (&self.plan, self.stats.replanned) else { return };
        let predicted = (plan.predicted.chunks / self.config.costs.chunk.max(1.0)).clamp(0.0, (objects / 2) as f64) as usize;
        let bits = Directory::bits_for(predicted + predicted / 8 + SPECIALS + 2 * team.workers());
        if self.grid.directory.bits() < bits {
            self.grow_directory(bits);
        }
    }

    fn gather_once<O: Objects<S, D> + ?Sized>(
        &mut self,
        source: &mut Source<'_, O>,
        staged: bool,
        team: Team,
    ) -> Result<(), Full> {
        self.deal_blocks(source.order.len(), team);
        let visits = source.visits();
        let target =
            Target { levels: &self.grid.levels, pool: &self.grid.pool, directory: &self.grid.directory, kernel: self.kernel };
        let shares = &self.shares;
        let blocks = Portions::new(&mut self.staged, &self.bounds, shares);
        let workers = Blocks::new(&mut self.workers, 1);
        self.busy.each(team, |index| {
            scope!("pivotgrid::gather::worker");
            let Some(worker) = workers.claim_one() else { return };
            let BuildWorker { gatherer, seen, .. } = &mut **worker;
            gatherer.clear(target.levels.len());
            seen.rejected.clear();
            while let Some(unit) = shares.claim(index) {
                let (first, [blocks]) = blocks.of(&unit);
                let mut last = None;
                for at in 0..blocks.len() {
                    let (block, next) = blocks[at..].split_first_mut().expect("a block");
                    let block = Visited { first: (first + at) * BLOCK, block, next: next.first() };
                    visits.block(block, staged, &target, gatherer, seen, &mut last);
                }
            }
        });
        self.grid.spans = [[0; 3]; MAX_LEVELS];
        self.segments = self.workers.iter().take(team.workers()).map(|worker| worker.gatherer.segments).sum();
        let mut full = None;
        for worker in self.workers.iter().take(team.workers()) {
            full = full.or(worker.gatherer.full);
            for (all, spans) in self.grid.spans.iter_mut().zip(worker.gatherer.spans()) {
                *all = std::array::from_fn(|axis| all[axis].max(spans[axis]));
            }
        }
        full.map_or(Ok(()), Err)
    }

    /// Copies and surveys the boxes, for planning.
    pub(crate) fn stage<O: Objects<S, D> + ?Sized>(&mut self, source: &mut Source<'_, O>, team: Team) {
        self.deal_blocks(source.order.len(), team);
        let visits = source.visits();
        let (shares, kernel) = (&self.shares, self.kernel);
        let blocks = Portions::new(&mut self.staged, &self.bounds, shares);
        let workers = Blocks::new(&mut self.workers, 1);
        self.busy.each(team, |index| {
            scope!("pivotgrid::plan::stage");
            let Some(worker) = workers.claim_one() else { return };
            let BuildWorker { survey, seen, .. } = &mut **worker;
            survey.clear();
            while let Some(unit) = shares.claim(index) {
                let (first, [blocks]) = blocks.of(&unit);
                for (at, block) in (first..).zip(blocks) {
                    visits.stage(at * BLOCK, block, seen);
                    // While it is in the first-level cache.
                    let len = BLOCK.min(visits.order.len() - at * BLOCK);
                    survey.observe(kernel, &block.boxes[..len]);
                }
            }
        });
    }

    /// Deals the staged blocks to the workers: each a part of its own, in claims.
    pub(super) fn deal_blocks(&mut self, visited: usize, team: Team) {
        let blocks = visited.div_ceil(BLOCK);
        let claim = self.claim_blocks(visited, team);
        let units = blocks.div_ceil(claim);
        self.bounds.clear();
        memory::reserve(&mut self.bounds, units + 1);
        self.bounds.extend((0..units).map(|unit| (unit * claim) as u32).chain([blocks as u32]));
        memory::refusable(self.shares.reserve(team.workers(), units), units);
        self.shares.deal(team.workers(), units, |unit| unit * team.workers() / units);
    }

    /// Blocks per claim: few enough that every worker gets some, many enough that two claims seldom share a chunk.
    pub(super) fn claim_blocks(&self, visited: usize, team: Team) -> usize {
        team.claim(visited.div_ceil(BLOCK), MOST_BLOCKS)
    }
}

impl<O: ?Sized> Source<'_, O> {
    fn visits(&mut self) -> Visits<'_, O> {
        Visits { objects: self.objects, len: self.len, order: shared(self.order) }
    }
}

impl<O: ?Sized> Visits<'_, O> {
    /// Copies and locates a block, and appends its segments. `last` is the chunk of the block before.
    fn block<'t, S: Scalar, const D: usize>(
        &self,
        Visited { first, block, next }: Visited<'_, S, D>,
        staged: bool,
        target: &Target<'t, S, D>,
        gatherer: &mut Gatherer,
        seen: &mut Seen,
        last: &mut Option<(Key, ChunkHead<'t>)>,
    ) where
        O: Objects<S, D>,
    {
        let len = BLOCK.min(self.order.len() - first);
        let full = gatherer.full.is_some();
        gatherer.located.begin_block();
        if staged {
            target.locate(block, 0..len.div_ceil(WIDTH), &mut gatherer.located);
        } else if len == BLOCK && self.len >= PREFETCH_FROM && !full {
            for step in 0..GROUPS / STRIDE + LAG {
                if step < GROUPS / STRIDE {
                    let places = WIDTH * STRIDE * step..WIDTH * STRIDE * (step + 1);
                    if let Some(next) = next {
                        next.prefetch_write(places.clone());
                    }
                    self.copy::<S, D, true>(first, places, block, seen);
                }
                if step >= LAG {
                    target.locate(block, STRIDE * (step - LAG)..STRIDE * (step - LAG + 1), &mut gatherer.located);
                }
            }
        } else {
            self.stage(first, block, seen);
            if !full {
                target.locate(block, 0..len.div_ceil(WIDTH), &mut gatherer.located);
            }
        }
        if full {
            return;
        }
        if gatherer.located.has_special {
            self.reject(first, len, block, &mut gatherer.located, seen);
        }
        block.starts = gatherer.located.changes;
        block.starts[0] |= 1;
        gatherer.regrouper.regroup(block, &mut gatherer.located, &self.order[first..first + len]);
        if let Err(full) = target.append(first, len, block, gatherer, last) {
            gatherer.full = Some(full);
        }
    }

    /// Copies the boxes of a block.
    fn stage<S: Scalar, const D: usize>(&self, first: usize, block: &mut StagedBlock<S, D>, seen: &mut Seen)
    where
        O: Objects<S, D>,
    {
        let len = BLOCK.min(self.order.len() - first);
        if self.len >= PREFETCH_FROM {
            self.copy::<S, D, true>(first, 0..len, block, seen);
        } else {
            self.copy::<S, D, false>(first, 0..len, block, seen);
        }
        // Lanes without an object repeat the last one, which changes nothing.
        for at in len..len.next_multiple_of(WIDTH) {
            let bounds = block.bounds(len - 1);
            block.set_bounds(at, &bounds);
        }
    }

    /// Copies boxes. Nothing else happens in the loop, so the processor overlaps the cache misses of many objects.
    #[inline(always)]
    fn copy<S: Scalar, const D: usize, const PREFETCH: bool>(
        &self,
        first: usize,
        range: std::ops::Range<usize>,
        block: &mut StagedBlock<S, D>,
        seen: &mut Seen,
    ) where
        O: Objects<S, D>,
    {
        let ids = &self.order[first + range.start..first + range.end];
        let soon = self.order.get(first + range.start + AHEAD..).unwrap_or(&[]);
        for (at, (id, bounds)) in ids.iter().zip(&mut block.boxes[range]).enumerate() {
            // Relaxed: see the field.
            if PREFETCH && let Some(soon) = soon.get(at) {
                self.objects.prefetch(soon.load(Ordering::Relaxed) as usize);
            }
            let id = id.load(Ordering::Relaxed) as usize;
            if id < self.len {
                seen.grouped |= self.objects.groups(id) != Groups::ALL;
                seen.has_balls |= self.objects.ball(id).is_some();
                *bounds = self.objects.bounds(id);
            } else {
                *bounds = Aabb::EMPTY;
            }
        }
    }

    /// Separates positions without an object from invalid boxes, and records the latter.
    #[cold]
    fn reject<S: Scalar, const D: usize>(
        &self,
        first: usize,
        len: usize,
        block: &StagedBlock<S, D>,
        located: &mut Located,
        seen: &mut Seen,
    ) {
        for at in 0..len {
            if located.level(at) == REJECTED {
                let index = self.order[first + at].load(Ordering::Relaxed) as usize;
                if index >= self.len {
                    located.set_level(at, VACANT);
                } else {
                    let reason = RejectReason::of(&block.bounds(at));
                    seen.reject(index, reason);
                }
            }
        }
        located.find_changes();
    }
}

impl<'t, S: Scalar, const D: usize> Target<'t, S, D> {
    #[inline(always)]
    fn locate(&self, block: &mut StagedBlock<S, D>, groups: std::ops::Range<usize>, located: &mut Located) {
        locate_with(self.kernel, Locate { levels: self.levels, block, located, groups });
    }

    /// Appends the segments of a block to the lists of their chunks.
    #[inline(always)]
    fn append(
        &self,
        first: usize,
        len: usize,
        block: &mut StagedBlock<S, D>,
        gatherer: &mut Gatherer,
        last: &mut Option<(Key, ChunkHead<'t>)>,
    ) -> Result<(), Full> {
        let located = &gatherer.located;
        let (mut at, mut number) = (0, 0);
        while at < len {
            let segment = block.segment(at, len);
            let key = located.key(at);
            if key[3] as i32 != VACANT {
                let head = match *last {
                    Some((there, head)) if there == key => head,
                    _ => self.directory.find_or_insert(self.pool, &key, &mut gatherer.spare)?.1,
                };
                *last = Some((key, head));
                block.next[number % BLOCK] = head.append((first + at) as u32, segment.len() as u32);
                gatherer.segments += 1;
            }
            number += 1;
            at = segment.end;
        }
        Ok(())
    }
}

/// The list of a key that is not a chunk's but one of the lists for objects without a level.
pub(super) fn special(key: &Key) -> Option<i32> {
    let level = key[3] as i32;
    matches!(level, OVERSIZED | REJECTED).then_some(level)
}
