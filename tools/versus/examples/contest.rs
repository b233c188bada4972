//! The contest on the command line: `cargo run --release -p versus --example contest -- --help`.

#![forbid(unsafe_code)]

mod command;

use std::fs::File;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use command::{create, default_scenes, list, named, parse};
use pivotgrid::InstructionSet;
use scenes::{Hostile, Scene};
use versus::{
    Counting, Entry, HostileTable, Settings, Table, contest, hostile_contest, literature_2d, literature_3d, roster_2d, roster_3d,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const USAGE: &str = "\
Usage: contest [--quick | --full] [options]

  --quick            10k and 100k objects, 3 steps, rivals that need more than 1 s per step skipped (default)
  --full             10k, 100k and 1M objects, 7 steps, rivals that need more than 10 s per step skipped
  --hostile          scenes that are made to be slow instead, a line each, against a tree and a sweep: 20k objects, 5 steps,
                     rivals that need more than 10 s per step skipped; with --full 100k objects and 30 s
  --scenes A,B-2d    scenes, those with -2d in two dimensions (default: all, and uniform, poly12 and power in 2D)
  --n N,M            numbers of objects
  --threads T,U      numbers of threads; with more than one only those who can use them take part (default: 1)
  --rivals A,B       who takes part besides pivotgrid (default: all)
  --literature       the systems of the papers take part as well, under names like schornbaum/hash_grid_refill
  --steps K          steps that are timed
  --budget SECONDS   the longest step that is waited for
  --seed S           seed of the scenes (default: 1)
  --instructions I   what pivotgrid, sorted_grid and sweep may use: best (default), avx512, avx2 or portable (the last without AVX2 in
                     all three; the other crates are compiled as the program is)
  --csv FILE         write the numbers there as well
";

/// What to run.
struct Plan {
    scenes: Vec<(Scene, usize)>,
    /// If there are any, these instead.
    hostile: Vec<(Hostile, usize)>,
    sizes: Vec<usize>,
    threads: Vec<usize>,
    settings: Settings,
    literature: bool,
    csv: Option<File>,
}

fn main() -> ExitCode {
    command::run(USAGE, "not all rivals found the same pairs", |arguments| plan(arguments).and_then(run))
}

/// Runs all contests of the plan. True if all rivals found the same pairs in all of them.
fn run(mut plan: Plan) -> Result<bool, String> {
    if !plan.hostile.is_empty() {
        return run_hostile(plan);
    }
    if let Some(csv) = &mut plan.csv {
        writeln!(csv, "{}", Table::CSV_HEADER).map_err(|error| format!("the CSV file: {error}"))?;
    }
    let (roster_2d, roster_3d) = rosters(plan.literature);
    let mut all_agree = true;
    for &threads in &plan.threads {
        let settings = Settings { threads, ..plan.settings.clone() };
        for &(scene, dimensions) in &plan.scenes {
            for &n in &plan.sizes {
                let table = match dimensions {
                    2 => contest(scene, n, &roster_2d, &settings),
                    _ => contest(scene, n, &roster_3d, &settings),
                };
                println!("{table}");
                if let Some(csv) = &mut plan.csv {
                    csv.write_all(table.csv().as_bytes()).map_err(|error| format!("the CSV file: {error}"))?;
                }
                all_agree &= table.all_agree();
            }
        }
    }
    Ok(all_agree)
}

/// The same for scenes that are made to be slow: one table per number of objects and of threads.
fn run_hostile(mut plan: Plan) -> Result<bool, String> {
    let failed = |error| format!("the CSV file: {error}");
    if let Some(csv) = &mut plan.csv {
        writeln!(csv, "{}", HostileTable::CSV_HEADER).map_err(failed)?;
    }
    let (roster_2d, roster_3d) = rosters(plan.literature);
    let mut all_agree = true;
    for &threads in &plan.threads {
        let settings = Settings { threads, ..plan.settings.clone() };
        for &objects in &plan.sizes {
            let mut table = HostileTable { objects, threads, steps: settings.steps, lines: Vec::new() };
            print!("{table}");
            // Each as soon as it is known: some take a while.
            for &(scene, dimensions) in &plan.hostile {
                let line = match dimensions {
                    2 => hostile_contest(scene, objects, &roster_2d, &settings),
                    _ => hostile_contest(scene, objects, &roster_3d, &settings),
                };
                println!("{line}");
                table.lines.push(line);
            }
            if let Some(csv) = &mut plan.csv {
                csv.write_all(table.csv().as_bytes()).map_err(failed)?;
            }
            all_agree &= table.all_agree();
        }
    }
    Ok(all_agree)
}

/// Everybody in two and in three dimensions.
fn rosters(literature: bool) -> (Vec<Entry<2>>, Vec<Entry<3>>) {
    let (mut flat, mut spatial) = (roster_2d(), roster_3d());
    if literature {
        flat.extend(literature_2d());
        spatial.extend(literature_3d());
    }
    (flat, spatial)
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let is_given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (full, literature) = (is_given("--full"), is_given("--literature"));
    let mut plan = Plan {
        scenes: default_scenes(),
        sizes: if full { vec![10_000, 100_000, 1_000_000] } else { vec![10_000, 100_000] },
        threads: vec![1],
        settings: Settings {
            steps: if full { 7 } else { 3 },
            budget: Duration::from_secs(if full { 10 } else { 1 }),
            ..Settings::default()
        },
        literature,
        csv: None,
        hostile: Vec::new(),
    };
    let hostile = is_given("--hostile");
    if hostile {
        let dimensions = |&scene: &Hostile| scene.dimensions().iter().map(move |&dimensions| (scene, dimensions));
        plan.hostile = Hostile::ALL.iter().flat_map(dimensions).collect();
        plan.sizes = vec![if full { 100_000 } else { 20_000 }];
        plan.settings.steps = 5;
        plan.settings.budget = Duration::from_secs(if full { 30 } else { 10 });
    }
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if ["--quick", "--full", "--literature", "--hostile"].contains(&option.as_str()) {
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("{option}: unknown, or its value is missing"))?;
        match option.as_str() {
            "--scenes" if hostile => plan.hostile = value.split(',').map(hostile_scene).collect::<Result<_, _>>()?,
            "--scenes" => plan.scenes = value.split(',').map(scene).collect::<Result<_, _>>()?,
            "--n" => plan.sizes = list(option, value)?,
            "--threads" => plan.threads = list(option, value)?,
            "--rivals" => plan.settings.rivals = rivals(value, literature)?,
            "--steps" => plan.settings.steps = parse(option, value)?,
            "--budget" => plan.settings.budget = Duration::from_secs_f64(parse::<f64>(option, value)?.clamp(0.0, 1e6)),
            "--instructions" => plan.settings.instructions = instructions(value)?,
            "--seed" => plan.settings.seed = parse(option, value)?,
            "--csv" => plan.csv = Some(create(option, value)?),
            _ => return Err(format!("{option}: unknown")),
        }
    }
    if plan.threads.contains(&0) || plan.settings.steps == 0 {
        return Err("at least one thread and one step are needed".to_owned());
    }
    Ok(plan)
}

fn instructions(name: &str) -> Result<InstructionSet, String> {
    match name {
        "best" => Ok(InstructionSet::Best),
        "avx512" => Ok(InstructionSet::Avx512),
        "avx2" => Ok(InstructionSet::Avx2),
        "portable" => Ok(InstructionSet::Portable),
        _ => Err(format!("--instructions {name}: there are best, avx512, avx2 and portable")),
    }
}

fn scene(name: &str) -> Result<(Scene, usize), String> {
    named(name, Scene::dimensions)
}

fn hostile_scene(name: &str) -> Result<(Hostile, usize), String> {
    named(name, Hostile::dimensions)
}

fn rivals(names: &str, literature: bool) -> Result<Vec<String>, String> {
    let (flat, spatial) = rosters(literature);
    let mut known: Vec<&str> = spatial.iter().map(|entry| entry.name.as_str()).collect();
    known.extend(flat.iter().map(|entry| entry.name.as_str()).filter(|name| !spatial.iter().any(|entry| entry.name == *name)));
    let rival = |name: &str| {
        let unknown = || {
            let hint = if literature { "" } else { " (and more with --literature)" };
            format!("--rivals {name}: there is none of that name; there are {}{hint}", known.join(", "))
        };
        known.contains(&name).then(|| name.to_owned()).ok_or_else(unknown)
    };
    names.split(',').map(rival).collect()
}
