//! User data of objects, copies of worlds, and memory that is given back.

use pivotgrid::{Aabb, Ball, Handle, Object, Ray, Rows, World};

use crate::common::grid_config;
use crate::fleet::Fleet;

fn object(x: f64) -> Object<f64, 2> {
    Object::new_moving(Aabb::new([x, 0.0], [x + 1.0, 1.0]))
}

/// Slots are used again and again between two steps; the data of events is that of the objects that they name.
#[test]
fn data_is_that_of_the_object_and_no_other() {
    let mut world = World::<f64, 2>::with_config(grid_config(), 0.0).unwrap();
    let rock = world.insert(object(0.5).with_data(7));
    let mut guest = world.insert(object(0.0).with_data(100));
    let mut data = 100;
    for round in 0..20 {
        world.par_step();
        let told: Vec<_> = world.with_data(world.events().started).collect();
        let pair = if rock < guest { [(rock, 7), (guest, data)] } else { [(guest, data), (rock, 7)] };
        assert_eq!(told, [pair], "round {round}");
        let seen = (guest, data);
        for _ in 0..=round % 4 {
            world.remove(guest).unwrap();
            assert_eq!(world.data(guest), Some(data));
            data += 1;
            guest = world.insert(object(0.0).with_data(data));
            assert_eq!(world.data(guest), Some(data));
        }
        assert_eq!(world.data(seen.0), Some(seen.1), "round {round}, before the step");
        world.par_step();
        let ended: Vec<_> = world.with_data(world.events().ended).flatten().filter(|(handle, _)| *handle != rock).collect();
        assert_eq!(ended, [seen], "round {round}, after the step");
        // Away and back, so that it starts in the next round.
        world.set_aabb(guest, object(9.0).aabb).unwrap();
        world.par_step();
        world.set_aabb(guest, object(0.0).aabb).unwrap();
        data += 1;
        world.set_data(guest, data).unwrap();
        assert_eq!(world.get(guest).unwrap().data, data);
    }
    assert_eq!(world.data(Handle { index: 99, generation: 0 }), None);
    assert_eq!(world.data(Handle { index: guest.index, generation: guest.generation + 1 }), None);
}

/// A copy, and one that has given memory back, go on as the world does.
#[test]
fn copies_go_on_as_the_world_does() {
    for (margin, seed) in [(0.0, 5), (0.25, 6)] {
        let mut fleet = Fleet::<f32, 3>::new(margin, seed);
        for round in 0..6 {
            fleet.live(3, "before");
            for (number, (world, _)) in fleet.worlds.iter_mut().enumerate() {
                match (number + round) % 3 {
                    0 => *world = world.clone(),
                    1 => world.shrink_to_fit(),
                    _ => {}
                }
            }
            fleet.disturb(30);
            fleet.step("after");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn data_of_removed_objects_is_saved() {
    let mut world = World::<f64, 2>::new();
    let (one, other) = (world.insert(object(0.0).with_data(3)), world.insert(object(0.5).with_data(4)));
    world.step();
    world.remove(one).unwrap();
    let text = serde_json::to_string(&world).unwrap();
    let mut restored: World<f64, 2> = serde_json::from_str(&text).unwrap();
    restored.step();
    assert!(restored.with_data(restored.events().ended).eq([[(one, 3), (other, 4)]]));
    assert!(
        serde_json::from_str::<World<f64, 2>>(&text.replace("\"removed\":[[{\"index\":0", "\"removed\":[[{\"index\":1")).is_err()
    );
}

/// Hits and neighbors have the data of their objects, moving and static, removed since the step, and changed since.
#[test]
fn hits_have_the_data_of_their_objects() {
    let mut world = World::<f64, 2>::with_config(grid_config(), 0.0).unwrap();
    let one = world.insert(object(0.0).with_data(1));
    world.insert(Object::new_static(object(2.0).aabb).with_data(2));
    let gone = world.insert(object(4.0).with_data(3));
    world.step();
    world.set_data(one, 9).unwrap();
    world.remove(gone).unwrap();
    let ray = Ray::new([-1.0, 0.5], [1.0, 0.0]);
    let (mut hits, mut rows, mut near) = (Vec::new(), Rows::new(), Vec::new());
    let queries = world.queries();
    queries.ray_hits(&ray, &mut hits);
    assert_eq!(hits.iter().map(|hit| hit.data).collect::<Vec<_>>(), [9, 2, 3]);
    queries.par_ray_hits(&[ray], &mut rows);
    assert!(rows.row(0).iter().map(|hit| hit.data).eq([9, 2, 3]));
    assert_eq!(queries.first_hit(&ray).unwrap().data, 9);
    assert_eq!(queries.first_hit_by(&ray, |handle| (handle == gone).then_some(5.0)).unwrap().data, 3);
    queries.nearest([6.0, 0.5], 2, &mut near);
    assert!(near.iter().map(|near| near.data).eq([3, 2]));
    queries.within(&Ball::new([1.5, 0.5], 0.6), &mut near);
    assert!(near.iter().map(|near| near.data).eq([9, 2]) || near.iter().map(|near| near.data).eq([2, 9]));
}
