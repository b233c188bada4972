//! Rivals of our own: what one would write in an afternoon, written well.

mod columns;
mod sort;
mod sorted_grid;
mod sweep;

pub(crate) use sort::Order;
pub(crate) use sorted_grid::{SortedGrid, sorted_by_cell};
pub(crate) use sweep::Sweep;

use pivotgrid::InstructionSet;
use pulp::{Arch, Scalar, WithSimd};

/// Runs a search compiled for AVX2 where the machine has it, or as the program was compiled if only that is allowed.
fn search_with<Op: WithSimd>(instructions: InstructionSet, search: Op) -> Op::Output {
    match instructions {
        InstructionSet::Portable => search.with_simd(Scalar),
        _ => Arch::new().dispatch(search),
    }
}
