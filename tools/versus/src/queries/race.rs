//! The contest: all systems get the same objects and the same queries, one after the other within each round.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use scenes::{Scene, World};

use super::Kind;
use super::answers::Summary;
use super::ranking::{Ranking, Standing};
use super::respondent::{Respondent, roster};
use super::task::Task;
use crate::contest::median;

/// How the contest is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of queries; for neighbors, one per point.
    pub queries: usize,
    /// How many threads there are.
    pub threads: usize,
    /// How many rounds are timed, after one that is not; the table shows the medians.
    pub rounds: usize,
    /// Seed of the scenes and the queries.
    pub seed: u64,
    /// Names of those who take part besides pivotgrid; all, if empty.
    pub rivals: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { queries: 1_000_000, threads: 1, rounds: 5, seed: 1, rivals: Vec::new() }
    }
}

/// Asks everybody who knows such queries, about a scene of `n` objects that moves on from round to round.
pub fn ask_all(kind: Kind, scene: Scene, n: usize, settings: &Settings) -> Ranking {
    // All of it in the pool, so that no system pays for entering it; a pool of one thread as well, so that no system can use more.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build().expect("the threads can be started");
    pool.install(|| race(kind, scene, n, settings))
}

/// Someone on the track.
struct Runner {
    name: &'static str,
    respondent: Box<dyn Respondent>,
    build: Vec<Duration>,
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
    agrees: bool,
}

impl Runner {
    /// Builds, answers, and says what was found.
    fn run(&mut self, task: &Task) -> Summary {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        self.respondent.build(task);
        self.build.push(wall.elapsed());
        self.respondent.answer(task);
        self.cpu.push(cpu.elapsed());
        self.wall.push(wall.elapsed());
        self.respondent.summary()
    }
}

fn race(kind: Kind, scene: Scene, n: usize, settings: &Settings) -> Ranking {
    let is_wanted =
        |name: &str| name == "pivotgrid" || settings.rivals.is_empty() || settings.rivals.iter().any(|rival| rival == name);
    let mut runners: Vec<Runner> = roster(kind)
        .into_iter()
        .filter(|entry| is_wanted(entry.name))
        .map(|entry| Runner {
            name: entry.name,
            respondent: (entry.make)(),
            build: Vec::new(),
            wall: Vec::new(),
            cpu: Vec::new(),
            agrees: true,
        })
        .collect();
    let mut world = World::<f32, 3>::new(scene, n, settings.seed);
    let (mut found, mut queries) = (0, 0);
    for round in 0..=settings.rounds {
        let task = Task::new(kind, &world, settings.queries, settings.seed.wrapping_add(round as u64));
        world.step();
        // Who begins changes from round to round.
        let first = round % runners.len();
        runners.rotate_left(first);
        let mut summaries: Vec<Summary> = runners.iter_mut().map(|runner| runner.run(&task)).collect();
        runners.rotate_right(first);
        summaries.rotate_right(first);
        for (runner, summary) in runners.iter_mut().zip(&summaries) {
            runner.agrees &= *summary == summaries[0];
        }
        (found, queries) = (summaries[0].found, task.queries.count(n));
        if round == 0 {
            // Memory still had to be allocated.
            for runner in &mut runners {
                [&mut runner.build, &mut runner.wall, &mut runner.cpu].into_iter().for_each(Vec::clear);
            }
        }
    }
    let standing = |runner: &mut Runner| Standing {
        name: runner.name,
        build: median(&mut runner.build),
        wall: median(&mut runner.wall),
        cpu: median(&mut runner.cpu),
        agrees: runner.agrees,
    };
    let standings = runners.iter_mut().map(standing).collect();
    Ranking { kind, scene, objects: n, queries, found, threads: settings.threads, rounds: settings.rounds, standings }
}
