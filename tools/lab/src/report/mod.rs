//! The figures of a run or a replay, for people and for machines.

mod figures;
mod number;
mod replay;
mod scene;
pub(crate) mod table;

use serde::Serialize;

pub(crate) use figures::Figures;
pub(crate) use number::{grouped, short};
pub(crate) use replay::ReplayReport;
pub(crate) use scene::Report;

pub(crate) fn json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).expect("plain figures") + "\n"
}
