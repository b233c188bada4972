//! The grid of a step: levels, chunks and where their entries are.

use std::ops::Range;

use super::{Chunk, Coords, Level, MAX_LEVELS, chunk_key};
use crate::Scalar;
use crate::kernel::locate::OVERSIZED;
use crate::lockfree::{ChunkId, Directory, Pool};

/// The most chunks there can be. A scene that wants more gets coarser cells.
pub(crate) const MAX_CHUNKS: u32 = 1 << 24;

/// Everything that the rebuild makes and detection reads, except the entries.
#[derive(Debug)]
pub(crate) struct Grid<S, const D: usize> {
    /// From fine to coarse.
    pub(crate) levels: Vec<Level<S, D>>,
    /// The most cells that an object of each level reaches beyond its own; known after gathering.
    pub(crate) spans: [Coords; MAX_LEVELS],
    /// How many objects and chunks each level has; known after arranging.
    pub(crate) objects: [usize; MAX_LEVELS],
    pub(crate) level_chunks: [usize; MAX_LEVELS],
    /// The chunks' heads, and how to find them.
    pub(crate) pool: Pool,
    pub(crate) directory: Directory,
    /// The heads of the occupied chunks in the order of their entries; known after arranging.
    pub(crate) sequence: Vec<ChunkId>,
    /// Where the entries of each of them begin, and where the last ones end.
    pub(crate) begins: Vec<u32>,
    /// Room for the chunks; those of `sequence` are written by sorting.
    pub(crate) tables: Vec<Chunk>,
    /// The heads of the lists of oversized and of rejected objects.
    pub(crate) specials: [Option<ChunkId>; 2],
    pub(crate) tails: TailOffsets,
    /// The work of detection; known after sorting.
    pub(crate) items: Vec<Item>,
    /// The entries of those that fitted no level.
    pub(crate) oversized: Range<usize>,
    /// The entries of those whose boxes are invalid.
    pub(crate) rejected: Range<usize>,
}

/// Where the entries begin that belong to no cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TailOffsets {
    pub(crate) oversized: usize,
    pub(crate) rejected: usize,
}

/// A piece of work for detection: entries of some consecutive chunks. A crowded chunk is cut into several items, a run of
/// nearly empty ones makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Places among the chunks.
    pub(crate) first_chunk: u32,
    pub(crate) end_chunk: u32,
    /// Entries.
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

impl Item {
    /// The most entries of an item: what fits into half a word of a reach list, with some to spare.
    pub(crate) const MOST_ENTRIES: usize = 1 << 12;
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    pub(crate) fn new() -> Self {
        Grid {
            levels: Vec::new(),
            spans: [[0; 3]; MAX_LEVELS],
            objects: [0; MAX_LEVELS],
            level_chunks: [0; MAX_LEVELS],
            pool: Pool::new(64, MAX_CHUNKS),
            directory: Directory::new(6).expect("half a kilobyte"),
            sequence: Vec::new(),
            begins: Vec::new(),
            tables: Vec::new(),
            specials: [None; 2],
            tails: TailOffsets::default(),
            items: Vec::new(),
            oversized: 0..0,
            rejected: 0..0,
        }
    }

    /// The occupied chunks in the order of their entries.
    #[inline(always)]
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.tables[..self.sequence.len()]
    }

    /// The chunk at a place of a level, if it has objects.
    #[inline]
    pub(crate) fn find(&self, level: usize, coords: Coords) -> Option<&Chunk> {
        let (_, head) = self.directory.find(&self.pool, &chunk_key(level, coords))?;
        self.chunks().get(head.rank() as usize)
    }

    /// How many objects fitted no level. After gathering.
    pub(crate) fn oversized_objects(&self) -> usize {
        let key = [0, 0, 0, OVERSIZED as u32];
        self.directory.find(&self.pool, &key).map_or(0, |(_, head)| head.total() as usize)
    }

    /// Forgets all chunks.
    pub(crate) fn forget(&mut self) {
        self.sequence.clear();
        self.items.clear();
        (self.oversized, self.rejected, self.specials) = (0..0, 0..0, [None; 2]);
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pool.bytes()
            + self.directory.bytes()
            + self.tables.capacity() * size_of::<Chunk>()
            + (self.sequence.capacity() + self.begins.capacity()) * size_of::<u32>()
            + self.items.capacity() * size_of::<Item>()
    }
}
