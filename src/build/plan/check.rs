//! Judges a plan by the counts of its cells: keep it, replace it or revise it.
//!
//! The check runs after counting and before detection. The entries of a cell are compared with each other, so the sum of the squared counts
//! predicts the cost of detection.

use super::group::LANES;
use super::levels::most_listed;
use crate::Costs;
use crate::layout::MAX_LEVELS;
use crate::runtime::memory;

pub(crate) use crate::layout::CROWD;
/// A chunk of at most this many objects is lonely.
pub(crate) const LONELY: u32 = 6;
/// A new plan is revised at most this often within a step.
pub(crate) const MOST_REVISIONS: usize = 4;

/// What the count found in a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LevelLoad {
    pub(crate) objects: usize,
    /// Sum of the squares of the cells' counts,
    pub(crate) squares: f64,
    /// and the part of it in crowded cells.
    pub(crate) crowded: f64,
    pub(crate) chunks: usize,
    pub(crate) lonely: usize,
}

/// What the count found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Load {
    pub(crate) levels: [LevelLoad; MAX_LEVELS],
    pub(crate) listed: usize,
}

impl LevelLoad {
    /// Takes in a chunk by its counts.
    pub(crate) fn add(&mut self, total: u32, squares: f32, crowded: f32) {
        self.objects += total as usize;
        self.squares += f64::from(squares);
        self.crowded += f64::from(crowded);
        self.chunks += usize::from(total > 0);
        self.lonely += usize::from(total > 0 && total <= LONELY);
    }
}

impl Load {
    pub(crate) fn merge(&mut self, other: &Load) {
        for (mine, theirs) in self.levels.iter_mut().zip(&other.levels) {
            mine.objects += theirs.objects;
            mine.squares += theirs.squares;
            mine.crowded += theirs.crowded;
            mine.chunks += theirs.chunks;
            mine.lonely += theirs.lonely;
        }
        self.listed += other.listed;
    }

    pub(crate) fn squares(&self) -> f64 {
        self.levels.iter().map(|level| level.squares).sum()
    }

    pub(crate) fn chunks(&self) -> usize {
        self.levels.iter().map(|level| level.chunks).sum()
    }

    /// The cost of a step with this load, as far as the load determines it.
    pub(crate) fn cost(&self, costs: &Costs) -> f64 {
        let chunks = self.chunks() as f64;
        let used = self.levels.iter().filter(|level| level.objects > 0).count();
        let listed = self.listed as f64;
        self.squares() * costs.compare / LANES
            + chunks * (costs.chunk + costs.look * used.saturating_sub(1) as f64 / 2.0)
            + (chunks + listed / 2.0) * listed * costs.compare / LANES
    }
}

/// What a plan was accepted with, per object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Accepted {
    squares: f64,
    chunks: f64,
    listed: f64,
}

impl Accepted {
    pub(crate) fn of(load: &Load, objects: usize) -> Self {
        let each = 1.0 / objects.max(1) as f64;
        Accepted { squares: load.squares() * each, chunks: load.chunks() as f64 * each, listed: load.listed as f64 * each }
    }

    /// Whether this many chunks are too many for the scene that the plan was made for.
    pub(crate) fn is_overrun_by(&self, chunks: usize, objects: usize) -> bool {
        chunks as f64 > (2.0 * self.chunks + 1.0 / 32.0) * objects as f64
    }

    /// Whether a load is so much heavier than the one that the plan was accepted with that a new plan is worth a second count.
    pub(crate) fn is_outgrown_by(&self, load: &Load, objects: usize) -> bool {
        let (n, listed) = (objects as f64, load.listed as f64);
        load.squares() > (1.5 * self.squares + 4.0) * n
            || self.is_overrun_by(load.chunks(), objects)
            || listed > 2.0 * self.listed * n + 8.0 && load.listed > most_listed(objects) / 4
    }
}

/// An expensive part of a new plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Too many objects are in no level.
    Listed,
    /// Cells of a level hold too many objects.
    Crowded { level: usize },
    /// Chunks of a level hold next to none.
    Lonely { level: usize },
}

/// The expensive parts of a new plan, the worst first.
pub(crate) fn troubles(load: &Load, objects: usize, costs: &Costs) -> Vec<(Trouble, f64)> {
    // Nanoseconds per object that are worth some thought.
    const CROWDED: f64 = 20.0;
    const LONELY: f64 = 10.0;
    let n = objects as f64;
    let mut troubles = Vec::new();
    for (level, load) in load.levels.iter().enumerate() {
        let (crowded, lonely) = (load.crowded * costs.compare / LANES, load.lonely as f64 * costs.chunk);
        if crowded > CROWDED * n {
            memory::push(&mut troubles, (Trouble::Crowded { level }, crowded));
        }
        if lonely > LONELY * n {
            memory::push(&mut troubles, (Trouble::Lonely { level }, lonely));
        }
    }
    if load.listed > most_listed(objects) {
        memory::push(&mut troubles, (Trouble::Listed, f64::INFINITY));
    }
    troubles.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(level: usize, objects: u32, chunks: u32, per_cell: u32) -> Load {
        let mut load = Load::default();
        for _ in 0..chunks {
            let total = objects / chunks;
            let squares = (total * per_cell) as f32;
            load.levels[level].add(total, squares, if per_cell > CROWD { squares } else { 0.0 });
        }
        load
    }

    #[test]
    fn what_is_usual_is_no_trouble() {
        assert!(troubles(&load(0, 100_000, 800, 8), 100_000, &Costs::default()).is_empty());
    }

    #[test]
    fn crowds_loners_and_long_lists_are() {
        let costs = Costs::default();
        let of = |load: &Load| troubles(load, 100_000, &costs).iter().map(|trouble| trouble.0).collect::<Vec<_>>();
        let mut all = load(3, 100_000, 10, 1000);
        assert_eq!(of(&all), [Trouble::Crowded { level: 3 }]);
        all.merge(&load(1, 30_000, 10_000, 1));
        assert_eq!(of(&all), [Trouble::Crowded { level: 3 }, Trouble::Lonely { level: 1 }]);
        all.listed = 700;
        assert_eq!(of(&all)[0], Trouble::Listed);
        assert!(most_listed(100_000) < 700);
    }

    #[test]
    fn a_plan_is_outgrown_by_crowds_chunks_or_a_list() {
        let usual = load(0, 100_000, 1000, 8);
        let accepted = Accepted::of(&usual, 100_000);
        let outgrown = |load: &Load| accepted.is_outgrown_by(load, 100_000);
        assert!(!outgrown(&usual) && !outgrown(&load(0, 100_000, 1000, 12)));
        assert!(outgrown(&load(0, 100_000, 1000, 24)));
        assert!(!outgrown(&load(0, 100_000, 4000, 8)) && outgrown(&load(0, 100_000, 6000, 8)));
        let mut listed = usual.clone();
        listed.listed = 50;
        assert!(!outgrown(&listed));
        listed.listed = 500;
        assert!(outgrown(&listed));
    }

    #[test]
    fn more_of_the_same_does_not_outgrow_a_plan() {
        let accepted = Accepted::of(&load(0, 100_000, 1000, 8), 100_000);
        assert!(!accepted.is_outgrown_by(&load(0, 190_000, 1900, 12), 190_000));
        assert!(accepted.is_outgrown_by(&load(0, 190_000, 1900, 24), 190_000));
        assert!(accepted.is_outgrown_by(&load(0, 50_000, 500, 24), 50_000));
    }

    #[test]
    fn cost_follows_what_is_dear() {
        let cost = |load: &Load| load.cost(&Costs::default());
        let usual = cost(&load(0, 100_000, 1000, 8));
        let mut listed = load(0, 100_000, 1000, 8);
        listed.listed = 10_000;
        for worse in [cost(&load(0, 100_000, 1000, 80)), cost(&load(0, 100_000, 10_000, 8)), cost(&listed)] {
            assert!(worse > 2.0 * usual);
        }
    }
}
