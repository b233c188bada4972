//! The planner: which levels, and which cell sizes.
//!
//! Nothing here decides about a pair: any plan gives the same set, a bad one only takes longer.

use super::costs::{Costs, Predicted};
use super::density::Density;
use super::gather::Source;
use super::survey::{Extent, SizeClass, Survey};
use crate::engine::Engine;
use crate::layout::staged::{BLOCK, StagedBoxes};
use crate::layout::{Coords, Level, Shape};
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Config, Scalar};

pub(crate) use crate::layout::MAX_LEVELS;

/// The levels of a step and what they were chosen for.
#[derive(Clone, Debug)]
pub(crate) struct Plan<S, const D: usize> {
    pub(crate) levels: Vec<Level<S, D>>,
    /// How many objects the planner meant to be in no level.
    pub(crate) listed: usize,
    /// What the planner expects it to cost.
    pub(crate) predicted: Predicted,
    /// How many objects there were.
    objects: usize,
    /// Candidates per object in the first step with this plan.
    work: Option<f64>,
}

/// A scene that has grown or shrunk by more than this factor, or whose candidates per object have, is planned anew.
const DRIFT: f64 = 1.3;

impl<S: Scalar, const D: usize> Plan<S, D> {
    /// Everything in the list: each object is compared with each.
    pub(crate) fn all_pairs(objects: usize) -> Self {
        Plan { levels: Vec::new(), listed: objects, predicted: Predicted::default(), objects, work: None }
    }

    /// Whether the plan may still be good for this many objects.
    pub(crate) fn suits(&self, objects: usize) -> bool {
        !drifted(self.objects as f64, objects as f64)
    }

    /// Whether so many objects fit no level that looking for better levels is worth a second count.
    pub(crate) fn is_swamped(&self, listed: usize) -> bool {
        listed > 2 * self.listed + 8
    }

    /// Takes note of how many objects fit no level, so that a plan that cannot do better is not questioned in every step.
    pub(crate) fn accept(&mut self, listed: usize) {
        self.listed = self.listed.max(listed);
    }

    /// Takes note of the work a step took. Returns whether that is so different from the first step's that the scene must have
    /// changed in kind.
    pub(crate) fn is_outdated_by(&mut self, candidates: u64) -> bool {
        let work = candidates as f64 / self.objects.max(1) as f64;
        drifted(*self.work.get_or_insert(work) + 1.0, work + 1.0)
    }

    /// Chooses levels for a scene of `objects` objects, all of which were surveyed and some are looked at for their density.
    pub(crate) fn choose(
        objects: usize,
        survey: &Survey,
        extent: &Extent<S, D>,
        staged: StagedBoxes<'_, S, D>,
        config: &Config,
    ) -> Self {
        let classes = survey.classes();
        let (low, extent) = extent.get();
        let density = Density::sample(staged, low, extent);
        let (low, extent) = (density.low, density.extent);
        let (costs, rounding) = (config.costs, S::EPSILON);
        let scene = Scene::<D> { costs, density, extent, rounding, smallest: S::SMALLEST_CELL, largest: S::LARGEST_CELL };

        let chosen = scene.split(&classes, config.max_levels, config.cell_size);
        let levels = chosen.levels.iter().map(|cells| {
            let size: [f64; D] = std::array::from_fn(|axis| cells.size[axis]);
            // The middle of the scene is the middle of a cell: a flat scene lies within one, not astride a border, and the
            // scene may move as far as possible either way.
            let origin = std::array::from_fn(|axis| low[axis] + (extent[axis] - size[axis]) / 2.0);
            Level::new(origin, size, cells.limit)
        });
        let (levels, listed) = (memory::collect(levels), chosen.listed + survey.unbounded());
        Plan { levels, listed, predicted: chosen.cost, objects, work: None }
    }

    /// The same with cells of twice the edge: for a scene that needs more chunks than there can be.
    pub(crate) fn coarsen(&mut self) {
        for level in &mut self.levels {
            *level = level.doubled();
        }
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Makes sure that there is a plan. Returns whether the boxes were staged for it.
    pub(crate) fn plan<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, team: Team) -> bool {
        let objects = source.len;
        if objects <= self.config.all_pairs_up_to {
            self.plan = Some(Plan::all_pairs(objects));
            return false;
        }
        if self.plan.as_ref().is_some_and(|plan| plan.suits(objects)) {
            return false;
        }
        self.stage(source, team);
        self.replan(objects, source.order.len(), team);
        true
    }

    /// Looks at all sizes and chooses levels.
    pub(crate) fn replan(&mut self, objects: usize, visited: usize, team: Team) {
        let staged = StagedBoxes::new(&self.staged, visited);
        let (cursor, extent) = (Cursor::new(), Extent::new());
        let workers = Blocks::new(&mut self.workers, 1);
        let claim = team.claim(visited.div_ceil(BLOCK), MOST_BLOCKS) * BLOCK;
        team.run(|| {
            scope!("pivotgrid::plan::survey");
            let Some(worker) = workers.claim_one() else { return };
            worker.survey.clear();
            while let Some(positions) = cursor.claim(claim, visited) {
                worker.survey.observe(staged, positions, &extent);
            }
        });
        self.survey.clear();
        for worker in self.workers.iter().take(team.workers()) {
            self.survey.merge(&worker.survey);
        }
        self.plan = Some(Plan::choose(objects, &self.survey, &extent, staged, &self.config));
        self.stats.replanned = true;
    }
}

/// The most blocks of boxes that a worker surveys at a time.
const MOST_BLOCKS: usize = 16;

fn drifted(before: f64, now: f64) -> bool {
    now > before * DRIFT || before > now * DRIFT
}

const LANES: f64 = crate::kernel::LANES as f64;

/// What the cost of a choice depends on.
struct Scene<const D: usize> {
    costs: Costs,
    density: Density<D>,
    extent: [f64; 3],
    /// Relative rounding error of a coordinate.
    rounding: f64,
    smallest: f64,
    largest: f64,
}

/// The cells of a level, and how far its objects may reach beyond theirs.
#[derive(Clone, Copy, Debug)]
struct Cells {
    size: [f64; 3],
    limit: Coords,
}

/// Levels for groups of size classes.
#[derive(Clone, Debug, Default)]
struct Choice {
    levels: Vec<Cells>,
    listed: usize,
    cost: Predicted,
}

impl<const D: usize> Scene<D> {
    /// Cuts the classes into groups, a level each, as long as another cut saves a worthwhile part of the predicted cost.
    fn split(&self, classes: &[SizeClass], max_levels: usize, cell_size: Option<f64>) -> Choice {
        const WORTHWHILE: f64 = 0.93;
        let mut cuts = memory::collect([classes.len()]);
        let mut best = self.price(classes, &cuts, max_levels, cell_size);
        loop {
            let candidates = (1..classes.len()).filter(|cut| !cuts.contains(cut)).map(|cut| {
                let mut with_cut = memory::collect(cuts.iter().copied().chain([cut]));
                with_cut.sort_unstable();
                (self.price(classes, &with_cut, max_levels, cell_size), with_cut)
            });
            match candidates.min_by(|a, b| a.0.cost.total().total_cmp(&b.0.cost.total())) {
                Some((choice, with_cut))
                    if choice.cost.total() < best.cost.total() * WORTHWHILE && with_cut.len() <= max_levels + 1 =>
                {
                    (best, cuts) = (choice, with_cut);
                }
                _ => return best,
            }
        }
    }

    /// The cost of a level for each group; the last group is put into the list instead if that is cheaper (or has to be).
    fn price(&self, classes: &[SizeClass], cuts: &[usize], max_levels: usize, cell_size: Option<f64>) -> Choice {
        let mut groups = Vec::new();
        memory::reserve_exact(&mut groups, cuts.len());
        let mut first = 0;
        for &cut in cuts {
            let mut group = SizeClass::default();
            classes[first..cut].iter().for_each(|class| group.absorb(class));
            groups.push(group);
            first = cut;
        }
        groups.retain(|group| group.objects > 0);
        let forced = |index: usize| if index == 0 { cell_size } else { None };
        let cells = memory::collect(groups.iter().enumerate().map(|(index, group)| self.best_cells(group, forced(index))));

        let mut best = Choice { cost: Predicted { listed: f64::INFINITY, ..Predicted::default() }, ..Choice::default() };
        // With a forced cell size there is always a grid.
        let fewest = usize::from(cell_size.is_some() && !groups.is_empty());
        for leveled in fewest.max(groups.len().saturating_sub(1))..=groups.len().min(max_levels) {
            let mut cost = Predicted::default();
            for (fine, (group, size)) in groups.iter().zip(&cells).enumerate().take(leveled) {
                cost.runs += self.runs(group, size);
                cost.chunks += self.chunks(group, size) * self.costs.chunk;
                cost.within += self.within(group, size);
                for coarse in &groups[fine + 1..leveled] {
                    cost.across += self.across(coarse, group, size) + self.chunks(group, size) * self.costs.look;
                }
            }
            let listed: usize = groups[leveled..].iter().map(|group| group.objects).sum();
            for (group, size) in groups.iter().zip(&cells).take(leveled) {
                for huge in &groups[leveled..] {
                    let look = self.costs.look / 4.0 + huge.objects as f64 / LANES * self.costs.compare;
                    cost.listed += self.across(huge, group, size) + self.chunks(group, size) * look;
                }
            }
            cost.listed += listed as f64 * (listed as f64 / 2.0 / LANES * self.costs.compare + self.costs.row);
            if best.cost.total().is_infinite() || cost.total() < best.cost.total() {
                best = Choice { levels: memory::collect(cells[..leveled].iter().copied()), listed, cost };
            }
        }
        best
    }

    /// The cell size with the least predicted cost for a group on its own: nowhere smaller than the group's largest object,
    /// and otherwise a cube, or a brick that is finer along the rows.
    fn best_cells(&self, group: &SizeClass, forced: Option<f64>) -> Cells {
        let longest = self.extent.iter().fold(0.0f64, |longest, edge| longest.max(*edge));
        let shortest = (0..D).fold(f64::INFINITY, |shortest, axis| shortest.min(group.max[axis]));
        // Finer than this, the density is not known; flat boxes would start at nothing.
        let finest = longest / (1u64 << 40) as f64;
        let mut width = forced.unwrap_or(shortest.max(finest)).clamp(self.smallest, self.largest);
        let mut best: Option<(f64, Cells)> = None;
        loop {
            for fineness in [1.0, 2.0, 4.0, 8.0, 16.0] {
                let cells = self.cells(group, width, fineness);
                let chunks = self.chunks(group, &cells) * self.costs.chunk;
                let cost = self.within(group, &cells) + self.runs(group, &cells) + chunks;
                if best.is_none_or(|(least, _)| cost.total_cmp(&least).is_lt()) {
                    best = Some((cost, cells));
                }
                if forced.is_some() {
                    break;
                }
            }
            if width > longest || width >= self.largest || forced.is_some() {
                return best.expect("at least one width was tried").1;
            }
            width = (width * std::f64::consts::SQRT_2).min(self.largest);
        }
    }

    /// Cells of about this width that hold the group's objects; x is cut finer by `fineness`.
    fn cells(&self, group: &SizeClass, width: f64, fineness: f64) -> Cells {
        let mut cells = Cells { size: [0.0; 3], limit: [0; 3] };
        for axis in 0..D {
            let edge = f64::from(Shape::<D>::EDGE[axis]);
            // A little more than the largest object: what is not taken because of a rounding error would go to the list.
            let room = group.max[axis] * 1.001;
            let fine = if axis == 0 { fineness } else { 1.0 };
            let size = (width.max(room) / fine).max(room / (edge - 1.0)).clamp(self.smallest, self.largest);
            cells.size[axis] = size;
            // Far from the origin, a rounding error may carry a bound across one more border.
            let slack = self.extent[axis] / size * self.rounding;
            cells.limit[axis] = ((room / size + slack).floor() + 1.0).min(edge) as i32;
        }
        cells
    }

    /// How many objects of a group an object finds in a box of these edges around it. (Groups are taken to be spread alike.)
    fn expected(&self, group: &SizeClass, edges: [f64; 3]) -> f64 {
        self.density.expected(group.objects as f64, edges)
    }

    fn compare(&self, group: &SizeClass, edges: [f64; 3]) -> f64 {
        self.costs.row + self.costs.compare * (0.5 + self.expected(group, edges) / LANES)
    }

    /// Half-neighborhood within a level.
    fn within(&self, group: &SizeClass, cells: &Cells) -> f64 {
        let (size, mean) = (cells.size, group.mean());
        // Nothing crosses a border of cells as thick as the scene.
        let crosses = |axis: usize| if self.extent[axis] > size[axis] { (mean[axis] / size[axis]).min(1.0) } else { 0.0 };
        let own_row = self.compare(group, [mean[0] + size[0] / 2.0, size[1], size[2]]);
        let other_row = self.compare(group, [mean[0] + group.max[0] + size[0], size[1], size[2]]);
        let others = crosses(1) + crosses(2) * (2.0 + crosses(1));
        group.objects as f64 * (own_row + others * other_row)
    }

    /// Counting in and placing: the fewer objects share a cell, the more runs they make.
    fn runs(&self, group: &SizeClass, cells: &Cells) -> f64 {
        group.objects as f64 * self.costs.run / (1.0 + self.expected(group, cells.size))
    }

    /// Coarser objects against a finer level.
    fn across(&self, coarse: &SizeClass, fine: &SizeClass, cells: &Cells) -> f64 {
        let (size, mean) = (cells.size, coarse.mean());
        let rows = (1..D).fold(1.0, |rows, axis| {
            let most = (self.extent[axis] / size[axis]).max(1.0);
            rows * ((mean[axis] + fine.max[axis]) / size[axis] + 1.0).min(most)
        });
        let row = self.compare(fine, [mean[0] + fine.max[0] + size[0], size[1], size[2]]);
        coarse.objects as f64 * rows * row
    }

    /// How many chunks a group occupies.
    fn chunks(&self, group: &SizeClass, cells: &Cells) -> f64 {
        let edges = std::array::from_fn(|axis| cells.size[axis] * f64::from(Shape::<D>::EDGE[axis]));
        self.density.occupied(group.objects as f64, edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use crate::layout::staged::tests::stage;

    fn plan<S: Scalar>(boxes: impl IntoIterator<Item = Aabb<S, 3>>) -> Plan<S, 3> {
        plan_with(boxes, &Config::default())
    }

    fn plan_with<S: Scalar>(boxes: impl IntoIterator<Item = Aabb<S, 3>>, config: &Config) -> Plan<S, 3> {
        let boxes: Vec<_> = boxes.into_iter().collect();
        let blocks = stage(&boxes);
        let staged = StagedBoxes::new(&blocks, boxes.len());
        let (mut survey, extent) = (Survey::default(), Extent::new());
        survey.clear();
        survey.observe(staged, 0..staged.len(), &extent);
        Plan::choose(staged.len(), &survey, &extent, staged, config)
    }

    fn lattice(side: usize, step: f32, edge: f32) -> impl Iterator<Item = Aabb<f32, 3>> {
        (0..side * side * side).map(move |i| {
            let corner = [i % side, i / side % side, i / side / side].map(|k| k as f32 * step);
            Aabb::new(corner, corner.map(|x| x + edge))
        })
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
        let plan: Plan<f64, 3> = plan(boxes.chain([parked]));
        assert!(!plan.levels.is_empty() && plan.listed < 10, "{plan:?}");
    }

    #[test]
    fn a_handful_needs_no_grid() {
        assert!(plan(lattice(3, 1.5, 1.0)).levels.is_empty());
    }
}
