//! The detection step.

use crate::{Bounds, Pairs};

use super::crowd::Crowd;
use super::hash_grid::HashGrid;

/// Memory of the detection step.
#[derive(Clone, Debug)]
pub(crate) struct Detection<const D: usize> {
    crowd: Crowd<D>,
    sorted: Vec<u32>,
}

impl<const D: usize> Detection<D> {
    pub(crate) fn new() -> Self {
        Detection { crowd: Crowd::new(), sorted: Vec::new() }
    }

    /// Algorithm 4 (section 3.6): in each grid each occupied cell against itself and half of its neighbors, then each of its
    /// objects against the cells around it in all coarser grids. The grids come sorted from the smallest cells to the largest.
    pub(crate) fn run(&mut self, grids: &[&HashGrid<D>], in_order: bool, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let Detection { crowd, sorted } = self;
        for (k, grid) in grids.iter().enumerate() {
            let mut cells = grid.occupied();
            if in_order {
                sorted.clear();
                sorted.extend_from_slice(cells);
                sorted.sort_unstable();
                cells = sorted;
            }
            for &cell in cells {
                crowd.clear();
                grid.for_each(cell, |id| crowd.push(boxes, id));
                crowd.compare_inside(pairs);
                grid.for_each_in_half(cell, |id| crowd.compare(boxes, id, pairs));

                for coarser in &grids[k + 1..] {
                    for (bounds, id) in crowd.members() {
                        coarser.for_each_around(coarser.cell(bounds), |other| pairs.compare(boxes, *id, other));
                    }
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.crowd.bytes() + self.sorted.capacity() * size_of::<u32>()
    }
}
