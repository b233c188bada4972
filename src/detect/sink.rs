//! Where a worker puts its pairs: blocks of fixed size, taken from a common stock as they fill up.
//!
//! One growing buffer per worker would be simpler, but how the pairs fall to the workers differs from step to step, so each
//! buffer would sooner or later need room for nearly all of them. Blocks need room for all pairs once, plus one block per worker,
//! and a steady scene allocates nothing however the work is shared out.

use crate::Pair;
use crate::detect::kernel::LANES;
use crate::lockfree::Blocks;

/// Pairs per block: 32 KiB.
pub(crate) const BLOCK: usize = 4096;

/// Whether a pair is wanted, asked of the user's objects.
pub(crate) trait Filter: Fn(Pair) -> bool {}
impl<F: Fn(Pair) -> bool> Filter for F {}

/// A worker's end of the stock.
#[derive(Debug)]
pub(crate) struct Sink<'a, F> {
    stock: &'a Blocks<'a, Vec<Pair>>,
    /// Blocks beyond the stock, which joins them after the pass.
    beyond: &'a mut Vec<Vec<Pair>>,
    /// Where the block at hand belongs.
    home: Option<&'a mut Vec<Pair>>,
    /// The block at hand. Taken out of its home so that workers do not write to neighbouring headers.
    block: Vec<Pair>,
    /// Pairs before this one have passed the filter.
    filtered: usize,
    filter: F,
}

impl<'a, F: Filter> Sink<'a, F> {
    pub(crate) fn new(stock: &'a Blocks<'a, Vec<Pair>>, beyond: &'a mut Vec<Vec<Pair>>, filter: F) -> Self {
        Sink { stock, beyond, home: None, block: Vec::new(), filtered: 0, filter }
    }

    /// The block at hand, with room for at least as many pairs as a kernel finds at once.
    #[inline(always)]
    pub(crate) fn room(&mut self) -> &mut Vec<Pair> {
        if self.block.capacity() - self.block.len() < LANES {
            self.make_room();
        }
        &mut self.block
    }

    #[cold]
    fn make_room(&mut self) {
        self.settle();
        if self.block.capacity() >= BLOCK && BLOCK - self.block.len() >= LANES {
            return; // the filter left room
        }
        self.put_back();
        self.home = self.stock.claim_one();
        if let Some(home) = &mut self.home {
            self.block = std::mem::take(home);
        }
        self.block.reserve_exact(BLOCK);
    }

    /// Applies the filter to what was found since the last time. Without a filter the search below is optimised away.
    #[inline]
    pub(crate) fn settle(&mut self) {
        let fresh = &self.block[self.filtered..];
        if let Some(refused) = fresh.iter().position(|&pair| !(self.filter)(pair)) {
            let mut kept = self.filtered + refused;
            for at in kept + 1..self.block.len() {
                let pair = self.block[at];
                if (self.filter)(pair) {
                    self.block[kept] = pair;
                    kept += 1;
                }
            }
            self.block.truncate(kept);
        }
        self.filtered = self.block.len();
    }

    fn put_back(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.filtered = 0;
        match self.home.take() {
            Some(home) => *home = block,
            None if block.capacity() > 0 => self.beyond.push(block),
            None => {}
        }
    }

    /// Hands the last block back.
    pub(crate) fn finish(mut self) {
        self.settle();
        self.put_back();
    }
}
