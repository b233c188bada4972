//! Boxes in sorted order, a column per bound, and the test of one box against a range of them.

use pivotgrid::Pair;
use rayon::prelude::*;
use wide::f32x8;

use super::sort::Order;
use crate::Bounds;

/// Boxes tested at once.
const LANES: usize = 8;
/// Objects per parallel task while loading.
const TASK: usize = 8 * 1024;

#[derive(Debug)]
pub(crate) struct Columns<const D: usize> {
    threads: usize,
    order: Order,
    lo: [Vec<f32>; D],
    hi: [Vec<f32>; D],
    ids: Vec<u32>,
}

/// A box, its bounds in all lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<const D: usize> {
    id: u32,
    lo: [f32x8; D],
    hi: [f32x8; D],
}

/// The part of the columns that one task loads.
struct Part<'a, const D: usize> {
    lo: [&'a mut [f32]; D],
    hi: [&'a mut [f32]; D],
    ids: &'a mut [u32],
}

impl<const D: usize> Columns<D> {
    pub(crate) fn new(threads: usize) -> Self {
        let columns = || [const { Vec::new() }; D];
        Columns { threads, order: Order::default(), lo: columns(), hi: columns(), ids: Vec::new() }
    }

    /// Takes in the boxes in the order of a key of `key_bits` bits, with the axes in the order of `axes`.
    pub(crate) fn fill(&mut self, boxes: &[Bounds<D>], axes: [usize; D], key_bits: u32, key: impl Fn(&Bounds<D>) -> u64 + Sync) {
        self.order.sort(boxes, key_bits, key, self.threads);
        self.load(boxes, axes);
    }

    /// The order that the boxes are in.
    pub(crate) fn order(&self) -> &Order {
        &self.order
    }

    fn load(&mut self, boxes: &[Bounds<D>], axes: [usize; D]) {
        let (order, threads) = (&self.order, self.threads);
        let n = order.len();
        // A load of all lanes at the last box stays inside, and finds boxes there that overlap nothing, not even infinite ones.
        for (lo, hi) in self.lo.iter_mut().zip(&mut self.hi) {
            lo.resize(n + LANES, 0.0);
            lo[n..].fill(f32::NAN);
            hi.resize(n + LANES, 0.0);
            hi[n..].fill(f32::NAN);
        }
        self.ids.resize(n, 0);

        let load = |(first, part): (usize, Part<'_, D>)| {
            for k in 0..part.ids.len() {
                let id = order.index(first + k);
                let Bounds { min, max } = boxes[id as usize];
                for (column, &axis) in axes.iter().enumerate() {
                    part.lo[column][k] = min[axis];
                    part.hi[column][k] = max[axis];
                }
                part.ids[k] = id;
            }
        };
        let task = if threads == 1 { n.max(1) } else { TASK };
        let mut lo = self.lo.each_mut().map(|column| column[..n].chunks_mut(task));
        let mut hi = self.hi.each_mut().map(|column| column[..n].chunks_mut(task));
        let part = |ids| Part {
            lo: lo.each_mut().map(|parts| parts.next().expect("as many parts as of ids")),
            hi: hi.each_mut().map(|parts| parts.next().expect("as many parts as of ids")),
            ids,
        };
        let parts: Vec<(usize, Part<'_, D>)> = (0..).step_by(task).zip(self.ids.chunks_mut(task).map(part)).collect();
        if threads == 1 {
            parts.into_iter().for_each(load);
        } else {
            parts.into_par_iter().for_each(load);
        }
    }

    /// Box `k` made ready for tests.
    #[inline(always)]
    pub(crate) fn query(&self, k: usize) -> Query<D> {
        Query {
            id: self.ids[k],
            lo: std::array::from_fn(|axis| f32x8::splat(self.lo[axis][k])),
            hi: std::array::from_fn(|axis| f32x8::splat(self.hi[axis][k])),
        }
    }

    /// Tests a box against the boxes `from..to`.
    #[inline(always)]
    pub(crate) fn test_range(&self, query: &Query<D>, from: usize, to: usize, found: &mut Vec<Pair>) {
        let mut at = from;
        while at < to {
            let mut hits = self.hits::<0>(query, at);
            if to - at < LANES {
                hits &= (1 << (to - at)) - 1;
            }
            self.take(query.id, at, hits, found);
            at += LANES;
        }
    }

    /// Tests box `k` against all after it whose first lower bound, in ascending order, is not beyond its own upper one.
    #[inline(always)]
    pub(crate) fn test_swept(&self, k: usize, found: &mut Vec<Pair>) {
        let query = self.query(k);
        let end = self.hi[0][k];
        let mut at = k + 1;
        while self.lo[0][at] <= end {
            let hits = self.hits::<1>(&query, at);
            self.take(query.id, at, hits, found);
            at += LANES;
        }
    }

    /// One bit per lane, set where the box overlaps. The others are known not to end before it on the first `SWEPT` axes.
    #[inline(always)]
    fn hits<const SWEPT: usize>(&self, query: &Query<D>, at: usize) -> u32 {
        let lanes = |column: &[f32]| f32x8::new(*column[at..].first_chunk().expect("the padding is as long"));
        let mut hits = lanes(&self.lo[0]).simd_le(query.hi[0]);
        for axis in 1..D {
            hits &= lanes(&self.lo[axis]).simd_le(query.hi[axis]);
        }
        for axis in SWEPT..D {
            hits &= lanes(&self.hi[axis]).simd_ge(query.lo[axis]);
        }
        hits.to_bitmask()
    }

    #[inline(always)]
    fn take(&self, id: u32, at: usize, mut hits: u32, found: &mut Vec<Pair>) {
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize;
            found.push(Pair::new(id, self.ids[at + lane]));
            hits &= hits - 1;
        }
    }
}
