//! Random operations of all kinds.

use pivotgrid::{Aabb, Mobility, Object};

use crate::common::Coordinate;
use crate::fleet::Fleet;

impl<S: Coordinate, const D: usize> Fleet<S, D> {
    /// Some random operations.
    pub(crate) fn disturb(&mut self, operations: usize) {
        for _ in 0..operations {
            let mobility = self.mobility();
            let object = self.object(mobility);
            match (self.rng.below(7), self.any()) {
                (0 | 1, Some(handle)) => self.remove(handle),
                (2, Some(handle)) => self.update(handle, object),
                (3 | 4, Some(handle)) => self.set_aabb(handle, object.aabb),
                _ => {
                    self.insert(object);
                }
            }
        }
    }

    /// Moves everything that moves by a little.
    pub(crate) fn drift(&mut self) {
        let away: [f64; 3] = std::array::from_fn(|_| self.rng.within(-0.5, 0.5));
        let shift = |at: usize, bound: S| S::of(bound.into() + away[at % 3] * 0.5);
        for (&handle, object) in &mut self.twin.objects {
            if object.mobility == Mobility::Moving {
                let at = handle.index as usize;
                object.aabb.min = object.aabb.min.map(|bound| shift(at, bound));
                object.aabb.max = object.aabb.max.map(|bound| shift(at, bound));
            }
        }
        for (world, _) in &mut self.worlds {
            for (handle, aabb) in world.moving_mut() {
                *aabb = self.twin.objects[&handle].aabb;
            }
        }
    }

    /// A long run with all that can happen.
    pub(crate) fn live(&mut self, rounds: usize, context: &str) {
        for round in 0..rounds {
            match round % 8 {
                // Many static objects come at once, and some time later nearly all objects go.
                1 => {
                    for _ in 0..150 {
                        let object = self.object(Mobility::Static);
                        self.insert(object);
                    }
                }
                2 | 3 => self.drift(),
                6 => {}
                7 if round % 16 == 15 => {
                    while self.twin.objects.len() > 20 {
                        let some = self.any().expect("there are more than 20");
                        self.remove(some);
                    }
                }
                _ => self.disturb(40),
            }
            self.step(context);
        }
    }
}

fn lives<S: Coordinate, const D: usize>(rounds: usize) {
    for (margin, seed) in [(0.0, 1), (0.25, 2), (0.3, 3)] {
        Fleet::<S, D>::new(margin, seed).live(rounds, &format!("{D}D, margin {margin}"));
    }
}

#[test]
fn in_three_dimensions() {
    lives::<f32, 3>(33);
    lives::<f64, 3>(17);
}

#[test]
fn in_two_dimensions() {
    lives::<f32, 2>(17);
    lives::<f64, 2>(33);
}

/// So many pairs that all parts of a step are shared out among threads.
#[test]
fn with_thousands_of_pairs() {
    let mut fleet = Fleet::<f32, 2>::new(0.25, 9);
    for count in 0..1500 {
        let object = fleet.object(if count % 3 == 0 { Mobility::Moving } else { Mobility::Static });
        fleet.insert(object);
    }
    for _ in 0..4 {
        fleet.step("many pairs");
        fleet.drift();
        fleet.disturb(20);
    }
    assert!(fleet.twin.current.len() > 8000, "{} pairs", fleet.twin.current.len());
}

/// One object passes thousands of static ones, hundreds at a time, and comes back.
#[test]
fn with_ever_new_static_partners() {
    let mut fleet = Fleet::<f64, 2>::new(0.25, 4);
    let wide = |x: f64, width: f64| Aabb::new([x, 0.0], [x + width, 1.0]);
    for post in 0..2500 {
        fleet.insert(Object::new_static(wide(f64::from(post), 0.25)));
    }
    let train = fleet.insert(Object::new_moving(wide(0.0, 300.0)));
    for stop in (0..10).chain((0..9).rev()) {
        fleet.set_aabb(train, wide(f64::from(stop) * 250.0, 300.0));
        fleet.step("passes");
        assert!(fleet.twin.current.len() >= 250);
    }
}
