//! What the models set up before their threads start.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::lockfree::{Directory, Full, Key, NO_SEGMENT, Pool, Spare, hash};

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
        Kit { directory: Directory::new(bits).unwrap(), pool: Pool::new(first_slab, chunks) }
    }

    /// As it is in the middle of its life: the pool's one slab is there, and every chunk carries the key and a segment of
    /// the step before.
    pub(super) fn used(bits: u32, chunks: u32, old_key: &Key) -> Self {
        let mut pool = Pool::new(chunks.next_power_of_two(), chunks);
        for _ in 0..chunks {
            let id = pool.allocate().unwrap();
            pool.chunk(id).set_key(old_key);
            pool.chunk(id).append(7, 7);
        }
        pool.recycle();
        Kit { directory: Directory::new(bits).unwrap(), pool }
    }

    /// What a gathering worker does: finds the chunk of each segment and appends it. The segments follow each other from `position`
    /// on. Returns each segment's position, and the segment that follows it in its chunk's list.
    pub(super) fn append_all(&self, segments: &[Segment], mut position: u32) -> Result<Vec<Link>, Full> {
        let mut spare = Spare::default();
        let append = |(key, len): &Segment| {
            let (id, _) = self.directory.find_or_insert(&self.pool, key, &mut spare)?;
            let link = (position, self.pool.chunk(id).append(position, *len));
            position += len;
            Ok(link)
        };
        segments.iter().map(append).collect()
    }

    /// The segments of a key's chunk, by position. Panics if there is no such chunk.
    pub(super) fn segments(&self, key: &Key, links: &[Link]) -> Vec<u32> {
        let (_, head) = self.directory.find(&self.pool, key).expect("a key was lost");
        walk(head.first(), links)
    }
}

/// Consecutive objects of one chunk: its key, and how many.
pub(super) type Segment = (Key, u32);

/// A segment's position, and the segment that follows it.
pub(super) type Link = (u32, u32);

/// Walks a list of segments, and returns their positions in order. Panics if the list does not end.
pub(super) fn walk(first: u32, links: &[Link]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut next = first;
    while next != NO_SEGMENT {
        assert!(found.len() < links.len(), "not linked exactly once: the list does not end");
        found.push(next);
        next = links.iter().find(|(position, _)| *position == next).map_or(NO_SEGMENT, |(_, next)| *next);
    }
    found.sort();
    found
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
