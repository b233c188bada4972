//! Boxes that a moving box meets.

use std::ops::ControlFlow;

use super::cast::Cast;
use super::filter::QueryFilter;
use super::{Hit, Queries};
use crate::{Aabb, Scalar};

/// A box on its way: at time `t`, from 0 to 1, it is at `bounds + t · translation`.
///
/// The box may be infinite, and it may rest: then it meets what it overlaps, at time 0. Nothing is met by a box that is invalid, or
/// that moves by NaN or infinity.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, BoxCast};
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.detect(&[Aabb::new([5.0, -9.0], [5.5, 9.0])]); // a wall
/// let bullet = BoxCast::new(Aabb::new([0.0, 0.0], [1.0, 1.0]), [16.0, 0.0]);
/// let contact = broad_phase.queries().first_contact(&bullet).unwrap();
/// assert_eq!((contact.index, contact.t), (0, 0.25)); // its front at 1 meets the wall at 5
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[S; D]: serde::Serialize", deserialize = "[S; D]: serde::Deserialize<'de>"))
)]
pub struct BoxCast<S, const D: usize> {
    /// The box at the beginning.
    pub bounds: Aabb<S, D>,
    /// From where it is at the beginning to where it is at the end.
    pub translation: [S; D],
}

impl<S: Scalar, const D: usize> BoxCast<S, D> {
    /// The way of a box.
    pub fn new(bounds: Aabb<S, D>, translation: impl Into<[S; D]>) -> Self {
        BoxCast { bounds, translation: translation.into() }
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> Queries<'_, S, D, F> {
    /// Calls `visit` with every object whose box the moving box touches on its way, in no particular order, until it returns
    /// `Break`; `t` is the time of the first contact.
    ///
    /// That is exact, up to rounding: a box that lies in the corner between beginning and end, where the moving box never comes, is
    /// not met.
    pub fn visit_sweep<B>(&self, sweep: &BoxCast<S, D>, visit: impl FnMut(Hit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_cast(Cast::sweep(sweep), visit)
    }

    /// All objects whose boxes the moving box touches, in the order of their times, those touched at once in the order of their
    /// indices.
    pub fn sweep_hits(&self, sweep: &BoxCast<S, D>, found: &mut Vec<Hit<S>>) {
        self.cast_hits(Cast::sweep(sweep), found);
    }

    /// The object whose box the moving box touches first, of several the one with the least index.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, BoxCast};
    ///
    /// let wall = Aabb::new([10.0, -5.0], [11.0, 5.0]);
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// broad_phase.detect(&[wall]);
    ///
    /// let bullet = BoxCast::new(Aabb::new([0.0, 0.0], [2.0, 1.0]), [32.0, 0.0]);
    /// assert_eq!(broad_phase.queries().first_contact(&bullet).unwrap().t, 0.25);
    /// ```
    pub fn first_contact(&self, sweep: &BoxCast<S, D>) -> Option<Hit<S>> {
        self.first_cast_hit(Cast::sweep(sweep), |hit| Some(hit.t))
    }

    /// The object that is touched first according to `exact`, which is called with an object whose box is touched and returns when the
    /// object itself is touched, if it is; see [`first_hit_by`](Self::first_hit_by).
    pub fn first_contact_by(&self, sweep: &BoxCast<S, D>, mut exact: impl FnMut(u32) -> Option<S>) -> Option<Hit<S>> {
        self.first_cast_hit(Cast::sweep(sweep), |hit| exact(hit.index))
    }
}
