//! The blocks that a worker writes its rows to.

use crate::lockfree::sync::{Atomic, Ordering};
use crate::lockfree::{Blocks, Cursor, shared};
use crate::runtime::memory::{self, Budget};
use crate::runtime::prefetch::prefetch;

/// Indices per block, unless rows are so long that blocks must be larger: 256 KiB.
const BLOCK: usize = 1 << 16;

/// The size of blocks if rows may be this long.
pub(super) fn block_size(room: usize) -> usize {
    BLOCK.max(2 * room)
}

/// Where a row lies: the number of its block, the row's begin there, and its length. Side by side, because objects come in no order, and
/// each cache line that is written costs the same.
pub(super) type RowPlace = [u32; 3];

/// The words of a place.
const PLACE: usize = size_of::<RowPlace>() / size_of::<u32>();

/// What the workers share while they find rows.
pub(super) struct BlockPool<'a> {
    blocks: Blocks<'a, Vec<u32>>,
    /// The number of blocks in the stock; overflow blocks are numbered on.
    count: usize,
    overflow: Cursor,
    /// The words of the objects' places.
    places: &'a [Atomic<u32>],
    /// A block with less room than this counts as full.
    room: usize,
    budget: &'a Budget,
}

impl<'a> BlockPool<'a> {
    pub(super) fn new(stock: &'a mut [Vec<u32>], places: &'a mut [RowPlace], room: usize, budget: &'a Budget) -> Self {
        let (count, places) = (stock.len(), shared(places.as_flattened_mut()));
        BlockPool { blocks: Blocks::new(stock, 1), count, overflow: Cursor::new(), places, room, budget }
    }
}

/// A worker's end of the stock.
pub(super) struct RowSink<'a> {
    stock: &'a BlockPool<'a>,
    /// Blocks beyond the stock, which joins them after the pass.
    overflow: &'a mut Vec<(usize, Vec<u32>)>,
    /// The place in the stock of the current block.
    home: Option<&'a mut Vec<u32>>,
    number: usize,
    /// The current block. Taken out of its home so that workers do not write to neighboring headers.
    block: Vec<u32>,
    longest: usize,
}

impl<'a> RowSink<'a> {
    pub(super) fn new(stock: &'a BlockPool<'a>, overflow: &'a mut Vec<(usize, Vec<u32>)>) -> Self {
        RowSink { stock, overflow, home: None, number: 0, block: Vec::new(), longest: 0 }
    }

    /// Prefetches the memory of an object's [`RowPlace`]. Objects come in no order, so without this each write waits for a cache line, and
    /// so do all writes behind it.
    #[inline(always)]
    pub(super) fn expect_row(&self, object: u32) {
        prefetch(self.stock.places, PLACE * object as usize);
    }

    /// Adds the row of an object; `write` appends it to the vector that it is given.
    #[inline(always)]
    pub(super) fn add_row(&mut self, object: u32, write: impl FnOnce(&mut Vec<u32>)) {
        if self.block.capacity() < self.block.len() + self.stock.room {
            self.next_block();
        }
        let (begin, capacity) = (self.block.len(), self.block.capacity());
        write(&mut self.block);
        // A row that is longer than expected makes its block grow.
        if self.block.capacity() > capacity {
            self.stock.budget.charge(memory::bytes_of::<u32>(self.block.capacity() - capacity));
        }
        let length = self.block.len() - begin;
        self.longest = self.longest.max(length);
        // Relaxed: each object has one row, which is read after the join.
        let place = &self.stock.places[PLACE * object as usize..][..PLACE];
        for (word, value) in place.iter().zip([self.number, begin, length]) {
            word.store(value as u32, Ordering::Relaxed);
        }
    }

    #[cold]
    fn next_block(&mut self) {
        self.put_back();
        match self.stock.blocks.claim() {
            Some((number, home)) => {
                self.number = number;
                self.block = std::mem::take(&mut home[0]);
                self.home = home.first_mut();
            }
            None => self.number = self.stock.count + self.stock.overflow.take(1),
        }
        let size = block_size(self.stock.room);
        if self.block.capacity() < size {
            self.stock.budget.charge(memory::bytes_of::<u32>(size - self.block.capacity()));
            memory::reserve_exact(&mut self.block, size);
        }
    }

    fn put_back(&mut self) {
        let block = std::mem::take(&mut self.block);
        match self.home.take() {
            Some(home) => *home = block,
            None if block.capacity() > 0 => memory::push(self.overflow, (self.number, block)),
            None => {}
        }
    }

    /// Returns the last block to the stock, and the length of the longest row to the caller.
    pub(super) fn finish(mut self) -> usize {
        self.put_back();
        self.longest
    }
}
