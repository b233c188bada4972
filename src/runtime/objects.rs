//! The input of a step: objects by index, wherever they are.

use crate::runtime::prefetch::prefetch;
use crate::{Aabb, Ball, Bounded, Groups, Scalar};

/// Objects by index. Called only with indices below [`len`](Self::len), except for pairs.
pub trait Objects<S: Scalar, const D: usize>: Sync {
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

    /// Whether the pair passes the user's filter, apart from groups and balls.
    #[inline(always)]
    fn pair(&self, _a: usize, _b: usize) -> bool {
        true
    }

    /// [`pair`](Self::pair) of which the second one is moved.
    #[inline(always)]
    fn pair_moved(&self, a: usize, b: usize, _shift: impl FnOnce() -> [S; D]) -> bool {
        self.pair(a, b)
    }

    /// Prefetches an object whose box will be read soon.
    #[inline(always)]
    fn prefetch(&self, _index: usize) {}
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
        // `get`, here and below: with a bounds check that could panic, the compiler could not remove code without effect.
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
    fn pair_moved(&self, a: usize, b: usize, shift: impl FnOnce() -> [S; D]) -> bool {
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.pairs_with_moved(b, shift()),
            _ => true,
        }
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        prefetch(self, index);
    }
}

impl<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized> Objects<S, D> for &O {
    fn len(&self) -> usize {
        O::len(self)
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        O::bounds(self, index)
    }

    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        O::groups(self, index)
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        O::ball(self, index)
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        O::pair(self, a, b)
    }

    #[inline(always)]
    fn pair_moved(&self, a: usize, b: usize, shift: impl FnOnce() -> [S; D]) -> bool {
        O::pair_moved(self, a, b, shift)
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        O::prefetch(self, index);
    }
}

/// Objects whose boxes a function returns.
#[derive(Clone, Copy, Debug)]
pub struct FnObjects<F> {
    pub(crate) len: usize,
    pub(crate) bounds: F,
}

impl<S: Scalar, const D: usize, F: Fn(usize) -> Aabb<S, D> + Sync> Objects<S, D> for FnObjects<F> {
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        (self.bounds)(index)
    }
}

/// Objects whose groups a function returns.
#[derive(Clone, Copy, Debug)]
pub struct WithGroups<O, G> {
    pub(crate) objects: O,
    pub(crate) groups: G,
}

impl<S: Scalar, const D: usize, O: Objects<S, D>, G: Fn(usize) -> Groups + Sync> Objects<S, D> for WithGroups<O, G> {
    fn len(&self) -> usize {
        self.objects.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self.objects.bounds(index)
    }

    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        (self.groups)(index)
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        self.objects.ball(index)
    }
}

/// Objects with a function that returns the ball of each that is one.
#[derive(Clone, Copy, Debug)]
pub struct WithBalls<O, B> {
    pub(crate) objects: O,
    pub(crate) balls: B,
}

impl<S: Scalar, const D: usize, O, B> Objects<S, D> for WithBalls<O, B>
where
    O: Objects<S, D>,
    B: Fn(usize) -> Option<Ball<S, D>> + Sync,
{
    fn len(&self) -> usize {
        self.objects.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self.objects.bounds(index)
    }

    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        self.objects.groups(index)
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        (self.balls)(index)
    }
}
