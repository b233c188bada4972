//! A search in a scene that no longer grows allocates nothing, on any number of threads.

use pivotgrid::{Aabb, Ball, Lattice, Neighbors, Periodic, Reach};

use crate::account::Account;
use crate::common::Rng;

/// Balls of mixed sizes that swing between two places, so that the first two steps have seen all there is.
fn swing(n: usize) -> [Vec<Ball<f32, 3>>; 2] {
    let rng = &mut Rng(77);
    let edge = 2.2 * (n as f64).cbrt();
    let mut phases = [Vec::new(), Vec::new()];
    for index in 0..n {
        let radius = if index % 500 == 0 { 12.0 } else { rng.within(0.3, 0.9) } as f32;
        let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
        let away: [f32; 3] = std::array::from_fn(|axis| center[axis] + radius * rng.within(-0.3, 0.3) as f32);
        phases[0].push(Ball::new(center, radius));
        phases[1].push(Ball::new(away, radius));
    }
    phases
}

/// Takes steps and panics if one of those after the first two allocated.
#[track_caller]
fn assert_no_allocation(account: &Account, context: &str, mut step: impl FnMut(usize)) {
    let counted: [usize; 18] = std::array::from_fn(|number| {
        let before = account.allocations();
        step(number);
        account.allocations() - before
    });
    assert_eq!(counted[2..], [0; 16], "{context}, by step {counted:?}");
}

fn check(threads: usize) {
    let account = Account::open();
    let pool = account.lasting_pool(threads);
    let balls = swing(12_000);
    let points = balls.each_ref().map(|balls| balls.iter().map(|ball| ball.center).collect::<Vec<_>>());
    for (half, sorted) in [(false, false), (true, false), (false, true), (true, true)] {
        let context = format!("{threads} threads, half {half}, sorted {sorted}");
        let new = || Neighbors::<f32, 3>::new().half(half).sorted(sorted);
        let (mut touching, mut within) = (new(), new());
        // Inside of `install`: entering a pool from outside goes through a queue that rayon allocates as it goes.
        pool.install(|| {
            assert_no_allocation(account, &context, |step| {
                assert!(!touching.par_touching(&balls[step % 2]).indices().is_empty())
            });
            assert_no_allocation(account, &context, |step| assert!(!within.par_within(&points[step % 2], 2.5).is_empty()));
        });
    }
}

#[test]
fn nothing_on_one_thread() {
    check(1);
}

#[test]
fn nothing_on_two_threads() {
    check(2);
}

#[test]
fn nothing_on_five_threads() {
    check(5);
}

/// Radii of their own, margins, sheared domains, and everything that can be had beside the indices.
#[test]
fn nothing_with_everything_beside() {
    let account = Account::open();
    let balls = swing(12_000);
    let points = balls.each_ref().map(|balls| balls.iter().map(|ball| ball.center).collect::<Vec<_>>());
    let radii: Vec<f32> = balls[0].iter().map(|ball| ball.radius).collect();
    let edge = 2.2 * 12_000f64.cbrt();
    let lattice = Lattice::new([[edge, 0.0, 0.0], [0.2 * edge, edge, 0.0], [0.0, -0.1 * edge, edge]], [true; 3]).unwrap();
    for threads in [1, 2] {
        let pool = account.lasting_pool(threads);
        let new = || Neighbors::<f32, 3>::new().sorted(true).shifts(true).distances(true).vectors(true).skin(0.1);
        let (mut plain, mut wrapped, mut touching) = (new(), new().lattice(lattice), new().half(true).lattice(lattice));
        let context = format!("{threads} threads, everything");
        pool.install(|| {
            assert_no_allocation(account, &context, |step| {
                assert!(plain.par_needs_rebuild(&points[step % 2][..100]));
                assert!(!plain.par_within(&points[step % 2], Reach::Max(&radii)).vectors().is_empty());
            });
            assert_no_allocation(account, &context, |step| {
                assert!(!wrapped.par_within(&points[step % 2], 2.5).shifts().is_empty())
            });
            assert_no_allocation(account, &context, |step| {
                assert!(!touching.par_touching(&balls[step % 2]).distances().is_empty())
            });
        });
        let held = wrapped.stats().bytes;
        wrapped.within(&points[0][..10], 0.1);
        wrapped.shrink_to_fit();
        assert!(wrapped.stats().bytes < held / 10);
    }
}

/// Particles that reach over many periods, whose images are searched by kind.
#[test]
fn nothing_for_many_periods() {
    let account = Account::open();
    let rng = &mut Rng(3);
    let phases = [(); 2].map(|()| (0..40).map(|_| [(); 3].map(|()| rng.unit() as f32)).collect::<Vec<_>>());
    let radii: Vec<f32> = (0..40).map(|_| rng.within(0.2, 2.0) as f32).collect();
    let boxes = phases.each_ref().map(|points| points.iter().map(|&point| Aabb::around(point, [3.0; 3])).collect::<Vec<_>>());
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]], [true; 3]).unwrap();
    for threads in [1, 2] {
        account.lasting_pool(threads).install(|| {
            for half in [false, true] {
                let mut neighbors = Neighbors::<f32, 3>::new().half(half).lattice(lattice);
                assert_no_allocation(account, &format!("{threads} threads, half {half}"), |step| {
                    assert!(!neighbors.par_within(&phases[step % 2], Reach::Max(&radii)).is_empty());
                });
            }
            let held = account.live_bytes();
            let mut periodic = Periodic::<f32, 3>::of_lattice(lattice);
            assert_no_allocation(account, &format!("{threads} threads, pairs"), |step| {
                assert!(!periodic.par_detect(&boxes[step % 2]).is_empty());
            });
            let (held, told) = ((account.live_bytes() - held) as f64, periodic.stats().bytes as f64);
            assert!((0.9..=1.1).contains(&(told / held)), "tells {told} bytes, holds {held}");
        });
    }
}

#[test]
fn nothing_in_small_and_bad_scenes() {
    let account = Account::open();
    for n in [0, 1, 2, 50, 700] {
        let mut balls = swing(n);
        if let Some(ball) = balls[0].get_mut(n / 2) {
            ball.radius = f32::NAN;
        }
        let mut neighbors = Neighbors::<f32, 3>::new();
        assert_no_allocation(account, &format!("{n} balls"), |step| {
            neighbors.par_touching(&balls[step % 2]);
        });
    }
}

/// `stats().bytes` is what is really held, within a tenth; and it is given back when asked for.
#[test]
fn memory_is_known_and_given_back() {
    let account = Account::open();
    let live = || account.live_bytes();
    let balls = swing(20_000);
    let held = live();
    let mut neighbors = Neighbors::<f32, 3>::new();
    for step in 0..3 {
        neighbors.touching(&balls[step % 2]);
        let (live, told) = ((live() - held) as f64, neighbors.stats().bytes as f64);
        assert!((0.9..=1.1).contains(&(told / live)), "step {step}: told {told}, live {live}");
    }
    let full = live() - held;
    neighbors.touching(&balls[0][..10]);
    neighbors.shrink_to_fit();
    assert!(live() - held < full / 10, "{} of {full} bytes left", live() - held);
    drop(neighbors);
    assert_eq!(live(), held, "something is left");
}
