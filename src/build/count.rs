//! Counting: which cell each object lives in, and which rank it has there.
//!
//! In parallel over blocks of staged objects. Reads the boxes; writes their places, the chunks' counters and, where a chunk is
//! new, the directory and the pool.

use super::grid::Grid;
use super::plan::MAX_LEVELS;
use super::staged::{Place, Staged};
use crate::Scalar;
use crate::grid::{Coords, Shape, chunk_key};
use crate::lockfree::{Chunk, ChunkId, Cursor, Full, Spare};

/// What one worker saw while counting.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many objects went to each level.
    pub(crate) objects: [usize; MAX_LEVELS],
    /// The most cells that an object of each level reaches beyond its own.
    pub(crate) spans: [Coords; MAX_LEVELS],
    /// There was no room: the pass must run again.
    pub(crate) full: Option<Full>,
    spare: Spare,
}

/// Consecutive objects in one cell. In the last step's order most have a neighbour there, so one `fetch_add` numbers them all.
struct Run<'g> {
    level: usize,
    cell: Coords,
    id: ChunkId,
    chunk: Chunk<'g>,
    first: usize,
}

/// Counts in a block of staged objects. Those that fit no level are numbered by `listed`.
pub(crate) fn count<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    block: &mut [Staged<S, D>],
    tally: &mut Tally,
) {
    let mut run: Option<Run<'_>> = None;
    for at in 0..block.len() {
        let staged = &mut block[at];
        if !staged.place.takes_part() {
            close::<S, D>(&mut run, block, at);
            continue;
        }
        let admitted = grid.levels.iter().enumerate().find_map(|(index, level)| Some((index, level.admit(&staged.bounds)?)));
        let Some((level, (cell, span))) = admitted else {
            staged.place = Place { cell: Place::LISTED, rank: listed.take(1) as u32 };
            close::<S, D>(&mut run, block, at);
            continue;
        };
        tally.objects[level] += 1;
        let widest = &mut tally.spans[level];
        *widest = std::array::from_fn(|axis| widest[axis].max(span[axis]));

        let open = run.as_ref().filter(|run| run.level == level);
        let next = match open {
            Some(run) if run.cell == cell => {
                block[at].place.cell = block[at - 1].place.cell;
                continue;
            }
            Some(run) if Shape::<D>::chunk_of(run.cell) == Shape::<D>::chunk_of(cell) => Run { cell, first: at, ..*run },
            _ => {
                let key = chunk_key(level, Shape::<D>::chunk_of(cell));
                match grid.directory.find_or_insert(&grid.pool, &key, &mut tally.spare) {
                    Ok(id) => Run { level, cell, id, chunk: grid.pool.chunk(id), first: at },
                    Err(full) => {
                        tally.full = Some(full);
                        return;
                    }
                }
            }
        };
        block[at].place.cell = next.id * Shape::<D>::CELLS as u32 + Shape::<D>::local(cell) as u32;
        close::<S, D>(&mut run, block, at);
        run = Some(next);
    }
    let end = block.len();
    close::<S, D>(&mut run, block, end);
}

/// Counts a run in and numbers its members.
#[inline(always)]
fn close<S: Scalar, const D: usize>(run: &mut Option<Run<'_>>, block: &mut [Staged<S, D>], end: usize) {
    if let Some(run) = run.take() {
        let members = &mut block[run.first..end];
        let rank = run.chunk.count(Shape::<D>::local(run.cell), members.len() as u32);
        for (staged, rank) in members.iter_mut().zip(rank..) {
            staged.place.rank = rank;
        }
    }
}
