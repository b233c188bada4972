//! What a search in a periodic space returns.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::output::Output;
use crate::periodic::Frame;
use crate::{PeriodicRejected, Scalar};

/// A neighbor, and where: its image that is moved by `shift` periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeriodicNeighbor<const D: usize> {
    /// The neighbor's index.
    pub index: u32,
    /// By how many periods to move it, along each axis or vector, so that it is near; 0 on those that are not periodic.
    pub shift: [i32; D],
}

/// A row of neighbors for each particle, in the order of the particles, borrowed from
/// [`PeriodicNeighbors`](super::PeriodicNeighbors) until the next search.
///
/// All rows are in one array: row `i` is `indices[offsets[i]..offsets[i + 1]]`, and the same range of [`shifts`](Self::shifts),
/// [`distances`](Self::distances) and [`vectors`](Self::vectors), if these were requested.
///
/// ```
/// use pivotgrid::{Lattice, Neighbors, PeriodicError};
///
/// let lattice = Lattice::new([[4.0, 0.0], [1.0, 4.0]], [true, true])?;
/// let mut neighbors = Neighbors::<f32, 2>::new().sorted(true).shifts(true).vectors(true).lattice(lattice);
/// let rows = neighbors.par_within(&[[0.5, 0.5], [1.5, 4.0]], 1.5);
/// assert_eq!((rows.offsets(), rows.indices()), (&[0, 1, 2][..], &[1, 0][..]));
/// assert_eq!((rows.shifts(), rows.vectors()), (&[[0, -1], [0, 1]][..], &[[0.0, -0.5], [0.0, 0.5]][..]));
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PeriodicRows<'a, S, const D: usize> {
    offsets: &'a [usize],
    indices: &'a [u32],
    relative: &'a [[i8; D]],
    shifts: &'a [[i32; D]],
    distances: &'a [S],
    vectors: &'a [[S; D]],
    frame: Frame<'a, D>,
    rejected: &'a [PeriodicRejected],
}

impl<'a, S: Scalar, const D: usize> PeriodicRows<'a, S, D> {
    pub(super) fn new(output: &'a Output<S, D>, frame: Frame<'a, D>, rejected: &'a [PeriodicRejected]) -> Self {
        PeriodicRows {
            offsets: output.offsets(),
            indices: output.indices(),
            relative: output.relative(),
            shifts: output.shifts(),
            distances: output.distances(),
            vectors: output.vectors(),
            frame,
            rejected,
        }
    }

    /// The number of rows, which is the number of particles, unless these and their ghosts were more than
    /// [`MAX_OBJECTS`](crate::MAX_OBJECTS).
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many neighbors there are in all rows together.
    pub fn neighbors(&self) -> usize {
        self.indices.len()
    }

    /// Where each row begins, and, as a last number, where the last row ends.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// The indices of all rows, row after row.
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// By how many periods to move each neighbor, in the order of [`indices`](Self::indices), so that it is near; empty unless requested by
    /// [`Neighbors::shifts`](super::Neighbors::shifts).
    pub fn shifts(&self) -> &'a [[i32; D]] {
        self.shifts
    }

    /// The distance of each neighbor, in the order of [`indices`](Self::indices), at the positions of the search; empty unless requested by
    /// [`Neighbors::distances`](super::Neighbors::distances).
    pub fn distances(&self) -> &'a [S] {
        self.distances
    }

    /// The vector from the particle to each neighbor, in the order of [`indices`](Self::indices): the neighbor's position plus its shift,
    /// minus the particle's position. Empty unless requested by [`Neighbors::vectors`](super::Neighbors::vectors).
    pub fn vectors(&self) -> &'a [[S; D]] {
        self.vectors
    }

    /// The neighbors of a particle.
    ///
    /// # Panics
    ///
    /// If there is no such particle.
    #[inline]
    pub fn row(&self, particle: usize) -> impl ExactSizeIterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D> {
        let (own, frame) = (self.offsets[particle]..self.offsets[particle + 1], self.frame);
        let neighbors = self.indices[own.clone()].iter().zip(&self.relative[own]);
        neighbors.map(move |(&index, &relative)| {
            let shift = frame.shift(particle, index as usize, relative);
            PeriodicNeighbor { index, shift }
        })
    }

    /// Iterates over the rows.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D>>
    + Clone
    + use<'a, S, D> {
        let rows = *self;
        (0..self.len()).map(move |particle| rows.row(particle))
    }

    /// Iterates over the rows on the threads of the rayon pool in which it is called.
    pub fn par_iter(
        &self,
    ) -> impl IndexedParallelIterator<Item = impl ExactSizeIterator<Item = PeriodicNeighbor<D>> + Clone + use<'a, S, D>> + use<'a, S, D>
    {
        let rows = *self;
        (0..self.len()).into_par_iter().map(move |particle| rows.row(particle))
    }

    /// The particles that were left out, in ascending order of index. Their rows are empty, and they are in no other row.
    pub fn rejected(&self) -> &'a [PeriodicRejected] {
        self.rejected
    }
}
