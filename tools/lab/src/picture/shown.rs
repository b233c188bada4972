//! Boxes as the picture needs them: in `f64`, whatever the scene is made of.

use pivotgrid::{Aabb, DebugBlock, DebugObject, Scalar};

/// An object, a chunk or a cell. In two dimensions z is 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// Of an object; 0 for the others.
    pub(crate) index: usize,
    pub(crate) level: Option<usize>,
    pub(crate) min: [f64; 3],
    pub(crate) max: [f64; 3],
}

impl Shown {
    pub(crate) fn object<S: Scalar + Into<f64>, const D: usize>(object: DebugObject<S, D>) -> Self {
        Shown { index: object.index, ..Self::boxed(object.bounds, object.level) }
    }

    pub(crate) fn block<S: Scalar + Into<f64>, const D: usize>(block: DebugBlock<S, D>) -> Self {
        Self::boxed(block.bounds, Some(block.level))
    }

    fn boxed<S: Scalar + Into<f64>, const D: usize>(bounds: Aabb<S, D>, level: Option<usize>) -> Self {
        let corner = |corner: [S; D]| std::array::from_fn(|axis| corner.get(axis).map_or(0.0, |&along| along.into()));
        Shown { index: 0, level, min: corner(bounds.min), max: corner(bounds.max) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.min.iter().chain(&self.max).all(|bound| bound.is_finite())
    }

    pub(crate) fn center(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.min[axis] / 2.0 + self.max[axis] / 2.0)
    }

    /// How far a coordinate lies outside of the box along an axis; 0 inside.
    pub(crate) fn distance(&self, axis: usize, from: f64) -> f64 {
        (self.min[axis] - from).max(from - self.max[axis]).max(0.0)
    }

    /// The longer edge, seen from above.
    pub(crate) fn width(&self) -> f64 {
        (self.max[0] - self.min[0]).max(self.max[1] - self.min[1])
    }
}
