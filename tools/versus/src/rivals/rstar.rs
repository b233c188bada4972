//! rstar: an R*-tree loaded in bulk at each step, then a query per object, in the order of the tree.

use std::ops::ControlFlow;

use pivotgrid::Pair;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::found::Found;
use crate::{Answer, Bounds, Rival};

type Object<const D: usize> = GeomWithData<Rectangle<[f32; D]>, u32>;

pub(crate) struct RstarTree<const D: usize> {
    order: Vec<u32>,
    found: Found,
}

impl<const D: usize> RstarTree<D> {
    pub(crate) fn new(threads: usize) -> Self {
        RstarTree { order: Vec::new(), found: Found::new(threads) }
    }
}

impl<const D: usize> Rival<D> for RstarTree<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let object = |(index, bounds): (usize, &Bounds<D>)| {
            Object::new(Rectangle::from_aabb(AABB::from_bounds(bounds.min, bounds.max)), index as u32)
        };
        let tree = RTree::bulk_load(boxes.iter().enumerate().map(object).collect());
        self.order.clear();
        self.order.extend(tree.iter().map(|object| object.data));

        let order = &self.order;
        self.found.fill(boxes.len(), |range, pairs| {
            for &a in &order[range] {
                let bounds = &boxes[a as usize];
                let query = AABB::from_bounds(bounds.min, bounds.max);
                let _: ControlFlow<()> = tree.locate_in_envelope_intersecting_int(query, |object: &Object<D>| {
                    if a < object.data {
                        pairs.push(Pair { a, b: object.data });
                    }
                    ControlFlow::Continue(())
                });
            }
        })
    }
}
