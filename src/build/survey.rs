//! What the planner wants to know of a scene: how far it extends and which sizes occur how often.

use std::ops::Range;

use crate::layout::staged::StagedBoxes;
use crate::lockfree::Bound;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// One class per power of two of the longest edge.
const CLASSES: usize = 256;
/// The class of edges from 1 up to 2; the others are above and below it, the outermost hold what lies beyond.
const CLASS_OF_ONE: i32 = 128;

/// The box around all finite objects, which all workers extend together.
pub(crate) struct Extent<S, const D: usize> {
    /// The least corner, negated, because a bound only rises.
    below: [Bound<S>; D],
    above: [Bound<S>; D],
}

impl<S: Scalar, const D: usize> Extent<S, D> {
    pub(crate) fn new() -> Self {
        let bounds = || std::array::from_fn(|_| Bound::new(S::NEG_INFINITY));
        Extent { below: bounds(), above: bounds() }
    }

    fn cover(&self, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            self.below[axis].raise(S::ZERO - bounds.min[axis]);
            self.above[axis].raise(bounds.max[axis]);
        }
    }

    /// Low corner and edges; all 0 if nothing was covered.
    pub(crate) fn get(&self) -> ([f64; 3], [f64; 3]) {
        let (mut low, mut edges) = ([0.0; 3], [0.0; 3]);
        for axis in 0..D {
            let (least, greatest) = (-self.below[axis].get().to_f64(), self.above[axis].get().to_f64());
            if least <= greatest {
                low[axis] = least;
                edges[axis] = (greatest - least).min(f64::MAX);
            }
        }
        (low, edges)
    }
}

/// How many objects of which size a worker saw. Estimates only: nothing that decides about a pair comes from here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    classes: Vec<SizeClass>,
    unbounded: usize,
}

/// Objects of about the same longest edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SizeClass {
    pub(crate) objects: usize,
    /// Sum of the edges, by axis.
    pub(crate) sum: [f64; 3],
    /// Largest edge, by axis.
    pub(crate) max: [f64; 3],
}

impl SizeClass {
    pub(crate) fn absorb(&mut self, other: &SizeClass) {
        self.objects += other.objects;
        for axis in 0..3 {
            self.sum[axis] += other.sum[axis];
            self.max[axis] = self.max[axis].max(other.max[axis]);
        }
    }

    pub(crate) fn mean(&self) -> [f64; 3] {
        self.sum.map(|sum| sum / self.objects as f64)
    }
}

impl Survey {
    /// Makes it ready to observe.
    pub(crate) fn clear(&mut self) {
        self.classes.clear();
        memory::reserve_exact(&mut self.classes, CLASSES);
        self.classes.resize(CLASSES, SizeClass::default());
        self.unbounded = 0;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.classes.capacity() * size_of::<SizeClass>()
    }

    /// Takes in the boxes of some positions.
    pub(crate) fn observe<S: Scalar, const D: usize>(
        &mut self,
        boxes: StagedBoxes<'_, S, D>,
        positions: Range<usize>,
        extent: &Extent<S, D>,
    ) {
        let mut around = Aabb::EMPTY;
        for bounds in positions.filter_map(|position| boxes.get(position)) {
            let bounds = &bounds;
            let mut edges = [0.0; 3];
            for (axis, edge) in edges.iter_mut().enumerate().take(D) {
                *edge = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
            }
            let longest = edges[0].max(edges[1]).max(edges[2]);
            if !longest.is_finite() {
                self.unbounded += 1;
                continue;
            }
            around.grow(bounds);
            let class = &mut self.classes[class_of(longest)];
            class.objects += 1;
            for axis in 0..D {
                class.sum[axis] += edges[axis];
                class.max[axis] = class.max[axis].max(edges[axis]);
            }
        }
        extent.cover(&around);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.unbounded += other.unbounded;
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.absorb(theirs);
        }
    }

    /// The classes that occur, from small to large.
    pub(crate) fn classes(&self) -> Vec<SizeClass> {
        memory::collect(self.classes.iter().filter(|class| class.objects > 0).copied())
    }

    /// How many objects are infinite.
    pub(crate) fn unbounded(&self) -> usize {
        self.unbounded
    }
}

fn class_of(edge: f64) -> usize {
    let exponent = (edge.to_bits() >> 52) as i32 - 1023;
    (exponent + CLASS_OF_ONE).clamp(0, CLASSES as i32 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two_and_saturate() {
        assert_eq!(class_of(1.0), 128);
        assert_eq!(class_of(1.999), 128);
        assert_eq!(class_of(2.0), 129);
        assert_eq!(class_of(0.0), 0);
        assert_eq!(class_of(1e300), CLASSES - 1);
    }
}
