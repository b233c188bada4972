//! How queries look chunks up.

use crate::Scalar;
use crate::layout::grid::Grid;
use crate::layout::{Chunk, Coords};

/// Looks chunks of a grid up.
pub(crate) trait FindChunk<'a> {
    /// The chunk at a place of a level, if it has objects. Always asked about the same grid.
    fn find<S: Scalar, const D: usize>(&mut self, grid: &'a Grid<S, D>, level: usize, coords: Coords) -> Option<&'a Chunk>;
}

/// In the directory: for a single query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InDirectory;

impl<'a> FindChunk<'a> for InDirectory {
    #[inline(always)]
    fn find<S: Scalar, const D: usize>(&mut self, grid: &'a Grid<S, D>, level: usize, coords: Coords) -> Option<&'a Chunk> {
        grid.find(level, coords)
    }
}

/// Along each axis, a power of two: how many chunks with different coordinates are kept.
const BITS: u32 = 2;

/// Among the latest ones: for a batch, whose queries mostly look for the same chunks as those before them.
#[derive(Clone, Debug)]
pub(crate) struct Latest<'a> {
    chunks: [(usize, Coords, Option<&'a Chunk>); 1 << (3 * BITS)],
}

impl Latest<'_> {
    pub(super) fn new() -> Self {
        Latest { chunks: [(usize::MAX, [0; 3], None); 1 << (3 * BITS)] }
    }
}

impl<'a> FindChunk<'a> for Latest<'a> {
    #[inline(always)]
    fn find<S: Scalar, const D: usize>(&mut self, grid: &'a Grid<S, D>, level: usize, coords: Coords) -> Option<&'a Chunk> {
        let part = |axis: usize| (coords[axis] as usize & ((1 << BITS) - 1)) << (axis as u32 * BITS);
        // Levels begin elsewhere, so that the chunks around a place stay apart.
        let place = (part(0) | part(1) | part(2)).wrapping_add(level * 21) % self.chunks.len();
        let known = &mut self.chunks[place];
        if (known.0, known.1) != (level, coords) {
            *known = (level, coords, grid.find(level, coords));
        }
        known.2
    }
}
