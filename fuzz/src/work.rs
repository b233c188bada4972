//! How much work a scene can be made to cost: the bytes are the parameters of a few crowds, and what the engine did is compared with
//! the bound that `tests/work` has for the hostile scenes.
//!
//! A search that only looks for new code would soon be content. So [`milestones`] turns work into branches: each is taken from a
//! certain part of the bound on, and a scene that costs more than all before it is new code to the fuzzer.

use pivotgrid::{BroadPhase, Config, Stats};
use scenes::{Hostile, Scalar};

use crate::bytes::Bytes;
use crate::number::Number;

mod crowd;

/// With fewer objects the logarithm and what a chunk costs at least decide, and nothing is learned.
const FEWEST: usize = 500;
const MOST: usize = 2000;
const MOST_STEPS: usize = 3;

/// As in `tests/work/bound.rs`.
const C: f64 = 4.0;

fn bound(objects: usize, pairs: usize) -> f64 {
    let n = objects as f64;
    C * (n * n.max(2.0).log2() + pairs as f64)
}

/// As in `tests/work/bound.rs`.
fn work(stats: &Stats) -> f64 {
    (stats.candidates + stats.looks) as f64
}

/// Asserts the bound; with `WORK_REPORT` in the environment it says what was exceeded instead, and goes on.
pub fn run(data: &[u8]) {
    let excess = worst(data);
    if excess > 1.0 {
        let message = format!("{excess:.2} times the bound: {data:?}");
        assert!(std::env::var_os("WORK_REPORT").is_some(), "{message}");
        eprintln!("{message}");
    }
}

/// The worst step of the scene that the bytes describe, as a part of the bound.
pub fn worst(data: &[u8]) -> f64 {
    let mut bytes = Bytes::new(data);
    match bytes.below(4) {
        0 => steps::<f32, 2>(&mut bytes),
        1 => steps::<f32, 3>(&mut bytes),
        2 => steps::<f64, 2>(&mut bytes),
        _ => steps::<f64, 3>(&mut bytes),
    }
}

/// One kept engine, one to three scenes with the same number of objects.
fn steps<S: Number + Scalar, const D: usize>(bytes: &mut Bytes<'_>) -> f64 {
    let mut engine = BroadPhase::<S, D>::with_config(Config::default()).expect("a valid config");
    let count = FEWEST + (usize::from(bytes.byte()) << 8 | usize::from(bytes.byte())) % (MOST - FEWEST);
    let mut worst = 0.0_f64;
    for step in 0..1 + bytes.below(MOST_STEPS) {
        let boxes = if bytes.below(8) == 0 { registered(bytes, count, step) } else { crowd::scene(bytes, count) };
        engine.detect(&boxes);
        let stats = engine.stats();
        worst = worst.max(work(stats) / bound(stats.objects, stats.pairs));
    }
    milestones(worst);
    worst
}

/// A scene of the registry, of any seed.
fn registered<S: Number + Scalar, const D: usize>(
    bytes: &mut Bytes<'_>,
    count: usize,
    step: usize,
) -> Vec<pivotgrid::Aabb<S, D>> {
    let scene = Hostile::ALL[bytes.below(Hostile::ALL.len())];
    let scene = if scene.dimensions().contains(&D) { scene } else { Hostile::Flat };
    let boxes = scene.boxes::<S, D>(count, u64::from(bytes.byte()), step as u64);
    boxes.into_iter().map(|bounds| pivotgrid::Aabb { min: bounds.min, max: bounds.max }).collect()
}

/// A branch for each of 28 levels of work, from a hundredth of the bound to more than ten times the bound.
fn milestones(excess: f64) {
    macro_rules! reached {
        ($($level:literal)*) => { $(if excess > $level { std::hint::black_box($level); })* };
    }
    reached!(0.01 0.02 0.03 0.05 0.07 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.55 0.6 0.65 0.7 0.75 0.8 0.85 0.9 0.95 1.0 2.0 4.0 8.0 16.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search without the fuzzer: changes bytes, keeps what costs more. `cargo +nightly test --release climb -- --ignored --nocapture`
    #[test]
    #[ignore = "a random search, half a minute"]
    fn climb() {
        const STARTS: u64 = 12;
        const TRIES: u64 = 300;
        // Two crowds in each of two steps.
        const LENGTH: usize = 60;
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for start in 0..STARTS {
            let mut best: Vec<u8> = (0..LENGTH).map(|_| random() as u8).collect();
            let mut highest = worst(&best);
            for _ in 0..TRIES {
                let mut next = best.clone();
                for _ in 0..1 + random() % 4 {
                    let place = random() % next.len();
                    next[place] = random() as u8;
                }
                let excess = worst(&next);
                if excess > highest {
                    (highest, best) = (excess, next);
                }
            }
            println!("start {start}: {highest:.2} times the bound: {best:?}");
        }
    }
}
