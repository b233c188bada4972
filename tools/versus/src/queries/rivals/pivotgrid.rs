//! pivotgrid: a step and then batches of queries about it, the same about a static set, and neighbor lists.

use pivotgrid::{BroadPhase, Hit, Neighbor, Neighbors, Queries, Rows, StaticSet};

use crate::queries::answers::Summary;
use crate::queries::respondent::Respondent;
use crate::queries::task::{QuerySet, Task};

/// A whole step: its pairs are found as well, though nothing uses them.
#[derive(Debug, Default)]
pub(in crate::queries) struct Pivotgrid {
    broad_phase: BroadPhase<f32, 3>,
    answers: Answers,
}

/// A static set, which has no pairs to find.
#[derive(Debug, Default)]
pub(in crate::queries) struct PivotgridStatics {
    statics: StaticSet<f32, 3>,
    answers: Answers,
}

#[derive(Debug, Default)]
struct Answers {
    indices: Rows<u32>,
    neighbors: Rows<Neighbor<f32>>,
    hits: Vec<Option<Hit<f32>>>,
}

impl Answers {
    fn fill(&mut self, queries: &Queries<'_, f32, 3>, task: &Task) {
        match &task.queries {
            QuerySet::Boxes(boxes) => queries.par_overlapping(boxes, &mut self.indices),
            QuerySet::Balls(balls) => queries.par_within(balls, &mut self.neighbors),
            QuerySet::Rays(rays) => queries.par_first_hits(rays, &mut self.hits),
            QuerySet::Neighbors(_) => unreachable!("a query of other rivals"),
        }
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.indices.iter().enumerate().for_each(|(query, row)| summary.add_row(query, row.iter().copied()));
        let indices = |row: &'_ [Neighbor<f32>]| row.iter().map(|neighbor| neighbor.index).collect::<Vec<_>>();
        self.neighbors.iter().enumerate().for_each(|(query, row)| summary.add_row(query, indices(row).into_iter()));
        let hits = self.hits.iter().enumerate();
        hits.filter_map(|(query, hit)| Some((query, hit.as_ref()?.t))).for_each(|(query, t)| summary.add_hit(query, t));
        summary
    }
}

impl Respondent for Pivotgrid {
    fn build(&mut self, task: &Task) {
        self.broad_phase.par_detect(&task.objects);
    }

    fn answer(&mut self, task: &Task) {
        self.answers.fill(&self.broad_phase.queries(), task);
    }

    fn summary(&self) -> Summary {
        self.answers.summary()
    }
}

impl Respondent for PivotgridStatics {
    fn build(&mut self, task: &Task) {
        self.statics.par_build(&task.objects);
    }

    fn answer(&mut self, task: &Task) {
        self.answers.fill(&self.statics.queries(), task);
    }

    fn summary(&self) -> Summary {
        self.answers.summary()
    }
}

/// Full lists in the order of the points.
#[derive(Debug, Default)]
pub(in crate::queries) struct PivotgridNeighbors {
    neighbors: Neighbors<f32, 3>,
}

impl Respondent for PivotgridNeighbors {
    fn build(&mut self, _: &Task) {}

    fn answer(&mut self, task: &Task) {
        let QuerySet::Neighbors(radius) = task.queries else { unreachable!("a query of other rivals") };
        self.neighbors.par_within(&task.points, radius);
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.neighbors.rows().iter().enumerate().for_each(|(point, row)| summary.add_row(point, row.iter().copied()));
        summary
    }
}
