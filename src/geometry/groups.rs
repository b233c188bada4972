//! Which objects may pair.

/// Bits and a body that decide, along with the boxes, whether two objects pair. The kernels check them before a pair is stored.
///
/// Two objects pair if each is a member of a group that the other pairs with, and they do not belong to the same body.
///
/// ```
/// use pivotgrid::Groups;
///
/// const WALL: u32 = 1;
/// const ACTOR: u32 = 2;
/// let wall = Groups::new(WALL, ACTOR); // walls meet actors, not one another
/// let actor = Groups::new(ACTOR, WALL | ACTOR);
/// assert!(wall.admit(actor) && actor.admit(actor) && !wall.admit(wall));
///
/// let (hand, arm) = (actor.of_body(7), actor.of_body(7));
/// assert!(!hand.admit(arm) && hand.admit(actor.of_body(8)) && hand.admit(actor));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Groups {
    /// The groups that the object is a member of, a bit each.
    pub member: u32,
    /// The groups that it pairs with, a bit each.
    pub mask: u32,
    /// The body that it is a part of; parts of one body do not pair. 0 is no body.
    pub body: u32,
}

impl Groups {
    /// A member of all groups that pairs with all groups: what an object is unless it says otherwise.
    pub const ALL: Self = Groups { member: u32::MAX, mask: u32::MAX, body: 0 };
    /// A member of nothing that pairs with nothing.
    pub const NONE: Self = Groups { member: 0, mask: 0, body: 0 };

    /// A member of some groups that pairs with members of some groups.
    pub const fn new(member: u32, mask: u32) -> Self {
        Groups { member, mask, body: 0 }
    }

    /// The same as a part of a body.
    #[must_use]
    pub const fn of_body(mut self, body: u32) -> Self {
        self.body = body;
        self
    }

    /// Whether two objects with these groups pair. Symmetric.
    #[inline]
    pub const fn admit(self, other: Self) -> bool {
        self.member & other.mask != 0 && other.member & self.mask != 0 && (self.body == 0 || self.body != other.body)
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self::ALL
    }
}
