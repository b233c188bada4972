//! The grid of a step: levels, chunks and where their entries are.

use std::ops::Range;

use super::list_tree::ListTree;
use super::{Chunk, Coords, Levels, MAX_LEVELS, chunk_key, key_parts};
use crate::lockfree::{ChunkId, Directory, Pool};
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// The most chunks there can be. A scene that needs more gets coarser cells.
pub(crate) const MAX_CHUNKS: u32 = 1 << 24;

/// The reach of a level without chunks.
const EMPTY_REACH: (Coords, Coords) = ([i32::MAX; 3], [i32::MIN; 3]);

/// Everything that the rebuild makes and detection reads, except the entries.
#[derive(Debug)]
pub(crate) struct Grid<S, const D: usize> {
    pub(crate) levels: Levels<S, D>,
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
    /// The box around the entries of each chunk, by rank; none where a single level has objects.
    pub(crate) boxes: Vec<Aabb<S, D>>,
    /// The ranks of the chunks by level, and where those of each level begin.
    by_level: Vec<u32>,
    level_begins: [usize; MAX_LEVELS + 1],
    /// The least and the greatest occupied chunk of each level, by axis.
    pub(crate) reach: [(Coords, Coords); MAX_LEVELS],
    /// The heads of the lists of oversized and of rejected objects.
    pub(crate) specials: [Option<ChunkId>; 2],
    pub(crate) tails: TailOffsets,
    /// The work of detection; known after sorting.
    pub(crate) items: Vec<Item>,
    /// The entries of those that fitted no level.
    pub(crate) oversized: Range<usize>,
    /// A tree over them, where they are many.
    pub(crate) list_tree: ListTree<S, D>,
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
    /// The most entries of an item: few enough that a worker's lists stay in the first-level cache.
    pub(crate) const MOST_ENTRIES: usize = 1 << 10;
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    pub(crate) fn new() -> Self {
        Grid {
            levels: Levels::default(),
            spans: [[0; 3]; MAX_LEVELS],
            objects: [0; MAX_LEVELS],
            level_chunks: [0; MAX_LEVELS],
            pool: Pool::new(64, MAX_CHUNKS),
            directory: Directory::new(6).expect("half a kilobyte"),
            sequence: Vec::new(),
            begins: Vec::new(),
            tables: Vec::new(),
            by_level: Vec::new(),
            level_begins: [0; MAX_LEVELS + 1],
            reach: [EMPTY_REACH; MAX_LEVELS],
            specials: [None; 2],
            tails: TailOffsets::default(),
            items: Vec::new(),
            oversized: 0..0,
            boxes: Vec::new(),
            list_tree: ListTree::new(),
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
        self.chunks().get(self.rank_of(level, coords)?)
    }

    /// The rank of the chunk at a place of a level, if it has objects.
    #[inline]
    pub(crate) fn rank_of(&self, level: usize, coords: Coords) -> Option<usize> {
        let (_, head) = self.directory.find(&self.pool, &chunk_key(level, coords))?;
        Some(head.rank() as usize).filter(|&rank| rank < self.sequence.len())
    }

    /// Whether some entry of a chunk may overlap a box, as far as the box around its entries shows.
    #[inline]
    pub(crate) fn may_overlap(&self, rank: usize, bounds: &Aabb<S, D>) -> bool {
        self.boxes.get(rank).is_none_or(|around| around.overlaps(bounds))
    }

    /// Calls `f` with runs of entries among which are all oversized ones that overlap a box. Returns how many eights of a tree's nodes it
    /// looked at.
    #[inline]
    pub(crate) fn oversized_around(&self, bounds: &Aabb<S, D>, mut f: impl FnMut(Range<usize>)) -> u64 {
        if self.list_tree.len() == 0 {
            f(self.oversized.clone());
            0
        } else {
            self.list_tree.for_each_run(bounds, &mut f)
        }
    }

    /// The occupied chunks of a level.
    #[inline]
    pub(crate) fn chunks_of(&self, level: usize) -> impl ExactSizeIterator<Item = &Chunk> + Clone {
        self.ranks_of(level).iter().map(|&rank| &self.tables[rank as usize])
    }

    /// The ranks of a level's chunks.
    #[inline]
    pub(crate) fn ranks_of(&self, level: usize) -> &[u32] {
        &self.by_level[self.level_begins[level]..self.level_begins[level + 1]]
    }

    /// Sorts the arranged chunks by level, and notes how far each level reaches.
    pub(crate) fn sort_by_level(&mut self) {
        self.reach = [EMPTY_REACH; MAX_LEVELS];
        self.level_begins = [0; MAX_LEVELS + 1];
        for level in 0..MAX_LEVELS {
            self.level_begins[level + 1] = self.level_begins[level] + self.level_chunks[level];
        }
        let mut next = self.level_begins;
        self.by_level.clear();
        memory::reserve_with_slack(&mut self.by_level, self.sequence.len());
        self.by_level.resize(self.sequence.len(), 0);
        for (rank, &id) in self.sequence.iter().enumerate() {
            let (level, coords) = key_parts(self.pool.chunk(id).key());
            self.by_level[next[level]] = rank as u32;
            next[level] += 1;
            let (low, high) = &mut self.reach[level];
            for axis in 0..3 {
                low[axis] = low[axis].min(coords[axis]);
                high[axis] = high[axis].max(coords[axis]);
            }
        }
    }

    /// Forgets all chunks.
    pub(crate) fn forget(&mut self) {
        self.level_begins = [0; MAX_LEVELS + 1];
        self.list_tree.clear();
        self.boxes.clear();
        self.sequence.clear();
        self.items.clear();
        (self.oversized, self.rejected, self.specials) = (0..0, 0..0, [None; 2]);
    }

    /// Gives back unused memory.
    pub(crate) fn shrink(&mut self) {
        self.forget();
        (self.sequence, self.begins, self.tables) = (Vec::new(), Vec::new(), Vec::new());
        (self.by_level, self.items, self.boxes) = (Vec::new(), Vec::new(), Vec::new());
        self.list_tree = ListTree::new();
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pool.bytes()
            + self.directory.bytes()
            + self.tables.capacity() * size_of::<Chunk>()
            + self.boxes.capacity() * size_of::<Aabb<S, D>>()
            + self.levels.bytes()
            + self.list_tree.bytes()
            + (self.sequence.capacity() + self.begins.capacity() + self.by_level.capacity()) * size_of::<u32>()
            + self.items.capacity() * size_of::<Item>()
    }
}
