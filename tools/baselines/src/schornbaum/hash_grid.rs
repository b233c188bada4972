//! One grid of the hierarchy.

use std::ops::Range;

use crate::Bounds;

use super::containers::{Container, Containers, EMPTY, Spot};
use super::offsets::Offsets;

/// No grid has more cells than these, so that indices and offsets fit 32 bits.
const MOST_BITS: u32 = 30;
/// With fewer than four cells along an axis, a cell would meet a neighbor twice (section 3.8).
const FEWEST_AXIS_BITS: u32 = 2;

/// A block of cells that stands for a grid without end: cells that are a block apart share their objects (sections 2.5 and
/// 3.2).
#[derive(Clone, Debug)]
pub(crate) struct HashGrid<const D: usize> {
    /// Which power of the hierarchy factor the cell size is.
    pub(crate) level: i32,
    /// Suitable objects: below the cell size, and not below the next finer one (equation 3.3.3).
    sizes: Range<f64>,
    /// Of the cell size.
    inverse: f64,
    /// The block has 2^this cells along each axis.
    axis_bits: u32,
    cells: Vec<Container>,
    containers: Containers,
    occupied: Vec<u32>,
    offsets: Offsets<D>,
    objects: usize,
}

impl<const D: usize> HashGrid<D> {
    /// A grid with about 2^`bits` cells.
    pub(crate) fn new(level: i32, sizes: Range<f64>, bits: u32) -> Self {
        let axis_bits = (bits.min(MOST_BITS) / D as u32).max(FEWEST_AXIS_BITS);
        HashGrid {
            level,
            inverse: 1.0 / sizes.end,
            sizes,
            axis_bits,
            cells: vec![EMPTY; 1 << (axis_bits * D as u32)],
            containers: Containers::new(),
            occupied: Vec::new(),
            offsets: Offsets::new(axis_bits),
            objects: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// Whether objects of this size belong here. Points belong anywhere.
    #[inline]
    pub(crate) fn suits(&self, size: f64) -> bool {
        self.sizes.contains(&size) || size == 0.0
    }

    /// The cell that a box's lower corner is in.
    #[inline]
    pub(crate) fn cell(&self, bounds: &Bounds<D>) -> u32 {
        let last = (1 << self.axis_bits) - 1;
        let mut cell = 0;
        for axis in (0..D).rev() {
            let scaled = f64::from(bounds.min[axis]) * self.inverse;
            // Rounded down by hand: without SSE 4.1 `floor` is a function call.
            let truncated = scaled as i64;
            let whole = truncated.wrapping_sub(i64::from(scaled < truncated as f64));
            cell = cell << self.axis_bits | whole as u32 & last;
        }
        cell
    }

    /// Puts an object into a cell (section 3.4).
    #[inline]
    pub(crate) fn insert(&mut self, id: u32, cell: u32) -> Spot {
        self.objects += 1;
        let container = &mut self.cells[cell as usize];
        if *container == EMPTY {
            *container = self.containers.open(self.occupied.len() as u32);
            self.occupied.push(cell);
        }
        self.containers.insert(container, id)
    }

    /// Takes an object out of its cell (section 3.5), and returns which other one is in its spot now.
    pub(crate) fn remove(&mut self, cell: u32, spot: Spot) -> Option<u32> {
        self.objects -= 1;
        let container = &mut self.cells[cell as usize];
        let rank = self.containers.rank(*container);
        let moved = self.containers.remove(container, spot);
        if *container == EMPTY {
            self.occupied.swap_remove(rank as usize);
            if let Some(&cell) = self.occupied.get(rank as usize) {
                self.containers.set_rank(self.cells[cell as usize], rank);
            }
        }
        moved
    }

    /// Takes all objects out.
    pub(crate) fn clear(&mut self) {
        for cell in self.occupied.drain(..) {
            self.cells[cell as usize] = EMPTY;
        }
        self.containers.clear();
        self.objects = 0;
    }

    /// Whether there are fewer cells per object than that, and the grid could still grow.
    #[inline]
    pub(crate) fn is_crowded(&self, cells_per_object: u32) -> bool {
        self.cells.len() < self.objects * cells_per_object as usize && (self.axis_bits + 1) * D as u32 <= MOST_BITS
    }

    /// Doubles the number of cells along each axis, and says where each object is then: its index, cell and spot.
    pub(crate) fn grow(&mut self, boxes: &[Bounds<D>], mut placed: impl FnMut(u32, u32, Spot)) {
        let mut grown = Self::new(self.level, self.sizes.clone(), (self.axis_bits + 1) * D as u32);
        for &cell in &self.occupied {
            self.for_each(cell, |id| {
                let cell = grown.cell(&boxes[id as usize]);
                let spot = grown.insert(id, cell);
                placed(id, cell, spot);
            });
        }
        *self = grown;
    }

    /// The cells that hold objects.
    pub(crate) fn occupied(&self) -> &[u32] {
        &self.occupied
    }

    /// Visits a cell's objects.
    #[inline(always)]
    pub(crate) fn for_each(&self, cell: u32, visit: impl FnMut(u32)) {
        self.containers.for_each(self.cells[cell as usize], visit);
    }

    /// Visits the objects of the first half of a cell's neighbors.
    #[inline(always)]
    pub(crate) fn for_each_in_half(&self, cell: u32, visit: impl FnMut(u32)) {
        self.for_each_at(cell, self.offsets.half(cell), visit);
    }

    /// Visits the objects of a cell and all its neighbors.
    #[inline(always)]
    pub(crate) fn for_each_around(&self, cell: u32, visit: impl FnMut(u32)) {
        self.for_each_at(cell, self.offsets.around(cell), visit);
    }

    /// Most neighbors are empty, and which ones cannot be predicted: so first all are looked up without a branch.
    #[inline(always)]
    fn for_each_at(&self, cell: u32, offsets: &[u32], mut visit: impl FnMut(u32)) {
        let mut filled = [EMPTY; 27];
        let mut count = 0;
        for offset in offsets {
            let container = self.cells[cell.wrapping_add(*offset) as usize];
            filled[count] = container;
            count += usize::from(container != EMPTY);
        }
        filled[..count].iter().for_each(|container| self.containers.for_each(*container, &mut visit));
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.cells.capacity() + self.occupied.capacity()) * size_of::<u32>() + self.containers.bytes() + self.offsets.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Bounds<2> {
        Bounds::new([x, y], [x, y])
    }

    #[test]
    fn cells_count_on_below_zero_and_repeat_after_a_block() {
        let grid = HashGrid::<2>::new(0, 1.0..2.0, 8);
        let cell = |x| grid.cell(&at(x, 0.0));
        assert_eq!([-2.0, -0.1, 0.0, 1.9, 2.0, 31.9, 32.0].map(cell), [15, 15, 0, 0, 1, 15, 0]);
        assert_eq!([-2.1, -34.0, f32::MAX, f32::MIN].map(cell), [14, 15, 15, 15]);
        assert_eq!(grid.cell(&at(0.0, 2.0)), 16);
    }

    #[test]
    fn grows_by_doubling_and_keeps_all() {
        let boxes: Vec<Bounds<2>> = (0..100).map(|i| at(3.0 * i as f32, -2.0 * i as f32)).collect();
        let mut grid = HashGrid::<2>::new(0, 1.0..2.0, 4);
        for (id, bounds) in boxes.iter().enumerate() {
            grid.insert(id as u32, grid.cell(bounds));
        }
        assert!(grid.is_crowded(8) && grid.occupied().len() <= 16);
        while grid.is_crowded(8) {
            grid.grow(&boxes, |id, cell, _| assert!(id < 100 && cell < 1024));
        }
        assert_eq!(grid.cells.len(), 1024);
        let mut ids = Vec::new();
        grid.occupied().iter().for_each(|&cell| grid.for_each(cell, |id| ids.push(id)));
        ids.sort();
        assert_eq!(ids, (0..100).collect::<Vec<u32>>());
    }
}
