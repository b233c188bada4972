//! Rivals of our own: what one would write in an afternoon, written well.

mod columns;
mod sort;
mod sorted_grid;
mod sweep;

pub(crate) use sort::Order;
pub(crate) use sorted_grid::{SortedGrid, sorted_by_cell};
pub(crate) use sweep::Sweep;
