//! The planner: which levels, and which cell sizes.
//!
//! No pair depends on the plan: any plan gives the same set, and a bad plan only takes longer.
//!
//! [`survey`] collects which sizes occur and where, [`density`] estimates how densely they lie, [`crossing`] estimates how many of one size
//! meet how many of another. [`levels`] cuts the sizes into groups, [`cells`] gives each group its cells, [`thin`] adds coarse levels where
//! objects are few. When the objects are counted, [`check`] judges the result, and [`revise`] plans again for the objects that are
//! expensive in it.

mod cells;
pub(crate) mod check;
mod crossing;
mod density;
mod group;
mod levels;
pub(crate) mod revise;
pub(crate) mod survey;
mod thin;

use super::gather::Source;
use crate::Predicted;
use crate::build::builder::Builder;
use crate::layout::Levels;
use crate::layout::staged::{BLOCK, BoxList, OrderedBoxes, StagedBoxes};
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, Config, Scalar};
use check::{Accepted, Load};
pub(crate) use levels::most_listed;
use levels::{Chosen, Ranged, SceneSummary};
use survey::Survey;

/// What the levels of a step were chosen for.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// What the planner expects a step to cost.
    pub(crate) predicted: Predicted,
    /// How many objects there were.
    objects: usize,
    /// Edges of the box around nearly all of them.
    pub(crate) frame: [f64; 3],
    /// What the count found in the step that the plan was made in.
    pub(crate) accepted: Option<Accepted>,
    /// Comparisons and looks per object in the first step with this plan, and nanoseconds per object for its chunks.
    work: Option<[f64; 2]>,
    /// By how much the work of the latest steps differed from that, in sum: 0.5 for a step with half as much again.
    doubt: f64,
}

/// A scene is planned again if its number of objects has changed by more than this factor. What other objects do to the work shows in the
/// candidates and in the counts of sort; but with far fewer objects, chunks that hold next to nothing do not.
const COUNT_DRIFT: f64 = 2.0;
/// The work of two steps of a plan may differ by this factor without a reason.
const USUAL: f64 = 1.3;
/// A scene is planned again when the steps that differ by more have differed by this much in sum: at once if the work has doubled or
/// halved, after two steps if it has changed by half. So what a plan costs, about as much as a step, is never more than what the steps
/// before it may have lost, and a scene that changes all the time is not planned in each step.
const DOUBTFUL: f64 = 1.0;
/// Added to both kinds of work, so that what is next to nothing does not count.
const BESIDE: [f64; 2] = [1.0, 4.0];

impl Plan {
    /// No levels: each object is compared with each.
    pub(crate) fn all_pairs(objects: usize) -> Self {
        Plan { predicted: Predicted::default(), objects, frame: [0.0; 3], accepted: None, work: None, doubt: 0.0 }
    }

    /// Whether the plan may still be good for this many objects.
    pub(crate) fn suits(&self, objects: usize) -> bool {
        !drifted(self.objects as f64, objects as f64, COUNT_DRIFT)
    }

    /// Takes note of what the count found when the levels were good enough.
    pub(crate) fn accept(&mut self, load: &Load, objects: usize) {
        self.accepted = Some(Accepted::of(load, objects));
    }

    /// Takes note of the work that a step took: its comparisons and looks, and nanoseconds for its chunks. Returns whether that has
    /// differed so much from the first step's, and for so long, that the scene must have changed in kind.
    pub(crate) fn is_outdated_by(&mut self, work: [f64; 2], objects: usize) -> bool {
        let work = std::array::from_fn(|kind| work[kind] / objects.max(1) as f64 + BESIDE[kind]);
        let first = *self.work.get_or_insert(work);
        let factor = |kind: usize| (work[kind] / first[kind]).max(first[kind] / work[kind]);
        let factor = factor(0).max(factor(1));
        self.doubt = if factor > USUAL { self.doubt + factor - 1.0 } else { 0.0 };
        self.doubt >= DOUBTFUL
    }

    /// Chooses levels for `objects` objects, all of which were surveyed. With `forced` edges the planner does not choose the
    /// finest cells.
    pub(crate) fn choose<S: Scalar, const D: usize>(
        objects: usize,
        survey: &Survey,
        boxes: &(impl BoxList<S, D> + ?Sized),
        config: &Config,
        forced: Option<[f64; 3]>,
    ) -> (Self, Levels<S, D>) {
        let scene = SceneSummary::new(survey, boxes, config.costs, forced);
        let frame = scene.extent();
        let Chosen { groups, cost } = scene.split(config.max_levels);
        let mut levels = Levels::default();
        for (at, ranged) in groups.iter().enumerate() {
            // The last one takes whatever its cells hold.
            let cells = ranged.group.cells;
            let cells = if at + 1 == groups.len() { cells.for_all_sizes() } else { cells };
            levels.insert(cells.member(frame));
        }
        let number = |levels: &Levels<S, D>, ranged: &Ranged<D>| {
            let cells = ranged.group.cells.member::<S, D>(frame).level;
            levels.iter().position(|level| level.taking_as(&cells) == cells)
        };
        for (at, a) in groups.iter().enumerate() {
            for b in &groups[at + 1..] {
                let (from, into) = if scene.look_cost(a, b) <= scene.look_cost(b, a) { (a, b) } else { (b, a) };
                if let (Some(from), Some(into)) = (number(&levels, from), number(&levels, into)) {
                    levels.look_from(from, into);
                }
            }
        }
        for ranged in groups.iter().rev() {
            let is_suspicious = ranged.group.own.chunks > thin::SUSPICIOUS * cost.total() && ranged.group.chunks > 64.0;
            if is_suspicious && levels.len() < config.max_levels && forced.is_none() {
                thin::thin_out(&scene, &mut levels, ranged, boxes, frame);
            }
        }
        let plan = Plan { predicted: cost, objects, frame, accepted: None, work: None, doubt: 0.0 };
        (plan, levels)
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Makes sure that there is a plan. Boxes that were copied already were surveyed as well. Returns whether the boxes were staged for
    /// the plan.
    pub(crate) fn plan<O: Objects<S, D> + ?Sized>(
        &mut self,
        source: &mut Source<'_, O>,
        copied: Option<&[Aabb<S, D>]>,
        team: Team,
    ) -> bool {
        let objects = source.len;
        if objects <= self.config.all_pairs_up_to {
            self.plan = Some(Plan::all_pairs(objects));
            self.grid.levels = Levels::default();
            return false;
        }
        if self.has_plan_for(objects) {
            return false;
        }
        let Some(copied) = copied else {
            self.stage(source, team);
            self.choose_levels(objects, source.order.len(), team);
            return true;
        };
        let (survey, boxes) = (self.merged_survey(team), OrderedBoxes { boxes: copied, order: source.order });
        let (plan, levels) = Plan::choose(objects, &survey, &boxes, &self.config, self.forced_cells());
        self.adopt(plan, levels);
        false
    }

    /// Whether there is a plan that may still be good for this many objects.
    pub(super) fn has_plan_for(&self, objects: usize) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.suits(objects))
    }

    /// Surveys the staged boxes and chooses levels.
    pub(crate) fn replan(&mut self, objects: usize, visited: usize, team: Team) {
        let staged = StagedBoxes::new(&self.staged, visited);
        let cursor = Cursor::new();
        let workers = Blocks::new(&mut self.workers, 1);
        let (kernel, blocks) = (self.kernel, visited.div_ceil(BLOCK));
        let claim = team.claim(blocks, MOST_BLOCKS);
        team.run(|| {
            scope!("pivotgrid::plan::survey");
            let Some(worker) = workers.claim_one() else { return };
            worker.survey.clear();
            while let Some(blocks) = cursor.claim(claim, blocks) {
                blocks.for_each(|block| worker.survey.observe(kernel, staged.of_block(block)));
            }
        });
        self.choose_levels(objects, visited, team);
    }

    /// Chooses levels by what the workers surveyed of the staged boxes.
    fn choose_levels(&mut self, objects: usize, visited: usize, team: Team) {
        let survey = self.merged_survey(team);
        let staged = StagedBoxes::new(&self.staged, visited);
        let (plan, levels) = Plan::choose(objects, &survey, &staged, &self.config, self.forced_cells());
        self.adopt(plan, levels);
    }

    /// What the workers surveyed. Their memory is given back: plans are rare.
    fn merged_survey(&mut self, team: Team) -> Survey {
        let mut survey = Survey::default();
        survey.clear();
        for worker in self.workers.iter_mut().take(team.workers()) {
            survey.merge(&std::mem::take(&mut worker.survey));
        }
        survey
    }

    /// The edges of the finest cells, if these are not for the planner to choose.
    fn forced_cells(&self) -> Option<[f64; 3]> {
        self.config.ordered_cells().or(self.hint.map(|edge| [edge; 3]))
    }

    fn adopt(&mut self, plan: Plan, levels: Levels<S, D>) {
        (self.plan, self.grid.levels) = (Some(plan), levels);
        self.stats.replanned = true;
    }
}

/// The most blocks of boxes that a worker surveys at a time.
const MOST_BLOCKS: usize = 16;

fn drifted(before: f64, now: f64, factor: f64) -> bool {
    now > before * factor || before > now * factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Costs;
    use crate::kernel::Kernel;

    /// Levels, and how many objects are in none.
    struct Planned<S, const D: usize> {
        levels: Levels<S, D>,
        listed: usize,
    }

    fn plan<S: Scalar, const D: usize>(boxes: impl IntoIterator<Item = Aabb<S, D>>) -> Planned<S, D> {
        plan_with(boxes, &Config::default())
    }

    fn plan_with<S: Scalar, const D: usize>(boxes: impl IntoIterator<Item = Aabb<S, D>>, config: &Config) -> Planned<S, D> {
        let boxes: Vec<_> = boxes.into_iter().collect();
        let mut survey = Survey::default();
        survey.clear();
        survey.observe(Kernel::Portable, &boxes);
        let (_, levels) = Plan::choose(boxes.len(), &survey, &boxes[..], config, config.cell_size.map(|edge| [edge; 3]));
        let listed = boxes.iter().filter(|bounds| levels.assign(bounds).is_none()).count();
        Planned { levels, listed }
    }

    fn lattice(side: usize, step: f32, edge: f32) -> impl Iterator<Item = Aabb<f32, 3>> {
        (0..side * side * side).map(move |i| {
            let corner = [i % side, i / side % side, i / side / side].map(|k| k as f32 * step);
            Aabb::new(corner, corner.map(|x| x + edge))
        })
    }

    #[test]
    fn a_plan_is_outdated_when_what_steps_differ_adds_up() {
        let after = |steps: &[f64]| {
            let mut plan = Plan::all_pairs(1000);
            let mut is_outdated_by = |work: &f64| plan.is_outdated_by([work * 1000.0, 0.0], 1000);
            assert!(!is_outdated_by(&9.0));
            steps.iter().position(is_outdated_by)
        };
        // Relative to 10, as 1 is added.
        assert_eq!(after(&[11.0; 100]), None);
        assert_eq!(after(&[19.0]), Some(0));
        assert_eq!(after(&[4.0]), Some(0));
        assert_eq!(after(&[14.0; 4]), Some(1));
        assert_eq!(after(&[5.5; 4]), Some(1));
        assert_eq!(after(&[14.0, 9.0, 14.0, 9.0, 14.0]), None);
    }

    #[test]
    fn equal_sizes_get_one_level_with_cells_not_smaller_than_the_objects() {
        let plan = plan(lattice(20, 1.5, 1.0));
        assert_eq!(plan.levels.len(), 1);
        assert_eq!(plan.listed, 0);
        assert!(plan.levels[0].cell_size()[1] >= 1.0);
    }

    #[test]
    fn a_cell_size_that_is_asked_for_is_taken_unless_objects_are_larger() {
        for (asked, taken) in [(5.0, 5.0), (0.1, 1.0)] {
            let [_, y, z] = plan_with(lattice(20, 1.5, 1.0), &Config::default().cell_size(asked)).levels[0].cell_size();
            assert!((y / taken - 1.0).abs() < 0.01 && y == z, "{y}, not {taken}");
        }
    }

    #[test]
    fn cells_grow_with_emptiness() {
        let (dense, sparse) = (plan(lattice(20, 1.5, 1.0)), plan(lattice(20, 15.0, 1.0)));
        assert!(sparse.levels[0].cell_size()[1] > 2.0 * dense.levels[0].cell_size()[1]);
    }

    #[test]
    fn one_huge_object_does_not_blow_up_the_cells_of_the_many() {
        let huge = Aabb::new([0.0; 3], [27.0; 3]);
        let plan = plan(lattice(20, 1.5, 1.0).chain([huge]));
        assert!(plan.levels[0].cell_size()[1] < 10.0);
        assert!(plan.levels.len() == 1 && plan.listed == 1);
        // The list is not one of the levels that may be used.
        let plan = plan_with(lattice(20, 1.5, 1.0).chain([huge]), &Config::default().max_levels(1));
        assert!(plan.levels.len() == 1 && plan.listed == 1);
    }

    #[test]
    fn what_is_dear_is_avoided() {
        // Some of many small ones are a hundred times as large: too few for a level of their own, unless it costs nothing.
        let point = |i: usize| [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|step| (step * i as f64).fract() as f32 * 60.0);
        let boxes = || (0..6000).map(|i| Aabb::around(point(i), [if i % 40 == 0 { 5.0 } else { 0.05 }; 3]));
        let levels = |costs: Costs| plan_with(boxes(), &Config { costs, ..Config::default() }).levels.len();
        let only_comparisons = Costs { row: 0.0, run: 0.0, chunk: 0.0, look: 0.0, ..Costs::default() };
        assert_eq!(levels(only_comparisons), 2);
        assert_eq!(levels(Costs { look: 1e5, ..only_comparisons }), 1);
        assert_eq!(levels(Costs { chunk: 1e5, ..only_comparisons }), 1);
    }

    #[test]
    fn an_outlier_however_far_does_not_spoil_the_cells_of_the_others() {
        let near = plan(lattice(20, 15.0, 1.0)).levels[0].cell_size();
        for far in [1e9, 1e15, 1e30] {
            let plan = plan(lattice(20, 15.0, 1.0).chain([Aabb::new([far; 3], [far; 3])]));
            let size = plan.levels[0].cell_size();
            assert!(plan.listed <= 1 && size[1] > near[1] / 4.0 && size[1] < near[1] * 4.0, "{far}: {size:?}, not {near:?}");
        }
    }

    #[test]
    fn an_extent_beyond_all_numbers_still_gets_a_grid() {
        let boxes = (0..5000).map(|i| {
            let corner = [i % 17, i / 17 % 17, i / 289].map(|k| k as f64 * 3.0);
            Aabb::new(corner, corner.map(|x| x + 1.0))
        });
        let parked = Aabb::new([1e150; 3], [1e150; 3]);
        let plan: Planned<f64, 3> = plan(boxes.chain([parked]));
        assert!(!plan.levels.is_empty() && plan.listed < 10, "{:?}", plan.levels);
    }

    #[test]
    fn a_handful_needs_no_grid() {
        assert!(plan(lattice(3, 1.5, 1.0)).levels.is_empty());
    }
}
