//! A steady world allocates nothing: neither its steps, nor moving, removing and inserting objects between them.

use pivotgrid::{Aabb, Config, Handle, Object, World};

use crate::account::Account;
use crate::common::Rng;

/// A world in which moving objects swing between two places.
struct Swing {
    world: World<f32, 3>,
    moving: Vec<(Handle, [Aabb<f32, 3>; 2])>,
}

const WARM_UP: usize = 6;
const MEASURED: usize = 20;

impl Swing {
    fn new(moving: usize, statics: usize, margin: f32) -> Self {
        let rng = &mut Rng(7);
        let edge = 2.0 * ((moving + statics) as f64).cbrt();
        let mut aabb = || {
            let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
            Aabb::around(center, [rng.within(0.3, 0.9) as f32; 3])
        };
        let mut world = World::with_config(Config::default(), margin).expect("valid settings");
        for _ in 0..statics {
            world.insert(Object::new_static(aabb()));
        }
        let moving = (0..moving)
            .map(|_| {
                let here = aabb();
                let there = Aabb { min: here.min.map(|bound| bound + 0.4), max: here.max.map(|bound| bound + 0.4) };
                (world.insert(Object::new_moving(here)), [here, there])
            })
            .collect();
        Swing { world, moving }
    }

    /// Moves all, replaces some, and takes a step.
    fn step(&mut self, number: usize) {
        for (handle, places) in &self.moving {
            self.world.set_aabb(*handle, places[number % 2]).expect("it is there");
        }
        for (handle, places) in self.moving.iter_mut().step_by(97) {
            self.world.remove(*handle).expect("it is there");
            *handle = self.world.insert(Object::new_moving(places[number % 2]));
        }
        let events = self.world.par_step();
        assert!(number == 0 || !(events.started.is_empty() || events.ongoing.is_empty() || events.ended.is_empty()));
    }
}

fn allocates_nothing(threads: usize, moving: usize, statics: usize, margin: f32) {
    let account = Account::open();
    let pool = account.lasting_pool(threads);
    let mut swing = Swing::new(moving, statics, margin);
    let counted: [usize; WARM_UP + MEASURED] = pool.install(|| {
        std::array::from_fn(|number| {
            let before = account.allocations();
            swing.step(number);
            account.allocations() - before
        })
    });
    assert!(counted[0] > 0, "the counter counts");
    assert_eq!(counted[WARM_UP..], [0; MEASURED], "{threads} threads, {moving} moving, {statics} static: {counted:?}");
}

#[test]
fn on_one_thread() {
    allocates_nothing(1, 6000, 6000, 0.0);
    allocates_nothing(1, 500, 20_000, 0.05);
}

#[test]
fn on_two_threads() {
    allocates_nothing(2, 6000, 6000, 0.05);
    allocates_nothing(2, 500, 20_000, 0.0);
}

#[test]
fn on_four_threads() {
    allocates_nothing(4, 6000, 6000, 0.0);
}
