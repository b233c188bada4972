//! What a search returns.

use std::iter::FusedIterator;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use super::output::Output;
use crate::{Rejected, Scalar};

/// A row of neighbors for each particle, in the order of the particles, borrowed from [`Neighbors`](super::Neighbors) until the
/// next search.
///
/// All rows are in one array, [`indices`](Self::indices); row `i` is `indices[offsets[i]..offsets[i + 1]]`.
///
/// ```
/// use pivotgrid::Neighbors;
/// use rayon::prelude::*;
///
/// let points: Vec<[f32; 2]> = (0..1000).map(|i| [i as f32, 0.0]).collect();
/// let mut neighbors = Neighbors::<f32, 2>::new();
/// let rows = neighbors.par_within(&points, 2.5);
/// let counts: Vec<usize> = rows.par_iter().map(<[u32]>::len).collect();
/// assert_eq!(counts[..5], [2, 3, 4, 4, 4]);
/// assert_eq!(rows.offsets()[..5], [0, 2, 5, 9, 13]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeighborRows<'a, S = f32, const D: usize = 3> {
    offsets: &'a [usize],
    indices: &'a [u32],
    distances: &'a [S],
    vectors: &'a [[S; D]],
    rejected: &'a [Rejected],
}

impl<'a, S: Scalar, const D: usize> NeighborRows<'a, S, D> {
    pub(super) fn new(output: &'a Output<S, D>, rejected: &'a [Rejected]) -> Self {
        NeighborRows {
            offsets: output.offsets(),
            indices: output.indices(),
            distances: output.distances(),
            vectors: output.vectors(),
            rejected,
        }
    }

    /// The number of rows, which is the number of particles, unless these were more than [`MAX_OBJECTS`](crate::MAX_OBJECTS).
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbors of a particle.
    ///
    /// # Panics
    ///
    /// If there is no such particle.
    #[inline]
    pub fn row(&self, particle: usize) -> &'a [u32] {
        &self.indices[self.offsets[particle]..self.offsets[particle + 1]]
    }

    /// Iterates over the rows.
    pub fn iter(&self) -> NeighborIter<'a> {
        NeighborIter { offsets: self.offsets, indices: self.indices }
    }

    /// Iterates over the rows on the threads of the rayon pool in which it is called.
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = &'a [u32]> + use<'a, S, D> {
        let indices = self.indices;
        self.offsets.par_windows(2).map(move |ends| &indices[ends[0]..ends[1]])
    }

    /// Where each row begins, and, as a last number, where the last row ends.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// All rows, row after row.
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// The distance of each neighbor, in the order of [`indices`](Self::indices), at the positions of the search; empty unless requested by
    /// [`Neighbors::distances`](super::Neighbors::distances).
    pub fn distances(&self) -> &'a [S] {
        self.distances
    }

    /// The vector from the particle to each neighbor, in the order of [`indices`](Self::indices); empty unless requested by
    /// [`Neighbors::vectors`](super::Neighbors::vectors).
    pub fn vectors(&self) -> &'a [[S; D]] {
        self.vectors
    }

    /// The particles that were left out, in ascending order of index. Their rows are empty, and they are in no other row.
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }
}

impl<'a, S: Scalar, const D: usize> IntoIterator for NeighborRows<'a, S, D> {
    type Item = &'a [u32];
    type IntoIter = NeighborIter<'a>;

    fn into_iter(self) -> NeighborIter<'a> {
        self.iter()
    }
}

impl<'a, S: Scalar, const D: usize> IntoIterator for &NeighborRows<'a, S, D> {
    type Item = &'a [u32];
    type IntoIter = NeighborIter<'a>;

    fn into_iter(self) -> NeighborIter<'a> {
        self.iter()
    }
}

/// Iterator over the rows of [`NeighborRows`].
#[derive(Clone, Debug)]
pub struct NeighborIter<'a> {
    /// The offsets of the remaining rows.
    offsets: &'a [usize],
    indices: &'a [u32],
}

impl<'a> Iterator for NeighborIter<'a> {
    type Item = &'a [u32];

    #[inline]
    fn next(&mut self) -> Option<&'a [u32]> {
        let &[begin, end] = self.offsets.first_chunk()?;
        self.offsets = &self.offsets[1..];
        Some(&self.indices[begin..end])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.offsets.len() - 1;
        (left, Some(left))
    }
}

impl ExactSizeIterator for NeighborIter<'_> {}
impl FusedIterator for NeighborIter<'_> {}
