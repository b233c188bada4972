//! The user's code panics at any call; then every read accessor is called, and then a good step is compared with brute force.
//!
//! After a step that did not come to its end there is nothing to be read: no pair, no row, no object, nothing rejected.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pivotgrid::{Aabb, Ball, Bounded, Groups, Pair};

use crate::bytes::Bytes;
use crate::fuse::Fuse;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};

mod engines;
mod live;
mod searches;

const MOST_STEPS: usize = 4;
const MOST_OBJECTS: usize = 80;

pub fn run(data: &[u8]) {
    crate::in_some_space!(structures, data);
}

fn structures<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    match bytes.below(8) {
        0 => engines::broad_phase::<S, D>(bytes),
        1 => engines::periodic::<S, D>(bytes),
        2 => engines::static_set::<S, D>(bytes),
        3 => engines::visitors::<S, D>(bytes),
        4 => searches::bodies::<S, D>(bytes),
        5 => live::maps::<S, D>(bytes),
        6 => live::world::<S, D>(bytes),
        _ => searches::points::<S, D>(bytes),
    }
}

/// An object that panics when its fuse burns through. All of them are boxes, some say more about themselves than others.
#[derive(Clone, Copy)]
struct Touchy<'a, S, const D: usize> {
    plain: Plain<S, D>,
    fuse: &'a Fuse,
    /// Which of the methods are touchy, as bits.
    methods: u8,
}

impl<S: Number, const D: usize> Bounded<S, D> for Touchy<'_, S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.burn(1);
        self.plain.aabb()
    }
    fn pairs_with(&self, _: &Self) -> bool {
        self.burn(2);
        true
    }
    fn groups(&self) -> Groups {
        self.burn(4);
        self.plain.groups()
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.burn(8);
        None
    }
}

impl<S: Number, const D: usize> Touchy<'_, S, D> {
    fn burn(&self, method: u8) {
        if self.methods & method != 0 {
            self.fuse.burn();
        }
    }
}

/// A scene, and when the user's code panics in it.
struct Attempt<S, const D: usize> {
    objects: Vec<Plain<S, D>>,
    fuse: Fuse,
    methods: u8,
    way: u8,
}

impl<S: Number, const D: usize> Attempt<S, D> {
    fn new(bytes: &mut Bytes<'_>) -> Self {
        let (count, methods, way) = (bytes.below(MOST_OBJECTS), bytes.byte(), bytes.byte());
        let calls = usize::from(bytes.byte()) * [0, 1, 1, 5][usize::from(methods >> 6)];
        let fuse = Fuse::new(if methods & 0x30 == 0x30 { usize::MAX } else { calls });
        Attempt { objects: Plain::several(bytes, count, way & 1 != 0), fuse, methods, way }
    }

    fn touchy(&self) -> Vec<Touchy<'_, S, D>> {
        self.objects.iter().map(|&plain| Touchy { plain, fuse: &self.fuse, methods: self.methods }).collect()
    }

    /// The outcome of a step on some threads, unless it panicked, which only our own code may do.
    fn run<R: Send>(&self, alone: impl FnOnce() -> R, parallel: impl FnOnce() -> R + Send) -> Option<R> {
        let threads = usize::from(self.way >> 2);
        let outcome = catch_unwind(AssertUnwindSafe(|| match self.way & 2 {
            0 => alone(),
            _ => pool(threads).install(parallel),
        }));
        assert_eq!(outcome.is_err(), self.fuse.is_burnt(), "a panic that is not ours, or one of ours that was lost");
        outcome.ok()
    }

    fn pairs(&self) -> Vec<Pair> {
        plain::pairs(&self.objects)
    }
}
