//! `soak --minutes 60 --seed 1`: all scenes with random growth, shrinkage, teleports, explosions, bad boxes and changes of the number
//! of threads; steps compared with an oracle, memory watched. Every fourth step also goes through static sets, a world, trackers, a
//! periodic domain, neighbor lists and queries. Ends with figures, or with the first thing that was wrong.

mod events;
mod features;
mod life;
mod memory;
mod options;
mod oracle;
mod race;
mod random;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use life::{Figures, Lives};
use memory::{Counting, Watch};
use options::Options;
use random::Random;
use rayon::{ThreadPool, ThreadPoolBuilder};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a line tells how far it is.
const REPORT_EVERY: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if options.race {
        race::run();
        return ExitCode::SUCCESS;
    }
    match soak(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("FAILED: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A round is an episode of some scene in each kind of space; then the engines give their memory back and it is looked at.
fn soak(options: &Options) -> Result<(), String> {
    let (start, mut reported) = (Instant::now(), Instant::now());
    let mut random = Random::new(options.seed);
    let pools: BTreeMap<usize, ThreadPool> = options.threads.iter().map(|&threads| (threads, a_pool(threads))).collect();
    let mut lives = Lives::default();
    let (mut figures, mut watch, mut rounds) = (Figures::default(), Watch::default(), 0u64);
    let over = |figures: &Figures| {
        options.steps.is_some_and(|steps| figures.steps >= steps) || options.time.is_some_and(|time| start.elapsed() >= time)
    };
    println!("soak: seed {}, up to {} objects, pools of {:?} threads", options.seed, options.objects, options.threads);
    while !over(&figures) {
        let mut stop = |figures: &Figures| over(figures);
        lives.round(options, &pools, &mut random, &mut figures, &mut stop)?;
        rounds += 1;
        watch.look(rounds)?;
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            println!("{:>5.1} min: {rounds} rounds, {figures}; {watch}", start.elapsed().as_secs_f64() / 60.0);
        }
    }
    println!("clean: {:.1} minutes, {rounds} rounds, {figures}; {watch}", start.elapsed().as_secs_f64() / 60.0);
    Ok(())
}

fn a_pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("the system starts the pool's threads")
}
