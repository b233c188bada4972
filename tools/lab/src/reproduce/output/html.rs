//! The report: one file that opens anywhere, without a network.

use std::fmt::{self, Write};

use super::{Circumstances, Reproduced, csv, plot};
use crate::report::short;
use crate::reproduce::catalogue::{PAPERS, Paper};
use crate::reproduce::figure::{About, Published, Verdict};

const STYLE: &str = include_str!("report.css");

pub(crate) fn html(circumstances: &Circumstances, results: &[Reproduced]) -> String {
    let mut page = String::new();
    write_page(&mut page, circumstances, results).expect("strings can be written to");
    page
}

fn write_page(page: &mut String, circumstances: &Circumstances, results: &[Reproduced]) -> fmt::Result {
    writeln!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(page, "<title>The papers, measured again</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    let papers: Vec<&Paper> =
        PAPERS.iter().filter(|paper| results.iter().any(|result| result.figure.paper == paper.name)).collect();
    contents(page, &papers, results)?;
    writeln!(page, "<main>\n<h1>The papers, measured again</h1>")?;
    head(page, circumstances)?;
    overview(page, results)?;
    for paper in papers {
        writeln!(page, "<h2 id=\"{}\">{}</h2>", paper.name, escaped(paper.title))?;
        writeln!(page, "<p class=\"quiet\">The paper's machine: {}.</p>", escaped(paper.machine))?;
        for result in results.iter().filter(|result| result.figure.paper == paper.name) {
            section(page, result)?;
        }
    }
    writeln!(page, "</main>\n</body>\n</html>")
}

fn contents(page: &mut String, papers: &[&Paper], results: &[Reproduced]) -> fmt::Result {
    writeln!(page, "<nav><a class=\"top\" href=\"#overview\">Overview</a>")?;
    for paper in papers {
        writeln!(page, "<a class=\"paper\" href=\"#{0}\">{0}</a>", paper.name)?;
        for Reproduced { figure, .. } in results.iter().filter(|result| result.figure.paper == paper.name) {
            writeln!(page, "<a href=\"#{}\" title=\"{}\">{}</a>", figure.slug(), escaped(figure.title), figure.label())?;
        }
    }
    writeln!(page, "</nav>")
}

fn head(page: &mut String, circumstances: &Circumstances) -> fmt::Result {
    let Circumstances { machine, date, command, scale, threads } = circumstances;
    writeln!(page, "<dl class=\"facts\">")?;
    let machine_text = format!("{}, {} cores", machine.processor, machine.cores);
    let compiler = "Rust, release build; the papers' systems are our own implementations of them (tools/baselines)";
    let method = format!(
        "All systems of a figure see the same boxes, in turn within each step. One thread and medians of CPU time, unless the \
         figure is about threads: then {threads} threads and, because other programs only make it longer, the least wall time."
    );
    let facts = [("Machine", machine_text.as_str()), ("Date", date), ("Command", command), ("Sizes", scale.name())];
    for (name, fact) in facts.into_iter().chain([("Compiler", compiler), ("Method", method.as_str())]) {
        writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(fact))?;
    }
    writeln!(page, "</dl>")?;
    if !machine.optimized {
        writeln!(page, "<p class=\"warning\">Built without optimisation: the times say nothing.</p>")?;
    }
    Ok(())
}

/// All verdicts on one page.
fn overview(page: &mut String, results: &[Reproduced]) -> fmt::Result {
    let verdicts = |about| results.iter().flat_map(|result| &result.findings.verdicts).filter(move |v| v.about == about);
    let score = |about| (verdicts(about).filter(|verdict| verdict.held).count(), verdicts(about).count());
    let ((papers, of_papers), (ours, of_ours)) = (score(About::Paper), score(About::Pivotgrid));
    writeln!(page, "<h2 id=\"overview\">Overview</h2>")?;
    writeln!(
        page,
        "<p>{papers} of {of_papers} claims of the papers held on this machine, and {ours} of {of_ours} claims about pivotgrid. \
         Each is decided by the numbers below, not by us.</p>\n<table class=\"overview\">"
    )?;
    writeln!(page, "<tr><th>Figure</th><th>About</th><th>Claim</th><th></th></tr>")?;
    for Reproduced { figure, findings } in results {
        for verdict in &findings.verdicts {
            let (slug, label) = (figure.slug(), figure.label());
            let name = format!("<a href=\"#{slug}\">{} {}</a>", figure.paper, label.to_lowercase());
            let about = about(verdict);
            writeln!(
                page,
                "<tr><td>{name}</td><td>{about}</td><td>{}</td><td>{}</td></tr>",
                escaped(&verdict.claim),
                mark(verdict)
            )?;
        }
    }
    writeln!(page, "</table>")
}

fn about(verdict: &Verdict) -> &'static str {
    match verdict.about {
        About::Paper => "paper",
        About::Pivotgrid => "pivotgrid",
    }
}

fn mark(verdict: &Verdict) -> &'static str {
    if verdict.held { "<span class=\"held\">held</span>" } else { "<span class=\"failed\">did not hold</span>" }
}

fn section(page: &mut String, result: &Reproduced) -> fmt::Result {
    let Reproduced { figure, findings } = result;
    writeln!(page, "<section id=\"{}\">\n<h3>{}: {}</h3>", figure.slug(), figure.label(), escaped(figure.title))?;
    writeln!(page, "<p><b>The paper found:</b> {}</p>", escaped(figure.claim))?;
    for verdict in &findings.verdicts {
        let about = about(verdict);
        let (claim, evidence) = (escaped(&verdict.claim), escaped(&verdict.evidence));
        writeln!(page, "<p class=\"verdict\">{} <i>{about}</i> {claim} <span>{evidence}</span></p>", mark(verdict))?;
    }
    for chart in &findings.charts {
        writeln!(page, "<figure>{}</figure>", plot::draw(chart).to_svg())?;
    }
    for note in findings.notes() {
        writeln!(page, "<p class=\"quiet\">Note: {}.</p>", escaped(note))?;
    }
    published(page, &findings.published)?;
    writeln!(page, "<p class=\"quiet\"><b>Run here:</b> {}.</p>", escaped(&findings.setting))?;
    writeln!(
        page,
        "<p class=\"quiet\"><b>Different from the paper:</b> machine and compiler, random numbers. {}</p>",
        escaped(&findings.differences)
    )?;
    let (slug, data) = (figure.slug(), percent_encoded(&csv::csv(result)));
    writeln!(page, "<p class=\"quiet\"><a download=\"{slug}.csv\" href=\"data:text/csv,{data}\">{slug}.csv</a></p>\n</section>")
}

fn published(page: &mut String, rows: &[Published]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let number = |value: Option<f64>| value.map_or("–".to_owned(), short);
    writeln!(
        page,
        "<details{}><summary>The paper's numbers beside ours</summary>\n<table>",
        if rows.len() <= 12 { " open" } else { "" }
    )?;
    writeln!(page, "<tr><th></th><th>in the paper</th><th>here</th><th>paper / here</th><th>pivotgrid</th><th>unit</th></tr>")?;
    for Published { quantity, unit, paper, here, ours } in rows {
        let ratio = here.filter(|here| *here > 0.0).map(|here| paper / here);
        let cells =
            [short(*paper), number(*here), number(ratio), number(*ours)].map(|cell| format!("<td class=\"number\">{cell}</td>"));
        writeln!(page, "<tr><td>{}</td>{}<td>{unit}</td></tr>", escaped(quantity), cells.concat())?;
    }
    writeln!(page, "</table></details>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// For an address that is the file itself: the report needs nothing beside it.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b',' | b'.' | b'-' | b'_' => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02X}").expect("strings can be written to"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::percent_encoded;

    #[test]
    fn files_within_the_page() {
        assert_eq!(percent_encoded("a,\"b²\"\n1.5"), "a,%22b%C2%B2%22%0A1.5");
    }
}
