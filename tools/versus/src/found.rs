//! Where rivals keep their pairs, and how their searches are shared out among threads.

use std::ops::Range;

use pivotgrid::Pair;
use rayon::prelude::*;

use crate::Answer;

/// Blocks per thread: enough that a crowded one does not hold up the rest.
const BLOCKS: usize = 16;

/// Buffers of pairs, kept between steps: one, or with several threads one per block of objects.
#[derive(Debug)]
pub(crate) struct Found {
    buffers: Vec<Vec<Pair>>,
}

impl Found {
    pub(crate) fn new(threads: usize) -> Self {
        let blocks = if threads == 1 { 1 } else { threads * BLOCKS };
        Found { buffers: vec![Vec::new(); blocks] }
    }

    /// Replaces the pairs by those that `search` finds in all parts of `0..n`.
    pub(crate) fn fill(&mut self, n: usize, search: impl Fn(Range<usize>, &mut Vec<Pair>) + Sync) -> Answer<'_> {
        let blocks = self.buffers.len();
        let work = |(block, buffer): (usize, &mut Vec<Pair>)| {
            buffer.clear();
            search(block * n / blocks..(block + 1) * n / blocks, buffer);
        };
        if blocks == 1 {
            work((0, &mut self.buffers[0]));
        } else {
            self.buffers.par_iter_mut().enumerate().with_max_len(1).for_each(work);
        }
        self.answer()
    }

    /// Replaces the pairs by those that `search`, which cannot be shared out, finds.
    pub(crate) fn fill_alone(&mut self, search: impl FnOnce(&mut Vec<Pair>)) -> Answer<'_> {
        self.buffers.iter_mut().for_each(Vec::clear);
        search(&mut self.buffers[0]);
        self.answer()
    }

    fn answer(&self) -> Answer<'_> {
        Answer { slices: self.buffers.iter().map(Vec::as_slice).collect() }
    }
}
