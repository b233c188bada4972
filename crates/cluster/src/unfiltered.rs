//! Objects without their own filter. The one module with unsafe code.

use bytemuck::TransparentWrapper;
use pivotgrid::{Aabb, Ball, Bounded, Groups, Scalar};

/// An object that is not asked `pairs_with`: that would be asked on one rank and not on several.
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
