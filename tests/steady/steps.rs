//! A step of a scene that no longer grows allocates nothing, and the engine knows how much it holds.

use std::sync::atomic::Ordering;

use pivotgrid::{Aabb, BroadPhase, Config, Pairs};

use crate::account::Account;
use crate::common::{Oracle, Rng};

/// Boxes of mixed sizes that swing between two places, so that steps 1 and 2 have seen all there is: whatever a step needs
/// beyond them is a leak of the engine, not growth of the scene.
struct Swing {
    phases: [Vec<Aabb<f32, 3>>; 2],
}

impl Swing {
    fn new(n: usize) -> Self {
        let rng = &mut Rng(77);
        let edge = 2.2 * (n as f64).cbrt();
        let mut phases = [Vec::new(), Vec::new()];
        for index in 0..n {
            let half = if index % 500 == 0 { 12.0 } else { rng.within(0.3, 0.9) } as f32;
            let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
            let away: [f32; 3] = std::array::from_fn(|axis| center[axis] + half * rng.within(-0.3, 0.3) as f32);
            phases[0].push(Aabb::around(center, [half; 3]));
            phases[1].push(Aabb::around(away, [half; 3]));
        }
        Swing { phases }
    }

    fn at(&self, step: usize) -> &[Aabb<f32, 3>] {
        &self.phases[step % 2]
    }
}

const OBJECTS: usize = 20_000;
const WARM_UP: usize = 2;
const MEASURED: usize = 20;

/// Takes steps and panics if one of the measured ones allocated.
fn assert_no_allocation(account: &Account, context: &str, mut step: impl FnMut(usize)) {
    (0..WARM_UP).for_each(&mut step);
    account.watched.store(true, Ordering::Relaxed);
    let counted: [usize; MEASURED] = std::array::from_fn(|number| {
        let before = account.allocations();
        step(WARM_UP + number);
        account.allocations() - before
    });
    account.watched.store(false, Ordering::Relaxed);
    if counted != [0; MEASURED] {
        let caught = account.caught.lock().expect("nobody panics with it");
        panic!("{context}: allocations by step {counted:?}, the first of them here:\n{}", caught[0]);
    }
}

/// Only what runs on the calling thread: the full comparison reads the pairs in rayon's global pool as well, and memory that
/// its threads allocate and this one frees would be booked on one side only.
#[track_caller]
fn assert_right(found: Pairs<'_>, boxes: &[Aabb<f32, 3>]) {
    assert!(found.sorted() == Oracle::detect(boxes).pairs);
}

fn configs() -> [Config; 3] {
    [Config::default(), Config::default().cell_size(1.0), Config::default().max_levels(1)]
}

#[test]
fn detect_allocates_nothing_from_the_third_step_on() {
    let account = Account::open();
    let scene = Swing::new(OBJECTS);
    for config in configs() {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        assert_no_allocation(account, &format!("{config:?}"), |step| assert!(!engine.detect(scene.at(step)).is_empty()));
        assert_right(engine.detect(scene.at(0)), scene.at(0));
    }
}

/// The loop runs inside of `install`, so that the steps are forked from a thread of the pool: entering a pool from outside
/// goes through its injector queue, a linked list of blocks that rayon allocates as it goes.
fn par_detect_allocates_nothing(threads: usize) {
    let account = Account::open();
    let pool = account.lasting_pool(threads);
    let scene = Swing::new(OBJECTS);
    for config in configs() {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        let context = format!("{threads} threads, {config:?}");
        pool.install(|| {
            assert_no_allocation(account, &context, |step| assert!(!engine.par_detect(scene.at(step)).is_empty()));
        });
        assert_right(pool.install(|| engine.par_detect(scene.at(0))), scene.at(0));
    }
}

#[test]
fn par_detect_allocates_nothing_on_one_thread() {
    par_detect_allocates_nothing(1);
}

#[test]
fn par_detect_allocates_nothing_on_two_threads() {
    par_detect_allocates_nothing(2);
}

#[test]
fn par_detect_allocates_nothing_on_four_threads() {
    par_detect_allocates_nothing(4);
}

/// Without a grid, and on one thread because the objects are few; and when bad boxes are listed.
#[test]
fn small_and_bad_scenes_allocate_nothing_either() {
    let account = Account::open();
    for n in [1, 2, 50, 700] {
        let mut scene = Swing::new(n);
        scene.phases[0][n / 2].min[0] = f32::NAN;
        let mut engine = BroadPhase::<f32, 3>::new();
        assert_no_allocation(account, &format!("{n} objects"), |step| {
            let pairs = engine.par_detect(scene.at(step));
            assert_eq!(pairs.rejected().len(), 1 - step % 2);
        });
    }
}

/// A chunk that all workers sort together, and long lists of oversized and rejected objects.
#[test]
fn crowded_scenes_allocate_nothing_either() {
    let account = Account::open();
    let pool = account.lasting_pool(3);
    let mut scene = Swing::new(OBJECTS);
    for boxes in &mut scene.phases {
        for (index, bounds) in boxes.iter_mut().enumerate() {
            // All in one cell.
            let corner = bounds.min.map(|x| (x * 0.37).rem_euclid(0.9));
            *bounds = Aabb::new(corner, corner.map(|x| x + 0.01));
            match index % 8 {
                0 | 4 => bounds.max[1] = f32::INFINITY,
                1 => bounds.min[2] = f32::NAN,
                _ => {}
            }
        }
    }
    let mut engine = BroadPhase::<f32, 3>::with_config(Config::default().exact_cell_size(1.0).max_levels(1)).unwrap();
    pool.install(|| assert_no_allocation(account, "a crowd", |step| assert!(!engine.par_detect(scene.at(step)).is_empty())));
    let stats = engine.stats();
    assert!(stats.oversized == OBJECTS / 4 && stats.rejected == OBJECTS / 8, "{stats:?}");
    assert!(stats.levels[0].objects > (1 << 12) * stats.chunks, "{stats:?}");
    assert_right(pool.install(|| engine.par_detect(scene.at(0))), scene.at(0));
}

/// The counter counts: without this, all of the above would pass with a broken one.
#[test]
fn the_account_sees_allocations_of_all_enlisted_threads() {
    let account = Account::open();
    let pool = account.lasting_pool(3);
    let (before, live) = (account.allocations(), account.live_bytes());
    let mut kept = Vec::with_capacity(1000);
    kept.push(1u8);
    assert_eq!((account.allocations() - before, account.live_bytes() - live), (1, 1000));
    kept.reserve_exact(2000);
    assert_eq!((account.allocations() - before, account.live_bytes() - live), (2, 2001));
    drop(kept);
    assert_eq!(account.live_bytes(), live);
    let before = account.allocations();
    pool.broadcast(|_| drop(std::hint::black_box(Box::new(7u64))));
    assert!(account.allocations() - before >= 3);
}

#[test]
#[should_panic(expected = "grows: allocations by step [0, 0, 1,")]
fn an_allocation_is_caught() {
    let mut kept = Vec::with_capacity(WARM_UP + MEASURED);
    assert_no_allocation(Account::open(), "grows", |step| kept.push(vec![0u8; usize::from(step == WARM_UP + 2)]));
}

/// `stats().bytes` is what the engine really holds, within a tenth.
#[test]
fn the_engine_knows_how_much_it_holds() {
    let account = Account::open();
    let pool = account.lasting_pool(2);
    let scene = Swing::new(OBJECTS);
    for config in configs() {
        let held = account.live_bytes();
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        for step in 0..6 {
            match step % 2 {
                0 => engine.detect(scene.at(step)).len(),
                _ => pool.install(|| engine.par_detect(scene.at(step)).len()),
            };
            let (live, told) = ((account.live_bytes() - held) as f64, engine.stats().bytes as f64);
            assert!((0.9..=1.1).contains(&(told / live)), "step {step}: told {told}, live {live}, {config:?}");
        }
        drop(engine);
        // Rayon's queues come and go in blocks of less than this.
        let left = account.live_bytes() - held;
        assert!(left < 8192, "{left} bytes are left of a dropped engine");
    }
}

/// Memory is kept between steps and given back when asked for.
#[test]
fn shrink_to_fit_gives_memory_back() {
    let account = Account::open();
    let scene = Swing::new(OBJECTS);
    let held = account.live_bytes();
    let mut engine = BroadPhase::<f32, 3>::new();
    engine.detect(scene.at(0));
    let full = account.live_bytes() - held;
    assert!(full > OBJECTS as isize, "{full} bytes for {OBJECTS} objects");

    engine.detect(&scene.at(0)[..10]);
    assert!(account.live_bytes() - held > full / 2, "memory is kept for the next step");
    engine.shrink_to_fit();
    let small = account.live_bytes() - held;
    assert!(small < full / 10, "{small} of {full} bytes left for ten objects");
    assert!(engine.stats().bytes < full as usize / 10, "stats().bytes follows");

    assert_right(engine.detect(scene.at(0)), scene.at(0));
    // In the midst of a scene, too, and with nothing at all.
    engine.shrink_to_fit();
    assert_right(engine.detect(scene.at(0)), scene.at(0));
    engine.detect(&[] as &[Aabb<f32, 3>]);
    engine.shrink_to_fit();
    let empty = account.live_bytes() - held;
    assert!(empty < full / 10, "{empty} of {full} bytes left for nothing");
    assert_right(engine.detect(scene.at(0)), scene.at(0));
    drop(engine);
    assert_eq!(account.live_bytes(), held, "something is left of a dropped engine");
}
