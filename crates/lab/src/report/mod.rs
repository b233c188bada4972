//! The figures of a run, for people and for machines.

mod figures;
mod number;
mod table;

pub(crate) use figures::Report;
pub(crate) use table::text;

pub(crate) fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("plain figures") + "\n"
}
