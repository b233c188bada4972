//! kiddo: its immutable tree of points, built anew and queried in parallel. It has no boxes and no rays.

use kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::sorted_grid::Places;
use crate::queries::answers::{Answers, Block, Lists, Summary};
use crate::queries::respondent::Respondent;
use crate::queries::task::{QuerySet, Task};

type Tree = ImmutableKdTree<f32, 3>;

#[derive(Default)]
pub(in crate::queries) struct KiddoTree {
    tree: Option<Tree>,
    answers: Answers,
}

impl Respondent for KiddoTree {
    fn build(&mut self, task: &Task) {
        self.tree = Tree::new_from_slice(&task.points).ok();
    }

    fn answer(&mut self, task: &Task) {
        let (Some(tree), QuerySet::Balls(balls)) = (&self.tree, &task.queries) else { unreachable!("a query of other rivals") };
        self.answers.fill(balls.len(), |range, block| {
            for number in range {
                let limit = balls[number].radius * balls[number].radius;
                let near = tree.query(&balls[number].center).within::<SquaredEuclidean<f32>>(limit).unsorted().execute();
                block.add_row(number, |found| found.extend(near.iter().map(|neighbor| neighbor.item)));
            }
        });
    }

    fn summary(&self) -> Summary {
        self.answers.summary()
    }
}

/// Asks about each point, in the order of a grid: in that of the indices it would miss the cache at every node.
#[derive(Default)]
pub(in crate::queries) struct KiddoNeighbors {
    tree: Option<Tree>,
    places: Places,
    answers: Answers,
    lists: Lists,
}

impl Respondent for KiddoNeighbors {
    fn build(&mut self, task: &Task) {
        let QuerySet::Neighbors(radius) = task.queries else { unreachable!("a query of other rivals") };
        self.tree = Tree::new_from_slice(&task.points).ok();
        self.places.sort(&task.objects, radius);
    }

    fn answer(&mut self, task: &Task) {
        let (Some(tree), QuerySet::Neighbors(radius)) = (&self.tree, &task.queries) else {
            unreachable!("a query of other rivals")
        };
        let order = self.places.order();
        let search = |range: std::ops::Range<usize>, block: &mut Block| {
            for own in range.map(|place| order.index(place)) {
                let near =
                    tree.query(&task.points[own as usize]).within::<SquaredEuclidean<f32>>(radius * radius).unsorted().execute();
                let others = near.iter().map(|neighbor| neighbor.item).filter(|&other| other != own);
                block.add_row(own as usize, |found| found.extend(others));
            }
        };
        self.answers.fill_lists(task.points.len(), search, &mut self.lists);
    }

    fn summary(&self) -> Summary {
        self.lists.summary()
    }
}
