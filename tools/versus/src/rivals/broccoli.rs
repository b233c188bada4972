//! broccoli, in two dimensions: a tree built anew from the objects in the last tree's order.

use broccoli::aabb::BBox;
use broccoli::{Tree, bbox, rect};
use pivotgrid::Pair;

use crate::found::Found;
use crate::{Answer, Bounds, Rival};

pub(crate) struct BroccoliTree {
    objects: Vec<BBox<f32, u32>>,
    found: Found,
}

impl BroccoliTree {
    pub(crate) fn new(_threads: usize) -> Self {
        BroccoliTree { objects: Vec::new(), found: Found::new(1) }
    }
}

fn object(index: u32, bounds: &Bounds<2>) -> BBox<f32, u32> {
    let Bounds { min: [left, bottom], max: [right, top] } = *bounds;
    bbox(rect(left, right, bottom, top), index)
}

impl Rival<2> for BroccoliTree {
    fn step(&mut self, boxes: &[Bounds<2>]) -> Answer<'_> {
        if self.objects.len() == boxes.len() {
            for held in &mut self.objects {
                *held = object(held.inner, &boxes[held.inner as usize]);
            }
        } else {
            self.objects = (0..).zip(boxes).map(|(index, bounds)| object(index, bounds)).collect();
        }
        let mut tree = Tree::new(&mut self.objects);
        self.found.fill_alone(|pairs| {
            tree.find_colliding_pairs(|a, b| pairs.push(Pair::new(*a.unpack_inner(), *b.unpack_inner())));
        })
    }
}
