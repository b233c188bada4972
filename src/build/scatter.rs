//! Scatter: every object's box and index go to pivot + rank.
//!
//! Twice in parallel: over blocks of visiting positions, to tell each entry the position it comes from; and over blocks of
//! entries, to fetch the boxes. So only one word per object is written out of order, however little the last step's order helps.
//! The rank that counting kept makes the second atomic of the paper's data migration (its listing 7) unnecessary.

use std::ops::Range;

use super::gather::{AHEAD, Source};
use crate::Scalar;
use crate::layout::Shape;
use crate::layout::staged::{Place, Staged};
use crate::layout::table::TableWriter;
use crate::lockfree::{Chunk, ChunkId, Pool};
use crate::runtime::objects::Objects;

/// Where the entries of the special cells begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tails {
    pub(crate) listed: usize,
    pub(crate) rejected: usize,
}

/// Writes the entry of each of some visiting positions: for now, into the column of indices, the position itself.
pub(crate) fn scatter<S: Scalar, const D: usize>(
    pool: &Pool,
    staged: &[Staged<S, D>],
    positions: Range<usize>,
    tails: Tails,
    table: &TableWriter<'_, S, D>,
) {
    // In stored order the chunk is mostly the last one again.
    let (mut chunk_id, mut chunk) = (ChunkId::MAX, Chunk::absent());
    for (staged, position) in staged[positions.clone()].iter().zip(positions) {
        let Place { cell, rank } = staged.place;
        let begin = match cell {
            Place::LISTED => tails.listed,
            Place::REJECTED => tails.rejected,
            _ if staged.place.is_vacant() => continue,
            _ => {
                if chunk_id != cell / Shape::<D>::CELLS as u32 {
                    chunk_id = cell / Shape::<D>::CELLS as u32;
                    chunk = pool.chunk(chunk_id);
                }
                chunk.begin(cell as usize % Shape::<D>::CELLS) as usize
            }
        };
        table.set_id(begin + rank as usize, position as u32);
    }
}

/// Replaces positions by indices, and fills in the boxes.
pub(crate) fn fill<S: Scalar, const D: usize>(
    staged: &[Staged<S, D>],
    source: &Source<'_, impl Objects<S, D> + ?Sized>,
    entries: Range<usize>,
    table: &TableWriter<'_, S, D>,
) {
    for entry in entries.clone() {
        let position = table.id(entry) as usize;
        table.set(entry, &staged[position].bounds, source.order[position]);
    }
    if table.has_extras() {
        for entry in entries.clone() {
            if entry + AHEAD < entries.end {
                source.objects.expect(table.id(entry + AHEAD) as usize);
            }
            let id = table.id(entry) as usize;
            table.set_extras(entry, || source.objects.groups(id), || source.objects.ball(id));
        }
    }
}
