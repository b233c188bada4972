//! Lists of segments: how sort reads what gather staged.

use std::ops::Range;

use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::lockfree::{ChunkId, NO_SEGMENT, Pool};
use crate::runtime::prefetch::prefetch;

/// The number of chunks whose lists of segments are walked together before they are sorted: a list is a chain of cache misses, but several
/// chains miss at the same time.
pub(super) const LISTS: usize = 8;

/// The staged objects of a step, in segments.
#[derive(Clone, Copy)]
pub(super) struct Segments<'a, S, const D: usize> {
    pub(super) staged: &'a [StagedBlock<S, D>],
    /// The objects' indices by visiting position.
    pub(super) order: &'a [u32],
}

/// A run of objects of one chunk.
pub(super) struct Segment<'a, S, const D: usize> {
    /// The number of its block.
    pub(super) number: usize,
    pub(super) block: &'a StagedBlock<S, D>,
    /// Where it lies in the block.
    pub(super) places: Range<usize>,
    /// The objects' indices.
    pub(super) ids: &'a [u32],
}

impl<'a, S: Scalar, const D: usize> Segments<'a, S, D> {
    /// A chunk's segments.
    #[inline(always)]
    pub(super) fn of(self, first: u32) -> SegmentList<'a, S, D> {
        SegmentList { segments: self, next: first }
    }
}

/// Walks a list of segments. No closure: one that is not inlined would be compiled without the instruction set.
pub(super) struct SegmentList<'a, S, const D: usize> {
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
    pub(super) fn fetch_lists(self, pool: &Pool, ids: &[ChunkId]) {
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
