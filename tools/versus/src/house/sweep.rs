//! Sweep and prune along the axis on which the objects are spread out most, for their size.

use std::ops::Range;

use pivotgrid::{InstructionSet, Pair};
use pulp::{Simd, WithSimd};

use super::columns::Columns;
use super::search_with;
use crate::found::Found;
use crate::{Answer, Bounds, Resources, Rival};

#[derive(Debug)]
pub(crate) struct Sweep<const D: usize> {
    columns: Columns<D>,
    found: Found,
    instructions: InstructionSet,
}

impl<const D: usize> Sweep<D> {
    pub(crate) fn new(Resources { threads, instructions }: Resources) -> Self {
        Sweep { columns: Columns::new(threads), found: Found::new(threads), instructions }
    }
}

impl<const D: usize> Rival<D> for Sweep<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let axis = widest(boxes);
        let mut axes = std::array::from_fn(|axis| axis);
        axes.swap(0, axis);
        self.columns.fill(boxes, axes, u32::BITS, |bounds| u64::from(ascending(bounds.min[axis])));

        let (columns, instructions) = (&self.columns, self.instructions);
        self.found.fill(boxes.len(), |range, found| search_with(instructions, Search { columns, range, found }))
    }
}

struct Search<'a, const D: usize> {
    columns: &'a Columns<D>,
    range: Range<usize>,
    found: &'a mut Vec<Pair>,
}

/// What is inlined here is compiled once more for AVX2, and that is what runs where there is one.
impl<const D: usize> WithSimd for Search<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for k in self.range {
            self.columns.test_swept(k, self.found);
        }
    }
}

/// The axis on which the centers vary most, measured in mean edges: where sizes are alike, the widest. An axis on which boxes are
/// infinite, or on which all are the same, is the last choice.
fn widest<const D: usize>(boxes: &[Bounds<D>]) -> usize {
    let (mut sums, mut squares, mut edges) = ([0.0_f64; D], [0.0_f64; D], [0.0_f64; D]);
    for bounds in boxes {
        for axis in 0..D {
            let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            let center = min + max;
            sums[axis] += center;
            squares[axis] += center * center;
            edges[axis] += max - min;
        }
    }
    let spread = |axis: usize| {
        let variance = squares[axis] - sums[axis] * sums[axis] / boxes.len() as f64;
        let spread = variance / (edges[axis] * edges[axis]);
        if spread.is_nan() { -1.0 } else { spread }
    };
    (0..D).max_by(|a, b| spread(*a).total_cmp(&spread(*b))).expect("at least one axis")
}

/// The number as an integer with the same order.
fn ascending(x: f32) -> u32 {
    // Adding 0 makes the negative zero a positive one.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
