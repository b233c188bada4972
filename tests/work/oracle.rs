//! A second opinion that is fast enough for a hundred thousand boxes, whatever they are: a tree of boxes, searched against itself.

use pivotgrid::Pair;
use scenes::{Bounds, Hostile, Scalar};

use crate::common::Oracle;
use crate::measure::converted;

/// Leaves hold up to this many boxes.
const LEAF: usize = 8;

type Interval<const D: usize> = [(f64, f64); D];

/// All overlapping pairs, sorted.
pub(crate) fn pairs<S: Scalar, const D: usize>(boxes: &[Bounds<S, D>]) -> Vec<Pair> {
    let interval = |bounds: &Bounds<S, D>| std::array::from_fn(|axis| (bounds.min[axis].into(), bounds.max[axis].into()));
    let boxes: Vec<Interval<D>> = boxes.iter().map(interval).collect();
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut found = Vec::new();
    if let Some(root) = Node::build(&boxes, &mut order, 0) {
        root.search(&boxes, &order, &mut found);
    }
    found.sort_unstable();
    found
}

/// The same, as the comparison of `tests/common` wants it.
pub(crate) fn expected<S: Scalar, const D: usize>(boxes: &[Bounds<S, D>]) -> Oracle<D> {
    let interval = |bounds: &Bounds<S, D>| std::array::from_fn(|axis| (bounds.min[axis].into(), bounds.max[axis].into()));
    Oracle { pairs: pairs(boxes), rejected: Vec::new(), boxes: boxes.iter().map(interval).collect() }
}

/// A range of the order, and what its boxes cover together.
struct Node<const D: usize> {
    cover: Interval<D>,
    range: std::ops::Range<usize>,
    halves: Option<Box<[Node<D>; 2]>>,
}

impl<const D: usize> Node<D> {
    fn build(boxes: &[Interval<D>], order: &mut [u32], start: usize) -> Option<Self> {
        let mut cover = boxes[*order.first()? as usize];
        for &index in order.iter() {
            for (whole, part) in cover.iter_mut().zip(&boxes[index as usize]) {
                *whole = (whole.0.min(part.0), whole.1.max(part.1));
            }
        }
        let range = start..start + order.len();
        if order.len() <= LEAF {
            return Some(Node { cover, range, halves: None });
        }
        // The axis on which the fewest boxes lie on both sides of the median; infinite boxes always do.
        let middle = order.len() / 2;
        let split = |axis: usize, order: &mut [u32]| {
            let key = |index: u32| {
                let (low, high) = boxes[index as usize][axis];
                low.max(-1e300) + high.min(1e300)
            };
            order.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)));
            let border = key(order[middle]) / 2.0;
            order
                .iter()
                .filter(|&&index| (boxes[index as usize][axis].0..=boxes[index as usize][axis].1).contains(&border))
                .count()
        };
        let axis = (0..D).min_by_key(|&axis| split(axis, order)).expect("at least one axis");
        split(axis, order);
        let (left, right) = order.split_at_mut(middle);
        let halves = [Self::build(boxes, left, start)?, Self::build(boxes, right, start + middle)?];
        Some(Node { cover, range, halves: Some(Box::new(halves)) })
    }

    /// Pairs within the node.
    fn search(&self, boxes: &[Interval<D>], order: &[u32], found: &mut Vec<Pair>) {
        let Some(halves) = &self.halves else {
            for i in self.range.clone() {
                (i + 1..self.range.end).for_each(|j| compare(boxes, order[i], order[j], found));
            }
            return;
        };
        halves.iter().for_each(|half| half.search(boxes, order, found));
        halves[0].meet(&halves[1], boxes, order, found);
    }

    /// Pairs between two nodes.
    fn meet(&self, other: &Self, boxes: &[Interval<D>], order: &[u32], found: &mut Vec<Pair>) {
        if !touch(&self.cover, &other.cover) {
            return;
        }
        match (&self.halves, &other.halves) {
            (None, None) => {
                for i in self.range.clone() {
                    if touch(&boxes[order[i] as usize], &other.cover) {
                        other.range.clone().for_each(|j| compare(boxes, order[i], order[j], found));
                    }
                }
            }
            (Some(halves), theirs) if theirs.is_none() || self.range.len() >= other.range.len() => {
                halves.iter().for_each(|half| half.meet(other, boxes, order, found));
            }
            (_, Some(halves)) => halves.iter().for_each(|half| self.meet(half, boxes, order, found)),
            (Some(_), None) => unreachable!("the second arm has this case"),
        }
    }
}

fn compare<const D: usize>(boxes: &[Interval<D>], a: u32, b: u32, found: &mut Vec<Pair>) {
    if touch(&boxes[a as usize], &boxes[b as usize]) {
        found.push(Pair { a: a.min(b), b: a.max(b) });
    }
}

fn touch<const D: usize>(one: &Interval<D>, other: &Interval<D>) -> bool {
    (0..D).all(|axis| one[axis].0 <= other[axis].1 && other[axis].0 <= one[axis].1)
}

/// The tree itself is compared with brute force.
#[test]
fn the_tree_finds_what_brute_force_finds() {
    for &scene in Hostile::ALL {
        let boxes = scene.boxes::<f32, 3>(1_000, 3, 4);
        assert_eq!(pairs(&boxes), Oracle::quadratic(&converted(&boxes)).pairs, "{scene} in 3D");
        if scene.dimensions().contains(&2) {
            let boxes = scene.boxes::<f64, 2>(1_000, 3, 4);
            assert_eq!(pairs(&boxes), Oracle::quadratic(&converted(&boxes)).pairs, "{scene} in 2D");
        }
    }
}
