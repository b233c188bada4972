//! The list of grids.

use super::hash_grid::HashGrid;

/// The grids, created when objects need them (section 3.3, algorithm 3). Cell sizes are the first one's times a power of the
/// factor.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy<const D: usize> {
    factor: f64,
    /// New grids have about 2^this cells.
    bits: u32,
    /// In the order of creation, so that an index stays valid.
    pub(crate) grids: Vec<HashGrid<D>>,
    /// Indices of the grids, from the smallest cells to the largest.
    ascending: Vec<u32>,
    /// Cell size of the grid that was created first.
    first_cell: f64,
}

impl<const D: usize> Hierarchy<D> {
    pub(crate) fn new(factor: f64, bits: u32) -> Self {
        assert!(factor > 1.0, "successive grids must differ: the hierarchy factor is {factor}, not above 1");
        Hierarchy { factor, bits, grids: Vec::new(), ascending: Vec::new(), first_cell: 1.0 }
    }

    /// The index of the grid for objects of this size, which is created if there is none. A point goes into the finest one that
    /// exists, and into cells of size 1 if it comes first: the thesis has no points.
    #[inline]
    pub(crate) fn suitable(&mut self, size: f64) -> u32 {
        match self.ascending.iter().find(|&&index| self.grids[index as usize].suits(size)) {
            Some(index) => *index,
            None => self.create(size),
        }
    }

    /// From the smallest cells to the largest, those that hold objects.
    pub(crate) fn filled(&self) -> Vec<&HashGrid<D>> {
        self.ascending.iter().map(|&index| &self.grids[index as usize]).filter(|grid| !grid.is_empty()).collect()
    }

    pub(crate) fn clear(&mut self) {
        self.grids.iter_mut().for_each(HashGrid::clear);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.grids.capacity() * size_of::<HashGrid<D>>()
            + self.ascending.capacity() * size_of::<u32>()
            + self.grids.iter().map(HashGrid::bytes).sum::<usize>()
    }

    #[cold]
    fn create(&mut self, size: f64) -> u32 {
        if self.grids.is_empty() && size > 0.0 {
            self.first_cell = size * self.factor.sqrt();
        }
        let cell = |level| self.first_cell * self.factor.powi(level);
        let mut level = if size > 0.0 { ((size / self.first_cell).ln() / self.factor.ln()).ceil() as i32 } else { 0 };
        // The logarithm may be off by a little, but neighboring grids must agree on where one ends and the other begins.
        while size >= cell(level) {
            level += 1;
        }
        while size > 0.0 && size < cell(level - 1) {
            level -= 1;
        }
        let index = self.grids.len() as u32;
        self.grids.push(HashGrid::new(level, cell(level - 1)..cell(level), self.bits));
        let place = self.ascending.partition_point(|&other| self.grids[other as usize].level < level);
        self.ascending.insert(place, index);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_created_when_needed_and_sorted_by_cell_size() {
        for factor in [1.1, 2.0, 3.0, 10.0] {
            let mut hierarchy = Hierarchy::<2>::new(factor, 4);
            let sizes = [1.0, 1e-3, 5.0, 1e-40, 0.0, 7e38, 0.3, 1.0, 1e-3];
            for size in sizes {
                let index = hierarchy.suitable(size);
                assert!(hierarchy.grids[index as usize].suits(size));
                assert_eq!(hierarchy.suitable(size), index);
            }
            let levels: Vec<i32> = hierarchy.ascending.iter().map(|&index| hierarchy.grids[index as usize].level).collect();
            assert!(levels.is_sorted_by(|a, b| a < b), "no two of the same cell size: {levels:?}");
            assert!(hierarchy.grids[0].suits(1.0) && hierarchy.grids[0].level == 0);
        }
    }

    #[test]
    fn the_first_size_is_in_the_middle_of_its_grid() {
        let mut hierarchy = Hierarchy::<3>::new(4.0, 12);
        hierarchy.suitable(3.0);
        assert_eq!((hierarchy.suitable(5.99), hierarchy.suitable(1.5)), (0, 0));
        assert_eq!((hierarchy.suitable(6.0), hierarchy.suitable(1.49)), (1, 2));
        assert_eq!(hierarchy.suitable(0.0), 2);
    }
}
