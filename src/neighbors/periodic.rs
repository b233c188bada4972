//! Neighbors in a periodic space: the same search over every particle and its ghosts.

use std::time::Duration;

use super::output::Output;
use super::periodic_rows::PeriodicRows;
use super::points::box_of;
use super::reach::{Reach, Rule, is_within};
use super::skin::Skin;
use super::{Neighbors, check_count, hide_stats};
use crate::periodic::{Frame, Half, Lattice, PeriodicReason, Replicas, rejected_of};
use crate::runtime::clock::Clock;
use crate::runtime::memory::{self, Budget};
use crate::runtime::objects::Objects;
use crate::runtime::on::On;
use crate::runtime::prefetch::prefetch;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Threads};
use crate::{Aabb, Ball, Bounded, DetectError, Groups, MAX_OBJECTS, PeriodicError, PeriodicRejected, Scalar, Stats};

/// Finds the neighbors of particles in a space that repeats itself: [`Neighbors`] in a periodic domain, which may be sheared
/// ([`Lattice`]).
///
/// ```
/// use pivotgrid::{Aabb, Neighbors, PeriodicError, PeriodicNeighbor};
///
/// let domain = Aabb::new([0.0, 0.0], [10.0, 10.0]);
/// let mut neighbors = Neighbors::<f32, 2>::new().sorted(true).periodic(domain, [true, true])?;
/// let rows = neighbors.par_within(&[[0.5, 5.0], [9.75, 5.0], [1.0, 5.0]], 1.0);
/// let across = PeriodicNeighbor { index: 1, shift: [-1, 0] }; // at 9.75 - 10
/// let inside = PeriodicNeighbor { index: 2, shift: [0, 0] };
/// assert_eq!(rows.row(0).collect::<Vec<_>>(), [across, inside]);
/// # Ok::<(), PeriodicError>(())
/// ```
///
/// Positions may lie anywhere, inside the domain or outside. The radius of a search, or a particle, may be longer than the period, up to 98
/// periods. Then a particle meets others, and itself, in several places, and they occur in its row several times, with different shifts. It
/// is never its own neighbor with a shift of 0.
///
/// A particle that is `k` periods long along each of `D` axes has `(k + 1)^D` images in a search, and is `(2 k + 1)^D - 1` times its own
/// neighbor: one particle of 40 periods in 3D has half a million neighbors. The search takes about as many comparisons.
///
/// # Rounding
///
/// Points in the domain are taken as they are; others are moved into it, and ghosts out of it, by whole periods, computed in `f64` and
/// rounded to `S` once for each of the two. Particles that are within reach there are neighbors. Distances and vectors are computed from
/// the user's positions and the shift, in `f64`.
#[derive(Debug)]
pub struct PeriodicNeighbors<S: Scalar = f32, const D: usize = 3> {
    lattice: Lattice<D>,
    neighbors: Neighbors<S, D>,
    points: Replicas<Ball<S, D>, D>,
    bodies: Replicas<Body<S, D>, D>,
    rejected: Vec<PeriodicRejected>,
}

/// A box, and the ball that a particle is, if it is one.
type Body<S, const D: usize> = (Aabb<S, D>, Option<Ball<S, D>>);

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// The same in a domain that repeats itself along the marked axes. Its bounds on the other axes are ignored.
    ///
    /// Rows that are [`sorted`](Self::sorted) are in the order of their indices, and then of their shifts. For [`half`](Self::half) lists,
    /// a particle that meets itself occurs in its own row once for each two opposite shifts; if sorted, with the shift whose first nonzero
    /// number is positive.
    pub fn periodic(self, domain: Aabb<S, D>, periodic: [bool; D]) -> Result<PeriodicNeighbors<S, D>, PeriodicError> {
        Lattice::of_domain(&domain, periodic).map(|lattice| self.lattice(lattice))
    }

    /// The same in a space that repeats itself along the vectors of a lattice.
    ///
    /// This is a full list in the sense of molecular dynamics codes: all indices, shifts, distances and vectors, for any cell, any choice
    /// of periodic vectors, and any cutoff.
    ///
    /// ```
    /// use pivotgrid::{Lattice, Neighbors, PeriodicError};
    ///
    /// // A crystal with one atom in its cell, and a cutoff longer than the cell: all neighbors are copies of itself.
    /// let lattice = Lattice::new([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0]], [true; 3])?;
    /// let neighbors = Neighbors::<f64, 3>::new().sorted(true).shifts(true).distances(true).vectors(true);
    /// let mut neighbors = neighbors.lattice(lattice);
    /// let rows = neighbors.within(&[[0.1, 0.2, 0.3]], 3.0);
    /// assert_eq!((rows.offsets(), rows.indices()), (&[0, 12][..], &[0; 12][..]));
    /// assert_eq!((rows.shifts()[0], rows.vectors()[0]), ([-1, 0, 0], [0.0, -2.0, -2.0]));
    /// assert!(rows.distances().iter().all(|distance| (distance - 8f64.sqrt()).abs() < 1e-12));
    /// # Ok::<(), PeriodicError>(())
    /// ```
    pub fn lattice(self, lattice: Lattice<D>) -> PeriodicNeighbors<S, D> {
        let (points, bodies) = (Replicas::new(), Replicas::new());
        PeriodicNeighbors { lattice, neighbors: self, points, bodies, rejected: Vec::new() }
    }
}

impl<S: Scalar, const D: usize> PeriodicNeighbors<S, D> {
    /// For each point all others within reach: [`Neighbors::par_within`].
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_par_within`](Self::try_par_within) returns an error instead. There are no rows then. And if there is not
    /// a radius for each point.
    pub fn par_within<'r, P>(&mut self, points: &[P], reach: impl Into<Reach<'r, S>>) -> PeriodicRows<'_, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.search_points(points, reach.into(), Threads::Pool).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_within`](Self::par_within) on the calling thread.
    pub fn within<'r, P>(&mut self, points: &[P], reach: impl Into<Reach<'r, S>>) -> PeriodicRows<'_, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.search_points(points, reach.into(), Threads::Serial).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_within`](Self::par_within) with the errors of [`Neighbors::try_par_within`]; ghosts count among the points and take memory.
    pub fn try_par_within<'r, P>(
        &mut self,
        points: &[P],
        reach: impl Into<Reach<'r, S>>,
    ) -> Result<PeriodicRows<'_, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.search_points(points, reach.into(), Threads::Pool)?;
        self.all_rows(points.len())
    }

    /// [`within`](Self::within) with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_within<'r, P>(
        &mut self,
        points: &[P],
        reach: impl Into<Reach<'r, S>>,
    ) -> Result<PeriodicRows<'_, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.search_points(points, reach.into(), Threads::Serial)?;
        self.all_rows(points.len())
    }

    /// For each particle all others that it makes a pair with: [`Neighbors::par_touching`].
    ///
    /// [`Bounded::pairs_with`] is called on the particles as they are and not as they are shifted: it should decide by identity, not by
    /// position. A particle that is longer than a period is compared with itself.
    ///
    /// # Panics
    ///
    /// If the user's [`Bounded`] does, and if memory is refused. After both there are no rows.
    pub fn par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> PeriodicRows<'_, S, D> {
        self.search_bodies(particles, Threads::Pool).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_touching`](Self::par_touching) on the calling thread.
    pub fn touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> PeriodicRows<'_, S, D> {
        self.search_bodies(particles, Threads::Serial).unwrap_or_else(|error| panic!("{error}"));
        self.rows()
    }

    /// [`par_touching`](Self::par_touching) with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> Result<PeriodicRows<'_, S, D>, DetectError> {
        check_count(particles)?;
        self.search_bodies(particles, Threads::Pool)?;
        self.all_rows(particles.len())
    }

    /// [`touching`](Self::touching) with the errors of [`try_par_within`](Self::try_par_within).
    pub fn try_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> Result<PeriodicRows<'_, S, D>, DetectError> {
        check_count(particles)?;
        self.search_bodies(particles, Threads::Serial)?;
        self.all_rows(particles.len())
    }

    /// The next search on threads of your own: see [`On`].
    ///
    /// ```
    /// use pivotgrid::{Aabb, ForkJoin, Neighbors, PeriodicError};
    ///
    /// struct Spawned(usize); // A program would keep its threads.
    ///
    /// impl ForkJoin for Spawned {
    ///     fn workers(&self) -> usize {
    ///         self.0
    ///     }
    ///     fn run(&self, work: &(dyn Fn(usize) + Sync)) {
    ///         std::thread::scope(|scope| (0..self.0).for_each(|worker| _ = scope.spawn(move || work(worker))));
    ///     }
    /// }
    ///
    /// let domain = Aabb::new([0.0, 0.0], [9000.0, 1.0]);
    /// let points: Vec<_> = (0..9000).map(|i| [i as f32, 0.5]).collect();
    /// let mut neighbors = Neighbors::<f32, 2>::new().periodic(domain, [true, false])?;
    /// let rows = neighbors.on(&Spawned(2)).within(&points, 1.0);
    /// assert_eq!(rows.row(0).map(|neighbor| neighbor.index).sum::<u32>(), 1 + 8999);
    /// # Ok::<(), PeriodicError>(())
    /// ```
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// The rows of the last search; none if it did not complete.
    pub fn rows(&self) -> PeriodicRows<'_, S, D> {
        match self.neighbors.complete {
            true => PeriodicRows::new(&self.neighbors.output, self.frame(), &self.rejected),
            false => PeriodicRows::new(&self.neighbors.output, Frame::plain(0), &[]),
        }
    }

    /// The particles that were left out of the last search, in ascending order of index; none if it did not complete.
    pub fn rejected(&self) -> &[PeriodicRejected] {
        self.rows().rejected()
    }

    /// [`Neighbors::par_needs_rebuild`]. Positions that were wrapped since then count as moved: wrap them right before a search, or never.
    pub fn par_needs_rebuild<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P]) -> bool {
        self.neighbors.par_needs_rebuild(points)
    }

    /// [`par_needs_rebuild`](Self::par_needs_rebuild) on the calling thread.
    pub fn needs_rebuild<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P]) -> bool {
        self.neighbors.needs_rebuild(points)
    }

    /// The lattice along which space repeats itself.
    pub fn space(&self) -> &Lattice<D> {
        &self.lattice
    }

    /// Uses another lattice from the next search on: for domains that are compressed or sheared from step to step. There are no rows until
    /// then.
    pub fn set_lattice(&mut self, lattice: Lattice<D>) {
        self.neighbors.begin();
        self.lattice = lattice;
    }

    /// The same with a domain whose sides are parallel to the axes: see [`Neighbors::periodic`].
    pub fn set_domain(&mut self, domain: Aabb<S, D>, periodic: [bool; D]) -> Result<(), PeriodicError> {
        Lattice::of_domain(&domain, periodic).map(|lattice| self.set_lattice(lattice))
    }

    /// What the last search did and what it cost; its objects are particles and ghosts. After a search that did not complete, all figures
    /// but [`Stats::bytes`] are 0.
    pub fn stats(&self) -> &Stats {
        self.neighbors.stats()
    }

    /// Gives back unused memory, the rows of the last search included.
    pub fn shrink_to_fit(&mut self) {
        self.neighbors.shrink_to_fit();
        self.forget();
    }

    fn forget(&mut self) {
        (self.points, self.bodies, self.rejected) = (Replicas::new(), Replicas::new(), Vec::new());
    }

    /// The meanings of the images of the last search, which are those of points or of other particles.
    fn frame(&self) -> Frame<'_, D> {
        if self.points.particles() > 0 { self.points.frame() } else { self.bodies.frame() }
    }

    /// The rows, unless they are fewer than there should be.
    fn all_rows(&self, particles: usize) -> Result<PeriodicRows<'_, S, D>, DetectError> {
        let rows = self.rows();
        if rows.len() < particles { Err(DetectError::TooManyObjects(particles)) } else { Ok(rows) }
    }

    fn own_bytes(&self) -> usize {
        self.points.bytes() + self.bodies.bytes() + self.rejected.capacity() * size_of::<PeriodicRejected>()
    }

    /// Memory held, in bytes.
    fn held(&self) -> usize {
        self.neighbors.broad_phase.engine.bytes() + self.neighbors.own_bytes() + self.own_bytes()
    }

    fn search_points<P>(&mut self, points: &[P], reach: Reach<'_, S>, threads: Threads<'_>) -> Result<(), DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        reach.check(points.len());
        let (margin, rule, lattice) = (self.neighbors.margin, reach.rule(), self.lattice);
        let radius = |index: usize| reach.with_margin(reach.radius(index), margin);
        let least = reach.with_margin(reach.least(), margin).to_f64() / 2.0;
        // With a rule, no two are further apart than the sum of their radii less the least one.
        let (less, usual) = if rule.is_some() { (least, least) } else { (0.0, 2.0 * least) };
        let item = |index: usize| {
            let ball = Ball { center: points[index].into(), radius: radius(index) };
            let reaches = ball.radius.to_f64() - less;
            // An invalid radius stays as it is, and the engine states the reason.
            let makes_sense = ball.radius >= S::ZERO && !ball.center.iter().any(|x| x.is_nan());
            let reaches = if makes_sense { Half::Ball(reaches) } else { return (ball, Ok(Default::default())) };
            (ball, lattice.place::<S>(ball.center.map(S::to_f64), reaches, if usual.is_finite() { usual } else { 0.0 }))
        };
        let (team, layout) = (self.neighbors.team_of(points.len(), threads), self.neighbors.layout.with_rule(rule));
        let images = self.prepare(|this, budget| {
            this.points.fill(&lattice, points.len(), MAX_OBJECTS, team, budget, item);
        })?;
        let (frame, beside) = (self.points.frame(), self.own_bytes());
        let (balls, by_index) = (self.points.all(), layout.by_index());
        let (odd, choosy) = (reach.is_odd(), by_index || reach.is_odd());
        let objects = PointImages { balls, rule, odd, by_index, frame };
        let outcome =
            self.neighbors.run(&objects, team, layout, (frame, Some(&lattice), choosy), |index| points[index].into(), beside);
        let outcome = outcome.and_then(|()| self.neighbors.remember(points, reach, Some(&lattice), beside));
        self.conclude(outcome.map(|()| images), points.len(), |index| item(index).1.err())
    }

    fn search_bodies<T: Bounded<S, D> + Sync>(&mut self, particles: &[T], threads: Threads<'_>) -> Result<(), DetectError> {
        let lattice = self.lattice;
        let item = |index: usize| {
            let (bounds, ball) = (particles[index].aabb(), particles[index].ball());
            if !bounds.is_valid() {
                return ((bounds, None), Ok(Default::default()));
            }
            let [min, max] = [bounds.min, bounds.max].map(|corner| corner.map(S::to_f64));
            let half = std::array::from_fn(|axis| (max[axis] - min[axis]) / 2.0);
            let center = std::array::from_fn(|axis| min[axis] + (max[axis] - min[axis]) / 2.0);
            ((bounds, ball), lattice.place::<S>(center, Half::Box(half), 0.0))
        };
        let (team, layout) = (self.neighbors.team_of(particles.len(), threads), self.neighbors.layout);
        let images = self.prepare(|this, budget| {
            this.bodies.fill(&lattice, particles.len(), MAX_OBJECTS, team, budget, item);
        })?;
        let (frame, beside) = (self.bodies.frame(), self.own_bytes());
        let objects = BodyImages { bodies: self.bodies.all(), particles, by_index: layout.by_index(), frame };
        let center = |index: usize| super::center_of(&particles[index]);
        let outcome = self.neighbors.run(&objects, team, layout, (frame, Some(&lattice), true), center, beside);
        self.conclude(outcome.map(|()| images), particles.len(), |index| item(index).1.err())
    }

    /// Makes images, of one kind, and returns how long that took.
    fn prepare(&mut self, fill: impl FnOnce(&mut Self, &Budget)) -> Result<Duration, DetectError> {
        let mut clock = Clock::start();
        self.neighbors.begin();
        self.points.clear();
        self.bodies.clear();
        let mut budget = Budget::new(self.neighbors.broad_phase.engine.builder.config.max_bytes);
        budget.begin(self.held());
        let stats = hide_stats(&mut self.neighbors.broad_phase.engine);
        scope!("pivotgrid::images", memory::catch(|| fill(self, &budget))).map_err(|error| {
            self.forget();
            self.neighbors.fail(error)
        })?;
        self.neighbors.broad_phase.engine.builder.stats = stats;
        Ok(clock.lap())
    }

    /// Ends a search: lists the particles that were left out, and the reasons.
    fn conclude(
        &mut self,
        outcome: Result<Duration, DetectError>,
        particles: usize,
        misfit: impl Fn(usize) -> Option<PeriodicReason>,
    ) -> Result<(), DetectError> {
        let outcome = outcome.and_then(|images| {
            let made = self.frame().particles;
            // If the user's code panics here, there are no rows and no parts of rows.
            let output = std::mem::replace(&mut self.neighbors.output, Output::new());
            let skin = std::mem::replace(&mut self.neighbors.skin, Skin::new());
            self.neighbors.complete = false;
            let mut stats = hide_stats(&mut self.neighbors.broad_phase.engine);
            memory::catch(|| {
                rejected_of(self.neighbors.broad_phase.rejected(), made, particles, misfit, &mut self.rejected);
            })?;
            (self.neighbors.output, self.neighbors.skin, self.neighbors.complete) = (output, skin, true);
            (stats.bytes, stats.times.images) = (self.held(), images);
            let mut budget = Budget::new(self.neighbors.broad_phase.engine.builder.config.max_bytes);
            memory::catch(|| budget.settle(stats.bytes))?;
            self.neighbors.broad_phase.engine.builder.stats = stats;
            Ok(())
        });
        outcome.map_err(|error| {
            self.forget();
            self.neighbors.fail(error)
        })
    }
}

impl<'a, S: Scalar, const D: usize> On<'a, '_, PeriodicNeighbors<S, D>> {
    /// [`PeriodicNeighbors::par_within`] on these threads.
    pub fn within<'r, P>(self, points: &[P], reach: impl Into<Reach<'r, S>>) -> PeriodicRows<'a, S, D>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        self.it.search_points(points, reach.into(), self.threads).unwrap_or_else(|error| panic!("{error}"));
        self.it.rows()
    }

    /// [`PeriodicNeighbors::try_par_within`] on these threads.
    pub fn try_within<'r, P>(self, points: &[P], reach: impl Into<Reach<'r, S>>) -> Result<PeriodicRows<'a, S, D>, DetectError>
    where
        P: Into<[S; D]> + Copy + Sync,
    {
        check_count(points)?;
        self.it.search_points(points, reach.into(), self.threads)?;
        self.it.all_rows(points.len())
    }

    /// [`PeriodicNeighbors::par_touching`] on these threads.
    pub fn touching<T: Bounded<S, D> + Sync>(self, particles: &[T]) -> PeriodicRows<'a, S, D> {
        self.it.search_bodies(particles, self.threads).unwrap_or_else(|error| panic!("{error}"));
        self.it.rows()
    }

    /// [`PeriodicNeighbors::try_par_touching`] on these threads.
    pub fn try_touching<T: Bounded<S, D> + Sync>(self, particles: &[T]) -> Result<PeriodicRows<'a, S, D>, DetectError> {
        check_count(particles)?;
        self.it.search_bodies(particles, self.threads)?;
        self.it.all_rows(particles.len())
    }
}

/// Points and their ghosts.
struct PointImages<'a, S, const D: usize> {
    balls: &'a [Ball<S, D>],
    rule: Option<Rule>,
    /// Whether pairs must be checked again.
    odd: bool,
    /// Whether each pair belongs into the row of the smaller index.
    by_index: bool,
    frame: Frame<'a, D>,
}

impl<S: Scalar, const D: usize> Objects<S, D> for PointImages<'_, S, D> {
    fn len(&self) -> usize {
        self.balls.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        let Ball { center, radius } = self.balls[index];
        box_of(center, radius, self.rule)
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        Some(self.balls[index])
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        let is_near = |rule: Rule| {
            let (one, other) = (&self.balls[a], &self.balls[b]);
            is_within(&one.center, &other.center, rule.reach(one.radius, other.radius))
        };
        self.frame.admits(a, b) && (!self.by_index || self.frame.leads(a, b)) && (!self.odd || self.rule.is_none_or(is_near))
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        prefetch(self.balls, index);
    }
}

/// Other particles and their ghosts.
struct BodyImages<'a, T, S, const D: usize> {
    bodies: &'a [Body<S, D>],
    particles: &'a [T],
    by_index: bool,
    frame: Frame<'a, D>,
}

impl<T: Bounded<S, D> + Sync, S: Scalar, const D: usize> BodyImages<'_, T, S, D> {
    #[inline(always)]
    fn particle(&self, image: usize) -> &T {
        &self.particles[self.frame.owner(image).0]
    }
}

impl<T: Bounded<S, D> + Sync, S: Scalar, const D: usize> Objects<S, D> for BodyImages<'_, T, S, D> {
    fn len(&self) -> usize {
        self.bodies.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self.bodies[index].0
    }

    #[inline(always)]
    fn groups(&self, index: usize) -> Groups {
        self.particle(index).groups()
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        self.bodies[index].1
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        self.frame.admits(a, b) && (!self.by_index || self.frame.leads(a, b)) && self.particle(a).pairs_with(self.particle(b))
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        prefetch(self.bodies, index);
    }
}
