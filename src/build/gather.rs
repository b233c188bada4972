//! Reading the user's objects: once per object and step, in the order in which the last step stored them.

use super::staged::{Place, Staged};
use crate::lockfree::Cursor;
use crate::prefetch::prefetch;
use crate::{Aabb, Bounded, RejectReason, Rejected, Scalar};

/// How many objects are gathered and then counted in one go: few enough that their staged boxes stay in the first-level cache
/// in between. (A worker claims several such blocks at a time.)
pub(crate) const BLOCK: usize = 256;

/// The user's objects in the order in which they are visited.
#[derive(Debug)]
pub(crate) struct Source<'a, T> {
    pub(crate) objects: &'a [T],
    /// A permutation of at least all indices of `objects`; those that are gone are skipped.
    pub(crate) order: &'a [u32],
    /// Numbers the rejected.
    pub(crate) rejected: Cursor,
}

/// How many objects ahead of the one at hand memory is asked for: more than the processor would find by itself, few enough to stay
/// in the first-level cache. (Counting takes 0.7 of the time without, at 100k and at 1M objects.)
const AHEAD: usize = 64;

impl<T> Source<'_, T> {
    /// Copies the boxes of a block of visiting positions, the first of which is `first`.
    ///
    /// Nothing but the copy happens in the first loop, so the processor overlaps the cache misses of many objects.
    pub(crate) fn gather<S: Scalar, const D: usize>(&self, first: usize, block: &mut [Staged<S, D>], out: &mut Vec<Rejected>)
    where
        T: Bounded<S, D>,
    {
        let ids = &self.order[first..first + block.len()];
        for (position, (staged, &id)) in (first..).zip(block.iter_mut().zip(ids)) {
            if let Some(&soon) = self.order.get(position + AHEAD) {
                prefetch(self.objects, soon as usize);
            }
            *staged = match self.objects.get(id as usize) {
                Some(object) => Staged { bounds: object.aabb(), place: Place { cell: Place::LISTED, rank: 0 } },
                None => Staged::VACANT,
            };
        }
        for (staged, &id) in block.iter_mut().zip(ids) {
            if !is_valid(&staged.bounds) && !staged.place.is_vacant() {
                staged.place = Place { cell: Place::REJECTED, rank: self.rejected.take(1) as u32 };
                out.push(Rejected { index: id as usize, reason: reason(&staged.bounds) });
            }
        }
    }
}

#[inline(always)]
fn is_valid<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    // Without `&&`: one predictable branch per box instead of one per axis.
    (0..D).fold(true, |valid, axis| valid & (bounds.min[axis] <= bounds.max[axis]))
}

#[cold]
fn reason<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> RejectReason {
    let nan = bounds.min.iter().chain(&bounds.max).any(|bound| bound.is_nan());
    if nan { RejectReason::NotANumber } else { RejectReason::Inverted }
}
