//! Neighbors across the borders of a periodic domain: the same search, given every particle and its ghosts.

use super::Neighbors;
use super::periodic_rows::PeriodicRows;
use super::reach::half_of;
use crate::lockfree::Blocks;
use crate::periodic::{Domain, Image, Images, image_of, list_rejected, space};
use crate::runtime::memory::{Budget, grow_exactly};
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Bounded, Groups, MAX_OBJECTS, PeriodicError, PeriodicRejected, Scalar, Stats};

/// Points that a worker makes balls of at a time.
const BLOCK: usize = 4096;

/// Finds the neighbors of particles in a domain that is periodic along some axes: [`Neighbors`] with what
/// [`Periodic`](crate::Periodic) is to a broad phase.
///
/// ```
/// use pivotgrid::{Aabb, Neighbors, PeriodicError, PeriodicNeighbor};
///
/// let domain = Aabb::new([0.0, 0.0], [10.0, 10.0]);
/// let mut neighbors = Neighbors::<f32, 2>::new().sorted(true).periodic(domain, [true, true])?;
/// let rows = neighbors.par_within(&[[0.5, 5.0], [9.75, 5.0], [1.0, 5.0]], 1.0);
/// let of_first: Vec<_> = rows.row(0).collect();
/// let across = PeriodicNeighbor { index: 1, shift: [-1, 0] }; // at 9.75 - 10
/// let inside = PeriodicNeighbor { index: 2, shift: [0, 0] };
/// assert_eq!(of_first.len(), 2);
/// assert!(of_first.contains(&across) && of_first.contains(&inside));
/// # Ok::<(), PeriodicError>(())
/// ```
///
/// Positions may lie anywhere, inside the domain or outside. The radius of a search, or the diameter of a particle, may be as long as
/// the period; then a particle may meet another in several places, and has it as a neighbor several times, with different shifts.
/// It is never its own neighbor. Rounding is as for [`Periodic`](crate::Periodic).
#[derive(Debug)]
pub struct PeriodicNeighbors<S: Scalar = f32, const D: usize = 3> {
    domain: Domain<S, D>,
    neighbors: Neighbors<S, D>,
    images: Images<S, D>,
    /// Points as balls. Longer than needed.
    balls: Vec<Ball<S, D>>,
    rejected: Vec<PeriodicRejected>,
}

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// The same in a domain that repeats itself along the axes that are marked. Its bounds on the other axes mean nothing.
    ///
    /// For [`half`](Self::half) lists that are [`sorted`](Self::sorted), a pair that meets across a border may be in the row of the
    /// greater index; but in which one does not depend on the number of threads. Rows are in the same order on any number of
    /// threads, though not in that of the indices.
    pub fn periodic(self, domain: Aabb<S, D>, periodic: [bool; D]) -> Result<PeriodicNeighbors<S, D>, PeriodicError> {
        let (domain, images) = (space(domain, periodic)?, Images::new());
        Ok(PeriodicNeighbors { domain, neighbors: self, images, balls: Vec::new(), rejected: Vec::new() })
    }
}

impl<S: Scalar, const D: usize> PeriodicNeighbors<S, D> {
    /// For each point all others within `radius` of it: [`Neighbors::par_within`].
    pub fn par_within<P: Into<[S; D]> + Copy + Sync>(&mut self, points: &[P], radius: S) -> PeriodicRows<'_, S, D> {
        self.search_points(points, radius, self.team(points.len()));
        self.rows()
    }

    /// [`par_within`](Self::par_within) on the calling thread.
    pub fn within<P: Into<[S; D]> + Copy + Sync>(&mut self, points: &[P], radius: S) -> PeriodicRows<'_, S, D> {
        self.search_points(points, radius, Team::ALONE);
        self.rows()
    }

    /// For each particle all others that it makes a pair with: [`Neighbors::par_touching`].
    ///
    /// [`Bounded::pairs_with`] is asked of the particles as they are and not as they are shifted: it is for questions of who, not of
    /// where.
    pub fn par_touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> PeriodicRows<'_, S, D> {
        let team = self.team(particles.len());
        rayon_scope(team, || self.search(particles, team));
        self.rows()
    }

    /// [`par_touching`](Self::par_touching) on the calling thread.
    pub fn touching<T: Bounded<S, D> + Sync>(&mut self, particles: &[T]) -> PeriodicRows<'_, S, D> {
        self.search(particles, Team::ALONE);
        self.rows()
    }

    /// The rows of the last search.
    pub fn rows(&self) -> PeriodicRows<'_, S, D> {
        if !self.neighbors.complete {
            return PeriodicRows::new(self.neighbors.rows(), &[], 0, &[]);
        }
        PeriodicRows::new(self.neighbors.rows(), self.images.all(), self.images.objects(), &self.rejected)
    }

    /// What the last search did and what it cost; its objects are particles and ghosts.
    pub fn stats(&self) -> &Stats {
        self.neighbors.stats()
    }

    /// Gives back memory that holds nothing any more, the rows of the last search included.
    pub fn shrink_to_fit(&mut self) {
        self.neighbors.shrink_to_fit();
        (self.images, self.balls, self.rejected) = (Images::new(), Vec::new(), Vec::new());
    }

    fn team(&self, particles: usize) -> Team {
        match particles <= self.neighbors.broad_phase.engine.config.serial_up_to {
            true => Team::ALONE,
            false => Team::of_current_pool(),
        }
    }

    fn search_points<P: Into<[S; D]> + Copy + Sync>(&mut self, points: &[P], radius: S, team: Team) {
        let mut balls = std::mem::take(&mut self.balls);
        grow_exactly(&mut balls, points.len(), Ball { center: [S::ZERO; D], radius: S::ZERO }, &Budget::unlimited());
        rayon_scope(team, || {
            let blocks = Blocks::new(&mut balls[..points.len()], BLOCK);
            team.at_most(points.len().div_ceil(BLOCK)).run(|| {
                while let Some((first, block)) = blocks.claim() {
                    for (ball, &point) in block.iter_mut().zip(&points[first..]) {
                        *ball = Ball::new(point, half_of(radius));
                    }
                }
            });
            self.search(&balls[..points.len()], team);
        });
        self.balls = balls;
        self.neighbors.broad_phase.engine.stats.bytes += self.balls.capacity() * size_of::<Ball<S, D>>();
    }

    fn search<T: Bounded<S, D> + Sync>(&mut self, particles: &[T], team: Team) {
        self.neighbors.complete = false;
        self.neighbors.output.clear();
        self.images.fill(&self.domain, particles, MAX_OBJECTS, team, &Budget::unlimited());
        let objects = ImagesOf { images: self.images.all(), particles, domain: &self.domain };
        let layout = self.neighbors.layout;
        self.neighbors.run(&objects, team, layout).unwrap_or_else(|error| panic!("{error}"));
        list_rejected(&self.images, self.neighbors.rejected(), particles.len(), &mut self.rejected);
        let own = self.images.bytes() + self.rejected.capacity() * size_of::<PeriodicRejected>();
        self.neighbors.broad_phase.engine.stats.bytes += own;
    }
}

/// One way into the pool for the whole search, instead of one per pass.
fn rayon_scope(team: Team, run: impl FnOnce() + Send) {
    match team.workers() {
        1 => run(),
        _ => rayon::scope(|_| run()),
    }
}

/// Particles and their ghosts.
struct ImagesOf<'a, T, S, const D: usize> {
    images: &'a [Image<S, D>],
    particles: &'a [T],
    domain: &'a Domain<S, D>,
}

impl<T: Bounded<S, D> + Sync, S: Scalar, const D: usize> ImagesOf<'_, T, S, D> {
    #[inline(always)]
    fn particle(&self, index: usize) -> &T {
        &self.particles[self.images[index].object as usize]
    }
}

impl<T: Bounded<S, D> + Sync, S: Scalar, const D: usize> Objects<S, D> for ImagesOf<'_, T, S, D> {
    fn len(&self) -> usize {
        self.images.len()
    }

    /// Around the ball where it has been moved to, and not the box moved: the two may differ in the last digit, and what touches
    /// must overlap.
    #[inline]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        let image = &self.images[index];
        match self.ball(index) {
            Some(ball) if image.misfit.is_none() => ball.aabb(),
            _ => image.aabb(),
        }
    }

    #[inline]
    fn groups(&self, index: usize) -> Groups {
        self.particle(index).groups()
    }

    #[inline]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        self.particle(index).ball().map(|ball| image_of(ball, &self.images[index], self.domain))
    }

    #[inline]
    fn pair(&self, a: usize, b: usize) -> bool {
        self.images[a].pairs_with(&self.images[b]) && self.particle(a).pairs_with(self.particle(b))
    }
}
