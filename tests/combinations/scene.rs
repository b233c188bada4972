//! Objects with everything that decides about a pair, and brute force.

use pivotgrid::{Aabb, Ball, Bounded, Groups, MovingBox};

use crate::common::{Coordinate, Rng};

/// A pair of any kind: whether it is with a static object, and two indices.
pub(crate) type Key = (bool, u32, u32);

/// What a bad object panics with.
pub(crate) const PANIC: &str = "a box that panics";

#[derive(Clone, Debug)]
pub(crate) struct Thing<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) ball: Option<Ball<S, D>>,
    pub(crate) groups: Groups,
    pub(crate) tag: u32,
    pub(crate) panics: bool,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Thing<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        if self.panics {
            std::panic::resume_unwind(Box::new(PANIC));
        }
        self.bounds
    }

    fn pairs_with(&self, other: &Self) -> bool {
        !(self.tag + other.tag).is_multiple_of(5)
    }

    fn groups(&self) -> Groups {
        self.groups
    }

    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}

/// Objects in a box of edge 10, most of them small, some balls, some in groups and bodies, a few invalid.
pub(crate) fn things<S: Coordinate, const D: usize>(count: usize, seed: u64) -> Vec<Thing<S, D>> {
    let mut rng = Rng(seed);
    let edge = if D == 2 { 1.0 } else { 2.5 };
    let thing = |index: usize| {
        let corner: [f64; D] = std::array::from_fn(|_| rng.within(0.0, 10.0));
        let size = if rng.below(20) == 0 { 6.0 } else { edge * rng.unit() };
        let mut bounds = Aabb { min: corner.map(S::of), max: corner.map(|x| S::of(x + size)) };
        let ball = (rng.below(3) == 0).then(|| Ball::new(corner.map(S::of), S::of(size / 2.0)));
        if let Some(ball) = &ball {
            bounds = ball.aabb();
        }
        if rng.below(40) == 0 {
            bounds.min[0] = S::of(f64::NAN);
        }
        let groups = match rng.below(4) {
            0 => Groups::new(1, 2),
            1 => Groups::new(2, 3),
            2 => Groups::ALL.of_body(1 + index as u32 % 3),
            _ => Groups::ALL,
        };
        Thing { bounds, ball, groups, tag: rng.below(50) as u32, panics: false }
    };
    (0..count).map(thing).collect()
}

fn is_valid<S: Coordinate, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    (0..D).all(|axis| Into::<f64>::into(bounds.min[axis]) <= bounds.max[axis].into())
}

pub(crate) fn boxes_meet<S: Coordinate, const D: usize>(one: &Aabb<S, D>, other: &Aabb<S, D>) -> bool {
    let apart = |axis: usize| {
        let [a, b, c, d] = [one.min[axis], one.max[axis], other.min[axis], other.max[axis]].map(Into::<f64>::into);
        b < c || d < a
    };
    is_valid(one) && is_valid(other) && !(0..D).any(apart)
}

fn meet<S: Coordinate, const D: usize>(one: &Thing<S, D>, other: &Thing<S, D>) -> bool {
    let are_apart = match (&one.ball, &other.ball) {
        (Some(one), Some(other)) => !one.touches(other),
        _ => false,
    };
    boxes_meet(&one.bounds, &other.bounds) && !are_apart && admit(one.groups, other.groups)
}

pub(crate) fn admit(one: Groups, other: Groups) -> bool {
    one.member & other.mask != 0 && other.member & one.mask != 0 && (one.body == 0 || one.body != other.body)
}

fn all_pairs<T>(things: &[T], meet: impl Fn(&T, &T) -> bool) -> Vec<Key> {
    let mut keys = Vec::new();
    for a in 0..things.len() {
        for b in a + 1..things.len() {
            if meet(&things[a], &things[b]) {
                keys.push((false, a as u32, b as u32));
            }
        }
    }
    keys
}

fn all_across<A, B>(ones: &[A], others: &[B], is_static: bool, meet: impl Fn(&A, &B) -> bool) -> Vec<Key> {
    let mut keys = Vec::new();
    for (first, one) in ones.iter().enumerate() {
        for (second, other) in others.iter().enumerate() {
            if meet(one, other) {
                keys.push((is_static, first as u32, second as u32));
            }
        }
    }
    keys
}

pub(crate) fn within<S: Coordinate, const D: usize>(things: &[Thing<S, D>], with_tags: bool) -> Vec<Key> {
    all_pairs(things, |one, other| meet(one, other) && (!with_tags || one.pairs_with(other)))
}

pub(crate) fn across<S: Coordinate, const D: usize>(ones: &[Thing<S, D>], others: &[Thing<S, D>]) -> Vec<Key> {
    all_across(ones, others, false, meet)
}

pub(crate) fn boxes_across<S: Coordinate, const D: usize>(ones: &[Aabb<S, D>], others: &[Aabb<S, D>]) -> Vec<Key> {
    all_across(ones, others, false, boxes_meet)
}

/// With static objects, balls meet by their boxes.
pub(crate) fn with_statics<S: Coordinate, const D: usize>(ones: &[Thing<S, D>], others: &[Thing<S, D>]) -> Vec<Key> {
    all_across(ones, others, true, |one, other| boxes_meet(&one.bounds, &other.bounds) && admit(one.groups, other.groups))
}

pub(crate) fn within_swept<S: Coordinate, const D: usize>(swept: &[MovingBox<S, D>]) -> Vec<Key> {
    all_pairs(swept, |one, other| {
        is_valid(&one.from)
            && is_valid(&one.to)
            && is_valid(&other.from)
            && is_valid(&other.to)
            && one.time_of_contact(other).is_some()
    })
}
