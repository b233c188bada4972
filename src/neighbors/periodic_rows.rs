//! What a search in a periodic domain returns.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::rows::NeighborRows;
use crate::periodic::Image;
use crate::{PeriodicRejected, Scalar};

/// A neighbor, and where it is one: moved by `shift` periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeriodicNeighbor<const D: usize> {
    /// The neighbor's index.
    pub index: u32,
    /// By how many periods to move it, along each axis, so that it is near; 0 on axes that are not periodic.
    pub shift: [i32; D],
}

/// A row of neighbors for each particle, in the order of the particles, borrowed from
/// [`PeriodicNeighbors`](super::PeriodicNeighbors) until the next search.
///
/// The rows are made from those of the particles and their ghosts as they are read.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicRows<'a, S, const D: usize> {
    /// Of all images.
    rows: NeighborRows<'a>,
    images: &'a [Image<S, D>],
    particles: usize,
    rejected: &'a [PeriodicRejected],
}

impl<'a, S: Scalar, const D: usize> PeriodicRows<'a, S, D> {
    pub(super) fn new(
        rows: NeighborRows<'a>,
        images: &'a [Image<S, D>],
        particles: usize,
        rejected: &'a [PeriodicRejected],
    ) -> Self {
        PeriodicRows { rows, images, particles, rejected }
    }

    /// How many rows there are: as many as particles, unless these and their ghosts were more than
    /// [`MAX_OBJECTS`](crate::MAX_OBJECTS).
    pub fn len(&self) -> usize {
        self.particles
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.particles == 0
    }

    /// How many neighbors there are in all rows together.
    pub fn neighbors(&self) -> usize {
        self.rows.indices().len()
    }

    /// The neighbors of a particle: first those that it meets where it is, then those that its ghosts meet.
    ///
    /// # Panics
    ///
    /// If there is no such particle.
    #[inline]
    pub fn row(&self, particle: usize) -> impl Iterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D> {
        let PeriodicRows { rows, images, .. } = *self;
        let of_image = move |image: usize| {
            let own = images[image].periods;
            rows.row(image).iter().map(move |&other| {
                let other = &images[other as usize];
                let shift = std::array::from_fn(|axis| own[axis] - other.periods[axis]);
                PeriodicNeighbor { index: other.object, shift }
            })
        };
        of_image(particle).chain(self.ghosts(particle).flat_map(of_image))
    }

    /// Where the ghosts of a particle are among the images.
    #[inline]
    fn ghosts(&self, particle: usize) -> std::ops::Range<usize> {
        let (particles, ghosts) = self.images.split_at(self.particles);
        match particles[particle].ghost_count() {
            0 => 0..0,
            count => {
                let first = self.particles + ghosts.partition_point(|ghost| (ghost.object as usize) < particle);
                first..first + count
            }
        }
    }

    /// Goes over the rows.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = impl Iterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D>> + Clone + use<'a, S, D>
    {
        let rows = *self;
        (0..self.particles).map(move |particle| rows.row(particle))
    }

    /// Goes over the rows on the threads of the rayon pool in which it is called.
    pub fn par_iter(
        &self,
    ) -> impl IndexedParallelIterator<Item = impl Iterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D>> + use<'a, S, D>
    {
        let rows = *self;
        (0..self.particles).into_par_iter().map(move |particle| rows.row(particle))
    }

    /// The particles that were left out, in ascending order of index. Their rows are empty, and they are in nobody's row.
    pub fn rejected(&self) -> &'a [PeriodicRejected] {
        self.rejected
    }
}
