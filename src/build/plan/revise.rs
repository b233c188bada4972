//! Plans again for exactly those objects that the count found in crowded cells, in lonely chunks or in a list that is too long.

use super::check::{CROWD, LONELY, Load, Trouble, troubles};
use super::levels::SceneSummary;
use super::survey::Survey;
use super::thin::send_loners;
use crate::kernel::Kernel;
use crate::layout::columns::Columns;
use crate::layout::grid::Grid;
use crate::layout::staged::StagedBoxes;
use crate::layout::{CELLS, Levels, Thin};
use crate::runtime::memory;
use crate::{Aabb, Config, Scalar};

/// A finer level is added if the cost with it is below this part of the cost without it; a coarser one, below that.
const WORTHWHILE_FINER: f64 = 0.6;
const WORTHWHILE_COARSER: f64 = 0.7;
/// Cells that are not smaller than this part of the crowded ones are no help.
const FINER: f64 = 0.5;
/// Nanoseconds that comparisons in crowded cells are predicted to take, per object of the crowd, if a tree is to do better. A tree takes 400
/// (`denormal`) to 950 (`weave`, long boxes that cross without touching); comparisons take a third of the prediction where rows separate.
const HOPELESS: f64 = 400.0;
/// If this share of the comparisons within a cell find a pair, there is nothing to save.
const WORTH_COMPARING: f64 = 1.0 / 16.0;
/// The most levels that a revision adds.
const MOST_ADDED: usize = 3;

/// A revision under way.
pub(crate) struct Reviser<'a, S, const D: usize> {
    pub(crate) levels: &'a mut Levels<S, D>,
    /// What sorting made of the levels.
    pub(crate) grid: &'a Grid<S, D>,
    pub(crate) columns: Columns<'a, S, D>,
    pub(crate) staged: StagedBoxes<'a, S, D>,
    pub(crate) config: &'a Config,
    pub(crate) kernel: Kernel,
    /// Edges of the scene.
    pub(crate) frame: [f64; 3],
}

impl<S: Scalar, const D: usize> Reviser<'_, S, D> {
    /// Adds levels against the worst trouble for which that helps. Returns whether there was one.
    pub(crate) fn revise(&mut self, load: &Load, objects: usize) -> bool {
        let troubles = troubles(load, objects, &self.config.costs);
        troubles.into_iter().any(|(trouble, cost)| match trouble {
            Trouble::Listed => self.take_in_listed(),
            Trouble::Crowded { level } => self.split_crowd(level, cost),
            Trouble::Lonely { level } => self.gather_loners(level, cost, load),
        })
    }

    /// How many more levels there may be.
    fn room(&self) -> usize {
        self.config.max_levels.saturating_sub(self.levels.len()).min(MOST_ADDED)
    }

    fn scene(&self, subset: &[Aabb<S, D>]) -> SceneSummary<D> {
        let mut survey = Survey::default();
        survey.clear();
        survey.observe(self.kernel, subset);
        SceneSummary::new(&survey, subset, self.config.costs, None)
    }

    /// The boxes of a level's crowded cells, cell by cell, and where each cell's end.
    fn crowd(&self, level: usize) -> (Vec<Aabb<S, D>>, Vec<usize>) {
        let (mut crowd, mut ends) = (Vec::new(), Vec::new());
        for chunk in self.grid.chunks_of(level) {
            for cell in (0..CELLS).filter(|&cell| chunk.end(cell) - chunk.begin(cell) > CROWD) {
                let entries = chunk.begin(cell) as usize..chunk.end(cell) as usize;
                entries.for_each(|entry| memory::push(&mut crowd, self.columns.bounds(entry)));
                memory::push(&mut ends, crowd.len());
            }
        }
        (crowd, ends)
    }

    /// The boxes of a level's lonely chunks.
    fn loners(&self, level: usize) -> Vec<Aabb<S, D>> {
        let lonely = self.grid.chunks_of(level).map(|chunk| chunk.entries()).filter(|entries| entries.len() <= LONELY as usize);
        memory::collect(lonely.flatten().map(|entry| self.columns.bounds(entry)))
    }

    fn take_in_listed(&mut self) -> bool {
        if self.room() == 0 {
            return false;
        }
        let listed = memory::collect(self.grid.oversized.clone().map(|entry| self.columns.bounds(entry)));
        let scene = self.scene(&listed);
        let chosen = scene.split(self.room());
        for ranged in &chosen.groups {
            self.levels.insert(ranged.group.cells.member(self.frame));
        }
        !chosen.groups.is_empty()
    }

    /// Finer levels where a level's cells are crowded.
    fn split_crowd(&mut self, level: usize, cost: f64) -> bool {
        if self.room() == 0 {
            return false;
        }
        let (crowd, _) = self.crowd(level);
        let scene = self.scene(&crowd);
        let chosen = scene.split(self.room());
        let (old, ignores) = (self.levels[level].cell_size(), |axis: usize| self.levels[level].ignores(axis));
        let is_finer = |size: [f64; 3]| {
            let ratio = |axis: usize| if ignores(axis) { 1.0 } else { (size[axis] / old[axis]).min(1.0) };
            (0..D).map(ratio).product::<f64>() < FINER
                || (0..D).any(|axis| ignores(axis) && size[axis] < self.frame[axis] * FINER)
        };
        let finer = memory::collect(chosen.groups.iter().map(|ranged| &ranged.group.cells).filter(|cells| is_finer(cells.size)));
        if finer.is_empty() || chosen.cost.total() >= WORTHWHILE_FINER * cost {
            return false;
        }
        // Only where it is crowded: elsewhere, objects of the same size would be lonely in the finer cells.
        let mut map = Thin::new(None, self.levels[level], crowd.len() / CROWD as usize, CROWD as u8);
        crowd.iter().for_each(|bounds| map.add(&bounds.min));
        let most = self.levels.member(level).object_size;
        for cells in finer {
            let mut member = cells.member(self.frame);
            member.object_size = member.object_size.min(most);
            let at = self.levels.insert(member);
            self.levels.set_thin(at, map.duplicate());
        }
        true
    }

    /// A coarser level for objects that are nearly alone in their chunks.
    fn gather_loners(&mut self, level: usize, cost: f64, load: &Load) -> bool {
        if self.room() == 0 || self.levels.thin(level).is_some() {
            return false;
        }
        let loners = self.loners(level);
        let scene = self.scene(&loners);
        let group = &scene.whole().group;
        let crowded_chunks = load.levels[level].chunks - load.levels[level].lonely;
        if group.own.total() + crowded_chunks as f64 * self.config.costs.look >= WORTHWHILE_COARSER * cost {
            return false;
        }
        send_loners(self.levels, level, false, group, &self.staged, &scene, self.frame);
        true
    }

    /// The last resort: no level takes the objects of cells that are still crowded, unless these overlap so often that their pairs
    /// are worth the comparisons. Returns whether there are some.
    pub(crate) fn give_up(&mut self, load: &Load, objects: usize) -> bool {
        let mut any = false;
        for (trouble, cost) in troubles(load, objects, &self.config.costs) {
            let Trouble::Crowded { level } = trouble else { continue };
            let (crowd, ends) = self.crowd(level);
            if cost < HOPELESS * crowd.len() as f64 || overlapping(&crowd, &ends) > WORTH_COMPARING {
                continue;
            }
            let mut crowds = Thin::new(None, self.levels[level], crowd.len() / CROWD as usize, CROWD as u8);
            crowd.iter().for_each(|bounds| crowds.add(&bounds.min));
            self.levels.refuse(level, crowds);
            any = true;
        }
        any
    }
}

/// The share of objects of a crowd that overlap another one of the same cell, from a sample. `ends` says where each cell's end.
fn overlapping<S: Scalar, const D: usize>(crowd: &[Aabb<S, D>], ends: &[usize]) -> f64 {
    const SAMPLED: usize = 4096;
    let (mut pairs, mut hits) = (0.0f64, 0.0);
    for at in (0..crowd.len()).step_by((crowd.len() / SAMPLED).max(1)) {
        let cell = ends.partition_point(|&end| end <= at);
        let begin = if cell == 0 { 0 } else { ends[cell - 1] };
        // Any other one of the cell: those next to it in the table are often next to it in space.
        let other = begin + ((at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % (ends[cell] - begin);
        if other != at {
            pairs += 1.0;
            hits += f64::from(u8::from(crowd[at].overlaps(&crowd[other])));
        }
    }
    hits / pairs.max(1.0)
}
