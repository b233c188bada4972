//! Filling the room behind a vector's elements by many workers at once.

use std::mem::MaybeUninit;

use super::shared::Blocks;
use super::sync::{AtomicUsize, Ordering};
use crate::faults::{Fault, injected};

/// Room for some elements, handed out in blocks, each to one worker only.
pub(crate) struct Room<'a, T> {
    blocks: Blocks<'a, MaybeUninit<T>>,
    filled: AtomicUsize,
}

impl<T: Copy> Room<'_, T> {
    /// Claims and fills blocks until none is left. `value` is called with the numbers of the new elements, from 0.
    pub(crate) fn fill(&self, value: impl Fn(usize) -> T) {
        while let Some((first, block)) = self.blocks.claim() {
            for (number, slot) in (first..).zip(block.iter_mut()) {
                slot.write(value(number));
            }
            if injected(Fault::FilledTorn) {
                let filled = self.filled.load(Ordering::Relaxed);
                self.filled.store(filled + block.len(), Ordering::Relaxed);
                continue;
            }
            // Relaxed: read after the join.
            self.filled.fetch_add(block.len(), Ordering::Relaxed);
        }
    }
}

/// Appends `count` elements, for which the vector must already have room. `workers` runs workers that [fill](Room::fill) it, and waits for
/// them.
pub(crate) fn append<T: Copy, R>(vector: &mut Vec<T>, count: usize, block: usize, workers: impl FnOnce(&Room<'_, T>) -> R) -> R {
    let len = vector.len();
    let blocks = Blocks::new(&mut vector.spare_capacity_mut()[..count], block);
    let room = Room { blocks, filled: AtomicUsize::new(0) };
    let outcome = workers(&room);
    assert_eq!(room.filled.load(Ordering::Relaxed), count, "not all elements were filled");
    // SAFETY: there is capacity for `len + count` elements, since `spare_capacity_mut` had `count`. A worker counts a block after it has
    // written all its elements, and blocks are claimed once; so all `count` elements are written. `workers` has waited for the workers.
    unsafe { vector.set_len(len + count) };
    outcome
}
