//! Boxes with a margin.

use crate::{Aabb, Scalar};

impl<S: Scalar, const D: usize> Aabb<S, D> {
    /// The box that reaches `margin` further to every side. However it is rounded, it covers this one, unless the margin is
    /// negative. See [`PairTracker`](crate::PairTracker#margins) for what it is good for.
    ///
    /// ```
    /// use pivotgrid::Aabb;
    ///
    /// let tight = Aabb::new([0.0, 2.0], [1.0, 3.0]);
    /// assert_eq!(tight.with_margin(0.5), Aabb::new([-0.5, 1.5], [1.5, 3.5]));
    /// ```
    #[inline]
    pub fn with_margin(&self, margin: S) -> Self {
        Aabb { min: self.min.map(|bound| bound - margin), max: self.max.map(|bound| bound + margin) }
    }
}
