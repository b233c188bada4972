//! A world that is saved and restored goes on as if nothing had been; damaged data is refused.
//!
//! Through `Value`s: they keep every finite number as it is, which text does not.

use pivotgrid::{Config, Handle, Mobility, Object, World};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};

use crate::common::{Coordinate, Rng};
use crate::fleet::{Crew, Fleet};

type World2 = World<f32, 2>;

fn restored<S: Coordinate, const D: usize>(world: &World<S, D>) -> World<S, D>
where
    [S; D]: Serialize + DeserializeOwned,
{
    let value = to_value(world).expect("it serializes");
    let world: World<S, D> = from_value(value.clone()).expect("it deserializes");
    assert_eq!(to_value(&world).expect("it serializes"), value, "saved again, it is the same");
    world
}

fn goes_on<S: Coordinate, const D: usize>(margin: f64, seed: u64)
where
    [S; D]: Serialize + DeserializeOwned,
{
    let mut fleet = Fleet::<S, D>::new(margin, seed);
    fleet.wild = false; // which `Value` cannot hold
    for round in 0..4 {
        fleet.live(5, "before");
        // In the midst of changes, so that there are pairs of objects that are gone, and static objects not built yet.
        fleet.disturb(30);
        for threads in [1, 2, 5] {
            let copy = restored(&fleet.worlds[threads % 5].0);
            assert!(copy.pairs() == fleet.worlds[0].0.pairs() && copy.events().started.is_empty());
            if round % 2 == 0 {
                fleet.worlds[threads % 5] = (copy, Crew::Pool(threads));
            } else {
                fleet.worlds.push((copy, Crew::Pool(threads)));
            }
        }
        fleet.step("restored");
        fleet.disturb(40);
        fleet.live(4, "restored");
        fleet.worlds.truncate(5);
    }
}

#[test]
fn a_restored_world_goes_on() {
    goes_on::<f32, 3>(0.0, 1);
    goes_on::<f32, 2>(0.25, 2);
    goes_on::<f64, 3>(0.3, 3);
    goes_on::<f64, 2>(0.0, 4);
}

#[test]
fn settings_and_nothingness_are_restored() {
    let world = World2::with_config(Config::default().max_levels(2), 0.5).unwrap();
    let mut copy = restored(&world);
    assert_eq!((copy.margin(), copy.is_empty()), (0.5, true));
    assert!(copy.par_step().started.is_empty());
    assert_eq!(to_value(copy).unwrap()["config"]["max_levels"], 2);
}

/// Two objects that touch and one that is gone, as data.
fn small() -> (Value, [Handle; 3]) {
    let mut world = World2::new();
    let aabb = pivotgrid::Aabb::new([0.0, 0.0], [1.0, 1.0]);
    let handles =
        [Object::new_moving(aabb), Object::new_static(aabb), Object::new_moving(aabb)].map(|object| world.insert(object));
    world.step();
    world.remove(handles[2]).unwrap();
    (to_value(&world).unwrap(), handles)
}

#[test]
fn a_slot_is_retired_after_its_last_generation() {
    let (mut value, [.., gone]) = small();
    value["slots"][2]["generation"] = json!(u32::MAX - 1);
    let mut world: World2 = from_value(value).unwrap();
    let object = Object::new_static(pivotgrid::Aabb::new([0.0, 0.0], [1.0, 1.0]));
    let last = world.insert(object);
    assert_eq!(last, Handle { index: gone.index, generation: u32::MAX - 1 });
    world.par_step();
    world.remove(last).unwrap();
    assert!(!world.contains(last) && !world.contains(Handle { generation: u32::MAX, ..last }));
    let mut world = restored(&world);
    assert!(world.step().ended.iter().any(|pair| pair.1 == last));
    assert_eq!(world.insert(object), Handle { index: 3, generation: 0 });
}

#[test]
fn damaged_worlds_are_refused() {
    let (value, _) = small();
    let object = value["slots"][0]["object"].clone();
    assert!(from_value::<World2>(value.clone()).is_ok());
    type Damage<'a> = (&'a str, &'a str, Value);
    let pair = |a: [u32; 2], b: [u32; 2]| {
        let handle = |[index, generation]: [u32; 2]| json!({ "index": index, "generation": generation });
        json!([handle(a), handle(b)])
    };
    let damages: [Damage<'_>; 20] = [
        ("/free", "not listed as free", json!([])),
        ("/free", "listed twice", json!([2, 2])),
        ("/free", "has an object", json!([2, 0])),
        ("/free", "free slot 3 of 3", json!([2, 3])),
        ("/free", "free slot 4294967295 of 3", json!([4294967295u32, 2])),
        ("/free", "expected u32", json!([-1])),
        ("/slots/2/object", "has an object", object),
        ("/slots/0/object", "not listed as free", Value::Null),
        ("/slots/2/generation", "retired", json!(u32::MAX)),
        ("/slots/0/generation", "retired, and has an object", json!(u32::MAX)),
        ("/slots/2/generation", "cannot have been a pair", json!(0)),
        ("/slots/0/generation", "expected u32", json!(1u64 << 32)),
        ("/slots/0/object/aabb/min", "invalid length", json!([0.0])),
        ("/slots/0/object/mobility", "unknown variant", json!("Flying")),
        ("/pairs/0", "cannot have been a pair", pair([1, 0], [0, 0])),
        ("/pairs/0", "cannot have been a pair", pair([0, 0], [0, 0])),
        ("/pairs/0", "cannot have been a pair", pair([0, 1], [1, 0])),
        ("/pairs/0", "cannot have been a pair", pair([0, 0], [3, 0])),
        ("/margin", "margin", json!(-0.5)),
        ("/config/max_levels", "max_levels", json!(99)),
    ];
    for (place, complaint, replacement) in damages {
        let mut damaged = value.clone();
        *damaged.pointer_mut(place).expect(place) = replacement.clone();
        let error = from_value::<World2>(damaged).expect_err(place).to_string();
        assert!(error.contains(complaint), "{place} = {replacement}: {error}");
    }
    for twice in [0, 1] {
        let mut damaged = value.clone();
        let pairs = damaged["pairs"].as_array_mut().unwrap();
        if twice == 1 {
            pairs.push(pairs[0].clone())
        } else {
            pairs.reverse()
        }
        let error = from_value::<World2>(damaged).expect_err("pairs out of order").to_string();
        assert!(error.contains("ascending"), "{error}");
    }
    assert!(from_value::<World<f32, 3>>(value).is_err(), "2D is not 3D");
}

/// Damages some number or list somewhere.
fn damage(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let (one, other) = (rng.below(items.len()), rng.below(items.len()));
            match rng.below(8) {
                0 => drop(items.remove(one)),
                1 => items.swap(one, other),
                2 => items.push(items[one].clone()),
                _ => damage(&mut items[one], rng),
            }
        }
        Value::Object(fields) => {
            let which = rng.below(fields.len());
            damage(fields.values_mut().nth(which).expect("there are so many"), rng);
        }
        Value::Number(_) => {
            *value = [json!(0), json!(1), json!(7), json!(-3.5), json!(u32::MAX), json!(1e300)][rng.below(6)].clone()
        }
        _ => *value = [Value::Null, json!("Static"), json!([])][rng.below(3)].clone(),
    }
}

/// Whatever the data says, there is an error, or a world that works.
#[test]
fn whatever_is_restored_works() {
    let mut fleet = Fleet::<f32, 2>::new(0.25, 12);
    fleet.wild = false;
    fleet.disturb(60);
    fleet.step("before");
    fleet.disturb(20);
    let (value, mut rng) = (to_value(&fleet.worlds[0].0).unwrap(), Rng(8));
    let mut accepted = 0;
    for _ in 0..1500 {
        let mut damaged = value.clone();
        damage(&mut damaged, &mut rng);
        let Ok(mut world) = from_value::<World2>(damaged) else { continue };
        accepted += 1;
        let handles: Vec<_> = world.iter().map(|(handle, _)| handle).collect();
        assert_eq!(handles.len(), world.len());
        world.step();
        for handle in handles {
            let object = world.remove(handle).expect("it is there");
            assert!(!world.contains(handle));
            let flipped = if object.mobility == Mobility::Static { Mobility::Moving } else { Mobility::Static };
            world.insert(Object { mobility: flipped, ..object });
        }
        world.step();
        assert!(world.events().ongoing.is_empty(), "all objects are new");
    }
    assert!((200..1300).contains(&accepted), "{accepted} of 1500 are accepted");
}
