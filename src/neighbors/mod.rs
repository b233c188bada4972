//! Neighbor lists of particles: the first half of a step, and then for each particle a row instead of pairs.
//!
//! `search.rs` collects what is around a cell of the grid and has a kernel find the neighbors in it, `shelf.rs` takes the rows as they come,
//! `store.rs` puts them behind one another, and `pass.rs` has all workers do that.

mod pass;
mod periodic;
mod periodic_rows;
mod points;
mod rows;
mod search;
mod shelf;
mod store;

use crate::engine::Engine;
use crate::engine::step::rebuild;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Bounded, BroadPhase, Config, ConfigError, Rejected, Scalar, Stats};
use pass::Layout;
pub use periodic::PeriodicNeighbors;
pub use periodic_rows::{PeriodicNeighbor, PeriodicRows};
use points::Points;
pub use rows::{NeighborIter, NeighborRows};
use store::Store;

/// What the planner has to know to choose the cells: the rows around are looked up and copied once for all objects of a cell, so a row
/// costs an object less than in detection, and a cell costs more.
const CHEAPER_ROW: f64 = 0.2;
const DEARER_RUN: f64 = 10.0;

/// Finds the neighbors of particles, step after step: for particle codes (SPH, DEM, molecular dynamics), which want for each
/// particle a list of others and not a set of pairs.
///
/// Points are neighbors if they are within a radius of each other, [`par_within`](Self::par_within); particles with radii of their
/// own if they touch, [`par_touching`](Self::par_touching). Both are decided as by [`Ball::touches`](crate::Ball::touches), so what is
/// exactly as far as the radius is a neighbor. (The *pairs* of the same balls, each once and in no order, are what
/// [`BroadPhase::par_detect`] finds: it takes a [`Ball`](crate::Ball), and whatever says that it is one by
/// [`Bounded::ball`], just as exactly.)
///
/// ```
/// use pivotgrid::Neighbors;
///
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [5.0, 5.0, 5.0]];
/// let mut neighbors = Neighbors::<f32, 3>::new().sorted(true);
/// let rows = neighbors.par_within(&points, 1.0);
/// assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1][..], &[0, 2], &[1], &[]]);
/// ```
///
/// Keep it between steps: its memory is reused, and a scene that no longer grows allocates nothing.
#[derive(Debug)]
pub struct Neighbors<S: Scalar = f32, const D: usize = 3> {
    broad_phase: BroadPhase<S, D>,
    layout: Layout,
    store: Store<S, D>,
}

impl<S: Scalar, const D: usize> Default for Neighbors<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// Full lists in no particular order. Allocates nothing until the first search.
    pub fn new() -> Self {
        Self::over(BroadPhase::new())
    }

    /// The same with settings for the engine, or what is wrong with them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        BroadPhase::with_config(config).map(Self::over)
    }

    fn over(mut broad_phase: BroadPhase<S, D>) -> Self {
        let costs = &mut broad_phase.engine.config.costs;
        costs.row *= CHEAPER_ROW;
        costs.run *= DEARER_RUN;
        Neighbors { broad_phase, layout: Layout::default(), store: Store::new() }
    }

    /// Half lists: each pair of neighbors is in one of the two rows and not in both. In which one is left to the search, unless the
    /// rows are [`sorted`](Self::sorted): then it is in that of the smaller index.
    ///
    /// ```
    /// use pivotgrid::Neighbors;
    ///
    /// let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]];
    /// let mut neighbors = Neighbors::<f64, 2>::new().half(true).sorted(true);
    /// assert_eq!(neighbors.within(&points, 1.5).iter().collect::<Vec<_>>(), [&[1, 2][..], &[2], &[]]);
    /// ```
    #[must_use]
    pub fn half(mut self, half: bool) -> Self {
        self.layout.half = half;
        self
    }

    /// Each row in ascending order. Then the result is the same on any number of threads; otherwise only what is in each row is (and
    /// for half lists, only what is in both rows of a pair together).
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Self {
        self.layout.sorted = sorted;
        self
    }

    /// For each point all others within `radius` of it, on the threads of the rayon pool in which it is called.
    ///
    /// Points with a NaN are left out and listed in [`NeighborRows::rejected`]; with a radius that is negative or NaN, all of
    /// them are.
    pub fn par_within<P: Into<[S; D]> + Copy + Sync>(&mut self, points: &[P], radius: S) -> NeighborRows<'_> {
        self.search(&Points::new(points, radius), true)
    }

    /// [`par_within`](Self::par_within) on the calling thread.
    pub fn within<P: Into<[S; D]> + Copy + Sync>(&mut self, points: &[P], radius: S) -> NeighborRows<'_> {
        self.search(&Points::new(points, radius), false)
    }

    /// For each particle all others that it makes a pair with, on the threads of the rayon pool in which it is called: balls if they
    /// touch, anything else by its box, and all of them by their groups and filter. See [`Bounded`].
    ///
    /// [`Bounded::pairs_with`] is asked from both sides for full lists. Invalid particles, such as a [`Ball`](crate::Ball) with a
    /// negative radius or a NaN, are left out and listed in [`NeighborRows::rejected`].
    ///
    /// ```
    /// use pivotgrid::{Ball, Neighbors};
    ///
    /// let balls = [Ball::new([0.0, 0.0], 3.0), Ball::new([4.0, 0.0], 1.0), Ball::new([4.5, 0.0], 0.1), Ball::new([2.0, 4.0], -1.0)];
    /// let mut neighbors = Neighbors::<f32, 2>::new().sorted(true);
    /// let rows = neighbors.par_touching(&balls);
    /// assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1][..], &[0, 2], &[1], &[]]);
    /// assert_eq!(rows.rejected()[0].index, 3);
    /// ```
    ///
    /// # Panics
    ///
    /// Only if the user's [`Bounded`] does; the panic is passed on, and the memory stays usable.
    pub fn par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> NeighborRows<'_> {
        self.search(particles, true)
    }

    /// [`par_touching`](Self::par_touching) on the calling thread.
    pub fn touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> NeighborRows<'_> {
        self.search(particles, false)
    }

    /// The rows of the last search.
    pub fn rows(&self) -> NeighborRows<'_> {
        NeighborRows::new(self.store.offsets(), self.store.indices(), self.rejected())
    }

    /// The particles that were left out of the last search, in ascending order of index.
    pub fn rejected(&self) -> &[Rejected] {
        self.broad_phase.rejected()
    }

    /// What the last search did and what it cost; `detect` is the time that the rows took.
    pub fn stats(&self) -> &Stats {
        self.broad_phase.stats()
    }

    /// Gives back memory that holds nothing any more, the rows of the last search included.
    pub fn shrink_to_fit(&mut self) {
        self.broad_phase.shrink_to_fit();
        self.store = Store::new();
    }

    fn search(&mut self, objects: &(impl Objects<S, D> + ?Sized), parallel: bool) -> NeighborRows<'_> {
        let (layout, store) = (self.layout, &mut self.store);
        match parallel {
            true => self.broad_phase.in_pool(objects.len(), |engine, team| find(engine, objects, team, layout, store)),
            false => self.broad_phase.with_team(Team::ALONE, |engine, team| find(engine, objects, team, layout, store)),
        }
        self.rows()
    }

    /// The same with a team that is already there.
    fn search_with(&mut self, objects: &(impl Objects<S, D> + ?Sized), team: Team) {
        let (layout, store) = (self.layout, &mut self.store);
        self.broad_phase.with_team(team, |engine, team| find(engine, objects, team, layout, store));
    }
}

/// The search: the first half of a step, and then rows.
fn find<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    layout: Layout,
    store: &mut Store<S, D>,
) {
    scope!("pivotgrid::neighbors");
    let rebuilt = rebuild(engine, objects, team);
    let wanted = |a: u32, b: u32| objects.pair(a as usize, b as usize);
    engine.neighbors(&rebuilt.sorted, rebuilt.team, layout, wanted, store);
    rebuilt.conclude(engine);
    let found = store.indices().len();
    engine.stats.pairs = if layout.half { found } else { found / 2 };
    engine.stats.bytes += store.bytes();
}
