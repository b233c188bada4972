//! Where each box goes: the pass over the own objects.

use std::ops::Range;

use pivotgrid::{Aabb, Bounded, Groups, PeriodicReason, RejectReason};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::bits::{WORD, ones};
use crate::coordinate::Coordinate;
use crate::core::{Columns, Core};
use crate::cut::{Partition, Touched};
use crate::held::{Body, Held, Parcel};
use crate::space::{Shift, Space};
use crate::step::GlobalRejected;

/// Objects that a worker takes at a time.
const BLOCK: usize = 4096;
const _: () = assert!(BLOCK.is_multiple_of(WORD), "no two workers write one word");

/// The input of the pass.
#[derive(Debug)]
pub(crate) struct Route<'a, T, S, const D: usize> {
    pub(crate) ids: &'a [u64],
    pub(crate) objects: &'a [T],
    pub(crate) space: &'a Space<S, D>,
    pub(crate) partition: &'a Partition<D>,
    pub(crate) core: &'a Core<S, D>,
    pub(crate) rank: usize,
    /// On the calling thread.
    pub(crate) is_serial: bool,
}

/// The output of the pass, in memory that is kept for the next step.
#[derive(Debug)]
pub(crate) struct Routed<S, const D: usize> {
    blocks: Vec<Block<S, D>>,
    used: usize,
    /// The rank that owns each own object's corner.
    pub(crate) owners: Vec<u32>,
    pub(crate) rejected: Vec<GlobalRejected>,
    pub(crate) outside: usize,
    /// The number of own objects outside of this rank's part that are held nevertheless.
    pub(crate) strangers: usize,
}

#[derive(Debug)]
struct Block<S, const D: usize> {
    sent: Vec<Parcel<S, D>>,
    /// Images that stay here.
    images: Vec<Parcel<S, D>>,
    rejected: Vec<GlobalRejected>,
    /// Own objects that do not touch this rank's part.
    outside: Vec<u32>,
}

/// A block of objects, and where to write the results.
struct Job<'a, T, S, const D: usize> {
    first: usize,
    ids: &'a [u64],
    objects: &'a [T],
    boxes: &'a mut [Aabb<S, D>],
    /// A word for [`WORD`] objects.
    shared: &'a mut [u64],
    shifts: &'a mut [Shift<D>],
    bodies: &'a mut [Body<S, D>],
    owners: &'a mut [u32],
    block: &'a mut Block<S, D>,
}

impl<S: Coordinate, const D: usize> Routed<S, D> {
    pub(crate) fn new() -> Self {
        Routed { blocks: Vec::new(), used: 0, owners: Vec::new(), rejected: Vec::new(), outside: 0, strangers: 0 }
    }

    /// All parcels, in the order of their objects.
    pub(crate) fn parcels(&self) -> impl Iterator<Item = &Parcel<S, D>> + Clone {
        self.blocks[..self.used].iter().flat_map(|block| &block.sent)
    }

    fn begin(&mut self, objects: usize) {
        self.used = objects.div_ceil(BLOCK);
        while self.blocks.len() < self.used {
            self.blocks.push(Block { sent: Vec::new(), images: Vec::new(), rejected: Vec::new(), outside: Vec::new() });
        }
        for block in &mut self.blocks {
            block.sent.clear();
            block.images.clear();
            block.rejected.clear();
            block.outside.clear();
        }
        self.owners.resize(objects, 0);
        self.rejected.clear();
    }
}

impl<T: Bounded<S, D> + Sync, S: Coordinate, const D: usize> Route<'_, T, S, D> {
    /// Finds the ranks that each object touches. Leaves the own objects and their images in `held`.
    pub(crate) fn run(&self, held: &mut Held<S, D>, routed: &mut Routed<S, D>) {
        // For objects without either, this is known at compile time.
        let has_body = |object: &T| object.groups() != Groups::ALL || object.ball().is_some();
        let (has_bodies, is_periodic) = (self.objects.iter().any(has_body), !self.space.is_open);
        held.begin(self.objects.len(), is_periodic, has_bodies);
        routed.begin(self.objects.len());
        let jobs = self.jobs(held, routed);
        if self.is_serial {
            jobs.into_iter().for_each(|job| self.block(job));
        } else {
            jobs.into_par_iter().for_each(|job| self.block(job));
        }

        let blocks = &routed.blocks[..routed.used];
        blocks.iter().for_each(|block| routed.rejected.extend_from_slice(&block.rejected));
        routed.outside = blocks.iter().map(|block| block.outside.len()).sum();
        // A few strangers cost less than a new order: the engine visits objects by index, in the order of the last step.
        routed.strangers = routed.outside;
        if routed.outside > self.objects.len() / 8 {
            held.drop_own(self.ids, blocks.iter().flat_map(|block| &block.outside).map(|&index| index as usize));
            routed.strangers = 0;
        }
        for image in blocks.iter().flat_map(|block| &block.images) {
            held.push(self.ids[image.index as usize], image.body, image.shift, is_periodic, has_bodies);
        }
    }

    fn jobs<'a>(&'a self, held: &'a mut Held<S, D>, routed: &'a mut Routed<S, D>) -> Vec<Job<'a, T, S, D>> {
        let (mut boxes, mut shared, mut shifts) = (&mut held.boxes[..], &mut held.shared.words[..], &mut held.shifts[..]);
        let (mut bodies, mut owners) = (&mut held.bodies[..], &mut routed.owners[..]);
        let blocks = routed.blocks[..routed.used].iter_mut().enumerate();
        let job = |(number, block)| {
            let range = number * BLOCK..self.objects.len().min((number + 1) * BLOCK);
            Job {
                first: range.start,
                ids: &self.ids[range.clone()],
                objects: &self.objects[range],
                boxes: next(&mut boxes, BLOCK),
                shared: next(&mut shared, BLOCK / WORD),
                shifts: next(&mut shifts, BLOCK),
                bodies: next(&mut bodies, BLOCK),
                owners: next(&mut owners, BLOCK),
                block,
            }
        };
        blocks.map(job).collect()
    }

    fn block(&self, mut job: Job<'_, T, S, D>) {
        job.owners.fill(self.rank as u32);
        for number in 0..job.shared.len() {
            let first = number * WORD;
            let all = first..job.objects.len().min(first + WORD);
            let inner = self.inner(&mut job, all.clone());
            job.shared[number] = !inner;
            for lane in ones(!inner & u64::MAX >> (WORD - all.len())) {
                self.object(&mut job, first + lane);
            }
        }
    }

    /// Copies the boxes of a word's objects. Returns the bits of objects that certainly touch this rank's part only, which are most of
    /// them; the others are decided later.
    #[inline(always)]
    fn inner(&self, job: &mut Job<'_, T, S, D>, all: Range<usize>) -> u64 {
        let mut columns = Columns::VACANT;
        let (objects, boxes) = (&job.objects[all.clone()], &mut job.boxes[all.clone()]);
        for (lane, (object, place)) in objects.iter().zip(boxes).enumerate() {
            let bounds = object.aabb();
            *place = bounds;
            columns.set(lane, &bounds);
        }
        if !self.space.is_open {
            return 0;
        }
        for index in if job.bodies.is_empty() { 0..0 } else { all } {
            job.bodies[index] = self.body(&job.objects[index], job.boxes[index], &Shift::NONE);
        }
        self.core.holds(&columns)
    }

    fn body(&self, object: &T, bounds: Aabb<S, D>, shift: &Shift<D>) -> Body<S, D> {
        let ball = object.ball().map(|ball| self.space.image_of_ball(ball, shift));
        Body { bounds, groups: object.groups(), ball }
    }

    /// Finds the ranks that a single object touches.
    fn object(&self, job: &mut Job<'_, T, S, D>, index: usize) {
        let placed = match invalid(&job.boxes[index]) {
            Some(reason) => Err(PeriodicReason::Box(reason)),
            None => self.space.wrap(job.boxes[index]),
        };
        match placed {
            Ok((bounds, shift, crossing)) => self.valid_object(job, index, bounds, shift, crossing),
            Err(reason) => {
                job.boxes[index] = Held::<S, D>::VACANT;
                if let Some(place) = job.bodies.get_mut(index) {
                    *place = Body::plain(Held::<S, D>::VACANT);
                }
                job.block.rejected.push(GlobalRejected { id: job.ids[index], index: job.first + index, reason });
            }
        }
    }

    #[inline(always)]
    fn valid_object(&self, job: &mut Job<'_, T, S, D>, index: usize, bounds: Aabb<S, D>, shift: Shift<D>, crossing: u32) {
        let (rank, object) = (self.rank, &job.objects[index]);
        let body = |bounds, shift: &Shift<D>| self.body(object, bounds, shift);
        job.boxes[index] = bounds;
        if let Some(place) = job.shifts.get_mut(index) {
            *place = shift;
        }
        if let Some(place) = job.bodies.get_mut(index) {
            *place = body(bounds, &shift);
        }

        let (own, block) = ((job.first + index) as u32, &mut *job.block);
        let mut here = false;
        let mut send = |to: usize| {
            if to == rank {
                here = true;
            } else {
                block.sent.push(Parcel { to: to as u32, index: own, body: body(bounds, &shift), shift });
            }
        };
        job.owners[index] = match self.partition.touched(&bounds, rank, &mut send) {
            Touched::One(owner) => {
                send(owner);
                job.shared[index / WORD] &= !(u64::from(owner == rank) << (index % WORD));
                owner as u32
            }
            Touched::Several => self.partition.owner(bounds.min) as u32,
        };
        if !here {
            block.outside.push(own);
        }
        if crossing == 0 {
            return;
        }
        for axes in (1..1 << D).filter(|axes| axes & !crossing == 0) {
            let (bounds, shift) = self.space.image(&bounds, &shift, axes);
            let parcel = |to: usize| Parcel { to: to as u32, index: own, body: body(bounds, &shift), shift };
            self.partition.for_each_touched(&bounds, |to| {
                if to == rank { block.images.push(parcel(to)) } else { block.sent.push(parcel(to)) }
            });
        }
    }
}

/// The next block of a column, or nothing of an empty one.
fn next<'a, T>(column: &mut &'a mut [T], most: usize) -> &'a mut [T] {
    let all = std::mem::take(column);
    let (block, rest) = all.split_at_mut(all.len().min(most));
    *column = rest;
    block
}

/// What is wrong with a box.
#[inline(always)]
fn invalid<S: Coordinate, const D: usize>(bounds: &Aabb<S, D>) -> Option<RejectReason> {
    if (0..D).fold(true, |valid, axis| valid & (bounds.min[axis] <= bounds.max[axis])) {
        return None;
    }
    #[allow(clippy::eq_op, reason = "a NaN is the only number that differs from itself")]
    let is_nan = bounds.min.iter().chain(&bounds.max).any(|bound| bound != bound);
    Some(if is_nan { RejectReason::NotANumber } else { RejectReason::Inverted })
}
