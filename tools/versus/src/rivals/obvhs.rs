//! obvhs: a tree built anew by its fastest builder, with one object per leaf and all memory reused, as in its physics example;
//! then a query per object, in the order of the leaves so that neighboring queries visit the same nodes.

use glam::Vec3A;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use pivotgrid::Pair;

use crate::found::Found;
use crate::{Answer, Bounds, Rival};

pub(crate) struct ObvhsPloc {
    builder: PlocBuilder,
    bvh: Bvh2,
    leaves: Vec<Aabb>,
    found: Found,
}

impl ObvhsPloc {
    pub(crate) fn new(threads: usize) -> Self {
        ObvhsPloc { builder: PlocBuilder::new(), bvh: Bvh2::default(), leaves: Vec::new(), found: Found::new(threads) }
    }
}

impl Rival<3> for ObvhsPloc {
    fn step(&mut self, boxes: &[Bounds<3>]) -> Answer<'_> {
        let converted = |bounds: &Bounds<3>| Aabb::new(Vec3A::from_array(bounds.min), Vec3A::from_array(bounds.max));
        self.leaves.clear();
        self.leaves.extend(boxes.iter().map(converted));
        let mut indices = std::mem::take(&mut self.bvh.primitive_indices);
        indices.clear();
        indices.extend(0..boxes.len() as u32);
        let (distance, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        self.builder.build_with_bvh(&mut self.bvh, distance, &self.leaves, indices, precision, 0);

        let (bvh, leaves) = (&self.bvh, &self.leaves);
        self.found.fill(boxes.len(), |range, pairs| {
            for &a in &bvh.primitive_indices[range] {
                bvh.aabb_traverse(leaves[a as usize], |bvh, node| {
                    let b = bvh.primitive_indices[bvh.nodes[node as usize].first_index as usize];
                    if a < b {
                        pairs.push(Pair { a, b });
                    }
                    true
                });
            }
        })
    }
}
