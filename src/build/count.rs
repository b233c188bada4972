//! Counting: which cell each object lives in, and which rank it has there.
//!
//! In parallel over blocks of staged objects. Reads the boxes; writes their places, the chunks' counters and, where a chunk is
//! new, the directory and the pool.

use super::gather;
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

/// The homes of a block of objects.
struct Homes {
    cells: [Coords; gather::BLOCK],
    levels: [u8; gather::BLOCK],
}

/// "Level" of objects without a cell.
const NOWHERE: u8 = u8::MAX;

/// Consecutive objects in one cell. In the last step's order most have a neighbour there, so one `fetch_add` numbers them all.
struct Run<'g> {
    level: u8,
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
    let mut homes = Homes { cells: [[0; 3]; gather::BLOCK], levels: [NOWHERE; gather::BLOCK] };
    house(grid, listed, block, &mut homes, tally);

    let mut run: Option<Run<'_>> = None;
    for at in 0..block.len() {
        let (level, cell) = (homes.levels[at], homes.cells[at]);
        let next = match &run {
            Some(run) if run.level == level && run.cell == cell => continue,
            _ if level == NOWHERE => None,
            Some(run) if run.level == level && Shape::<D>::chunk_of(run.cell) == Shape::<D>::chunk_of(cell) => {
                Some(Run { cell, first: at, ..*run })
            }
            _ => {
                let key = chunk_key(usize::from(level), Shape::<D>::chunk_of(cell));
                match grid.directory.find_or_insert(&grid.pool, &key, &mut tally.spare) {
                    Ok(id) => Some(Run { level, cell, id, chunk: grid.pool.chunk(id), first: at }),
                    Err(full) => {
                        tally.full = Some(full);
                        return;
                    }
                }
            }
        };
        close::<S, D>(std::mem::replace(&mut run, next), block, at, tally);
    }
    let end = block.len();
    close::<S, D>(run, block, end, tally);
}

/// Finds level and cell of each object: the finest level that takes it.
///
/// First all objects against the finest level, without a branch; what it does not take then tries the others.
fn house<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    block: &mut [Staged<S, D>],
    homes: &mut Homes,
    tally: &mut Tally,
) {
    let mut homeless = grid.levels.is_empty();
    if let Some(finest) = grid.levels.first() {
        let mut widest = tally.spans[0];
        for (staged, (cell, level)) in block.iter().zip(homes.cells.iter_mut().zip(&mut homes.levels)) {
            let (low, span, fits) = finest.measure(&staged.bounds);
            let fits = fits & staged.place.takes_part();
            *cell = low;
            *level = if fits { 0 } else { NOWHERE };
            homeless |= !fits;
            widest = std::array::from_fn(|axis| widest[axis].max(if fits { span[axis] } else { 0 }));
        }
        tally.spans[0] = widest;
    }
    if homeless {
        for (at, staged) in block.iter_mut().enumerate() {
            if homes.levels[at] == NOWHERE && staged.place.takes_part() {
                house_elsewhere(grid, listed, staged, at, homes, tally);
            }
        }
    }
}

fn house_elsewhere<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    staged: &mut Staged<S, D>,
    at: usize,
    homes: &mut Homes,
    tally: &mut Tally,
) {
    for (index, level) in grid.levels.iter().enumerate().skip(1) {
        let (cell, span, fits) = level.measure(&staged.bounds);
        if fits {
            let widest = &mut tally.spans[index];
            *widest = std::array::from_fn(|axis| widest[axis].max(span[axis]));
            (homes.cells[at], homes.levels[at]) = (cell, index as u8);
            return;
        }
    }
    staged.place = Place { cell: Place::LISTED, rank: listed.take(1) as u32 };
}

/// Counts a run in and gives its members their places.
#[inline(always)]
fn close<S: Scalar, const D: usize>(run: Option<Run<'_>>, block: &mut [Staged<S, D>], end: usize, tally: &mut Tally) {
    if let Some(run) = run {
        let members = &mut block[run.first..end];
        let local = Shape::<D>::local(run.cell);
        let rank = run.chunk.count(local, members.len() as u32);
        tally.objects[usize::from(run.level)] += members.len();
        let cell = run.id * Shape::<D>::CELLS as u32 + local as u32;
        for (staged, rank) in members.iter_mut().zip(rank..) {
            staged.place = Place { cell, rank };
        }
    }
}
