//! Objects without their own filter. The one module with unsafe code.

use bytemuck::TransparentWrapper;
use pivotgrid::{Aabb, Ball, Bounded, Groups, Scalar};

/// An object without `pairs_with`: with several ranks the other object may be on another machine, so one rank must not call it either.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Unfiltered<T>(T);

// SAFETY: `repr(transparent)`, and `T` is the only field.
unsafe impl<T> TransparentWrapper<T> for Unfiltered<T> {}

impl<S: Scalar, const D: usize, T: Bounded<S, D>> Bounded<S, D> for Unfiltered<T> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        self.0.aabb()
    }
    #[inline]
    fn groups(&self) -> Groups {
        self.0.groups()
    }
    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        self.0.ball()
    }
}
