//! Estimates how many objects of one size meet how many of another.
//!
//! Objects of different sizes may lie in different places, so the density of all objects does not predict this. Some boxes of each atom are
//! compared with the sampled corners of every other atom. Where that finds next to nothing, the estimate comes from sampled pairs of both
//! atoms that share a cube, at larger scales.

use std::ops::Range;

use super::density::{BITS, Density, FEWEST, retain_shared, z_codes};
use super::group::Group;
use super::survey::{Atoms, Corners, PROBES, SizeClass};
use crate::runtime::memory;

/// A sampled `min` corner, and the atom of its object.
pub(crate) type Sampled = ([f64; 3], usize);

/// Sampled corners that a probe is compared with, at most.
const MOST_COMPARED: usize = 2048;

/// Estimates of how many objects of one atom an object of another one meets.
#[derive(Debug)]
pub(crate) struct Crossing<const D: usize> {
    atoms: usize,
    all: Density<D>,
    /// For two atoms, how many sampled pairs of them share a cube, by scale.
    pairs: Vec<[f64; BITS + 1]>,
    /// How many corners of each atom were sampled.
    sampled: Vec<f64>,
    /// For an atom and a finer one, which part of the finer one's corners lies in a box, inflated by the finer one's size, and how
    /// many hits that is from.
    probed: Vec<(f64, f64)>,
    /// For two atoms, how likely two of their boxes overlap along each axis.
    overlaps: Vec<[f64; 3]>,
}

impl<const D: usize> Crossing<D> {
    pub(crate) fn new(atoms: &Atoms, sample: &[Sampled]) -> Self {
        let count = atoms.classes.len();
        let mut everything = SizeClass::default();
        atoms.classes.iter().for_each(|atom| everything.absorb(atom));
        let (low, extent) = everything.extent();
        // With one atom there is nothing to cross, and the density of all is that of the atom.
        let points = memory::collect(sample.iter().filter(|_| count > 1).map(|(point, _)| *point));
        let all = Density::of(&points, low, extent);
        let mut sampled = memory::collect(std::iter::repeat_n(0.0, count));
        sample.iter().for_each(|(_, atom)| sampled[*atom] += 1.0);
        let pairs = if count > 1 { shared_cubes(&all, sample, count) } else { Vec::new() };
        let probed = if count > 1 { probe::<D>(atoms, sample) } else { Vec::new() };
        Crossing { atoms: count, all, pairs, sampled, probed, overlaps: overlaps::<D>(atoms) }
    }

    /// How likely two boxes of a range of atoms overlap along each axis.
    pub(crate) fn overlap(&self, atoms: &[SizeClass], range: Range<usize>) -> [f64; 3] {
        let (mut likely, mut pairs) = ([0.0; 3], 0.0);
        for a in range.clone() {
            for b in range.clone() {
                let weight = atoms[a].objects as f64 * atoms[b].objects as f64;
                let overlap = self.overlaps[a * self.atoms + b];
                (0..3).for_each(|axis| likely[axis] += weight * overlap[axis]);
                pairs += weight;
            }
        }
        likely.map(|likely| likely / pairs.max(1.0))
    }

    /// The share of the pairs of two ranges of atoms that lie in a box of these edges.
    pub(crate) fn together(&self, fine: Range<usize>, coarse: Range<usize>, edges: [f64; 3]) -> f64 {
        let scale = self.all.scale_of(edges);
        let sum = |scale: usize| -> f64 {
            fine.clone().flat_map(|a| coarse.clone().map(move |b| a * self.atoms + b)).map(|at| self.pairs[at][scale]).sum()
        };
        let sampled = |range: &Range<usize>| self.sampled[range.clone()].iter().sum::<f64>();
        let pairs = (sampled(&fine) * sampled(&coarse)).max(1.0);
        let axes = (0..D).filter(|&axis| self.all.extent[axis] > 0.0).count() as f64;
        // Where the sample is too small, go on from a larger scale as if they were evenly spread.
        let mut below = (scale as usize).min(BITS);
        while below > 0 && sum(below) < FEWEST {
            below -= 1;
        }
        let here = sum(below);
        if here < FEWEST {
            return (1.0 / pairs).max((-axes * scale).exp2()).min(1.0);
        }
        let even = here * (-axes).exp2();
        let next = if below < BITS && below == scale as usize { sum(below + 1).max(even) } else { even };
        ((here / pairs).log2() + (next / here).log2() * (scale - below as f64)).min(0.0).exp2()
    }

    /// How many objects of the finer group share cells with an object of the coarser group, on average.
    pub(crate) fn met(
        &self,
        atoms: &[SizeClass],
        (coarse, big): (&Group<D>, &Range<usize>),
        (fine, small): (&Group<D>, &Range<usize>),
    ) -> f64 {
        let pairs = big.clone().flat_map(|big| small.clone().map(move |small| (big, small)));
        let met: f64 = pairs.map(|(big, small)| self.met_by_atom(atoms, big, small, coarse, fine)).sum();
        (met / coarse.objects().max(1.0)).min(fine.objects())
    }

    fn met_by_atom(&self, atoms: &[SizeClass], big: usize, small: usize, coarse: &Group<D>, fine: &Group<D>) -> f64 {
        let (edges, smallest) = (atoms[big].mean(), &atoms[small]);
        let objects = smallest.objects as f64;
        let window = window(&atoms[big], coarse, fine);
        // Whole cells are met, not only the objects that the probes found.
        let extent = fine.crowd.extent();
        let factor = (0..D).fold(1.0, |factor, axis| {
            if fine.cells.ignored[axis] || extent[axis] <= 0.0 || coarse.crowd.class.is_endless(axis) {
                return factor;
            }
            let object = (edges[axis] + 3.0 * smallest.max[axis]).min(extent[axis]);
            factor * (window[axis].min(extent[axis]) / object.max(extent[axis] * 1e-9)).max(1.0)
        });
        let (share, hits) = self.probed[big * self.atoms + small];
        let mut found = share * objects * factor;
        if hits < FEWEST {
            let scale = (self.all.scale_of(window).ceil() as usize).min(BITS);
            let is_known = self.pairs[small * self.atoms + big][scale] >= FEWEST;
            let is_guessed = factor > 4.0 && (is_long::<D>(&atoms[big]) || is_long::<D>(smallest));
            if is_known || is_guessed {
                // Too rare to have been seen by the probes, so no more than these may have missed.
                let bound = FEWEST / PROBES as f64 / self.sampled[small].max(1.0) * objects * factor;
                found = found.max(objects * self.together(small..small + 1, big..big + 1, window)).min(bound);
            }
        }
        found.min(objects) * atoms[big].objects as f64
    }
}

/// The edges of the cells of a finer group that are searched for what an object of a coarse one meets.
fn window<const D: usize>(big: &SizeClass, coarse: &Group<D>, fine: &Group<D>) -> [f64; 3] {
    let (edges, cells) = (big.mean(), &fine.cells);
    let endless = |axis: usize| axis >= D || coarse.crowd.class.is_endless(axis) || cells.ignored[axis];
    let searched = |axis: usize| cells.size[axis] * cells.searched::<D>(axis, edges[axis]);
    std::array::from_fn(|axis| if endless(axis) { f64::MAX / 4.0 } else { searched(axis) })
}

/// For two atoms, how many sampled pairs of them share a cube, by scale.
fn shared_cubes<const D: usize>(all: &Density<D>, sample: &[Sampled], atoms: usize) -> Vec<[f64; BITS + 1]> {
    // In a cube of so few, each pair is counted by itself.
    const FEW: usize = 6;
    let mut codes = memory::collect(z_codes::<D, _>(sample.iter().copied(), all.low, all.extent));
    codes.sort_unstable();
    let mut pairs = memory::collect(std::iter::repeat_n([0.0; BITS + 1], atoms * atoms));
    let mut here = memory::collect(std::iter::repeat_n(0.0, atoms));
    for scale in 0..=BITS {
        // What is alone in its cube stays alone at finer scales.
        retain_shared(&mut codes, |a, b| (a.0 ^ b.0) >> (D * (BITS - scale)) == 0);
        for cube in codes.chunk_by(|a, b| (a.0 ^ b.0) >> (D * (BITS - scale)) == 0) {
            if cube.len() <= FEW {
                for (_, a) in cube {
                    cube.iter().for_each(|(_, b)| pairs[a * atoms + b][scale] += 1.0);
                }
                continue;
            }
            cube.iter().for_each(|(_, atom)| here[*atom] += 1.0);
            for a in (0..atoms).filter(|&a| here[a] > 0.0) {
                (0..atoms).for_each(|b| pairs[a * atoms + b][scale] += here[a] * here[b]);
            }
            here.fill(0.0);
        }
        if codes.is_empty() {
            break;
        }
    }
    pairs
}

/// For an atom and a finer one, which part of the finer one's corners lies in an inflated box, and how many hits that is from.
fn probe<const D: usize>(atoms: &Atoms, sample: &[Sampled]) -> Vec<(f64, f64)> {
    let count = atoms.classes.len();
    let mut compared = memory::collect(sample.iter().step_by(sample.len().div_ceil(MOST_COMPARED).max(1)).copied());
    // One box for all points of an atom, sorted along the axis that separates most, and a loop over a run of them without a branch.
    let along = separating_axis::<D>(atoms);
    compared.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(a.0[along].total_cmp(&b.0[along])));
    let of_atoms = memory::collect((0..count).map(|atom| {
        let first = compared.partition_point(|point| point.1 < atom);
        &compared[first..compared.partition_point(|point| point.1 <= atom)]
    }));
    let mut hits = memory::collect(std::iter::repeat_n(0.0f64, count * count));
    for (big, boxes) in atoms.probes.iter().enumerate() {
        let stride = (boxes.len() / PROBES).max(1);
        for probe in boxes.iter().step_by(stride).take(PROBES) {
            for (small, points) in of_atoms.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
                let [low, high] = corners_that_meet::<D>(probe, &atoms.classes[small]);
                let first = points.partition_point(|(point, _)| point[along] < low[along]);
                let run = points[first..].partition_point(|(point, _)| point[along] <= high[along]);
                let is_met = |point: &[f64; 3]| {
                    (0..D).fold(true, |is_met, axis| is_met & (point[axis] >= low[axis]) & (point[axis] <= high[axis]))
                };
                let met: usize = points[first..first + run].iter().map(|(point, _)| usize::from(is_met(point))).sum();
                hits[big * count + small] += met as f64;
            }
        }
    }
    let share = |(at, hits): (usize, &f64)| {
        let (big, small) = (at / count, at % count);
        let probes = atoms.probes[big].len().clamp(1, PROBES) as f64;
        (hits / probes / of_atoms[small].len().max(1) as f64, *hits)
    };
    memory::collect(hits.iter().enumerate().map(share))
}

/// The axis along which the boxes are shortest, compared with the space that they lie in.
fn separating_axis<const D: usize>(atoms: &Atoms) -> usize {
    let mut everything = SizeClass::default();
    atoms.classes.iter().for_each(|atom| everything.absorb(atom));
    let extent = everything.extent().1;
    let covered = |axis: usize| -> f64 {
        let part = |atom: &SizeClass| if atom.is_endless(axis) { 1.0 } else { (atom.mean()[axis] / extent[axis]).min(1.0) };
        atoms.classes.iter().map(part).sum()
    };
    (0..D).min_by(|&a, &b| covered(a).total_cmp(&covered(b))).unwrap_or(0)
}

/// For two atoms, how likely two of their boxes overlap along each axis.
fn overlaps<const D: usize>(atoms: &Atoms) -> Vec<[f64; 3]> {
    // Enough to tell most from half.
    const BOXES: usize = 12;
    let some = |boxes: &[Corners]| {
        let stride = (boxes.len() / BOXES).max(1);
        std::array::from_fn::<_, BOXES, _>(|at| boxes.get(at * stride).copied())
    };
    let likely = |(a, b): (&Vec<Corners>, &Vec<Corners>)| {
        let (mut hits, mut pairs) = ([0.0; 3], 0.0f64);
        for (i, one) in some(a).iter().enumerate() {
            // Not with itself.
            for (_, other) in some(b).iter().enumerate().filter(|(j, _)| !std::ptr::eq(a, b) || *j != i) {
                if let (Some(one), Some(other)) = (one, other) {
                    pairs += 1.0;
                    (0..D).for_each(|axis| {
                        let is_hit = (one[0][axis] <= other[1][axis]) & (other[0][axis] <= one[1][axis]);
                        hits[axis] += f64::from(u8::from(is_hit));
                    });
                }
            }
        }
        hits.map(|hits| hits / pairs.max(1.0))
    };
    let (all, count) = (&atoms.probes, atoms.probes.len());
    let mut overlaps = memory::collect(std::iter::repeat_n([0.0; 3], count * count));
    for a in 0..count {
        for b in a..count {
            overlaps[a * count + b] = likely((&all[a], &all[b]));
            overlaps[b * count + a] = overlaps[a * count + b];
        }
    }
    overlaps
}

/// Where the `min` corners lie whose objects may meet a probe: its box, inflated by the largest of them.
fn corners_that_meet<const D: usize>(probe: &Corners, small: &SizeClass) -> Corners {
    let mut corners = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
    for axis in (0..D).filter(|&axis| !small.is_endless(axis) && (probe[1][axis] - probe[0][axis]).is_finite()) {
        let max = small.max[axis];
        (corners[0][axis], corners[1][axis]) = (probe[0][axis] - 2.0 * max, probe[1][axis] + max);
    }
    corners
}

/// Whether boxes are much longer along some axis than along another.
fn is_long<const D: usize>(class: &SizeClass) -> bool {
    let mean = class.mean();
    let (low, high) = (0..D).fold((f64::INFINITY, 0.0f64), |(low, high), axis| (low.min(mean[axis]), high.max(mean[axis])));
    high > 8.0 * low
}
