//! parry's `Bvh`: all leaves updated, then the tree built anew, or optimised a little and refitted as rapier does when
//! everything moves; then the tree is traversed against itself. Its test is closed and, without a margin, exact.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use pivotgrid::Pair;

use crate::found::Found;
use crate::{Answer, Bounds, Rival};

struct Tree {
    threads: usize,
    bvh: Bvh,
    workspace: BvhWorkspace,
    found: Found,
}

/// No margin: leaves are as large as the boxes.
const MARGIN: f32 = 0.0;

pub(crate) fn converted(bounds: &Bounds<3>) -> Aabb {
    Aabb::new(Vector::from_array(bounds.min), Vector::from_array(bounds.max))
}

impl Tree {
    fn new(threads: usize) -> Self {
        // Its parallel traversal returns the pairs in one vector, so one buffer will do.
        Tree { threads, bvh: Bvh::new(), workspace: BvhWorkspace::default(), found: Found::new(1) }
    }

    /// Whether there was a tree for these boxes to be updated; if not, there is a new one now.
    fn updated(&mut self, boxes: &[Bounds<3>]) -> bool {
        if self.bvh.leaf_count() as usize != boxes.len() {
            let leaves = boxes.iter().map(converted).enumerate();
            self.bvh = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
            return false;
        }
        for (index, bounds) in boxes.iter().enumerate() {
            self.bvh.insert_or_update_partially(converted(bounds), index as u32, MARGIN);
        }
        true
    }

    fn overlaps(&mut self) -> Answer<'_> {
        let Tree { threads, bvh, workspace, found } = self;
        found.fill_alone(|pairs| {
            if *threads == 1 {
                bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push(Pair::new(a, b)));
            } else {
                pairs.extend(bvh.traverse_bvtt_single_tree_parallel::<false>().into_iter().map(|(a, b)| Pair::new(a, b)));
            }
        })
    }
}

pub(crate) struct ParryRebuild(Tree);

impl ParryRebuild {
    pub(crate) fn new(threads: usize) -> Self {
        ParryRebuild(Tree::new(threads))
    }
}

impl Rival<3> for ParryRebuild {
    fn step(&mut self, boxes: &[Bounds<3>]) -> Answer<'_> {
        let tree = &mut self.0;
        if tree.updated(boxes) {
            tree.bvh.rebuild(&mut tree.workspace, BvhBuildStrategy::Binned);
        }
        tree.overlaps()
    }
}

pub(crate) struct ParryRefit(Tree);

impl ParryRefit {
    pub(crate) fn new(threads: usize) -> Self {
        ParryRefit(Tree::new(threads))
    }
}

impl Rival<3> for ParryRefit {
    fn step(&mut self, boxes: &[Bounds<3>]) -> Answer<'_> {
        let tree = &mut self.0;
        if tree.updated(boxes) {
            tree.bvh.optimize_incremental(&mut tree.workspace);
            if tree.threads == 1 {
                tree.bvh.refit(&mut tree.workspace);
            } else {
                tree.bvh.refit_parallel(&mut tree.workspace);
            }
        }
        tree.overlaps()
    }
}
