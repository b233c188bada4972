//! bvh: a tree built anew, by all threads if there are several, then a query per object, in the order of the leaves.

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::{BHShape, BoundingHierarchy};
use bvh::bvh::{Bvh, BvhNode};
use nalgebra::Point;
use pivotgrid::Pair;

use crate::found::Found;
use crate::{Answer, Bounds, Rival};

pub(crate) struct BvhCrate<const D: usize> {
    threads: usize,
    shapes: Vec<Shape<D>>,
    order: Vec<u32>,
    found: Found,
}

struct Shape<const D: usize> {
    aabb: Aabb<f32, D>,
    index: u32,
    node: usize,
}

impl<const D: usize> Bounded<f32, D> for Shape<D> {
    fn aabb(&self) -> Aabb<f32, D> {
        self.aabb
    }
}

impl<const D: usize> BHShape<f32, D> for Shape<D> {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

impl<const D: usize> BvhCrate<D> {
    pub(crate) fn new(threads: usize) -> Self {
        BvhCrate { threads, shapes: Vec::new(), order: Vec::new(), found: Found::new(threads) }
    }
}

impl<const D: usize> Rival<D> for BvhCrate<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let shape = |(index, bounds): (usize, &Bounds<D>)| Shape {
            aabb: Aabb::with_bounds(Point::from(bounds.min), Point::from(bounds.max)),
            index: index as u32,
            node: 0,
        };
        self.shapes.clear();
        self.shapes.extend(boxes.iter().enumerate().map(shape));
        let tree: Bvh<f32, D> = if self.threads == 1 { Bvh::build(&mut self.shapes) } else { Bvh::build_par(&mut self.shapes) };
        let leaf = |node: &BvhNode<f32, D>| match node {
            BvhNode::Leaf { shape_index, .. } => Some(*shape_index as u32),
            BvhNode::Node { .. } => None,
        };
        self.order.clear();
        self.order.extend(tree.nodes.iter().filter_map(leaf));

        let (shapes, order) = (&self.shapes, &self.order);
        self.found.fill(boxes.len(), |range, pairs| {
            for &a in &order[range] {
                for other in tree.traverse_iterator(&shapes[a as usize].aabb, shapes) {
                    if a < other.index {
                        pairs.push(Pair { a, b: other.index });
                    }
                }
            }
        })
    }
}
