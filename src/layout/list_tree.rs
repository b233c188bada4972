//! A tree over the oversized objects, if these are many: the last resort.
//!
//! Objects that no cells separate (for example, objects far smaller than the finest possible cell) are not compared all against all. They
//! are sorted along a Z curve through the *ranks* of their corners, which do not depend on scale or unit. Boxes around runs of eight
//! entries, and around eight of those boxes, guide the search. For k such objects a look takes about log k steps. It takes more only if
//! boxes overlap the boxes around others without overlapping the others themselves, as long thin boxes may, and never more than k / 4 steps
//! of eight.

use std::ops::Range;

use super::columns::{Columns, PADDING, overlaps};
use super::curve::spread;
use crate::isa::eight::{LANES, MAX_HEIGHT, bits};
use crate::runtime::memory::{self, Budget, replace_if_short};
use crate::{Aabb, Scalar};

/// Boxes around entries, and boxes around those. Empty where there is only a list.
#[derive(Debug)]
pub(crate) struct ListTree<S, const D: usize> {
    min: [Vec<S>; D],
    max: [Vec<S>; D],
    /// Not read; kernels take columns with indices.
    ids: Vec<u32>,
    /// Where the nodes of each level begin, the lowest first, and behind the last.
    begins: [usize; MAX_HEIGHT + 1],
    height: usize,
    entries: Range<usize>,
}

impl<S: Scalar, const D: usize> ListTree<S, D> {
    pub(crate) fn new() -> Self {
        let column = || std::array::from_fn(|_| Vec::new());
        ListTree { min: column(), max: column(), ids: Vec::new(), begins: [0; MAX_HEIGHT + 1], height: 0, entries: 0..0 }
    }

    pub(crate) fn clear(&mut self) {
        self.height = 0;
        self.entries = 0..0;
    }

    /// How many entries it is over.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.min.iter().chain(&self.max).map(Vec::capacity).sum();
        columns * size_of::<S>() + self.ids.capacity() * size_of::<u32>()
    }

    /// Makes the tree over some entries of a table.
    pub(crate) fn build(&mut self, columns: &Columns<'_, S, D>, entries: Range<usize>, budget: &Budget) {
        self.clear();
        let mut nodes = entries.len().div_ceil(LANES);
        let mut total = 0;
        while self.height < MAX_HEIGHT {
            self.begins[self.height] = total;
            total += nodes;
            self.height += 1;
            if nodes <= LANES {
                break;
            }
            nodes = nodes.div_ceil(LANES);
        }
        self.begins[self.height] = total;
        for column in self.min.iter_mut().chain(&mut self.max) {
            replace_if_short(column, total + PADDING, budget);
        }
        replace_if_short(&mut self.ids, total + PADDING, budget);
        for (at, first) in entries.clone().step_by(LANES).enumerate() {
            self.set(at, columns.box_around(first..entries.end.min(first + LANES)));
        }
        for level in 1..self.height {
            let (below, end) = (self.begins[level - 1], self.begins[level]);
            for (at, first) in (below..end).step_by(LANES).enumerate() {
                let mut around = Aabb::EMPTY;
                (first..end.min(first + LANES)).for_each(|node| around.grow(&self.node(node)));
                self.set(end + at, around);
            }
        }
        self.entries = entries;
    }

    fn set(&mut self, node: usize, bounds: Aabb<S, D>) {
        for axis in 0..D {
            (self.min[axis][node], self.max[axis][node]) = (bounds.min[axis], bounds.max[axis]);
        }
    }

    fn node(&self, node: usize) -> Aabb<S, D> {
        let corner = |columns: &[Vec<S>; D]| std::array::from_fn(|axis| columns[axis][node]);
        Aabb { min: corner(&self.min), max: corner(&self.max) }
    }

    /// Calls `f` with runs of entries among which are all that overlap a box. Returns how many eights of nodes it looked at.
    pub(crate) fn for_each_run(&self, bounds: &Aabb<S, D>, f: &mut impl FnMut(Range<usize>)) -> u64 {
        if self.height == 0 {
            return 0;
        }
        let nodes = Columns::new(self.min.each_ref().map(Vec::as_slice), self.max.each_ref().map(Vec::as_slice), &self.ids);
        self.descend(&nodes, bounds, self.height - 1, 0, f)
    }

    fn descend(
        &self,
        nodes: &Columns<'_, S, D>,
        bounds: &Aabb<S, D>,
        level: usize,
        eight: usize,
        f: &mut impl FnMut(Range<usize>),
    ) -> u64 {
        let mut looks = 1;
        let first = self.begins[level] + LANES * eight;
        let inside = (1u32 << LANES.min(self.begins[level + 1] - first)) - 1;
        for lane in bits(overlaps(nodes, bounds, first) & inside) {
            let node = LANES * eight + lane;
            if level > 0 {
                looks += self.descend(nodes, bounds, level - 1, node, f);
            } else {
                let begin = self.entries.start + LANES * node;
                f(begin..self.entries.end.min(begin + LANES));
            }
        }
        looks
    }
}

/// An order of boxes in which neighbors mostly follow one another: along a Z curve through the ranks of their corners. Its memory is
/// kept, so that a steady scene allocates nothing.
#[derive(Debug)]
pub(crate) struct Curve<S, const D: usize> {
    boxes: Vec<(Aabb<S, D>, u32)>,
    /// Where each box is on the curve, and its place in `boxes`.
    codes: Vec<(u64, u32)>,
    /// A coordinate as an integer of the same order, and the place of its box in `boxes`.
    along: Vec<(u64, u32)>,
}

impl<S, const D: usize> Default for Curve<S, D> {
    fn default() -> Self {
        Curve { boxes: Vec::new(), codes: Vec::new(), along: Vec::new() }
    }
}

impl<S: Scalar, const D: usize> Curve<S, D> {
    /// Brings boxes and what belongs to each into order.
    pub(crate) fn order(&mut self, boxes: impl ExactSizeIterator<Item = (Aabb<S, D>, u32)>) {
        let count = boxes.len();
        self.boxes.clear();
        memory::reserve_with_slack(&mut self.boxes, count);
        self.boxes.extend(boxes);
        self.codes.clear();
        memory::reserve_with_slack(&mut self.codes, count);
        self.codes.extend((0..count).map(|at| (0, at as u32)));
        memory::reserve_with_slack(&mut self.along, count);
        // As many bits of the ranks as there is room for.
        let excess = (usize::BITS - count.leading_zeros()).saturating_sub(u64::BITS / D as u32);
        for axis in 0..D {
            self.along.clear();
            let corners = self.boxes.iter().map(|(bounds, _)| ascending(bounds.min[axis].to_f64()));
            self.along.extend(corners.zip(0u32..));
            self.along.sort_unstable();
            for (rank, &(_, at)) in self.along.iter().enumerate() {
                self.codes[at as usize].0 |= spread::<D>((rank >> excess) as u64) << axis;
            }
        }
        self.codes.sort_unstable();
    }

    /// The boxes in order, each with what belongs to it.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = &(Aabb<S, D>, u32)> {
        self.codes.iter().map(|&(_, at)| &self.boxes[at as usize])
    }

    pub(crate) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<(Aabb<S, D>, u32)>()
            + self.codes.capacity() * size_of::<(u64, u32)>()
            + self.along.capacity() * size_of::<(u64, u32)>()
    }
}

/// A number as an integer with the same order.
fn ascending(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::table::Table;

    fn random(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 24) as f32
    }

    /// Boxes of some scale in order.
    fn ordered(count: usize, scale: f32) -> Vec<Aabb<f32, 3>> {
        let mut seed = 7;
        let boxes: Vec<Aabb<f32, 3>> = (0..count)
            .map(|_| {
                let min = std::array::from_fn(|_| random(&mut seed) * scale);
                Aabb { min, max: min.map(|x| x + scale * 0.02) }
            })
            .collect();
        let mut curve = Curve::default();
        curve.order(boxes.into_iter().zip(0..count as u32));
        let ordered: Vec<_> = curve.ordered().copied().collect();
        let mut seen: Vec<_> = ordered.iter().map(|(_, number)| *number).collect();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(at, number)| *number as usize == at));
        ordered.into_iter().map(|(bounds, _)| bounds).collect()
    }

    fn check(count: usize, scale: f32) {
        let boxes = ordered(count, scale);
        let mut table = Table::<f32, 3>::new();
        table.resize(count + 5, &Budget::unlimited());
        let mut ids = vec![0; count + 5 + PADDING];
        let writer = table.writer(&mut ids);
        boxes.iter().enumerate().for_each(|(at, bounds)| writer.set(at + 5, bounds, at as u32));
        let columns = table.columns(&ids);
        let mut tree = ListTree::new();
        tree.build(&columns, 5..count + 5, &Budget::unlimited());
        assert_eq!(tree.len(), count);
        let mut looked = 0;
        for bounds in &boxes {
            let mut found = Vec::new();
            tree.for_each_run(bounds, &mut |run| found.extend(run));
            looked += found.len();
            let distinct = found.len();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), distinct);
            for (at, other) in boxes.iter().enumerate() {
                assert!(!other.overlaps(bounds) || found.binary_search(&(at + 5)).is_ok());
            }
        }
        assert!(looked <= count * (64 + count / 8), "{looked} of {count}");
    }

    #[test]
    fn whatever_overlaps_is_found_once_at_any_scale() {
        for count in [1, 7, 8, 9, 64, 65, 511, 513, 2000] {
            check(count, 1.0);
        }
        check(1000, 1e-38);
        check(1000, 1e37);
    }
}
