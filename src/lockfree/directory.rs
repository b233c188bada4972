//! The directory: from key to chunk. An insert-only open-addressing hash table.

use std::ops::Range;

use super::chunk::{ChunkHead, Key};
use super::pool::{ChunkId, Full, Pool};
use super::sync::{AtomicU64, Ordering};
use crate::faults::{Fault, injected};

const EMPTY: u64 = 0;

/// A chunk that its owner took from the pool and then did not need, because another thread published the same key first.
#[derive(Debug, Default)]
pub(crate) struct Spare(Option<ChunkId>);

/// Maps keys to chunks. A slot holds the chunk's index and half of the key's hash; the key itself is in the chunk.
///
/// **Protocol.** An inserter takes a chunk, writes the key into it, and publishes it with *one* exchange of the empty slot. Until then no
/// other thread sees the chunk; from then on all see it complete. A loser keeps its chunk as a [`Spare`] and looks at what the winner
/// published. No slot is ever half written, so no thread ever waits for another, even if that one is suspended or panics.
#[derive(Debug)]
pub(crate) struct Directory {
    slots: Box<[AtomicU64]>,
    bits: u32,
}

impl Directory {
    /// A directory of `2^bits` slots, if there is memory for it.
    pub(crate) fn new(bits: u32) -> Option<Self> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(1 << bits).ok()?;
        slots.extend((0..1usize << bits).map(|_| AtomicU64::new(EMPTY)));
        Some(Directory { slots: slots.into_boxed_slice(), bits })
    }

    /// The bytes of a directory of `2^bits` slots.
    pub(crate) fn bytes_for(bits: u32) -> usize {
        size_of::<AtomicU64>() << bits
    }

    /// The least number of bits with room for `chunks` chunks.
    pub(crate) fn bits_for(chunks: usize) -> u32 {
        let slots = (chunks + 1).saturating_mul(2).next_power_of_two();
        slots.ilog2().max(1)
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// How many chunk indices it admits: half its slots, so that probes are short and always end at an empty slot.
    pub(crate) fn room(&self) -> u32 {
        (self.slots.len() / 2) as u32
    }

    /// The chunk of a key, if it has one.
    #[inline]
    pub(crate) fn find<'p>(&self, pool: &'p Pool, key: &Key) -> Option<(ChunkId, ChunkHead<'p>)> {
        let hash = hash(key);
        let mut at = self.home(hash);
        let acquire = if injected(Fault::LookUpRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        loop {
            // Acquire: pairs with the release of the exchange in `publish`; the key is in the chunk.
            let seen = self.slots[at].load(acquire);
            if seen == EMPTY {
                return None;
            }
            if let Some(found) = matching(pool, seen, hash, key) {
                return Some(found);
            }
            at = self.after(at);
        }
    }

    /// The chunk of a key, made if there is none.
    pub(crate) fn find_or_insert<'p>(
        &self,
        pool: &'p Pool,
        key: &Key,
        spare: &mut Spare,
    ) -> Result<(ChunkId, ChunkHead<'p>), Full> {
        let hash = hash(key);
        let mut at = self.home(hash);
        let acquire = if injected(Fault::FindRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        loop {
            // Acquire: pairs with the release of the exchange in `publish`; the key is in the chunk.
            let mut seen = self.slots[at].load(acquire);
            if seen == EMPTY {
                let (id, chunk) = self.prepare(pool, key, spare)?;
                match self.publish(at, pack(hash, id)) {
                    Ok(()) => {
                        if injected(Fault::KeyAfterPublish) {
                            chunk.set_key(key);
                        }
                        if !injected(Fault::SlotForgotten) {
                            chunk.set_slot(at as u32);
                        }
                        return Ok((id, chunk));
                    }
                    Err(winner) => {
                        if !injected(Fault::LoserForgetsSpare) {
                            spare.0 = Some(id);
                        }
                        seen = winner;
                    }
                }
                if injected(Fault::LoserMovesOn) {
                    at = self.after(at);
                    continue;
                }
            }
            if let Some(found) = matching(pool, seen, hash, key) {
                return Ok(found);
            }
            at = self.after(at);
        }
    }

    /// A chunk with the key in it that no other thread can see.
    fn prepare<'p>(&self, pool: &'p Pool, key: &Key, spare: &mut Spare) -> Result<(ChunkId, ChunkHead<'p>), Full> {
        if injected(Fault::FillCheckedThenTaken) && spare.0.is_none() && pool.used() >= self.room() {
            return Err(Full::Directory);
        }
        let kept = if injected(Fault::SpareUsedTwice) { spare.0 } else { spare.0.take() };
        let id = match kept {
            Some(id) => id,
            None => pool.allocate()?,
        };
        // The index itself says how full the directory can be, so there is no counter to race for.
        if id >= self.room() && !injected(Fault::FillCheckedThenTaken) {
            return Err(Full::Directory);
        }
        let chunk = pool.chunk(id);
        if !injected(Fault::KeyAfterPublish) {
            chunk.set_key(key);
        }
        Ok((id, chunk))
    }

    /// Puts a chunk into an empty slot, or returns what is there instead.
    fn publish(&self, at: usize, packed: u64) -> Result<(), u64> {
        if injected(Fault::PublishByStore) {
            self.slots[at].store(packed, Ordering::Release);
            return Ok(());
        }
        let release = if injected(Fault::PublishRelaxed) { Ordering::Relaxed } else { Ordering::Release };
        let acquire = if injected(Fault::LoserRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        // Release: pairs with the acquire loads of the slot in `find` and `find_or_insert`, and with the acquire below.
        // Acquire on failure: the winner's chunk is looked into next.
        self.slots[at].compare_exchange(EMPTY, packed, release, acquire).map(drop)
    }

    /// Empties the slots of some of the pool's chunks; all of them together empty the directory. May run in parallel over
    /// disjoint ranges, but not beside insertion. Relaxed: ordered by the joins before and after.
    pub(crate) fn clear(&self, pool: &Pool, chunks: Range<usize>) {
        for id in chunks {
            if let Some(slot) = pool.get(id as ChunkId).and_then(|chunk| chunk.slot()) {
                self.slots[slot as usize].store(EMPTY, Ordering::Relaxed);
            }
        }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }
}

/// The chunk in a slot, if it has the key. The stored half of the hash spares nearly every look into a wrong chunk.
#[inline]
fn matching<'p>(pool: &'p Pool, seen: u64, hash: u64, key: &Key) -> Option<(ChunkId, ChunkHead<'p>)> {
    if (seen ^ pack(hash, 0)) >> 32 != 0 {
        return None;
    }
    let id = seen as u32 - 1;
    let chunk = pool.chunk(id);
    (chunk.key() == *key || injected(Fault::KeyUnchecked)).then_some((id, chunk))
}

/// Index plus one in the low half, so that no chunk looks [`EMPTY`]; the low half of the hash in the high half (the slot's position already
/// gives the high bits of the hash).
#[inline(always)]
fn pack(hash: u64, id: ChunkId) -> u64 {
    hash << 32 | u64::from(id + 1)
}

/// Mixes all bits of the key into all bits of the hash (a folded multiplication). A weaker hash, which kept the wrong bits, once put all
/// chunks of a line into one probe chain.
#[inline(always)]
pub(crate) fn hash(key: &Key) -> u64 {
    let low = u64::from(key[0]) | u64::from(key[1]) << 32;
    let high = u64::from(key[2]) | u64::from(key[3]) << 32;
    let folded = fold(low ^ 0x9e37_79b9_7f4a_7c15, high ^ 0xd1b5_4a32_d192_ed03);
    fold(folded, 0xa076_1d64_78bd_642f)
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Chunks along a line, in a plane or in a cube are spread over as many home slots as random keys would be.
    #[test]
    fn neighbors_have_homes_of_their_own() {
        let directory = Directory::new(11).expect("memory");
        let steps = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [16, 0, 4], [0, 1 << 12, 0]];
        let line = |step: [u32; 3]| (0..1024u32).map(move |i| step.map(|step| (step * i).wrapping_sub(77))).collect::<Vec<_>>();
        let plane = (0..1024).map(|i| [i % 32, i / 32, 5]).collect();
        let cube = (0..1000).map(|i| [i % 10, i / 10 % 10, i / 100]).collect();
        for coords in steps.into_iter().map(line).chain([plane, cube]) {
            let homes = coords.iter().map(|&[x, y, z]| directory.home(hash(&[3, x, y, z])));
            let homes = homes.collect::<std::collections::BTreeSet<_>>().len();
            assert!(homes > 720, "{homes} homes for {} chunks: {:?}…", coords.len(), &coords[..3]);
        }
    }

    #[test]
    fn there_is_room_for_what_it_is_made_for() {
        for chunks in (0..200).chain([1023, 1024, 1025]) {
            let directory = Directory::new(Directory::bits_for(chunks)).expect("memory");
            let room = directory.room() as usize;
            assert_eq!(directory.bytes(), Directory::bytes_for(Directory::bits_for(chunks)));
            assert!(room > chunks && room <= 2 * chunks + 2, "room for {room}, made for {chunks}");
        }
    }
}
