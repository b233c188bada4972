//! Many changes at once are the same as many changes.

use pivotgrid::{Aabb, Mobility, Object, World};

use crate::common::pool;
use crate::fleet::Fleet;

#[test]
fn bulk_changes_are_those_one_by_one() {
    let mut fleet = Fleet::<f32, 3>::new(0.25, 7);
    fleet.wild = false;
    let mut handles = Vec::new();
    for round in 0..6 {
        let objects: Vec<_> = (0..200)
            .map(|number| {
                let mobility = if number % 3 == 0 { Mobility::Static } else { Mobility::Moving };
                fleet.object(mobility)
            })
            .collect();
        for (world, _) in &mut fleet.worlds {
            world.insert_all(&objects, &mut handles);
        }
        handles.iter().zip(&objects).for_each(|(&handle, &object)| assert!(fleet.twin.objects.insert(handle, object).is_none()));
        fleet.step("inserted");
        let gone: Vec<_> = handles.iter().copied().skip(round).step_by(3).collect();
        let boxes: Vec<_> =
            handles.iter().filter(|handle| !gone.contains(handle)).map(|&handle| (handle, fleet.aabb())).collect();
        for (world, _) in &mut fleet.worlds {
            world.remove_all(&gone).unwrap();
            assert_eq!(world.remove_all(&gone[..1]).unwrap_err().handle, gone[0]);
            world.set_aabbs(&boxes).unwrap();
            assert!(world.set_aabbs(&[(gone[1], boxes[0].1)]).is_err());
        }
        fleet.twin.objects.retain(|handle, _| !gone.contains(handle));
        boxes.iter().for_each(|(handle, aabb)| fleet.twin.objects.get_mut(handle).unwrap().aabb = *aabb);
        fleet.step("changed");
        let shifted = |aabb: Aabb<f32, 3>| Aabb { min: aabb.min.map(|x| x + 0.5), max: aabb.max.map(|x| x + 0.5) };
        for (world, _) in &mut fleet.worlds {
            pool(2).install(|| world.par_move(|handle, aabb| *aabb = if handle.index % 2 == 0 { shifted(*aabb) } else { *aabb }));
        }
        let moving =
            fleet.twin.objects.iter_mut().filter(|(handle, object)| handle.index % 2 == 0 && object.mobility == Mobility::Moving);
        moving.for_each(|(_, object)| object.aabb = shifted(object.aabb));
        fleet.step("moved");
    }
}

/// Many boxes at once, on several threads: several for one object, static objects, and a stale handle in the midst.
#[test]
fn boxes_set_in_parallel_are_those_set_one_by_one() {
    let at = |x: f64| Aabb::new([x, 0.0], [x + 0.5, 1.0]);
    let mut one = World::<f64, 2>::new();
    let objects: Vec<_> = (0..9000u32)
        .map(|i| if i % 10 == 3 { Object::new_static(at(f64::from(i))) } else { Object::new_moving(at(f64::from(i))) })
        .collect();
    let mut handles = Vec::new();
    one.insert_all(&objects, &mut handles);
    for handle in handles.iter().skip(5).step_by(50) {
        one.remove(*handle).unwrap();
    }
    let is_there = |handle: &&pivotgrid::Handle| one.contains(**handle);
    let mut boxes: Vec<_> =
        handles.iter().filter(is_there).zip(0..).map(|(&handle, i)| (handle, at(f64::from(i) * 0.7))).collect();
    let again: Vec<_> = boxes.iter().step_by(3).map(|&(handle, aabb)| (handle, at(aabb.min[0] + 3.0))).collect();
    boxes.extend(again);
    let mut other = one.clone();
    one.set_aabbs(&boxes).unwrap();
    pool(3).install(|| other.par_set_aabbs(&boxes)).unwrap();
    assert!(one.iter().eq(other.iter()));
    assert_eq!(one.step(), other.step());
    boxes.swap(0, 7000);
    boxes[6000].0 = handles[5];
    let stale = one.set_aabbs(&boxes).unwrap_err();
    assert_eq!(pool(3).install(|| other.par_set_aabbs(&boxes)).unwrap_err(), stale);
    assert_eq!(stale.handle, handles[5]);
    assert!(one.iter().eq(other.iter()), "those before it have moved");
    assert_eq!(one.step(), other.step());
}
