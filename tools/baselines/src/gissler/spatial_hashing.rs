//! Serial spatial hashing: section 3.3, after Teschner et al.

use pivotgrid::Pair;

use super::raster::{AXIS_BITS, CellSize, Extent, Rasters};
use crate::cells::Block;
use crate::{Bounds, Pairs, System};

/// The large primes of Teschner et al.
const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];
/// The end of a chain.
const NONE: u32 = u32::MAX;

/// A cell as one number, which is not the hash: it differs for different cells.
#[inline]
pub(super) fn key<const D: usize>(cell: [i32; D]) -> u64 {
    cell.into_iter().fold(0, |key, i| key << AXIS_BITS | i as u64)
}

/// Gissler et al., section 3.3: a table of chains, one for all cells with the same hash. It has no bounds in space and nothing
/// parallel.
///
/// A chain is a list through one array of references, so no list allocates memory of its own, and a chain that was begun in an
/// earlier step counts as empty, so nothing is swept.
#[derive(Clone, Debug)]
pub struct SpatialHashing<const D: usize> {
    rasters: Rasters<D>,
    footprints: Vec<Block<D>>,
    chains: Vec<Chain>,
    references: Vec<Reference>,
    step: u32,
}

#[derive(Clone, Copy, Debug)]
struct Chain {
    step: u32,
    first: u32,
}

#[derive(Clone, Copy, Debug)]
struct Reference {
    key: u64,
    object: u32,
    next: u32,
}

impl<const D: usize> SpatialHashing<D> {
    /// With cells of this size.
    pub fn new(size: CellSize) -> Self {
        SpatialHashing {
            rasters: Rasters::new(size),
            footprints: Vec::new(),
            chains: Vec::new(),
            references: Vec::new(),
            step: 0,
        }
    }
}

fn hash<const D: usize>(cell: [i32; D]) -> usize {
    (0..D).fold(0, |hash, axis| hash ^ (cell[axis] as u32).wrapping_mul(PRIMES[axis])) as usize
}

impl<const D: usize> System<D> for SpatialHashing<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let footprints = &mut self.footprints;
        let mut total = 0;
        self.rasters.choose(Extent::of(boxes), f64::INFINITY, |raster| {
            footprints.clear();
            footprints.extend(boxes.iter().map(|bounds| raster.footprint(bounds)));
            total = footprints.iter().map(Block::len).sum();
            total
        });

        // Between half as many chains as references and as many: with more of them, fewer cells share one but more miss the
        // cache.
        let chains = (total as usize / 2 + 1).next_power_of_two();
        self.step = self.step.wrapping_add(1);
        if self.chains.len() != chains || self.step == 0 {
            self.chains.clear();
            self.chains.resize(chains, Chain { step: self.step.wrapping_sub(1), first: NONE });
        }
        self.references.clear();
        for (object, footprint) in footprints.iter().enumerate() {
            footprint.for_each(|cell| {
                let chain = &mut self.chains[hash(cell) & (chains - 1)];
                let next = if chain.step == self.step { chain.first } else { NONE };
                *chain = Chain { step: self.step, first: self.references.len() as u32 };
                self.references.push(Reference { key: key(cell), object: object as u32, next });
            });
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        // What follows a reference in its chain are the references that were there before it: each two meet once per cell.
        for one in &self.references {
            let (bounds, footprint) = (&boxes[one.object as usize], &self.footprints[one.object as usize]);
            let mut next = one.next;
            while let Some(other) = self.references.get(next as usize) {
                next = other.next;
                if other.key != one.key {
                    continue;
                }
                pairs.candidates += 1;
                if bounds.overlaps(&boxes[other.object as usize])
                    && key(footprint.first_shared(&self.footprints[other.object as usize])) == one.key
                {
                    pairs.found.push(Pair::new(one.object, other.object));
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.footprints.capacity() * size_of::<Block<D>>()
            + self.chains.capacity() * size_of::<Chain>()
            + self.references.capacity() * size_of::<Reference>()
    }
}
