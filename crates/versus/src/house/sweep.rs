//! Sweep and prune along the axis on which the objects are spread out most.

use std::ops::Range;

use pivotgrid::Pair;
use pulp::{Arch, Simd, WithSimd};

use super::columns::Columns;
use super::sort::sort;
use crate::found::Found;
use crate::{Answer, Bounds, Rival};

/// The items are a bound above and an index below.
const INDEX_BITS: u32 = 32;

#[derive(Debug)]
pub(crate) struct Sweep<const D: usize> {
    threads: usize,
    items: Vec<u64>,
    scratch: Vec<u64>,
    columns: Columns<D>,
    found: Found,
}

impl<const D: usize> Sweep<D> {
    pub(crate) fn new(threads: usize) -> Self {
        Sweep { threads, items: Vec::new(), scratch: Vec::new(), columns: Columns::new(), found: Found::new(threads) }
    }
}

impl<const D: usize> Rival<D> for Sweep<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let n = boxes.len();
        let axis = widest(boxes);
        self.items.clear();
        let item = |(id, bounds): (usize, &Bounds<D>)| u64::from(ascending(bounds.min[axis])) << INDEX_BITS | id as u64;
        self.items.extend(boxes.iter().enumerate().map(item));
        self.scratch.resize(n, 0);
        sort(&mut self.items, &mut self.scratch, INDEX_BITS, u64::BITS, self.threads);

        let mut axes = std::array::from_fn(|axis| axis);
        axes.swap(0, axis);
        self.columns.load(boxes, &self.items, INDEX_BITS, axes, self.threads);

        let (columns, arch) = (&self.columns, Arch::new());
        self.found.fill(n, |range, found| arch.dispatch(Search { columns, range, found }))
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

/// The axis on which the centres vary most.
fn widest<const D: usize>(boxes: &[Bounds<D>]) -> usize {
    let (mut sums, mut squares) = ([0.0_f64; D], [0.0_f64; D]);
    for bounds in boxes {
        for axis in 0..D {
            let centre = f64::from(bounds.min[axis]) + f64::from(bounds.max[axis]);
            sums[axis] += centre;
            squares[axis] += centre * centre;
        }
    }
    let variance = |axis: usize| squares[axis] - sums[axis] * sums[axis] / boxes.len() as f64;
    (0..D).max_by(|a, b| variance(*a).total_cmp(&variance(*b))).expect("at least one axis")
}

/// The number as an integer with the same order.
fn ascending(x: f32) -> u32 {
    // Adding 0 makes the negative zero a positive one.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
