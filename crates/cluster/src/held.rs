//! The boxes that a rank holds for a step: its own objects first, each at its own index, then images of them, then ghosts.

use pivotgrid::{Aabb, Ball, Bounded, Groups};

use crate::coordinate::Coordinate;
use crate::space::Shift;

/// The box touches this rank's part of space only. So every pair of it is this rank's.
pub(crate) const INNER: u8 = 1;
/// The box does not touch this rank's part of space.
pub(crate) const OUTSIDE: u8 = 2;

/// All that decides whether an object pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) groups: Groups,
    pub(crate) ball: Option<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> Body<S, D> {
    pub(crate) fn plain(bounds: Aabb<S, D>) -> Self {
        Body { bounds, groups: Groups::ALL, ball: None }
    }
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Body<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}

/// A box on its way to a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel<S, const D: usize> {
    pub(crate) to: u32,
    pub(crate) id: u64,
    pub(crate) body: Body<S, D>,
    pub(crate) shift: Shift<D>,
}

/// The columns of what a rank holds.
#[derive(Debug)]
pub(crate) struct Held<S, const D: usize> {
    pub(crate) ids: Vec<u64>,
    pub(crate) boxes: Vec<Aabb<S, D>>,
    pub(crate) flags: Vec<u8>,
    /// As long as the others in a periodic space, otherwise empty.
    pub(crate) shifts: Vec<Shift<D>>,
    /// As long as the others if some object has groups or is a ball, otherwise empty.
    pub(crate) bodies: Vec<Body<S, D>>,
}

impl<S: Coordinate, const D: usize> Held<S, D> {
    pub(crate) fn new() -> Self {
        Held { ids: Vec::new(), boxes: Vec::new(), flags: Vec::new(), shifts: Vec::new(), bodies: Vec::new() }
    }

    /// A box that the engine leaves out.
    pub(crate) const VACANT: Aabb<S, D> = Aabb { min: [S::NAN; D], max: [S::NAN; D] };

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Makes room for the own objects, to be filled in.
    pub(crate) fn begin(&mut self, ids: &[u64], is_periodic: bool, has_bodies: bool) {
        // Every place is written by the pass that follows: what is there from the last step need not be cleared.
        let vacant = Self::VACANT;
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.boxes.resize(ids.len(), vacant);
        self.flags.resize(ids.len(), 0);
        self.shifts.resize(if is_periodic { ids.len() } else { 0 }, Shift::NONE);
        self.bodies.resize(if has_bodies { ids.len() } else { 0 }, Body::plain(vacant));
    }

    /// Groups or a ball came along: from now on there are bodies.
    pub(crate) fn with_bodies(&mut self) {
        let known = self.bodies.len();
        self.bodies.extend(self.boxes[known..].iter().map(|&bounds| Body::plain(bounds)));
    }

    pub(crate) fn push(&mut self, id: u64, body: Body<S, D>, shift: Shift<D>, is_periodic: bool, has_bodies: bool) {
        self.ids.push(id);
        self.boxes.push(body.bounds);
        self.flags.push(0);
        if is_periodic {
            self.shifts.push(shift);
        }
        if has_bodies {
            self.bodies.push(body);
        }
    }

    /// Drops what does not touch this rank's part.
    pub(crate) fn drop_outside(&mut self) {
        fn retain<T: Copy>(column: &mut Vec<T>, flags: &[u8]) {
            if !column.is_empty() {
                let mut flags = flags.iter();
                column.retain(|_| flags.next().is_none_or(|flag| flag & OUTSIDE == 0));
            }
        }
        retain(&mut self.ids, &self.flags);
        retain(&mut self.boxes, &self.flags);
        retain(&mut self.shifts, &self.flags);
        retain(&mut self.bodies, &self.flags);
        self.flags.retain(|flag| flag & OUTSIDE == 0);
    }
}
