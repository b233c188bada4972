//! A short summary of where the work is, which each rank sends to the others so that all of them make the same cut.
//!
//! Work is a measure in space: each object at its lower corner, each pair at the lower corner of the intersection. A rank takes a sample of
//! the points that it owned in the last step, scaled to all of its work. It first sends the extent of its sample, from which all ranks make
//! the frame; then the quantiles of its sample along the curve, from which all make the borders.

use crate::curve::Frame;
use crate::cut::{Partition, most_even};

/// Points that a rank samples.
pub(crate) const SAMPLE: usize = 1 << 14;
/// Quantiles that a rank sends. A border is off by at most one quantile of each rank whose points lie on both sides of it.
pub(crate) const QUANTILES: usize = 256;
/// Words of each of the two messages.
pub(crate) const fn extent_words(dimension: usize) -> usize {
    1 + 4 * dimension
}
pub(crate) const QUANTILE_WORDS: usize = 1 + QUANTILES;

/// This share of the sample may lie outside of the frame on each side of each axis: an object far away must not make all cells coarse.
const OUTLIERS: f64 = 0.02;
/// A border may be off by this share of a rank's work where that makes it smoother.
const SLACK: f64 = 0.01;

/// A sample of points with the work that is done there.
#[derive(Debug, Default)]
pub(crate) struct Sample<const D: usize> {
    points: Vec<([f64; D], f64)>,
    places: Vec<(u64, f64)>,
    axis: Vec<f64>,
}

impl<const D: usize> Sample<D> {
    pub(crate) fn clear(&mut self) {
        self.points.clear();
    }

    /// Adds about `most` of `count` points of equal work, evenly spread over their numbers but not periodically.
    pub(crate) fn add(&mut self, count: usize, most: usize, work_each: f64, mut point: impl FnMut(usize) -> Option<[f64; D]>) {
        let stride = count.div_ceil(most.max(1)).max(1);
        let weight = work_each * stride as f64;
        for (number, begin) in (0..count).step_by(stride).enumerate() {
            // Knuth's multiplier: some place within the stride.
            let jitter = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
            let index = begin + jitter as usize % stride.min(count - begin);
            if let Some(point) = point(index) {
                self.points.push((point, weight));
            }
        }
    }

    /// Scales the work to a given total.
    pub(crate) fn scale_to(&mut self, work: f64) {
        let sum: f64 = self.points.iter().map(|point| point.1).sum();
        if sum > 0.0 {
            self.points.iter_mut().for_each(|point| point.1 *= work / sum);
        }
    }

    /// The number of points; for each axis the least and the greatest, and those with few beyond them.
    pub(crate) fn extent(&mut self, words: &mut Vec<u64>) {
        words.clear();
        words.push(self.points.len() as u64);
        for axis in 0..D {
            self.axis.clear();
            self.axis.extend(self.points.iter().map(|point| point.0[axis]).filter(|x| x.is_finite()));
            self.axis.sort_unstable_by(f64::total_cmp);
            let few = (self.axis.len() as f64 * OUTLIERS) as usize;
            let at = |index: usize, none: f64| self.axis.get(index).copied().unwrap_or(none);
            let last = self.axis.len().saturating_sub(1);
            let bounds = [
                at(0, f64::INFINITY),
                at(last, f64::NEG_INFINITY),
                at(few, f64::INFINITY),
                at(last.saturating_sub(few), f64::NEG_INFINITY),
            ];
            words.extend(bounds.map(f64::to_bits));
        }
    }

    /// The work, and the places on the curve that cut it into equal parts.
    pub(crate) fn quantiles(&mut self, frame: &Frame<D>, words: &mut Vec<u64>) {
        words.clear();
        self.places.clear();
        self.places.extend(self.points.iter().map(|(point, work)| (frame.place(*point), *work)));
        self.places.sort_unstable_by_key(|place| place.0);
        let work: f64 = self.places.iter().map(|place| place.1).sum();
        words.push(work.to_bits());
        let (mut passed, mut places) = (0.0, self.places.iter().peekable());
        for quantile in 0..QUANTILES {
            let target = work * (quantile as f64 + 0.5) / QUANTILES as f64;
            while let Some(place) = places.next_if(|place| passed + place.1 < target) {
                passed += place.1;
            }
            words.push(places.peek().copied().or(self.places.last()).map_or(0, |place| place.0));
        }
    }
}

/// The frame for the extents that all ranks have sent.
pub(crate) fn frame<const D: usize>(all: &[u64]) -> Frame<D> {
    let ranks = || all.chunks_exact(extent_words(D));
    let points: u64 = ranks().map(|rank| rank[0]).sum();
    let few = (points as f64 * OUTLIERS) as u64;
    let (mut low, mut high) = ([0.0; D], [0.0; D]);
    for axis in 0..D {
        let bound = |which: usize| ranks().map(move |rank| (f64::from_bits(rank[1 + 4 * axis + which]), rank[0]));
        let least = bound(0).map(|bound| bound.0).fold(f64::INFINITY, f64::min);
        let greatest = bound(1).map(|bound| bound.0).fold(f64::NEG_INFINITY, f64::max);
        if least > greatest {
            // There are no points, or all are infinitely far away.
            continue;
        }
        let usual_least = -beyond_few(bound(2).map(|(x, count)| (-x, count)), few);
        let usual_greatest = beyond_few(bound(3), few);
        let margin = (usual_greatest - usual_least).abs() / 2.0;
        low[axis] = least.max(usual_least - margin);
        high[axis] = greatest.min(usual_greatest + margin).max(low[axis]);
    }
    Frame::between(low, high)
}

/// The greatest number that has more than `few` points beyond it, its own rank's included.
fn beyond_few(bounds: impl Iterator<Item = (f64, u64)>, few: u64) -> f64 {
    let mut bounds: Vec<(f64, u64)> = bounds.filter(|bound| bound.0.is_finite()).collect();
    bounds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut passed = 0;
    let usual = bounds.iter().find(|bound| {
        passed += bound.1;
        passed > few
    });
    usual.or(bounds.last()).map_or(0.0, |bound| bound.0)
}

/// The cut for the work along the curve that all ranks have sent.
pub(crate) fn cut<const D: usize>(frame: Frame<D>, all: &[u64]) -> Partition<D> {
    let ranks = all.len() / QUANTILE_WORDS;
    let mut places: Vec<(u64, f64)> = Vec::with_capacity(ranks * QUANTILES);
    for rank in all.chunks_exact(QUANTILE_WORDS) {
        let work = f64::from_bits(rank[0]);
        if work > 0.0 {
            places.extend(rank[1..].iter().map(|&place| (place, work / QUANTILES as f64)));
        }
    }
    // By the bits of the work as well: the order, and so the sum, must not depend on the sort.
    places.sort_unstable_by_key(|place| (place.0, place.1.to_bits()));
    let work: f64 = places.iter().map(|place| place.1).sum();
    let (mut low, mut high) = (Passed::new(&places), Passed::new(&places));
    let borders = (1..ranks).map(|rank| {
        let [least, greatest] = [-SLACK, SLACK].map(|slack| work * (rank as f64 + slack) / ranks as f64);
        most_even(low.place(least), high.place(greatest))
    });
    Partition { frame, borders: borders.collect() }
}

/// Goes along the curve, with the work so far.
struct Passed<'a> {
    places: &'a [(u64, f64)],
    next: usize,
    work: f64,
}

impl<'a> Passed<'a> {
    fn new(places: &'a [(u64, f64)]) -> Self {
        Passed { places, next: 0, work: 0.0 }
    }

    /// The place on the curve before which this much work lies. Called with ascending targets.
    fn place(&mut self, target: f64) -> u64 {
        while self.next < self.places.len() && self.work + self.places[self.next].1 <= target {
            self.work += self.places[self.next].1;
            self.next += 1;
        }
        self.places.get(self.next).or(self.places.last()).map_or(0, |place| place.0)
    }
}
