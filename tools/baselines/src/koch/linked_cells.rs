//! A dense table of cells.

use crate::schornbaum::{Crowd, Unbounded, size};
use crate::{Bounds, Pairs, System};

use super::domain::Domain;

/// A table with fewer cells than this is not worth a thought.
const FEW_CELLS: f64 = 4096.0;
/// The limits of the table: two small objects far apart would ask for all memory there is. The most that the thesis uses is 291
/// cells per object.
const MOST_CELLS_PER_OBJECT: f64 = 512.0;
const MOST_CELLS: f64 = (1 << 28) as f64;
/// Where tuning begins.
const FIRST_CELLS_PER_OBJECT: f64 = 32.0;
/// No axis is cut into more cells, so that rounding stays far below a cell.
const MOST_ALONG_AXIS: f64 = (1 << 30) as f64;

/// Linked cells, section 2.2: the domain cut into cubic cells, none smaller than the largest object; each cell the first of a
/// chain of objects; each compared with its own cell and with half of the neighbors (figure 11). All cells are visited, empty
/// or not.
///
/// For each scene the thesis takes the cell size that was the fastest of those tried; [`with_cell_size`](Self::with_cell_size)
/// does that. In tables 1 to 4, where the objects do not bound it from below, that size gives one to two comparisons per cell
/// and step. So without a given size this one looks, from step to step, for the size that gives as many cells as comparisons.
/// In both cases there is a limit to the number of cells, unlike in the thesis; beyond it cells are larger.
#[derive(Clone, Debug)]
pub struct LinkedCells<const D: usize> {
    cell_size: Option<f64>,
    /// As many as seem best after the last step.
    target_cells_per_object: f64,
    grid: Grid<D>,
    /// For each cell, and for each object, the next object's index plus one, or 0.
    first: Vec<u32>,
    next: Vec<u32>,
    unbounded: Unbounded,
    crowd: Crowd<D>,
}

/// How the domain is cut. A layer of cells around it, always empty, gives every cell all its neighbors.
#[derive(Clone, Copy, Debug)]
struct Grid<const D: usize> {
    origin: [f64; D],
    /// Of the cell size.
    inverse: f64,
    strides: [usize; D],
    cells: usize,
}

impl<const D: usize> LinkedCells<D> {
    /// With cells of this size, or of the largest object's if that is larger.
    pub fn with_cell_size(cell_size: f64) -> Self {
        LinkedCells { cell_size: Some(cell_size), ..Self::default() }
    }

    fn most_cells(&self, objects: usize) -> f64 {
        let per_object = if self.cell_size.is_some() { MOST_CELLS_PER_OBJECT } else { self.target_cells_per_object };
        (per_object * objects as f64).clamp(FEW_CELLS, MOST_CELLS)
    }

    /// Twice as many cells are half as many comparisons, so the geometric mean of both is where they are equal.
    fn tune(&mut self, objects: usize, candidates: u64) {
        let (cells, candidates) = (self.grid.cells as f64, candidates as f64);
        if cells > 0.0 && !(0.4..2.5).contains(&(candidates / cells)) {
            self.target_cells_per_object = ((cells * candidates).sqrt() / objects as f64).clamp(1.0, MOST_CELLS_PER_OBJECT);
        }
    }
}

/// With cells that are tuned from step to step.
impl<const D: usize> Default for LinkedCells<D> {
    fn default() -> Self {
        LinkedCells {
            cell_size: None,
            target_cells_per_object: FIRST_CELLS_PER_OBJECT,
            grid: Grid::EMPTY,
            first: Vec::new(),
            next: Vec::new(),
            unbounded: Unbounded::default(),
            crowd: Crowd::new(),
        }
    }
}

impl<const D: usize> Grid<D> {
    const EMPTY: Self = Grid { origin: [0.0; D], inverse: 1.0, strides: [0; D], cells: 0 };

    fn new(domain: &Domain<D>, smallest_cell: f64, most_cells: f64) -> Self {
        let mut cell = domain.largest.max(smallest_cell).max(domain.extent() / MOST_ALONG_AXIS);
        if cell == 0.0 {
            cell = 1.0;
        }
        loop {
            let mut grid = Grid { origin: domain.min, inverse: 1.0 / cell, ..Self::EMPTY };
            let along = grid.along(domain.max).map(|last| last as f64 + 3.0);
            let cells: f64 = along.iter().product();
            if cells <= most_cells {
                grid.cells = 1;
                for axis in 0..D {
                    grid.strides[axis] = grid.cells;
                    grid.cells *= along[axis] as usize;
                }
                return grid;
            }
            cell *= (cells / most_cells).powf(1.0 / D as f64).max(1.01);
        }
    }

    #[inline]
    fn along(&self, corner: [f64; D]) -> [usize; D] {
        std::array::from_fn(|axis| ((corner[axis] - self.origin[axis]) * self.inverse) as usize)
    }

    #[inline]
    fn cell(&self, bounds: &Bounds<D>) -> usize {
        let along = self.along(bounds.min.map(f64::from));
        (0..D).map(|axis| (along[axis] + 1) * self.strides[axis]).sum()
    }

    /// From a cell to those of its neighbors that come after it in the table.
    fn later_neighbors(&self) -> Vec<usize> {
        let around = 3_usize.pow(D as u32);
        let offset = |neighbor: usize| {
            let step = |axis: usize| (neighbor / 3_usize.pow(axis as u32) % 3) as isize - 1;
            (0..D).map(|axis| step(axis) * self.strides[axis] as isize).sum::<isize>() as usize
        };
        (around / 2 + 1..around).map(offset).collect()
    }
}

impl<const D: usize> System<D> for LinkedCells<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let (smallest, most) = (self.cell_size.unwrap_or(0.0), self.most_cells(boxes.len()));
        self.grid = match Domain::of(boxes, &mut self.unbounded) {
            Some(domain) => Grid::new(&domain, smallest, most),
            None => Grid::EMPTY,
        };
        self.first.clear();
        self.first.resize(self.grid.cells, 0);
        self.next.resize(boxes.len(), 0);
        for (id, bounds) in boxes.iter().enumerate().filter(|(_, bounds)| size(bounds).is_some()) {
            let first = &mut self.first[self.grid.cell(bounds)];
            self.next[id] = std::mem::replace(first, id as u32 + 1);
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let LinkedCells { grid, first, next, crowd, .. } = self;
        let before = pairs.candidates;
        let neighbors = grid.later_neighbors();
        let chain = |first: u32| std::iter::successors(link(first), |&id| link(next[id as usize]));
        for cell in 0..first.len() {
            if first[cell] == 0 {
                continue;
            }
            crowd.clear();
            chain(first[cell]).for_each(|id| crowd.push(boxes, id));
            crowd.compare_inside(pairs);
            // Most neighbors are empty, and which ones cannot be predicted: so first all are looked up without a branch.
            let mut filled = [0; 13];
            let mut count = 0;
            for offset in &neighbors {
                let link = first[cell + offset];
                filled[count] = link;
                count += usize::from(link != 0);
            }
            filled[..count].iter().for_each(|link| chain(*link).for_each(|id| crowd.compare(boxes, id, pairs)));
        }
        self.tune(boxes.len(), pairs.candidates - before);
        self.unbounded.report(boxes, pairs);
    }

    fn bytes(&self) -> usize {
        (self.first.capacity() + self.next.capacity()) * size_of::<u32>() + self.unbounded.bytes() + self.crowd.bytes()
    }
}

/// The object that a link leads to.
#[inline]
fn link(index_plus_one: u32) -> Option<u32> {
    index_plus_one.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Noise, brute_force, pairs_of};

    #[test]
    fn the_number_of_cells_is_limited() {
        let boxes = Noise::new(1).boxes::<3>(1000, 1e6, 0.5..1.0);
        let mut system = LinkedCells::<3>::with_cell_size(1.0);
        assert_eq!(pairs_of(&mut system, &boxes), brute_force(&boxes));
        let cells = system.first.len() as f64 / 1000.0;
        assert!(cells <= MOST_CELLS_PER_OBJECT && cells > 0.5 * MOST_CELLS_PER_OBJECT, "{cells}");

        let mut coarse = LinkedCells::<3>::with_cell_size(250_000.0);
        assert_eq!(pairs_of(&mut coarse, &boxes), brute_force(&boxes));
        assert_eq!(coarse.first.len(), 6 * 6 * 6);
    }

    #[test]
    fn tuning_finds_about_as_many_cells_as_comparisons() {
        let mut noise = Noise::new(3);
        let mut clustered = noise.boxes::<3>(3000, 5.0, 0.01..0.02);
        clustered.extend(noise.boxes::<3>(100, 100.0, 0.01..0.02));
        let sparse = noise.boxes::<3>(3100, 100.0, 0.01..0.02);
        let mut system = LinkedCells::<3>::default();
        for boxes in [clustered, sparse] {
            for _ in 0..6 {
                assert_eq!(pairs_of(&mut system, &boxes), brute_force(&boxes));
            }
            let mut pairs = Pairs::default();
            system.report(&boxes, &mut pairs);
            let ratio = pairs.candidates as f64 / system.first.len() as f64;
            assert!((0.2..5.0).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn each_two_neighbors_meet_once() {
        let boxes = Noise::new(2).boxes::<2>(300, 10.0, 0.9..1.0);
        let mut system = LinkedCells::<2>::default();
        system.update(&boxes);
        let neighbors = system.grid.later_neighbors();
        let y = system.grid.strides[1];
        assert_eq!(neighbors, [1, y - 1, y, y + 1]);
    }
}
