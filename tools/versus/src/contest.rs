//! The contest: every rival over the same steps, one after the other within each step.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use pivotgrid::{InstructionSet, Pair};
use scenes::{Scene, World};

use crate::counting::measured;
use crate::table::{Outcome, Row, Table};
use crate::{Answer, Bounds, Entry, Resources, Rival};

/// Up to this number of objects the sets of pairs are compared as such; beyond, their number and a digest.
const COMPARED: usize = 100_000;
/// From this number of objects on, rivals have to qualify on smaller scenes.
const QUALIFIED: usize = 20_000;

/// How a contest is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many threads there are. With more than one, rivals without a parallel form are left out.
    pub threads: usize,
    /// How many steps are timed, after three that are not; the table shows the medians.
    pub steps: usize,
    /// The longest step that is waited for. Rivals that would take longer, as smaller scenes show, are skipped.
    pub budget: Duration,
    /// Seed of the scenes.
    pub seed: u64,
    /// Names of those who take part besides pivotgrid; all, if empty.
    pub rivals: Vec<String>,
    /// Instructions of pivotgrid and of the rivals of our own.
    pub instructions: InstructionSet,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            threads: 1,
            steps: 5,
            budget: Duration::from_secs(10),
            seed: 1,
            rivals: Vec::new(),
            instructions: InstructionSet::Best,
        }
    }
}

impl Settings {
    pub(crate) fn resources(&self) -> Resources {
        Resources { threads: self.threads, instructions: self.instructions }
    }
}

/// Runs all rivals of the roster, the first of which is pivotgrid, on a scene of `n` objects.
pub fn contest<const D: usize>(scene: Scene, n: usize, roster: &[Entry<D>], settings: &Settings) -> Table {
    let takes_part = |(place, entry): &(usize, &Entry<D>)| {
        let wanted = *place == 0 || settings.rivals.is_empty() || settings.rivals.contains(&entry.name);
        wanted && (settings.threads == 1 || entry.parallel)
    };
    let entries: Vec<&Entry<D>> = roster.iter().enumerate().filter(takes_part).map(|(_, entry)| entry).collect();
    // All of it in the pool, so that no rival pays for the way in; a pool of one thread as well, so that none can use more.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build().expect("the threads can be started");
    pool.install(|| race(scene, n, &entries, settings))
}

/// A rival on the track.
struct Runner<const D: usize> {
    rival: Box<dyn Rival<D>>,
    row: usize,
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
}

fn race<const D: usize>(scene: Scene, n: usize, entries: &[&Entry<D>], settings: &Settings) -> Table {
    let mut world = World::<f32, D>::new(scene, n, settings.seed);
    let warm_up: [Vec<Bounds<D>>; 3] = std::array::from_fn(|_| next(&mut world));
    let qualifier = (n >= QUALIFIED).then(|| Qualifier::new(scene, n, settings));

    let mut rows = Vec::with_capacity(entries.len());
    let mut runners = Vec::with_capacity(entries.len());
    let mut expected = None;
    for entry in entries {
        if qualifier.as_ref().is_some_and(|qualifier| !qualifier.admits(entry)) {
            rows.push(Row { rival: entry.name.clone(), outcome: Outcome::Skipped { budget: settings.budget } });
            continue;
        }
        let ((mut rival, first), memory) = measured(|| {
            let mut rival = entry.make(settings.resources());
            let start = Instant::now();
            rival.step(&warm_up[0]);
            let first = start.elapsed();
            rival.step(&warm_up[1]);
            (rival, first)
        });
        let pairs = PairSet::of(&rival.step(&warm_up[2]), n);
        let agrees = *expected.get_or_insert_with(|| pairs.clone()) == pairs;
        let outcome = Outcome::Finished {
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            first,
            live_bytes: memory.live,
            peak_bytes: memory.peak,
            agrees,
        };
        runners.push(Runner { rival, row: rows.len(), wall: Vec::new(), cpu: Vec::new() });
        rows.push(Row { rival: entry.name.clone(), outcome });
    }

    let mut pairs = 0;
    for step in 0..settings.steps {
        let boxes = next(&mut world);
        let mut counts = vec![0; rows.len()];
        // Who begins changes from step to step.
        let first = step % runners.len().max(1);
        runners.rotate_left(first);
        for runner in &mut runners {
            let (wall, cpu) = (Instant::now(), ProcessTime::now());
            counts[runner.row] = runner.rival.step(&boxes).pairs();
            runner.cpu.push(cpu.elapsed());
            runner.wall.push(wall.elapsed());
        }
        runners.rotate_right(first);
        pairs = counts[runners[0].row];
        for runner in &runners {
            if let Outcome::Finished { agrees, .. } = &mut rows[runner.row].outcome {
                *agrees &= counts[runner.row] == pairs;
            }
        }
    }
    for runner in &mut runners {
        if let Outcome::Finished { wall, cpu, .. } = &mut rows[runner.row].outcome {
            (*wall, *cpu) = (median(&mut runner.wall), median(&mut runner.cpu));
        }
    }
    Table { scene, dimensions: D, objects: n, threads: settings.threads, steps: settings.steps, pairs, rows }
}

/// The boxes as they are, and the world moved on.
fn next<const D: usize>(world: &mut World<f32, D>) -> Vec<Bounds<D>> {
    let boxes = world.boxes().iter().map(|bounds| Bounds { min: bounds.min, max: bounds.max }).collect();
    world.step();
    boxes
}

pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// What the answers of two rivals are compared by.
#[derive(Clone, PartialEq, Eq)]
enum PairSet {
    Pairs(Vec<Pair>),
    Digest(usize, u64),
}

impl PairSet {
    fn of(answer: &Answer<'_>, objects: usize) -> Self {
        if objects <= COMPARED { PairSet::Pairs(answer.sorted()) } else { PairSet::Digest(answer.pairs(), answer.digest()) }
    }
}

/// Two smaller scenes, on which a rival's growth with the number of objects shows.
pub(crate) struct Qualifier<const D: usize> {
    eighth: Vec<Bounds<D>>,
    quarter: Vec<Bounds<D>>,
    resources: Resources,
    budget: f64,
}

impl<const D: usize> Qualifier<D> {
    fn new(scene: Scene, n: usize, settings: &Settings) -> Self {
        let boxes = |n| next(&mut World::new(scene, n, settings.seed));
        Self::of(boxes(n / 8), boxes(n / 4), settings)
    }

    pub(crate) fn of(eighth: Vec<Bounds<D>>, quarter: Vec<Bounds<D>>, settings: &Settings) -> Self {
        Qualifier { eighth, quarter, resources: settings.resources(), budget: settings.budget.as_secs_f64() }
    }

    pub(crate) fn admits(&self, entry: &Entry<D>) -> bool {
        let seconds = |boxes: &[Bounds<D>]| {
            let mut rival = entry.make(self.resources);
            let start = Instant::now();
            rival.step(boxes);
            start.elapsed().as_secs_f64()
        };
        let eighth = seconds(&self.eighth);
        if 8.0 * eighth > self.budget {
            return false;
        }
        let quarter = seconds(&self.quarter);
        // Twice as many objects took `growth` times as long, and will do so twice more.
        let growth = (quarter / eighth).clamp(2.0, 4.0);
        quarter * growth * growth <= self.budget
    }
}
