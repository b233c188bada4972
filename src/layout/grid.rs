//! The grid of a step: levels, chunks and where their entries are.

use std::ops::Range;

use crate::build::count::Tally;
use crate::layout::list_tree::ListTree;
use crate::layout::{Coords, Levels, MAX_LEVELS, Shape, key_parts};
use crate::lockfree::{ChunkId, Directory, Full, Pool};
use crate::{Aabb, Scalar};

/// The most chunks there can be: the number of a cell in the pool must fit into 32 bits beside the special ones. A scene that
/// wants more gets coarser cells.
pub(crate) const MAX_CHUNKS: u32 = 1 << 24;

/// The reach of a level without chunks.
const NOWHERE: (Coords, Coords) = ([i32::MAX; 3], [i32::MIN; 3]);

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
    /// The same by level, where there are several levels.
    pub(crate) by_level: Vec<ChunkId>,
    /// Where those of each level begin; and behind the last.
    pub(crate) level_begins: [usize; MAX_LEVELS + 1],
    /// The least and the greatest occupied chunk of each level, by axis.
    pub(crate) reach: [(Coords, Coords); MAX_LEVELS],
    /// The work of detection; known after offset.
    pub(crate) items: Vec<Item>,
    /// The entries of the table that belong to no cell: those that fitted no level.
    pub(crate) listed: Range<usize>,
    /// A tree over them, where they are many.
    pub(crate) list_tree: ListTree<S, D>,
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
            by_level: Vec::new(),
            level_begins: [0; MAX_LEVELS + 1],
            reach: [NOWHERE; MAX_LEVELS],
            items: Vec::new(),
            listed: 0..0,
            list_tree: ListTree::new(),
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

    /// Calls `f` with runs of entries among which are all that belong to no cell and overlap a box.
    #[inline]
    pub(crate) fn listed_around(&self, bounds: &Aabb<S, D>, mut f: impl FnMut(Range<usize>)) {
        if self.list_tree.len() == 0 {
            f(self.listed.clone());
        } else {
            self.list_tree.for_each_run(bounds, &mut f);
        }
    }

    /// The occupied chunks of a level.
    pub(crate) fn chunks_of(&self, level: usize) -> &[ChunkId] {
        if self.levels.len() == 1 { &self.chunks } else { &self.by_level[self.level_begins[level]..self.level_begins[level + 1]] }
    }

    /// Sorts the chunks by level, if there are several. `reserve` is told how many there may be.
    pub(crate) fn sort_chunks(&mut self, reserve: impl FnOnce(&mut Vec<ChunkId>)) {
        self.reach = [NOWHERE; MAX_LEVELS];
        self.level_begins = [0; MAX_LEVELS + 1];
        self.by_level.clear();
        if self.levels.len() < 2 {
            self.reach[0] = ([i32::MIN; 3], [i32::MAX; 3]);
            return;
        }
        reserve(&mut self.by_level);
        for &id in &self.chunks {
            let (chunk, (level, coords)) = (self.pool.chunk(id), key_parts(self.pool.chunk(id).key()));
            // A chunk that lost the race for its place has no objects, and a key that may be anything.
            if chunk.rows() != 0 {
                self.level_begins[level + 1] += 1;
                let (low, high) = &mut self.reach[level];
                for axis in 0..3 {
                    low[axis] = low[axis].min(coords[axis]);
                    high[axis] = high[axis].max(coords[axis]);
                }
            }
        }
        (0..MAX_LEVELS).for_each(|level| self.level_begins[level + 1] += self.level_begins[level]);
        let mut next = self.level_begins;
        self.by_level.resize(self.level_begins[MAX_LEVELS], 0);
        for &id in &self.chunks {
            let chunk = self.pool.chunk(id);
            if chunk.rows() != 0 {
                let place = &mut next[key_parts(chunk.key()).0];
                self.by_level[*place] = id;
                *place += 1;
            }
        }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pool.bytes()
            + self.levels.bytes()
            + self.list_tree.bytes()
            + self.directory.bytes()
            + (self.chunks.capacity() + self.by_level.capacity()) * size_of::<ChunkId>()
            + self.items.capacity() * size_of::<Item>()
    }
}
