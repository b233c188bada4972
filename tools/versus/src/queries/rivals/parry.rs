//! parry's `Bvh`: built anew by its binned builder, with its memory kept, and queried in parallel.

use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::Ray as ParryRay;
use pivotgrid::Ray;
use rayon::prelude::*;

use super::squared_distance;
use crate::Bounds;
use crate::queries::answers::{Answers, Summary};
use crate::queries::respondent::Respondent;
use crate::queries::task::{QuerySet, Task};
use crate::rivals::parry_box;

#[derive(Default)]
pub(in crate::queries) struct ParryBvh {
    bvh: Bvh,
    workspace: BvhWorkspace,
    answers: Answers,
    hits: Vec<Option<f32>>,
}

impl Respondent for ParryBvh {
    fn build(&mut self, task: &Task) {
        if self.bvh.leaf_count() as usize != task.objects.len() {
            self.bvh = Bvh::from_iter(BvhBuildStrategy::Binned, task.objects.iter().map(parry_box).enumerate());
            return;
        }
        for (index, bounds) in task.objects.iter().enumerate() {
            self.bvh.insert_or_update_partially(parry_box(bounds), index as u32, 0.0);
        }
        self.bvh.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
    }

    fn answer(&mut self, task: &Task) {
        let (bvh, count) = (&self.bvh, task.queries.count(task.objects.len()));
        match &task.queries {
            QuerySet::Boxes(boxes) => self.answers.fill(count, |range, block| {
                for number in range {
                    let wanted = parry_box(&boxes[number]);
                    block.add_row(number, |found| found.extend(bvh.intersect_aabb(&wanted)));
                }
            }),
            QuerySet::Balls(balls) => self.answers.fill(count, |range, block| {
                for number in range {
                    let (center, limit) = (balls[number].center, balls[number].radius * balls[number].radius);
                    let near =
                        bvh.leaves(|node| squared_distance(&center, node.mins().to_array(), node.maxs().to_array()) <= limit);
                    block.add_row(number, |found| found.extend(near));
                }
            }),
            QuerySet::Rays(rays) => {
                let first = |ray: &Ray<f32, 3>| {
                    let inverse = ray.direction.map(|x| 1.0 / x);
                    let way = ParryRay::new(Vector::from_array(ray.origin), Vector::from_array(ray.direction));
                    let meet = |object: u32, best: f32| met(&task.objects[object as usize], &ray.origin, &inverse, best);
                    bvh.cast_ray(&way, f32::MAX, meet).map(|(_, t)| t)
                };
                rays.par_iter().with_min_len(256).map(first).collect_into_vec(&mut self.hits);
            }
            QuerySet::Neighbors(_) => unreachable!("a query of other rivals"),
        }
    }

    fn summary(&self) -> Summary {
        let mut summary = self.answers.summary();
        let hits = self.hits.iter().enumerate();
        hits.filter_map(|(query, hit)| Some((query, (*hit)?))).for_each(|(query, t)| summary.add_hit(query, t));
        summary
    }
}

/// When a ray meets a box, if it does before `best`; computed as pivotgrid does.
#[inline(always)]
fn met(bounds: &Bounds<3>, origin: &[f32; 3], inverse: &[f32; 3], best: f32) -> Option<f32> {
    let (mut enter, mut exit) = (0.0_f32, best);
    for axis in 0..3 {
        let one = (bounds.min[axis] - origin[axis]) * inverse[axis];
        let other = (bounds.max[axis] - origin[axis]) * inverse[axis];
        enter = enter.max(one.min(other));
        exit = exit.min(one.max(other));
    }
    (enter <= exit).then_some(enter)
}
