//! The boxes that a rank holds for a step: its own objects first, each at its own index, then images of them, then ghosts.

use pivotgrid::{Aabb, Ball, Bounded, Groups};

use crate::bits::Bits;
use crate::coordinate::Coordinate;
use crate::space::Shift;

/// Groups and ball of an object, which decide whether it pairs.
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

/// A box to be sent to a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel<S, const D: usize> {
    pub(crate) to: u32,
    /// The own object's index. Its id is looked up when ids are written, where waits for memory overlap.
    pub(crate) index: u32,
    pub(crate) body: Body<S, D>,
    pub(crate) shift: Shift<D>,
}

/// The columns of the boxes that a rank holds.
#[derive(Debug)]
pub(crate) struct Held<S, const D: usize> {
    /// The number of own objects that come first, each at its own index. The user has their ids.
    pub(crate) in_place: usize,
    /// The ids of the others.
    pub(crate) ids: Vec<u64>,
    pub(crate) boxes: Vec<Aabb<S, D>>,
    /// Not set for boxes that touch this rank's part of space only: every pair of such a box is this rank's.
    pub(crate) shared: Bits,
    /// As long as the others in a periodic space, otherwise empty.
    pub(crate) shifts: Vec<Shift<D>>,
    /// As long as the others if some object has groups or is a ball, otherwise empty.
    pub(crate) bodies: Vec<Body<S, D>>,
}

impl<S: Coordinate, const D: usize> Held<S, D> {
    pub(crate) fn new() -> Self {
        Held { in_place: 0, ids: Vec::new(), boxes: Vec::new(), shared: Bits::default(), shifts: Vec::new(), bodies: Vec::new() }
    }

    /// A box that the engine leaves out.
    pub(crate) const VACANT: Aabb<S, D> = Aabb { min: [S::NAN; D], max: [S::NAN; D] };

    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Makes room for the own objects, to be filled in.
    pub(crate) fn begin(&mut self, objects: usize, is_periodic: bool, has_bodies: bool) {
        // The next pass writes every place, so values of the last step need not be cleared.
        let vacant = Self::VACANT;
        self.in_place = objects;
        self.ids.clear();
        self.boxes.resize(objects, vacant);
        self.shared.resize(objects);
        self.shifts.resize(if is_periodic { objects } else { 0 }, Shift::NONE);
        self.bodies.resize(if has_bodies { objects } else { 0 }, Body::plain(vacant));
    }

    /// Adds the column of bodies, because some object has groups or is a ball.
    pub(crate) fn with_bodies(&mut self) {
        let known = self.bodies.len();
        self.bodies.extend(self.boxes[known..].iter().map(|&bounds| Body::plain(bounds)));
    }

    pub(crate) fn push(&mut self, id: u64, body: Body<S, D>, shift: Shift<D>, is_periodic: bool, has_bodies: bool) {
        self.ids.push(id);
        self.boxes.push(body.bounds);
        self.shared.push(true);
        if is_periodic {
            self.shifts.push(shift);
        }
        if has_bodies {
            self.bodies.push(body);
        }
    }

    /// Drops own objects, whose indices are in ascending order. The others move up, with their ids.
    pub(crate) fn drop_own(&mut self, own_ids: &[u64], dropped: impl Iterator<Item = usize> + Clone) {
        fn retain<T>(column: &mut Vec<T>, mut keep: impl FnMut(usize) -> bool) {
            let mut index = 0;
            column.retain(|_| {
                index += 1;
                keep(index - 1)
            });
        }
        let keep = || {
            let mut dropped = dropped.clone().peekable();
            move |index: usize| dropped.next_if_eq(&index).is_none()
        };
        self.in_place = 0;
        self.ids.extend_from_slice(own_ids);
        retain(&mut self.ids, keep());
        retain(&mut self.boxes, keep());
        retain(&mut self.shifts, keep());
        retain(&mut self.bodies, keep());
        self.shared.retain(keep());
    }
}
