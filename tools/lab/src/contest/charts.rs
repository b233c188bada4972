//! Bars: how many times longer than ours everybody takes.

use versus::{Outcome, Table};

use crate::report::grouped;
use crate::reproduce::figure::{Axis, Chart, Role, Series};

/// All rivals of one contest, by CPU time on one thread and by wall time on several; the fastest first.
pub(super) fn contest(table: &Table) -> Chart {
    let time = |outcome: &Outcome| match outcome {
        Outcome::Finished { cpu, .. } if table.threads == 1 => Some(cpu.as_secs_f64()),
        Outcome::Finished { wall, .. } => Some(wall.as_secs_f64()),
        Outcome::Skipped { .. } => None,
    };
    let own = table.rows.first().and_then(|row| time(&row.outcome)).unwrap_or(f64::NAN);
    let finished = table.rows.iter().filter_map(|row| Some((row.rival.clone(), time(&row.outcome)? / own)));
    let mut ratios: Vec<(String, f64)> = finished.collect();
    ratios.sort_by(|a, b| a.1.total_cmp(&b.1));
    let skipped = table.rows.len() - ratios.len();
    let plural = if table.threads == 1 { "thread" } else { "threads" };
    let mut title = format!("{}, {} objects, {} {plural}", table.scene, grouped(table.objects as u64), table.threads);
    if skipped > 0 {
        title += &format!("; {skipped} took too long");
    }
    bars(title, "time relative to pivotgrid", ratios)
}

/// The fastest rival of every contest, by CPU time.
pub(super) fn fastest(tables: &[Table]) -> Chart {
    let best = |table: &Table| {
        let (rival, ratio) = table.fastest_by_cpu()?;
        Some((format!("{}, {}: {rival}", table.scene, grouped(table.objects as u64)), ratio))
    };
    bars(
        "The fastest rival of each contest".to_owned(),
        "CPU time relative to pivotgrid",
        tables.iter().filter_map(best).collect(),
    )
}

fn bars(title: String, label: &str, ratios: Vec<(String, f64)>) -> Chart {
    let points = ratios.iter().enumerate().map(|(place, (_, ratio))| (place as f64, *ratio)).collect();
    let series = Series { name: label.to_owned(), role: Role::Theirs, family: String::new(), variant: 0, points, stopped: None };
    Chart { title, x: Axis::names("", ratios.into_iter().map(|(name, _)| name)), y: Axis::log(label), series: vec![series] }
}
