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
use crate::layout::grid::Item;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::layout::table::TableWriter;
use crate::layout::{CELLS, Chunk, MAX_LEVELS};
use crate::lockfree::{Blocks, ChunkHead, ChunkId, Cursor, Key, NO_SEGMENT, Portions};
use crate::runtime::memory::{self, Budget, grow_exactly};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// After sorting: the table and the chunks are complete.
pub(crate) struct Sorted(());

/// A chunk with more objects is sorted by all workers together.
const CROWDED: usize = 1 << 12;

/// The objects of a crowded chunk that a worker sorts at a time, at least.
const PIECE: usize = 1 << 11;

/// The most entries that make an item of detection, if it has several chunks.
const ITEM: usize = 1 << 10;

/// The most blocks of entries that a worker fills in at a time.
const MOST_BLOCKS: usize = 16;

/// A worker's memory for sorting, and what it saw.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// The rank of each of a chunk's objects in its cell; then the object's entry.
    places: Vec<u32>,
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
        grow_exactly(&mut self.places, CROWDED, 0, &Budget::unlimited());
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<Item>()
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
        for (block, segment, _) in segments.of(head.first()) {
            if objects >= PIECE {
                self.pieces.push(Piece { first: next, segments: 0 });
                objects = 0;
            }
            if let Some(piece) = self.pieces.last_mut() {
                piece.segments += 1;
            }
            objects += segment.len();
            next = block.next[segment.start];
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

impl<'a, S: Scalar, const D: usize> Segments<'a, S, D> {
    /// A chunk's segments: for each its block, its range within the block, and the objects' indices.
    #[inline(always)]
    fn of(self, first: u32) -> impl Iterator<Item = (&'a StagedBlock<S, D>, Range<usize>, &'a [u32])> {
        let mut next = first;
        std::iter::from_fn(move || {
            (next != NO_SEGMENT).then(|| {
                let (number, at) = (next as usize / BLOCK, next as usize % BLOCK);
                let (block, begin) = (&self.staged[number], number * BLOCK);
                let mut segment = block.segment(at, BLOCK.min(self.order.len() - begin));
                if injected(Fault::SegmentShort) && segment.len() > 1 {
                    segment.end -= 1;
                }
                next = block.next[at];
                (block, segment.clone(), &self.order[begin + segment.start..begin + segment.end])
            })
        })
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Writes the entries and the chunks, and lists the work of detection.
    pub(crate) fn sort<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, _: Arranged, team: Team) -> Sorted {
        let visited = source.order.len();
        let seen = |what: fn(&Worker) -> bool| self.workers.iter().take(team.workers()).any(|worker| what(worker));
        let (grouped, has_balls) = (seen(|worker| worker.seen.grouped), seen(|worker| worker.seen.has_balls));
        self.table.resize_extras(visited, grouped, has_balls, &self.budget);

        let segments = Segments { staged: &self.staged, order: source.order };
        let table = self.table.writer(&mut self.next_order);
        for worker in &mut self.workers {
            worker.sorter.prepare();
        }
        let grid = &mut self.grid;
        let (pool, sequence, begins) = (&grid.pool, &grid.sequence, &grid.begins);
        let shares = &self.shares;
        let chunks = Portions::new(&mut grid.tables, &self.unit_bounds, shares);
        let workers = Blocks::new(&mut self.workers, 1);
        team.each(|index| {
            scope!("pivotgrid::sort::worker");
            let Some(worker) = workers.claim_one() else { return };
            let sorter = &mut worker.sorter;
            while let Some(mut unit) = shares.claim(index) {
                let (first, chunks) = chunks.of(&mut unit);
                for (rank, chunk) in (first..).zip(chunks) {
                    let head = pool.chunk(sequence[rank]);
                    let (begin, end) = (begins[rank], begins[rank + 1]);
                    if (end - begin) as usize <= CROWDED {
                        let counts = sorter.count(segments, head, begin as usize, &table);
                        sorter.finish(chunk, head.key(), begin, &counts);
                        sorter.write(segments, head, chunk, &table);
                        add_items(&mut sorter.items, rank as u32, begin, end);
                    }
                }
            }
        });

        self.sort_crowded(source.order, team);
        self.grow_tree(source.len);
        if grouped || has_balls {
            self.fill_extras(source, team);
        }
        self.collect_items(team);
        Sorted(())
    }

    /// Sorts the chunks that are too large for one worker, and what has no level.
    fn sort_crowded(&mut self, order: &[u32], team: Team) {
        let mut ranks = std::mem::take(&mut self.crowd.ranks);
        ranks.clear();
        // As many as there can be: their number changes from step to step, and most steps have none.
        memory::reserve(&mut ranks, order.len() / CROWDED);
        let crowded = |rank: &u32| (self.grid.begins[*rank as usize + 1] - self.grid.begins[*rank as usize]) as usize > CROWDED;
        ranks.extend((0..self.grid.sequence.len() as u32).filter(crowded));
        for rank in ranks.iter().map(|rank| *rank as usize) {
            let (begin, id) = (self.grid.begins[rank], self.grid.sequence[rank]);
            let counts = self.sort_pieces(order, id, begin, false, team);
            let sorter = &mut self.workers[0].sorter;
            let chunk = &mut self.grid.tables[rank];
            sorter.finish(chunk, self.grid.pool.chunk(id).key(), begin, &counts);
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
        team.at_most(pieces.len()).run(|| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, counts)) = next.claim() {
                for (block, segment, _) in each(piece) {
                    segment.for_each(|at| counts[0][cell(block.cells[at])] += 1);
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
        team.at_most(pieces.len()).run(|| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, places)) = next.claim() {
                for (block, segment, ids) in each(piece) {
                    for (at, &id) in segment.zip(ids) {
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
        team.run(|| {
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

impl Sorter {
    /// Writes the chunk, and takes note of what it holds.
    #[inline(always)]
    fn finish(&mut self, chunk: &mut Chunk, key: Key, begin: u32, counts: &[u32; CELLS]) {
        let (squares, crowded) = chunk.set(key, begin, counts);
        self.occupied_cells += chunk.occupied() as usize;
        let total = chunk.entries().len() as u32;
        self.load.levels[key[3] as usize % MAX_LEVELS].add(total, squares as f32, crowded as f32);
    }

    /// Objects per cell, and each object's rank in its cell. Asks for the memory of the entries meanwhile.
    #[inline(always)]
    fn count<S: Scalar, const D: usize>(
        &mut self,
        segments: Segments<'_, S, D>,
        head: ChunkHead<'_>,
        begin: usize,
        table: &TableWriter<'_, S, D>,
    ) -> [u32; CELLS] {
        let mut counts = [0u32; CELLS];
        let mut done = 0;
        for (block, segment, _) in segments.of(head.first()) {
            block.prefetch(&segment);
            for at in segment.clone().step_by(16) {
                table.prefetch_write(begin + done + at - segment.start);
            }
            let ranks = &mut self.places[done..done + segment.len()];
            for (rank, at) in ranks.iter_mut().zip(segment.clone()) {
                let count = &mut counts[usize::from(block.cells[at % BLOCK]) % CELLS];
                *rank = *count;
                *count += 1;
            }
            done += segment.len();
        }
        counts
    }

    /// Each object to where its cell begins plus its rank.
    #[inline(always)]
    fn write<S: Scalar, const D: usize>(
        &mut self,
        segments: Segments<'_, S, D>,
        head: ChunkHead<'_>,
        chunk: &Chunk,
        table: &TableWriter<'_, S, D>,
    ) {
        let mut done = 0;
        for (block, segment, ids) in segments.of(head.first()) {
            let places = &mut self.places[done..done + segment.len()];
            done += segment.len();
            for (place, &cell) in places.iter_mut().zip(&block.cells[segment.clone()]) {
                *place += chunk.begin(usize::from(cell) % CELLS);
            }
            table.set_many(places, block, segment, ids);
        }
    }
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
