//! Trackers and worlds that are refused memory, in every allocation once and by a limit: an update or a step that is refused is as if
//! it had not been, and the next one is exact.

use pivotgrid::{Aabb, BroadPhase, Config, DetectError, Handle, Mobility, Object, PairTracker, World};

use crate::account::Account;
use crate::common::{Placement, Scene, Sizes, grid_config};

fn boxes(n: usize, seed: u64) -> Vec<Aabb<f32, 3>> {
    let extent = 1.3 * (n as f64).cbrt();
    Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent, origin: 0.0, seed }.boxes()
}

/// Started, ongoing and ended.
type Told<K> = [Vec<(K, K)>; 3];

fn told<K: Copy>(events: pivotgrid::Events<'_, (K, K)>) -> Told<K> {
    [events.started, events.ongoing, events.ended].map(<[_]>::to_vec)
}

#[test]
fn every_allocation_of_an_update_fails_once() {
    let account = Account::open();
    // Keys by index, and keys in another order, which change from step to step.
    let keys: [fn(u32, u32) -> u32; 2] = [|index, _| index, |index, step| (index * 7919 + step * (index % 5)) % 4001];
    let cases = [(1, false), (3, false), (1, true), (3, true)];
    for (threads, is_new, key) in cases.into_iter().flat_map(|(threads, is_new)| keys.map(|key| (threads, is_new, key))) {
        let pool = account.pool(threads);
        let mut engines = [1, 2].map(|seed| {
            let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
            engine.detect(&boxes(2500, seed));
            engine
        });
        let [before, after] = engines.each_mut().map(|engine| engine.debug_view().pairs());
        let mut tracker = PairTracker::new();
        if !is_new {
            pool.install(|| tracker.par_update(before.keyed_by(|index| key(index, 0))));
        }
        let (old_events, old_pairs) = (told(tracker.events()), tracker.current().to_vec());
        let mut twin = tracker.clone();
        let expected = told(twin.update(after.keyed_by(|index| key(index, 1))));
        assert!(expected.iter().all(|list| is_new || list.len() > 10) && before.len() + after.len() > 4000);
        let mut refused = 0;
        for number in 1.. {
            // A copy has no room to spare.
            let mut tracker = tracker.clone();
            let (outcome, failed) = pool.install(|| {
                account.with_failing(number, || tracker.try_par_update(after.keyed_by(|index| key(index, 1))).map(|_| ()))
            });
            match outcome {
                Ok(()) => assert!(told(tracker.events()) == expected, "allocation {number}"),
                Err(DetectError::OutOfMemory { needed }) => {
                    assert!(failed && needed > 0);
                    assert!(told(tracker.events()) == old_events && tracker.current() == old_pairs, "allocation {number}");
                    let again = pool.install(|| told(tracker.try_par_update(after.keyed_by(|index| key(index, 1))).unwrap()));
                    assert!(again == expected, "after allocation {number}");
                    refused += 1;
                }
                Err(other) => panic!("allocation {number}: {other}"),
            }
            if !failed {
                println!("{threads} threads: {refused} of {} allocations were refused", number - 1);
                assert!(refused > 2);
                break;
            }
        }
    }
}

/// A world with moving and static objects; after a step, and with changes of both kinds since, if there are to be some.
fn used(config: &Config, changes: usize) -> (World<f32, 3>, Vec<Handle>) {
    let mut world = World::with_config(config.clone(), 0.05).unwrap();
    let object = |(number, bounds): (usize, Aabb<f32, 3>)| match number % 2 {
        0 => Object::new_moving(bounds),
        _ => Object::new_static(bounds),
    };
    let handles: Vec<Handle> = boxes(700, 3).into_iter().enumerate().map(|it| world.insert(object(it))).collect();
    if changes > 0 {
        world.par_step();
    }
    for (&handle, bounds) in handles.iter().zip(boxes(700, 4)).take(changes) {
        world.set_aabb(handle, bounds).unwrap();
    }
    (world, handles)
}

#[test]
fn every_allocation_of_a_step_of_a_world_fails_once() {
    let account = Account::open();
    // Few changes are made one by one, many by building anew. Without, it is the first step.
    for (threads, changes) in [(1, 60), (3, 60), (1, 500), (2, 0)] {
        let pool = account.pool(threads);
        let config = grid_config();
        let (mut twin, _) = pool.install(|| used(&config, changes));
        let expected = told(pool.install(|| twin.par_step()));
        let expected_pairs = twin.pairs().to_vec();
        assert!(expected.iter().all(|list| changes == 0 || !list.is_empty()) && !expected[0].is_empty());
        let mut refused = 0;
        for number in 1.. {
            let (mut world, handles) = pool.install(|| used(&config, changes));
            let old_pairs = world.pairs().to_vec();
            let (outcome, failed) = pool.install(|| account.with_failing(number, || world.try_par_step().map(|_| ())));
            match outcome {
                Ok(()) => assert!(told(world.events()) == expected, "allocation {number}"),
                Err(DetectError::OutOfMemory { .. }) => {
                    assert!(failed);
                    refused += 1;
                    assert!(told(world.events()).iter().all(Vec::is_empty) && world.rejected().is_empty());
                    assert!(world.pairs() == old_pairs && world.len() == 700 && world.get(handles[7]).is_ok());
                    let mut found = Vec::new();
                    world.queries().overlapping(&Aabb::new([f32::MIN; 3], [f32::MAX; 3]), &mut found);
                    assert!(found.is_empty(), "an answer of an unknown step");
                    let again = pool.install(|| told(world.try_par_step().unwrap()));
                    assert!(again == expected, "after allocation {number}");
                }
                Err(other) => panic!("allocation {number}: {other}"),
            }
            assert!(world.pairs() == expected_pairs, "allocation {number}");
            let mut found = Vec::new();
            world.queries().overlapping(&Aabb::new([f32::MIN; 3], [f32::MAX; 3]), &mut found);
            assert_eq!(found.len(), 700);
            if !failed {
                println!("{threads} threads, {changes} changes: {refused} of {} allocations were refused", number - 1);
                assert!(refused > 2);
                break;
            }
        }
    }
}

#[test]
fn every_allocation_of_a_change_of_a_world_fails_once() {
    let account = Account::open();
    let bounds = boxes(600, 5);
    for number in 1.. {
        let mut world = World::<f32, 3>::with_config(grid_config(), 0.0).unwrap();
        let mut handles: Vec<Handle> = Vec::with_capacity(bounds.len());
        let mut changed = 0;
        let (outcome, failed) = account.with_failing(number, || {
            for (at, &bounds) in bounds.iter().enumerate() {
                let object = if at % 2 == 0 { Object::new_moving(bounds) } else { Object::new_static(bounds) };
                handles.push(world.try_insert(object)?);
                if at % 3 == 0 {
                    let other = if at % 2 == 0 { Object::new_static(bounds) } else { Object::new_moving(bounds) };
                    world.try_update(handles[at], other)?.expect("there is one");
                    changed += 1;
                }
            }
            Ok::<(), DetectError>(())
        });
        assert_eq!(outcome.is_err(), failed, "allocation {number}");
        assert_eq!(world.len(), handles.len());
        for (at, (&handle, &bounds)) in handles.iter().zip(&bounds).enumerate() {
            let became_other = at % 3 == 0 && at / 3 < changed;
            let mobility = if (at % 2 == 0) == became_other { Mobility::Static } else { Mobility::Moving };
            let object = world.get(handle).unwrap();
            assert!(object.aabb == bounds && object.mobility == mobility, "allocation {number}, object {at}");
        }
        // Taking out takes no memory.
        let before = account.allocations();
        for &handle in &handles {
            world.remove(handle).unwrap();
        }
        assert_eq!(account.allocations(), before);
        assert!(world.try_step().is_ok() && world.is_empty());
        if !failed {
            println!("{number} allocations");
            assert!(number > 20);
            break;
        }
    }
}

/// Many at once: a refused insertion changes nothing, and taking out goes on without memory.
#[test]
fn every_allocation_of_many_changes_of_a_world_fails_once() {
    let account = Account::open();
    let objects: Vec<_> = boxes(9000, 5).into_iter().map(Object::new_moving).collect();
    let pool = account.pool(2);
    for number in 1.. {
        let mut world = World::<f32, 3>::with_config(grid_config(), 0.0).unwrap();
        let (mut handles, mut more) = (Vec::new(), Vec::new());
        world.insert_all(&objects[..500], &mut handles);
        let before: Vec<_> = world.iter().map(|(handle, &object)| (handle, object)).collect();
        let (outcome, failed) =
            pool.install(|| account.with_failing(number, || world.try_par_insert_all(&objects[500..], &mut more)));
        assert_eq!(outcome.is_err(), failed, "allocation {number}");
        if failed {
            assert!(world.iter().eq(before.iter().map(|(handle, object)| (*handle, object))) && more.is_empty());
            world.insert_all(&objects[500..], &mut more);
        }
        handles.append(&mut more);
        assert!(handles.iter().zip(&objects).all(|(&handle, object)| world.get(handle) == Ok(object)));
        let (outcome, removal_failed) = pool.install(|| account.with_failing(number, || world.par_remove_all(&handles[300..])));
        assert_eq!((outcome, world.len()), (Ok(()), 300));
        assert!(handles[..300].iter().zip(&objects).all(|(&handle, object)| world.get(handle) == Ok(object)));
        if !failed && !removal_failed {
            println!("{number} allocations");
            assert!(number > 5);
            break;
        }
    }
}

#[test]
fn a_world_over_its_limit_has_an_error_and_a_way_back() {
    let mut world = World::<f32, 3>::with_config(Config::default().max_bytes(300_000), 0.0).unwrap();
    let walls: Vec<Handle> = boxes(20_000, 6).into_iter().map(|bounds| world.insert(Object::new_static(bounds))).collect();
    for bounds in boxes(100, 7) {
        world.insert(Object::new_moving(bounds));
    }
    for _ in 0..3 {
        let error = world.try_par_step().unwrap_err();
        assert!(matches!(error, DetectError::OverBudget { max_bytes: 300_000, .. }), "{error}");
        assert_eq!((world.len(), world.pairs().len()), (20_100, 0));
    }
    for &wall in &walls[100..] {
        world.remove(wall).unwrap();
    }
    let found = told(world.try_par_step().unwrap());
    let mut twin = World::<f32, 3>::new();
    for (_, object) in world.iter() {
        twin.insert(*object);
    }
    assert_eq!(found[0].len(), twin.step().started.len());
    assert!(found[0].len() > 10);
    let mut all = Vec::new();
    world.queries().overlapping(&Aabb::new([f32::MIN; 3], [f32::MAX; 3]), &mut all);
    assert_eq!(all, world.iter().map(|(handle, _)| handle).collect::<Vec<_>>());
    // And on it goes.
    let other = world.insert(Object::new_static(boxes(1, 8)[0]));
    world.remove(walls[3]).unwrap();
    world.step();
    assert!(world.contains(other) && world.queries().statics().1.contains(&other));
}
