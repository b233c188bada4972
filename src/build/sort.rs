//! Sort: each chunk's objects become entries of the table, cell by cell, and the chunk's pivots.
//!
//! In parallel over chunks. A worker counts a chunk's objects by cell, turns the counts into pivots, and writes the entries: some
//! hundred objects that stay in the first-level cache, 128 counters, no atomics. A crowded chunk is cut into pieces that all workers
//! count and then write together.

use std::ops::Range;

use super::arrange::Arranged;
use super::gather::{AHEAD, Source};
use super::plan::check::Load;
use super::plan::most_listed;
use crate::Scalar;
use crate::engine::{Engine, Worker};
use crate::faults::{Fault, injected};
use crate::kernel::isa::Isa;
use crate::kernel::isa::portable::Portable;
use crate::kernel::records::Records;
use crate::kernel::{IsaWork, Kernel};
use crate::layout::grid::Item;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::layout::table::EntriesMut;
use crate::layout::{CELLS, Chunk, MAX_LEVELS};
use crate::lockfree::{Blocks, ChunkHead, ChunkId, Cursor, Key, NO_SEGMENT, Pool, Portions};
use crate::runtime::memory::{self, Budget, grow_exactly};
use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// After sorting: the table and the chunks are complete.
pub(crate) struct Sorted(());

/// A chunk with more objects is sorted by all workers together.
const CROWDED: usize = 1 << 12;

/// The objects of a crowded chunk that a worker sorts at a time, at least.
const PIECE: usize = 1 << 11;

/// Consecutive objects of a segment are counted by different counters. Neighbors in the order are mostly neighbors in space: with one
/// counter per cell, each increment would wait for the one before it.
const STREAMS: usize = 4;

/// So many chunks' lists of segments are walked together before they are sorted: a list is a chain of cache misses, but several
/// chains miss at the same time.
const LISTS: usize = 8;

const _: () = assert!(CROWDED <= 1 << 16, "ranks have 16 bits");

/// The most entries that make an item of detection, if it has several chunks.
const ITEM: usize = 1 << 10;

/// The most blocks of entries that a worker fills in at a time.
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
    /// Makes it ready for a step. Its memory is made here, once.
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

/// Memory for sorting crowded chunks, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// The crowded chunks.
    ranks: Vec<u32>,
    pieces: Vec<Piece>,
    /// Objects per cell of each piece; then where the next one goes.
    counts: Vec<[u32; CELLS]>,
}

/// A part of a chunk's list of segments: the first one, and how many there are.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u32,
    segments: usize,
}

impl Crowd {
    pub(crate) fn bytes(&self) -> usize {
        self.ranks.capacity() * size_of::<u32>()
            + self.pieces.capacity() * size_of::<Piece>()
            + self.counts.capacity() * size_of::<[u32; CELLS]>()
    }

    /// Cuts a list of segments into pieces of at least [`PIECE`] objects, with counts of 0.
    fn cut<S: Scalar, const D: usize>(&mut self, segments: Segments<'_, S, D>, head: ChunkHead<'_>, budget: &Budget) {
        self.pieces.clear();
        // All pieces but the last have at least `PIECE` objects.
        memory::reserve(&mut self.pieces, head.total() as usize / PIECE + 1);
        let (mut next, mut objects) = (head.first(), PIECE);
        for Segment { block, places, .. } in segments.of(head.first()) {
            if objects >= PIECE {
                self.pieces.push(Piece { first: next, segments: 0 });
                objects = 0;
            }
            if let Some(piece) = self.pieces.last_mut() {
                piece.segments += 1;
            }
            objects += places.len();
            next = block.next(places.start);
        }
        if injected(Fault::PieceLost) && self.pieces.len() > 1 {
            self.pieces.pop();
        }
        grow_exactly(&mut self.counts, self.pieces.len(), [0; CELLS], budget);
        self.counts[..self.pieces.len()].fill([0; CELLS]);
    }
}

/// The staged objects of a step, in segments.
#[derive(Clone, Copy)]
struct Segments<'a, S, const D: usize> {
    staged: &'a [StagedBlock<S, D>],
    /// The objects' indices by visiting position.
    order: &'a [u32],
}

/// A run of objects of one chunk.
struct Segment<'a, S, const D: usize> {
    /// The number of its block.
    number: usize,
    block: &'a StagedBlock<S, D>,
    /// Where it lies in the block.
    places: Range<usize>,
    /// The objects' indices.
    ids: &'a [u32],
}

impl<'a, S: Scalar, const D: usize> Segments<'a, S, D> {
    /// A chunk's segments.
    #[inline(always)]
    fn of(self, first: u32) -> SegmentList<'a, S, D> {
        SegmentList { segments: self, next: first }
    }
}

/// Walks a list of segments. No closure: one that is not inlined would be compiled without the instruction set.
struct SegmentList<'a, S, const D: usize> {
    segments: Segments<'a, S, D>,
    next: u32,
}

impl<'a, S: Scalar, const D: usize> Iterator for SegmentList<'a, S, D> {
    type Item = Segment<'a, S, D>;

    #[inline(always)]
    fn next(&mut self) -> Option<Segment<'a, S, D>> {
        if self.next == NO_SEGMENT {
            return None;
        }
        let (number, at) = (self.next as usize / BLOCK, self.next as usize % BLOCK);
        let (block, begin) = (&self.segments.staged[number], number * BLOCK);
        let mut places = block.segment(at, BLOCK.min(self.segments.order.len() - begin));
        if injected(Fault::SegmentShort) && places.len() > 1 {
            places.end -= 1;
        }
        self.next = block.next(at);
        let ids = &self.segments.order[begin + places.start..begin + places.end];
        Some(Segment { number, block, places, ids })
    }
}

impl<S: Scalar, const D: usize> Segments<'_, S, D> {
    /// Brings the lists of some chunks into the cache.
    #[inline(always)]
    fn fetch_lists(self, pool: &Pool, ids: &[ChunkId]) {
        let mut next = [NO_SEGMENT; LISTS];
        for (next, id) in next.iter_mut().zip(ids) {
            *next = pool.chunk(*id).first();
        }
        loop {
            let mut is_over = true;
            for next in &mut next {
                if *next != NO_SEGMENT {
                    is_over = false;
                    let (number, at) = (*next as usize / BLOCK, *next as usize % BLOCK);
                    let block = &self.staged[number];
                    prefetch(&block.cells, at);
                    *next = block.next(at);
                    if let Some(block) = self.staged.get(*next as usize / BLOCK) {
                        block.prefetch_links();
                    }
                }
            }
            if is_over {
                break;
            }
        }
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
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

    /// What only the levels that are kept need: the tree over oversized objects, groups and balls, and the list of items.
    pub(crate) fn complete<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, _: &Sorted, team: Team) {
        self.grow_tree(source.len);
        let seen = |what: fn(&Worker) -> bool| self.workers.iter().take(team.workers()).any(|worker| what(worker));
        let (grouped, has_balls) = (seen(|worker| worker.seen.grouped), seen(|worker| worker.seen.has_balls));
        self.table.resize_extras(source.order.len(), grouped, has_balls, &self.budget);
        if grouped || has_balls {
            self.fill_extras(source, team);
        }
        self.collect_items(team);
    }

    /// Sorts the chunks that are too large for one worker, and what has no level.
    fn sort_crowded(&mut self, order: &[u32], team: Team) {
        let mut ranks = std::mem::take(&mut self.crowd.ranks);
        ranks.clear();
        // Where the boxes have no names, all chunks are sorted in pieces.
        let most = if Records::new(&self.staged).is_some() { CROWDED } else { 0 };
        // As many as there can be: their number changes from step to step, and most steps have none.
        memory::reserve(&mut ranks, order.len() / most.max(1));
        let crowded = |rank: &u32| (self.grid.begins[*rank as usize + 1] - self.grid.begins[*rank as usize]) as usize > most;
        ranks.extend((0..self.grid.sequence.len() as u32).filter(crowded));
        for rank in ranks.iter().map(|rank| *rank as usize) {
            let (begin, id) = (self.grid.begins[rank], self.grid.sequence[rank]);
            let counts = self.sort_pieces(order, id, begin, false, team);
            let sorter = &mut self.workers[0].sorter;
            let chunk = &mut self.grid.tables[rank];
            sorter.finish(Portable, chunk, self.grid.pool.chunk(id).key(), begin, &counts);
            add_items(&mut sorter.items, rank as u32, begin, self.grid.begins[rank + 1]);
        }
        self.crowd.ranks = ranks;
        for (special, begin) in [self.grid.tails.oversized, self.grid.tails.rejected].into_iter().enumerate() {
            if let Some(id) = self.grid.specials[special] {
                self.sort_pieces(order, id, begin as u32, true, team);
            }
        }
    }

    /// Sorts one chunk by all workers: each counts pieces of it, the counts become offsets, each writes its pieces. Returns how many
    /// entries each cell has. `one_cell`: whatever the objects' cells are, they all count as the first.
    fn sort_pieces(&mut self, order: &[u32], id: ChunkId, begin: u32, one_cell: bool, team: Team) -> [u32; CELLS] {
        let segments = Segments { staged: &self.staged, order };
        self.crowd.cut(segments, self.grid.pool.chunk(id), &self.budget);
        let pieces = &self.crowd.pieces;
        let counts = &mut self.crowd.counts[..pieces.len()];
        let cell = |cell: u8| if one_cell { 0 } else { usize::from(cell) % CELLS };
        let each = |piece: usize| segments.of(pieces[piece].first).take(pieces[piece].segments);
        let next = Blocks::new(counts, 1);
        self.busy.each(team.at_most(pieces.len()), |_| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, counts)) = next.claim() {
                for Segment { block, places, .. } in each(piece) {
                    places.for_each(|at| counts[0][cell(block.cells[at])] += 1);
                }
            }
        });
        let mut all = [0; CELLS];
        counts.iter().for_each(|counts| (0..CELLS).for_each(|cell| all[cell] += counts[cell]));
        let mut place = begin;
        for cell in 0..CELLS {
            for counts in counts.iter_mut() {
                let objects = std::mem::replace(&mut counts[cell], place);
                place += objects - u32::from(injected(Fault::PiecesOverlap) && objects > 0);
            }
        }
        let table = self.table.writer(&mut self.next_order);
        let next = Blocks::new(counts, 1);
        self.busy.each(team.at_most(pieces.len()), |_| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, places)) = next.claim() {
                for Segment { block, places: range, ids, .. } in each(piece) {
                    for (at, &id) in range.zip(ids) {
                        let place = &mut places[0][cell(block.cells[at])];
                        table.set(*place as usize, &block.bounds(at), id);
                        *place += 1;
                    }
                }
            }
        });
        all
    }

    /// Where too many objects are oversized for a list, makes a tree over them.
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

    /// Collects the workers' items, those of a worker next to each other.
    fn collect_items(&mut self, team: Team) {
        self.grid.items.clear();
        let items = self.workers.iter().take(team.workers()).map(|worker| worker.sorter.items.len()).sum();
        let before = self.grid.items.capacity();
        if before < items {
            // A worker joins the chunks of two units only if it sorted both, which differs from step to step.
            memory::reserve_with_slack(&mut self.grid.items, items + self.unit_bounds.len());
        }
        self.budget.charge(memory::bytes_of::<Item>(self.grid.items.capacity() - before));
        for worker in self.workers.iter().take(team.workers()) {
            self.grid.items.extend_from_slice(&worker.sorter.items);
        }
    }

    /// Deals the items of detection: each worker first those that it sorted.
    pub(crate) fn deal_items(&mut self, team: Team) {
        // How many items there are depends on which worker sorted what, so there is room for as many as the list of items has.
        let (items, room) = (self.grid.items.len(), self.grid.items.capacity());
        memory::refusable(self.shares.reserve(team.workers(), room), room);
        self.takers.clear();
        memory::reserve_exact(&mut self.takers, room);
        for (index, worker) in self.workers.iter().take(team.workers()).enumerate() {
            self.takers.extend(worker.sorter.items.iter().map(|_| index as u32));
        }
        let takers = &self.takers;
        self.shares.deal(team.workers(), items, |item| takers[item] as usize);
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

/// Sorts by a kernel. Not inlined: the same code serves all kinds of objects.
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
    /// Writes the chunk, and takes note of what it holds.
    #[inline(always)]
    fn finish<I: Isa>(&mut self, isa: I, chunk: &mut Chunk, key: Key, begin: u32, counts: &[u32; CELLS]) {
        let (squares, crowded) = chunk.set(isa, key, begin, counts);
        self.occupied_cells += chunk.occupied() as usize;
        let total = chunk.entries().len() as u32;
        self.load.levels[key[3] as usize % MAX_LEVELS].add(total, squares as f32, crowded as f32);
    }

    /// Objects per stream and cell, and each object's rank there. Asks for the memory of the entries meanwhile.
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

    /// Each object to where the objects of its stream and cell begin, plus its rank: first the names of the boxes and the indices,
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

/// Appends a chunk's entries to the work: to the last item while that is small and the chunk follows it, otherwise as items of
/// their own.
fn add_items(items: &mut Vec<Item>, chunk: u32, mut begin: u32, end: u32) {
    if let Some(last) = items.last_mut()
        && last.end_chunk == chunk
        && last.end == begin
        && last.end - last.begin + (end - begin) <= ITEM as u32
    {
        last.end_chunk = chunk + 1;
        last.end = end;
        return;
    }
    while begin < end {
        let next = end.min(begin.saturating_add(Item::MOST_ENTRIES as u32));
        if injected(Fault::ItemShort) && next == end {
            memory::push(items, Item { first_chunk: chunk, end_chunk: chunk + 1, begin, end: next - 1 });
            return;
        }
        memory::push(items, Item { first_chunk: chunk, end_chunk: chunk + 1, begin, end: next });
        begin = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_cover_all_entries_once_and_are_neither_tiny_nor_huge() {
        let totals = [30, 0, 50, 2500, 1, 1000, 60, 0, 800];
        let mut items = Vec::new();
        let mut begin = 0;
        for (chunk, total) in totals.into_iter().enumerate() {
            add_items(&mut items, chunk as u32, begin, begin + total);
            begin += total;
        }
        let mut next = 0;
        for item in &items {
            assert_eq!(item.begin, next);
            assert!(item.end - item.begin <= Item::MOST_ENTRIES as u32);
            next = item.end;
        }
        assert_eq!(next, begin);
        // {30, 0, 50}, 2500 in three, {1, 1000}, {60, 0, 800}; an empty chunk joins what is before it, and so does what still fits.
        assert!((6..=7).contains(&items.len()), "{items:?}");
    }
}
