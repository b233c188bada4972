//! `Config::max_bytes`, and allocations that fail: an answer is complete or an error, and after an error everything is as before the call
//! or empty. No more is held than the limit.

use std::collections::{BTreeMap, BTreeSet};

use pivotgrid::{
    Aabb, Adjacency, BroadPhase, Config, DetectError, Groups, Handle, Lattice, Neighbors, Object, PairMap, PairSorter,
    PairTracker, Periodic, RowsOf, StaticSet, World,
};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::scarce;
use crate::settings::{config, pool};

const MOST_STEPS: usize = 6;
const MOST_OBJECTS: usize = 400;

pub fn run(data: &[u8]) {
    crate::in_some_space!(structures, data);
}

fn structures<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let limit = [1_000, 10_000, 50_000, 100_000, 200_000, 400_000, 800_000, 3_000_000][bytes.below(8)];
    let limit = limit + 1000 * usize::from(bytes.byte());
    let config = config(bytes).max_bytes(limit);
    match bytes.below(7) {
        0 => broad_phase::<S, D>(bytes, config, limit),
        1 => static_set::<S, D>(bytes, config, limit),
        2 => world::<S, D>(bytes, config, limit),
        3 => periodic::<S, D>(bytes, config, limit),
        4 => neighbors::<S, D>(bytes, config, limit),
        5 => from_step_to_step::<S, D>(bytes),
        _ => in_order::<S, D>(bytes),
    }
}

/// A structure that holds nothing takes up to two kilobytes.
const EMPTY: usize = 2048;

/// Runs a step on this thread. Often, one of its allocations fails.
fn scarcely<R>(bytes: &mut Bytes<'_>, step: impl FnOnce() -> R) -> R {
    let number = usize::from(bytes.byte());
    scarce::with_failing(if number >= 192 { usize::MAX } else { number }, step)
}

fn everything<S: Number, const D: usize>() -> Aabb<S, D> {
    Aabb { min: [S::of(f64::NEG_INFINITY); D], max: [S::of(f64::INFINITY); D] }
}

/// Many objects for few bytes: each is repeated along a line, or in one place, where there are many pairs. Mostly some ten, because
/// oracles of hundreds of objects take milliseconds.
fn crowd<S: Number, const D: usize>(bytes: &mut Bytes<'_>) -> Vec<Plain<S, D>> {
    let mut objects: Vec<Plain<S, D>> = Vec::new();
    for _ in 0..bytes.below(8) {
        if bytes.is_empty() {
            break;
        }
        let (first, copies, apart) = (Plain::<S, D>::new(bytes, false), bytes.byte(), [0.0, 0.25, 3.0, 1e3][bytes.below(4)]);
        for copy in 0..if copies % 6 == 5 { copies } else { copies % 32 } {
            let by = S::of(f64::from(copy) * apart);
            objects.push(Plain { low: first.low.map(|x| x + by), high: first.high.map(|x| x + by), ..first });
        }
    }
    objects.truncate(MOST_OBJECTS);
    objects
}

fn check_error(error: &DetectError, limit: usize) {
    match *error {
        DetectError::OverBudget { needed, max_bytes } => assert!(max_bytes == limit && needed > limit, "{error:?}"),
        DetectError::OutOfMemory { needed } => assert!(needed > 0),
        _ => panic!("{error:?}"),
    }
}

fn broad_phase<S: Number, const D: usize>(bytes: &mut Bytes<'_>, config: Config, limit: usize) {
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (way, objects) = (bytes.byte(), crowd::<S, D>(bytes));
        let outcome = match way & 1 {
            0 => scarcely(bytes, || engine.try_detect(&objects).map(drop)),
            _ => pool(usize::from(way >> 1)).install(|| engine.try_par_detect(&objects).map(drop)),
        };
        let outcome = outcome.map(|()| engine.debug_view().pairs().sorted());
        let held = engine.stats().bytes;
        assert!(held <= limit.max(EMPTY), "{held} bytes with a limit of {limit}");
        let mut found = Vec::new();
        engine.queries().overlapping(&everything(), &mut found);
        match outcome {
            Ok(pairs) => {
                assert_eq!(pairs, plain::pairs(&objects), "{} objects", objects.len());
                assert_eq!(found.len(), objects.iter().filter(|object| object.flaw().is_none()).count());
            }
            Err(error) => {
                check_error(&error, limit);
                let view = engine.debug_view();
                assert!(found.is_empty() && engine.rejected().is_empty() && view.objects().count() == 0);
                assert!(view.pairs().is_empty() && view.pair_lines().count() == 0 && engine.stats().pairs == 0);
            }
        }
    }
}

fn static_set<S: Number, const D: usize>(bytes: &mut Bytes<'_>, config: Config, limit: usize) {
    let mut set = StaticSet::<S, D>::with_config(config).expect("a valid config");
    let mut known: BTreeMap<u32, Plain<S, D>> = BTreeMap::new();
    for _ in 0..4 * MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let what = bytes.byte();
        let index = u32::from(bytes.byte());
        match what % 6 {
            0 | 1 => {
                let objects = crowd::<S, D>(bytes);
                let outcome = match what & 8 {
                    0 => scarcely(bytes, || set.try_build(&objects)),
                    _ => pool(usize::from(what >> 4)).install(|| set.try_par_build(&objects)),
                };
                if outcome.is_ok() {
                    known = (0..).zip(objects).collect();
                }
            }
            2 => {
                for object in crowd::<S, D>(bytes) {
                    if let Ok(index) = scarcely(bytes, || set.try_insert(&object)) {
                        assert!(known.insert(index, object).is_none(), "index {index} was given out twice");
                    }
                }
            }
            3 => {
                let object = Plain::new(bytes, false);
                if let Ok(is_there) = scarcely(bytes, || set.try_update(index, &object)).map(|outcome| outcome.is_ok()) {
                    assert_eq!(is_there, known.contains_key(&index));
                    if is_there {
                        known.insert(index, object);
                    }
                }
            }
            4 => {
                for index in index..index + u32::from(what) {
                    assert_eq!(set.remove(index).is_ok(), known.remove(&index).is_some());
                }
            }
            _ => {
                let _ = pool(usize::from(what >> 4)).install(|| set.try_par_rebuild());
            }
        }
        assert_eq!(set.len(), known.len());
        // With two grids that were refused everything.
        assert!(set.bytes() <= limit + 2 * EMPTY, "{} bytes with a limit of {limit}", set.bytes());
        // What was refused has changed nothing: all are found.
        let mut found = Vec::new();
        set.queries().overlapping(&everything(), &mut found);
        found.sort_unstable();
        let valid = known.iter().filter(|(_, object)| object.flaw().is_none()).map(|(index, _)| *index);
        assert!(valid.eq(found.iter().copied()), "{} of {}", found.len(), known.len());
    }
}

fn world<S: Number, const D: usize>(bytes: &mut Bytes<'_>, config: Config, limit: usize) {
    let mut world = World::<S, D>::with_config(config, S::of(0.0)).expect("a valid config");
    let mut known: BTreeMap<Handle, (Plain<S, D>, bool)> = BTreeMap::new();
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let what = bytes.byte();
        let is_static = what & 1 != 0;
        for plain in crowd::<S, D>(bytes) {
            let object = Object::new_moving(Aabb { min: plain.low, max: plain.high }).with_groups(Groups::ALL);
            let object = if is_static { Object::new_static(object.aabb) } else { object };
            if let Ok(handle) = scarcely(bytes, || world.try_insert(object)) {
                assert!(known.insert(handle, (plain, !is_static)).is_none());
            }
        }
        if what & 6 == 0 {
            let gone: Vec<Handle> = known.keys().copied().step_by(1 + usize::from(what >> 5)).collect();
            for handle in gone {
                assert!(world.remove(handle).is_ok() && known.remove(&handle).is_some());
            }
        }
        assert_eq!(world.len(), known.len());
        let outcome = match what & 8 {
            0 => scarcely(bytes, || world.try_step().map(|_| ())),
            _ => pool(usize::from(what >> 4)).install(|| world.try_par_step().map(|_| ())),
        };
        assert!(world.stats().bytes <= limit.max(EMPTY), "{} bytes with a limit of {limit}", world.stats().bytes);
        let mut found = Vec::new();
        world.queries().overlapping(&everything(), &mut found);
        if outcome.is_err() {
            let events = world.events();
            assert!(events.started.is_empty() && events.ongoing.is_empty() && events.ended.is_empty());
            assert!(world.rejected().is_empty() && found.is_empty());
            continue;
        }
        let valid: Vec<_> = known.iter().filter(|(_, (plain, _))| plain.flaw().is_none()).collect();
        let mut pairs = Vec::new();
        for (place, (a, (one, one_moves))) in valid.iter().enumerate() {
            let others = valid[place + 1..].iter().filter(|(_, (other, moves))| (*one_moves || *moves) && one.touches(other));
            pairs.extend(others.map(|(b, _)| (**a, **b)));
        }
        assert_eq!(world.pairs(), pairs, "{} objects", known.len());
    }
}

fn periodic<S: Number, const D: usize>(bytes: &mut Bytes<'_>, config: Config, limit: usize) {
    let domain = Aabb { min: [S::of(-16.0); D], max: [S::of(16.0); D] };
    let mut free = config.clone();
    free.max_bytes = None;
    let new = |config| Periodic::<S, D>::with_config(domain, [true; D], config).expect("a valid domain");
    let (mut limited, mut unlimited) = (new(config), new(free));
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (way, objects) = (bytes.byte(), crowd::<S, D>(bytes));
        let mut outcome = match way & 1 {
            0 => scarcely(bytes, || limited.try_detect(&objects).map(|_| Vec::new())),
            _ => pool(usize::from(way >> 1)).install(|| limited.try_par_detect(&objects).map(|pairs| pairs.sorted())),
        };
        let held = limited.stats().bytes;
        assert!(held <= limit.max(EMPTY), "{held} bytes with a limit of {limit}");
        if outcome.is_ok() && way & 1 == 0 {
            // Nothing to read them by but the step itself.
            outcome = limited.try_detect(&objects).map(|pairs| pairs.sorted());
        }
        let mut found = Vec::new();
        limited.queries().overlapping(&domain, &mut found);
        match outcome {
            Ok(pairs) => {
                assert_eq!(limited.stats().pairs, pairs.len());
                assert_eq!(pairs, unlimited.detect(&objects).sorted());
            }
            Err(error) => {
                check_error(&error, limit);
                let stats = limited.stats();
                assert_eq!((stats.objects, stats.pairs, stats.rejected, stats.chunks), (0, 0, 0, 0), "after {error:?}");
                assert!(found.is_empty() && limited.rejected().is_empty(), "{found:?} after {error:?}");
            }
        }
    }
}

fn neighbors<S: Number, const D: usize>(bytes: &mut Bytes<'_>, config: Config, limit: usize) {
    let skin = S::of([0.0, 0.0, 0.25, 3.0][bytes.below(4)]);
    let mut free = config.clone();
    free.max_bytes = None;
    let new = |config| Neighbors::<S, D>::with_config(config).expect("a valid config").sorted(true).shifts(true).skin(skin);
    let vectors = std::array::from_fn(|vector| std::array::from_fn(|axis| if axis == vector { 32.0 } else { 0.0 }));
    let lattice = Lattice::new(vectors, [true; D]).expect("a lattice");
    let (mut limited, mut unlimited) = (new(config.clone()), new(free.clone()));
    let (mut limited_cell, mut unlimited_cell) = (new(config).lattice(lattice), new(free).lattice(lattice));
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (way, radius, objects) = (bytes.byte(), S::of(f64::from(bytes.byte()) / 16.0), crowd::<S, D>(bytes));
        let points: Vec<[S; D]> = objects.iter().map(|object| object.low).collect();
        let pool = pool(usize::from(way >> 3));
        match way & 3 {
            0 | 1 => {
                let outcome = match way & 3 {
                    0 => scarcely(bytes, || limited.try_within(&points, radius).map(drop))
                        .map(|()| limited.rows().indices().to_vec()),
                    _ => pool.install(|| limited.try_par_touching(&objects).map(|rows| rows.indices().to_vec())),
                };
                let held = limited.stats().bytes;
                assert!(held <= limit.max(EMPTY), "{held} bytes with a limit of {limit}");
                match outcome {
                    Ok(indices) if way & 3 == 0 => assert_eq!(indices, unlimited.within(&points, radius).indices()),
                    Ok(indices) => assert_eq!(indices, unlimited.touching(&objects).indices()),
                    Err(_) => {
                        let rows = limited.rows();
                        assert!(rows.is_empty() && rows.indices().is_empty() && limited.rejected().is_empty());
                        assert!(limited.needs_rebuild(&points));
                    }
                }
            }
            _ => {
                let outcome = match way & 3 {
                    2 => scarcely(bytes, || limited_cell.try_within(&points, radius).map(drop)).map(|()| {
                        let rows = limited_cell.rows();
                        (rows.indices().to_vec(), rows.shifts().to_vec())
                    }),
                    _ => pool.install(|| {
                        limited_cell.try_par_touching(&objects).map(|rows| (rows.indices().to_vec(), rows.shifts().to_vec()))
                    }),
                };
                let held = limited_cell.stats().bytes;
                assert!(held <= limit.max(EMPTY), "{held} bytes with a limit of {limit}");
                let expected = match way & 3 {
                    2 => unlimited_cell.within(&points, radius),
                    _ => unlimited_cell.touching(&objects),
                };
                match outcome {
                    Ok((indices, shifts)) => assert_eq!((&indices[..], &shifts[..]), (expected.indices(), expected.shifts())),
                    Err(_) => {
                        let rows = limited_cell.rows();
                        assert!(rows.is_empty() && rows.indices().is_empty() && rows.shifts().is_empty());
                    }
                }
            }
        }
    }
}

/// Trackers and maps: after an error as if nothing had been called.
fn from_step_to_step<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::new();
    let (mut tracker, mut map) = (PairTracker::<u32>::new(), PairMap::<u32, Vec<u32>>::new());
    let (mut tracked, mut mapped) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let objects = crowd::<S, D>(bytes);
        let key = |index: u32| u32::MAX - index;
        let now: BTreeSet<(u32, u32)> = plain::pairs(&objects).iter().map(|pair| (key(pair.b), key(pair.a))).collect();
        let pairs = engine.detect(&objects);
        match scarcely(bytes, || tracker.try_update(pairs.keyed_by(key)).map(drop)) {
            Ok(()) => {
                assert!(tracker.events().started.iter().eq(now.difference(&tracked)));
                assert!(tracker.events().ended.iter().eq(tracked.difference(&now)));
                tracked.clone_from(&now);
            }
            Err(error) => check_error(&error, usize::MAX),
        }
        assert!(tracker.current().iter().eq(&tracked));
        // Not made in the update, which a refusal of their memory would end.
        let make = |(a, b)| if a % 2 == 0 { Vec::new() } else { vec![a, b] };
        let outcome = scarcely(bytes, || map.try_update(pairs.keyed_by(key), |_| Vec::new()).map(drop));
        match outcome {
            Ok(()) => {
                assert!(map.changes().started.iter().eq(now.difference(&mapped)));
                map.iter_mut().filter(|(pair, _)| !mapped.contains(pair)).for_each(|(pair, value)| *value = make(pair));
                mapped = now;
            }
            Err(error) => check_error(&error, usize::MAX),
        }
        assert!(map.keys().iter().eq(&mapped) && map.iter().all(|(pair, value)| *value == make(pair)));
    }
}

/// Sorters and rows of partners: complete, or an error.
fn in_order<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::new();
    let (mut sorter, mut adjacency) = (PairSorter::new(), Adjacency::new());
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let objects = crowd::<S, D>(bytes);
        let expected = plain::pairs(&objects);
        let pairs = engine.detect(&objects);
        match scarcely(bytes, || sorter.try_sort(pairs).map(<[_]>::len)) {
            Ok(len) => assert_eq!(len, expected.len()),
            Err(error) => check_error(&error, usize::MAX),
        }
        assert_eq!(sorter.sort(pairs), expected);
        match scarcely(bytes, || adjacency.try_build(pairs, objects.len(), RowsOf::Both)) {
            Ok(()) => assert_eq!(adjacency.partners().len(), 2 * expected.len()),
            Err(error) => {
                check_error(&error, usize::MAX);
                adjacency.build(pairs, objects.len(), RowsOf::Both);
            }
        }
        assert!(adjacency.len() == objects.len() && expected.iter().all(|pair| adjacency.row(pair.a as usize).contains(&pair.b)));
    }
}
