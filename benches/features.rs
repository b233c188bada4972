//! What stands around the pairs, beside what users write by hand: events with static objects, data per pair, sorted pairs, adjacency,
//! reordering, a world in which objects come and go, neighbor lists, and a static set that changes. `features/NAME`; prints a table of medians. Rounds are interleaved: in each, all
//! forms run one after the other.

mod common;
#[path = "features/particles.rs"]
mod particles;

use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::time::Instant;

use common::measuring;
use pivotgrid::{
    Aabb, Adjacency, BroadPhase, CrossTracker, Handle, Object, Pair, PairMap, PairSorter, Reorder, RowsOf, StaticSet, World,
};
use rayon::prelude::*;
use scenes::Scene;

fn boxes(n: usize, step: usize) -> Vec<Aabb<f32, 3>> {
    let mut world = scenes::World::<f32, 3>::new(Scene::Uniform, n, 1);
    (0..step).for_each(|_| world.step());
    world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect()
}

/// Median milliseconds of forms, which run in turns.
fn compare(name: &str, rounds: usize, forms: &mut [(&str, &mut dyn FnMut(usize) -> usize)]) {
    if std::env::args().skip(1).any(|word| !word.starts_with("--") && !name.contains(&word)) {
        return;
    }
    let mut times = vec![Vec::new(); forms.len()];
    for round in 0..rounds + 2 {
        for ((_, form), times) in forms.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            black_box(form(round));
            if round >= 2 {
                times.push(begin.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let first = median(&mut times[0]);
    for ((form, _), times) in forms.iter().zip(&mut times) {
        let time = median(times);
        println!("features/{name:<12} {form:<34} {time:9.3} ms {:6.2}x", time / first);
    }
}

/// 20k moving objects, 200k static ones: which pairs started and ended.
fn events(scale: usize, rounds: usize) {
    let all = [boxes(220_000 / scale, 0), boxes(220_000 / scale, 1)];
    let moving = all.each_ref().map(|all| all.iter().step_by(11).copied().collect::<Vec<_>>());
    let walls: Vec<_> = (0..).zip(&all[0]).filter(|(index, _)| index % 11 != 0).map(|(_, aabb)| *aabb).collect();
    let mut statics = StaticSet::new();
    statics.par_build(&walls);
    let mut engines = [BroadPhase::<f32, 3>::new(), BroadPhase::new()];
    let [one, other] = engines.each_mut();
    let found = [one.over(&moving[0]).with(&statics).pairs().statics, other.over(&moving[1]).with(&statics).pairs().statics];
    println!("{} pairs with static objects", found[0].len());
    let (mut tracker, mut keyed) = (CrossTracker::new(), CrossTracker::new());
    let (mut before, mut sorted) = (HashSet::new(), Vec::new());
    compare(
        "events",
        rounds,
        &mut [
            ("CrossTracker::par_update, by index", &mut |round| {
                let events = tracker.par_update(found[round % 2].by_index());
                events.started.len() + events.ended.len()
            }),
            ("CrossTracker::par_update, keyed", &mut |round| {
                let events = keyed.par_update(found[round % 2].keyed_by(|index| index, |index| index));
                events.started.len() + events.ended.len()
            }),
            ("by hand: hash sets", &mut |round| {
                let now: HashSet<(u32, u32)> = found[round % 2].iter().map(|pair| (pair.first, pair.second)).collect();
                let started = now.iter().filter(|pair| !before.contains(*pair)).count();
                let ended = before.iter().filter(|pair| !now.contains(*pair)).count();
                before = now;
                started + ended
            }),
            ("by hand: sort and merge, one thread", &mut |round| {
                let mut now: Vec<(u32, u32)> = found[round % 2].iter().map(|pair| (pair.first, pair.second)).collect();
                now.sort_unstable();
                let changes = difference(&now, &sorted);
                sorted = now;
                changes
            }),
        ],
    );
}

fn difference(one: &[(u32, u32)], other: &[(u32, u32)]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    one.len() + other.len() - 2 * common
}

#[derive(Clone, Copy, Default)]
struct Contact {
    impulse: [f32; 4],
}

fn main() {
    let (scale, rounds) = if measuring() { (1, 9) } else { (100, 1) };
    events(scale, rounds);

    let n = 560_000 / scale;
    let frames = [boxes(n, 0), boxes(n, 1)];
    let mut engines = [BroadPhase::<f32, 3>::new(), BroadPhase::new()];
    for _ in 0..3 {
        engines.iter_mut().zip(&frames).for_each(|(engine, boxes)| {
            engine.par_detect(boxes);
        });
    }
    let [one, other] = engines.each_mut();
    let found = [one.par_detect(&frames[0]), other.par_detect(&frames[1])];
    println!("{} pairs", found[0].len());

    let mut map = PairMap::new();
    let mut by_hand: HashMap<(u32, u32), Contact> = HashMap::new();
    let mut sorted: Vec<((u32, u32), Contact)> = Vec::new();
    compare(
        "pair_data",
        rounds,
        &mut [
            ("PairMap::par_update", &mut |round| {
                map.par_update(found[round % 2].keyed_by(|index| index), |_| Contact::default()).ended.len()
            }),
            ("by hand: hash map", &mut |round| {
                let mut next = HashMap::with_capacity(by_hand.len());
                for pair in found[round % 2] {
                    let key = (pair.a, pair.b);
                    next.insert(key, by_hand.get(&key).copied().unwrap_or_default());
                }
                by_hand = next;
                by_hand.values().filter(|contact| contact.impulse[0] == 0.0).count()
            }),
            ("by hand: par_sort and binary search", &mut |round| {
                let mut now: Vec<(u32, u32)> = found[round % 2].into_par_iter().map(|pair| (pair.a, pair.b)).collect();
                now.par_sort_unstable();
                let known = |pair: &(u32, u32)| sorted.binary_search_by_key(pair, |entry| entry.0).ok();
                let next =
                    now.par_iter().map(|pair| (*pair, known(pair).map_or_else(Contact::default, |at| sorted[at].1))).collect();
                sorted = next;
                sorted.len()
            }),
        ],
    );

    let (mut sorter, mut alone) = (PairSorter::new(), PairSorter::new());
    let mut vector: Vec<Pair> = Vec::new();
    compare(
        "sorted",
        rounds,
        &mut [
            ("PairSorter::par_sort", &mut |round| sorter.par_sort(found[round % 2]).len()),
            ("PairSorter::sort, one thread", &mut |round| alone.sort(found[round % 2]).len()),
            ("Pairs::par_sorted_into", &mut |round| {
                let mut into = Vec::new();
                found[round % 2].par_sorted_into(&mut into);
                into.len()
            }),
            ("by hand: collect, sort_unstable", &mut |round| {
                vector.clear();
                vector.extend(found[round % 2]);
                vector.sort_unstable();
                vector.len()
            }),
            ("by hand: collect, par_sort_unstable", &mut |round| {
                let mut vector: Vec<Pair> = found[round % 2].into_par_iter().collect();
                vector.par_sort_unstable();
                vector.len()
            }),
        ],
    );

    let (mut adjacency, mut alone) = (Adjacency::new(), Adjacency::new());
    let (mut offsets, mut partners) = (Vec::new(), Vec::new());
    compare(
        "adjacency",
        rounds,
        &mut [
            ("Adjacency::par_build, both ways", &mut |round| {
                adjacency.par_build(found[round % 2], n, RowsOf::Both);
                adjacency.partners().len()
            }),
            ("Adjacency::build, one thread", &mut |round| {
                alone.build(found[round % 2], n, RowsOf::Both);
                alone.partners().len()
            }),
            ("by hand: count, fill, sort rows", &mut |round| {
                offsets.clear();
                offsets.resize(n + 2, 0usize);
                for pair in found[round % 2] {
                    offsets[pair.a as usize + 2] += 1;
                    offsets[pair.b as usize + 2] += 1;
                }
                (2..n + 2).for_each(|row| offsets[row] += offsets[row - 1]);
                partners.clear();
                partners.resize(2 * found[round % 2].len(), 0u32);
                for Pair { a, b } in found[round % 2] {
                    for (row, partner) in [(a, b), (b, a)] {
                        let place = &mut offsets[row as usize + 1];
                        partners[*place] = partner;
                        *place += 1;
                    }
                }
                (0..n).for_each(|row| partners[offsets[row]..offsets[row + 1]].sort_unstable());
                partners.len()
            }),
        ],
    );

    reorder(300_000 / scale, rounds);
    world(100_000 / scale, rounds);
    particles::sph(100_000 / scale, rounds);
    particles::skin(100_000 / scale, rounds);
    particles::static_change(200_000 / scale, rounds);
    particles::periodic_static_change(200_000 / scale, rounds);
}

/// Six arrays of particles into spatial order.
fn reorder(n: usize, rounds: usize) {
    let boxes = boxes(n, 0);
    let mut engine = BroadPhase::<f32, 3>::new();
    engine.par_detect(&boxes);
    let order = engine.spatial_order().expect("there was a step");
    let mut arrays: [Vec<[f32; 3]>; 6] = std::array::from_fn(|_| boxes.iter().map(|aabb| aabb.min).collect());
    let (mut same, mut alike) = (arrays.clone(), arrays.clone());
    let mut reorder = Reorder::new();
    compare(
        "reorder",
        rounds,
        &mut [
            ("Reorder::par_apply, 6 arrays", &mut |_| {
                arrays.iter_mut().for_each(|array| reorder.par_apply(order, array));
                arrays.len()
            }),
            ("by hand: sort by cells, then collect", &mut |_| {
                let cell = |place: &[f32; 3]| place.map(|x| (x / 3.0) as i32);
                let mut order: Vec<u32> = (0..n as u32).collect();
                order.sort_by_key(|&index| cell(&boxes[index as usize].min));
                same.iter_mut().for_each(|array| *array = order.iter().map(|&index| array[index as usize]).collect());
                same.len()
            }),
            ("by hand: collect in the given order", &mut |_| {
                let order = order.as_slice();
                alike.iter_mut().for_each(|array| *array = order.iter().map(|&index| array[index as usize]).collect());
                alike.len()
            }),
        ],
    );
    // What it is for: the next steps.
    let shuffled = boxes;
    let mut ordered = shuffled.clone();
    Reorder::new().par_apply(order, &mut ordered);
    let mut engines = [BroadPhase::<f32, 3>::new(), BroadPhase::new()];
    let [one, other] = &mut engines;
    compare(
        "reordered",
        rounds,
        &mut [
            ("a step after reordering", &mut |_| one.par_detect(&ordered).len()),
            ("a step before", &mut |_| other.par_detect(&shuffled).len()),
        ],
    );
}

/// As many objects come and go in a step as there are.
fn world(n: usize, rounds: usize) {
    let objects: Vec<Object<f32, 3>> = boxes(n, 0).into_iter().map(Object::new_moving).collect();
    let mut worlds: [World<f32, 3>; 2] = Default::default();
    let mut handles: Vec<Handle> = Vec::new();
    for world in &mut worlds {
        world.insert_all(&objects, &mut handles);
        world.par_step();
    }
    let new_boxes: Vec<_> = handles.iter().copied().zip(boxes(n, 1)).collect();
    let (mut moved, mut moved_alone) = (worlds[0].clone(), worlds[0].clone());
    let (mut alone, mut single) = (worlds[0].clone(), worlds[0].clone());
    let (mut alone_handles, mut single_handles) = (handles.clone(), handles.clone());
    let [one, other] = &mut worlds;
    compare(
        "world",
        rounds,
        &mut [
            ("a step", &mut |_| one.par_step().ongoing.len()),
            ("World::par_set_aabbs, all", &mut |_| {
                moved.par_set_aabbs(&new_boxes).expect("all are there");
                new_boxes.len()
            }),
            ("World::set_aabbs, one thread", &mut |_| {
                moved_alone.set_aabbs(&new_boxes).expect("all are there");
                new_boxes.len()
            }),
            ("all removed, as many inserted", &mut |_| {
                other.par_remove_all(&handles).expect("all are there");
                other.par_insert_all(&objects, &mut handles);
                handles.len()
            }),
            ("the same, one thread", &mut |_| {
                alone.remove_all(&alone_handles).expect("all are there");
                alone.insert_all(&objects, &mut alone_handles);
                alone_handles.len()
            }),
            ("the same, one by one", &mut |_| {
                for handle in single_handles.drain(..) {
                    single.remove(handle).expect("it is there");
                }
                single_handles.extend(objects.iter().map(|&object| single.insert(object)));
                single_handles.len()
            }),
        ],
    );
    compare(
        "clone",
        rounds,
        &mut [("a step", &mut |_| one.par_step().ongoing.len()), ("World::clone", &mut |_| one_len(&other.clone()))],
    );
}

fn one_len(world: &World<f32, 3>) -> usize {
    world.len()
}
