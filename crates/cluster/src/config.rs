//! Settings.

use pivotgrid::Config;

/// Settings of a [`Cluster`](crate::Cluster). All ranks must have the same; [`Cluster::new`](crate::Cluster::new) checks that.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterConfig {
    /// Settings of the engine that each rank runs. [`Config::canonical_order`] applies to the pairs of a rank, in the order of global ids;
    /// [`Step::gather`](crate::Step::gather) merges those of all ranks. For one thread per rank, set [`Config::serial_up_to`] to
    /// `usize::MAX`, or step inside a rayon pool of one thread.
    pub engine: Config,
    /// The cut moves when the largest predicted work of a rank is more than this many times the mean.
    pub imbalance: f64,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        ClusterConfig { engine: Config::default(), imbalance: 1.1 }
    }
}

impl ClusterConfig {
    /// Sets the engine's settings.
    #[must_use]
    pub fn engine(mut self, engine: Config) -> Self {
        self.engine = engine;
        self
    }

    /// Sets the imbalance at which the cut moves. It must be greater than 1.
    #[must_use]
    pub fn imbalance(mut self, imbalance: f64) -> Self {
        self.imbalance = imbalance;
        self
    }
}
