//! Every point of every chart, one per line.

use std::fmt::Write;

use super::Reproduced;
use crate::reproduce::figure::{Role, Scaling};

const HEADER: &str = "paper,figure,chart,series,role,x,y\n";

pub(crate) fn csv(result: &Reproduced) -> String {
    let mut text = HEADER.to_owned();
    for chart in &result.findings.charts {
        for series in &chart.series {
            let role = match series.role {
                Role::Ours => "ours",
                Role::Theirs => "theirs",
                Role::Published => "published",
            };
            let head = [result.figure.paper, result.figure.id, &chart.title, &series.name, role].map(quoted).join(",");
            for (x, y) in &series.points {
                let x = match &chart.x.scale {
                    Scaling::Names(names) => quoted(&names[*x as usize]),
                    Scaling::Linear | Scaling::Log => x.to_string(),
                };
                writeln!(text, "{head},{x},{y}").expect("strings can be written to");
            }
        }
    }
    text
}

/// In quotes where CSV needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes() {
        assert_eq!(quoted("hash grid"), "hash grid");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
