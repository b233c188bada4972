//! Slots: they lead from a handle to the place of its object.

use super::scatter::scatter;
use super::{Handle, StaleHandle};
use crate::lockfree::append;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// The most slots: moving and static objects, numbered separately, are then few enough for a tracker.
pub(super) const MAX_SLOTS: usize = 1 << 30;
/// Handles that a worker processes at a time.
const BLOCK: usize = 1024;
/// The generation of a retired slot: all its generations have been given out. No object has it.
pub(super) const RETIRED: u32 = u32::MAX;

/// Among the moving or the static objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectPlace {
    Moving(u32),
    Static(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The generation of its object, or of its next one.
    generation: u32,
    pub(super) place: Option<ObjectPlace>,
    /// The user data of the previous object.
    last_data: u64,
}

impl Slot {
    /// The data to keep for the object before that of this handle, if there was one.
    fn older(&self, handle: Handle) -> Option<(Handle, u64)> {
        Some((Handle { generation: handle.generation.checked_sub(1)?, ..handle }, self.last_data))
    }

    fn vacate(&mut self, data: u64) {
        *self = Slot { generation: self.generation + 1, place: None, last_data: data };
    }
}

/// From handles to places.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The user data of objects before those, if they were removed since the step before the last one.
    older: Vec<(Handle, u64)>,
    /// How many entries `older` had at the last step.
    older_of_last_step: usize,
    /// Slots without an object, the next one to be used last. The retired ones are not among them.
    free: Vec<u32>,
}

impl Slots {
    /// The handle of the next object.
    pub(super) fn next(&self) -> Handle {
        match self.free.last() {
            Some(&index) => Handle { index, generation: self.slots[index as usize].generation },
            None => {
                assert!(self.slots.len() < MAX_SLOTS, "a world holds at most {MAX_SLOTS} objects; split the scene");
                Handle { index: self.slots.len() as u32, generation: 0 }
            }
        }
    }

    /// Makes room for some more objects, and for their later removal. Ends the change if memory is refused.
    pub(super) fn reserve(&mut self, more: usize) {
        memory::reserve(&mut self.slots, more);
        let with_objects = self.slots.len() + more - self.free.len();
        memory::reserve(&mut self.free, with_objects);
        memory::reserve(&mut self.older, with_objects);
    }

    /// Whether no slot is left.
    pub(super) fn are_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= MAX_SLOTS
    }

    /// Gives the [next](Self::next) handle out, for which there is [room](Self::reserve).
    pub(super) fn take(&mut self, place: ObjectPlace) {
        let place = Some(place);
        match self.free.pop() {
            Some(index) => self.slots[index as usize].place = place,
            None => {
                self.slots.push(Slot { generation: 0, place, last_data: 0 });
            }
        }
    }

    /// How many more objects there are slots for.
    pub(super) fn left(&self) -> usize {
        self.free.len() + MAX_SLOTS.saturating_sub(self.slots.len())
    }

    /// The handle that would be given out after `others` others.
    pub(super) fn next_after(&self, others: usize) -> Handle {
        match self.free.len().checked_sub(others + 1) {
            Some(at) => Handle { index: self.free[at], generation: self.slots[self.free[at] as usize].generation },
            None => Handle { index: (self.slots.len() + others - self.free.len()) as u32, generation: 0 },
        }
    }

    /// Gives out the next `handles` handles, for which there is [room](Self::reserve). Their slots have no places yet.
    pub(super) fn take_all(&mut self, handles: usize) {
        let new = handles.saturating_sub(self.free.len());
        self.free.truncate(self.free.len().saturating_sub(handles));
        self.slots.resize(self.slots.len() + new, Slot { generation: 0, place: None, last_data: 0 });
    }

    /// All slots, by the indices of handles.
    pub(super) fn all_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Whether the slot of an object can be reused after the object.
    pub(super) fn is_reusable(handle: Handle) -> bool {
        handle.generation + 1 != RETIRED
    }

    /// Where the object is.
    #[inline]
    pub(super) fn place(&self, handle: Handle) -> Result<ObjectPlace, StaleHandle> {
        let slot = self.slots.get(handle.index as usize).filter(|slot| slot.generation == handle.generation);
        slot.and_then(|slot| slot.place).ok_or(StaleHandle { handle })
    }

    /// Records that an existing object has moved to another place.
    pub(super) fn set_place(&mut self, handle: Handle, place: ObjectPlace) {
        self.slots[handle.index as usize].place = Some(place);
    }

    /// Releases the handle of an object, and keeps its user data for a while. Its slot is reused unless that was its last generation.
    pub(super) fn release(&mut self, handle: Handle, data: u64) {
        let slot = &mut self.slots[handle.index as usize];
        if let Some(older) = slot.older(handle).filter(|_| self.older.len() < self.older.capacity()) {
            self.older.push(older);
        }
        slot.vacate(data);
        if Self::is_reusable(handle) {
            self.free.push(handle.index);
        }
    }

    /// [Releases](Self::release) the handles of many existing objects, all different and [reusable](Self::is_reusable). `data` is called
    /// with their numbers.
    pub(super) fn release_all(&mut self, handles: &[Handle], team: Team, data: impl Fn(usize) -> u64 + Sync) {
        let Slots { slots, older, free, .. } = self;
        let room = older.capacity() - older.len();
        let older_of = |handle: Handle| slots[handle.index as usize].older(handle);
        if handles.len() <= room && handles.iter().all(|handle| handle.generation > 0) {
            append(older, handles.len(), BLOCK, |older| {
                team.run(|| older.fill(|number| older_of(handles[number]).unwrap_or((handles[number], 0))));
            });
        } else {
            older.extend(handles.iter().filter_map(|&handle| older_of(handle)).take(room));
        }
        scatter(handles, |handle| handle.index, slots, team, |number, slot| slot.vacate(data(number)));
        free.extend(handles.iter().map(|handle| handle.index));
    }

    /// A copy with the room that removing objects needs.
    pub(super) fn copy(&self) -> Self {
        let mut copy = self.clone();
        copy.free.reserve_exact(self.slots.len() - self.free.len());
        copy.older.reserve_exact(self.slots.len() - self.free.len());
        copy
    }

    /// The user data of an object that was removed, if it is still known.
    pub(super) fn data_of_removed(&self, handle: Handle) -> Option<u64> {
        let slot = self.slots.get(handle.index as usize)?;
        match slot.generation.checked_sub(handle.generation)? {
            0 => None,
            1 => Some(slot.last_data),
            _ => self.older.iter().rev().find(|(older, _)| *older == handle).map(|(_, data)| *data),
        }
    }

    /// Forgets the user data of objects that no event can contain any more.
    pub(super) fn note_step(&mut self) {
        self.older.drain(..self.older_of_last_step);
        self.older_of_last_step = self.older.len();
    }

    /// Gives back unused memory.
    pub(super) fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
        self.free.shrink_to(self.slots.len());
        self.older.shrink_to(self.older.len() + self.slots.len() - self.free.len());
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.older.capacity() * size_of::<(Handle, u64)>()
            + self.free.capacity() * size_of::<u32>()
    }

    /// All handles and places in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Handle, ObjectPlace)> {
        (0..).zip(&self.slots).filter_map(|(index, slot)| Some((Handle { index, generation: slot.generation }, slot.place?)))
    }
}

/// The data that saving and restoring slots needs.
#[cfg(feature = "serde")]
impl Slots {
    /// Generation and place of every slot.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, Option<ObjectPlace>)> {
        self.slots.iter().map(|slot| (slot.generation, slot.place))
    }

    pub(super) fn free(&self) -> &[u32] {
        &self.free
    }

    /// Adds a slot, with an object or without.
    pub(super) fn push(&mut self, generation: u32, place: Option<ObjectPlace>) {
        self.slots.push(Slot { generation, place, last_data: 0 });
    }

    /// Sets the user data of an object that was removed.
    pub(super) fn set_data_of_removed(&mut self, handle: Handle, data: u64) {
        match self.slots.get_mut(handle.index as usize) {
            Some(slot) if slot.generation.wrapping_sub(handle.generation) == 1 => slot.last_data = data,
            _ => self.older.push((handle, data)),
        }
    }

    /// Sets which slots are free, in the order of their use from last to first, or returns why that is impossible.
    pub(super) fn set_free(&mut self, free: Vec<u32>) -> Result<(), String> {
        let mut is_used = vec![false; self.slots.len()];
        for (used, slot) in is_used.iter_mut().zip(&self.slots) {
            *used = slot.place.is_some() || slot.generation == RETIRED;
        }
        for &index in &free {
            match is_used.get_mut(index as usize) {
                None => return Err(format!("free slot {index} of {}", self.slots.len())),
                Some(true) => return Err(format!("free slot {index} is listed twice, retired, or has an object")),
                Some(used) => *used = true,
            }
        }
        match is_used.iter().position(|used| !used) {
            Some(index) => Err(format!("slot {index} has no object and is not listed as free")),
            None => {
                self.free = free;
                let more = self.slots.len() - self.free.len();
                self.free.try_reserve_exact(more).map_err(|error| error.to_string())?;
                self.older.try_reserve_exact(more).map_err(|error| error.to_string())
            }
        }
    }

    /// Whether an object has or had this handle.
    pub(super) fn was_given(&self, handle: Handle) -> bool {
        self.slots.get(handle.index as usize).is_some_and(|slot| {
            handle.generation < slot.generation || handle.generation == slot.generation && slot.place.is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_retired_after_its_last_generation() {
        let mut slots = Slots::default();
        slots.slots.push(Slot { generation: RETIRED - 2, place: None, last_data: 0 });
        slots.free.push(0);
        for generation in [RETIRED - 2, RETIRED - 1] {
            let handle = slots.next();
            assert_eq!(handle, Handle { index: 0, generation });
            slots.take(ObjectPlace::Moving(5));
            assert_eq!(slots.place(handle), Ok(ObjectPlace::Moving(5)));
            slots.release(handle, u64::from(generation));
            assert_eq!(slots.data_of_removed(handle), Some(u64::from(generation)));
            assert_eq!(slots.place(handle), Err(StaleHandle { handle }));
        }
        assert_eq!(slots.next(), Handle { index: 1, generation: 0 });
        for generation in [0, 1, RETIRED - 1, RETIRED] {
            assert!(slots.place(Handle { index: 0, generation }).is_err());
        }
    }
}
