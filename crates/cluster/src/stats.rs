//! What a step did on one rank, and what it cost.

use std::time::Duration;

/// Figures of the last step on this rank, from [`Step::stats`](crate::Step::stats).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClusterStats {
    /// Objects that this rank was given.
    pub own: usize,
    /// Boxes of its engine: own objects, and ghosts.
    pub held: usize,
    /// Boxes received from other ranks.
    pub ghosts: usize,
    /// Boxes sent to other ranks; one that is sent to three of them counts three times.
    pub sent: usize,
    /// Own objects whose box does not touch this rank's part of space, and which should migrate.
    pub outside: usize,
    /// Bytes of the received boxes.
    pub bytes_received: usize,
    /// Bytes of the sent boxes.
    pub bytes_sent: usize,
    /// Pairs that this rank reports.
    pub pairs: usize,
    /// Pairs that its engine found; those that it does not report belong to other ranks.
    pub found: usize,
    /// Predicted work of each rank, in nanoseconds of one thread.
    pub works: Vec<f64>,
    /// Whether this step made a new cut.
    pub recut: bool,
    /// Wall time by phase.
    pub times: Phases,
}

impl ClusterStats {
    /// The largest predicted work of a rank, divided by the mean. 1 is perfect.
    pub fn imbalance(&self) -> f64 {
        let sum: f64 = self.works.iter().sum();
        let most = self.works.iter().copied().fold(0.0, f64::max);
        if sum > 0.0 { most * self.works.len() as f64 / sum } else { 1.0 }
    }
}

/// Wall time of the last step on this rank, by phase. Waiting for other ranks is part of the phases in which ranks communicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phases {
    /// Agreeing to begin, sampling and cutting.
    pub cut: Duration,
    /// Finding the ranks that each box touches.
    pub route: Duration,
    /// Sending and receiving.
    pub exchange: Duration,
    /// The engine's step.
    pub detect: Duration,
    /// Dropping the pairs of other ranks, and ordering.
    pub filter: Duration,
    /// Agreeing on success: mostly waiting for the slowest rank.
    pub agree: Duration,
}

impl Phases {
    /// The phases with their names, in order.
    pub fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("cut", self.cut),
            ("route", self.route),
            ("exchange", self.exchange),
            ("detect", self.detect),
            ("filter", self.filter),
            ("agree", self.agree),
        ]
    }

    /// All phases together.
    pub fn total(&self) -> Duration {
        self.named().iter().map(|phase| phase.1).sum()
    }
}
