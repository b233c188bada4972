//! The broad phases of the papers, each as its paper describes it, to measure pivotgrid against.
//!
//! One module per paper; a type names the section that it implements. All of them are a [`System`]: take the boxes of a step
//! (build or update), then report all pairs. [`roster_2d`] and [`roster_3d`] list them.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod cells;
#[cfg(test)]
mod check;
mod gather;
pub mod gissler;
pub mod koch;
pub mod pouchol;
pub mod schornbaum;
mod system;
#[cfg(test)]
mod tests;
pub mod zhyhallo;

pub use system::{Bounds, Entry, Pairs, System};

/// Every system that works in two dimensions, paper by paper.
pub fn roster_2d() -> Vec<Entry<2>> {
    [schornbaum::roster(), koch::roster(), pouchol::roster(), gissler::roster(), zhyhallo::roster()].concat()
}

/// Every system that works in three dimensions, paper by paper.
pub fn roster_3d() -> Vec<Entry<3>> {
    [schornbaum::roster(), koch::roster(), pouchol::roster(), gissler::roster()].concat()
}
