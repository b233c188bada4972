//! Lending memory to many workers at once: blocks that each go to one of them, and slots that any of them may write.

use std::marker::PhantomData;

use super::cursor::Cursor;
use super::shares::{Shares, Unit};
#[cfg(not(loom))]
use super::sync::{Atomic, Ordering};

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

    /// The next block that nobody has claimed, and the index of its first element.
    #[inline]
    pub(crate) fn claim(&self) -> Option<(usize, &'a mut [T])> {
        let range = self.cursor.claim(self.block, self.len)?;
        // SAFETY: the range lies inside the slice, which `'a` borrows exclusively; the cursor hands out every place once (the
        // loom model `cursor` shows it), so no two of these slices overlap.
        let block = unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) };
        Some((range.start, block))
    }

    /// The next single element that nobody has claimed.
    #[inline]
    pub(crate) fn claim_one(&self) -> Option<&'a mut T> {
        debug_assert_eq!(self.block, 1);
        self.claim().map(|(_, block)| &mut block[0])
    }
}

/// A slice whose portions belong to units of work: whoever claimed a unit may write its portion.
#[derive(Debug)]
pub(crate) struct Portions<'a, T> {
    first: *mut T,
    /// Where the portion of each unit begins, and where the last one ends.
    bounds: &'a [u32],
    shares: &'a Shares,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: sharing `Portions` lets other threads take `&mut T`s out of it, each unit's by its claimer only, so it needs exactly what
// sending them needs.
unsafe impl<T: Send> Sync for Portions<'_, T> {}

impl<'a, T> Portions<'a, T> {
    /// Cuts the slice at the bounds, which must not fall, for the units of these shares.
    pub(crate) fn new(slice: &'a mut [T], bounds: &'a [u32], shares: &'a Shares) -> Self {
        assert!(bounds.is_sorted() && bounds.last().is_none_or(|&end| end as usize <= slice.len()));
        Portions { first: slice.as_mut_ptr(), bounds, shares, slice: PhantomData }
    }

    /// The portion of a unit, and the index of its first element.
    #[inline]
    pub(crate) fn of<'u>(&self, unit: &'u mut Unit<'a>) -> (usize, &'u mut [T]) {
        assert!(unit.is_of(self.shares));
        let (begin, end) = (self.bounds[unit.index()] as usize, self.bounds[unit.index() + 1] as usize);
        // SAFETY: the bounds do not fall and end within the slice (`new`), which `'a` borrows exclusively, so the portions of
        // different units do not overlap. There is one `Unit` per unit: the shares hand each out once (the loom model `shares`
        // shows it), and dealing again takes them mutably, which `'a` forbids. It is borrowed mutably while the portion is used.
        (begin, unsafe { std::slice::from_raw_parts_mut(self.first.add(begin), end - begin) })
    }
}

/// Lends a slice as atomics, so that many workers can write to it by index without a promise that only a comment could keep. A
/// relaxed store is the same instruction as a plain one, and the borrow ends with the pass: afterwards it is plain memory again.
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

/// Indices that lie below a bound, so that storing at them needs no check.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices<'a> {
    indices: &'a [u32],
    bound: usize,
}

#[cfg(not(loom))]
impl<'a> Indices<'a> {
    /// Finds their bound: one pass over the indices, for any number of slices.
    #[inline(always)]
    pub(crate) fn new(indices: &'a [u32]) -> Self {
        let last = indices.iter().fold(0, |last, &index| last.max(index)) as usize;
        Indices { indices, bound: last + 1 }
    }

    /// Stores rows of values, each at its index: two columns per axis, and one more. Relaxed: plain stores, read after the join.
    ///
    /// Row by row and without checks inside the loop: so many columns leave no register for their lengths.
    #[inline(always)]
    pub(crate) fn store_rows<T: bytemuck::NoUninit, U: bytemuck::NoUninit, const D: usize>(
        self,
        slots: Slots<'_, T, U, D>,
        values: ([&[T]; D], [&[T]; D], &[U]),
    ) {
        let rows = self.indices.len();
        for axis in 0..D {
            assert!(self.bound <= slots.0[axis].len() && self.bound <= slots.1[axis].len());
            assert!(rows <= values.0[axis].len() && rows <= values.1[axis].len());
        }
        assert!(self.bound <= slots.2.len() && rows <= values.2.len());
        for (row, &index) in self.indices.iter().enumerate() {
            let index = index as usize;
            // SAFETY: every index is below the bound (`new`), which all slots reach, and every row is below `rows`, which all
            // values reach (asserted above).
            unsafe {
                for axis in 0..D {
                    slots.0[axis].get_unchecked(index).store(*values.0[axis].get_unchecked(row), Ordering::Relaxed);
                    slots.1[axis].get_unchecked(index).store(*values.1[axis].get_unchecked(row), Ordering::Relaxed);
                }
                slots.2.get_unchecked(index).store(*values.2.get_unchecked(row), Ordering::Relaxed);
            }
        }
    }
}
