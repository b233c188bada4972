//! Objects on their way from the user's memory to the data table: boxes in visiting order, cut into segments.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::runtime::prefetch::{prefetch, prefetch_write};
use crate::{Aabb, Scalar};

pub(crate) use crate::lockfree::BLOCK;

/// A block of consecutive visiting positions: the objects' boxes, a column per bound, and where they belong.
///
/// A worker fills a block alone. A *segment* is a run of the block's objects that live in one chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct StagedBlock<S, const D: usize> {
    pub(crate) min: [[S; BLOCK]; D],
    pub(crate) max: [[S; BLOCK]; D],
    /// For the first object of a segment, the chunk's next segment.
    pub(crate) next: [u32; BLOCK],
    /// The cell of each object within its chunk.
    pub(crate) cells: [u8; BLOCK],
    /// A bit for the first object of each segment.
    pub(crate) starts: [u64; BLOCK / 64],
}

// SAFETY: numbers and arrays of numbers, for all of which zeros are valid.
#[allow(unsafe_code)]
unsafe impl<S: Scalar, const D: usize> Zeroable for StagedBlock<S, D> {}

impl<S: Scalar, const D: usize> StagedBlock<S, D> {
    /// The box at a place of the block.
    #[inline(always)]
    pub(crate) fn bounds(&self, at: usize) -> Aabb<S, D> {
        Aabb {
            min: std::array::from_fn(|axis| self.min[axis][at % BLOCK]),
            max: std::array::from_fn(|axis| self.max[axis][at % BLOCK]),
        }
    }

    #[inline(always)]
    pub(crate) fn set_bounds(&mut self, at: usize, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            self.min[axis][at % BLOCK] = bounds.min[axis];
            self.max[axis][at % BLOCK] = bounds.max[axis];
        }
    }

    /// Asks for the boxes of a segment.
    #[inline(always)]
    pub(crate) fn prefetch(&self, segment: &Range<usize>) {
        let line = 64 / size_of::<S>();
        for at in segment.clone().step_by(line) {
            self.min.iter().chain(&self.max).for_each(|column| prefetch(column, at));
        }
    }

    /// Asks for the memory of the sixteen boxes around a place, to write it.
    #[inline(always)]
    pub(crate) fn prefetch_write(&self, at: usize) {
        self.min.iter().chain(&self.max).for_each(|column| prefetch_write(column, at));
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
}

impl<S: Scalar, const D: usize> BoxList<S, D> for [Aabb<S, D>] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    #[inline(always)]
    fn get(&self, number: usize) -> Option<Aabb<S, D>> {
        Some(self[number])
    }
}

impl<'a, S: Scalar, const D: usize> StagedBoxes<'a, S, D> {
    /// The first `len` positions of some blocks.
    pub(crate) fn new(blocks: &'a [StagedBlock<S, D>], len: usize) -> Self {
        assert!(len <= blocks.len() * BLOCK);
        StagedBoxes { blocks, len }
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
    }
}
