//! Presort: an order for objects whose last order is unknown or of no use.
//!
//! Gather is fast where neighbors in space are neighbors in the order. In the first step they are not, nor where the user shuffles the
//! objects between steps. So the boxes are copied to the table, which the step fills later anyway, and the objects are counted into
//! buckets along a Z curve. The buckets are slabs of equal shares along each axis, by a sample, so dense regions have more of them.

use crate::build::builder::Builder;
use crate::layout::columns::Columns;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::lockfree::{Blocks, Cursor, shared};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, Groups, Scalar};

/// Fewer objects are in the cache in any order.
const FROM: usize = 4096;
/// More segments per object than this, and the order is of no use.
const USELESS: f64 = 0.3;
/// Buckets: as many bits of the Z curve.
const BITS: u32 = 12;
const BUCKETS: usize = 1 << BITS;
/// Objects sampled for the slabs' borders.
const SAMPLED: usize = 2048;
/// Parts of the objects that are counted apart, per worker.
const PARTS_PER_WORKER: usize = 4;

/// Where objects go along the curve.
struct Slabs<S, const D: usize> {
    /// The borders between the slabs of each axis, ascending.
    borders: [Vec<S>; D],
}

impl<S: Scalar, const D: usize> Slabs<S, D> {
    const BITS_PER_AXIS: u32 = BITS / D as u32;

    fn new(columns: &Columns<'_, S, D>, objects: usize) -> Self {
        let stride = (objects / SAMPLED).max(1);
        let slabs = 1 << Self::BITS_PER_AXIS;
        let borders = std::array::from_fn(|axis| {
            let numbers = (0..objects).step_by(stride).map(|id| columns.min(axis)[id]).filter(|x| !x.is_nan());
            let mut sample = memory::collect(numbers);
            sample.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            let last = sample.len().saturating_sub(1);
            memory::collect((1..slabs).map(|slab| sample.get(slab * last / slabs).copied().unwrap_or(S::ZERO)))
        });
        Slabs { borders }
    }

    /// The bucket of a `min` corner: the bits of its slabs, interleaved.
    #[inline(always)]
    fn bucket(&self, corner: [S; D]) -> u32 {
        let slabs: [u32; D] = std::array::from_fn(|axis| {
            self.borders[axis].iter().fold(0, |slab, border| slab + u32::from(*border <= corner[axis]))
        });
        (0..Self::BITS_PER_AXIS).fold(0, |bucket, bit| {
            (0..D).fold(bucket, |bucket, axis| bucket | (slabs[axis] >> bit & 1) << (D as u32 * bit + axis as u32))
        })
    }
}

/// How many objects of a part there are in each bucket; then the next one's place in the order.
type BucketCounts = [u32; BUCKETS];

/// The copied boxes, by object.
pub(crate) struct Copied<'a, S, const D: usize> {
    columns: Columns<'a, S, D>,
    len: usize,
}

impl<'a, S: Scalar, const D: usize> Copied<'a, S, D> {
    pub(crate) fn new(columns: Columns<'a, S, D>, len: usize) -> Self {
        Copied { columns, len }
    }
}

impl<S: Scalar, const D: usize> Objects<S, D> for Copied<'_, S, D> {
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self.columns.bounds(index)
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        (0..D).for_each(|axis| {
            prefetch(self.columns.min(axis), index);
            prefetch(self.columns.max(axis), index);
        });
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Whether objects should be presorted: there is no order, or it was of no use in the last step.
    pub(crate) fn wants_presort(&self, last_len: usize, objects: usize) -> bool {
        let is_small = objects < FROM || objects <= self.config.all_pairs_up_to;
        !is_small && (last_len == 0 || self.is_disordered(last_len) && !self.presorted_in_vain)
    }

    /// Whether the last order was of no use.
    fn is_disordered(&self, objects: usize) -> bool {
        self.segments as f64 > USELESS * objects as f64
    }

    /// Takes note of whether presorting helped: where every object is alone in its chunk, no order does.
    pub(crate) fn judge_presort(&mut self, presorted: bool, objects: usize) {
        self.presorted_in_vain = self.is_disordered(objects) && (presorted || self.presorted_in_vain);
    }

    /// Copies the boxes to the table, and writes the objects' order along the curve.
    pub(crate) fn presort<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, order: &mut [u32], team: Team) {
        let len = order.len();
        self.copy_to_table(objects, len, team);
        let parts = (team.workers() * PARTS_PER_WORKER).min(len.div_ceil(BLOCK)).max(1);
        let part = len.div_ceil(parts).next_multiple_of(BLOCK);
        let columns = self.table.columns(&self.next_order);
        let slabs = Slabs::new(&columns, len);
        let mut counts = memory::collect((0..len.div_ceil(part)).map(|_| -> BucketCounts { [0; BUCKETS] }));

        // Buckets are noted where the segments' links will be. One claim for the objects of a part and their counts.
        let parts = Blocks::new(&mut self.staged[..len.div_ceil(BLOCK)], part / BLOCK).zip(Blocks::new(&mut counts, 1));
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::count");
            while let Some((number, blocks, counts)) = parts.claim() {
                for (first, block) in (number * part..).step_by(BLOCK).zip(blocks) {
                    count(&slabs, &columns, first, len, block, &mut counts[0]);
                }
            }
        });
        let mut place = 0;
        for bucket in 0..BUCKETS {
            for counts in &mut counts {
                place += std::mem::replace(&mut counts[bucket], place);
            }
        }
        let (staged, order) = (&self.staged, shared(order));
        let placing = Blocks::new(&mut counts, 1);
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::place");
            while let Some((number, places)) = placing.claim() {
                for id in number * part..len.min((number + 1) * part) {
                    let place = &mut places[0][staged[id / BLOCK].next[id % BLOCK] as usize % BUCKETS];
                    order[*place as usize].store(id as u32, crate::lockfree::sync::Ordering::Relaxed);
                    *place += 1;
                }
            }
        });
    }

    /// Reads each object once: its box goes to the entry of its index.
    fn copy_to_table<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, len: usize, team: Team) {
        let table = self.table.writer(&mut self.next_order);
        let cursor = Cursor::new();
        let claim = team.claim(len.div_ceil(BLOCK), 32) * BLOCK;
        let workers = Blocks::new(&mut self.workers, 1);
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::copy");
            let Some(worker) = workers.claim_one() else { return };
            while let Some(ids) = cursor.claim(claim, len) {
                for id in ids {
                    worker.seen.grouped |= objects.groups(id) != Groups::ALL;
                    worker.seen.has_balls |= objects.ball(id).is_some();
                    table.set(id, &objects.bounds(id), id as u32);
                }
            }
        });
    }
}

/// Counts the objects of a block by bucket, and notes each one's.
fn count<S: Scalar, const D: usize>(
    slabs: &Slabs<S, D>,
    columns: &Columns<'_, S, D>,
    first: usize,
    len: usize,
    block: &mut StagedBlock<S, D>,
    counts: &mut BucketCounts,
) {
    for id in first..len.min(first + BLOCK) {
        let bucket = slabs.bucket(columns.bounds(id).min);
        block.next[id % BLOCK] = bucket;
        counts[bucket as usize % BUCKETS] += 1;
    }
}
