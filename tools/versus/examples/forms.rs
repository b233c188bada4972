//! pivotgrid against itself: threads, instruction sets, coordinates and the first call, each beside a step on one thread.
//!
//! The forms take turns of a few steps. See `--help`.

#![forbid(unsafe_code)]

mod command;

use std::fs::File;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use command::{create, default_scenes, list, named, parse};
use cpu_time::ProcessTime;
use pivotgrid::{Aabb, BroadPhase, Config, InstructionSet, Pair, Scalar};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};

const USAGE: &str = "\
Usage: forms [options]

  --scenes A,B-2d    scenes, those with -2d in two dimensions (default: all, and uniform, poly12 and power in 2D)
  --n N,M            numbers of objects (default: 10k, 100k, 1M)
  --threads T        threads of the parallel form (default: 2)
  --steps K          steps that are timed, each the last of a turn of four (default: 9)
  --csv FILE         write the numbers there as well

A line per scene and number of objects: CPU time per object of a step on one thread in f32, and the share of it that only one
worker can do with several threads; bytes per object beside the pairs; and of each form its time in multiples of that step's:
wall and CPU time with more threads, CPU time with AVX2, with portable kernels and in f64, and that of a new engine's first call.
";

/// Moments of a scene that the steps go through, forward and back and forward again.
const FRAMES: usize = 4;
/// Steps that a form takes in a turn. Only the last is timed: when threads begin to work again, the system has to find cores for them, and
/// caches hold what the form before has left there.
const TURN: usize = 4;
/// Turns before those that are timed.
const WARM_UP: usize = 1;

struct Plan {
    scenes: Vec<(Scene, usize)>,
    sizes: Vec<usize>,
    threads: usize,
    steps: usize,
    csv: Option<File>,
}

/// The columns of the table and of the CSV file.
const HEADER: [&str; 11] =
    ["scene", "objects", "ns_per_object", "serial_percent", "bytes", "wall", "cpu", "avx2", "portable", "f64", "first_call"];

fn main() -> ExitCode {
    command::run(USAGE, "not all forms found the same number of pairs", |arguments| {
        let mut plan = plan(arguments)?;
        let mut all_agree = true;
        report(HEADER.map(str::to_owned), &mut plan.csv)?;
        for (scene, dimensions) in plan.scenes.clone() {
            for n in plan.sizes.clone() {
                let (line, agree) = if dimensions == 2 { measure::<2>(scene, n, &plan) } else { measure::<3>(scene, n, &plan) };
                report(line, &mut plan.csv)?;
                all_agree &= agree;
            }
        }
        Ok(all_agree)
    })
}

fn report(line: [String; HEADER.len()], csv: &mut Option<File>) -> Result<(), String> {
    println!("{}", line.each_ref().map(|cell| format!("{cell:>15}")).concat());
    let Some(csv) = csv else { return Ok(()) };
    writeln!(csv, "{}", line.join(",")).map_err(|error| format!("the CSV file: {error}"))
}

/// A way to take a step.
struct Form<'b> {
    /// Takes the step over a frame, and returns the number of pairs.
    step: Box<dyn FnMut(usize) -> usize + 'b>,
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl<'b> Form<'b> {
    fn new(step: impl FnMut(usize) -> usize + 'b) -> Self {
        Form { step: Box::new(step), wall: Vec::new(), cpu: Vec::new() }
    }

    fn take(&mut self, frame: usize, is_timed: bool) -> usize {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let pairs = (self.step)(frame);
        if is_timed {
            self.cpu.push(cpu.elapsed().as_secs_f64());
            self.wall.push(wall.elapsed().as_secs_f64());
        }
        pairs
    }
}

fn measure<const D: usize>(scene: Scene, n: usize, plan: &Plan) -> ([String; HEADER.len()], bool) {
    let (single, double) = (frames::<f32, D>(scene, n), frames::<f64, D>(scene, n));
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build().expect("threads can be started");
    let mut alone = BroadPhase::<f32, D>::new();
    let mut forms = vec![
        Form::new(|frame| alone.detect(&single[frame]).len()),
        Form::new(steps_of(InstructionSet::Best, &single, Some(&pool)).expect("every machine has a best set")),
        Form::new(|frame| BroadPhase::<f32, D>::new().detect(&single[frame]).len()),
        Form::new(steps_of(InstructionSet::Best, &double, None).expect("every machine has a best set")),
    ];
    let sets = [InstructionSet::Avx2, InstructionSet::Portable].map(|set| {
        let steps = steps_of(set, &single, None)?;
        forms.push(Form::new(steps));
        Some(forms.len() - 1)
    });

    let mut agree = true;
    for turn in 0..WARM_UP + plan.steps {
        let mut pairs = vec![0; forms.len()];
        for place in 0..forms.len() {
            // Which one comes first changes from turn to turn.
            let form = (turn + place) % forms.len();
            for step in TURN * turn..TURN * (turn + 1) {
                let phase = step % (2 * FRAMES - 2);
                let frame = phase.min(2 * FRAMES - 2 - phase);
                pairs[form] = forms[form].take(frame, turn >= WARM_UP && step % TURN == TURN - 1);
            }
        }
        // In f64 the boxes are others.
        agree &= pairs.iter().enumerate().all(|(form, &found)| form == 3 || found == pairs[0]);
    }

    let times: Vec<[f64; 2]> = forms.iter_mut().map(|form| [median(&mut form.wall), median(&mut form.cpu)]).collect();
    drop(forms);
    let stats = alone.stats();
    let pairs = stats.pairs * size_of::<Pair>();
    let ratio = |form: usize, clock: usize| format!("{:.2}", times[form][clock] / times[0][clock]);
    let serial = stats.serial.as_secs_f64() / stats.times.total().as_secs_f64();
    let of_set = |set: usize| sets[set].map_or_else(|| "-".to_owned(), |form| ratio(form, 1));
    let line = [
        if D == 2 { format!("{scene}-2d") } else { scene.to_string() },
        n.to_string(),
        format!("{:.2}", times[0][1] * 1e9 / n as f64),
        format!("{:.2}", 100.0 * serial),
        format!("{:.1}", (stats.bytes.saturating_sub(pairs)) as f64 / n as f64),
        ratio(1, 0),
        ratio(1, 1),
        of_set(0),
        of_set(1),
        ratio(3, 1),
        ratio(2, 1),
    ];
    (line, agree)
}

/// Steps of an engine with these instructions, in a pool or on the calling thread. Nothing if the machine does not have them.
fn steps_of<'b, S: Scalar, const D: usize>(
    set: InstructionSet,
    frames: &'b [Vec<Aabb<S, D>>],
    pool: Option<&'b ThreadPool>,
) -> Option<impl FnMut(usize) -> usize + 'b> {
    let mut broad_phase = BroadPhase::<S, D>::with_config(Config::default().instruction_set(set)).ok()?;
    Some(move |frame: usize| match pool {
        Some(pool) => pool.install(|| broad_phase.par_detect(&frames[frame]).len()),
        None => broad_phase.detect(&frames[frame]).len(),
    })
}

fn frames<S: Scalar + scenes::Scalar, const D: usize>(scene: Scene, n: usize) -> Vec<Vec<Aabb<S, D>>> {
    let mut world = World::<S, D>::new(scene, n, 1);
    let frame = |_| {
        let boxes = world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect();
        world.step();
        boxes
    };
    (0..FRAMES).map(frame).collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan { scenes: default_scenes(), sizes: vec![10_000, 100_000, 1_000_000], threads: 2, steps: 9, csv: None };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{option}: unknown, or its value is missing"))?;
        match option.as_str() {
            "--scenes" => plan.scenes = value.split(',').map(|name| named(name, Scene::dimensions)).collect::<Result<_, _>>()?,
            "--n" => plan.sizes = list(option, value)?,
            "--threads" => plan.threads = parse(option, value)?,
            "--steps" => plan.steps = parse(option, value)?,
            "--csv" => plan.csv = Some(create(option, value)?),
            _ => return Err(format!("{option}: unknown")),
        }
    }
    if plan.threads == 0 || plan.steps == 0 {
        return Err("at least one thread and one step are needed".to_owned());
    }
    Ok(plan)
}
