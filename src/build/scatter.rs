//! Scatter: every object's box and index go to pivot + rank.
//!
//! In parallel over blocks of visiting positions. Reads staged objects and pivots; writes each entry of the table once. The rank
//! that counting kept makes the second atomic of the paper's data migration (its listing 7) unnecessary.

use std::ops::Range;

use super::staged::{Place, Staged};
use super::table::TableWriter;
use crate::Scalar;
use crate::grid::Shape;
use crate::lockfree::{Chunk, ChunkId, Pool};

/// Where the entries of the special cells begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tails {
    pub(crate) listed: usize,
    pub(crate) rejected: usize,
}

/// Writes the entries of some visiting positions.
pub(crate) fn scatter<S: Scalar, const D: usize>(
    pool: &Pool,
    staged: &[Staged<S, D>],
    order: &[u32],
    positions: Range<usize>,
    tails: Tails,
    table: &TableWriter<'_, S, D>,
) {
    // In stored order the chunk is mostly the last one again.
    let (mut chunk_id, mut chunk) = (ChunkId::MAX, Chunk::absent());
    for (staged, &id) in staged[positions.clone()].iter().zip(&order[positions]) {
        let Place { cell, rank } = staged.place;
        let rank = rank as usize;
        match cell {
            Place::LISTED => table.write(tails.listed + rank, &staged.bounds, id),
            Place::REJECTED => table.write_id(tails.rejected + rank, id),
            _ if staged.place.is_vacant() => {}
            _ => {
                if chunk_id != cell / Shape::<D>::CELLS as u32 {
                    chunk_id = cell / Shape::<D>::CELLS as u32;
                    chunk = pool.chunk(chunk_id);
                }
                let begin = chunk.begin(cell as usize % Shape::<D>::CELLS) as usize;
                table.write(begin + rank, &staged.bounds, id);
            }
        }
    }
}
