//! Decides when the cut moves, and makes the new one.

use pivotgrid::{Bounded, Pair};

use crate::cluster::{OBJECT_WORK, PAIR_WORK};
use crate::comm::{Comm, CommError};
use crate::coordinate::Coordinate;
use crate::cut::Partition;
use crate::local::Ownership;
use crate::space::Space;
use crate::stats::ClusterStats;
use crate::summary::{self, SAMPLE, Sample};

/// After this many cuts in a row without reaching the threshold, the imbalance is accepted.
const TRIES: usize = 3;
/// An accepted cut moves again when the imbalance has grown by this factor.
const WORSE: f64 = 1.1;

/// Whether the next step makes a new cut: the same on all ranks, because it follows from what all have agreed on.
#[derive(Debug)]
pub(crate) struct Recut<const D: usize> {
    pub(crate) is_due: bool,
    /// The imbalance at which the cut moves.
    threshold: f64,
    /// Cuts in a row, and the best imbalance since then.
    tries: usize,
    best: f64,
    /// The work of this rank in the last step, if there was one to sample.
    last: Option<f64>,
    sample: Sample<D>,
    words: Vec<u64>,
    all: Vec<u64>,
}

impl<const D: usize> Recut<D> {
    pub(crate) fn new(threshold: f64) -> Self {
        Recut {
            is_due: true,
            threshold,
            tries: 0,
            best: f64::INFINITY,
            last: None,
            sample: Sample::default(),
            words: Vec::new(),
            all: Vec::new(),
        }
    }

    /// Samples the work of the last step, each object and each pair on the rank that owned its corner, scaled so that ghosts count as
    /// well; in the first step, the own objects.
    pub(crate) fn sample<T: Bounded<S, D>, S: Coordinate>(
        &mut self,
        ownership: &Ownership<'_, S, D>,
        kept: &[Vec<Pair>],
        space: &Space<S, D>,
        objects: &[T],
    ) {
        self.sample.clear();
        let Some(work) = self.last else {
            return self.sample.add(objects.len(), SAMPLE, OBJECT_WORK, |index| {
                let bounds = objects[index].aabb();
                let is_valid = (0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]);
                let (bounds, ..) = space.wrap(bounds).ok().filter(|_| is_valid)?;
                Some(bounds.min.map(Into::into))
            });
        };
        let (held, partition) = (ownership.held, ownership.partition);
        self.sample.add(held.len(), SAMPLE, OBJECT_WORK, |index| {
            let bounds = &held.boxes[index];
            let is_valid = (0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]);
            let is_own = is_valid && partition.owns(ownership.rank, partition.frame.place(bounds.min));
            is_own.then(|| bounds.min.map(Into::into))
        });
        let pairs = kept.iter().map(Vec::len).sum();
        let (mut blocks, mut before) = (kept.iter().peekable(), 0);
        self.sample.add(pairs, SAMPLE, PAIR_WORK, |index| {
            while let Some(block) = blocks.next_if(|block| index >= before + block.len()) {
                before += block.len();
            }
            let pair = blocks.peek()?.get(index - before)?;
            Some(ownership.corner(pair).map(Into::into))
        });
        self.sample.scale_to(work);
    }

    /// Makes the cut, together with all ranks.
    pub(crate) fn cut<C: Comm>(&mut self, comm: &mut C) -> Result<Partition<D>, CommError> {
        self.sample.extent(&mut self.words);
        let frame = summary::frame(self.gather(comm)?);
        self.sample.quantiles(&frame, &mut self.words);
        Ok(summary::cut(frame, self.gather(comm)?))
    }

    fn gather<C: Comm>(&mut self, comm: &mut C) -> Result<&[u64], CommError> {
        self.all.clear();
        self.all.resize(self.words.len() * comm.size(), 0);
        comm.all_gather(&self.words, &mut self.all)?;
        Ok(&self.all)
    }

    /// Decides whether the next step makes a new cut.
    pub(crate) fn judge(&mut self, stats: &ClusterStats, rank: usize) {
        let imbalance = stats.imbalance();
        self.last = Some(stats.works[rank]);
        self.tries = if stats.recut { self.tries + 1 } else { self.tries };
        self.best = if stats.recut { imbalance } else { self.best };
        if imbalance <= self.threshold {
            (self.tries, self.best) = (0, imbalance);
        }
        let is_worse = imbalance > self.best * WORSE;
        self.is_due = imbalance > self.threshold && (self.tries < TRIES || is_worse);
        if is_worse {
            self.tries = 0;
        }
    }
}
