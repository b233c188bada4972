//! Settings, and errors in them.

pub(crate) mod costs;

use std::fmt;

use crate::isa::InstructionSet;
use crate::kernel::Kernel;
use crate::layout::MAX_LEVELS;
use costs::Costs;

/// Settings of a [`BroadPhase`](crate::BroadPhase). The defaults choose everything from the scene; none of them changes
/// which pairs are found.
///
/// ```
/// use pivotgrid::{BroadPhase, Config, ConfigError};
///
/// let broad_phase = BroadPhase::<f32, 3>::with_config(Config::default().max_levels(2))?;
/// let wrong = BroadPhase::<f32, 3>::with_config(Config::default().cell_size(-1.0));
/// assert_eq!(wrong.unwrap_err(), ConfigError::CellSize(-1.0));
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Config {
    /// A hint: the edge of the finest level's cells in the first plan, unless an object of that level is larger. If counting shows that
    /// these cells are crowded or nearly empty, the planner adds others or plans again without the hint. `None`, the default, lets the
    /// planner choose.
    pub cell_size: Option<f64>,
    /// A command: the edge of the finest level's cells in every step, unless an object of that level is larger, however slow that may be.
    /// For tests and measurements. `None`, the default, leaves the choice to the planner.
    pub exact_cell_size: Option<f64>,
    /// The most levels the planner may use, 1 to 16.
    pub max_levels: usize,
    /// Up to this many objects are compared each with each, without a grid.
    pub all_pairs_up_to: usize,
    /// Up to this many objects `par_detect` stays on the calling thread, where handing out work would cost more than it saves.
    pub serial_up_to: usize,
    /// Whether pairs are delivered in ascending order instead of in the order in which they happened to be found. With it, a scene gives
    /// the same pairs in the same order for every number of threads and every history of the engine, which lockstep and replays need. Costs
    /// about a fifth of a step if there are as many pairs as objects.
    pub canonical_order: bool,
    /// The most memory that the engine may hold after a step, in bytes; `None`, the default, means no limit. A step that needs more is
    /// refused as a whole, with an error that states how much it needs: see [`try_par_detect`](crate::BroadPhase::try_par_detect). After a
    /// step, no more is held than this ([`Stats::bytes`](crate::Stats::bytes); what queries build for themselves does not count, nor do the
    /// two kilobytes of an engine that was refused everything, nor what the arenas of chunks round up, at most a page for each slab).
    /// During a step the limit may be exceeded by the workers' own memory, some kilobytes each in most scenes, and, with
    /// [`canonical_order`](Self::canonical_order), by two more copies of the pairs.
    pub max_bytes: Option<usize>,
    /// Whether large arrays ask for huge pages, on Linux, where the system grants them on request. Off by default: steps of a million
    /// objects were no more than 1 % faster with them, and arrays may take up whole pages of 2 MiB.
    pub huge_pages: bool,
    /// The instructions that boxes are compared with; for tests and measurements.
    pub instruction_set: InstructionSet,
    /// The edges of the finest level's cells, as a command; for the bench that searches cells by hand.
    #[doc(hidden)]
    pub exact_cells: Option<[f64; 3]>,
    /// The planner's prices, for the bench that varies them.
    #[doc(hidden)]
    pub costs: Costs,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cell_size: None,
            exact_cell_size: None,
            max_levels: MAX_LEVELS,
            all_pairs_up_to: 160,
            serial_up_to: 1000,
            canonical_order: false,
            max_bytes: None,
            huge_pages: false,
            instruction_set: InstructionSet::Best,
            exact_cells: None,
            costs: Costs::default(),
        }
    }
}

impl Config {
    /// Suggests the edge of the finest level's cells for the first plan. A cell is never smaller than the objects that live in it.
    #[must_use]
    pub fn cell_size(mut self, edge: f64) -> Self {
        self.cell_size = Some(edge);
        self
    }

    /// Fixes the edge of the finest level's cells. No check overrides it. A cell is never smaller than the objects that live in it.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, Config};
    ///
    /// let mut broad_phase = BroadPhase::<f32, 2>::with_config(Config::default().exact_cell_size(50.0))?;
    /// let boxes: Vec<_> = (0..900).map(|i| Aabb::new([(i % 30) as f32; 2], [(i % 30) as f32 + 0.5; 2])).collect();
    /// broad_phase.par_detect(&boxes);
    /// assert!((broad_phase.stats().levels[0].cell_size[1] - 50.0).abs() < 0.001);
    /// # Ok::<(), pivotgrid::ConfigError>(())
    /// ```
    #[must_use]
    pub fn exact_cell_size(mut self, edge: f64) -> Self {
        self.exact_cell_size = Some(edge);
        self
    }

    /// Limits the number of levels, 1 to 16.
    #[must_use]
    pub fn max_levels(mut self, levels: usize) -> Self {
        self.max_levels = levels;
        self
    }

    /// Sets the number of objects up to which each is compared with each, without a grid.
    #[must_use]
    pub fn all_pairs_up_to(mut self, objects: usize) -> Self {
        self.all_pairs_up_to = objects;
        self
    }

    /// Sets the number of objects up to which `par_detect` stays on the calling thread.
    #[must_use]
    pub fn serial_up_to(mut self, objects: usize) -> Self {
        self.serial_up_to = objects;
        self
    }

    /// Sets whether pairs are delivered in ascending order.
    #[must_use]
    pub fn canonical_order(mut self, wanted: bool) -> Self {
        self.canonical_order = wanted;
        self
    }

    /// Limits the memory that the engine may hold after a step.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Sets whether large arrays ask for huge pages.
    #[must_use]
    pub fn huge_pages(mut self, wanted: bool) -> Self {
        self.huge_pages = wanted;
        self
    }

    /// Sets the instructions that boxes are compared with.
    #[must_use]
    pub fn instruction_set(mut self, set: InstructionSet) -> Self {
        self.instruction_set = set;
        self
    }

    /// The edges of the finest level's cells, if the settings dictate them.
    pub(crate) fn ordered_cells(&self) -> Option<[f64; 3]> {
        self.exact_cells.or(self.exact_cell_size.map(|edge| [edge; 3]))
    }

    pub(crate) fn validated(self) -> Result<Self, ConfigError> {
        for edge in self.cell_size.into_iter().chain(self.ordered_cells().into_iter().flatten()) {
            if !(edge.is_finite() && edge > 0.0) {
                return Err(ConfigError::CellSize(edge));
            }
        }
        if !(1..=MAX_LEVELS).contains(&self.max_levels) {
            return Err(ConfigError::MaxLevels(self.max_levels));
        }
        if Kernel::of(self.instruction_set).is_none() {
            return Err(ConfigError::InstructionSet(self.instruction_set));
        }
        Ok(self)
    }
}

/// Why a [`Config`] was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The cell size is not a positive, finite number.
    CellSize(f64),
    /// The number of levels is 0 or more than there can be.
    MaxLevels(usize),
    /// The machine does not have these instructions.
    InstructionSet(InstructionSet),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::CellSize(edge) => {
                write!(f, "cell_size is {edge}, but must be positive and finite; leave it unset to have it chosen")
            }
            ConfigError::MaxLevels(levels) => write!(f, "max_levels is {levels}, but must lie in 1..={MAX_LEVELS}"),
            ConfigError::InstructionSet(set) => write!(f, "this machine does not have {set:?}; `Best` takes what there is"),
        }
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_taken_and_leaves_the_others_alone() {
        let config = Config::default()
            .cell_size(2.5)
            .exact_cell_size(3.5)
            .max_levels(3)
            .all_pairs_up_to(7)
            .serial_up_to(9)
            .canonical_order(true)
            .max_bytes(1 << 20)
            .huge_pages(true)
            .instruction_set(InstructionSet::Portable);
        let expected = Config {
            cell_size: Some(2.5),
            exact_cell_size: Some(3.5),
            max_levels: 3,
            all_pairs_up_to: 7,
            serial_up_to: 9,
            canonical_order: true,
            max_bytes: Some(1 << 20),
            huge_pages: true,
            instruction_set: InstructionSet::Portable,
            exact_cells: None,
            costs: Costs::default(),
        };
        assert_eq!(config, expected);
        assert_eq!(config.clone().validated(), Ok(config));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for config in [Config::default().cell_size(edge), Config::default().exact_cell_size(edge)] {
                assert!(matches!(config.validated(), Err(ConfigError::CellSize(_))), "{edge}");
            }
        }
        for levels in [0, MAX_LEVELS + 1] {
            assert_eq!(Config::default().max_levels(levels).validated(), Err(ConfigError::MaxLevels(levels)));
        }
    }
}
