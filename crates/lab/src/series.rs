//! A series of steps on one world, timed.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use pivotgrid::{Aabb, BroadPhase, Pair, Pairs, PassTimes, Stats};
use rayon::ThreadPool;
use scenes::World;

use crate::failure::Failure;
use crate::settings::{Settings, WARM_UP};

/// What was seen. The vectors have an element per measured step.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) first_call: Duration,
    /// From call to return.
    pub(crate) steps: Vec<Duration>,
    /// By the engine's own clock.
    pub(crate) passes: Vec<PassTimes>,
    /// Of the pairs, independent of their order.
    pub(crate) checksums: Vec<u64>,
    /// Of the last step.
    pub(crate) stats: Stats,
}

/// Takes `steps` steps, after those to warm up, on the given number of threads. The same settings give the same boxes.
pub(crate) fn take<S, const D: usize>(
    settings: &Settings,
    threads: usize,
    steps: usize,
    bar: &ProgressBar,
) -> Result<Series, Failure>
where
    S: pivotgrid::Scalar + scenes::Scalar,
{
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Threads(threads, error))?;
    bar.set_message("making the scene");
    let mut world = World::<S, D>::new(settings.scene, settings.objects, settings.seed);
    let mut boxes = Vec::with_capacity(settings.objects);
    let mut broad_phase = BroadPhase::<S, D>::new();
    bar.set_message(if threads == 1 { "on 1 thread".to_owned() } else { format!("on {threads} threads") });

    let mut first_call = Duration::ZERO;
    let (mut times, mut passes, mut checksums) =
        (Vec::with_capacity(steps), Vec::with_capacity(steps), Vec::with_capacity(steps));
    for step in 0..WARM_UP + steps {
        boxes.clear();
        boxes.extend(world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)));

        let begin = Instant::now();
        let pairs = detect(&mut broad_phase, &boxes, &pool);
        let time = begin.elapsed();

        let checksum = checksum(pairs);
        if step == 0 {
            first_call = time;
        }
        if step >= WARM_UP {
            times.push(time);
            passes.push(broad_phase.stats().times);
            checksums.push(checksum);
        }
        world.step();
        bar.inc(1);
    }
    Ok(Series { first_call, steps: times, passes, checksums, stats: broad_phase.stats().clone() })
}

/// One thread means the calling one: no pool, as a user without rayon would do it.
fn detect<'a, S: pivotgrid::Scalar, const D: usize>(
    broad_phase: &'a mut BroadPhase<S, D>,
    boxes: &[Aabb<S, D>],
    pool: &ThreadPool,
) -> Pairs<'a> {
    match pool.current_num_threads() {
        1 => broad_phase.detect(boxes),
        _ => pool.install(|| broad_phase.par_detect(boxes)),
    }
}

/// The same for the same set of pairs in any order, and hardly ever for another one.
fn checksum(pairs: Pairs<'_>) -> u64 {
    pairs.iter().map(scrambled).fold(0, u64::wrapping_add)
}

/// The finalizer of splitmix64.
fn scrambled(pair: Pair) -> u64 {
    let mut x = (u64::from(pair.a) << 32) | u64::from(pair.b);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
