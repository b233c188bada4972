//! Neighbor lists of particles: the first half of a step, and then a row for each particle instead of pairs.
//!
//! `search.rs` collects the entries around a cell and calls a kernel that finds the neighbors among them. `sweeps.rs` sorts the entries of
//! other levels near a chunk if cells do not separate them. `row_sink.rs` and `store.rs` store the rows as they come, `output.rs` puts them
//! into the order of the particles, and `pass.rs` runs the search on all workers. `options.rs` contains the settings, `reach.rs` the rules
//! for radii, `skin.rs` the lists that last for several steps, and `periodic.rs` the periodic spaces.

mod options;
mod output;
mod pass;
mod periodic;
mod periodic_rows;
mod points;
mod reach;
mod row_sink;
mod rows;
mod search;
mod skin;
mod sort;
mod store;
mod sweeps;

use crate::engine::Engine;
use crate::engine::step::rebuild;
use crate::periodic::{Frame, Lattice, limit_beside, with_own};
use crate::runtime::memory::{self, Budget};
use crate::runtime::objects::Objects;
use crate::runtime::on::On;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Team, Threads};
use crate::{Bounded, BroadPhase, Config, ConfigError, DetectError, MAX_OBJECTS, Rejected, Scalar, Stats};
use output::{Extras, Output, Rows};
use pass::{Layout, RowBuffers};
pub use periodic::PeriodicNeighbors;
pub use periodic_rows::{PeriodicNeighbor, PeriodicRows};
use points::Points;
pub use reach::Reach;
pub use rows::{NeighborIter, NeighborRows};
use skin::Skin;
use store::RowStore;

/// For the planner: the rows around a cell are looked up and copied once for all of its objects. So a row costs less per object than in
/// detection, and a cell costs more.
const CHEAPER_ROW: f64 = 0.2;
const DEARER_RUN: f64 = 10.0;

/// Finds the neighbors of particles, step after step: for particle codes (SPH, DEM, molecular dynamics), which need a list of neighbors per
/// particle instead of a set of pairs.
///
/// Points are neighbors if they are within a radius of each other, [`par_within`](Self::par_within); particles with radii of their own if
/// they touch, [`par_touching`](Self::par_touching). Both are decided as [`Ball::touches`](crate::Ball::touches) decides, so a point
/// exactly at the radius is a neighbor. (For the *pairs* of the same balls, each once and in no order, use [`BroadPhase::par_detect`]: it
/// is just as exact for a [`Ball`](crate::Ball), and for every object with a [`Bounded::ball`].)
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
    pub(crate) broad_phase: BroadPhase<S, D>,
    layout: Layout,
    store: RowStore<S, D>,
    output: Output<S, D>,
    extras: Extras,
    /// The skin: how far points look beyond their reach, and where they were in that search.
    margin: S,
    skin: Skin<S, D>,
    /// Whether the last search was completed.
    pub(crate) complete: bool,
}

impl<S: Scalar, const D: usize> Default for Neighbors<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// Full lists, whose rows are in no particular order. Allocates nothing until the first search.
    pub fn new() -> Self {
        Self::over(BroadPhase::new())
    }

    /// The same with settings for the engine, or an error in them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        BroadPhase::with_config(config).map(Self::over)
    }

    fn over(mut broad_phase: BroadPhase<S, D>) -> Self {
        let costs = &mut broad_phase.engine.builder.config.costs;
        costs.row *= CHEAPER_ROW;
        costs.run *= DEARER_RUN;
        Neighbors {
            broad_phase,
            layout: Layout::default(),
            store: RowStore::new(),
            output: Output::new(),
            extras: Extras::default(),
            margin: S::ZERO,
            skin: Skin::new(),
            complete: false,
        }
    }

    /// For each point all others within reach, on the threads of the rayon pool in which it is called: within a radius, or by a rule for
    /// radii that the points have, [`Reach`].
    ///
    /// Points with a NaN are left out and listed in [`NeighborRows::rejected`]; with a radius that is negative or NaN, all of them are. A
    /// point may be infinitely far away, and the radius may be infinite: a point at infinity is within an infinite radius of every other
    /// point, except of one that is infinite on the same side of an axis: the two have no distance.
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_par_within`](Self::try_par_within) returns an error instead. There are no rows then. And if there is not
    /// a radius for each point.
    pub fn par_within<'r, P>(&mut self, points: &[P], reach: impl Into<Reach<'r, S>>) -> NeighborRows<'_, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.search_points(points, reach.into(), Threads::Pool).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_within`](Self::par_within) on the calling thread.
    pub fn within<'r, P>(&mut self, points: &[P], reach: impl Into<Reach<'r, S>>) -> NeighborRows<'_, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.search_points(points, reach.into(), Threads::Serial).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_within`](Self::par_within) that returns an error when memory is refused, by the system or by [`Config::max_bytes`] (which
    /// counts the rows, too), and for more than [`MAX_OBJECTS`] points. Nearly all memory is then given back, there are no rows, and the
    /// next search works as usual.
    ///
    /// ```
    /// use pivotgrid::{Config, DetectError, Neighbors};
    ///
    /// let points = vec![[0.0f32; 3]; 3000]; // each is near each
    /// let mut neighbors = Neighbors::<f32, 3>::with_config(Config::default().max_bytes(1_000_000))?;
    /// assert_eq!(neighbors.try_par_within(&points[..100], 1.0)?.indices().len(), 100 * 99);
    /// let refused = neighbors.try_par_within(&points, 1.0).map(|rows| rows.len());
    /// assert!(matches!(refused, Err(DetectError::OverBudget { max_bytes: 1_000_000, .. })));
    /// assert!(neighbors.rows().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_par_within<'r, P>(
        &mut self,
        points: &[P],
        reach: impl Into<Reach<'r, S>>,
    ) -> Result<NeighborRows<'_, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.search_points(points, reach.into(), Threads::Pool)?;
        Ok(self.rows())
    }

    /// [`within`](Self::within), with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_within<'r, P>(
        &mut self,
        points: &[P],
        reach: impl Into<Reach<'r, S>>,
    ) -> Result<NeighborRows<'_, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.search_points(points, reach.into(), Threads::Serial)?;
        Ok(self.rows())
    }

    /// For each particle all others that it makes a pair with, on the threads of the rayon pool in which it is called: balls if they touch,
    /// other particles by their boxes, and all of them by groups and filter. See [`Bounded`].
    ///
    /// [`Bounded::pairs_with`] is called from both sides for full lists. Invalid particles, such as a [`Ball`](crate::Ball) with a
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
    /// If the user's [`Bounded`] does; the panic is passed on. If memory is refused; [`try_par_touching`](Self::try_par_touching) returns
    /// an error instead. After both there are no rows, and the memory stays usable.
    pub fn par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> NeighborRows<'_, S, D> {
        self.search(particles, Threads::Pool).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_touching`](Self::par_touching) on the calling thread.
    pub fn touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> NeighborRows<'_, S, D> {
        self.search(particles, Threads::Serial).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_touching`](Self::par_touching), with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> Result<NeighborRows<'_, S, D>, DetectError> {
        check_count(particles)?;
        self.search(particles, Threads::Pool)?;
        Ok(self.rows())
    }

    /// [`touching`](Self::touching), with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> Result<NeighborRows<'_, S, D>, DetectError> {
        check_count(particles)?;
        self.search(particles, Threads::Serial)?;
        Ok(self.rows())
    }

    /// The next search on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// The rows of the last search; none if it did not complete.
    pub fn rows(&self) -> NeighborRows<'_, S, D> {
        NeighborRows::new(&self.output, self.rejected())
    }

    /// The particles that were left out of the last search, in ascending order of index; none if it did not complete.
    pub fn rejected(&self) -> &[Rejected] {
        if self.complete { self.broad_phase.rejected() } else { &[] }
    }

    /// What the last search did and what it cost; `detect` is the time that the rows took. After a search that did not complete, all
    /// figures but [`Stats::bytes`] are 0.
    pub fn stats(&self) -> &Stats {
        self.broad_phase.stats()
    }

    /// Gives back unused memory, the rows of the last search included.
    pub fn shrink_to_fit(&mut self) {
        self.broad_phase.shrink_to_fit();
        self.forget();
    }

    /// Discards the rows, and the memory for finding them.
    fn forget(&mut self) {
        (self.store, self.output, self.complete) = (RowStore::new(), Output::new(), false);
        self.skin = Skin::new();
    }

    /// The memory of a search, without the engine's.
    fn own_bytes(&self) -> usize {
        self.store.bytes() + self.output.bytes() + self.skin.bytes()
    }

    fn search_points<P>(&mut self, points: &[P], reach: Reach<'_, S>, threads: Threads<'_>) -> Result<(), DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        let (team, layout) = (self.team_of(points.len(), threads), self.layout.with_rule(reach.rule()));
        let objects = Points::new(points, reach, self.margin);
        self.run(&objects, team, layout, (Frame::plain(points.len()), None, objects.odd), |index| points[index].into(), 0)?;
        self.remember(points, reach, None, 0)
    }

    /// Remembers where the points are, if rows have a margin.
    fn remember<P>(
        &mut self,
        points: &[P],
        reach: Reach<'_, S>,
        lattice: Option<&Lattice<D>>,
        beside: usize,
    ) -> Result<(), DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        if self.margin > S::ZERO {
            let mut budget = Budget::new(self.broad_phase.engine.builder.config.max_bytes);
            budget.begin(self.broad_phase.engine.bytes() + self.own_bytes() + beside);
            let largest = reach.largest() + lattice.map_or(0.0, Lattice::size);
            let (skin, margin) = (&mut self.skin, self.margin);
            // The points are converted by the user's code. If that panics, there are no rows.
            let output = std::mem::replace(&mut self.output, Output::new());
            self.complete = false;
            let stats = hide_stats(&mut self.broad_phase.engine);
            memory::catch(|| skin.remember(points, margin, largest, lattice.is_some(), &budget))
                .map_err(|error| self.fail(error))?;
            (self.output, self.complete) = (output, true);
            let bytes = self.broad_phase.engine.bytes() + self.own_bytes() + beside;
            self.broad_phase.engine.builder.stats = Stats { bytes, ..stats };
        }
        Ok(())
    }

    fn search<T: Bounded<S, D> + Sync>(&mut self, particles: &[T], threads: Threads<'_>) -> Result<(), DetectError> {
        let team = self.team_of(particles.len(), threads);
        let center = |index: usize| center_of(&particles[index]);
        self.run(particles, team, self.layout, (Frame::plain(particles.len()), None, true), center, 0)
    }

    /// These threads, or the calling one if handing out work would cost more than it saves.
    fn team_of<'t>(&self, particles: usize, threads: Threads<'t>) -> Team<'t> {
        threads.team(particles <= self.broad_phase.engine.builder.config.serial_up_to)
    }

    /// A search, or why there was none. Until it has completed, there are no rows.
    fn run(
        &mut self,
        objects: &(impl Objects<S, D> + ?Sized),
        team: Team,
        layout: Layout,
        (frame, lattice, choosy): (Frame<'_, D>, Option<&Lattice<D>>, bool),
        centers: impl Fn(usize) -> [S; D] + Sync + Send,
        beside: usize,
    ) -> Result<(), DetectError> {
        self.begin();
        let frame = Frame { particles: frame.particles.min(MAX_OBJECTS), ..frame };
        let rows = Rows { frame, lattice, centers, sorted: layout.sorted, choosy, extras: self.extras };
        let held = self.own_bytes() + beside;
        let beside = self.skin.bytes() + beside;
        let engine = &mut self.broad_phase.engine;
        limit_beside(engine, held);
        let own = RowBuffers { rows: &rows, store: &mut self.store, output: &mut self.output, beside };
        let attempt = Attempt(engine);
        let outcome = memory::catch(|| team.enter(|| find(attempt.0, objects, team, layout, own)));
        let limit = attempt.0.builder.config.max_bytes;
        match outcome {
            Ok(()) => std::mem::forget(attempt),
            Err(_) => drop(attempt),
        }
        outcome.map_err(|error| self.fail(with_own(error, held, limit)))?;
        self.complete = true;
        Ok(())
    }

    /// Begins a search: there are no rows until it has completed.
    fn begin(&mut self) {
        self.complete = false;
        self.output.clear();
        self.skin.clear();
    }

    /// Gives memory back after an error, which is returned.
    fn fail(&mut self, error: DetectError) -> DetectError {
        self.broad_phase.engine.release();
        self.forget();
        error
    }
}

impl<'a, S: Scalar, const D: usize> On<'a, '_, Neighbors<S, D>> {
    /// [`Neighbors::par_within`] on these threads.
    pub fn within<'r, P>(self, points: &[P], reach: impl Into<Reach<'r, S>>) -> NeighborRows<'a, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.it.search_points(points, reach.into(), self.threads).unwrap_or_else(|error| panic!("{error}"));
        self.it.rows()
    }

    /// [`Neighbors::try_par_within`] on these threads.
    pub fn try_within<'r, P>(self, points: &[P], reach: impl Into<Reach<'r, S>>) -> Result<NeighborRows<'a, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.it.search_points(points, reach.into(), self.threads)?;
        Ok(self.it.rows())
    }

    /// [`Neighbors::par_touching`] on these threads.
    pub fn touching<T: Bounded<S, D> + Sync>(self, particles: &[T]) -> NeighborRows<'a, S, D> {
        self.it.search(particles, self.threads).unwrap_or_else(|error| panic!("{error}"));
        self.it.rows()
    }

    /// [`Neighbors::try_par_touching`] on these threads.
    pub fn try_touching<T: Bounded<S, D> + Sync>(self, particles: &[T]) -> Result<NeighborRows<'a, S, D>, DetectError> {
        check_count(particles)?;
        self.it.search(particles, self.threads)?;
        Ok(self.it.rows())
    }
}

/// A search in progress. If the user's code ends it by a panic, it has no figures.
struct Attempt<'a, S: Scalar, const D: usize>(&'a mut Engine<S, D>);

impl<S: Scalar, const D: usize> Drop for Attempt<'_, S, D> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Hides the figures of the last search while the user's code runs, which may panic. The caller puts them back afterwards.
fn hide_stats<S: Scalar, const D: usize>(engine: &mut Engine<S, D>) -> Stats {
    let stats = std::mem::take(&mut engine.builder.stats);
    engine.builder.stats.bytes = stats.bytes;
    stats
}

/// Where a particle is.
fn center_of<S: Scalar, const D: usize>(particle: &impl Bounded<S, D>) -> [S; D] {
    particle.ball().map_or_else(|| particle.aabb().center(), |ball| ball.center)
}

fn check_count<T>(particles: &[T]) -> Result<(), DetectError> {
    if particles.len() > MAX_OBJECTS { Err(DetectError::TooManyObjects(particles.len())) } else { Ok(()) }
}

/// The search: the first half of a step, and then rows.
fn find<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    team: Team,
    layout: Layout,
    own: RowBuffers<'_, S, D, impl Fn(usize) -> [S; D] + Sync>,
) {
    scope!("pivotgrid::neighbors");
    let RowBuffers { rows, store, output, beside } = own;
    let rebuilt = rebuild(engine, objects, team);
    let wanted = |a: u32, b: u32| objects.pair(a as usize, b as usize);
    let own = RowBuffers { rows, store: &mut *store, output: &mut *output, beside };
    let found = engine.neighbors(&rebuilt.sorted, rebuilt.team, layout, wanted, own);
    let own = store.bytes() + output.bytes() + beside;
    engine.builder.budget.count_elsewhere(own);
    rebuilt.conclude(engine);
    engine.settle_bytes();
    engine.builder.stats.pairs = if layout.half { found } else { found / 2 };
    engine.builder.stats.bytes += own;
}
