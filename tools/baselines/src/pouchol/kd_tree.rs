//! The KD-tree that the paper compares with: section 4.1.

use kiddo::immutable::float::kdtree::ImmutableKdTree;
use kiddo::{Chebyshev, SquaredEuclidean};
use pivotgrid::Pair;

use super::queries::{Queries, center};
use crate::{Bounds, Pairs, System};

/// Points per leaf.
const LEAF: usize = 32;

/// Pouchol et al., section 4.1: a KD-tree of the centers (the crate kiddo's), built anew in each step, and radius search.
///
/// A tree of points knows no sizes. For pairs, each object looks for centers within the length of its longest edge along every
/// axis: if it is the larger one of a pair, the other's center is there. So each pair is found by its larger object, and one
/// huge object makes one search expensive rather than all. A query for boxes has to reach as far as the largest object does.
#[derive(Clone, Debug)]
pub struct KdTree<const D: usize> {
    centers: Vec<[f32; D]>,
    /// Half of each object's longest edge.
    reaches: Vec<f32>,
    tree: Option<ImmutableKdTree<f32, u32, D, LEAF>>,
    largest_reach: f32,
    /// What rounding may add to a distance.
    slack: f32,
}

impl<const D: usize> KdTree<D> {
    /// Without objects.
    pub fn new() -> Self {
        KdTree { centers: Vec::new(), reaches: Vec::new(), tree: None, largest_reach: 0.0, slack: 0.0 }
    }
}

impl<const D: usize> Default for KdTree<D> {
    fn default() -> Self {
        Self::new()
    }
}

/// Half of the longest edge.
fn reach<const D: usize>(bounds: &Bounds<D>) -> f32 {
    (0..D).map(|axis| 0.5 * bounds.max[axis] - 0.5 * bounds.min[axis]).fold(0.0, f32::max)
}

impl<const D: usize> System<D> for KdTree<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        self.centers.clear();
        // What is infinite is put anywhere: it reaches everything.
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        self.centers.extend(boxes.iter().map(|bounds| center(bounds).map(finite)));
        self.reaches.clear();
        self.reaches.extend(boxes.iter().map(reach));
        self.largest_reach = self.reaches.iter().copied().fold(0.0, f32::max);
        let bounds = boxes.iter().flat_map(|bounds| bounds.min.into_iter().chain(bounds.max));
        let furthest = bounds.filter(|x| x.is_finite()).fold(0.0, |a: f32, x| a.max(x.abs()));
        self.slack = 8.0 * f32::EPSILON * furthest;
        self.tree = (!boxes.is_empty()).then(|| ImmutableKdTree::new_from_slice(&self.centers));
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let Some(tree) = &self.tree else { return };
        for (object, (center, &reach)) in self.centers.iter().zip(&self.reaches).enumerate() {
            for near in tree.within_unsorted::<Chebyshev>(center, 2.0 * reach + self.slack) {
                // The larger one reports, and of equal ones that with the larger index.
                if (self.reaches[near.item as usize], near.item) < (reach, object as u32) {
                    pairs.candidates += 1;
                    if boxes[object].overlaps(&boxes[near.item as usize]) {
                        pairs.found.push(Pair::new(object as u32, near.item));
                    }
                }
            }
        }
    }

    /// As kiddo's tree has no such count: coordinates and index of each point, the leaves' ranges and the inner nodes.
    fn bytes(&self) -> usize {
        let tree = self.tree.as_ref().map_or(0, |tree| {
            let leaves = tree.size().div_ceil(LEAF);
            tree.size() * (D * size_of::<f32>() + size_of::<u32>())
                + leaves * size_of::<(u32, u32)>()
                + leaves.next_power_of_two() * size_of::<f32>()
        });
        self.centers.capacity() * size_of::<[f32; D]>() + self.reaches.capacity() * size_of::<f32>() + tree
    }
}

impl<const D: usize> Queries<D> for KdTree<D> {
    fn build(&mut self, boxes: &[Bounds<D>]) {
        self.update(boxes);
    }

    fn overlapping(&self, boxes: &[Bounds<D>], query: &Bounds<D>, found: &mut Vec<u32>) {
        let Some(tree) = &self.tree else { return };
        let middle = center(query);
        let slack = 8.0 * f32::EPSILON * middle.iter().fold(0.0, |a: f32, x| a.max(x.abs())) + self.slack;
        let near = tree.within_unsorted::<Chebyshev>(&middle, reach(query) + self.largest_reach + slack);
        found.extend(near.into_iter().map(|near| near.item).filter(|&object| boxes[object as usize].overlaps(query)));
    }

    fn within(&self, _: &[Bounds<D>], point: [f32; D], radius: f32, found: &mut Vec<u32>) {
        let Some(tree) = &self.tree else { return };
        found.extend(tree.within_unsorted::<SquaredEuclidean>(&point, radius * radius).into_iter().map(|near| near.item));
    }
}
