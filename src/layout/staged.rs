//! Objects on their way from the user's memory to the data table: boxes in visiting order, cut into segments.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::runtime::prefetch::{prefetch, prefetch_all, prefetch_write};
use crate::{Aabb, Scalar};

pub(crate) use crate::lockfree::BLOCK;

/// A block of consecutive visiting positions: the objects' boxes, and where they belong.
///
/// Boxes are records here and columns in the table: a record is copied by two vector instructions, and the kernel that locates
/// sixteen of them turns them into columns in registers.
///
/// A worker fills a block alone. A *segment* is a run of the block's objects that live in one chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct StagedBlock<S, const D: usize> {
    pub(crate) boxes: [Aabb<S, D>; BLOCK],
    /// The cell of each object within its chunk.
    pub(crate) cells: [u8; BLOCK],
    /// A bit for the first object of each segment.
    pub(crate) starts: [u64; BLOCK / 64],
    /// For each segment of the block, from the first to the last, the chunk's next segment. Most blocks have few segments, so these share
    /// a cache line with the bits.
    pub(crate) next: [u32; BLOCK],
    /// Up to a whole number of cache lines: a block has no padding, so every part of it can be read.
    rest: [u64; 4],
}

const _: () =
    assert!(BLOCK.is_multiple_of(64) && BLOCK.is_multiple_of(crate::isa::WIDTH), "whole words of bits, whole vectors of boxes");
const _: () = assert!(std::mem::offset_of!(StagedBlock<f32, 3>, starts).is_multiple_of(64), "a hop in a list takes one line");
const _: () = assert!(StagedBlock::<f32, 2>::IS_FULL && StagedBlock::<f32, 3>::IS_FULL);
const _: () = assert!(StagedBlock::<f64, 2>::IS_FULL && StagedBlock::<f64, 3>::IS_FULL);

impl<S, const D: usize> StagedBlock<S, D> {
    /// Whether a block's fields fill it, without padding.
    const IS_FULL: bool = BLOCK * (size_of::<Aabb<S, D>>() + 5) + 64 == size_of::<Self>();
}

// SAFETY: numbers and arrays of numbers, for all of which zeros are valid.
#[allow(unsafe_code)]
unsafe impl<S: Scalar, const D: usize> Zeroable for StagedBlock<S, D> {}

impl<S: Scalar, const D: usize> StagedBlock<S, D> {
    /// The box at a place of the block.
    #[inline(always)]
    pub(crate) fn bounds(&self, at: usize) -> Aabb<S, D> {
        self.boxes[at % BLOCK]
    }

    #[inline(always)]
    pub(crate) fn set_bounds(&mut self, at: usize, bounds: &Aabb<S, D>) {
        self.boxes[at % BLOCK] = *bounds;
    }

    /// Prefetches the boxes of a segment.
    #[inline(always)]
    pub(crate) fn prefetch(&self, segment: &Range<usize>) {
        prefetch_all(&self.boxes[segment.clone()]);
    }

    /// Prefetches the memory of some boxes, to write it.
    #[inline(always)]
    pub(crate) fn prefetch_write(&self, places: Range<usize>) {
        for at in places.step_by(Self::PER_LINE) {
            prefetch_write(&self.boxes, at);
        }
    }

    /// Boxes that begin in the same cache line, at least.
    const PER_LINE: usize = 64 / size_of::<Aabb<S, D>>();

    /// The chunk's segment after the one that begins at a place.
    #[inline(always)]
    pub(crate) fn next(&self, at: usize) -> u32 {
        let at = at % BLOCK;
        let mut before = 0;
        for word in 0..BLOCK / 64 {
            let below = at.saturating_sub(64 * word).min(64) as u32;
            before += (self.starts[word] & 1u64.unbounded_shl(below).wrapping_sub(1)).count_ones();
        }
        self.next[before as usize % BLOCK]
    }

    /// Prefetches the links of the segments.
    #[inline(always)]
    pub(crate) fn prefetch_links(&self) {
        prefetch(&self.starts, 0);
    }

    /// The segment that begins at a place, in a block of `len` objects.
    #[inline(always)]
    pub(crate) fn segment(&self, at: usize, len: usize) -> Range<usize> {
        let mut word = (at + 1) / 64;
        let mut bits = match self.starts.get(word) {
            Some(bits) => bits & u64::MAX << ((at + 1) % 64),
            None => return at..len,
        };
        while bits == 0 {
            word += 1;
            match self.starts.get(word) {
                Some(more) => bits = *more,
                None => return at..len,
            }
        }
        at..(64 * word + bits.trailing_zeros() as usize).min(len)
    }
}

/// Copied boxes by visiting position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedBoxes<'a, S, const D: usize> {
    /// By object.
    pub(crate) boxes: &'a [Aabb<S, D>],
    pub(crate) order: &'a [u32],
}

impl<S: Scalar, const D: usize> BoxList<S, D> for OrderedBoxes<'_, S, D> {
    fn len(&self) -> usize {
        self.order.len()
    }

    #[inline(always)]
    fn get(&self, position: usize) -> Option<Aabb<S, D>> {
        BoxList::get(self.boxes, self.order[position] as usize)
    }

    fn in_memory_order<'b>(&'b self) -> impl Iterator<Item = &'b Aabb<S, D>>
    where
        S: 'b,
    {
        self.boxes.in_memory_order()
    }
}

/// The staged boxes by visiting position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedBoxes<'a, S, const D: usize> {
    blocks: &'a [StagedBlock<S, D>],
    len: usize,
}

/// Boxes by number, some of which may be missing.
pub(crate) trait BoxList<S, const D: usize> {
    /// How many numbers there are.
    fn len(&self) -> usize;

    /// The box of a number below [`len`](Self::len), unless it is invalid or its object is gone.
    fn get(&self, number: usize) -> Option<Aabb<S, D>>;

    /// All boxes in the order in which they lie in memory.
    fn in_memory_order<'b>(&'b self) -> impl Iterator<Item = &'b Aabb<S, D>>
    where
        S: 'b;
}

impl<S: Scalar, const D: usize> BoxList<S, D> for [Aabb<S, D>] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    #[inline(always)]
    fn get(&self, number: usize) -> Option<Aabb<S, D>> {
        Some(self[number]).filter(Aabb::is_valid)
    }

    fn in_memory_order<'b>(&'b self) -> impl Iterator<Item = &'b Aabb<S, D>>
    where
        S: 'b,
    {
        self.iter().filter(|bounds| bounds.is_valid())
    }
}

impl<'a, S: Scalar, const D: usize> StagedBoxes<'a, S, D> {
    /// The first `len` positions of some blocks.
    pub(crate) fn new(blocks: &'a [StagedBlock<S, D>], len: usize) -> Self {
        assert!(len <= blocks.len() * BLOCK);
        StagedBoxes { blocks, len }
    }

    /// The boxes of a block.
    #[inline(always)]
    pub(crate) fn of_block(&self, number: usize) -> &'a [Aabb<S, D>] {
        &self.blocks[number].boxes[..BLOCK.min(self.len - number * BLOCK)]
    }
}

impl<S: Scalar, const D: usize> BoxList<S, D> for StagedBoxes<'_, S, D> {
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn get(&self, position: usize) -> Option<Aabb<S, D>> {
        let bounds = self.blocks[position / BLOCK].bounds(position % BLOCK);
        (position < self.len && bounds.is_valid()).then_some(bounds)
    }

    fn in_memory_order<'b>(&'b self) -> impl Iterator<Item = &'b Aabb<S, D>>
    where
        S: 'b,
    {
        (0..self.len.div_ceil(BLOCK)).flat_map(|number| self.of_block(number).in_memory_order())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The boxes in blocks.
    pub(crate) fn stage<S: Scalar, const D: usize>(boxes: &[Aabb<S, D>]) -> Vec<StagedBlock<S, D>> {
        let mut blocks = vec![StagedBlock::zeroed(); boxes.len().div_ceil(BLOCK)];
        for (position, bounds) in boxes.iter().enumerate() {
            blocks[position / BLOCK].set_bounds(position % BLOCK, bounds);
        }
        blocks
    }

    #[test]
    fn segments_end_where_the_next_begins() {
        let mut block = StagedBlock::<f32, 2>::zeroed();
        let starts = [0, 1, 5, 63, 64, 65, 127, 200, 255];
        starts.iter().for_each(|start| block.starts[start / 64] |= 1 << (start % 64));
        for two in starts.windows(2) {
            assert_eq!(block.segment(two[0], BLOCK), two[0]..two[1]);
        }
        assert_eq!(block.segment(255, BLOCK), 255..256);
        assert_eq!(block.segment(127, 150), 127..150, "in a block that is not full");
        block.next = std::array::from_fn(|number| number as u32);
        for (number, start) in starts.into_iter().enumerate() {
            assert_eq!(block.next(start), number as u32);
        }
    }
}
