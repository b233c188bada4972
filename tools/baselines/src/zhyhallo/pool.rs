//! The memory pool that chunks come from.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::dense::Pivot;

/// Chunks that are allocated together.
const SLAB: usize = 16;
/// Pivots in a cache line of 64 bytes.
const LINE: usize = 8;

/// A cache line of pivots: section 2.2 aligns the tables to them.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([Pivot; LINE]);

/// What a chunk has besides its pivots.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Where in the directory it is.
    pub(super) place: AtomicU32,
    pub(super) objects: AtomicU32,
    pub(super) start: AtomicU32,
}

/// A block of cells with its pivots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    pub(super) head: &'a Head,
    lines: &'a [Line],
}

impl<'a> Chunk<'a> {
    #[inline]
    pub(super) fn pivot(self, index: usize) -> &'a Pivot {
        &self.lines[index / LINE].0[index % LINE]
    }

    /// All pivots, row by row.
    pub(super) fn pivots(self) -> impl Iterator<Item = &'a Pivot> {
        self.lines.iter().flat_map(|line| &line.0)
    }
}

#[derive(Debug)]
struct Slab {
    heads: [Head; SLAB],
    lines: Box<[Line]>,
}

/// Chunks by number. Those of a step are handed out from 0 on; giving all back is forgetting how many they were, and none is ever
/// freed. A slab is allocated when the first of its chunks is handed out, by the thread that happens to need it.
#[derive(Debug)]
pub(super) struct Pool {
    lines_per_chunk: usize,
    slabs: Vec<OnceLock<Slab>>,
    taken: AtomicU32,
}

impl Pool {
    /// Chunks with `pivots` pivots each, a multiple of a cache line's.
    pub(super) fn new(pivots: usize) -> Self {
        assert!(pivots.is_multiple_of(LINE), "a chunk of {pivots} pivots does not fill its cache lines");
        Pool { lines_per_chunk: pivots / LINE, slabs: Vec::new(), taken: AtomicU32::new(0) }
    }

    /// Reserves room, but no memory, for the chunks of a step.
    pub(super) fn reserve(&mut self, chunks: usize) {
        let slabs = chunks.div_ceil(SLAB);
        if self.slabs.len() < slabs {
            self.slabs.resize_with(slabs, OnceLock::new);
        }
    }

    /// Takes a chunk.
    pub(super) fn allocate(&self) -> u32 {
        let chunk = self.taken.fetch_add(1, Relaxed);
        self.slabs[chunk as usize / SLAB].get_or_init(|| Slab {
            heads: Default::default(),
            lines: std::iter::repeat_with(Line::default).take(SLAB * self.lines_per_chunk).collect(),
        });
        chunk
    }

    /// How many chunks are taken: numbers below are theirs.
    pub(super) fn taken(&self) -> u32 {
        self.taken.load(Relaxed)
    }

    /// Takes all chunks back.
    pub(super) fn give_back(&mut self) {
        *self.taken.get_mut() = 0;
    }

    /// A chunk that was taken.
    #[inline]
    pub(super) fn chunk(&self, chunk: u32) -> Chunk<'_> {
        let slab = self.slabs[chunk as usize / SLAB].get().expect("a chunk that is taken has memory");
        let index = chunk as usize % SLAB;
        Chunk { head: &slab.heads[index], lines: &slab.lines[index * self.lines_per_chunk..][..self.lines_per_chunk] }
    }

    pub(super) fn bytes(&self) -> usize {
        let slab = SLAB * self.lines_per_chunk * size_of::<Line>();
        self.slabs.capacity() * size_of::<OnceLock<Slab>>()
            + self.slabs.iter().filter(|place| place.get().is_some()).count() * slab
    }
}
