//! Reading the user's objects: once per object and step, in the order in which the last step stored them.

use crate::layout::staged::{Place, Staged};
use crate::lockfree::Cursor;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::{Aabb, Groups, RejectReason, Rejected, Scalar};

/// How many objects are gathered and then counted in one go: few enough that their staged boxes stay in the first-level cache
/// in between. (A worker claims several such blocks at a time.)
pub(crate) const BLOCK: usize = 256;

/// The user's objects in the order in which they are visited.
#[derive(Debug)]
pub(crate) struct Source<'a, O: ?Sized> {
    pub(crate) objects: &'a O,
    /// How many of them take part.
    pub(crate) len: usize,
    /// A permutation of at least all indices below `len`; those that are gone are skipped.
    pub(crate) order: &'a [u32],
    /// Numbers the rejected.
    pub(crate) rejected: Cursor,
}

/// How many objects ahead of the one at hand memory is asked for: more than the processor would find by itself, few enough to stay
/// in the first-level cache. (Counting takes 0.7 of the time without, at 100k and at 1M objects.)
pub(super) const AHEAD: usize = 64;

/// What a worker saw while gathering.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) rejected: Vec<Rejected>,
    /// Whether some object is in groups of its own.
    pub(crate) grouped: bool,
    /// Whether some object is a ball.
    pub(crate) round: bool,
}

impl Seen {
    pub(crate) fn clear(&mut self) {
        self.rejected.clear();
        (self.grouped, self.round) = (false, false);
    }
}

impl<O: ?Sized> Source<'_, O> {
    /// Copies the boxes of a block of visiting positions, the first of which is `first`.
    ///
    /// Nothing but the copy happens in the first loop, so the processor overlaps the cache misses of many objects.
    pub(crate) fn gather<S: Scalar, const D: usize>(&self, first: usize, block: &mut [Staged<S, D>], seen: &mut Seen)
    where
        O: Objects<S, D>,
    {
        let ids = &self.order[first..first + block.len()];
        for (position, (staged, &id)) in (first..).zip(block.iter_mut().zip(ids)) {
            if let Some(&soon) = self.order.get(position + AHEAD) {
                self.objects.expect(soon as usize);
            }
            let id = id as usize;
            *staged = if id < self.len {
                seen.grouped |= self.objects.groups(id) != Groups::ALL;
                seen.round |= self.objects.ball(id).is_some();
                Staged { bounds: self.objects.bounds(id), place: Place { cell: Place::LISTED, rank: 0 } }
            } else {
                Staged::VACANT
            };
        }
        for (staged, &id) in block.iter_mut().zip(ids) {
            if !staged.bounds.is_valid() && !staged.place.is_vacant() {
                staged.place = Place { cell: Place::REJECTED, rank: self.rejected.take(1) as u32 };
                memory::push(&mut seen.rejected, Rejected { index: id as usize, reason: reason(&staged.bounds) });
            }
        }
    }
}

#[cold]
fn reason<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> RejectReason {
    let nan = bounds.min.iter().chain(&bounds.max).any(|bound| bound.is_nan());
    if nan { RejectReason::NotANumber } else { RejectReason::Inverted }
}
