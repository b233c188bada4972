//! Cuckoo hashing: section 3.3, after Alcantara et al.

use pivotgrid::Pair;
use rayon::prelude::*;

use super::partition::partition;
use super::raster::{CellSize, Extent, Rasters};
use super::references::{self, cut};
use super::spatial_hashing::key;
use crate::cells::Block;
use crate::gather::gather;
use crate::{Bounds, Pairs, System};

/// Slots of each of a bucket's three tables: as Alcantara et al. have it.
const TABLE: usize = 192;
/// Slots of a bucket.
const BUCKET: usize = 3 * TABLE;
/// Cells per bucket on average: 71 % of its slots, as in section 5.
const CELLS_PER_BUCKET: f64 = 409.0;
/// So many keys may be kicked out for one that is inserted before the bucket is begun again with other hash functions...
const MOST_KICKS: u32 = 200;
/// Attempts before the number of buckets is doubled.
const MOST_SEEDS: u64 = 8;
/// Buckets per task of the search.
const BUCKETS_PER_TASK: usize = 8;

/// Gissler et al., section 3.3: cells hashed to buckets, and in each bucket to three tables, each cell with a counter and a
/// place in an array of references. Memory follows the objects, not the scene.
///
/// Buckets are built in parallel, each by one thread. The paper gives all keys of a bucket a fixed space; here a bucket's
/// references are a range of one array, so only the number of *different* cells in a bucket is limited. How many those are was
/// known in the last step, and sets the number of buckets in this one.
#[derive(Clone, Debug)]
pub struct CuckooHashing<const D: usize> {
    rasters: Rasters<D>,
    footprints: Vec<Block<D>>,
    references: Vec<Reference>,
    /// The references, bucket by bucket.
    bucketed: Vec<Reference>,
    slots: Vec<Slot>,
    /// Objects, cell by cell: the paper's secondary buffer.
    objects: Vec<u32>,
    cells_per_reference: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reference {
    key: u64,
    object: u32,
}

/// A cell that is in the table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    /// Where its objects begin.
    start: u32,
    /// How many it has; none in a slot without a cell.
    count: u32,
}

impl Slot {
    const EMPTY: Self = Slot { key: u64::MAX, start: 0, count: 0 };
}

/// Mixes all bits of a key into all others.
#[inline]
fn mix(key: u64, seed: u64) -> u64 {
    let x = (key ^ seed.wrapping_mul(0xD6E8_FEB8_6659_FD93)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// The key's slots in the three tables of its bucket.
#[inline]
fn places(key: u64, seed: u64) -> [usize; 3] {
    let x = mix(key, seed);
    [0, 1, 2].map(|table| {
        let part = (x >> (21 * table + 1)) as usize & ((1 << 21) - 1);
        TABLE * table + ((part * TABLE) >> 21)
    })
}

/// Puts a bucket's references into its slots and its objects in order; says how many different cells there are, or that there
/// are too many.
fn build(references: &[Reference], slots: &mut [Slot], objects: &mut [u32], start: u32) -> Option<usize> {
    let seed = (1..=MOST_SEEDS).find(|&seed| {
        slots.fill(Slot::EMPTY);
        references.iter().all(|reference| count(reference.key, slots, seed))
    })?;
    let mut end = 0;
    let mut cells = 0;
    for slot in slots.iter_mut().filter(|slot| slot.count > 0) {
        end += slot.count;
        slot.start = end;
        cells += 1;
    }
    // Backwards, so that a cell's objects come in the order of their references and `start` ends as what it says.
    for reference in references.iter().rev() {
        let place = places(reference.key, seed).into_iter().find(|&place| slots[place].key == reference.key);
        let slot = &mut slots[place.expect("every key is in the table")];
        slot.start -= 1;
        objects[slot.start as usize] = reference.object;
    }
    slots.iter_mut().for_each(|slot| slot.start += start);
    Some(cells)
}

/// Counts a reference of a cell, which is inserted if it is new: into the first table, from where it kicks another cell into the
/// second, and so on.
#[inline]
fn count(key: u64, slots: &mut [Slot], seed: u64) -> bool {
    for place in places(key, seed) {
        if slots[place].key == key {
            slots[place].count += 1;
            return true;
        }
    }
    let mut homeless = Slot { key, start: 0, count: 1 };
    let mut table = 0;
    for _ in 0..MOST_KICKS {
        let place = places(homeless.key, seed)[table];
        homeless = std::mem::replace(&mut slots[place], homeless);
        if homeless.count == 0 {
            return true;
        }
        table = (table + 1) % 3;
    }
    false
}

impl<const D: usize> CuckooHashing<D> {
    /// With cells of this size.
    pub fn new(size: CellSize) -> Self {
        CuckooHashing {
            rasters: Rasters::new(size),
            footprints: Vec::new(),
            references: Vec::new(),
            bucketed: Vec::new(),
            slots: Vec::new(),
            objects: Vec::new(),
            cells_per_reference: 1.0,
        }
    }

    /// Builds the table with a number of buckets. Returns the number of cells, or `None` if they did not fit.
    fn hash(&mut self, buckets: usize) -> Option<usize> {
        let bucket = |reference: &Reference| (((mix(reference.key, 0) >> 32) * buckets as u64) >> 32) as usize;
        let starts = partition(&self.references, &mut self.bucketed, buckets, bucket);

        self.slots.resize(buckets * BUCKET, Slot::EMPTY);
        let objects = cut(&mut self.objects, starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize));
        let bucketed = &self.bucketed;
        let build = |(bucket, (slots, objects)): (usize, (&mut [Slot], &mut [u32]))| {
            build(&bucketed[starts[bucket] as usize..starts[bucket + 1] as usize], slots, objects, starts[bucket])
        };
        self.slots.par_chunks_mut(BUCKET).zip(objects).enumerate().map(build).sum()
    }
}

impl<const D: usize> System<D> for CuckooHashing<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let footprints = &mut self.footprints;
        self.rasters.choose(Extent::par_of(boxes), f64::INFINITY, |raster| {
            boxes.par_iter().map(|bounds| raster.footprint(bounds)).collect_into_vec(footprints);
            footprints.par_iter().map(Block::len).sum()
        });
        self.references.clear();
        references::append(&mut self.references, footprints, |_, _| true, |object, cell| Reference { key: key(cell), object });
        let count = self.references.len();
        self.bucketed.resize(count, Reference::default());
        self.objects.resize(count, 0);

        let mut buckets = ((count as f64 * self.cells_per_reference / CELLS_PER_BUCKET).ceil() as usize).max(1);
        loop {
            if let Some(cells) = self.hash(buckets) {
                self.cells_per_reference = cells as f64 / count.max(1) as f64;
                return;
            }
            buckets *= 2;
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let CuckooHashing { slots, objects, footprints, .. } = &*self;
        let tasks: Vec<&[Slot]> = slots.chunks(BUCKET * BUCKETS_PER_TASK).collect();
        gather(tasks.len(), pairs, |task, pairs| {
            for slot in tasks[task].iter().filter(|slot| slot.count > 1) {
                let inside = &objects[slot.start as usize..][..slot.count as usize];
                for (k, &one) in inside.iter().enumerate() {
                    let bounds = &boxes[one as usize];
                    for &other in &inside[k + 1..] {
                        if bounds.overlaps(&boxes[other as usize])
                            && key(footprints[one as usize].first_shared(&footprints[other as usize])) == slot.key
                        {
                            pairs.found.push(Pair::new(one, other));
                        }
                    }
                }
                pairs.candidates += (inside.len() * (inside.len() - 1) / 2) as u64;
            }
        });
    }

    fn bytes(&self) -> usize {
        self.footprints.capacity() * size_of::<Block<D>>()
            + (self.references.capacity() + self.bucketed.capacity()) * size_of::<Reference>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.objects.capacity() * size_of::<u32>()
    }
}
