//! Uniform hashing: section 2.1.

use super::classes::Choice;
use super::multilevel::MultilevelHashing;
use super::queries::Queries;
use crate::{Bounds, Pairs, System};

/// Pouchol et al., section 2.1, after Teschner et al.: one cell size for all. The paper's footnote 1 calls it multilevel
/// hashing with one level, and that is what it is here.
///
/// Without a given cell size, and where an object is larger than the given one, the cell is that of the largest object. So no
/// object covers more than two cells per axis and memory is bounded, but small objects crowd where a large one sets the cell
/// size.
#[derive(Clone, Debug)]
pub struct UniformHashing<const D: usize>(MultilevelHashing<D>);

impl<const D: usize> UniformHashing<D> {
    /// Cells for the largest object.
    pub fn new() -> Self {
        UniformHashing(MultilevelHashing::with_choice(Choice::One { size: None }))
    }

    /// Cells of the given size, for neighbor search the interaction radius, doubled until they hold the largest object.
    pub fn with_cell_size(size: f32) -> Self {
        UniformHashing(MultilevelHashing::with_choice(Choice::One { size: Some(size) }))
    }
}

impl<const D: usize> Default for UniformHashing<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> System<D> for UniformHashing<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        self.0.update(boxes);
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        self.0.report(boxes, pairs);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl<const D: usize> Queries<D> for UniformHashing<D> {
    fn build(&mut self, boxes: &[Bounds<D>]) {
        self.0.build(boxes);
    }

    fn overlapping(&self, boxes: &[Bounds<D>], query: &Bounds<D>, found: &mut Vec<u32>) {
        self.0.overlapping(boxes, query, found);
    }

    fn within(&self, boxes: &[Bounds<D>], point: [f32; D], radius: f32, found: &mut Vec<u32>) {
        self.0.within(boxes, point, radius, found);
    }
}
