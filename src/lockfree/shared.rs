//! Lending memory to many workers at once: blocks that each go to one of them, and slots that any of them may write.

use std::marker::PhantomData;

use super::cursor::Cursor;
use super::shares::{Shares, Unit};
#[cfg(not(loom))]
use super::sync::{Atomic, Ordering};
use crate::faults::{Fault, injected};

/// A slice whose blocks are handed out, each to one claimer only: `chunks_mut` for workers that claim.
#[derive(Debug)]
pub(crate) struct Blocks<'a, T> {
    first: *mut T,
    len: usize,
    block: usize,
    cursor: Cursor,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: sharing `Blocks` lets other threads take `&mut T`s out of it, each once, so it needs exactly what sending them needs.
unsafe impl<T: Send> Sync for Blocks<'_, T> {}

impl<'a, T> Blocks<'a, T> {
    /// Cuts the slice into blocks of `block` elements, the last one maybe shorter.
    pub(crate) fn new(slice: &'a mut [T], block: usize) -> Self {
        assert!(block > 0);
        Blocks { first: slice.as_mut_ptr(), len: slice.len(), block, cursor: Cursor::new(), slice: PhantomData }
    }

    /// The next block that is not claimed yet, and the index of its first element.
    #[inline]
    pub(crate) fn claim(&self) -> Option<(usize, &'a mut [T])> {
        let range = self.cursor.claim(self.block, self.len)?;
        // SAFETY: the range lies inside the slice, which `'a` borrows exclusively; the cursor hands out every place once (the
        // loom model `cursor` shows it), so no two of these slices overlap.
        let block = unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) };
        Some((range.start, block))
    }

    /// The next single element that is not claimed yet.
    #[inline]
    pub(crate) fn claim_one(&self) -> Option<&'a mut T> {
        debug_assert_eq!(self.block, 1);
        self.claim().map(|(_, block)| &mut block[0])
    }

    /// Hands out the blocks of two slices together. There must be as many of the one as of the other.
    pub(crate) fn zip<U>(self, others: Blocks<'a, U>) -> ZippedBlocks<'a, T, U> {
        assert_eq!(self.len.div_ceil(self.block), others.len.div_ceil(others.block));
        ZippedBlocks { blocks: self, others }
    }
}

/// The blocks of two slices: one claim hands out both blocks of a number. Two claims would be wrong: a worker whose first claim finds
/// nothing left could still claim a block of the other slice, which belongs to a worker that is between its two claims.
#[derive(Debug)]
pub(crate) struct ZippedBlocks<'a, T, U> {
    blocks: Blocks<'a, T>,
    others: Blocks<'a, U>,
}

impl<'a, T, U> ZippedBlocks<'a, T, U> {
    /// The next block of each slice, of the same number, that are not claimed yet, and the number.
    #[inline]
    pub(crate) fn claim(&self) -> Option<(usize, &'a mut [T], &'a mut [U])> {
        let Blocks { first, len, block, .. } = self.others;
        if injected(Fault::ZipClaimedTwice) {
            let (Some((place, mine)), Some((_, others))) = (self.blocks.claim(), self.others.claim()) else { return None };
            return Some((place / self.blocks.block, mine, others));
        }
        let (place, mine) = self.blocks.claim()?;
        let number = place / self.blocks.block;
        let range = number * block..len.min((number + 1) * block);
        // SAFETY: there are as many blocks of one slice as of the other (`zip`), so the range lies inside the other slice, which `'a`
        // borrows exclusively. Its own cursor is never used: this number was claimed once, by the cursor of the first slice.
        let others = unsafe { std::slice::from_raw_parts_mut(first.add(range.start), range.len()) };
        Some((number, mine, others))
    }
}

/// Slices of the same length whose portions belong to units of work: the claimer of a unit may write the unit's portion of each.
#[derive(Debug)]
pub(crate) struct Portions<'a, T, const N: usize = 1> {
    firsts: [*mut T; N],
    /// Where the portion of each unit begins, and where the last one ends.
    bounds: &'a [u32],
    shares: &'a Shares,
    /// The bit of a unit that marks its portion of these slices as lent.
    bit: u32,
    slices: PhantomData<&'a mut [T]>,
}

// SAFETY: sharing `Portions` lets other threads take `&mut T`s out of it, each unit's by its claimer only, so it needs exactly what
// sending them needs.
unsafe impl<T: Send, const N: usize> Sync for Portions<'_, T, N> {}

impl<'a, T> Portions<'a, T> {
    /// Cuts a slice at the bounds, which must not fall, for the units of these shares.
    pub(crate) fn new(slice: &'a mut [T], bounds: &'a [u32], shares: &'a Shares) -> Self {
        Self::of_slices([slice], bounds, shares, 0)
    }
}

impl<'a, T, const N: usize> Portions<'a, T, N> {
    /// Cuts slices at the bounds. `number`, below 32, distinguishes several `Portions` for the same units.
    pub(crate) fn of_slices(slices: [&'a mut [T]; N], bounds: &'a [u32], shares: &'a Shares, number: u32) -> Self {
        assert!(bounds.is_sorted() && number < u32::BITS);
        assert!(slices.iter().all(|slice| bounds.last().is_none_or(|&end| end as usize <= slice.len())));
        Portions { firsts: slices.map(|slice| slice.as_mut_ptr()), bounds, shares, bit: 1 << number, slices: PhantomData }
    }

    /// The portion of a unit, and the index of its first element. Once per unit: its claimer keeps it.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "a unit lends each of its portions once")]
    pub(crate) fn of<'u>(&self, unit: &'u Unit<'a>) -> (usize, [&'u mut [T]; N]) {
        assert!(unit.is_of(self.shares) && unit.lend(self.bit));
        let (begin, end) = (self.bounds[unit.index()] as usize, self.bounds[unit.index() + 1] as usize);
        // SAFETY: the bounds do not fall and end within each slice (`of_slices`), which `'a` borrows exclusively, so the portions of
        // different units do not overlap. There is one `Unit` per unit: the shares hand each out once (the loom model `shares`
        // shows it), and dealing again takes them mutably, which `'a` forbids. A unit lends each portion once (`lend`), and is
        // borrowed while the portion is used.
        (begin, self.firsts.map(|first| unsafe { std::slice::from_raw_parts_mut(first.add(begin), end - begin) }))
    }
}

/// Lends a slice as atomics, so that many workers can write to it by index without an unchecked promise. A relaxed store is the same
/// instruction as a plain one, and the borrow ends with the pass: afterwards it is plain memory again.
#[cfg(not(loom))] // loom's atomics are not laid out like what they hold
pub(crate) fn shared<T: bytemuck::NoUninit>(slice: &mut [T]) -> &[Atomic<T>] {
    const { assert!(size_of::<Atomic<T>>() == size_of::<T>() && align_of::<Atomic<T>>() == align_of::<T>()) };
    // Fails where a 64-bit float is not aligned to 8 bytes, as on 32-bit x86.
    const { assert!(Atomic::<T>::is_lock_free()) };
    // SAFETY: `Atomic<T>` is a transparent wrapper of an `UnsafeCell` of `T` with (asserted) the same size and alignment, and the
    // exclusive borrow is given up for as long as the atomics live, so all accesses meanwhile go through them.
    unsafe { &*(slice as *mut [T] as *const [Atomic<T>]) }
}

/// Columns that are lent as atomics: two per axis, and one more.
#[cfg(not(loom))]
pub(crate) type Slots<'a, T, U, const D: usize> = ([&'a [Atomic<T>]; D], [&'a [Atomic<T>]; D], &'a [Atomic<U>]);

/// Columns of one length that are lent as atomics: one check serves a store to all of them.
#[cfg(not(loom))]
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T, U, const D: usize> {
    slots: Slots<'a, T, U, D>,
    len: usize,
}

#[cfg(not(loom))]
impl<'a, T: bytemuck::NoUninit, U: bytemuck::NoUninit, const D: usize> Rows<'a, T, U, D> {
    /// As many rows as the shortest column has values.
    pub(crate) fn new(slots: Slots<'a, T, U, D>) -> Self {
        let len = slots.0.iter().chain(&slots.1).map(|column| column.len()).fold(slots.2.len(), usize::min);
        Rows { slots, len }
    }

    /// Stores a row of values: two per axis, and one more. Relaxed: plain stores, read after the join.
    #[inline(always)]
    pub(crate) fn store(&self, row: usize, low: &[T; D], high: &[T; D], last: U) {
        assert!(row < self.len);
        // SAFETY: every column has at least `len` values (`new`).
        unsafe {
            for axis in 0..D {
                self.slots.0[axis].get_unchecked(row).store(low[axis], Ordering::Relaxed);
                self.slots.1[axis].get_unchecked(row).store(high[axis], Ordering::Relaxed);
            }
            self.slots.2.get_unchecked(row).store(last, Ordering::Relaxed);
        }
    }
}
