//! Settings of neighbor lists.

use super::Neighbors;
use crate::Scalar;

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// Half lists: each pair of neighbors is in one of the two rows and not in both. Which row is left to the search, unless the rows are
    /// [`sorted`](Self::sorted): then it is the row of the smaller index. Has no effect on [`Reach::Gather`](crate::Reach::Gather) and
    /// [`Reach::Scatter`](crate::Reach::Scatter), by which one may be a neighbor of the other and not the other way round.
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

    /// Each row in ascending order. Then the result is the same for any number of threads. Otherwise only the set of neighbors in each row
    /// is the same (and for half lists, only the set of pairs).
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Self {
        self.layout.sorted = sorted;
        self
    }

    /// Records the distance of each neighbor: [`NeighborRows::distances`](crate::NeighborRows::distances).
    ///
    /// ```
    /// use pivotgrid::Neighbors;
    ///
    /// let mut neighbors = Neighbors::<f32, 2>::new().distances(true).vectors(true);
    /// let rows = neighbors.par_within(&[[1.0, 1.0], [4.0, 5.0]], 5.0);
    /// assert_eq!((rows.indices(), rows.distances()), (&[1, 0][..], &[5.0, 5.0][..]));
    /// assert_eq!(rows.vectors(), [[3.0, 4.0], [-3.0, -4.0]]);
    /// ```
    #[must_use]
    pub fn distances(mut self, distances: bool) -> Self {
        self.extras.distances = distances;
        self
    }

    /// Records the vector to each neighbor: [`NeighborRows::vectors`](crate::NeighborRows::vectors). For particles that are not points it
    /// leads from center to center.
    #[must_use]
    pub fn vectors(mut self, vectors: bool) -> Self {
        self.extras.vectors = vectors;
        self
    }

    /// In a periodic space, stores the shifts of all neighbors in one array: [`PeriodicRows::shifts`](crate::PeriodicRows::shifts). Row by
    /// row, shifts are available without it.
    #[must_use]
    pub fn shifts(mut self, shifts: bool) -> Self {
        self.extras.shifts = shifts;
        self
    }

    /// Lists with a margin, for use in more than one step: points look this far beyond their reach, so the rows stay complete until some
    /// point has moved by half of it. [`par_needs_rebuild`](Self::par_needs_rebuild) checks this.
    ///
    /// The rows contain neighbors beyond the reach, too; a loop over them should skip those by distance. For
    /// [`par_within`](Self::par_within); particles that touch have none. A margin that is negative or NaN is none.
    ///
    /// ```
    /// use pivotgrid::Neighbors;
    ///
    /// let mut points = [[0.0, 0.0], [1.1, 0.0], [5.0, 0.0]];
    /// let mut neighbors = Neighbors::<f32, 2>::new().skin(0.4);
    /// let mut searches = 0;
    /// for step in 0..10 {
    ///     if neighbors.par_needs_rebuild(&points) {
    ///         neighbors.par_within(&points, 1.0);
    ///         searches += 1;
    ///     }
    ///     let near = |i: usize, j: u32| (points[i][0] - points[j as usize][0]).abs() <= 1.0;
    ///     let found = neighbors.rows().row(0).iter().filter(|&&j| near(0, j)).count();
    ///     assert_eq!(found, if step < 2 { 0 } else { 1 });
    ///     points[1][0] -= 0.06;
    /// }
    /// assert_eq!(searches, 3);
    /// ```
    #[must_use]
    pub fn skin(mut self, margin: S) -> Self {
        self.margin = if margin > S::ZERO { margin } else { S::ZERO };
        self.skin.clear();
        self
    }

    /// Whether the rows of the last search may lack a neighbor, now that the points are here: whether one of them has moved by half of the
    /// [`skin`](Self::skin), or there are more or fewer, or there are no such rows. On the threads of the rayon pool in which it is called.
    ///
    /// The reach has to be that of the last search.
    pub fn par_needs_rebuild<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P]) -> bool {
        !self.complete || self.skin.is_outgrown(points, true)
    }

    /// [`par_needs_rebuild`](Self::par_needs_rebuild) on the calling thread.
    pub fn needs_rebuild<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P]) -> bool {
        !self.complete || self.skin.is_outgrown(points, false)
    }
}
