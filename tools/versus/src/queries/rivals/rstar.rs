//! rstar: an R*-tree loaded in bulk, queried in parallel. It has no rays.

use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::queries::answers::{Answers, Summary};
use crate::queries::respondent::Respondent;
use crate::queries::task::{QuerySet, Task};

type Object = GeomWithData<Rectangle<[f32; 3]>, u32>;

#[derive(Default)]
pub(in crate::queries) struct RstarTree {
    tree: RTree<Object>,
    answers: Answers,
}

impl Respondent for RstarTree {
    fn build(&mut self, task: &Task) {
        let object = |(index, bounds): (usize, &crate::Bounds<3>)| {
            Object::new(Rectangle::from_aabb(AABB::from_bounds(bounds.min, bounds.max)), index as u32)
        };
        self.tree = RTree::bulk_load(task.objects.iter().enumerate().map(object).collect());
    }

    fn answer(&mut self, task: &Task) {
        let (tree, count) = (&self.tree, task.queries.count(task.objects.len()));
        match &task.queries {
            QuerySet::Boxes(boxes) => self.answers.fill(count, |range, block| {
                for number in range {
                    let wanted = AABB::from_bounds(boxes[number].min, boxes[number].max);
                    block.add_row(number, |found| {
                        let _: ControlFlow<()> = tree.locate_in_envelope_intersecting_int(wanted, |object: &Object| {
                            found.push(object.data);
                            ControlFlow::Continue(())
                        });
                    });
                }
            }),
            QuerySet::Balls(balls) => self.answers.fill(count, |range, block| {
                for number in range {
                    let near = tree.locate_within_distance(balls[number].center, balls[number].radius * balls[number].radius);
                    block.add_row(number, |found| found.extend(near.map(|object| object.data)));
                }
            }),
            QuerySet::Rays(_) | QuerySet::Neighbors(_) => unreachable!("a query of other rivals"),
        }
    }

    fn summary(&self) -> Summary {
        self.answers.summary()
    }
}
