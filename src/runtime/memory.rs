//! Memory that may be refused: by the system, or by the limit that the user set.
//!
//! The standard containers end the process when the system refuses. A step allocates through this module instead, and a refusal unwinds to
//! the call that began the step, where it becomes a [`DetectError`]. A panic in the user's code unwinds in the same way, so one set of
//! rules keeps the engine usable after both. (Built with `panic = "abort"`, a refusal aborts, as it does everywhere else in the program.)

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Zeroable;

use super::pages::advise_huge;
use crate::DetectError;

/// The payload of a refusal: private, so that no other panic is mistaken for one.
struct Refused(DetectError);

/// Ends the step, without a message: the caller of the step decides whether to print one.
#[cold]
pub(crate) fn refuse(error: DetectError) -> ! {
    panic::resume_unwind(Box::new(Refused(error)))
}

/// The system refused `needed` bytes.
#[cold]
pub(crate) fn refused_by_system(needed: usize) -> ! {
    refuse(DetectError::OutOfMemory { needed })
}

/// Runs a step, or a part of one. All other panics go on.
pub(crate) fn catch<R>(step: impl FnOnce() -> R) -> Result<R, DetectError> {
    // Unwind safe: the next step clears what an incomplete step leaves behind.
    panic::catch_unwind(AssertUnwindSafe(step)).map_err(|payload| match payload.downcast::<Refused>() {
        Ok(refused) => refused.0,
        Err(payload) => panic::resume_unwind(payload),
    })
}

/// The user's limit, and how much of it is taken.
///
/// Counts the memory that grows with the scene: that of objects, chunks and pairs. Every step begins by setting it to the memory that is
/// actually held, so errors do not add up.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<usize>,
    /// Other memory of the engine's owner, under the same limit.
    elsewhere: usize,
    // Relaxed throughout: a sum that publishes nothing, read only by the threads that add to it.
    held: AtomicUsize,
    /// Whether large arrays request huge pages.
    huge_pages: bool,
}

impl Budget {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        Budget { limit, elsewhere: 0, held: AtomicUsize::new(0), huge_pages: false }
    }

    /// The same, and large arrays get huge pages where the system has them.
    pub(crate) fn with_huge_pages(self, huge_pages: bool) -> Self {
        Budget { huge_pages, ..self }
    }

    pub(crate) fn unlimited() -> Self {
        Budget::new(None)
    }

    /// Sets what is held before anything more is allocated.
    pub(crate) fn begin(&mut self, held: usize) {
        *self.held.get_mut() = held.saturating_add(self.elsewhere);
    }

    /// Sets what is held, and ends the step if that is more than the limit.
    pub(crate) fn settle(&mut self, held: usize) {
        self.begin(0);
        self.charge(held);
    }

    /// Whether there is a limit. Without one, what is held need not be summed up.
    pub(crate) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// From the next step on, counts this many bytes, which are held outside of the engine.
    pub(crate) fn count_elsewhere(&mut self, bytes: usize) {
        self.elsewhere = bytes;
    }

    /// Ends the step if `bytes` more would exceed the limit.
    #[inline]
    pub(crate) fn charge(&self, bytes: usize) {
        if !self.affords(bytes) {
            self.refuse(bytes);
        }
    }

    /// Counts `bytes` if they are within the limit, and returns whether they are.
    pub(crate) fn affords(&self, bytes: usize) -> bool {
        let Some(limit) = self.limit else { return true };
        let held = self.held.fetch_add(bytes, Ordering::Relaxed);
        let affordable = bytes <= limit.saturating_sub(held);
        if !affordable {
            self.refund(bytes);
        }
        affordable
    }

    /// Makes room for `len` elements in a buffer, so that the next step need not allocate. Returns whether there is room.
    pub(crate) fn stock_up<T>(&self, buffer: &mut Vec<T>, len: usize) -> bool {
        buffer.capacity() >= len
            || self.affords(bytes_of::<T>(len - buffer.capacity())) && buffer.try_reserve_exact(len - buffer.len()).is_ok()
    }

    /// Makes room for more elements. An allocation doubles the buffer, or takes half of the memory that is then left.
    pub(crate) fn reserve<T>(&self, buffer: &mut Vec<T>, additional: usize) {
        let needed = buffer.len() + additional;
        if buffer.capacity() < needed {
            self.charge(bytes_of::<T>(needed - buffer.capacity()));
            let spare = needed.min(self.left() / (2 * size_of::<T>()));
            self.charge(bytes_of::<T>(spare));
            reserve_exact(buffer, needed + spare - buffer.len());
        }
    }

    /// The same with some more elements, if it takes an allocation.
    pub(crate) fn stock_up_with_slack<T>(&self, buffer: &mut Vec<T>, len: usize) -> bool {
        buffer.capacity() >= len || self.stock_up(buffer, with_slack(len))
    }

    pub(crate) fn refund(&self, bytes: usize) {
        if self.limit.is_some() {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    pub(crate) fn left(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.held.load(Ordering::Relaxed)))
    }

    /// Ends the step if `bytes` more would exceed the limit, and counts none yet.
    pub(crate) fn check(&self, bytes: usize) {
        if bytes > self.left() {
            self.refuse(bytes);
        }
    }

    /// Ends the step, which would need `more` bytes.
    #[cold]
    pub(crate) fn refuse(&self, more: usize) -> ! {
        let needed = self.held.load(Ordering::Relaxed).saturating_add(more);
        refuse(DetectError::OverBudget { needed, max_bytes: self.limit.unwrap_or(usize::MAX) })
    }
}

/// Makes room for some more elements, and, if that takes an allocation, doubles the buffer.
#[inline(always)]
pub(crate) fn reserve<T>(buffer: &mut Vec<T>, additional: usize) {
    if buffer.capacity() - buffer.len() < additional {
        grow(buffer, additional);
    }
}

#[cold]
#[inline(never)]
fn grow<T>(buffer: &mut Vec<T>, additional: usize) {
    if buffer.try_reserve(additional).is_err() {
        refused_by_system(bytes_of::<T>(buffer.len() + additional));
    }
}

/// Makes room for exactly some more elements.
pub(crate) fn reserve_exact<T>(buffer: &mut Vec<T>, additional: usize) {
    if buffer.try_reserve_exact(additional).is_err() {
        refused_by_system(bytes_of::<T>(buffer.len() + additional));
    }
}

/// Room for `len` elements and, if that takes an allocation, for some more.
pub(crate) fn reserve_with_slack<T>(buffer: &mut Vec<T>, len: usize) {
    if buffer.capacity() < len {
        reserve_exact(buffer, with_slack(len) - buffer.len());
    }
}

/// A capacity for `len` elements and some more.
pub(crate) fn with_slack(len: usize) -> usize {
    len + len / 8 + 64
}

#[inline(always)]
pub(crate) fn push<T>(buffer: &mut Vec<T>, value: T) {
    reserve(buffer, 1);
    buffer.push(value);
}

pub(crate) fn collect<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let values = values.into_iter();
    let mut collected = Vec::new();
    reserve_exact(&mut collected, values.size_hint().0);
    values.for_each(|value| push(&mut collected, value));
    collected
}

/// Makes a buffer at least this long; its contents are lost. The system provides zeros page by page on first use, so the workers that fill
/// the buffer share that cost.
pub(crate) fn replace_if_short<T: Zeroable>(buffer: &mut Vec<T>, len: usize, budget: &Budget) {
    if buffer.len() < len {
        let longer = len + len / 16;
        budget.refund(bytes_of::<T>(buffer.capacity()));
        *buffer = Vec::new();
        budget.charge(bytes_of::<T>(longer));
        *buffer = bytemuck::allocation::try_zeroed_vec(longer).unwrap_or_else(|()| refused_by_system(bytes_of::<T>(longer)));
        if budget.huge_pages {
            advise_huge(buffer.as_ptr(), longer);
        }
    }
}

/// Grows a buffer to a length without doubling it: memory follows the objects. It never shrinks, so a scene that comes back to
/// its largest size allocates nothing.
pub(crate) fn grow_exactly<T: Clone>(buffer: &mut Vec<T>, len: usize, value: T, budget: &Budget) {
    if buffer.len() < len {
        // A sixteenth more, so that a scene that grows object by object does not copy its buffers at every step.
        if buffer.capacity() < len {
            let capacity = len + len / 16;
            budget.charge(bytes_of::<T>(capacity - buffer.capacity()));
            reserve_exact(buffer, capacity - buffer.len());
            if budget.huge_pages {
                advise_huge(buffer.as_ptr(), capacity);
            }
        }
        buffer.resize(len, value);
    }
}

/// Ends the step if room for `elements` elements was refused.
pub(crate) fn refusable(outcome: Result<(), std::collections::TryReserveError>, elements: usize) {
    if outcome.is_err() {
        refused_by_system(bytes_of::<u64>(elements));
    }
}

pub(crate) fn bytes_of<T>(elements: usize) -> usize {
    elements.saturating_mul(size_of::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_value_and_other_panics_go_on() {
        assert_eq!(catch(|| 7), Ok(7));
        let absurd = catch(|| reserve_exact(&mut Vec::<u64>::new(), usize::MAX / 16));
        assert_eq!(absurd, Err(DetectError::OutOfMemory { needed: usize::MAX / 16 * 8 }));
        let other = panic::catch_unwind(|| catch(|| panic::resume_unwind(Box::new(5))));
        assert_eq!(other.unwrap_err().downcast_ref(), Some(&5));
    }

    #[test]
    fn room_is_doubled_where_the_limit_allows_that() {
        let rooms = |limit: Option<usize>| {
            let (mut buffer, mut budget) = (Vec::<u64>::new(), Budget::new(limit));
            let mut rooms = Vec::new();
            for number in 0..100 {
                budget.begin(bytes_of::<u64>(buffer.capacity()));
                match catch(|| budget.reserve(&mut buffer, 1)) {
                    Ok(()) => buffer.push(number),
                    Err(error) => {
                        assert_eq!(
                            error,
                            DetectError::OverBudget { needed: bytes_of::<u64>(buffer.len() + 1), max_bytes: limit.unwrap() }
                        );
                        break;
                    }
                }
                rooms.push(buffer.capacity());
            }
            rooms.dedup();
            (buffer.len(), rooms)
        };
        assert_eq!(rooms(None), (100, vec![2, 6, 14, 30, 62, 126]));
        // All of the memory can be used; each time, half of what is left is taken.
        assert_eq!(rooms(Some(8 * 40)), (40, vec![2, 6, 14, 27, 34, 37, 39, 40]));
        assert_eq!(rooms(Some(7)), (0, vec![]));
    }

    #[test]
    fn the_limit_can_be_reached_but_not_passed() {
        let mut budget = Budget::new(Some(100));
        budget.begin(90);
        assert!(budget.affords(10) && !budget.affords(1));
        assert_eq!(catch(|| budget.charge(1)), Err(DetectError::OverBudget { needed: 101, max_bytes: 100 }));
        budget.begin(0);
        assert_eq!(catch(|| budget.charge(100)), Ok(()));
        budget.count_elsewhere(70);
        budget.begin(20);
        assert!(budget.affords(10) && !budget.affords(1));
        assert_eq!(catch(|| budget.settle(30)), Ok(()));
        assert_eq!(catch(|| budget.settle(31)), Err(DetectError::OverBudget { needed: 101, max_bytes: 100 }));
        let without = Budget::unlimited();
        without.refund(1);
        without.charge(usize::MAX);
        assert!(without.affords(usize::MAX) && without.left() == usize::MAX);
    }
}
