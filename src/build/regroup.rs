//! Regroup: brings the objects of a block that live in one chunk together.
//!
//! Blocks follow the order of the last step. After a new plan, in a first call and after a shuffle that order does not follow the chunks:
//! a row of cells is cut by the borders of chunks, and a block has many short segments. Each of these costs an append now and a chain of
//! cache misses in sort. But a block's objects are near each other, so all of them live in a few chunks. Within the block, which is in the
//! first-level cache, they are cheap to move.

use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::kernel::locate::Located;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::lockfree::Key;
use crate::lockfree::sync::{Atomic, Ordering};

/// A block with fewer segments than this stays as it is.
const MANY: usize = BLOCK / 16;
/// A block with objects of more chunks than this stays as it is.
const MOST_GROUPS: usize = BLOCK / 4;
/// So does one that would keep more than this part of its segments.
const WORTHWHILE: usize = 2;
/// Slots for groups, by the hash of their chunk's key.
const SLOTS: usize = 2 * MOST_GROUPS;

/// Objects of a block that live in one chunk.
#[derive(Clone, Copy, Debug)]
struct Group {
    key: Key,
    /// How many there are; later, where the next one goes.
    place: u16,
}

/// A segment as gather found it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    group: u8,
    /// Where it ends in the block.
    end: u16,
}

/// A worker's memory for regrouping.
#[derive(Debug)]
pub(super) struct Regrouper {
    groups: [Group; MOST_GROUPS],
    /// One more than the number of the group, or 0.
    slots: [u8; SLOTS],
    pieces: [Piece; BLOCK],
}

const _: () = assert!(MOST_GROUPS < 256 && BLOCK <= 1 << 16, "groups are numbered by bytes, and places by words");

impl Regrouper {
    pub(super) const NEW: Self = Regrouper {
        groups: [Group { key: [0; 4], place: 0 }; MOST_GROUPS],
        slots: [0; SLOTS],
        pieces: [Piece { group: 0, end: 0 }; BLOCK],
    };

    /// Moves the objects of a block, and their indices, so that each chunk has one segment, if that makes far fewer segments.
    pub(super) fn regroup<S: Scalar, const D: usize>(
        &mut self,
        block: &mut StagedBlock<S, D>,
        located: &mut Located,
        ids: &[Atomic<u32>],
    ) {
        let segments = block.starts.iter().map(|starts| starts.count_ones() as usize).sum::<usize>();
        if segments < MANY {
            return;
        }
        if let Some((groups, pieces)) = self.divide(block, located, ids.len())
            && WORTHWHILE * groups <= pieces
        {
            self.rearrange(groups, pieces, block, located, ids);
        }
    }

    /// Finds the group of each segment, and how many objects each group has. Returns how many groups and segments there are, unless the
    /// groups are too many.
    fn divide<S: Scalar, const D: usize>(
        &mut self,
        block: &StagedBlock<S, D>,
        located: &Located,
        len: usize,
    ) -> Option<(usize, usize)> {
        self.slots = [0; SLOTS];
        let (mut groups, mut pieces, mut at) = (0, 0, 0);
        while at < len {
            let (segment, key) = (block.segment(at, len), located.key(at));
            let mut slot = slot_of(&key);
            let group = loop {
                match usize::from(self.slots[slot]) {
                    0 if groups == MOST_GROUPS => return None,
                    0 => {
                        self.groups[groups] = Group { key, place: 0 };
                        groups += 1;
                        self.slots[slot] = groups as u8;
                        break groups - 1;
                    }
                    group if self.groups[group - 1].key == key => break group - 1,
                    _ => slot = (slot + 1) % SLOTS,
                }
            };
            self.groups[group].place += segment.len() as u16;
            self.pieces[pieces] = Piece { group: group as u8, end: segment.end as u16 };
            pieces += 1;
            at = segment.end;
        }
        Some((groups, pieces))
    }

    fn rearrange<S: Scalar, const D: usize>(
        &mut self,
        groups: usize,
        pieces: usize,
        block: &mut StagedBlock<S, D>,
        located: &mut Located,
        ids: &[Atomic<u32>],
    ) {
        let (boxes, cells, mut old_ids) = (block.boxes, block.cells, [0; BLOCK]);
        // Relaxed, here and below: only this worker writes the block's indices. Others read them to prefetch what they name, at most.
        old_ids.iter_mut().zip(ids).for_each(|(old, id)| *old = id.load(Ordering::Relaxed));
        block.starts = [0; BLOCK / 64];
        let mut begin = 0;
        for group in &mut self.groups[..groups] {
            block.starts[usize::from(begin) / 64] |= 1 << (begin % 64);
            located.set_key(usize::from(begin), &group.key);
            begin += std::mem::replace(&mut group.place, begin);
        }
        let mut begin = 0;
        for piece in &self.pieces[..pieces] {
            let from = begin..usize::from(piece.end);
            begin = from.end;
            let place = &mut self.groups[usize::from(piece.group)].place;
            let to = usize::from(*place)..usize::from(*place) + from.len();
            *place = to.end as u16;
            block.boxes[to.clone()].copy_from_slice(&boxes[from.clone()]);
            block.cells[to.clone()].copy_from_slice(&cells[from.clone()]);
            if injected(Fault::RegroupedIdsStay) {
                continue;
            }
            for (id, old) in ids[to].iter().zip(&old_ids[from]) {
                id.store(*old, Ordering::Relaxed);
            }
        }
    }
}

/// Where the search for the group of a chunk begins.
#[inline(always)]
fn slot_of(key: &Key) -> usize {
    // Odd numbers without a pattern, so that neighboring chunks get different slots.
    const MIX: [u32; 4] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f];
    let mixed = key.iter().zip(MIX).fold(0u32, |mixed, (part, by)| mixed.wrapping_add(part.wrapping_mul(by)));
    (mixed >> 16) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use crate::lockfree::shared;

    /// A block in which the object at each place lives in the chunk that `chunk` names, cut into segments.
    fn block(len: usize, chunk: impl Fn(usize) -> u32) -> (StagedBlock<f32, 2>, Located, Vec<u32>) {
        let (mut block, mut located) = (StagedBlock::zeroed(), Located::new());
        for at in 0..len {
            located.set_key(at, &[chunk(at), 0, 0, 0]);
            block.boxes[at].min = [at as f32; 2];
            block.cells[at] = at as u8;
            block.starts[at / 64] |= u64::from(at == 0 || chunk(at) != chunk(at - 1)) << (at % 64);
        }
        (block, located, (0..len as u32).map(|at| 1000 + at).collect())
    }

    fn segments(block: &StagedBlock<f32, 2>, len: usize) -> Vec<std::ops::Range<usize>> {
        let next = |segment: &std::ops::Range<usize>| (segment.end < len).then(|| block.segment(segment.end, len));
        std::iter::successors(Some(block.segment(0, len)), next).collect()
    }

    #[test]
    fn each_chunk_gets_one_segment_with_its_objects_in_order() {
        for len in [BLOCK, BLOCK - 7] {
            let chunk = |at: usize| (at * 7 % 5) as u32;
            let (mut block, mut located, mut ids) = block(len, chunk);
            let mut regrouper = Regrouper::NEW;
            regrouper.regroup(&mut block, &mut located, shared(&mut ids));
            let segments = segments(&block, len);
            assert_eq!(segments.len(), 5);
            for segment in segments {
                let key = located.key(segment.start);
                let places = ids[segment.clone()].iter().map(|id| *id as usize - 1000);
                assert!(places.clone().is_sorted() && places.clone().all(|place| chunk(place) == key[0]));
                for (at, place) in segment.zip(places) {
                    assert_eq!((block.boxes[at].min, block.cells[at]), ([place as f32; 2], place as u8));
                }
            }
            ids.sort_unstable();
            assert!(ids.iter().enumerate().all(|(at, id)| *id as usize == 1000 + at));
        }
    }

    #[test]
    fn what_would_not_gain_stays() {
        let chunks: [fn(usize) -> u32; 3] = [|at| at as u32, |at| at as u32 / 20, |at| at as u32 / 2];
        for chunk in chunks {
            let (mut block, mut located, mut ids) = block(BLOCK, chunk);
            let before = segments(&block, BLOCK);
            let mut regrouper = Regrouper::NEW;
            regrouper.regroup(&mut block, &mut located, shared(&mut ids));
            assert_eq!(segments(&block, BLOCK), before);
            assert!(ids.is_sorted());
        }
    }
}
