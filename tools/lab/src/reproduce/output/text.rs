//! The findings on the terminal.

use std::fmt::{self, Write};
use std::path::Path;

use super::{Circumstances, Reproduced};
use crate::report::short;
use crate::reproduce::figure::{About, Published};

/// Columns of a line of words.
const WIDTH: usize = 120;
/// Columns before the words.
const INDENT: usize = 11;

pub(crate) fn text(circumstances: &Circumstances, results: &[Reproduced], report: &Path) -> String {
    let mut out = String::new();
    write_text(&mut out, circumstances, results, report).expect("strings can be written to");
    out
}

fn write_text(out: &mut String, circumstances: &Circumstances, results: &[Reproduced], report: &Path) -> fmt::Result {
    let Circumstances { machine, date, scale, threads, .. } = circumstances;
    writeln!(out, "machine  {}, {} cores, {threads} threads where a figure is parallel", machine.processor, machine.cores)?;
    writeln!(out, "run      {date}, {} sizes", scale.name())?;
    if !machine.optimized {
        writeln!(out, "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release")?;
    }
    let mut last = "";
    for result in results {
        section(out, result, last)?;
        last = &result.findings.differences;
    }
    writeln!(out, "\nreport   {}, with CSV, SVG and PNG files beside it", report.display())
}

/// `last` is what the section before it said about differences, which need not be said twice.
fn section(out: &mut String, Reproduced { figure, findings }: &Reproduced, last: &str) -> fmt::Result {
    writeln!(out, "\n{} {}: {}", figure.paper, figure.label().to_lowercase(), figure.title)?;
    for verdict in &findings.verdicts {
        let who = match verdict.about {
            About::Paper => "paper",
            About::Pivotgrid => "ours",
        };
        let word = if verdict.held { "held:" } else { "DID NOT HOLD:" };
        paragraph(out, who, &format!("{word} {} {}", verdict.claim, verdict.evidence))?;
    }
    published(out, &findings.published)?;
    findings.notes().into_iter().try_for_each(|note| paragraph(out, "note", note))?;
    paragraph(out, "run here", &findings.setting)?;
    let differences = if findings.differences == last { "as above" } else { &findings.differences };
    paragraph(out, "differs", differences)
}

/// The paper's numbers beside those measured here.
fn published(out: &mut String, rows: &[Published]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let name = rows.iter().map(|row| row.quantity.chars().count()).fold(0, usize::max);
    writeln!(out, "  {:name$} {:>10} {:>10} {:>10}", "", "in paper", "here", "pivotgrid")?;
    for Published { quantity, unit, paper, here, ours } in rows {
        let [here, ours] = [here, ours].map(|number| number.map_or("-".to_owned(), short));
        let row = format!("  {quantity:name$} {:>10} {here:>10} {ours:>10}  {unit}", short(*paper));
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// Words in lines that are not too long, all under each other.
fn paragraph(out: &mut String, head: &str, words: &str) -> fmt::Result {
    let mut line = format!("  {head:<width$}", width = INDENT - 2);
    let mut column = INDENT;
    for (place, word) in words.split_whitespace().enumerate() {
        let length = word.chars().count();
        if place > 0 && column + 1 + length > WIDTH {
            writeln!(out, "{line}")?;
            (line, column) = (" ".repeat(INDENT), INDENT);
        } else if place > 0 {
            line.push(' ');
            column += 1;
        }
        line.push_str(word);
        column += length;
    }
    writeln!(out, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_narrow_and_whole() {
        let words = "some words of this and that ".repeat(20);
        let mut out = String::new();
        paragraph(&mut out, "paper", &words).unwrap();
        assert!(out.lines().count() > 3 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
        assert!(out.starts_with("  paper    some") && out.lines().skip(1).all(|line| line.starts_with("           ")), "{out}");
        assert_eq!(out.split_whitespace().skip(1).collect::<Vec<_>>(), words.split_whitespace().collect::<Vec<_>>());
    }
}
