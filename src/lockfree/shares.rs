//! Work that belongs to its owner first, and to idle workers afterwards.

use std::cell::Cell;

use crossbeam::utils::CachePadded;

use super::sync::{AtomicU32, AtomicU64, Ordering};
use crate::faults::{Fault, injected};

/// Units of work, each dealt to a worker. A worker takes its own units from the front; when it has none left, it takes another worker's
/// from the back. So a worker finds the data that it has just written in its core's cache, and no worker is idle.
///
/// A worker's units are one word, `front << 32 | back`, changed by compare-and-swap: a claim moves one end by one. All operations
/// are relaxed: a claim publishes nothing, it only has to be unique, and the exchange of one word makes it so.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// The units, those of a worker next to each other.
    units: Vec<u32>,
    // Padded: a worker writes to its own word at every claim.
    ends: Vec<CachePadded<AtomicU64>>,
    /// Which worker took each unit.
    takers: Vec<AtomicU32>,
}

impl Shares {
    /// Deals `units` units to `workers` workers. `owner` maps a unit to its worker.
    pub(crate) fn deal(&mut self, workers: usize, units: usize, owner: impl Fn(usize) -> usize) {
        let mut begins = [0u64; MAX_DEALT];
        let workers = workers.clamp(1, MAX_DEALT);
        let owner = |unit: usize| owner(unit) % workers;
        (0..units).for_each(|unit| begins[owner(unit)] += 1);
        let mut begin = 0;
        self.ends.resize_with(workers.max(self.ends.len()), || CachePadded::new(AtomicU64::new(0)));
        self.ends.truncate(workers);
        for (count, ends) in begins.iter_mut().zip(&mut self.ends) {
            let first = begin;
            begin += *count;
            *count = first;
            **ends = AtomicU64::new(first << 32 | begin);
        }
        self.units.clear();
        self.units.resize(units, 0);
        for unit in 0..units {
            let place = &mut begins[owner(unit)];
            self.units[*place as usize] = unit as u32;
            *place += 1;
        }
        self.takers.resize_with(units.max(self.takers.len()), || AtomicU32::new(0));
    }

    /// Room for dealing `units` units to `workers` workers without an allocation.
    pub(crate) fn reserve(&mut self, workers: usize, units: usize) -> Result<(), std::collections::TryReserveError> {
        self.ends.try_reserve_exact(workers.saturating_sub(self.ends.len()))?;
        self.units.try_reserve_exact(units.saturating_sub(self.units.len()))?;
        self.takers.try_reserve_exact(units.saturating_sub(self.takers.len()))
    }

    /// The next unit for a worker: one of its own, or else one of another's. Each unit is handed out once.
    #[inline]
    pub(crate) fn claim(&self, worker: usize) -> Option<Unit<'_>> {
        for offset in 0..self.ends.len() {
            let ends = &self.ends[(worker + offset) % self.ends.len()];
            // Relaxed, here and below: see the type.
            let mut seen = ends.load(Ordering::Relaxed);
            while seen >> 32 < seen & u64::from(u32::MAX) {
                let (next, place) = match offset {
                    0 => (seen + (1 << 32), seen >> 32),
                    _ => (seen - 1, (seen & u64::from(u32::MAX)) - 1),
                };
                if injected(Fault::ShareTorn) {
                    ends.store(next, Ordering::Relaxed);
                    return Some(self.take(place as usize, worker));
                }
                match ends.compare_exchange_weak(seen, next, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Some(self.take(place as usize, worker)),
                    Err(now) => seen = now,
                }
            }
        }
        None
    }

    fn take(&self, place: usize, worker: usize) -> Unit<'_> {
        let unit = self.units[place] as usize;
        // Relaxed: read after the join.
        self.takers[unit].store(worker as u32, Ordering::Relaxed);
        Unit { index: unit, shares: self, lent: Cell::new(0) }
    }

    /// Takes all units that are left, so that no worker finds another.
    pub(crate) fn drain(&self) {
        for ends in &self.ends {
            // A swap, not a store: loom does not model that a plain store cannot come between the read and the write of a claim.
            ends.swap(0, Ordering::Relaxed);
        }
    }

    /// The worker that took a unit. After the join.
    pub(crate) fn taker(&self, unit: usize) -> usize {
        self.takers[unit].load(Ordering::Relaxed) as usize
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.units.capacity() * 4 + self.takers.capacity() * 4 + self.ends.capacity() * size_of::<CachePadded<AtomicU64>>()
    }
}

/// A unit of work that was claimed. There is one token per unit and deal, so it gives access to what belongs to the unit alone.
#[derive(Debug)]
pub(crate) struct Unit<'s> {
    index: usize,
    shares: &'s Shares,
    /// A bit for each of its portions that is lent.
    lent: Cell<u32>,
}

impl Unit<'_> {
    #[inline]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Records that a portion is lent. Returns false if it already was.
    #[inline]
    pub(super) fn lend(&self, bit: u32) -> bool {
        let lent = self.lent.replace(self.lent.get() | bit);
        lent & bit == 0
    }

    /// Whether it was claimed from these shares.
    #[inline]
    pub(super) fn is_of(&self, shares: &Shares) -> bool {
        std::ptr::eq(self.shares, shares)
    }
}

/// The most workers that own units; further workers take others' units only.
const MAX_DEALT: usize = 256;
