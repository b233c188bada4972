//! What the integration tests share: the oracle, the comparison with it, scenes and pools.
//!
//! Nothing in here calls engine code to decide what is right: overlap and validity are written a second time, in `f64`.
#![allow(dead_code, unused_imports, reason = "every test binary compiles this module and uses its own part of it")]

mod compare;
mod generate;
mod oracle;

use std::fmt::Debug;
use std::sync::OnceLock;

use pivotgrid::{Aabb, Bounded, BroadPhase, Config, InstructionSet, Scalar};
use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) use compare::{assert_same, difference, differing_pairs};
pub(crate) use generate::{Placement, Rng, Scene, Sizes};
pub(crate) use oracle::Oracle;

/// The scalars as the tests need them.
pub(crate) trait Coordinate: Scalar + Into<f64> {
    fn of(value: f64) -> Self;
    /// The neighboring values, one unit in the last place away.
    fn up(self) -> Self;
    fn down(self) -> Self;
}

impl Coordinate for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn up(self) -> Self {
        f32::next_up(self)
    }
    fn down(self) -> Self {
        f32::next_down(self)
    }
}

impl Coordinate for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn up(self) -> Self {
        f64::next_up(self)
    }
    fn down(self) -> Self {
        f64::next_down(self)
    }
}

/// A pool with so many threads, made once per test binary.
pub(crate) fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: [OnceLock<ThreadPool>; 17] = [const { OnceLock::new() }; 17];
    POOLS[threads].get_or_init(|| ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool"))
}

/// The configuration that sends even two objects through the grid and through the pool's threads; with the default one,
/// scenes as small as most in these tests would never reach either.
pub(crate) fn grid_config() -> Config {
    Config::default().all_pairs_up_to(0).serial_up_to(0)
}

pub(crate) fn grid_engine<S: Coordinate, const D: usize>() -> BroadPhase<S, D> {
    BroadPhase::with_config(grid_config()).expect("a valid config")
}

/// Configurations that give different plans, some of them bad on purpose. None may change the pairs.
pub(crate) fn configs() -> Vec<Config> {
    let mut configs = vec![
        Config::default(),
        grid_config(),
        grid_config().max_levels(1),
        grid_config().max_levels(1).cell_size(1.0),
        grid_config().max_levels(2).cell_size(0.3),
        grid_config().instruction_set(InstructionSet::Portable),
    ];
    configs.extend([1e-300, 1e-3, 0.1, 1.0, 3.0, 1e4, 1e300].map(|edge| grid_config().exact_cell_size(edge)));
    configs.extend([1e-3, 30.0].map(|edge| grid_config().cell_size(edge)));
    configs
}

/// Compares the engine with the oracle on one scene, with every configuration, on the calling thread and in pools; each
/// engine takes the scene twice, because the second step starts from what the first one left.
#[track_caller]
pub(crate) fn check<S: Coordinate, const D: usize, T: Bounded<S, D> + Sync>(objects: &[T], what: &str) {
    let expected = Oracle::detect(objects);
    for config in configs() {
        let mut engine = BroadPhase::<S, D>::with_config(config.clone()).expect("a valid config");
        assert_same(engine.detect(objects), &expected, &format_args!("{what}, detect, {config:?}"));
        for threads in [1, 2, 5] {
            let found = pool(threads).install(|| engine.par_detect(objects));
            assert_same(found, &expected, &format_args!("{what}, par_detect on {threads}, {config:?}"));
        }
    }
}
