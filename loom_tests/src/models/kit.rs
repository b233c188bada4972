//! What the models set up before their threads start.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::lockfree::{Directory, Key, Pool, hash};

/// Cells of a chunk, in all models.
pub(super) const CELLS: usize = 2;

pub(super) const A: Key = [1, 0, 0, 0];
pub(super) const B: Key = [2, 0, 0, 0];
pub(super) const C: Key = [3, 0, 0, 0];

/// A directory and the pool of its chunks.
pub(super) struct Kit {
    pub(super) directory: Directory,
    pub(super) pool: Pool,
}

impl Kit {
    /// As it is in the beginning: no slab exists yet.
    pub(super) fn new(bits: u32, first_slab: u32, chunks: u32) -> Self {
        Kit { directory: Directory::new(bits).unwrap(), pool: Pool::new(CELLS, first_slab, chunks) }
    }

    /// As it is in the middle of its life: the pool's one slab is there, and every chunk carries the key and the counters of the
    /// step before.
    pub(super) fn used(bits: u32, chunks: u32, old_key: &Key) -> Self {
        let mut pool = Pool::new(CELLS, chunks.next_power_of_two(), chunks);
        for _ in 0..chunks {
            let id = pool.allocate().unwrap();
            pool.chunk(id).set_key(old_key);
            pool.chunk(id).count(0, 7);
        }
        pool.recycle();
        Kit { directory: Directory::new(bits).unwrap(), pool }
    }
}

/// Two keys that begin at the same slot of a directory of `2^bits` slots and agree in the half of the hash that the slot holds,
/// so that only a look into the chunk tells them apart.
pub(super) fn twins(bits: u32) -> [Key; 2] {
    // Twins of a larger directory are twins of a smaller one as well.
    const MOST: u32 = 4;
    static FOUND: OnceLock<[Key; 2]> = OnceLock::new();
    assert!(bits <= MOST);
    *FOUND.get_or_init(|| {
        let mut seen = HashMap::new();
        let looks = |key: &Key| (hash(key) >> (64 - MOST), hash(key) as u32);
        (0..).map(|part| [part, 0, 0, 0]).find_map(|key| Some([seen.insert(looks(&key), key)?, key])).unwrap()
    })
}
