//! What a step reads: objects by index, wherever they are.

use crate::runtime::prefetch::prefetch;
use crate::{Aabb, Ball, Bounded, Groups, Scalar};

/// Objects by index. Asked only about indices below [`len`](Self::len), except for pairs.
pub(crate) trait Objects<S: Scalar, const D: usize>: Sync {
    fn len(&self) -> usize;

    fn bounds(&self, index: usize) -> Aabb<S, D>;

    #[inline(always)]
    fn groups(&self, _index: usize) -> Groups {
        Groups::ALL
    }

    #[inline(always)]
    fn ball(&self, _index: usize) -> Option<Ball<S, D>> {
        None
    }

    #[inline(always)]
    fn pair(&self, _a: usize, _b: usize) -> bool {
        true
    }

    /// The object will be asked for its box soon.
    #[inline(always)]
    fn expect(&self, _index: usize) {}
}

impl<S: Scalar, const D: usize, T: Bounded<S, D> + Sync> Objects<S, D> for [T] {
    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self[index].aabb()
    }

    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        // `get`, here and below: a bounds check that could panic would keep the compiler from dropping what does nothing.
        self.get(index).map_or(Groups::ALL, T::groups)
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        self.get(index).and_then(T::ball)
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.pairs_with(b),
            _ => true,
        }
    }

    #[inline(always)]
    fn expect(&self, index: usize) {
        prefetch(self, index);
    }
}

/// Objects that a function knows.
pub(crate) struct By<F> {
    pub(crate) len: usize,
    pub(crate) bounds: F,
}

impl<S: Scalar, const D: usize, F: Fn(usize) -> Aabb<S, D> + Sync> Objects<S, D> for By<F> {
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        (self.bounds)(index)
    }
}
