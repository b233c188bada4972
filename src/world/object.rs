//! What a world is made of.

use crate::{Aabb, Bounded, Groups, RejectReason, Scalar};

/// An object of a [`World`](crate::World): a box, who it pairs with, and whether it moves.
///
/// ```
/// use pivotgrid::{Aabb, Groups, Mobility, Object};
///
/// let wall = Object::new_static(Aabb::new([0.0, 0.0], [1.0, 9.0])).with_groups(Groups::new(1, 2));
/// assert_eq!(wall.mobility, Mobility::Static);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[S; D]: serde::Serialize", deserialize = "[S; D]: serde::Deserialize<'de>"))
)]
pub struct Object<S, const D: usize> {
    /// Its box. An invalid one pairs with nothing and is [reported](crate::World::rejected).
    pub aabb: Aabb<S, D>,
    /// Who it pairs with.
    pub groups: Groups,
    /// Whether it is expected to move.
    pub mobility: Mobility,
}

/// Whether an object is expected to move. It decides what an object costs, and two static ones never pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Costs the same in every step, whether or not it moves.
    Moving,
    /// Costs next to nothing in a step in which nothing is near, and more when it does change.
    Static,
}

impl<S: Scalar, const D: usize> Object<S, D> {
    /// A moving object that pairs with everything.
    pub fn new_moving(aabb: Aabb<S, D>) -> Self {
        Object { aabb, groups: Groups::ALL, mobility: Mobility::Moving }
    }

    /// A static object that pairs with everything that moves.
    pub fn new_static(aabb: Aabb<S, D>) -> Self {
        Object { aabb, groups: Groups::ALL, mobility: Mobility::Static }
    }

    /// The same object in other groups.
    pub fn with_groups(self, groups: Groups) -> Self {
        Object { groups, ..self }
    }

    /// What is wrong with its box, if anything is.
    pub(super) fn flaw(&self) -> Option<RejectReason> {
        let has_nan = || self.aabb.min.iter().chain(&self.aabb.max).any(|bound| bound.is_nan());
        match self.aabb.is_valid() {
            true => None,
            false if has_nan() => Some(RejectReason::NotANumber),
            false => Some(RejectReason::Inverted),
        }
    }
}

/// An object as the engine sees it: with the world's margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grown<S, const D: usize> {
    pub(super) object: Object<S, D>,
    pub(super) margin: S,
}

impl<S: Scalar, const D: usize> Bounded<S, D> for Grown<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        let tight = &self.object.aabb;
        // An inverted box must not become a valid one.
        if tight.is_valid() { tight.with_margin(self.margin) } else { *tight }
    }

    #[inline]
    fn groups(&self) -> Groups {
        self.object.groups
    }
}
