//! Counting: which cell each object lives in, and which rank it has there.
//!
//! In parallel over blocks of staged objects. Reads the boxes; writes their places, the chunks' counters and, where a chunk is
//! new, the directory and the pool.

use super::gather;
use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::layout::grid::Grid;
use crate::layout::staged::{Place, Staged};
use crate::layout::{Coords, Home, MAX_LEVELS, Shape, chunk_key};
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

/// A cell and, in the last place, its level.
type Address = [i32; 4];

/// "Level" of objects without a cell.
const NOWHERE: i32 = -1;

/// A worker's memory for counting in a block of objects.
///
/// Consecutive objects of one cell are a *run*. In the last step's order most objects have a neighbor there, so one `fetch_add`
/// numbers several of them. Where a run ends is anybody's guess, so the runs are found, counted and numbered in three loops, none
/// of which has a branch that depends on it.
#[derive(Debug)]
pub(crate) struct Runs {
    homes: [Address; gather::BLOCK],
    /// The run that each object belongs to.
    run_of: [u8; gather::BLOCK],
    /// Just behind the last object of each run.
    ends: [u16; gather::BLOCK],
    /// The place of an object with index 0 in the block, if it belonged to the run.
    places: [Place; gather::BLOCK],
}

impl Default for Runs {
    fn default() -> Self {
        let (run_of, ends) = ([0; gather::BLOCK], [0; gather::BLOCK]);
        Runs { homes: [[0; 4]; gather::BLOCK], run_of, ends, places: [Place::VACANT; gather::BLOCK] }
    }
}

/// Counts in a block of staged objects. Those that fit no level are numbered by `listed`.
pub(crate) fn count<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    block: &mut [Staged<S, D>],
    runs: &mut Runs,
    tally: &mut Tally,
) {
    let homeless = house(grid, listed, block, &mut runs.homes, tally);
    let found = runs.find(block.len());
    if let Err(full) = runs.count_in(grid, found, tally) {
        tally.full = Some(full);
        return;
    }
    if homeless {
        runs.give_places(block, |home| home[3] != NOWHERE);
    } else {
        runs.give_places(block, |_| true);
    }
}

impl Runs {
    /// Cuts the block into runs and returns how many there are.
    #[inline(always)]
    fn find(&mut self, objects: usize) -> usize {
        let mut run = 0;
        let mut last = self.homes[0];
        for (at, home) in self.homes[..objects].iter().enumerate() {
            run += usize::from(*home != last);
            last = *home;
            self.run_of[at] = run as u8;
            self.ends[run] = at as u16 + 1;
        }
        run + 1
    }

    /// Counts the runs into their cells.
    #[inline(always)]
    fn count_in<S: Scalar, const D: usize>(&mut self, grid: &Grid<S, D>, runs: usize, tally: &mut Tally) -> Result<(), Full> {
        let mut known: Option<(Address, ChunkId, Chunk<'_>)> = None;
        let mut first = 0;
        for run in 0..runs {
            let home = self.homes[usize::from(first)];
            let members = u32::from(self.ends[run] - first);
            if home[3] != NOWHERE {
                let cell = [home[0], home[1], home[2]];
                let [x, y, z] = Shape::<D>::chunk_of(cell);
                let here = [x, y, z, home[3]];
                let (id, chunk) = match known {
                    Some((there, id, chunk)) if there == here => (id, chunk),
                    _ => {
                        let key = chunk_key(home[3] as usize, [x, y, z]);
                        let id = grid.directory.find_or_insert(&grid.pool, &key, &mut tally.spare)?;
                        let chunk = grid.pool.chunk(id);
                        known = Some((here, id, chunk));
                        (id, chunk)
                    }
                };
                let local = Shape::<D>::local(cell);
                let rank = chunk.count(local, members);
                tally.objects[home[3] as usize] += members as usize;
                let cell = id * Shape::<D>::CELLS as u32 + local as u32;
                self.places[run] = Place { cell, rank: rank.wrapping_sub(u32::from(first)) };
            }
            first = self.ends[run];
        }
        Ok(())
    }

    /// Gives the objects their places.
    #[inline(always)]
    fn give_places<S: Scalar, const D: usize>(&self, block: &mut [Staged<S, D>], has_cell: impl Fn(&Address) -> bool) {
        for (at, staged) in block.iter_mut().enumerate().take(gather::BLOCK) {
            if has_cell(&self.homes[at]) {
                let Place { cell, rank } = self.places[usize::from(self.run_of[at])];
                staged.place = Place { cell, rank: rank.wrapping_add(at as u32) };
            }
        }
    }
}

/// Finds level and cell of each object: see [`Levels::assign`](crate::layout::Levels::assign), of which this is the form for many. Returns whether
/// some are without.
///
/// First all objects against the level that is tried first, without a branch; what it does not take then tries the others.
fn house<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    block: &mut [Staged<S, D>],
    homes: &mut [Address; gather::BLOCK],
    tally: &mut Tally,
) -> bool {
    let rest = match grid.levels.first() {
        None => {
            homes[..block.len()].fill([0, 0, 0, NOWHERE]);
            true
        }
        Some((level, true)) => try_level::<_, _, true>(grid, level, block, homes, tally),
        Some((level, false)) => try_level::<_, _, false>(grid, level, block, homes, tally),
    };
    let mut homeless = false;
    if rest {
        for (staged, home) in block.iter_mut().zip(homes) {
            if home[3] == NOWHERE {
                *home = house_elsewhere(grid, listed, staged, tally);
                homeless |= home[3] == NOWHERE;
            }
        }
    }
    homeless
}

/// Finds the cells of those objects that a level takes; the `ONLY` level takes whatever its cells hold. Returns whether some are without.
#[inline(always)]
fn try_level<S: Scalar, const D: usize, const ONLY: bool>(
    grid: &Grid<S, D>,
    number: usize,
    block: &[Staged<S, D>],
    homes: &mut [Address; gather::BLOCK],
    tally: &mut Tally,
) -> bool {
    let level = &grid.levels[number];
    let (thin, refused) = (grid.levels.thin(number), grid.levels.refused(number));
    let mut widest = if injected(Fault::SpansOfOneBlock) { [0; 3] } else { tally.spans[number] };
    let mut rest = false;
    for (staged, home) in block.iter().zip(homes) {
        let (cell, span, fits) = level.measure(&staged.bounds);
        let mut fits = fits & staged.place.takes_part();
        if !ONLY {
            fits &= level.admits(&staged.bounds, cell);
            if let Some(thin) = thin {
                fits &= !thin.is_thin(&staged.bounds.min);
            }
            if let Some(crowds) = refused {
                fits &= crowds.is_thin(&staged.bounds.min);
            }
        }
        *home = [cell[0], cell[1], cell[2], if fits { number as i32 } else { NOWHERE }];
        rest |= !fits;
        widest = std::array::from_fn(|axis| widest[axis].max(if fits { span[axis] } else { 0 }));
    }
    tally.spans[number] = widest;
    rest
}

fn house_elsewhere<S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    listed: &Cursor,
    staged: &mut Staged<S, D>,
    tally: &mut Tally,
) -> Address {
    if staged.place.takes_part() {
        if let Some(Home { level, cell: [x, y, z], span }) = grid.levels.assign(&staged.bounds) {
            let widest = &mut tally.spans[level];
            *widest = std::array::from_fn(|axis| widest[axis].max(span[axis]));
            return [x, y, z, level as i32];
        }
        staged.place = Place { cell: Place::LISTED, rank: listed.take(1) as u32 };
    }
    [0, 0, 0, NOWHERE]
}
