//! The head of a chunk: its key, and the list of segments that workers append to it.

use super::sync::{AtomicU32, Ordering};
use crate::faults::{Fault, injected};

/// Identifies a chunk: four words, whose meaning the kit does not use.
pub(crate) type Key = [u32; 4];

/// Words of a head: one cache line, so that workers which append to different chunks do not share one.
pub(crate) const HEAD: usize = 16;

const KEY: usize = 0;
const SLOT: usize = 4;
const FIRST: usize = 5;
const TOTAL: usize = 6;
const LONGEST: usize = 7;
const RANK: usize = 8;

const NO_SLOT: u32 = u32::MAX;

/// Where a list of segments ends.
pub(crate) const NO_SEGMENT: u32 = u32::MAX;

/// Objects per block of visiting positions. A segment lies in one block.
pub(crate) const BLOCK: usize = 256;

/// A view of one chunk's head.
///
/// ```text
///  0 key (4 words) │ slot │ first segment │ total │ longest segment │ rank │ …
/// ```
///
/// A *segment* is a run of consecutive visiting positions; its first position is its name. The worker that owns the positions
/// appends it: `next[position] = first.swap(position)`. Swaps of one word are totally ordered and each returns its predecessor, so
/// every segment is linked exactly once. A segment's own fields are written by its owner and read after the join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkHead<'a> {
    words: &'a [AtomicU32; HEAD],
}

impl<'a> ChunkHead<'a> {
    pub(crate) fn new(words: &'a [AtomicU32; HEAD]) -> Self {
        ChunkHead { words }
    }

    /// Empties a head that no other thread can see yet. Relaxed: the directory's publishing exchange releases it.
    pub(crate) fn clear(&self) {
        self.words[SLOT].store(NO_SLOT, Ordering::Relaxed);
        self.words[FIRST].store(NO_SEGMENT, Ordering::Relaxed);
        self.words[TOTAL].store(0, Ordering::Relaxed);
        self.words[LONGEST].store(0, Ordering::Relaxed);
    }

    /// Names a chunk that no other thread can see yet. Relaxed: as in [`clear`](Self::clear).
    pub(crate) fn set_key(&self, key: &Key) {
        for (word, part) in self.words[KEY..].iter().zip(key) {
            word.store(*part, Ordering::Relaxed);
        }
    }

    /// The key. Relaxed: a thread that found the chunk acquired the directory's slot, and with it the key.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        std::array::from_fn(|part| self.words[KEY + part].load(Ordering::Relaxed))
    }

    /// Remembers the directory's slot, for clearing. Relaxed: read after a join only.
    pub(crate) fn set_slot(&self, slot: u32) {
        self.words[SLOT].store(slot, Ordering::Relaxed);
    }

    /// The directory's slot, if the chunk was published.
    pub(crate) fn slot(&self) -> Option<u32> {
        let slot = self.words[SLOT].load(Ordering::Relaxed);
        (slot != NO_SLOT).then_some(slot)
    }

    /// Appends a segment of `len` objects from `position` on, and returns the segment that follows it in the list, which the caller
    /// notes as `next[position]`.
    ///
    /// Relaxed: the list, the total and the longest segment are read after the join of the pass.
    #[inline]
    pub(crate) fn append(&self, position: u32, len: u32) -> u32 {
        if injected(Fault::TotalTorn) {
            let total = self.words[TOTAL].load(Ordering::Relaxed);
            self.words[TOTAL].store(total + len, Ordering::Relaxed);
        } else {
            self.words[TOTAL].fetch_add(len, Ordering::Relaxed);
        }
        // Length before block: the longest segment wins. At most `BLOCK` objects, so eight bits; a block has 24.
        let longest = ((len - 1) << 24) | (position / BLOCK as u32);
        if self.words[LONGEST].load(Ordering::Relaxed) < longest {
            if injected(Fault::LongestTorn) {
                self.words[LONGEST].store(longest, Ordering::Relaxed);
            } else {
                self.words[LONGEST].fetch_max(longest, Ordering::Relaxed);
            }
        }
        if injected(Fault::AppendTorn) {
            let next = self.words[FIRST].load(Ordering::Relaxed);
            self.words[FIRST].store(position, Ordering::Relaxed);
            return next;
        }
        self.words[FIRST].swap(position, Ordering::Relaxed)
    }

    /// The first segment, or [`NO_SEGMENT`]. After the join of the appending pass.
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        self.words[FIRST].load(Ordering::Relaxed)
    }

    /// How many objects the segments have. After the join.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        let total = self.words[TOTAL].load(Ordering::Relaxed);
        if injected(Fault::RangeShort) { total.saturating_sub(1) } else { total }
    }

    /// The block in which the chunk's longest segment lies. After the join.
    #[inline]
    pub(crate) fn longest_block(&self) -> usize {
        (self.words[LONGEST].load(Ordering::Relaxed) & 0xff_ffff) as usize
    }

    /// The chunk's place in the order of chunks; set by one thread between joins.
    pub(crate) fn set_rank(&self, rank: u32) {
        self.words[RANK].store(rank, Ordering::Relaxed);
    }

    /// The chunk's place in the order of chunks.
    #[inline]
    pub(crate) fn rank(&self) -> u32 {
        self.words[RANK].load(Ordering::Relaxed)
    }
}
