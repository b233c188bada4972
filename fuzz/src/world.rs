//! A world of handles, against a map of objects and a set of pairs.

use std::collections::{BTreeMap, BTreeSet};

use pivotgrid::{Aabb, Groups, Handle, Mobility, Object, World};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::{config, pool};

const MOST_CHANGES: usize = 120;
const MOST_STEPS: usize = 6;

pub fn run(data: &[u8]) {
    crate::in_some_space!(live, data);
}

struct Twin<S: Number, const D: usize> {
    objects: BTreeMap<Handle, (Plain<S, D>, Mobility)>,
    current: BTreeSet<(Handle, Handle)>,
    margin: S,
}

fn live<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let margin = S::of([0.0, 0.0, 0.25, 0.1][bytes.below(4)]);
    let mut world = World::<S, D>::with_config(config(bytes), margin).expect("a valid config and margin");
    let mut twin = Twin { objects: BTreeMap::new(), current: BTreeSet::new(), margin };
    // Every handle ever given out, in the order of giving.
    let mut given: Vec<Handle> = Vec::new();
    let mut steps = 0;
    for _ in 0..MOST_CHANGES {
        if bytes.is_empty() || steps == MOST_STEPS {
            break;
        }
        let what = bytes.byte();
        let some = given.get(bytes.below(given.len().clamp(1, 255))).copied();
        match (what % 8, some) {
            (0, Some(handle)) => {
                let removed = world.remove(handle);
                assert_eq!(removed.is_ok(), twin.objects.remove(&handle).is_some(), "{handle:?}");
                assert!(!world.contains(handle) && world.get(handle).is_err() && world.remove(handle).is_err());
            }
            (1, Some(handle)) => {
                let (plain, mobility) = an_object(bytes);
                let is_known = twin.objects.contains_key(&handle);
                assert_eq!(world.update(handle, object(&plain, mobility)).is_ok(), is_known, "{handle:?}");
                if is_known {
                    twin.objects.insert(handle, (plain, mobility));
                }
            }
            (2, Some(handle)) => {
                let plain = Plain::<S, D>::new(bytes, false);
                let known = twin.objects.get_mut(&handle);
                let moved = world.set_aabb(handle, Aabb { min: plain.low, max: plain.high });
                assert_eq!(moved.is_ok(), known.is_some(), "{handle:?}");
                if let Some((known, _)) = known {
                    (known.low, known.high) = (plain.low, plain.high);
                }
            }
            (3 | 4, _) => {
                steps += 1;
                step(&mut world, &mut twin, what >> 3);
            }
            _ => {
                let (plain, mobility) = an_object(bytes);
                let handle = world.insert(object(&plain, mobility));
                assert!(!given.contains(&handle), "{handle:?} was given out twice");
                given.push(handle);
                twin.objects.insert(handle, (plain, mobility));
            }
        }
        assert_eq!(world.len(), twin.objects.len());
    }
    step(&mut world, &mut twin, 1);
    assert!(world.iter().map(|(handle, _)| handle).eq(twin.objects.keys().copied()));
}

fn an_object<S: Number, const D: usize>(bytes: &mut Bytes<'_>) -> (Plain<S, D>, Mobility) {
    let mobility = if bytes.below(3) == 0 { Mobility::Static } else { Mobility::Moving };
    (Plain::new(bytes, true), mobility)
}

fn object<S: Number, const D: usize>(plain: &Plain<S, D>, mobility: Mobility) -> Object<S, D> {
    let groups = Groups { member: plain.member, mask: plain.mask, body: plain.body };
    Object { groups, mobility, ..Object::new_moving(Aabb { min: plain.low, max: plain.high }) }
}

fn step<S: Number, const D: usize>(world: &mut World<S, D>, twin: &mut Twin<S, D>, way: u8) {
    let before = std::mem::take(&mut twin.current);
    let valid: Vec<_> = twin.objects.iter().filter(|(_, (plain, _))| plain.flaw().is_none()).collect();
    for (place, &(&a, (one, mobility))) in valid.iter().enumerate() {
        for &(&b, (other, others)) in &valid[place + 1..] {
            let moves = *mobility == Mobility::Moving || *others == Mobility::Moving;
            let near = || grown(one, twin.margin).touches(&grown(other, twin.margin));
            if moves && one.admits(other) && near() && (before.contains(&(a, b)) || one.touches(other)) {
                twin.current.insert((a, b));
            }
        }
    }
    let events = match way % 4 {
        0 => pool(usize::from(way >> 2)).install(|| world.par_step()),
        _ => world.step(),
    };
    assert!(events.started.iter().eq(twin.current.difference(&before)), "started: {:?}", twin.objects);
    assert!(events.ongoing.iter().eq(twin.current.intersection(&before)), "ongoing: {:?}", twin.objects);
    assert!(events.ended.iter().eq(before.difference(&twin.current)), "ended: {:?}", twin.objects);
    assert!(world.pairs().iter().eq(&twin.current));
    let rejected: Vec<_> = twin.objects.iter().filter_map(|(&handle, (plain, _))| Some((handle, plain.flaw()?))).collect();
    assert_eq!(world.rejected(), rejected);

    if let Some((_, (asked, _))) = valid.first() {
        let mut found = Vec::new();
        world.queries().overlapping(&Aabb { min: asked.low, max: asked.high }, &mut found);
        found.sort_unstable();
        let meets = |plain: &Plain<S, D>| grown(plain, twin.margin).touches(asked);
        let expected: Vec<Handle> = valid.iter().filter(|(_, (plain, _))| meets(plain)).map(|(handle, _)| **handle).collect();
        assert_eq!(found, expected, "{asked:?} in {:?}", twin.objects);
    }
}

fn grown<S: Number, const D: usize>(plain: &Plain<S, D>, margin: S) -> Plain<S, D> {
    Plain { low: plain.low.map(|x| x - margin), high: plain.high.map(|x| x + margin), ..*plain }
}
