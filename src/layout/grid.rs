//! The grid of a step: levels, chunks and where their entries are.

use std::ops::Range;

use crate::Scalar;
use crate::build::count::Tally;
use crate::layout::{Coords, Levels, MAX_LEVELS, Shape};
use crate::lockfree::{ChunkId, Directory, Full, Pool};

/// The most chunks there can be: the number of a cell in the pool must fit into 32 bits beside the special ones. A scene that
/// wants more gets coarser cells.
pub(crate) const MAX_CHUNKS: u32 = 1 << 24;

/// Everything that the rebuild makes and detection reads, except the entries.
#[derive(Debug)]
pub(crate) struct Grid<S, const D: usize> {
    pub(crate) levels: Levels<S, D>,
    /// The most cells that an object of each level reaches beyond its own; known after counting.
    pub(crate) spans: [Coords; MAX_LEVELS],
    /// How many objects each level has; known after counting.
    pub(crate) objects: [usize; MAX_LEVELS],
    pub(crate) pool: Pool,
    pub(crate) directory: Directory,
    /// The occupied chunks in the order of detection; known after offset.
    pub(crate) chunks: Vec<ChunkId>,
    /// The work of detection; known after offset.
    pub(crate) items: Vec<Item>,
    /// The entries of the table that belong to no cell: those that fitted no level.
    pub(crate) listed: Range<usize>,
}

/// A piece of work for detection: entries of some consecutive chunks. A crowded chunk is cut into several items, a run of
/// nearly empty ones makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Places in [`Grid::chunks`].
    pub(crate) first_chunk: u32,
    pub(crate) end_chunk: u32,
    /// Entries.
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    pub(crate) fn new() -> Self {
        Grid {
            levels: Levels::default(),
            spans: [[0; 3]; MAX_LEVELS],
            objects: [0; MAX_LEVELS],
            pool: Pool::new(Shape::<D>::CELLS, 16, MAX_CHUNKS),
            directory: Directory::new(6).expect("half a kilobyte"),
            chunks: Vec::new(),
            items: Vec::new(),
            listed: 0..0,
        }
    }

    /// Takes the workers' tallies together. An error if one of them ran out of room.
    pub(crate) fn settle<'t>(&mut self, tallies: impl Iterator<Item = &'t Tally>) -> Result<(), Full> {
        self.spans = [[0; 3]; MAX_LEVELS];
        self.objects = [0; MAX_LEVELS];
        let mut full = None;
        for tally in tallies {
            full = full.or(tally.full);
            for level in 0..MAX_LEVELS {
                self.objects[level] += tally.objects[level];
                for axis in 0..3 {
                    self.spans[level][axis] = self.spans[level][axis].max(tally.spans[level][axis]);
                }
            }
        }
        full.map_or(Ok(()), Err)
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pool.bytes()
            + self.levels.bytes()
            + self.directory.bytes()
            + self.chunks.capacity() * size_of::<ChunkId>()
            + self.items.capacity() * size_of::<Item>()
    }
}
