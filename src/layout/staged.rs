//! An object on its way from the user's slice to the data table.

use crate::{Aabb, Scalar};

/// A box, copied once from the user, and the place found for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Staged<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) place: Place,
}

impl<S: Scalar, const D: usize> Staged<S, D> {
    pub(crate) const VACANT: Self = Staged { bounds: Aabb::EMPTY, place: Place::VACANT };
}

/// Where an object goes: a cell, by its number in the pool, and its rank there. Or one of the special cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cell: u32,
    pub(crate) rank: u32,
}

impl Place {
    /// "Cell" of those that fit no level.
    pub(crate) const LISTED: u32 = u32::MAX;
    /// "Cell" of those with an invalid box.
    pub(crate) const REJECTED: u32 = u32::MAX - 1;
    /// "Cell" of a position whose object is gone since the last step.
    const NOWHERE: u32 = u32::MAX - 2;

    pub(crate) const VACANT: Place = Place { cell: Place::NOWHERE, rank: 0 };

    /// Whether the object takes part in the step.
    #[inline(always)]
    pub(crate) fn takes_part(self) -> bool {
        !matches!(self.cell, Place::REJECTED | Place::NOWHERE)
    }

    /// Whether the object lives in a cell of a level.
    #[inline(always)]
    pub(crate) fn has_cell(self) -> bool {
        self.cell < Place::NOWHERE
    }

    #[inline(always)]
    pub(crate) fn is_vacant(self) -> bool {
        self.cell == Place::NOWHERE
    }
}
