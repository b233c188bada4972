//! The objects of one cell, side by side.

use pivotgrid::Pair;

use crate::{Bounds, Pairs};

/// A cell's objects with their boxes, copied out once, since each of them is compared with all neighbors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd<const D: usize> {
    members: Vec<(Bounds<D>, u32)>,
}

impl<const D: usize> Crowd<D> {
    pub(crate) fn new() -> Self {
        Crowd { members: Vec::new() }
    }

    pub(crate) fn members(&self) -> &[(Bounds<D>, u32)] {
        &self.members
    }

    pub(crate) fn clear(&mut self) {
        self.members.clear();
    }

    #[inline]
    pub(crate) fn push(&mut self, boxes: &[Bounds<D>], id: u32) {
        self.members.push((boxes[id as usize], id));
    }

    /// Compares each member with each other.
    #[inline]
    pub(crate) fn compare_inside(&self, pairs: &mut Pairs) {
        for (k, (bounds, id)) in self.members.iter().enumerate() {
            compare(&self.members[k + 1..], bounds, *id, pairs);
        }
    }

    /// Compares each member with an object from elsewhere.
    #[inline]
    pub(crate) fn compare(&self, boxes: &[Bounds<D>], id: u32, pairs: &mut Pairs) {
        compare(&self.members, &boxes[id as usize], id, pairs);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<(Bounds<D>, u32)>()
    }
}

#[inline(always)]
fn compare<const D: usize>(members: &[(Bounds<D>, u32)], bounds: &Bounds<D>, id: u32, pairs: &mut Pairs) {
    pairs.candidates += members.len() as u64;
    for (member, member_id) in members {
        if meet(member, bounds) {
            pairs.found.push(Pair::new(*member_id, id));
        }
    }
}

/// Whether the boxes overlap. Among neighbors any single axis is a coin toss, so all are looked at without a branch between.
#[inline(always)]
pub(crate) fn meet<const D: usize>(a: &Bounds<D>, b: &Bounds<D>) -> bool {
    (0..D).fold(true, |all, axis| all & (a.min[axis] <= b.max[axis]) & (b.min[axis] <= a.max[axis]))
}
