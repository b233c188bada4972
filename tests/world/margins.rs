//! Pairs that start by the tight boxes and end by those with a margin.

use pivotgrid::{Aabb, Config, Handle, Object, World};

fn at(x: f64) -> Aabb<f64, 2> {
    Aabb::new([x, 0.0], [x + 1.0, 1.0])
}

fn lengths(world: &World<f64, 2>) -> [usize; 3] {
    let events = world.events();
    [events.started.len(), events.ongoing.len(), events.ended.len()]
}

/// The same for a moving and for a static partner, and when the partner changes from one to the other.
#[test]
fn a_pair_lasts_until_it_is_clear() {
    let mut world = World::<f64, 2>::with_config(Config::default(), 0.25).unwrap();
    let actor = world.insert(Object::new_moving(at(0.0)));
    for (here, other) in [(0.0, Object::new_moving(at(0.0))), (100.0, Object::new_static(at(100.0)))] {
        let other: Handle = world.insert(other);
        let mut gap = |gap: f64| {
            world.set_aabb(actor, at(here + 1.0 + gap)).unwrap();
            world.step();
            lengths(&world)
        };
        assert_eq!(gap(0.4), [0, 0, 0], "near is not enough to start");
        assert_eq!(gap(0.0), [1, 0, 0]);
        assert_eq!(gap(0.4), [0, 1, 0], "but enough to go on");
        assert_eq!(gap(0.5), [0, 1, 0], "grown boxes that touch");
        assert_eq!(gap(0.6), [0, 0, 1]);
        assert_eq!(gap(0.4), [0, 0, 0]);
        assert_eq!(gap(0.0), [1, 0, 0]);
        assert_eq!(gap(0.4), [0, 1, 0]);
        world.update(other, Object::new_static(at(here))).unwrap();
        world.step();
        assert_eq!(lengths(&world), [0, 1, 0], "it goes on when the other becomes static");
        world.remove(other).unwrap();
        world.step();
        assert_eq!(lengths(&world), [0, 0, 1]);
    }
}
