//! The space that is to be divided.

use crate::Bounds;
use crate::schornbaum::{Unbounded, size};

/// What the lower corners of all finite boxes are in, and how large these boxes are at most. In waLBerla the user says so
/// (section 2.1); here it is measured at each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Domain<const D: usize> {
    pub(crate) min: [f64; D],
    pub(crate) max: [f64; D],
    pub(crate) largest: f64,
}

impl<const D: usize> Domain<D> {
    /// Nothing without finite boxes. The others are put aside.
    pub(crate) fn of(boxes: &[Bounds<D>], unbounded: &mut Unbounded) -> Option<Self> {
        let mut domain = Domain { min: [f64::INFINITY; D], max: [f64::NEG_INFINITY; D], largest: 0.0 };
        unbounded.clear();
        for (id, bounds) in boxes.iter().enumerate() {
            let Some(size) = size(bounds) else {
                unbounded.push(id as u32);
                continue;
            };
            domain.largest = if size > domain.largest { size } else { domain.largest };
            for axis in 0..D {
                let x = f64::from(bounds.min[axis]);
                domain.min[axis] = if x < domain.min[axis] { x } else { domain.min[axis] };
                domain.max[axis] = if x > domain.max[axis] { x } else { domain.max[axis] };
            }
        }
        (domain.min[0] <= domain.max[0]).then_some(domain)
    }

    /// The longest edge.
    pub(crate) fn extent(&self) -> f64 {
        (0..D).map(|axis| self.max[axis] - self.min[axis]).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_boxes_count() {
        let mut unbounded = Unbounded::default();
        let plane = Bounds { min: [f32::NEG_INFINITY, 0.0], max: [f32::INFINITY, 1.0] };
        assert!(Domain::<2>::of(&[], &mut unbounded).is_none() && Domain::of(&[plane], &mut unbounded).is_none());
        let boxes = [Bounds::new([-5.0, 1.0], [-4.0, 1.5]), plane, Bounds::new([2.0, 3.0], [2.5, 3.0])];
        let domain = Domain::of(&boxes, &mut unbounded).unwrap();
        assert_eq!((domain.min, domain.max, domain.extent()), ([-5.0, 1.0], [2.0, 3.0], 7.0));
        assert!((1.0..1.001).contains(&domain.largest));
    }
}
