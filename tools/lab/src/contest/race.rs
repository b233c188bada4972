//! Runs the contests and writes what came of them.

use std::fmt::Write;
use std::time::Duration;

use scenes::Scene;
use versus::{Counting, Outcome, Settings, Table, literature_3d, roster_3d};

use super::{ContestOptions, charts};
use crate::draw::to_png;
use crate::failure::Failure;
use crate::files;
use crate::machine::Machine;
use crate::progress;

/// Counts what the rivals allocate while they are measured.
#[global_allocator]
static ALLOCATOR: Counting = Counting;

pub(super) fn run(options: &ContestOptions) -> Result<String, Failure> {
    files::prepare(&options.out)?;
    let full = options.full && !options.quick;
    let sizes = match (options.n.as_slice(), full) {
        ([], false) => vec![20_000],
        ([], true) => vec![10_000, 100_000, 1_000_000],
        (sizes, _) => sizes.to_vec(),
    };
    let all: Vec<Scene> = Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&3)).collect();
    let scenes = if options.scenes.is_empty() { all } else { options.scenes.clone() };
    let settings = Settings {
        threads: options.threads,
        steps: if full { 7 } else { 3 },
        budget: if full { Duration::from_secs(10) } else { Duration::from_millis(500) },
        seed: options.seed,
        ..Settings::default()
    };
    let mut roster = roster_3d();
    if !options.no_literature {
        roster.extend(literature_3d());
    }

    let bar = progress::counting((scenes.len() * sizes.len()) as u64, "contests");
    let mut tables = Vec::new();
    for &scene in &scenes {
        for &n in &sizes {
            bar.set_message(format!("{scene}, {n}"));
            tables.push(versus::contest(scene, n, &roster, &settings));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    save(options, &tables)?;
    let text = text(options, &tables);
    let differs = |table: &Table| {
        let row = table.rows.iter().find(|row| matches!(row.outcome, Outcome::Finished { agrees: false, .. }))?;
        Some(Failure::Disagreement { system: row.rival.clone(), boxes: table.objects })
    };
    match tables.iter().find_map(differs) {
        None => Ok(text),
        Some(failure) => {
            eprint!("{text}");
            Err(failure)
        }
    }
}

fn text(options: &ContestOptions, tables: &[Table]) -> String {
    let Machine { processor, cores, optimized } = Machine::this();
    let mut text = format!("machine  {processor}, {cores} cores\n");
    if !optimized {
        text += "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release\n";
    }
    let mut write = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("strings can be written to");
    tables.iter().for_each(|table| write(format_args!("\n{table}")));
    let behind = tables.iter().filter(|table| table.fastest_by_cpu().is_some_and(|(_, ratio)| ratio <= 1.0)).count();
    write(format_args!("pivotgrid is the fastest by CPU time in {} of {} contests", tables.len() - behind, tables.len()));
    write(format_args!("files    {}", options.out.display()));
    text
}

/// All numbers as CSV, a chart per contest, and one of the fastest rivals.
fn save(options: &ContestOptions, tables: &[Table]) -> Result<(), Failure> {
    let out = &options.out;
    let csv: String = tables.iter().map(Table::csv).collect();
    files::write(out, "contest.csv", format!("{}\n{csv}", Table::CSV_HEADER))?;
    let contests = tables.iter().map(|table| (format!("contest-{}-{}", table.scene, table.objects), charts::contest(table)));
    for (name, chart) in contests.chain([("contest".to_owned(), charts::fastest(tables))]) {
        let picture = crate::reproduce::output::plot::draw(&chart);
        files::write(out, &format!("{name}.svg"), picture.to_svg())?;
        files::write(out, &format!("{name}.png"), to_png(&picture))?;
    }
    Ok(())
}
