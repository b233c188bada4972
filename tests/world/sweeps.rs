//! MovingBox objects of a world, against all pairs of [`MovingBox`]s.

use std::collections::BTreeSet;

use pivotgrid::{Aabb, Bounded, Handle, Mobility, MovingBox, Object, World};

use crate::common::{Coordinate, Rng, grid_config, pool};

fn way<S: Coordinate, const D: usize>(object: &Object<S, D>, margin: S) -> MovingBox<S, D> {
    let to = object.sweep_to.filter(|_| object.mobility == Mobility::Moving).unwrap_or(object.aabb);
    MovingBox::new(object.aabb.with_margin(margin), to.with_margin(margin))
}

fn sweeps<S: Coordinate, const D: usize>(margin: f64) {
    let (rng, margin) = (&mut Rng(11), S::of(margin));
    let place = |rng: &mut Rng| -> Aabb<S, D> {
        let at: [S; D] = std::array::from_fn(|_| S::of((rng.within(0.0, 60.0 / D as f64) * 4.0).round() / 4.0));
        Aabb::around(at, [S::of(0.5); D])
    };
    let mut worlds: Vec<World<S, D>> = (0..3).map(|_| World::with_config(grid_config(), margin).unwrap()).collect();
    let mut handles: Vec<Handle> = Vec::new();
    for number in 0..500 {
        let (from, to) = (place(rng), place(rng));
        let object = match number % 3 {
            0 => Object::new_static(from),
            1 => Object::new_moving(from),
            _ => Object::new_swept(from, to),
        };
        handles = worlds.iter_mut().map(|world| world.insert(object)).collect();
        assert!(handles.iter().all(|handle| *handle == handles[0]));
    }
    let all: Vec<Handle> = worlds[0].iter().map(|(handle, _)| handle).collect();
    assert_eq!(all.len(), 500);
    drop(handles);
    let mut before: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    let mut apart_in_time = 0;
    for step in 0..5 {
        let objects: Vec<Object<S, D>> = all.iter().map(|&handle| *worlds[0].get(handle).unwrap()).collect();
        let mut now = BTreeSet::new();
        for (i, one) in objects.iter().enumerate() {
            for (j, other) in objects.iter().enumerate().skip(i + 1) {
                let moves = one.mobility == Mobility::Moving || other.mobility == Mobility::Moving;
                let meet = |margin: S| {
                    way(one, margin).pairs_with(&way(other, margin))
                        && way(one, margin).aabb().overlaps(&way(other, margin).aabb())
                };
                let pair = (all[i], all[j]);
                if moves && meet(margin) && (before.contains(&pair) || meet(S::of(0.0))) {
                    now.insert(pair);
                } else if moves && way(one, margin).aabb().overlaps(&way(other, margin).aabb()) {
                    apart_in_time += 1;
                }
            }
        }
        for (number, world) in worlds.iter_mut().enumerate() {
            let events = match number {
                0 => world.step(),
                _ => pool(number).install(|| world.par_step()),
            };
            assert!(events.started.iter().eq(now.difference(&before)), "step {step}");
            assert!(events.ongoing.iter().eq(now.intersection(&before)), "step {step}");
            assert!(events.ended.iter().eq(before.difference(&now)), "step {step}");
        }
        before = now;
        for &handle in all.iter().skip(step).step_by(2) {
            let (from, to) = (place(rng), place(rng));
            for world in &mut worlds {
                match handle.index % 5 {
                    0 => world.set_aabb(handle, from).unwrap(),
                    _ => world.set_swept(handle, from, to).unwrap(),
                }
            }
        }
    }
    assert!(before.len() > 50 && apart_in_time > 100);
    // An end that is no box is reported.
    let nan = Aabb::new([S::of(f64::NAN); D], [S::of(1.0); D]);
    let bad = worlds[0].insert(Object::new_swept(place(rng), nan));
    worlds[0].step();
    assert!(worlds[0].rejected().iter().any(|(handle, _)| *handle == bad));
}

#[test]
fn in_3d() {
    sweeps::<f32, 3>(0.0);
    sweeps::<f64, 3>(0.25);
}

#[test]
fn in_2d() {
    sweeps::<f32, 2>(0.25);
    sweeps::<f64, 2>(0.0);
}
