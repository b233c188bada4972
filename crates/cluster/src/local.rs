//! The ordinary step on what a rank holds, and the pairs of it that are this rank's.

use pivotgrid::{BroadPhase, Pair, Pairs};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use crate::coordinate::{Coordinate, greater};
use crate::cut::Partition;
use crate::held::Held;
use crate::step::Names;

/// Slices of pairs, some thousands each, that a worker filters into one buffer.
const SLICES: usize = 16;

/// Runs the engine.
pub(crate) fn detect<'a, S: Coordinate, const D: usize>(
    engine: &'a mut BroadPhase<S, D>,
    held: &Held<S, D>,
) -> Result<Pairs<'a>, String> {
    let found = if held.bodies.is_empty() { engine.try_par_detect(&held.boxes) } else { engine.try_par_detect(&held.bodies) };
    found.map_err(|error| error.to_string())
}

/// Decides which pairs are this rank's.
#[derive(Debug)]
pub(crate) struct Ownership<'a, S, const D: usize> {
    pub(crate) held: &'a Held<S, D>,
    pub(crate) partition: &'a Partition<D>,
    pub(crate) rank: usize,
}

impl<S: Coordinate, const D: usize> Ownership<'_, S, D> {
    /// Keeps the pairs that are this rank's, in buffers that are kept for the next step. In a periodic space, by the images' `names`.
    pub(crate) fn filter(&self, pairs: Pairs<'_>, names: Option<&Names<'_, D>>, is_serial: bool, kept: &mut Vec<Vec<Pair>>) {
        let slices: Vec<&[Pair]> = pairs.slices().collect();
        kept.iter_mut().for_each(Vec::clear);
        let buffers = slices.len().div_ceil(SLICES);
        if kept.len() < buffers {
            kept.resize(buffers, Vec::new());
        }
        let keep = |(buffer, slices): (&mut Vec<Pair>, &[&[Pair]])| {
            for slice in slices {
                // Few pairs are dropped, so the pairs between two dropped ones are copied as a whole.
                let mut begin = 0;
                for (at, pair) in slice.iter().enumerate() {
                    if !self.owns(pair) || names.is_some_and(|names| stands_for_another(names, pair)) {
                        buffer.extend_from_slice(&slice[begin..at]);
                        begin = at + 1;
                    }
                }
                buffer.extend_from_slice(&slice[begin..]);
            }
        };
        if is_serial {
            kept.iter_mut().zip(slices.chunks(SLICES)).for_each(keep);
        } else {
            kept.par_iter_mut().zip(slices.par_chunks(SLICES)).for_each(keep);
        }
    }

    #[inline(always)]
    fn owns(&self, pair: &Pair) -> bool {
        let shared = &self.held.shared;
        // The corner of the intersection lies in both boxes, so in the one that touches this part only.
        !shared.get(pair.a as usize)
            || !shared.get(pair.b as usize)
            || self.partition.owns(self.rank, self.partition.frame.place(self.corner(pair)))
    }

    /// The lower corner of the intersection of a pair.
    #[inline(always)]
    pub(crate) fn corner(&self, pair: &Pair) -> [S; D] {
        let (a, b) = (&self.held.boxes[pair.a as usize], &self.held.boxes[pair.b as usize]);
        std::array::from_fn(|axis| greater(a.min[axis], b.min[axis]))
    }
}

/// Whether a pair of images is one of an object with itself, or one that other images report as well.
fn stands_for_another<const D: usize>(names: &Names<'_, D>, pair: &Pair) -> bool {
    let [a, b] = [pair.a, pair.b].map(|index| names.shifts[index as usize].axes);
    a & b != 0 || names.id(pair.a) == names.id(pair.b)
}
