//! Offsets: counters become pivots, chunks get their ranges of the data table.
//!
//! In parallel over blocks of chunks. Reads and rewrites the chunks' cells; writes the list of work for detection.

use super::plan::check::{CROWD, Load};
use crate::faults::{Fault, injected};
use crate::layout::grid::Item;
use crate::layout::{Shape, key_parts};
use crate::lockfree::{ChunkId, Cursor, Pool};
use crate::runtime::memory;

/// How many chunks a worker claims at a time, and places with one `fetch_add`.
const BLOCK: usize = 32;

/// The most entries that make an item of work.
pub(crate) const ITEM: usize = 256;

/// What one worker found while placing.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub(crate) items: Vec<Item>,
    pub(crate) occupied_cells: usize,
    /// What the chunks hold, by level.
    pub(crate) load: Load,
}

impl Placed {
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.occupied_cells = 0;
        self.load = Load::default();
    }
}

/// Places blocks of chunks until none is left. `work` hands out the chunks, `table` the entries.
pub(crate) fn place<const D: usize>(pool: &Pool, chunks: &[ChunkId], work: &Cursor, table: &Cursor, placed: &mut Placed) {
    while let Some(block) = work.claim(BLOCK, chunks.len()) {
        let mut totals = [0; BLOCK];
        for (total, &id) in totals.iter_mut().zip(&chunks[block.clone()]) {
            let (chunk, mut squares, mut crowded) = (pool.chunk(id), 0.0, 0.0);
            *total = chunk.total_of(|count| {
                let square = count as f32 * count as f32;
                squares += square;
                crowded += if count > CROWD { square } else { 0.0 };
            });
            // A chunk that lost the race for its place has no objects, and a key that may be anything.
            if *total > 0 {
                placed.load.levels[key_parts(chunk.key()).0].add(*total, squares, crowded);
            }
        }
        let all: u32 = totals.iter().sum();
        let mut begin = table.take(all as usize) as u32;
        for (at, total) in block.zip(totals) {
            let chunk = pool.chunk(chunks[at]);
            chunk.place(begin, Shape::<D>::ROW);
            placed.occupied_cells += chunk.occupied() as usize;
            add_items(&mut placed.items, at as u32, begin, begin + total);
            begin += total;
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
        let next = end.min(begin.saturating_add(ITEM as u32));
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
        let totals = [3, 0, 5, 1000, 1, 250, 6, 0, 300];
        let mut items = Vec::new();
        let mut begin = 0;
        for (chunk, total) in totals.into_iter().enumerate() {
            add_items(&mut items, chunk as u32, begin, begin + total);
            begin += total;
        }
        let mut next = 0;
        for item in &items {
            assert_eq!(item.begin, next);
            assert!(item.end - item.begin <= ITEM as u32);
            next = item.end;
        }
        assert_eq!(next, begin);
        // {3, 5}, 1000 in four, {1, 250}, {6}, 300 in two; the last piece of 1000 takes in what still fits.
        assert_eq!(items.len(), 8);
    }
}
