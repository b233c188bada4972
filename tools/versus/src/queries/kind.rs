//! Kinds of queries.

use std::fmt;
use std::str::FromStr;

/// A kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All boxes that overlap a box.
    Box,
    /// All boxes within a radius of a point.
    Radius,
    /// All points within a radius of a point.
    Points,
    /// The first box that a ray meets.
    Ray,
    /// All neighbors of all points: those within a radius of each.
    Neighbors,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Box, Kind::Radius, Kind::Points, Kind::Ray, Kind::Neighbors];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Box => "box",
            Kind::Radius => "radius",
            Kind::Points => "points",
            Kind::Ray => "ray",
            Kind::Neighbors => "neighbors",
        }
    }

    /// Whether the objects are points instead of boxes.
    pub(super) fn is_about_points(self) -> bool {
        matches!(self, Kind::Points | Kind::Neighbors)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no kind of query of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no query {:?}; there are {}", self.0, Kind::ALL.map(Kind::name).join(", "))
    }
}

impl std::error::Error for UnknownKind {}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}
