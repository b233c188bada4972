//! Boxes with a margin.

use crate::{Aabb, Scalar};

impl<S: Scalar, const D: usize> Aabb<S, D> {
    /// The box that reaches `margin` further to every side. Despite rounding it covers this one, unless the margin is negative. An infinite
    /// margin makes it the whole space, whatever the bounds are. See [`PairTracker`](crate::PairTracker#margins) for its use.
    ///
    /// ```
    /// use pivotgrid::Aabb;
    ///
    /// let tight = Aabb::new([0.0, 2.0], [1.0, 3.0]);
    /// assert_eq!(tight.with_margin(0.5), Aabb::new([-0.5, 1.5], [1.5, 3.5]));
    /// ```
    #[inline]
    #[must_use]
    pub fn with_margin(&self, margin: S) -> Self {
        Aabb { min: self.min.map(|bound| bound.lowered(margin)), max: self.max.map(|bound| bound.raised(margin)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_margin_covers_everything() {
        let infinity = f32::INFINITY;
        let everything = Aabb::new([-infinity; 2], [infinity; 2]);
        for bounds in [
            Aabb::new([infinity; 2], [infinity; 2]),
            Aabb::new([-infinity; 2], [-infinity; 2]),
            Aabb::new([-infinity, 0.0], [3.0, infinity]),
            everything,
        ] {
            assert_eq!(bounds.with_margin(infinity), everything);
            assert_eq!(Aabb::around(bounds.min, [infinity; 2]), everything);
            assert_eq!(crate::Ball::new(bounds.max, infinity).aabb(), everything);
            assert!(!bounds.with_margin(-infinity).is_valid(), "nothing is left of it");
        }
        let nan = Aabb::new([f32::NAN; 2], [0.0; 2]).with_margin(infinity);
        assert!(nan.min.iter().all(|x| x.is_nan()) && nan.max == [infinity; 2]);
        assert!(Aabb::new([0.0; 2], [1.0f32; 2]).with_margin(f32::NAN).min[0].is_nan());
    }
}
