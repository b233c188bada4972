//! Presort: makes an order for objects whose last order is unknown or useless.
//!
//! Gather is fast if neighbors in space are neighbors in the order. They are not in the first step, nor after the user shuffles the
//! objects. Nor are objects that the last step did not have; many of these are presorted alone. Presort copies the boxes, as records,
//! to the memory of the table, which sort fills later anyway. It then counts the objects into buckets along a Z curve. A sample divides
//! each axis into slabs with equal shares of the objects, so dense regions get more buckets.

use crate::build::builder::Builder;
use crate::isa::{Isa, Lanes, WIDTH};
use crate::kernel::IsaWork;
use crate::kernel::records::corners;
use crate::kernel::scalar::Vector;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::lockfree::{Blocks, shared};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Groups, Scalar};

/// Fewer objects fit into the cache in any order.
const FROM: usize = 4096;
/// With more segments per object than this, the order is useless.
const USELESS: f64 = 0.3;
/// The most buckets: as many bits of the Z curve, the same number for each axis.
const MOST_BITS: u32 = 15;
/// Objects sampled for the slabs' borders.
const SAMPLED: usize = 2048;
/// Parts of the objects that are counted apart, per worker.
const PARTS_PER_WORKER: usize = 2;

/// Where objects go along the curve.
struct Slabs<S, const D: usize> {
    /// The borders between the slabs of each axis, ascending.
    borders: [Vec<S>; D],
    /// Bits of the curve from each axis.
    bits: u32,
}

impl<S: Scalar, const D: usize> Slabs<S, D> {
    fn new(boxes: &[Aabb<S, D>], workers: usize) -> Self {
        // Each worker has counters of its own. More counters than objects would cost more than the better order saves.
        let bits = MOST_BITS / D as u32 - u32::from(boxes.len() < workers << MOST_BITS);
        let stride = (boxes.len() / SAMPLED).max(1);
        let slabs = 1 << bits;
        let borders = std::array::from_fn(|axis| {
            let numbers = boxes.iter().step_by(stride).map(|bounds| bounds.min[axis]).filter(|x| !x.is_nan());
            let mut sample = memory::collect(numbers);
            sample.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            let last = sample.len().saturating_sub(1);
            memory::collect((1..slabs).map(|slab| sample.get(slab * last / slabs).copied().unwrap_or(S::ZERO)))
        });
        Slabs { borders, bits }
    }

    fn buckets(&self) -> usize {
        1 << (D as u32 * self.bits)
    }

    /// The buckets of sixteen `min` corners: the bits of their slabs, interleaved.
    #[inline(always)]
    fn buckets_of<I: Isa>(&self, isa: I, corners: &[S::In<I>; D]) -> I::Words {
        // Loops: a closure that is not inlined would be compiled without the instruction set.
        let (zero, one) = (isa.splat(0), isa.splat(1));
        let mut buckets = zero;
        for axis in 0..D {
            let mut slabs = zero;
            for border in &self.borders[axis] {
                let is_behind = Vector::<S, I>::splat(isa, *border).le(isa, corners[axis]);
                slabs = isa.add(slabs, isa.select(is_behind, one, zero));
            }
            for bit in 0..self.bits {
                let moved = isa.shl(isa.and(isa.shr(slabs, bit), one), D as u32 * bit + axis as u32);
                buckets = isa.or(buckets, moved);
            }
        }
        buckets
    }
}

/// The user's objects, of which the boxes are copied from one on.
pub(crate) struct Copied<'a, S, O: ?Sized, const D: usize> {
    pub(crate) objects: &'a O,
    /// The first object whose box is copied.
    pub(crate) first: usize,
    pub(crate) boxes: &'a [Aabb<S, D>],
}

impl<S: Scalar, O: Objects<S, D> + ?Sized, const D: usize> Objects<S, D> for Copied<'_, S, O, D> {
    fn len(&self) -> usize {
        self.first + self.boxes.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        match index.checked_sub(self.first) {
            Some(copied) => self.boxes[copied],
            None => self.objects.bounds(index),
        }
    }

    // What was copied was looked at then.
    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        if index < self.first { self.objects.groups(index) } else { Groups::ALL }
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        if index < self.first { self.objects.ball(index) } else { None }
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        match index.checked_sub(self.first) {
            Some(copied) => prefetch(self.boxes, copied),
            None => self.objects.prefetch(index),
        }
    }
}

/// Notes the bucket of each object of some blocks, and counts them.
struct CountBuckets<'a, S, const D: usize> {
    slabs: &'a Slabs<S, D>,
    boxes: &'a [Aabb<S, D>],
    /// Buckets are noted where the segments' links will be.
    blocks: &'a mut [StagedBlock<S, D>],
    counts: &'a mut [u32],
}

impl<S: Scalar, const D: usize> IsaWork for CountBuckets<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let CountBuckets { slabs, boxes, blocks, counts } = self;
        for (boxes, block) in boxes.chunks(BLOCK).zip(blocks) {
            for (boxes, noted) in boxes.chunks(WIDTH).zip(block.next.as_chunks_mut().0) {
                // Lanes behind the last box repeat it, and do not count.
                let rest: [Aabb<S, D>; WIDTH];
                let sixteen = match boxes.first_chunk() {
                    Some(sixteen) => sixteen,
                    None => {
                        rest = std::array::from_fn(|lane| boxes[lane.min(boxes.len() - 1)]);
                        &rest
                    }
                };
                let corners = corners(isa, sixteen);
                *noted = isa.array(slabs.buckets_of(isa, &corners));
                for bucket in &noted[..boxes.len()] {
                    counts[*bucket as usize] += 1;
                }
            }
        }
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// The first object to presort, if there are some: all objects if there is no order, or if it was useless in the last step;
    /// otherwise those that the last step did not have, if they are many. Without a plan, that step's cells were the wrong ones, and
    /// tell nothing about its order.
    pub(crate) fn presort_from(&self, last_len: usize, objects: usize) -> Option<usize> {
        if objects < FROM || objects <= self.config.all_pairs_up_to {
            None
        } else if last_len == 0 || self.plan.is_some() && self.is_disordered(last_len) && !self.presorted_in_vain {
            Some(0)
        } else {
            (objects >= last_len + FROM && !self.presorted_in_vain).then_some(last_len)
        }
    }

    /// Whether the last order was useless.
    fn is_disordered(&self, objects: usize) -> bool {
        self.segments as f64 > USELESS * objects as f64
    }

    /// Records whether presorting helped: where every object is alone in its chunk, no order does.
    pub(crate) fn judge_presort(&mut self, presorted: bool, objects: usize) {
        self.presorted_in_vain = self.is_disordered(objects) && (presorted || self.presorted_in_vain);
    }

    /// Copies the boxes from one on to the table, and writes these objects' order along the curve. If these are all, and there is no
    /// plan for them, surveys them.
    pub(crate) fn presort<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, first: usize, order: &mut [u32], team: Team) {
        let len = order.len();
        self.copy_to_table(objects, first, len, team);
        let parts = (team.workers() * PARTS_PER_WORKER).min(len.div_ceil(BLOCK)).max(1);
        let part = len.div_ceil(parts).next_multiple_of(BLOCK);
        let boxes = self.table.records(len);
        let slabs = Slabs::new(boxes, team.workers());
        let buckets = slabs.buckets();
        // By part: how many objects each bucket has; later, the place of the bucket's next object in the order.
        let mut counts = memory::collect(std::iter::repeat_n(0, len.div_ceil(part) * buckets));

        // One claim for the objects of a part and their counts.
        let parts = Blocks::new(&mut self.staged[..len.div_ceil(BLOCK)], part / BLOCK).zip(Blocks::new(&mut counts, buckets));
        let kernel = self.kernel;
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::count");
            while let Some((number, blocks, counts)) = parts.claim() {
                let boxes = &boxes[number * part..len.min((number + 1) * part)];
                kernel.dispatch(CountBuckets { slabs: &slabs, boxes, blocks, counts });
            }
        });
        let mut place = 0;
        for bucket in 0..buckets {
            for count in counts[bucket..].iter_mut().step_by(buckets) {
                place += std::mem::replace(count, place);
            }
        }
        let (staged, order) = (&self.staged, shared(order));
        let placing = Blocks::new(&mut counts, buckets);
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::place");
            while let Some((begin, places)) = placing.claim() {
                let number = begin / buckets;
                for at in number * part..len.min((number + 1) * part) {
                    let place = &mut places[staged[at / BLOCK].next[at % BLOCK] as usize];
                    order[*place as usize].store((first + at) as u32, crate::lockfree::sync::Ordering::Relaxed);
                    *place += 1;
                }
            }
        });
    }

    /// Reads each object from one on once: its box goes to the record of its index.
    fn copy_to_table<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, first: usize, len: usize, team: Team) {
        let claim = team.claim(len.div_ceil(BLOCK), 32) * BLOCK;
        let (surveys, kernel) = (first == 0 && !self.has_plan_for(len), self.kernel);
        let records = Blocks::new(self.table.records_mut(len), claim);
        let workers = Blocks::new(&mut self.workers, 1);
        self.busy.each(team, |_| {
            scope!("pivotgrid::presort::copy");
            let Some(worker) = workers.claim_one() else { return };
            if surveys {
                worker.survey.clear();
            }
            while let Some((begin, records)) = records.claim() {
                for (block, records) in records.chunks_mut(BLOCK).enumerate() {
                    for (id, record) in (first + begin + block * BLOCK..).zip(&mut *records) {
                        worker.seen.grouped |= objects.groups(id) != Groups::ALL;
                        worker.seen.has_balls |= objects.ball(id).is_some();
                        *record = objects.bounds(id);
                    }
                    // While it is in the first-level cache.
                    if surveys {
                        worker.survey.observe(kernel, records);
                    }
                }
            }
        });
    }
}
