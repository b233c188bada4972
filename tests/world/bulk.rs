//! Many changes at once are the same as many changes.

use pivotgrid::{Aabb, Mobility};

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
