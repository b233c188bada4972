//! A panic in the user's code reaches the caller as it was, and the engine works on as if the step had not been.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Oracle, Placement, Scene, Sizes, assert_same, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, Config};

#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Calm,
    /// Panics when asked for its box.
    PanicsAlone,
    /// Panics when asked about another one.
    PanicsInPairs,
    /// The same with `panic!` and a message instead of a silent payload.
    Speaks,
}

struct Body {
    bounds: Aabb<f32, 3>,
    index: usize,
    mood: Mood,
}

/// What the panics carry: the index of the body that panicked.
#[derive(Debug, PartialEq)]
struct Culprit(usize);

impl Body {
    /// Unwinds without calling the panic hook, which would print hundreds of messages.
    fn blow_up(&self) -> ! {
        resume_unwind(Box::new(Culprit(self.index)))
    }
}

impl Bounded<f32, 3> for Body {
    fn aabb(&self) -> Aabb<f32, 3> {
        match self.mood {
            Mood::PanicsAlone => self.blow_up(),
            Mood::Speaks => panic!("body {} has no box today", self.index),
            Mood::Calm | Mood::PanicsInPairs => self.bounds,
        }
    }
    fn pairs_with(&self, other: &Self) -> bool {
        for body in [self, other] {
            if body.mood == Mood::PanicsInPairs {
                body.blow_up();
            }
        }
        true
    }
}

fn bodies(n: usize, seed: u64) -> Vec<Body> {
    let scene = Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 50.0, origin: 0.0, seed };
    let body = |(index, bounds)| Body { bounds, index, mood: Mood::Calm };
    scene.boxes().into_iter().enumerate().map(body).collect()
}

fn step(engine: &mut BroadPhase<f32, 3>, bodies: &[Body]) -> Result<usize, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| engine.par_detect(bodies).len()))
}

/// The step must panic with the payload of one of these bodies.
#[track_caller]
fn assert_culprit(outcome: Result<usize, Box<dyn Any + Send>>, culprits: &[usize]) {
    let payload = outcome.expect_err("the panic was swallowed");
    let culprit = payload.downcast_ref::<Culprit>().expect("another payload than the one that was thrown");
    assert!(culprits.contains(&culprit.0), "{culprit:?} is not one of {culprits:?}");
}

/// The last body that has a pair: by the time it panics, most of the step has been done.
fn last_in_a_pair(bodies: &[Body]) -> usize {
    Oracle::detect(bodies).pairs.iter().map(|pair| pair.b).max().expect("a scene with pairs") as usize
}

fn engines() -> [(usize, BroadPhase<f32, 3>); 4] {
    let engine = |config| BroadPhase::with_config(config).expect("a valid config");
    [
        (40, engine(Config::default())), // all pairs, no grid
        (300, engine(grid_config())),
        (300, engine(grid_config().exact_cell_size(1.0))),
        (2500, engine(Config::default())),
    ]
}

#[test]
fn a_panic_passes_through_and_the_next_step_is_right() {
    for threads in [1, 2, 8] {
        for (n, mut engine) in engines() {
            pool(threads).install(|| {
                let (mut world, other) = (bodies(n, 1), bodies(n / 2, 2));
                let (expected, expected_other) = (Oracle::detect(&world), Oracle::detect(&other));
                let last = last_in_a_pair(&world);
                for mood in [Mood::PanicsAlone, Mood::PanicsInPairs] {
                    for culprit in [expected.pairs[0].a as usize, last] {
                        let context = format!("{n} bodies, {threads} threads, after body {culprit}");
                        world[culprit].mood = mood;
                        assert_culprit(step(&mut engine, &world), &[culprit]);
                        world[culprit].mood = Mood::Calm;
                        assert_same(engine.par_detect(&world), &expected, &context);
                        assert_eq!(engine.stats().pairs, expected.pairs.len());
                        // And with other objects straight after a panic.
                        world[culprit].mood = mood;
                        assert_culprit(step(&mut engine, &world), &[culprit]);
                        world[culprit].mood = Mood::Calm;
                        assert_same(engine.par_detect(&other), &expected_other, &format_args!("{context}, others"));
                    }
                }
            });
        }
    }
}

#[test]
fn a_panic_in_the_very_first_step() {
    for threads in [1, 2, 8] {
        for mood in [Mood::PanicsAlone, Mood::PanicsInPairs] {
            for (n, mut engine) in engines() {
                let mut world = bodies(n, 3);
                let culprit = last_in_a_pair(&world);
                world[culprit].mood = mood;
                assert_culprit(pool(threads).install(|| step(&mut engine, &world)), &[culprit]);
                world[culprit].mood = Mood::Calm;
                let found = pool(threads).install(|| engine.par_detect(&world));
                assert_same(found, &Oracle::detect(&world), &format_args!("{n} bodies, {threads} threads"));
            }
        }
    }
}

#[test]
fn detect_passes_panics_through_as_well() {
    for (n, mut engine) in engines() {
        let mut world = bodies(n, 4);
        let (expected, culprit) = (Oracle::detect(&world), last_in_a_pair(&world));
        for mood in [Mood::PanicsAlone, Mood::PanicsInPairs] {
            world[culprit].mood = mood;
            assert_culprit(catch_unwind(AssertUnwindSafe(|| engine.detect(&world).len())), &[culprit]);
            world[culprit].mood = Mood::Calm;
            assert_same(engine.detect(&world), &expected, &format_args!("{n} bodies"));
        }
    }
}

/// Every third body panics, on whatever thread it is met: one of the panics wins, the others must not abort the process.
#[test]
fn panics_on_many_threads_at_once() {
    for threads in [1, 2, 8] {
        for mood in [Mood::PanicsAlone, Mood::PanicsInPairs] {
            let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
            let mut world = bodies(1500, 5);
            let culprits: Vec<usize> = (0..world.len()).step_by(3).collect();
            for &index in &culprits {
                world[index].mood = mood;
            }
            for _ in 0..10 {
                assert_culprit(pool(threads).install(|| step(&mut engine, &world)), &culprits);
            }
            for body in &mut world {
                body.mood = Mood::Calm;
            }
            let found = pool(threads).install(|| engine.par_detect(&world));
            assert_same(found, &Oracle::detect(&world), &format_args!("{threads} threads"));
        }
    }
}

/// A hundred in a row, with and without good steps in between: nothing leaks into the steps after, nothing wears out.
#[test]
fn a_hundred_panics_in_a_row() {
    for threads in [1, 2, 8] {
        let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
        let mut world = bodies(400, 6);
        let expected = Oracle::detect(&world);
        let bytes = {
            assert_same(pool(threads).install(|| engine.par_detect(&world)), &expected, &"before the panics");
            engine.stats().bytes
        };
        for round in 0..100usize {
            let pair = expected.pairs[round * 37 % expected.pairs.len()];
            let (culprit, mood) = match round % 2 {
                0 => (pair.a as usize, Mood::PanicsAlone),
                _ => (pair.b as usize, Mood::PanicsInPairs),
            };
            world[culprit].mood = mood;
            assert_culprit(pool(threads).install(|| step(&mut engine, &world)), &[culprit]);
            world[culprit].mood = Mood::Calm;
            if round % 7 == 0 || round == 99 {
                let found = pool(threads).install(|| engine.par_detect(&world));
                assert_same(found, &expected, &format_args!("round {round}, {threads} threads"));
            }
        }
        let after = engine.stats().bytes;
        assert!(after <= 2 * bytes + 4096, "{threads} threads: memory grew from {bytes} to {after} bytes");
    }
}

/// As above, but with the panic as users write it.
#[test]
fn a_message_survives() {
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
    let mut world = bodies(300, 7);
    world[123].mood = Mood::Speaks;
    let payload = pool(2).install(|| step(&mut engine, &world)).expect_err("the panic was swallowed");
    assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some("body 123 has no box today"));
    world[123].mood = Mood::Calm;
    assert_same(engine.par_detect(&world), &Oracle::detect(&world), &"after the message");
}

/// After a panic the step is abandoned, not finished behind the caller's back: nobody is asked when `par_detect` is over.
#[test]
fn nobody_is_asked_after_the_panic_came_out() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    struct Counted(Body);
    impl Bounded<f32, 3> for Counted {
        fn aabb(&self) -> Aabb<f32, 3> {
            ASKED.fetch_add(1, Ordering::Relaxed);
            self.0.aabb()
        }
        fn pairs_with(&self, other: &Self) -> bool {
            ASKED.fetch_add(1, Ordering::Relaxed);
            self.0.pairs_with(&other.0)
        }
    }
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
    for mood in [Mood::PanicsAlone, Mood::PanicsInPairs] {
        let mut world: Vec<Counted> = bodies(2000, 8).into_iter().map(Counted).collect();
        world[1000].0.mood = mood;
        let outcome = pool(8).install(|| catch_unwind(AssertUnwindSafe(|| engine.par_detect(&world).len())));
        let asked = ASKED.load(Ordering::Relaxed);
        assert_culprit(outcome, &[1000]);
        // The objects are gone now: a thread still at work would read freed memory, or count here.
        drop(world);
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(ASKED.load(Ordering::Relaxed), asked);
    }
}
