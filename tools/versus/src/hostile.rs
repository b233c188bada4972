//! The contest on scenes that are made to be slow: a line per scene, and a table of all.

use std::fmt;
use std::time::Duration;

use cpu_time::ProcessTime;
use scenes::Hostile;

use crate::contest::{Qualifier, median};
use crate::{Answer, Bounds, Entry, Rival, Settings};

/// Those who take part unless others are named: a tree that is built anew in every step, and a sweep. parry is in 3D only, and bvh panics
/// where boxes are infinite.
const fn rivals<const D: usize>() -> [&'static str; 2] {
    ["sweep", if D == 2 { "rstar" } else { "parry_rebuild" }]
}

const STACK: usize = 256 << 20;

/// All lines of one contest on hostile scenes.
#[derive(Clone, Debug)]
pub struct HostileTable {
    /// How many objects each scene has.
    pub objects: usize,
    /// How many threads.
    pub threads: usize,
    /// How many steps were timed, after the first.
    pub steps: usize,
    /// A line per scene and dimension.
    pub lines: Vec<HostileLine>,
}

/// One scene.
#[derive(Clone, Debug)]
pub struct HostileLine {
    /// The scene.
    pub scene: Hostile,
    /// 2 or 3.
    pub dimensions: usize,
    /// How many pairs there were in the last step.
    pub pairs: usize,
    /// The rivals, pivotgrid first. None have a time that would have taken longer than the budget.
    pub times: Vec<(String, Option<HostileTimes>)>,
    /// Whether all rivals found the same pairs: the same ones in the first step, as many in the others.
    pub agrees: bool,
}

/// What one rival needed: CPU time of all threads together, because the worst of a few steps by the wall clock says more about the
/// machine's other work than about the rival.
#[derive(Clone, Copy, Debug)]
pub struct HostileTimes {
    /// The first step, without history.
    pub first: Duration,
    /// Median of the other steps.
    pub median: Duration,
    /// The longest of the other steps: in a scene that changes all at once, the one in which it does.
    pub worst: Duration,
}

/// Runs a scene with `n` objects: pivotgrid, a tree that is built anew and a sweep, or those whom the settings name. Scenes that move
/// do so from step to step; at least four timed steps show what happens when a scene changes at step 3.
pub fn hostile_contest<const D: usize>(scene: Hostile, n: usize, roster: &[Entry<D>], settings: &Settings) -> HostileLine {
    let takes_part = |(place, entry): &(usize, &Entry<D>)| {
        let name = entry.name.as_str();
        let wanted =
            if settings.rivals.is_empty() { rivals::<D>().contains(&name) } else { settings.rivals.iter().any(|r| r == name) };
        (*place == 0 || wanted) && (settings.threads == 1 || entry.parallel)
    };
    let entries: Vec<&Entry<D>> = roster.iter().enumerate().filter(takes_part).map(|(_, entry)| entry).collect();
    // Trees become as deep as the scene is uneven, and some are searched by recursion.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).stack_size(STACK);
    let pool = pool.build().expect("the threads can be started");
    pool.install(|| race(scene, n, &entries, settings))
}

/// A rival on the track.
struct Runner<const D: usize> {
    rival: Box<dyn Rival<D>>,
    place: usize,
    first: Duration,
    times: Vec<Duration>,
}

fn race<const D: usize>(scene: Hostile, n: usize, entries: &[&Entry<D>], settings: &Settings) -> HostileLine {
    let boxes = |n: usize, step: u64| -> Vec<Bounds<D>> {
        let boxes = scene.boxes::<f32, D>(n, settings.seed, step);
        boxes.iter().map(|bounds| Bounds { min: bounds.min, max: bounds.max }).collect()
    };
    let qualifier = Qualifier::of(boxes(n / 8, 0), boxes(n / 4, 0), settings);
    let (mut runners, mut expected, mut agrees) = (Vec::new(), None, true);
    let start = boxes(n, 0);
    for (place, entry) in entries.iter().enumerate() {
        if !qualifier.admits(entry) {
            continue;
        }
        let mut rival = entry.make(settings.resources());
        let (answer, first) = timed(&mut *rival, &start);
        let pairs = (answer.pairs(), answer.digest());
        agrees &= *expected.get_or_insert(pairs) == pairs;
        runners.push(Runner { rival, place, first, times: Vec::new() });
    }
    let mut pairs = expected.map_or(0, |expected| expected.0);
    for step in 1..=settings.steps {
        let boxes = boxes(n, step as u64);
        let begins = step % runners.len().max(1);
        runners.rotate_left(begins);
        let mut counts = Vec::with_capacity(runners.len());
        for runner in &mut runners {
            let (answer, time) = timed(&mut *runner.rival, &boxes);
            counts.push(answer.pairs());
            runner.times.push(time);
        }
        runners.rotate_right(begins);
        agrees &= counts.windows(2).all(|two| two[0] == two[1]);
        pairs = counts.first().copied().unwrap_or(pairs);
    }
    let mut times: Vec<(String, Option<HostileTimes>)> = entries.iter().map(|entry| (entry.name.clone(), None)).collect();
    for runner in &mut runners {
        let worst = runner.times.iter().copied().max().unwrap_or_default();
        times[runner.place].1 = Some(HostileTimes { first: runner.first, median: median(&mut runner.times), worst });
    }
    HostileLine { scene, dimensions: D, pairs, times, agrees }
}

fn timed<'a, const D: usize>(rival: &'a mut dyn Rival<D>, boxes: &[Bounds<D>]) -> (Answer<'a>, Duration) {
    let start = ProcessTime::now();
    let answer = rival.step(boxes);
    (answer, start.elapsed())
}

impl HostileLine {
    /// How many times longer than pivotgrid a rival takes, by the longest step of each; less than 1 means that it wins.
    pub fn ratio(&self, rival: &str) -> Option<f64> {
        let own = self.times.first()?.1?;
        let other = self.times.iter().find(|(name, _)| name == rival)?.1?;
        Some(other.worst.as_secs_f64() / own.worst.as_secs_f64())
    }
}

impl HostileTable {
    /// The first line of a CSV file of tables.
    pub const CSV_HEADER: &str =
        "scene,dimensions,objects,threads,steps,pairs,rival,outcome,first_cpu_ms,median_cpu_ms,worst_cpu_ms";

    /// Whether all rivals found the same pairs in all scenes.
    pub fn all_agree(&self) -> bool {
        self.lines.iter().all(|line| line.agrees)
    }

    /// The lines of a CSV file, each with its end.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for HostileLine { scene, dimensions, pairs, times, agrees } in &self.lines {
            for (rival, times) in times {
                text += &format!("{scene},{dimensions},{},{},{},{pairs},{rival},", self.objects, self.threads, self.steps);
                text += &match times {
                    None => "skipped,,,\n".to_owned(),
                    Some(HostileTimes { first, median, worst }) => {
                        let word = if *agrees { "agrees" } else { "differs" };
                        format!("{word},{:.4},{:.4},{:.4}\n", ms(*first), ms(*median), ms(*worst))
                    }
                };
            }
        }
        text
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl fmt::Display for HostileTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HostileTable { objects, threads, steps, lines } = self;
        writeln!(f, "hostile scenes, {objects} objects, {threads} thread(s), {steps} steps; {}", HostileLine::LEGEND)?;
        lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl HostileLine {
    /// What the numbers of a line are.
    pub const LEGEND: &str = "median / worst step in CPU ms; then rival / pivotgrid by worst step, with ! where the rival wins";
}

impl fmt::Display for HostileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{} {}D", self.scene, self.dimensions);
        write!(f, "  {name:<20}{:>8} pairs", self.pairs)?;
        for (rival, times) in &self.times {
            match times {
                None => write!(f, "  {rival} skipped")?,
                Some(times) => write!(f, "  {rival} {:.2} / {:.2}", ms(times.median), ms(times.worst))?,
            }
        }
        for (rival, _) in self.times.iter().skip(1) {
            if let Some(ratio) = self.ratio(rival) {
                write!(f, "  {rival}: {ratio:.2}{}", if ratio < 1.0 { "!" } else { "" })?;
            }
        }
        f.write_str(if self.agrees { "" } else { "  DIFFERENT PAIRS" })
    }
}
