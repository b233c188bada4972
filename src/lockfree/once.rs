//! A value that any thread may make on first use, and that is published once.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::sync::{AtomicPtr, Ordering};
use crate::faults::{Fault, injected};

/// Published by one compare-and-swap. Of several threads that find nothing, each makes a value; the first to finish is the winner, and the
/// others use what it published. No thread waits for another, not even for one that panics while it makes its value.
///
/// One value that is not published is kept as the spare, and the next value may be made in its memory.
pub(crate) struct Once<T> {
    published: AtomicPtr<T>,
    spare: AtomicPtr<T>,
    /// Values are owned, and cross threads.
    _owns: PhantomData<Box<T>>,
}

impl<T: Send + Sync> Once<T> {
    pub(crate) fn new() -> Self {
        Once { published: AtomicPtr::new(ptr::null_mut()), spare: AtomicPtr::new(ptr::null_mut()), _owns: PhantomData }
    }

    /// The value, if one is published.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        let acquire = if injected(Fault::OnceReadRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        // Acquire: pairs with the release of the exchange in `publish`.
        let value = NonNull::new(self.published.load(acquire))?;
        // SAFETY: a pointer that is not null comes from the winning exchange in `publish`, is that of a complete value (acquire above),
        // and stays valid until `retire` or the drop, which take `&mut self` and so outlive no reference.
        Some(unsafe { value.as_ref() })
    }

    /// Publishes a value, unless there is one already. Returns the one that is published.
    pub(crate) fn publish(&self, mine: Box<T>) -> &T {
        let mine = Box::into_raw(mine);
        let release = if injected(Fault::OncePublishRelaxed) { Ordering::Relaxed } else { Ordering::Release };
        let acquire = if injected(Fault::OnceLoserRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
        let value = if injected(Fault::OnceByStore) {
            self.published.store(mine, release);
            mine
        } else {
            // Release: pairs with the acquire in `get`, and with the one here: the loser looks into the winner's value.
            match self.published.compare_exchange(ptr::null_mut(), mine, release, acquire) {
                Ok(_) => mine,
                Err(winners) => {
                    if !injected(Fault::OnceLoserLeaked) {
                        // SAFETY: `mine` came from `Box::into_raw` above and lost the race, so no other thread ever saw it.
                        self.keep(unsafe { Box::from_raw(mine) });
                    }
                    winners
                }
            }
        };
        // SAFETY: either `mine`, which is now published, or the winner's, complete by the acquire of the failed exchange; both stay
        // valid as in `get`.
        unsafe { &*value }
    }

    /// Takes the spare. No two threads get the same one.
    pub(crate) fn take_spare(&self) -> Option<Box<T>> {
        let spare = if injected(Fault::OnceSpareTorn) {
            let spare = self.spare.load(Ordering::Acquire);
            self.spare.store(ptr::null_mut(), Ordering::Relaxed);
            spare
        } else {
            let acquire = if injected(Fault::OnceSpareRelaxed) { Ordering::Relaxed } else { Ordering::Acquire };
            // Acquire: pairs with the release in `keep`.
            self.spare.swap(ptr::null_mut(), acquire)
        };
        // SAFETY: the pointer came from `Box::into_raw` in `keep`, and the swap took it out of the only place that held it.
        (!spare.is_null()).then(|| unsafe { Box::from_raw(spare) })
    }

    /// Keeps a value as the spare, in place of the one before.
    fn keep(&self, value: Box<T>) {
        // Release: pairs with the acquire in `take_spare`. Acquire: pairs with the release here, for the one that is dropped.
        let before = self.spare.swap(Box::into_raw(value), Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: as in `take_spare`.
            drop(unsafe { Box::from_raw(before) });
        }
    }

    /// Makes the published value the spare, so that the next one can be published.
    pub(crate) fn retire(&mut self) {
        // Relaxed: `&mut self` orders it.
        let published = self.published.swap(ptr::null_mut(), Ordering::Relaxed);
        if !published.is_null() {
            // SAFETY: the pointer came from `Box::into_raw` in `publish` and was just taken out of the only place that held it;
            // `&mut self` excludes references to the value.
            self.keep(unsafe { Box::from_raw(published) });
        }
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        for place in [&self.published, &self.spare] {
            // Relaxed: `&mut self` orders it.
            let value = place.swap(ptr::null_mut(), Ordering::Relaxed);
            if !value.is_null() {
                // SAFETY: both places hold pointers from `Box::into_raw`, each its own, and nothing can look into them any more.
                drop(unsafe { Box::from_raw(value) });
            }
        }
    }
}

impl<T> fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Relaxed: nothing is looked into.
        let is_published = !self.published.load(Ordering::Relaxed).is_null();
        f.debug_struct("Once").field("is_published", &is_published).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn values_go_from_published_to_spare_and_back() {
        let mut once = Once::new();
        assert!(once.get().is_none() && once.take_spare().is_none());
        assert_eq!(once.publish(Box::new(vec![1])), &[1]);
        assert_eq!(once.publish(Box::new(vec![2])), &[1], "there is one already");
        assert_eq!(once.take_spare().as_deref(), Some(&vec![2]));
        once.retire();
        assert!(once.get().is_none());
        assert_eq!(once.take_spare().as_deref(), Some(&vec![1]));
        once.retire();
        assert!(once.take_spare().is_none());
        once.publish(Box::new(vec![3]));
        once.retire();
        once.publish(Box::new(vec![4])); // both places are dropped
        assert_eq!(once.get(), Some(&vec![4]));
    }

    #[test]
    fn threads_that_race_see_one_value() {
        for _ in 0..if cfg!(miri) { 3 } else { 200 } {
            let once = Once::new();
            let seen: Vec<usize> = std::thread::scope(|scope| {
                let make = |number: usize| *once.get().unwrap_or_else(|| once.publish(Box::new(number)));
                let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || make(number))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(seen.iter().all(|&number| Some(&number) == once.get()), "{seen:?}");
        }
    }
}
