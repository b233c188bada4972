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
/// The most buckets: as many bits of the curve; with few objects fewer, because each worker has counters of its own, and more counters
/// than objects would cost more than the better order saves.
const MOST_BITS: usize = 15;
const FEW_BITS: usize = 12;
/// The most of these bits from one axis: each object is compared with all borders of an axis.
const MOST_BITS_OF_AXIS: usize = 7;
/// An axis is not cut if its slabs are this much thinner than those of another: objects are not sorted across a thin layer.
const THIN: f64 = 1.0 / 4.0;
/// Axes whose slabs are thicker than this part of the thickest ones are alike.
const ALIKE: f64 = 0.7;
/// Objects sampled for the slabs' borders.
const SAMPLED: usize = 2048;
/// One sampled object in this many, at either end of an axis, does not count for how long the axis is.
const OUTLIERS: usize = 16;
/// Parts of the objects that are counted apart, per worker.
const PARTS_PER_WORKER: usize = 2;

/// Where objects go along the curve.
struct Slabs<S, const D: usize> {
    /// The borders between the slabs of each axis, ascending.
    borders: [Vec<S>; D],
    /// The axes in the order in which they are cut in two: the curve's bits, the most significant one first.
    cuts: Cuts,
}

impl<S: Scalar, const D: usize> Slabs<S, D> {
    fn new(boxes: &[Aabb<S, D>], workers: usize) -> Self {
        let stride = (boxes.len() / SAMPLED).max(1);
        let samples: [Vec<S>; D] = std::array::from_fn(|axis| {
            let numbers = boxes.iter().step_by(stride).map(|bounds| bounds.min[axis]).filter(|x| !x.is_nan());
            let mut sample = memory::collect(numbers);
            sample.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            sample
        });
        let lengths = std::array::from_fn(|axis| length(&samples[axis]));
        let cuts = Cuts::new::<D>(lengths, if boxes.len() < workers << MOST_BITS { FEW_BITS } else { MOST_BITS });
        let borders = std::array::from_fn(|axis| {
            let (sample, slabs) = (&samples[axis], 1 << cuts.of_axis(axis));
            let last = sample.len().saturating_sub(1);
            memory::collect((1..slabs).map(|slab| sample.get(slab * last / slabs).copied().unwrap_or(S::ZERO)))
        });
        Slabs { borders, cuts }
    }

    fn buckets(&self) -> usize {
        1 << self.cuts.bits
    }

    /// The buckets of sixteen `min` corners: the bits of their slabs, in the order of the cuts.
    #[inline(always)]
    fn buckets_of<I: Isa>(&self, isa: I, corners: &[S::In<I>; D]) -> I::Words {
        // Loops: a closure that is not inlined would be compiled without the instruction set.
        let (zero, one) = (isa.splat(0), isa.splat(1));
        let mut slabs = [zero; D];
        for axis in 0..D {
            for border in &self.borders[axis] {
                let is_behind = Vector::<S, I>::splat(isa, *border).le(isa, corners[axis]);
                slabs[axis] = isa.add(slabs[axis], isa.select(is_behind, one, zero));
            }
        }
        let (mut buckets, mut left) = (zero, [0; D]);
        for axis in 0..D {
            left[axis] = self.cuts.of_axis(axis) as u32;
        }
        for axis in self.cuts.axes() {
            left[axis] -= 1;
            buckets = isa.or(isa.shl(buckets, 1), isa.and(isa.shr(slabs[axis], left[axis]), one));
        }
        buckets
    }
}

/// How long an axis is, but for the objects at its ends.
fn length<S: Scalar>(sorted: &[S]) -> f64 {
    let cut = sorted.len() / OUTLIERS;
    let [first, last] = [cut, (sorted.len() - cut).saturating_sub(1)].map(|at| sorted.get(at).map_or(0.0, |x| x.to_f64()));
    // Infinite coordinates have no distance.
    if last - first > 0.0 { (last - first).min(f64::MAX) } else { 0.0 }
}

/// Which axes are cut in two, one after the other: always one with the thickest slabs. Axes that are about alike are cut in turn, the last
/// one first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cuts {
    axes: [u8; MOST_BITS],
    bits: usize,
}

impl Cuts {
    fn new<const D: usize>(lengths: [f64; D], most: usize) -> Self {
        let mut cuts = Cuts { axes: [0; MOST_BITS], bits: 0 };
        while cuts.bits < most {
            let thickness = |axis: usize| lengths[axis] / (1u64 << cuts.of_axis(axis)) as f64;
            let thickest = |axes: &mut dyn Iterator<Item = usize>| axes.map(thickness).fold(0.0, f64::max);
            let open = (0..D).filter(|&axis| cuts.of_axis(axis) < MOST_BITS_OF_AXIS);
            let [of_all, of_open] = [thickest(&mut (0..D)), thickest(&mut open.clone())];
            let alike = open.filter(|&axis| thickness(axis) > of_open * ALIKE);
            match alike.rev().min_by_key(|&axis| cuts.of_axis(axis)) {
                Some(axis) if of_open >= of_all * THIN => {
                    cuts.axes[cuts.bits] = axis as u8;
                    cuts.bits += 1;
                }
                _ => break,
            }
        }
        cuts
    }

    fn axes(&self) -> impl Iterator<Item = usize> {
        self.axes[..self.bits].iter().map(|&axis| usize::from(axis))
    }

    fn of_axis(&self, axis: usize) -> usize {
        self.axes().filter(|&cut| cut == axis).count()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bits<const D: usize>(lengths: [f64; D]) -> [usize; D] {
        let cuts = Cuts::new::<D>(lengths, MOST_BITS);
        assert_eq!(cuts.axes().count(), cuts.bits);
        std::array::from_fn(|axis| cuts.of_axis(axis))
    }

    #[test]
    fn long_axes_are_cut_more_often() {
        assert_eq!(bits([1.0; 3]), [5; 3]);
        assert_eq!(bits([1.0; 2]), [7; 2]);
        assert_eq!(bits([100.0, 100.0, 1.0]), [7, 7, 1]);
        assert_eq!(bits([1.0, 1000.0, 1.0]), [0, 7, 0]);
        assert_eq!(bits([f64::MAX, 1.0, 0.0]), [7, 0, 0]);
        assert_eq!(bits([0.0; 3]), [0; 3]);
    }

    #[test]
    fn cuts_alternate_where_axes_are_alike() {
        assert!(Cuts::new([1.0, 1.1, 0.9], 6).axes().eq([2, 1, 0, 2, 1, 0]));
        assert!(Cuts::new([4.0, 1.0], 5).axes().eq([0, 0, 1, 0, 1]));
    }

    #[test]
    fn a_few_far_objects_do_not_make_an_axis_long() {
        let mut sorted = [f32::NEG_INFINITY; 100];
        sorted[3..].iter_mut().enumerate().for_each(|(at, x)| *x = at as f32 / 10.0);
        sorted[99] = 1e30;
        assert!((7.0..10.0).contains(&length(&sorted)), "{}", length(&sorted));
        assert_eq!((length::<f64>(&[]), length(&[f64::NEG_INFINITY; 9])), (0.0, 0.0));
        assert_eq!(length(&[f64::NEG_INFINITY, 1.0]), f64::MAX);
    }
}
