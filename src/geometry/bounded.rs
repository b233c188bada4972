//! What the engine asks of a user's object.

use crate::{Aabb, Ball, Groups, Scalar};

/// Something that has a box. Implement it for your body or particle type and hand the engine a slice of them; plain
/// [`Aabb`]s work as they are.
///
/// ```
/// use pivotgrid::{Aabb, Bounded, BroadPhase};
///
/// struct Ball { center: [f32; 2], radius: f32, team: u8 }
///
/// impl Bounded<f32, 2> for Ball {
///     fn aabb(&self) -> Aabb<f32, 2> {
///         Aabb::around(self.center, [self.radius; 2])
///     }
///     fn pairs_with(&self, other: &Self) -> bool {
///         self.team != other.team
///     }
/// }
///
/// let balls = [
///     Ball { center: [0.0, 0.0], radius: 1.0, team: 1 },
///     Ball { center: [1.0, 0.0], radius: 1.0, team: 1 },
///     Ball { center: [2.0, 0.0], radius: 1.0, team: 2 },
/// ];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let pairs: Vec<(u32, u32)> = broad_phase.detect(&balls).sorted().iter().map(|p| (p.a, p.b)).collect();
/// assert_eq!(pairs, [(0, 2), (1, 2)]);
/// ```
pub trait Bounded<S: Scalar, const D: usize> {
    /// The object's box in this step. Called once per object and step, from any thread of the step.
    fn aabb(&self) -> Aabb<S, D>;

    /// Whether the pair is wanted. Asked only about objects whose boxes overlap, once per pair, from any thread, in either
    /// order of the two; so it should be symmetric. Without a filter the question costs nothing.
    #[inline]
    fn pairs_with(&self, _other: &Self) -> bool {
        true
    }

    /// Which objects it pairs with, by groups and body: see [`Groups`]. Cheaper than [`pairs_with`](Self::pairs_with), because it
    /// is asked once per object and the kernels check it. Asked from any of the pool's threads.
    #[inline]
    fn groups(&self) -> Groups {
        Groups::ALL
    }

    /// The ball that the object is, if it is one. Two balls pair if they touch, exactly, and not already if their boxes overlap;
    /// a ball and something else pair by their boxes. The box must be wide enough, as [`Ball::aabb`] is.
    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        None
    }
}

impl<S: Scalar, const D: usize> Bounded<S, D> for Aabb<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        *self
    }
}

impl<S: Scalar, const D: usize, T: Bounded<S, D>> Bounded<S, D> for &T {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        T::aabb(self)
    }
    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        T::pairs_with(self, other)
    }
    #[inline]
    fn groups(&self) -> Groups {
        T::groups(self)
    }
    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        T::ball(self)
    }
}
