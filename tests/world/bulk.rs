//! Many changes at once are the same as many changes.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pivotgrid::{Aabb, ForkJoin, Handle, Mobility, Object, StaleHandle, World};

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
            pool(2).install(|| {
                world.par_for_each_moving(|handle, aabb| *aabb = if handle.index % 2 == 0 { shifted(*aabb) } else { *aabb })
            });
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

/// Threads of its own for each pass.
struct Spawned(usize);

impl ForkJoin for Spawned {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..self.0).for_each(|worker| _ = scope.spawn(move || work(worker))));
    }
}

/// Worlds whose objects come and go one by one, all at once, and on several threads.
struct Turnover {
    one_by_one: World<f64, 2>,
    worlds: [World<f64, 2>; 4],
}

impl Turnover {
    fn insert(&mut self, objects: &[Object<f64, 2>]) -> Vec<Handle> {
        let handles: Vec<Handle> = objects.iter().map(|&object| self.one_by_one.insert(object)).collect();
        let [serial, two, three, own] = &mut self.worlds;
        let mut given = [(); 4].map(|()| vec![handles[0]; 3]);
        serial.insert_all(objects, &mut given[0]);
        pool(2).install(|| two.par_insert_all(objects, &mut given[1]));
        pool(3).install(|| three.try_par_insert_all(objects, &mut given[2])).unwrap();
        own.on(&Spawned(3)).insert_all(objects, &mut given[3]);
        assert!(given.iter().all(|given| *given == handles));
        self.check();
        handles
    }

    fn remove(&mut self, handles: &[Handle]) -> Result<(), StaleHandle> {
        let outcome = handles.iter().try_for_each(|&handle| self.one_by_one.remove(handle).map(drop));
        let [serial, two, three, own] = &mut self.worlds;
        assert_eq!(serial.remove_all(handles), outcome);
        assert_eq!(pool(2).install(|| two.par_remove_all(handles)), outcome);
        assert_eq!(pool(3).install(|| three.par_remove_all(handles)), outcome);
        assert_eq!(own.on(&Spawned(3)).remove_all(handles), outcome);
        self.check();
        outcome
    }

    fn check(&self) {
        for world in &self.worlds {
            assert!(world.len() == self.one_by_one.len() && world.iter().eq(self.one_by_one.iter()));
            assert!(world.iter().all(|(handle, object)| world.get(handle) == Ok(object)));
        }
    }

    fn step(&mut self) -> usize {
        let expected = self.one_by_one.step();
        for world in &mut self.worlds {
            assert_eq!(world.par_step(), expected);
        }
        expected.ended.len()
    }
}

#[test]
fn objects_that_come_and_go_all_at_once_are_those_one_by_one() {
    let mut turnover = Turnover { one_by_one: World::new(), worlds: Default::default() };
    let object = |i: u32, number: u64| {
        let aabb = Aabb::new([f64::from(i % 997), 0.0], [f64::from(i % 997) + 0.3, 1.0]);
        Object::new_moving(aabb).with_data(number)
    };
    let mut there: Vec<Handle> = Vec::new();
    for round in 0..8u32 {
        let objects: Vec<_> = (0..9000u32)
            .map(|i| match object(i * (round + 1), u64::from(round * 9000 + i + 1)) {
                moving if round % 3 == 1 && i % 10 == 3 => Object { mobility: Mobility::Static, ..moving },
                moving => moving,
            })
            .collect();
        let given = turnover.insert(&objects);
        turnover.step();
        there.extend(given);
        // Some stay, in different places.
        let mut gone: Vec<Handle> = match round {
            0 => std::mem::take(&mut there),
            1 => there.drain(2000..7000).collect(),
            2 => there.drain(7000..).rev().collect(),
            3 => there.drain(..9000).collect(),
            _ => there.extract_if(.., |handle| handle.index.wrapping_mul(0x9e37_79b1) >> 30 != 1).collect(),
        };
        if round > 4 {
            gone.sort_unstable_by_key(|handle| handle.index.wrapping_mul(0x85eb_ca6b));
        }
        let data: Vec<_> = gone.iter().map(|&handle| turnover.one_by_one.data(handle)).collect();
        if round % 2 == 0 {
            turnover.remove(&gone).unwrap();
        } else {
            // Twice the same, and one that is not there any more: those before are gone, and no others.
            let mut wrong = gone.clone();
            wrong[4500] = wrong[17];
            assert_eq!(turnover.remove(&wrong).unwrap_err().handle, gone[17]);
            assert_eq!(turnover.remove(&gone[4500..4501]), Ok(()));
            let mut rest = gone[4501..].to_vec();
            rest.insert(rest.len() / 2, gone[3]);
            let half = 4501 + (rest.len() - 1) / 2;
            assert_eq!(turnover.remove(&rest).unwrap_err().handle, gone[3]);
            turnover.remove(&gone[half..]).unwrap();
        }
        for world in turnover.worlds.iter().chain([&turnover.one_by_one]) {
            assert!(gone.iter().map(|&handle| world.data(handle)).eq(data.iter().copied()), "data of those that are gone");
        }
        assert!(turnover.step() > 100, "pairs have ended");
    }
}

/// A function that moves objects panics, on one thread or on several: the panic arrives, each object has its old box or the new one, and
/// the next step is about those.
#[test]
fn a_panic_while_objects_are_moved_costs_nothing() {
    let objects: Vec<_> = (0..9000)
        .map(|number: u16| {
            let at = [f32::from(number % 150), f32::from(number / 150)];
            let bounds = Aabb::new(at, [at[0] + 0.5, at[1] + 0.5]);
            if number.is_multiple_of(7) { Object::new_static(bounds) } else { Object::new_moving(bounds) }
        })
        .collect();
    let shifted = |aabb: Aabb<f32, 2>| Aabb { min: aabb.min.map(|x| x + 0.6), max: aabb.max.map(|x| x + 0.6) };
    let (mut world, mut handles) = (World::<f32, 2>::new(), Vec::new());
    world.insert_all(&objects, &mut handles);
    world.par_step();
    for (threads, victim) in [(1, 5), (1, 8999), (3, 17), (3, 4000)] {
        let before: Vec<_> = handles.iter().map(|&handle| world.get(handle).unwrap().aabb).collect();
        let update = |handle: Handle, aabb: &mut Aabb<f32, 2>| {
            if handle == handles[victim] {
                resume_unwind(Box::new(victim));
            }
            *aabb = shifted(*aabb);
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| pool(threads).install(|| world.par_for_each_moving(update))));
        assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&victim));
        let (mut twin, mut moved) = (World::<f32, 2>::new(), 0);
        for (&handle, before) in handles.iter().zip(&before) {
            let object = *world.get(handle).unwrap();
            assert!(object.aabb == *before || object.aabb == shifted(*before) && object.mobility == Mobility::Moving);
            moved += usize::from(object.aabb != *before);
            assert_eq!(twin.insert(object), handle);
        }
        assert!(moved < objects.len() && (victim < 10 || moved > 0), "{moved} of {}", objects.len());
        twin.step();
        pool(threads).install(|| world.par_step());
        assert!(world.len() == objects.len() && world.pairs() == twin.pairs());
    }
}
