//! The cells that a box overlaps.

/// A block of cells, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block<const D: usize> {
    pub(crate) min: [i32; D],
    pub(crate) max: [i32; D],
}

impl<const D: usize> Block<D> {
    /// How many cells it has.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        (0..D).map(|axis| (i64::from(self.max[axis]) - i64::from(self.min[axis]) + 1).max(0) as u64).product()
    }

    #[inline]
    pub(crate) fn contains(&self, cell: [i32; D]) -> bool {
        (0..D).all(|axis| self.min[axis] <= cell[axis] && cell[axis] <= self.max[axis])
    }

    /// The least cell that this block shares with another one which it overlaps.
    #[inline]
    pub(crate) fn first_shared(&self, other: &Self) -> [i32; D] {
        std::array::from_fn(|axis| self.min[axis].max(other.min[axis]))
    }

    /// Calls `visit` with every cell, the first axis fastest.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut([i32; D])) {
        let mut cell = self.min;
        loop {
            for x in self.min[0]..=self.max[0] {
                cell[0] = x;
                visit(cell);
            }
            let mut axis = 1;
            loop {
                if axis == D {
                    return;
                }
                if cell[axis] < self.max[axis] {
                    cell[axis] += 1;
                    break;
                }
                cell[axis] = self.min[axis];
                axis += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_once() {
        let block = Block { min: [-1, 4, 7], max: [1, 5, 7] };
        let mut cells = Vec::new();
        block.for_each(|cell| cells.push(cell));
        assert_eq!(cells, [[-1, 4, 7], [0, 4, 7], [1, 4, 7], [-1, 5, 7], [0, 5, 7], [1, 5, 7]]);
        assert_eq!(block.len(), 6);
        assert!(cells.iter().all(|&cell| block.contains(cell)) && !block.contains([0, 6, 7]));
    }
}
