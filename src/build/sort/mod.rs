//! Sort: each chunk's objects become entries of the table, cell by cell, and the chunk's pivots.
//!
//! In parallel over chunks. A worker counts a chunk's objects by cell, turns the counts into pivots, and writes the entries: some
//! hundred objects that stay in the first-level cache, 128 counters, no atomics. A crowded chunk is cut into pieces that all workers
//! count and then write together.

mod crowd;
mod items;
mod segments;

use crowd::CROWDED;
pub(crate) use crowd::Crowd;
use items::add_items;
use segments::{LISTS, Segment, Segments};

use super::arrange::Arranged;
use super::gather::{AHEAD, Source};
use super::plan::check::Load;
use super::plan::most_listed;
use crate::Scalar;
use crate::build::builder::{BuildWorker, Builder};
use crate::faults::{Fault, injected};
use crate::isa::Isa;
use crate::kernel::records::Records;
use crate::kernel::{IsaWork, Kernel};
use crate::layout::grid::Item;
use crate::layout::staged::BLOCK;
use crate::layout::table::EntriesMut;
use crate::layout::{CELLS, Chunk, MAX_LEVELS};
use crate::lockfree::{Blocks, ChunkHead, ChunkId, Cursor, Key, Pool, Portions};
use crate::runtime::memory::{self, Budget, grow_exactly};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// After sorting: the table and the chunks are complete.
pub(crate) struct Sorted(pub(super) ());

/// Consecutive objects of a segment are counted by different counters. Neighbors in the order are mostly neighbors in space: with one
/// counter per cell, each increment would wait for the one before it.
const STREAMS: usize = 4;

const _: () = assert!(CROWDED <= 1 << 16, "ranks have 16 bits");

/// The most blocks of entries for which a worker fills in groups and balls at a time.
const MOST_BLOCKS: usize = 16;

/// A worker's memory for sorting, and what it saw.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// The rank of each of a chunk's objects among those of its cell and stream.
    ranks: Vec<u16>,
    /// The names of a chunk's boxes, by entry.
    names: Vec<u32>,
    pub(crate) items: Vec<Item>,
    pub(crate) occupied_cells: usize,
    /// What the chunks hold, by level.
    pub(crate) load: Load,
}

impl Sorter {
    /// Prepares for a step. Memory is allocated here, once.
    pub(crate) fn prepare(&mut self) {
        self.items.clear();
        (self.occupied_cells, self.load) = (0, Load::default());
        grow_exactly(&mut self.ranks, CROWDED, 0, &Budget::unlimited());
        grow_exactly(&mut self.names, CROWDED, 0, &Budget::unlimited());
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ranks.capacity() * size_of::<u16>()
            + self.names.capacity() * size_of::<u32>()
            + self.items.capacity() * size_of::<Item>()
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Writes the entries and the chunks.
    pub(crate) fn sort<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, _: Arranged, team: Team) -> Sorted {
        let segments = Segments { staged: &self.staged, order: source.order };
        for worker in &mut self.workers {
            worker.sorter.prepare();
        }
        let grid = &mut self.grid;
        let (pool, sequence, begins) = (&grid.pool, &grid.sequence, &grid.begins);
        let (shares, kernel) = (&self.shares, self.kernel);
        self.entry_bounds.clear();
        memory::reserve(&mut self.entry_bounds, self.unit_bounds.len());
        self.entry_bounds.extend(self.unit_bounds.iter().map(|&rank| begins[rank as usize]));
        let entries = self.table.portions(&mut self.next_order, &self.entry_bounds, shares);
        let chunks = Portions::new(&mut grid.tables, &self.unit_bounds, shares);
        let workers = Blocks::new(&mut self.workers, 1);
        self.busy.each(team, |index| {
            scope!("pivotgrid::sort::worker");
            let Some(worker) = workers.claim_one() else { return };
            let sorter = &mut worker.sorter;
            while let Some(unit) = shares.claim(index) {
                let (first, [chunks]) = chunks.of(&unit);
                let ranks = first..first + chunks.len();
                let heads = Heads { pool, ids: &sequence[ranks.clone()], begins: &begins[ranks.start..=ranks.end] };
                sort_with(kernel, SortChunks { first, heads, chunks, segments, entries: entries.of(&unit), sorter });
            }
        });

        self.sort_crowded(source.order, team);
        Sorted(())
    }

    /// Completes the grid once its levels are accepted: the tree over oversized objects, boxes around chunks, groups and balls, and the
    /// list of items.
    pub(crate) fn complete<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, _: &Sorted, team: Team) {
        self.grow_tree(source.len);
        self.box_chunks(team);
        let seen = |what: fn(&BuildWorker) -> bool| self.workers.iter().take(team.workers()).any(|worker| what(worker));
        let (grouped, has_balls) = (seen(|worker| worker.seen.grouped), seen(|worker| worker.seen.has_balls));
        self.table.resize_extras(source.order.len(), grouped, has_balls, &self.budget);
        if grouped || has_balls {
            self.fill_extras(source, team);
        }
        self.collect_items(team);
    }

    /// Makes a tree over the oversized objects if they are too many for a list.
    fn grow_tree(&mut self, objects: usize) {
        let oversized = self.grid.oversized.clone();
        if self.grid.levels.is_empty() || oversized.len() <= most_listed(objects) {
            return;
        }
        let columns = self.table.columns(&self.next_order);
        self.curve.order(oversized.clone().map(|entry| (columns.bounds(entry), columns.id(entry))));
        let table = self.table.writer(&mut self.next_order);
        for (entry, (bounds, id)) in oversized.clone().zip(self.curve.ordered()) {
            table.set(entry, bounds, *id);
        }
        self.grid.list_tree.build(&self.table.columns(&self.next_order), oversized, &self.budget);
    }

    /// Fills in groups and balls, which only some scenes have.
    fn fill_extras<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, team: Team) {
        let regular = *self.grid.begins.last().unwrap_or(&0) as usize;
        let entries = if injected(Fault::ExtrasOfChunksOnly) { regular } else { self.grid.rejected.end };
        let (table, cursor) = (self.table.writer(&mut self.next_order), Cursor::new());
        let claim = team.claim(entries.div_ceil(BLOCK), MOST_BLOCKS) * BLOCK;
        self.busy.each(team, |_| {
            scope!("pivotgrid::sort::extras");
            while let Some(range) = cursor.claim(claim, entries) {
                for entry in range.clone() {
                    if entry + AHEAD < range.end {
                        source.objects.prefetch(table.id(entry + AHEAD) as usize);
                    }
                    let id = table.id(entry) as usize;
                    table.set_extras(entry, || source.objects.groups(id), || source.objects.ball(id));
                }
            }
        });
    }
}

/// The heads of some chunks, and where their entries begin and end.
#[derive(Clone, Copy)]
struct Heads<'a> {
    pool: &'a Pool,
    ids: &'a [ChunkId],
    begins: &'a [u32],
}

/// Chunks that one worker sorts, one after the other.
struct SortChunks<'a, S, const D: usize> {
    /// The rank of the first one.
    first: usize,
    heads: Heads<'a>,
    chunks: &'a mut [Chunk],
    segments: Segments<'a, S, D>,
    entries: EntriesMut<'a, S, D>,
    sorter: &'a mut Sorter,
}

/// Sorts by a kernel. Not inlined, so that all kinds of objects share the code.
#[inline(never)]
fn sort_with<S: Scalar, const D: usize>(kernel: Kernel, work: SortChunks<'_, S, D>) {
    kernel.dispatch(work);
}

/// The function of each kind, compiled here once: crates that use the library link to it, unless they are optimized themselves.
#[used]
static SORTERS: (SorterOf<f32, 2>, SorterOf<f32, 3>, SorterOf<f64, 2>, SorterOf<f64, 3>) =
    (sort_with, sort_with, sort_with, sort_with);

type SorterOf<S, const D: usize> = fn(Kernel, SortChunks<'_, S, D>);

impl<S: Scalar, const D: usize> IsaWork for SortChunks<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let SortChunks { first, heads, chunks, segments, mut entries, sorter } = self;
        let Some(records) = Records::new(segments.staged) else { return };
        for (at, chunk) in chunks.iter_mut().enumerate() {
            if at % LISTS == 0 {
                segments.fetch_lists(heads.pool, &heads.ids[at..heads.ids.len().min(at + LISTS)]);
            }
            let head = heads.pool.chunk(heads.ids[at]);
            let (begin, end) = (heads.begins[at], heads.begins[at + 1]);
            if (end - begin) as usize > CROWDED {
                continue;
            }
            let mut entries = entries.slice(begin as usize, end as usize);
            let mut counts = [[0; CELLS]; STREAMS];
            sorter.count(segments, head, &entries, &mut counts);
            let mut all = counts[0];
            for stream in 1..STREAMS {
                (0..CELLS).for_each(|cell| all[cell] += counts[stream][cell]);
            }
            sorter.finish(isa, chunk, head.key(), begin, &all);
            // Where each stream's objects begin in each cell, counted from the chunk's first entry.
            let mut next = chunk.begins().map(|pivot| pivot - begin);
            for counts in &mut counts {
                for (next, count) in next.iter_mut().zip(counts) {
                    *next += std::mem::replace(count, *next);
                }
            }
            sorter.write(isa, segments, records, head, &counts, &mut entries);
            add_items(&mut sorter.items, (first + at) as u32, begin, end);
        }
    }
}

impl Sorter {
    /// Writes the chunk, and records what it holds.
    #[inline(always)]
    fn finish<I: Isa>(&mut self, isa: I, chunk: &mut Chunk, key: Key, begin: u32, counts: &[u32; CELLS]) {
        let (squares, crowded) = chunk.set(isa, key, begin, counts);
        self.occupied_cells += chunk.occupied() as usize;
        let total = chunk.entries().len() as u32;
        self.load.levels[key[3] as usize % MAX_LEVELS].add(total, squares as f32, crowded as f32);
    }

    /// Counts objects per stream and cell, and notes each object's rank there. Meanwhile it prefetches the memory of the entries.
    #[inline(always)]
    fn count<S: Scalar, const D: usize>(
        &mut self,
        segments: Segments<'_, S, D>,
        head: ChunkHead<'_>,
        entries: &EntriesMut<'_, S, D>,
        counts: &mut [[u32; CELLS]; STREAMS],
    ) {
        let mut done = 0;
        for Segment { block, places, .. } in segments.of(head.first()) {
            block.prefetch(&places);
            for at in (0..places.len()).step_by(16) {
                entries.prefetch_write(done + at);
            }
            let ranks = &mut self.ranks[done..done + places.len()];
            done += places.len();
            let (cells, last_cells) = block.cells[places].as_chunks::<STREAMS>();
            let (ranks, last_ranks) = ranks.as_chunks_mut::<STREAMS>();
            for (ranks, cells) in ranks.iter_mut().zip(cells) {
                for stream in 0..STREAMS {
                    ranks[stream] = next(&mut counts[stream], cells[stream]);
                }
            }
            for (stream, (rank, cell)) in last_ranks.iter_mut().zip(last_cells).enumerate() {
                *rank = next(&mut counts[stream], *cell);
            }
        }
    }

    /// Writes each object to where the objects of its stream and cell begin, plus its rank: first the names of the boxes and the indices,
    /// then the boxes, entry by entry.
    #[inline(always)]
    fn write<I: Isa, S: Scalar, const D: usize>(
        &mut self,
        isa: I,
        segments: Segments<'_, S, D>,
        records: Records<'_, S, D>,
        head: ChunkHead<'_>,
        begins: &[[u32; CELLS]; STREAMS],
        entries: &mut EntriesMut<'_, S, D>,
    ) {
        let names = &mut self.names[..entries.ids.len()];
        let ids_by_entry = &mut entries.ids[..names.len()];
        let mut done = 0;
        for Segment { number, block, places, ids } in segments.of(head.first()) {
            let ranks = &self.ranks[done..done + places.len()];
            done += places.len();
            let mut name = Records::<S, D>::name(number, places.start);
            let (cells, last_cells) = block.cells[places].as_chunks::<STREAMS>();
            let (ranks, last_ranks) = ranks.as_chunks::<STREAMS>();
            let (ids, last_ids) = ids.as_chunks::<STREAMS>();
            let mut put = |stream: usize, cell: u8, rank: u16, id: u32| {
                let entry = (begins[stream][usize::from(cell) % CELLS] + u32::from(rank)) as usize;
                names[entry] = name;
                ids_by_entry[entry] = id;
                name += Records::<S, D>::STEP;
            };
            for ((cells, ranks), ids) in cells.iter().zip(ranks).zip(ids) {
                for stream in 0..STREAMS {
                    put(stream, cells[stream], ranks[stream], ids[stream]);
                }
            }
            for (stream, ((cell, rank), id)) in last_cells.iter().zip(last_ranks).zip(last_ids).enumerate() {
                put(stream, *cell, *rank, *id);
            }
        }
        records.copy_to_columns(isa, names, &mut entries.min, &mut entries.max);
    }
}

/// The number of a cell's next object.
#[inline(always)]
fn next(counts: &mut [u32; CELLS], cell: u8) -> u16 {
    let count = &mut counts[usize::from(cell) % CELLS];
    *count += 1;
    (*count - 1) as u16
}
