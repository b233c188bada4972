//! The pool: where chunks come from. Slabs that never move, an index that only grows within a step, everything recycled at once.

use std::fmt;
use std::ptr::NonNull;

use bumpalo::Bump;
use crossbeam::utils::CachePadded;

use super::chunk::{ChunkHead, HEAD};
use super::sync::{AtomicPtr, AtomicU32, Ordering, Tracked, tracked};
use crate::faults::{Fault, injected};

/// Names a chunk of the pool.
pub(crate) type ChunkId = u32;

/// Why there is no room. The pass must end, make room and run again. Nothing was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// The directory holds as many chunks as it may.
    Directory,
    /// The pool has no index left.
    Pool,
    /// The system has no memory for the pool to grow. Contains the number of bytes that were requested.
    Memory(usize),
    /// The pool may not have more memory. Contains the number of bytes that it would have had in all.
    Limit(usize),
}

/// Slabs per doubling: a slab adds a quarter of what there is, so at most a fifth of the pool is unused when it stops growing.
const SLABS_PER_DOUBLING: u32 = 4;

/// Hands out chunks by `fetch_add` and recycles them all at once.
///
/// Slab `s` is allocated by the first thread that needs a chunk of it, and published by one compare-and-swap; the loser of that race frees
/// its slab and uses the winner's. No thread waits. The slabs' memory comes from one bump arena each, which aligns them to cache
/// lines and frees them in one piece.
pub(crate) struct Pool {
    // Padded: the only word here that is written inside a pass, while the slab table beside it is read all the time.
    next: CachePadded<AtomicU32>,
    slabs: Box<[AtomicPtr<Slab>]>,
    first_slab: u32,
    limit: u32,
    /// The most bytes that slabs may take.
    most_bytes: usize,
}

impl Pool {
    /// A pool of at most `limit` chunks, the first slab holding `first_slab` (a power of two).
    pub(crate) fn new(first_slab: u32, limit: u32) -> Self {
        assert!(first_slab.is_power_of_two() && limit <= 1 << 30);
        let next = CachePadded::new(AtomicU32::new(0));
        let mut pool = Pool { next, slabs: Box::default(), first_slab, limit, most_bytes: usize::MAX };
        pool.slabs = (0..pool.slabs_for(limit)).map(|_| AtomicPtr::new(std::ptr::null_mut())).collect();
        pool
    }

    /// A cleared chunk that no other thread has.
    pub(crate) fn allocate(&self) -> Result<ChunkId, Full> {
        if injected(Fault::LimitCheckedThenTaken) && self.next.load(Ordering::Relaxed) >= self.limit {
            return Err(Full::Pool);
        }
        // Relaxed: the index has only to be unique. Added first and checked afterwards: two threads that checked first could both find room
        // for one chunk.
        let id = if injected(Fault::PoolClaimTorn) {
            let id = self.next.load(Ordering::Relaxed);
            self.next.store(id + 1, Ordering::Relaxed);
            id
        } else {
            self.next.fetch_add(1, Ordering::Relaxed)
        };
        if id >= self.limit && !injected(Fault::LimitCheckedThenTaken) {
            return Err(Full::Pool);
        }
        let (slab, _) = self.locate(id);
        // Relaxed: tests only whether there is a slab; `chunk` acquires it.
        if self.slabs[slab].load(Ordering::Relaxed).is_null() {
            self.grow(slab)?;
        }
        if !injected(Fault::ChunkNotCleared) {
            self.chunk(id).clear();
        }
        Ok(id)
    }

    #[cold]
    fn grow(&self, slab: usize) -> Result<(), Full> {
        let bytes = (0..=slab).map(|slab| self.slab_bytes(slab)).sum();
        if bytes > self.most_bytes {
            return Err(Full::Limit(bytes));
        }
        let mine = Slab::new(self.slab_chunks(slab) * HEAD).and_then(Slab::into_raw);
        let Some(mine) = mine else {
            // Relaxed: as in `allocate`. A thread whose allocation failed uses the slab that another one published.
            let is_there = !self.slabs[slab].load(Ordering::Relaxed).is_null();
            return if is_there { Ok(()) } else { Err(Full::Memory(self.slab_bytes(slab))) };
        };
        let null = std::ptr::null_mut();
        if injected(Fault::SlabByStore) {
            self.slabs[slab].store(mine, Ordering::Release);
            return Ok(());
        }
        let release = if injected(Fault::SlabRelaxed) { Ordering::Relaxed } else { Ordering::Release };
        // Release: pairs with the acquire load in `chunk`. Relaxed on failure: the winner's slab is not looked into here.
        if self.slabs[slab].compare_exchange(null, mine, release, Ordering::Relaxed).is_err() && !injected(Fault::SlabLeaked) {
            // SAFETY: `mine` came from `Slab::into_raw` above and lost the race, so no other thread ever saw it.
            drop(unsafe { Box::from_raw(mine) });
        }
        Ok(())
    }

    /// The chunk of an index that [`allocate`](Self::allocate) returned.
    #[inline]
    pub(crate) fn chunk(&self, id: ChunkId) -> ChunkHead<'_> {
        self.get(id).expect("the chunk was allocated")
    }

    /// The chunk of an index that was handed out, unless there was no memory for it.
    #[inline]
    pub(crate) fn get(&self, id: ChunkId) -> Option<ChunkHead<'_>> {
        let (slab, offset) = self.locate(id);
        let acquire = if injected(Fault::SlabReadRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        // Acquire: pairs with the release of the exchange in `grow`. (A plain load on x86 and one `ldar` on ARM.)
        let slab = NonNull::new(self.slabs[slab].load(acquire))?;
        // SAFETY: a non-null slab pointer comes from the winning exchange in `grow`, is initialized (acquire above), and stays valid until
        // the pool is dropped or shrunk, which take `&mut self` and so outlive no `ChunkHead<'_>`.
        let slab: &Slab = unsafe { slab.as_ref() };
        slab.words()[offset as usize * HEAD..].first_chunk().map(ChunkHead::new)
    }

    /// Limits its memory to `most` bytes, and to no less than it has.
    pub(crate) fn limit_bytes(&mut self, most: usize) {
        self.most_bytes = most;
    }

    /// Makes sure that the slabs of the first `chunks` chunks are there, if there is memory.
    pub(crate) fn reserve(&self, chunks: u32) -> Result<(), Full> {
        for slab in 0..self.slabs_for(chunks.min(self.limit)) {
            // Relaxed: tests only whether there is a slab.
            if self.slabs[slab].load(Ordering::Relaxed).is_null() {
                self.grow(slab)?;
            }
        }
        Ok(())
    }

    /// How many indices were handed out since the last [`recycle`](Self::recycle): the chunks are `0..used`. Exact after a join.
    pub(crate) fn used(&self) -> u32 {
        self.next.load(Ordering::Relaxed).min(self.limit)
    }

    /// Takes all chunks back and keeps their memory.
    pub(crate) fn recycle(&mut self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// Frees the slabs beyond the chunks in use.
    pub(crate) fn shrink(&mut self) {
        for slab in &self.slabs[self.slabs_for(self.used())..] {
            let pointer = slab.load(Ordering::Relaxed);
            slab.store(std::ptr::null_mut(), Ordering::Relaxed);
            if !pointer.is_null() {
                // SAFETY: the pointer comes from `Slab::into_raw` in `grow`, was just taken out of the only place that holds it,
                // and `&mut self` excludes chunks that still point into it.
                drop(unsafe { Box::from_raw(pointer) });
            }
        }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let held = |slab: &usize| !self.slabs[*slab].load(Ordering::Relaxed).is_null();
        (0..self.slabs.len()).filter(held).map(|slab| self.slab_bytes(slab)).sum()
    }

    /// How many slabs hold the first `chunks` chunks.
    fn slabs_for(&self, chunks: u32) -> usize {
        chunks.checked_sub(1).map_or(0, |last| self.locate(last).0 + 1)
    }

    /// Slab and place within it. Slab sizes run `f, f, f, f, 2f, 2f, 2f, 2f, 4f, …`: with the first doubling's `4f` added, the leading bit
    /// of the index gives the doubling, and the two bits behind it give the slab.
    #[inline(always)]
    fn locate(&self, id: ChunkId) -> (usize, u32) {
        let shifted = id + SLABS_PER_DOUBLING * self.first_slab;
        let doubling = shifted.ilog2() - (SLABS_PER_DOUBLING * self.first_slab).ilog2();
        let size_bits = self.first_slab.ilog2() + doubling;
        let slab = SLABS_PER_DOUBLING * doubling + ((shifted >> size_bits) & (SLABS_PER_DOUBLING - 1));
        (slab as usize, shifted & ((1 << size_bits) - 1))
    }

    fn slab_bytes(&self, slab: usize) -> usize {
        self.slab_chunks(slab) * HEAD * size_of::<AtomicU32>()
    }

    fn slab_chunks(&self, slab: usize) -> usize {
        (self.first_slab as usize) << (slab / SLABS_PER_DOUBLING as usize)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.recycle();
        self.shrink();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("used", &self.used()).field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Cache-line aligned, as Zhyhallo (2.2) recommends for the table of a chunk.
#[repr(align(64))]
struct Line(#[allow(dead_code)] [AtomicU32; 16]); // read through the slab's pointer

/// A run of words in an arena of their own.
struct Slab {
    words: NonNull<[AtomicU32]>,
    /// Owns what `words` points to.
    _arena: Tracked<Bump>,
}

impl Slab {
    /// A slab of zeros, if there is memory for it.
    fn new(words: usize) -> Option<Self> {
        let lines = words.div_ceil(16);
        let arena = Bump::try_with_capacity(lines * size_of::<Line>()).ok()?;
        let lines = arena.try_alloc_slice_fill_with(lines, |_| Line(std::array::from_fn(|_| AtomicU32::new(0)))).ok()?;
        let first = NonNull::from(&mut *lines).cast::<AtomicU32>();
        Some(Slab { words: NonNull::slice_from_raw_parts(first, lines.len() * 16), _arena: tracked(arena) })
    }

    /// `Box::into_raw` of a box that may be refused. A boxed slice of one slab is laid out like a boxed slab.
    fn into_raw(self) -> Option<*mut Slab> {
        let mut one = Vec::new();
        one.try_reserve_exact(1).ok()?;
        one.push(self);
        Some(Box::into_raw(one.into_boxed_slice()).cast())
    }

    #[inline(always)]
    fn words(&self) -> &[AtomicU32] {
        // SAFETY: `words` points to initialized lines, each an array of 16 words, in the arena that this slab owns; an arena's memory does
        // not move or change hands until the slab is dropped, and the words are only ever lent shared.
        unsafe { self.words.as_ref() }
    }
}

// SAFETY: the arena is not touched after `new`, and the words are atomics: sharing a slab shares nothing else.
unsafe impl Sync for Slab {}
// SAFETY: the slab owns the arena that its pointer points into; they move together.
unsafe impl Send for Slab {}
