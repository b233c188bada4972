//! In which order the cells are numbered.

/// The numbers of a raster's cells. Both orders are a sum over the axes, so a small table per axis gives them.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering<const D: usize> {
    parts: Vec<Vec<u32>>,
    len: usize,
}

impl<const D: usize> Numbering<D> {
    /// Row by row, as in section 3.1.
    pub(super) fn rows(cells: [usize; D]) -> Self {
        let mut stride = 1;
        let row = |count: usize| {
            let part = (0..count).map(|i| (i * stride) as u32).collect();
            stride *= count;
            part
        };
        let parts = cells.into_iter().map(row).collect();
        Numbering { parts, len: stride }
    }

    /// Along the Z-curve of section 4: bits interleaved, as far as an axis has any, so an uneven raster wastes no more than
    /// rounding each axis up to a power of two does.
    pub(super) fn z(cells: [usize; D]) -> Self {
        let bits = cells.map(|count| (count.max(1) - 1).checked_ilog2().map_or(0, |bit| bit + 1));
        let mut parts: Vec<Vec<u32>> = cells.iter().map(|&count| vec![0; count]).collect();
        let mut place = 0;
        for bit in 0..bits.into_iter().max().unwrap_or(0) {
            for axis in (0..D).filter(|&axis| bit < bits[axis]) {
                for (i, number) in parts[axis].iter_mut().enumerate() {
                    *number |= ((i as u32 >> bit) & 1) << place;
                }
                place += 1;
            }
        }
        Numbering { parts, len: 1 << place }
    }

    #[inline]
    pub(super) fn of(&self, cell: [i32; D]) -> u32 {
        self.parts.iter().zip(cell).map(|(part, i)| part[i as usize]).sum()
    }

    /// One more than the greatest number.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.capacity() * size_of::<u32>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        let rows = Numbering::<3>::rows([4, 3, 2]);
        assert_eq!((rows.of([0, 0, 0]), rows.of([3, 2, 1]), rows.len()), (0, 23, 24));
        let z = Numbering::<2>::z([4, 4]);
        let square: Vec<u32> = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [0, 2], [3, 3]].map(|cell| z.of(cell)).to_vec();
        assert_eq!(square, [0, 1, 2, 3, 4, 8, 15]);
    }

    #[test]
    fn numbers_differ_and_are_below_the_length() {
        for numbering in [Numbering::<3>::z([5, 1, 9]), Numbering::<3>::rows([5, 1, 9])] {
            let mut numbers: Vec<u32> = (0..45).map(|i| numbering.of([i % 5, 0, i / 5])).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert!(numbers.len() == 45 && (numbers[44] as usize) < numbering.len());
        }
        assert_eq!(Numbering::<3>::z([5, 1, 9]).len(), 8 * 16);
    }
}
