//! [`Bounded`]: what the engine reads of a user's object.

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
    /// The object's box in this step. Called once per object and step, from any thread of the step; in a
    /// [`Periodic`](crate::Periodic) domain two or three times.
    fn aabb(&self) -> Aabb<S, D>;

    /// Whether to keep the pair. Called only for objects whose boxes overlap, once per pair, from any thread, and with the two in either
    /// order; so it should be symmetric. The default keeps all pairs and costs nothing.
    #[inline]
    fn pairs_with(&self, _other: &Self) -> bool {
        true
    }

    /// [`pairs_with`](Self::pairs_with) in a [`Periodic`](crate::Periodic) domain, where the other object's box, moved by `shift`, overlaps
    /// this one's. Called once per meeting: two objects that meet in several places are several pairs. Moving the other up or this one down
    /// is the same, so it should be symmetric in that sense. Implement it where the answer depends on where objects are.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Periodic, PeriodicError, PeriodicPair, MovingBox};
    ///
    /// // Both leave the domain to the right. One is late, and the other one, in front of it, comes in again on the left.
    /// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false])?;
    /// let at = |x: f32| Aabb::around([x, 0.0], [0.5, 0.5]);
    /// let moving = [MovingBox::new(at(9.0), at(12.0)), MovingBox::new(at(1.0), at(1.5)), MovingBox::new(at(3.0), at(9.0))];
    /// assert_eq!(ring.par_detect(&moving).sorted(), [PeriodicPair { a: 0, b: 1, shift: [1, 0] }]);
    /// # Ok::<(), PeriodicError>(())
    /// ```
    #[inline]
    fn pairs_with_moved(&self, other: &Self, _shift: [S; D]) -> bool {
        self.pairs_with(other)
    }

    /// Which objects it pairs with, by groups and body: see [`Groups`]. Cheaper than [`pairs_with`](Self::pairs_with), because it
    /// is called once per object and the kernels check it. Called on any of the pool's threads.
    #[inline]
    fn groups(&self) -> Groups {
        Groups::ALL
    }

    /// The ball that the object is, if it is one. Two balls pair if they touch, decided exactly; overlapping boxes are not enough. A ball
    /// and any other object pair by their boxes. The box must be wide enough, as [`Ball::aabb`] is.
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
    fn pairs_with_moved(&self, other: &Self, shift: [S; D]) -> bool {
        T::pairs_with_moved(self, other, shift)
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
