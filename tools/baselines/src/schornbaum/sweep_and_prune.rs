//! Sweep and prune.

use pivotgrid::Pair;

use crate::{Bounds, Pairs, System};

use super::crowd::meet;

/// So many new objects are sorted in one by one, by insertion. More of them, and everything is sorted anew: section 4.5 names
/// the quadratic setup of its implementation, and that it should be mended.
const ONE_BY_ONE: usize = 8;

/// Sweep and prune, the rival of section 4.5, after Erleben et al., "Physics-based Animation".
///
/// The end points of all boxes stay sorted along each axis, by insertion. Where in sorting a lower end passes an upper one, two
/// boxes begin to overlap along that axis, and are compared; if they overlap now the pair is kept for the following steps. Two
/// ends that pass each other the other way could end a pair. When objects move there are far more of these passings
/// than pairs, so the kept pairs are compared again instead.
#[derive(Clone, Debug)]
pub struct SweepAndPrune<const D: usize> {
    axes: [Vec<End>; D],
    /// The boxes of the last step.
    boxes: Vec<Bounds<D>>,
    pairs: Vec<Pair>,
    /// Comparisons during the last update.
    candidates: u64,
    /// Whether the ends are in an order that the next step can start from: what is not a number has no place in it.
    sorted: bool,
    passed: Vec<u32>,
}

/// An end of a box on an axis, in ascending order of places; at the same place lower ends come before upper ones, because boxes
/// that touch overlap. From the highest bit: the place, whether it is the upper end, and the object's index.
type End = u64;

const UPPER: End = 1 << 31;

impl<const D: usize> SweepAndPrune<D> {
    /// Overlaps nothing.
    const NOWHERE: Bounds<D> = Bounds { min: [f32::INFINITY; D], max: [f32::NEG_INFINITY; D] };

    /// One without history.
    pub fn new() -> Self {
        SweepAndPrune {
            axes: [const { Vec::new() }; D],
            boxes: Vec::new(),
            pairs: Vec::new(),
            candidates: 0,
            sorted: true,
            passed: Vec::new(),
        }
    }

    /// Sorts everything anew, and sweeps along the axis on which the fewest boxes overlap.
    fn rebuild(&mut self, boxes: &[Bounds<D>]) {
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.clear();
            ends.extend((0..boxes.len() as End).flat_map(|id| [refreshed(id, boxes, axis), refreshed(id | UPPER, boxes, axis)]));
            ends.sort_unstable();
        }
        self.pairs.clear();
        let Some(axis) = (0..D).min_by_key(|&axis| overlaps_along(&self.axes[axis])) else { return };
        let begins = |end: &&End| **end & UPPER == 0;
        let swept: Vec<(Bounds<D>, u32)> =
            self.axes[axis].iter().filter(begins).map(|&end| (boxes[index(end)], index(end) as u32)).collect();
        for (k, (bounds, id)) in swept.iter().enumerate() {
            for (other, other_id) in &swept[k + 1..] {
                if other.min[axis] > bounds.max[axis] {
                    break;
                }
                self.candidates += 1;
                if meet(bounds, other) {
                    self.pairs.push(Pair::new(*id, *other_id));
                }
            }
        }
    }

    /// Brings the order and the pairs up to date.
    fn resort(&mut self, boxes: &[Bounds<D>]) {
        let n = boxes.len();
        if n < self.boxes.len() {
            self.axes.iter_mut().for_each(|ends| ends.retain(|end| index(*end) < n));
            self.pairs.retain(|pair| (pair.b as usize) < n);
        }
        self.candidates += self.pairs.len() as u64;
        self.pairs.retain(|pair| meet(&boxes[pair.a as usize], &boxes[pair.b as usize]));

        // New objects come from beyond all others, one behind the other.
        let new = self.boxes.len() as End..n as End;
        self.axes.iter_mut().for_each(|ends| ends.extend(new.clone().flat_map(|id| [id, id | UPPER])));
        self.boxes.resize(n, Self::NOWHERE);
        for axis in 0..D {
            self.axes[axis].iter_mut().for_each(|end| *end = refreshed(*end, boxes, axis));
            self.sort_by_insertion(axis, boxes);
        }
    }

    /// Each end moves down past those that lie above it. What a lower end passes upper ends of may have begun to overlap.
    fn sort_by_insertion(&mut self, axis: usize, boxes: &[Bounds<D>]) {
        let SweepAndPrune { axes, boxes: before, pairs, candidates, passed, .. } = self;
        let ends = &mut axes[axis];
        for at in 1..ends.len() {
            let end = ends[at];
            let to = place_below(&ends[..at], end);
            if to == at {
                continue;
            }
            if end & UPPER == 0 {
                let a = index(end);
                let bounds = boxes[a];
                let uppers = gather_uppers(&ends[to..at], passed);
                *candidates += uppers.len() as u64;
                for &b in uppers {
                    // A pair that began on several axes in this step is taken on the last of them.
                    let (one, other) = (&before[a], &before[b as usize]);
                    let is_last = || (axis + 1..D).all(|k| one.min[k] <= other.max[k] && other.min[k] <= one.max[k]);
                    if bounds.overlaps(&boxes[b as usize]) && is_last() {
                        pairs.push(Pair::new(a as u32, b));
                    }
                }
            }
            ends.copy_within(to..at, to + 1);
            ends[to] = end;
        }
    }
}

impl<const D: usize> Default for SweepAndPrune<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> System<D> for SweepAndPrune<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let valid = boxes.iter().all(|bounds| (0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]));
        self.candidates = 0;
        if valid && self.sorted && boxes.len() <= self.boxes.len() + ONE_BY_ONE {
            self.resort(boxes);
        } else {
            self.rebuild(boxes);
        }
        self.sorted = valid;
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
    }

    fn report(&mut self, _: &[Bounds<D>], pairs: &mut Pairs) {
        pairs.candidates += self.candidates;
        pairs.found.extend_from_slice(&self.pairs);
    }

    fn bytes(&self) -> usize {
        self.axes.iter().map(|ends| ends.capacity() * size_of::<End>()).sum::<usize>()
            + self.boxes.capacity() * size_of::<Bounds<D>>()
            + self.pairs.capacity() * size_of::<Pair>()
            + self.passed.capacity() * size_of::<u32>()
    }
}

fn index(end: End) -> usize {
    (end & (UPPER - 1)) as usize
}

/// The same end, where it is now.
#[inline]
fn refreshed<const D: usize>(end: End, boxes: &[Bounds<D>], axis: usize) -> End {
    let bounds = &boxes[index(end)];
    let place = if end & UPPER == 0 { bounds.min[axis] } else { bounds.max[axis] };
    // Both zeros are the same place. As an integer a number grows with its bits, a negative one against them.
    let bits = (place + 0.0).to_bits();
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(ascending) << 32 | end & u64::from(u32::MAX)
}

/// Where an end belongs among those below it, which are sorted. It is close to their end, or has at least come from there, so
/// steps of growing length lead back to it.
#[inline]
fn place_below(sorted: &[End], end: End) -> usize {
    let mut above = sorted.len();
    let mut step = 1;
    while above >= step && sorted[above - step] > end {
        above -= step;
        step *= 2;
    }
    let from = above.saturating_sub(step);
    from + sorted[from..above].partition_point(|other| *other <= end)
}

/// The objects whose upper ends are among these. Every other end is one, at random, so there is no branch on it.
#[inline]
fn gather_uppers<'a>(ends: &[End], space: &'a mut Vec<u32>) -> &'a [u32] {
    if space.len() < ends.len() {
        space.resize(ends.len().next_power_of_two(), 0);
    }
    let mut count = 0;
    for end in ends {
        space[count] = index(*end) as u32;
        count += usize::from(end & UPPER != 0);
    }
    &space[..count]
}

/// How many pairs overlap along an axis.
fn overlaps_along(ends: &[End]) -> u64 {
    let mut open = 0_u64;
    let mut sum = 0;
    for end in ends {
        if end & UPPER == 0 {
            sum += open;
            open += 1;
        } else {
            open = open.saturating_sub(1);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Noise};

    fn compared<const D: usize>(system: &mut SweepAndPrune<D>, boxes: &[Bounds<D>]) -> u64 {
        assert_eq!(check::pairs_of(system, boxes), check::brute_force(boxes));
        system.candidates
    }

    #[test]
    fn what_rests_is_not_compared_again() {
        let mut system = SweepAndPrune::<3>::new();
        let mut noise = Noise::new(5);
        let mut boxes = noise.boxes::<3>(500, 20.0, 0.5..1.0);
        let first = compared(&mut system, &boxes);
        let pairs = system.pairs.len() as u64;
        assert!(first > pairs);
        assert_eq!(compared(&mut system, &boxes), pairs, "the pairs alone");
        noise.jostle(&mut boxes[..1], 0.1);
        assert!(compared(&mut system, &boxes) < pairs + 50);
        boxes.extend(noise.boxes::<3>(1, 20.0, 0.5..1.0));
        assert!(compared(&mut system, &boxes) < pairs + 3 * 500);
    }

    #[test]
    fn the_place_below_is_the_last_that_keeps_the_order() {
        let sorted: Vec<End> = (0..100).map(|k| k / 3).collect();
        for len in 0..100 {
            for end in 0..35 {
                assert_eq!(place_below(&sorted[..len], end), sorted[..len].partition_point(|other| *other <= end));
            }
        }
    }

    #[test]
    fn leaps_in_any_direction_and_touching_ends() {
        let mut system = SweepAndPrune::<2>::new();
        let mut noise = Noise::new(7);
        let mut boxes = noise.boxes::<2>(100, 10.0, 1.0..2.0);
        for _ in 0..50 {
            noise.jostle(&mut boxes, 8.0);
            for bounds in &mut boxes {
                bounds.min = bounds.min.map(f32::round);
                bounds.max = bounds.max.map(f32::round);
            }
            compared(&mut system, &boxes);
        }
    }
}
