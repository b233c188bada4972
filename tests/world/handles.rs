//! Handles, stale ones above all, and what happens to an object and its pairs.

use pivotgrid::{Aabb, Config, ConfigError, Groups, Handle, Mobility, Object, RejectReason, StaleHandle, World, WorldError};

type Box2 = Aabb<f32, 2>;

fn unit(x: f32) -> Box2 {
    Aabb::new([x, 0.0], [x + 1.0, 1.0])
}

#[track_caller]
fn assert_stale(world: &mut World<f32, 2>, handle: Handle) {
    let before = format!("{:?}", world.iter().collect::<Vec<_>>());
    let stale = StaleHandle { handle };
    assert_eq!(world.get(handle), Err(stale));
    assert_eq!(world.set_aabb(handle, unit(0.0)), Err(stale));
    assert_eq!(world.update(handle, Object::new_moving(unit(0.0))), Err(stale));
    assert_eq!(world.update(handle, Object::new_static(unit(0.0))), Err(stale));
    assert_eq!(world.remove(handle), Err(stale));
    assert!(!world.contains(handle));
    assert_eq!(format!("{:?}", world.iter().collect::<Vec<_>>()), before, "nothing has changed");
}

#[test]
fn stale_handles_are_errors_in_all_operations() {
    let mut world = World::<f32, 2>::new();
    let nobody = Handle { index: 0, generation: 0 };
    assert_stale(&mut world, nobody);
    for object in [Object::new_moving(unit(0.0)), Object::new_static(unit(0.0))] {
        let (first, second) = (world.insert(object), world.insert(object));
        world.par_step();
        assert_eq!(world.remove(first), Ok(object));
        assert_stale(&mut world, first);
        world.par_step();
        assert_stale(&mut world, first);
        let third = world.insert(object);
        assert_eq!((third.index, third.generation), (first.index, first.generation + 1), "the slot is used again");
        assert_stale(&mut world, first);
        for made_up in [Handle { generation: third.generation + 1, ..third }, Handle { index: u32::MAX, generation: 0 }] {
            assert_stale(&mut world, made_up);
        }
        assert_eq!((world.get(second), world.get(third)), (Ok(&object), Ok(&object)));
        assert_eq!((world.remove(second), world.remove(third)), (Ok(object), Ok(object)));
        assert!(world.is_empty());
    }
    let message = StaleHandle { handle: Handle { index: 7, generation: 3 } }.to_string();
    assert!(message.contains("handle 7 of generation 3"), "{message}");
}

#[test]
fn a_pair_of_a_removed_object_ends_with_the_old_handle() {
    let mut world = World::<f32, 2>::new();
    let [floor, actor] = [Object::new_static(unit(0.0)), Object::new_moving(unit(0.5))].map(|object| world.insert(object));
    assert_eq!(world.par_step().started, [(floor, actor)]);
    let object = world.remove(actor).unwrap();
    let reborn = world.insert(object);
    assert_eq!(reborn.index, actor.index);
    let events = world.par_step();
    assert_eq!((events.started, events.ongoing, events.ended), (&[(floor, reborn)][..], &[][..], &[(floor, actor)][..]));
    // The same for the static one, whose place is used again, too.
    let object = world.remove(floor).unwrap();
    let rebuilt = world.insert(object);
    let events = world.par_step();
    assert_eq!((events.started, events.ongoing, events.ended), (&[(rebuilt, reborn)][..], &[][..], &[(floor, reborn)][..]));
}

#[test]
fn objects_change_between_moving_and_static() {
    let mut world = World::<f32, 2>::new();
    let handles = [0.0, 0.5, 1.0].map(|x| world.insert(Object::new_moving(unit(x))));
    let [a, b, c] = handles;
    assert_eq!(world.step().started, [(a, b), (a, c), (b, c)]);
    let freeze = |world: &mut World<f32, 2>, handle| {
        let object = *world.get(handle).unwrap();
        world.update(handle, Object { mobility: Mobility::Static, ..object }).unwrap();
    };
    freeze(&mut world, a);
    assert_eq!(world.step().ongoing, [(a, b), (a, c), (b, c)], "pairs go on");
    freeze(&mut world, c);
    let events = world.step();
    assert_eq!((events.ongoing, events.ended), (&[(a, b), (b, c)][..], &[(a, c)][..]), "static objects do not pair");
    freeze(&mut world, b);
    assert_eq!(world.step().ended, [(a, b), (b, c)]);
    world.update(b, Object::new_moving(unit(0.5))).unwrap();
    assert_eq!(world.step().started, [(a, b), (b, c)]);
    world.update(b, Object::new_moving(unit(0.5)).with_groups(Groups::NONE)).unwrap();
    assert_eq!(world.step().ended, [(a, b), (b, c)]);
    assert_eq!(handles.map(|handle| world.get(handle).unwrap().mobility as u8), [1, 0, 1]);
}

#[test]
fn what_is_set_is_there_and_nothing_else_changes() {
    let mut world = World::<f32, 2>::new();
    for object in [Object::new_moving(unit(0.0)), Object::new_static(unit(0.0))] {
        let object = object.with_groups(Groups { body: 3, ..Groups::default() }).with_data(7);
        let handle = world.insert(object);
        world.set_swept(handle, unit(1.0), unit(5.0)).unwrap();
        let swept = Object { aabb: unit(1.0), sweep_to: Some(unit(5.0)), ..object };
        assert_eq!(world.get(handle), Ok(&swept));
        world.set_data(handle, 8).unwrap();
        assert_eq!(world.get(handle), Ok(&swept.with_data(8)));
        world.set_aabb(handle, unit(2.0)).unwrap();
        assert_eq!(world.get(handle), Ok(&Object { aabb: unit(2.0), data: 8, ..object }));
    }
    assert_eq!(world.len(), 2);
}

#[test]
fn bad_boxes_are_reported_by_handle_and_cost_nobody_else() {
    let nan = Aabb::new([0.0, f32::NAN], [9.0, 1.0]);
    // Narrow: with the margin it would be valid.
    let inverted = Aabb::new([0.6, 0.0], [0.5, 1.0]);
    let everywhere = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    let mut world = World::<f32, 2>::with_config(Config::default(), 0.5).unwrap();
    let [a, b] = [unit(0.0), everywhere].map(|aabb| world.insert(Object::new_moving(aabb)));
    let bad = [Object::new_moving(nan), Object::new_static(inverted), Object::new_moving(inverted), Object::new_static(nan)]
        .map(|object| world.insert(object));
    let wall = world.insert(Object::new_static(unit(0.5)));
    use RejectReason::{Inverted, NotANumber};
    for _ in 0..2 {
        world.par_step();
        assert_eq!(world.pairs(), [(a, b), (a, wall), (b, wall)]);
        assert_eq!(world.rejected(), [(bad[0], NotANumber), (bad[1], Inverted), (bad[2], Inverted), (bad[3], NotANumber)]);
    }
    for handle in [bad[0], bad[1]] {
        world.set_aabb(handle, unit(70.0)).unwrap();
    }
    world.remove(bad[3]).unwrap();
    world.set_aabb(wall, inverted).unwrap();
    let events = world.par_step();
    assert_eq!(events.started, [(b, bad[0]), (b, bad[1]), (bad[0], bad[1])]);
    assert_eq!(events.ended, [(a, wall), (b, wall)]);
    assert_eq!(world.rejected(), [(bad[2], Inverted), (wall, Inverted)]);
}

#[test]
fn wrong_settings_are_refused() {
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        let error = World::<f64, 3>::with_config(Config::default(), margin).unwrap_err();
        assert!(matches!(error, WorldError::Margin(_)) && error.to_string().contains("margin"), "{error}");
    }
    let error = World::<f64, 3>::with_config(Config::default().cell_size(-1.0), 0.0).unwrap_err();
    assert_eq!(error, WorldError::Config(ConfigError::CellSize(-1.0)));
    assert_eq!(World::<f64, 3>::with_config(Config::default(), 0.25).unwrap().margin(), 0.25);
}

#[test]
fn a_world_without_anything() {
    let mut world = World::<f64, 3>::default();
    for _ in 0..2 {
        let events = world.par_step();
        assert!(events.started.is_empty() && events.ongoing.is_empty() && events.ended.is_empty());
        assert!(
            world.is_empty() && world.pairs().is_empty() && world.rejected().is_empty() && world.moving_mut().next().is_none()
        );
    }
}

#[test]
fn worlds_go_where_their_user_goes() {
    fn is_fine<T: Send + Sync + std::fmt::Debug>() {}
    is_fine::<World<f32, 2>>();
    is_fine::<World<f64, 3>>();
}
