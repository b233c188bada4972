//! The objects of a world.

use crate::{Aabb, Bounded, Groups, MovingBox, RejectReason, Scalar};

/// An object of a [`World`](crate::World): a box, its groups, whether it moves, and data of yours.
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
    /// Which objects it pairs with.
    pub groups: Groups,
    /// Whether it is expected to move.
    pub mobility: Mobility,
    /// Where its box is at the end of the step, if it is swept from `aabb` to there: see [`new_swept`](Self::new_swept). Static objects
    /// are not swept.
    #[cfg_attr(feature = "serde", serde(default = "nowhere"))]
    pub sweep_to: Option<Aabb<S, D>>,
    /// Any value of yours. The world returns it by [handle](crate::World::data) and with [events](crate::World::with_data), even for some
    /// time after the object is removed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub data: u64,
}

#[cfg(feature = "serde")]
fn nowhere<S, const D: usize>() -> Option<Aabb<S, D>> {
    None
}

/// Whether an object is expected to move. It decides what an object costs, and two static ones never pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Costs the same in every step, whether or not the object moves.
    Moving,
    /// Costs next to nothing in a step in which nothing is near, and more when the object does change.
    Static,
}

impl<S: Scalar, const D: usize> Object<S, D> {
    /// A moving object that pairs with everything.
    pub fn new_moving(aabb: Aabb<S, D>) -> Self {
        Object { aabb, groups: Groups::ALL, mobility: Mobility::Moving, sweep_to: None, data: 0 }
    }

    /// A static object that pairs with everything that moves.
    pub fn new_static(aabb: Aabb<S, D>) -> Self {
        Object { aabb, groups: Groups::ALL, mobility: Mobility::Static, sweep_to: None, data: 0 }
    }

    /// A moving object that is swept from one box to another during a step, as a [`MovingBox`] is: it pairs with the objects that it meets
    /// at some time on its way, and with no others.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let wall = world.insert(Object::new_static(Aabb::new([5.0, -9.0], [5.1, 9.0])));
    /// let at = |x: f32| Aabb::around([x, 0.0], [0.01, 0.01]);
    /// let bullet = world.insert(Object::new_swept(at(0.0), at(10.0)));
    /// assert_eq!(world.par_step().started, [(wall, bullet)]);
    /// world.set_swept(bullet, at(10.0), at(20.0))?;
    /// assert_eq!(world.par_step().ended, [(wall, bullet)]);
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn new_swept(from: Aabb<S, D>, to: Aabb<S, D>) -> Self {
        Object { sweep_to: Some(to), ..Self::new_moving(from) }
    }

    /// The same object with other user data.
    #[must_use]
    pub fn with_data(self, data: u64) -> Self {
        Object { data, ..self }
    }

    /// The same object in other groups.
    #[must_use]
    pub fn with_groups(self, groups: Groups) -> Self {
        Object { groups, ..self }
    }

    /// What is wrong with its box, if anything is.
    pub(super) fn flaw(&self) -> Option<RejectReason> {
        RejectReason::of(&self.aabb)
    }

    pub(super) fn is_swept(&self) -> bool {
        self.sweep_to.is_some() && self.mobility == Mobility::Moving
    }

    /// Its motion during a step, with a margin.
    fn way(&self, margin: S) -> MovingBox<S, D> {
        let inflated = |aabb: Aabb<S, D>| if aabb.is_valid() { aabb.with_margin(margin) } else { aabb };
        let to = self.sweep_to.filter(|_| self.mobility == Mobility::Moving).unwrap_or(self.aabb);
        MovingBox::new(inflated(self.aabb), inflated(to))
    }

    /// Whether two objects, one of which is swept, meet at some time, each with a margin.
    pub(super) fn meets(&self, other: &Self, margin: S) -> bool {
        self.way(margin).pairs_with(&other.way(margin))
    }
}

/// An object as the engine sees it: with the world's margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inflated<S, const D: usize> {
    pub(super) object: Object<S, D>,
    pub(super) margin: S,
}

impl<S: Scalar, const D: usize> Bounded<S, D> for Inflated<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        if self.object.is_swept() {
            return self.object.way(self.margin).aabb();
        }
        let tight = &self.object.aabb;
        // An inverted box must not become a valid one.
        if tight.is_valid() { tight.with_margin(self.margin) } else { *tight }
    }

    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        !(self.object.is_swept() || other.object.is_swept()) || self.object.meets(&other.object, self.margin)
    }

    #[inline]
    fn groups(&self) -> Groups {
        self.object.groups
    }
}
