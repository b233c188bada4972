//! The blocks of fixed size that a worker writes its pairs to, taken from a common stock as they fill up.
//!
//! One growing buffer per worker would be simpler. But the share of each worker differs from step to step, so each buffer would eventually
//! grow to hold nearly all pairs. Blocks need room for all pairs once, plus one block per worker, and a steady scene allocates nothing
//! however the work is divided.

use std::ops::ControlFlow;

use crate::Pair;
use crate::faults::{Fault, injected};
use crate::isa::WIDTH;
use crate::kernel::hits::PairRoom;
use crate::lockfree::Blocks;
use crate::runtime::memory::{self, Budget};
use crate::runtime::team::Team;

/// Pairs per block: 32 KiB.
pub(crate) const BLOCK: usize = 4096;

/// The most blocks that a number of pairs takes, however they are divided among the workers.
pub(crate) fn blocks_for(pairs: usize, workers: usize) -> usize {
    // A kernel leaves a block when it might not have room for all lanes.
    pairs.div_ceil(BLOCK - (WIDTH - 1)) + workers
}

/// Ends the step if there was no room for some pairs.
pub(crate) fn refuse_missed(pairs: usize, workers: usize, budget: &Budget) {
    if pairs > 0 {
        budget.refuse(blocks_for(pairs, workers) * (BLOCK * size_of::<Pair>() + size_of::<Vec<Pair>>()));
    }
}

/// A consumer of a worker's pairs.
pub(crate) trait Consumer {
    /// Looks at the pairs of a block from `fresh` on, which were found since the last time, and leaves those that are to be stored.
    /// Breaks when it needs no more.
    fn consume(&mut self, block: &mut Vec<Pair>, fresh: usize) -> ControlFlow<()>;
}

/// Stores the pairs that a filter lets pass.
#[derive(Debug)]
pub(crate) struct StorePairs<F> {
    pub(crate) filter: F,
}

impl<F: Fn(Pair) -> bool> Consumer for StorePairs<F> {
    /// Without a filter the search is optimized away.
    #[inline]
    fn consume(&mut self, block: &mut Vec<Pair>, fresh: usize) -> ControlFlow<()> {
        if let Some(refused) = block[fresh..].iter().position(|&pair| !(self.filter)(pair)) {
            let mut kept = fresh + refused;
            for at in kept + 1..block.len() {
                let pair = block[at];
                if (self.filter)(pair) {
                    block[kept] = pair;
                    kept += 1;
                }
            }
            block.truncate(kept);
        }
        ControlFlow::Continue(())
    }
}

/// A worker's end of the stock.
#[derive(Debug)]
pub(crate) struct Sink<'a, C> {
    stock: &'a Blocks<'a, Vec<Pair>>,
    /// Blocks beyond the stock, which joins them after the pass.
    overflow: &'a mut Vec<Vec<Pair>>,
    /// The place in the stock of the current block.
    home: Option<&'a mut Vec<Pair>>,
    /// The current block. Taken out of its home so that workers do not write to neighboring headers.
    block: Vec<Pair>,
    /// Pairs before this one have been consumed.
    consumed: usize,
    consumer: C,
    enough: bool,
    budget: &'a Budget,
    /// Pairs for which there was no room.
    missed: usize,
}

impl<'a, C: Consumer> Sink<'a, C> {
    pub(crate) fn new(
        stock: &'a Blocks<'a, Vec<Pair>>,
        overflow: &'a mut Vec<Vec<Pair>>,
        budget: &'a Budget,
        consumer: C,
    ) -> Self {
        Sink { stock, overflow, home: None, block: Vec::new(), consumed: 0, consumer, enough: false, budget, missed: 0 }
    }

    #[cold]
    fn make_room(&mut self) {
        self.settle();
        if self.block.capacity() - self.block.len() >= WIDTH {
            return; // the consumer has left room
        }
        let next = self.stock.claim_one();
        let has_room = next.as_ref().is_some_and(|block| block.capacity() >= BLOCK);
        if !has_room && !self.budget.affords(BLOCK * size_of::<Pair>()) {
            return self.do_without();
        }
        self.put_back();
        self.home = next;
        if let Some(home) = &mut self.home {
            self.block = std::mem::take(home);
        }
        memory::reserve_exact(&mut self.block, BLOCK);
    }

    /// There is no memory for another block, so the step will end with an error, which states how much memory it needs. So the remaining
    /// pairs are still found and counted, in the current block.
    #[cold]
    fn do_without(&mut self) {
        self.missed += self.block.len();
        self.block.clear();
        self.consumed = 0;
        memory::reserve(&mut self.block, 64 * WIDTH);
    }

    /// Shows the consumer the pairs that were found since the last time.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.enough {
            self.block.truncate(self.consumed);
        } else {
            self.enough = self.consumer.consume(&mut self.block, self.consumed).is_break();
        }
        self.consumed = self.block.len();
    }

    /// Whether the consumer needs no more.
    #[inline]
    pub(crate) fn has_enough(&self) -> bool {
        self.enough
    }

    fn put_back(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        if injected(Fault::BlockLost) && block.len() > BLOCK - WIDTH {
            block.clear();
        }
        self.consumed = 0;
        match self.home.take() {
            Some(home) => *home = block,
            None if block.capacity() > 0 => memory::push(self.overflow, block),
            None => {}
        }
    }

    /// Returns the last block to the stock, and the number of pairs for which there was no room.
    pub(crate) fn finish(mut self) -> (C, usize) {
        self.settle();
        self.put_back();
        (self.consumer, self.missed)
    }
}

impl<C: Consumer> PairRoom for Sink<'_, C> {
    #[inline(always)]
    fn room(&mut self) -> &mut Vec<Pair> {
        if self.block.capacity() - self.block.len() < WIDTH {
            self.make_room();
        }
        &mut self.block
    }
}

/// Evens out a stock of blocks of pairs after a step: as many as the same number of pairs can take, however they are divided among the
/// workers. Returns how many pairs there are.
pub(crate) fn stock_up(stock: &mut Vec<Vec<Pair>>, team: Team, budget: &Budget) -> usize {
    let found: usize = stock.iter().map(Vec::len).sum();
    let blocks = blocks_for(found, team.workers());
    if stock.len() < blocks && budget.stock_up_with_slack(stock, blocks) {
        stock.resize_with(blocks, Vec::new);
    }
    // A block that was taken may have no room either, if no memory was left.
    for block in stock {
        if !budget.stock_up(block, BLOCK) {
            break;
        }
    }
    found
}
