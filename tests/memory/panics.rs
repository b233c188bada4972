//! A thousand panics in the user's code, over pools of 1 to 64 threads: each reaches the caller, the next step is exact, and
//! nothing leaks.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pivotgrid::{Aabb, Bounded, BroadPhase, Pair};

use crate::account::Account;
use crate::common::{Oracle, Placement, Scene, Sizes, grid_config};

/// Where the user's code panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    Nowhere,
    Bounds,
    Filter,
    Visitor,
}

struct Body {
    bounds: Aabb<f32, 3>,
    panics: Where,
}

/// Unwinds without calling the panic hook, which would print a thousand messages.
fn blow_up() -> ! {
    resume_unwind(Box::new(Where::Nowhere))
}

impl Bounded<f32, 3> for Body {
    fn aabb(&self) -> Aabb<f32, 3> {
        if self.panics == Where::Bounds {
            blow_up();
        }
        self.bounds
    }
    fn pairs_with(&self, other: &Self) -> bool {
        if self.panics == Where::Filter || other.panics == Where::Filter {
            blow_up();
        }
        true
    }
}

#[test]
fn a_thousand_panics() {
    let account = Account::open();
    let scene = Scene { n: 1200, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 30.0, origin: 0.0, seed: 8 };
    let mut bodies: Vec<Body> = scene.boxes().into_iter().map(|bounds| Body { bounds, panics: Where::Nowhere }).collect();
    let expected = Oracle::detect(&bodies).pairs;
    let mut caught = 0;
    for (index, threads) in [1, 2, 3, 4, 8, 16, 32, 64].into_iter().enumerate() {
        let pool = account.pool(threads);
        let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
        let mut found: Vec<Pair> = Vec::with_capacity(2 * expected.len());
        let mut held = None;
        for round in 0..125 {
            let pair = expected[(round * 37 + index) % expected.len()];
            let panics = [Where::Bounds, Where::Filter, Where::Visitor][round % 3];
            bodies[pair.a as usize].panics = panics;
            let outcome = pool.install(|| {
                catch_unwind(AssertUnwindSafe(|| match panics {
                    Where::Visitor => {
                        let visit = |_: &mut (), met: Pair| if met == pair { blow_up() } else { ControlFlow::Continue(()) };
                        engine.over(&bodies).visit(|| (), visit).len()
                    }
                    _ => engine.par_detect(&bodies).len(),
                }))
            });
            let payload = outcome.expect_err("the panic was swallowed");
            assert_eq!(payload.downcast_ref(), Some(&Where::Nowhere), "another payload than the one that was thrown");
            caught += 1;
            bodies[pair.a as usize].panics = Where::Nowhere;

            found.clear();
            pool.install(|| found.extend(engine.par_detect(&bodies)));
            found.sort_unstable();
            assert!(found == expected, "{threads} threads, after panic {round} ({panics:?})");
            drop(payload);
            if round == 20 {
                held = Some(account.live_bytes());
            }
        }
        // Rayon's queues come and go in blocks of less than this.
        let grown = account.live_bytes() - held.expect("some rounds");
        assert!(grown < 65_536, "{threads} threads: {grown} bytes more after a hundred panics");
    }
    assert_eq!(caught, 1000);
}

/// A pool that cannot start its threads says so before there is anything to detect with.
#[test]
fn a_pool_without_threads_passes_its_error_on() {
    let mut started = 0;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).spawn_handler(|thread| {
        started += 1;
        if started > 2 {
            return Err(std::io::Error::other("no more threads"));
        }
        std::thread::spawn(|| thread.run());
        Ok(())
    });
    let error = pool.build().map(drop).expect_err("there is no third thread");
    assert!(error.to_string().contains("no more threads"), "{error}");
}
