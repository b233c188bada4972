//! Index sort: the compact grid of section 3.2.

use pivotgrid::Pair;
use rayon::prelude::*;

use super::numbering::Numbering;
use super::partition::radix_sort;
use super::raster::{CellSize, Extent, Rasters};
use super::references::{self, TASK, cut};
use crate::cells::Block;
use crate::gather::gather;
use crate::{Bounds, Pairs, System};

/// Most cells per object, so that a wide scene with few objects does not run out of memory: cells are enlarged instead.
const CELLS_PER_OBJECT: f64 = 8.0;
/// An object with more cells that moves has all its references written anew: looking each of them up would be quadratic.
const FEW_CELLS: u64 = 64;
/// Cells per task of the search.
const CELLS_PER_TASK: usize = 4 * 1024;

/// How the references are sorted: section 4, "Parallel Sorting".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorting {
    /// A merge sort of what the last step left in order, with the references that changed appended.
    Comparison,
    /// A radix sort from scratch.
    Radix,
}

/// How the cells are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellOrder {
    /// Row by row: section 3.1.
    Rows,
    /// Along the Z-curve: section 4, "Z-curves".
    Z,
}

/// Gissler et al., sections 3.2 and 4: references to objects sorted by cell, and for each cell where its references begin.
#[derive(Clone, Debug)]
pub struct IndexSort<const D: usize> {
    sorting: Sorting,
    order: CellOrder,
    rasters: Rasters<D>,
    numbering: Numbering<D>,
    footprints: Vec<Block<D>>,
    last_footprints: Vec<Block<D>>,
    changes: Vec<Change>,
    /// Number of the cell above, object below: the paper's L.
    references: Vec<u64>,
    scratch: Vec<u64>,
    /// Where each cell's references begin, and where the last one's end: the paper's C.
    starts: Vec<u32>,
}

/// What became of an object's references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    None,
    Some,
    All,
}

impl<const D: usize> IndexSort<D> {
    /// The variants of the paper.
    pub fn new(sorting: Sorting, order: CellOrder, size: CellSize) -> Self {
        IndexSort {
            sorting,
            order,
            rasters: Rasters::new(size),
            numbering: Numbering::default(),
            footprints: Vec::new(),
            last_footprints: Vec::new(),
            changes: Vec::new(),
            references: Vec::new(),
            scratch: Vec::new(),
            starts: Vec::new(),
        }
    }

    fn sort_all(&mut self) {
        self.references.clear();
        let numbering = &self.numbering;
        references::append(
            &mut self.references,
            &self.footprints,
            |_, _| true,
            |object, cell| reference(numbering.of(cell), object),
        );
        match self.sorting {
            Sorting::Comparison => self.references.par_sort(),
            Sorting::Radix => {
                self.scratch.resize(self.references.len(), 0);
                let bits = usize::BITS - (self.numbering.len() - 1).leading_zeros();
                radix_sort(&mut self.references, &mut self.scratch, u32::BITS, u32::BITS + bits);
            }
        }
    }

    /// Removes the references that are no longer right, which leaves the others in order, appends the new ones and sorts. A merge
    /// sort finds the long run at the beginning.
    fn sort_again(&mut self) {
        let (now, last, numbering) = (&self.footprints, &self.last_footprints, &self.numbering);
        let change = |object: usize| match last.get(object) {
            Some(last) if *last == now[object] => Change::None,
            Some(last) if last.len().max(now[object].len()) <= FEW_CELLS => Change::Some,
            _ => Change::All,
        };
        (0..now.len()).into_par_iter().map(change).collect_into_vec(&mut self.changes);

        let changes = &self.changes;
        let still_right = |reference: u64| match changes.get(reference as u32 as usize) {
            Some(Change::None) => true,
            Some(Change::Some) => {
                let mut right = false;
                now[reference as u32 as usize].for_each(|cell| right |= u64::from(numbering.of(cell)) == reference >> 32);
                right
            }
            Some(Change::All) | None => false,
        };
        let compact = |part: &mut [u64]| {
            let mut kept = 0;
            for k in 0..part.len() {
                if still_right(part[k]) {
                    part[kept] = part[k];
                    kept += 1;
                }
            }
            kept
        };
        let kept: Vec<usize> = self.references.par_chunks_mut(TASK).map(compact).collect();
        self.scratch.resize(kept.iter().sum(), 0);
        let pieces = cut(&mut self.scratch, kept);
        pieces
            .into_par_iter()
            .zip(self.references.par_chunks(TASK))
            .for_each(|(piece, part)| piece.copy_from_slice(&part[..piece.len()]));

        let is_new = |object: u32, cell| match changes[object as usize] {
            Change::None => false,
            Change::Some => !last[object as usize].contains(cell),
            Change::All => true,
        };
        references::append(&mut self.scratch, now, is_new, |object, cell| reference(numbering.of(cell), object));
        self.scratch.par_sort();
        std::mem::swap(&mut self.references, &mut self.scratch);
    }

    fn find_starts(&mut self) {
        let references = &self.references;
        self.starts.resize(self.numbering.len() + 1, 0);
        self.starts.par_chunks_mut(CELLS_PER_TASK).enumerate().for_each(|(task, starts)| {
            let first = (task * CELLS_PER_TASK) as u64;
            let mut place = references.partition_point(|reference| reference >> 32 < first);
            for (start, cell) in starts.iter_mut().zip(first..) {
                while place < references.len() && references[place] >> 32 < cell {
                    place += 1;
                }
                *start = place as u32;
            }
        });
    }
}

fn reference(cell: u32, object: u32) -> u64 {
    u64::from(cell) << 32 | u64::from(object)
}

impl<const D: usize> System<D> for IndexSort<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        std::mem::swap(&mut self.footprints, &mut self.last_footprints);
        let footprints = &mut self.footprints;
        let most_cells = CELLS_PER_OBJECT * boxes.len().max(64) as f64;
        let (raster, kept) = self.rasters.choose(Extent::par_of(boxes), most_cells, |raster| {
            boxes.par_iter().map(|bounds| raster.footprint(bounds)).collect_into_vec(footprints);
            footprints.par_iter().map(Block::len).sum()
        });
        if !kept {
            self.numbering = match self.order {
                CellOrder::Rows => Numbering::rows(raster.cells()),
                CellOrder::Z => Numbering::z(raster.cells()),
            };
        }
        if kept && self.sorting == Sorting::Comparison {
            self.sort_again();
        } else {
            self.sort_all();
        }
        self.find_starts();
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let IndexSort { references, starts, footprints, numbering, .. } = &*self;
        let cells = starts.len().saturating_sub(1);
        gather(cells.div_ceil(CELLS_PER_TASK), pairs, |task, pairs| {
            let first = task * CELLS_PER_TASK;
            for cell in first..cells.min(first + CELLS_PER_TASK) {
                let inside = &references[starts[cell] as usize..starts[cell + 1] as usize];
                for (k, &one) in inside.iter().enumerate() {
                    let one = one as u32;
                    let bounds = &boxes[one as usize];
                    for &other in &inside[k + 1..] {
                        let other = other as u32;
                        if bounds.overlaps(&boxes[other as usize]) {
                            let shared = footprints[one as usize].first_shared(&footprints[other as usize]);
                            if numbering.of(shared) as usize == cell {
                                pairs.found.push(Pair::new(one, other));
                            }
                        }
                    }
                }
                pairs.candidates += (inside.len() * inside.len().saturating_sub(1) / 2) as u64;
            }
        });
    }

    fn bytes(&self) -> usize {
        (self.references.capacity() + self.scratch.capacity()) * size_of::<u64>()
            + self.starts.capacity() * size_of::<u32>()
            + (self.footprints.capacity() + self.last_footprints.capacity()) * size_of::<Block<D>>()
            + self.changes.capacity() * size_of::<Change>()
            + self.numbering.bytes()
    }
}
