//! Decides when a list with a skin must be rebuilt.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::Scalar;
use crate::periodic::grow;
use crate::runtime::memory::Budget;

/// A bound for the roundings that add up.
const FEW: f64 = 16.0;

/// Points that a thread checks at a time.
const BLOCK: usize = 4096;

/// Where points were when their list was made, and how far they may go.
#[derive(Debug)]
pub(super) struct Skin<S, const D: usize> {
    /// May be longer than needed.
    points: Vec<[S; D]>,
    /// How many there are; nothing if there is no list.
    len: Option<usize>,
    /// How far each may have moved.
    limit: f64,
    /// The relative rounding error of coordinates.
    rounding: f64,
}

impl<S: Scalar, const D: usize> Skin<S, D> {
    pub(super) fn new() -> Self {
        Skin { points: Vec::new(), len: None, limit: 0.0, rounding: 0.0 }
    }

    /// Forgets the list.
    pub(super) fn clear(&mut self) {
        self.len = None;
    }

    /// Remembers the points of a list with this margin. `largest` is the largest length of the computation; `moved`: points may have been
    /// moved, and rounded.
    pub(super) fn remember<P>(&mut self, points: &[P], margin: S, largest: f64, moved: bool, budget: &Budget)
    where
        P: Into<[S; D]> + Copy,
    {
        self.len = None;
        grow(&mut self.points, points.len(), [S::ZERO; D], budget);
        for (place, &point) in self.points.iter_mut().zip(points) {
            *place = point.into();
        }
        self.limit = margin.to_f64() / 2.0 - FEW * S::EPSILON * (largest + margin.to_f64());
        self.rounding = FEW * if moved { S::EPSILON } else { f64::EPSILON };
        self.len = Some(points.len());
    }

    /// Whether some point has moved so far that the list may lack a neighbor.
    pub(super) fn is_outgrown<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], parallel: bool) -> bool {
        if self.len != Some(points.len()) {
            return true;
        }
        let moved = |(then, now): (&[S; D], &P)| !self.holds(then, &(*now).into());
        match parallel {
            true => self.points[..points.len()].par_iter().zip(points).with_min_len(BLOCK).any(moved),
            false => self.points.iter().zip(points).any(moved),
        }
    }

    /// Whether a point is still near enough to where it was. NaN is not.
    #[inline]
    fn holds(&self, then: &[S; D], now: &[S; D]) -> bool {
        let (mut square, mut rounded) = (0.0, 0.0);
        for axis in 0..D {
            let (then, now) = (then[axis].to_f64(), now[axis].to_f64());
            square += (now - then) * (now - then);
            rounded += now.abs();
        }
        let limit = self.limit - self.rounding * rounded;
        square <= limit * limit && limit > 0.0
    }

    pub(super) fn bytes(&self) -> usize {
        self.points.capacity() * size_of::<[S; D]>()
    }
}
