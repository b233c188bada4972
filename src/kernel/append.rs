//! Appends selected entries of a run to a list: the loop over the run, shared by all kernels that do this.

#![allow(unsafe_code)]

use std::ops::Range;

use super::compare::lanes_below;
use super::scalar::{Boxes, Pointers, splat_box};
use super::{IsaWork, Kernel};
use crate::isa::{Isa, Lanes, Mask, WIDTH};
use crate::layout::columns::Columns;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// Chooses among sixteen entries.
pub(super) trait Choice<I: Isa> {
    /// For the entries from `at` on: the selected lanes of the mask, and the word to append for each lane. To be `inline(always)`.
    ///
    /// # Safety
    ///
    /// `at` must be an entry of the table that is searched.
    #[allow(unsafe_code, reason = "the loop has checked the whole run")]
    unsafe fn choose(&self, isa: I, mask: Mask, at: usize) -> (Mask, I::Words);
}

/// Appends the selected entries of a run, in a table with `entries` entries.
#[inline(always)]
pub(super) fn append<I: Isa>(isa: I, entries: usize, run: Range<usize>, out: &mut Vec<u32>, choice: &impl Choice<I>) {
    assert!(run.end <= entries);
    let mut at = run.start;
    while at < run.end {
        memory::reserve(out, WIDTH);
        let end = run.end.min(at + (out.capacity() - out.len()) / WIDTH * WIDTH);
        let (to, mut len) = (out.as_mut_ptr(), out.len());
        while at < end {
            // SAFETY: `at` lies within the run, which ends within the entries. There is room for sixteen words for each sixteen
            // entries of the loop, and none takes more.
            unsafe {
                let (mask, words) = choice.choose(isa, lanes_below(run.end - at), at);
                len += isa.append(to.add(len), mask, words);
            }
            at += WIDTH;
        }
        // SAFETY: the words up to `len` were written above, each time behind the last.
        unsafe { out.set_len(len) };
    }
}

impl Kernel {
    /// Appends the entries of some runs that overlap a box.
    #[inline]
    pub(crate) fn hits<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        bounds: &Aabb<S, D>,
        runs: &[Range<usize>],
        out: &mut Vec<u32>,
    ) {
        self.dispatch(Hits { columns, bounds, runs, out });
    }
}

struct Hits<'c, 'a, S, const D: usize> {
    columns: &'c Columns<'a, S, D>,
    bounds: &'c Aabb<S, D>,
    runs: &'c [Range<usize>],
    out: &'c mut Vec<u32>,
}

impl<S: Scalar, const D: usize> IsaWork for Hits<'_, '_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let choice = Overlapping { boxes: self.columns.pointers(), bounds: splat_box(isa, self.bounds) };
        for run in self.runs {
            append(isa, self.columns.entries, run.clone(), self.out, &choice);
        }
    }
}

/// The entries that overlap a box.
struct Overlapping<S, V, const D: usize> {
    boxes: Pointers<S, D>,
    bounds: Boxes<V, D>,
}

impl<I: Isa, S: Scalar, const D: usize> Choice<I> for Overlapping<S, S::In<I>, D> {
    #[inline(always)]
    unsafe fn choose(&self, isa: I, mask: Mask, at: usize) -> (Mask, I::Words) {
        // SAFETY: an entry, by the caller's promise.
        let other = unsafe { self.boxes.sixteen(isa, at) };
        let hits = <S::In<I>>::overlaps(isa, mask, &self.bounds.min, &self.bounds.max, &other.min, &other.max);
        (hits, isa.add(isa.splat(at as i32), isa.iota()))
    }
}
