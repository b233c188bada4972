//! How large an object is to a grid.

use crate::Bounds;

/// Rounding must not put boxes that touch two cells apart. A box that is not a point is larger than 2⁻²⁵ of its largest
/// coordinate, so in a grid whose cells are larger than it coordinates are below 2²⁵ cells, and double precision errs by less
/// than 2⁻²⁷ of a cell. This much is more than enough.
const SLACK: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// The longest edge, as in section 2.3, a hair more than it is. Nothing if a bound is infinite or not a number.
#[inline]
pub(crate) fn size<const D: usize>(bounds: &Bounds<D>) -> Option<f64> {
    let mut longest = 0.0;
    let mut sum = 0.0;
    for axis in 0..D {
        let edge = f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]);
        longest = if edge > longest { edge } else { longest };
        sum += edge;
    }
    // Edges between finite bounds cannot overflow in double precision, and any other bound spoils the sum.
    sum.is_finite().then_some(longest * SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_edge_of_a_finite_box() {
        assert_eq!(size(&Bounds::new([-1.0, 0.0], [1.0, 0.5])), Some(2.0 * SLACK));
        assert_eq!(size(&Bounds::new([3.0, 3.0], [3.0, 3.0])), Some(0.0));
        assert!(size(&Bounds::new([f32::MIN; 3], [f32::MAX; 3])).is_some());
    }

    #[test]
    fn no_size_without_finite_bounds() {
        for odd in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(size(&Bounds::new([0.0, odd], [1.0, 1.0])), None);
            assert_eq!(size(&Bounds::new([0.0, 0.0], [odd, 1.0])), None);
            assert_eq!(size(&Bounds::new([odd, 0.0], [odd, 1.0])), None);
        }
    }
}
