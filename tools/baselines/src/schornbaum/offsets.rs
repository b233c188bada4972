//! Where a cell's neighbors are.

/// The offsets from a cell to its neighbors in the linear array, section 3.1. They are the same for all inner cells, while
/// cells at the rim of the block find some of their neighbors on the other side. The thesis stores an array for each outer
/// cell and a pointer in every cell; but the outer cells come in few kinds too (Koch 2.6), and the kind follows from the cell's
/// index.
#[derive(Clone, Debug)]
pub(crate) struct Offsets<const D: usize> {
    axis_bits: u32,
    /// For each kind of cell the offsets to all cells around it, itself in the middle.
    table: Vec<u32>,
}

impl<const D: usize> Offsets<D> {
    /// Cells around a cell, itself included; also the number of kinds.
    const AROUND: usize = 3_usize.pow(D as u32);

    pub(crate) fn new(axis_bits: u32) -> Self {
        let last = (1_i64 << axis_bits) - 1;
        let mut table = Vec::with_capacity(Self::AROUND * Self::AROUND);
        for kind in 0..Self::AROUND {
            for around in 0..Self::AROUND {
                let mut offset = 0;
                for axis in 0..D {
                    let step = digit(around, axis) - 1;
                    let leaves = (digit(kind, axis), step);
                    let along = if leaves == (0, -1) || leaves == (2, 1) { -step * last } else { step };
                    offset += along << (axis_bits * axis as u32);
                }
                table.push(offset as u32);
            }
        }
        Offsets { axis_bits, table }
    }

    /// To a cell and all around it. Offsets are added with wrap-around.
    #[inline]
    pub(crate) fn around(&self, cell: u32) -> &[u32] {
        let start = self.kind(cell) * Self::AROUND;
        &self.table[start..start + Self::AROUND]
    }

    /// To the first half of the neighbors: of two neighbors exactly one has the other in its first half.
    #[inline]
    pub(crate) fn half(&self, cell: u32) -> &[u32] {
        &self.around(cell)[..Self::AROUND / 2]
    }

    /// On each axis: 0 at the lower rim, 2 at the upper, 1 between; as digits to the base 3.
    #[inline]
    fn kind(&self, cell: u32) -> usize {
        let last = (1_u32 << self.axis_bits) - 1;
        let mut kind = 0;
        for axis in (0..D).rev() {
            let along = cell >> (self.axis_bits * axis as u32) & last;
            kind = 3 * kind + 1 + usize::from(along == last) - usize::from(along == 0);
        }
        kind
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>()
    }
}

fn digit(number: usize, axis: usize) -> i64 {
    (number / 3_usize.pow(axis as u32) % 3) as i64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn check<const D: usize>(axis_bits: u32) {
        let offsets = Offsets::<D>::new(axis_bits);
        let cells = 1_u32 << (axis_bits * D as u32);
        let mut seen = HashSet::new();
        for cell in 0..cells {
            let around: HashSet<u32> = offsets.around(cell).iter().map(|offset| cell.wrapping_add(*offset)).collect();
            assert_eq!(around.len(), 3_usize.pow(D as u32), "all different");
            for &other in &around {
                let near = |axis: u32| {
                    let last = (1 << axis_bits) - 1;
                    let along = |cell: u32| cell >> (axis_bits * axis) & last;
                    [0, 1, last].contains(&(along(other).wrapping_sub(along(cell)) & last))
                };
                assert!(other < cells && (0..D as u32).all(near));
            }
            for offset in offsets.half(cell) {
                let other = cell.wrapping_add(*offset);
                assert!(seen.insert((cell.min(other), cell.max(other))), "each two neighbors once");
            }
        }
        assert_eq!(seen.len(), cells as usize * (3_usize.pow(D as u32) / 2));
    }

    #[test]
    fn every_cell_has_all_its_neighbors_and_each_two_meet_once() {
        check::<2>(2);
        check::<2>(3);
        check::<3>(2);
        check::<3>(3);
    }
}
