//! The systems that answer queries.

use super::Kind;
use super::answers::Summary;
use super::rivals::{
    KiddoNeighbors, KiddoTree, ParryBvh, Pivotgrid, PivotgridNeighbors, PivotgridStatics, RstarTree, SortedGrid,
};
use super::task::Task;

/// Someone who answers queries. Works in the rayon pool in which it is called, and may keep what it likes between rounds.
pub(super) trait Respondent {
    /// Takes the objects in. Timed.
    fn build(&mut self, task: &Task);
    /// Answers the queries. Timed.
    fn answer(&mut self, task: &Task);
    /// What was found. Not timed.
    fn summary(&self) -> Summary;
}

/// A line of the roster.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) make: fn() -> Box<dyn Respondent>,
}

/// All systems that have a kind of query, pivotgrid first.
pub(super) fn roster(kind: Kind) -> Vec<Entry> {
    let pivotgrid = Entry { name: "pivotgrid", make: || Box::new(Pivotgrid::default()) };
    let statics = Entry { name: "pivotgrid_static", make: || Box::new(PivotgridStatics::default()) };
    let parry = Entry { name: "parry", make: || Box::new(ParryBvh::default()) };
    let rstar = Entry { name: "rstar", make: || Box::new(RstarTree::default()) };
    let kiddo = Entry { name: "kiddo", make: || Box::new(KiddoTree::default()) };
    match kind {
        Kind::Box | Kind::Radius => vec![pivotgrid, statics, parry, rstar],
        Kind::Points => vec![pivotgrid, statics, parry, rstar, kiddo],
        Kind::Ray => vec![pivotgrid, statics, parry],
        Kind::Neighbors => vec![
            Entry { name: "pivotgrid", make: || Box::new(PivotgridNeighbors::default()) },
            Entry { name: "sorted_grid", make: || Box::new(SortedGrid::default()) },
            Entry { name: "kiddo", make: || Box::new(KiddoNeighbors::default()) },
        ],
    }
}

/// The names of all systems that have a kind of query, pivotgrid first.
pub fn respondents(kind: Kind) -> Vec<&'static str> {
    roster(kind).into_iter().map(|entry| entry.name).collect()
}
