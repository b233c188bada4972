//! Arrange: the order of the chunks, and the range of the table that each gets. The only serial pass; it visits chunks, not objects.
//!
//! Chunks are ordered by the block that holds their longest segment. So neighbors in space stay neighbors in memory, and each chunk goes
//! first to the worker that gathered most of it, whose cache holds its objects.

use super::gather::{Gathered, special};
use crate::Scalar;
use crate::build::builder::Builder;
use crate::faults::{Fault, injected};
use crate::kernel::locate::OVERSIZED;
use crate::layout::grid::TailOffsets;
use crate::layout::{Chunk, MAX_LEVELS};
use crate::lockfree::ChunkId;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// After arranging: every chunk has its rank and its range of the table.
pub(crate) struct Arranged(pub(super) ());

/// How many units of sorting the chunks of one claim are cut into.
const UNITS_PER_CLAIM: usize = 2;

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Orders the chunks, gives each its range of the table, and deals them to the workers.
    pub(crate) fn arrange(&mut self, _: Gathered, visited: usize, team: Team) -> Arranged {
        let used = self.grid.pool.used();
        let blocks = visited.div_ceil(crate::layout::staged::BLOCK);
        let claim = self.claim_blocks(visited, team);
        self.count_chunks(used, blocks);

        // Each chunk to its place among the chunks of its block.
        let regular = self.starts[blocks] as usize;
        let grid = &mut self.grid;
        grid.sequence.clear();
        self.budget.charge(memory::bytes_of::<ChunkId>(regular.saturating_sub(grid.sequence.capacity())));
        memory::reserve_with_slack(&mut grid.sequence, regular);
        grid.sequence.resize(regular, 0);
        grid.specials = [None; 2];
        for id in 0..used {
            let head = grid.pool.chunk(id);
            if head.total() == 0 {
                continue; // a spare, never published
            }
            match special(&head.key()) {
                None => {
                    let place = &mut self.starts[head.longest_block()];
                    grid.sequence[*place as usize] = id;
                    *place += 1;
                }
                Some(level) => grid.specials[usize::from(level != OVERSIZED)] = Some(id),
            }
        }

        // Ranges of the table, in that order.
        grid.begins.clear();
        memory::reserve_with_slack(&mut grid.begins, regular + 1);
        (grid.objects, grid.level_chunks) = ([0; MAX_LEVELS], [0; MAX_LEVELS]);
        let mut begin = 0;
        for (rank, &id) in grid.sequence.iter().enumerate() {
            let head = grid.pool.chunk(id);
            let (level, total) = (head.key()[3] as usize % MAX_LEVELS, head.total());
            head.set_rank(rank as u32);
            grid.begins.push(begin);
            begin += total;
            grid.objects[level] += total as usize;
            grid.level_chunks[level] += 1;
        }
        grid.begins.push(begin);
        let total = |special: Option<ChunkId>| special.map_or(0, |id| grid.pool.chunk(id).total() as usize);
        let oversized = begin as usize..begin as usize + total(grid.specials[0]);
        let rejected = oversized.end..oversized.end + total(grid.specials[1]);
        grid.tails = TailOffsets { oversized: oversized.start, rejected: rejected.start };
        (grid.oversized, grid.rejected) = (oversized, rejected);
        grid.sort_by_level();
        memory::grow_exactly(&mut grid.tables, regular, Chunk::EMPTY, &self.budget);
        self.deal_chunks(claim, team);
        Arranged(())
    }

    /// How many chunks have their longest segment in each block; as prefix sums, in `starts`.
    fn count_chunks(&mut self, used: u32, blocks: usize) {
        self.starts.clear();
        memory::reserve(&mut self.starts, blocks + 1);
        self.starts.resize(blocks + 1, 0);
        for id in 0..used {
            let head = self.grid.pool.chunk(id);
            if head.total() > 0 && special(&head.key()).is_none() {
                self.starts[head.longest_block() + 1] += 1;
            }
        }
        for block in 0..blocks {
            self.starts[block + 1] += self.starts[block];
        }
    }

    /// The chunks of each claim of the gather pass go first to the worker that gathered it.
    fn deal_chunks(&mut self, claim: usize, team: Team) {
        // Placing has moved each start to where the block's chunks end.
        let claims = self.bounds.len() - 1;
        self.unit_bounds.clear();
        memory::reserve(&mut self.unit_bounds, UNITS_PER_CLAIM * claims + 1);
        let mut begin = 0;
        for unit in 0..claims {
            let end = self.starts[((unit + 1) * claim - 1).min(self.starts.len() - 2)];
            for part in 0..UNITS_PER_CLAIM as u32 {
                self.unit_bounds.push(begin + (end - begin) * part / UNITS_PER_CLAIM as u32);
            }
            begin = end;
        }
        let lost = injected(Fault::UnitLastChunkLost) && self.unit_bounds.last().is_some_and(|&last| last < begin);
        self.unit_bounds.push(begin - u32::from(lost));
        self.takers.clear();
        memory::reserve(&mut self.takers, claims);
        self.takers.extend((0..claims).map(|unit| self.shares.taker(unit) as u32));
        let units = UNITS_PER_CLAIM * claims;
        memory::refusable(self.shares.reserve(team.workers(), units), units);
        let takers = &self.takers;
        self.shares.deal(team.workers(), units, |unit| takers[unit / UNITS_PER_CLAIM] as usize);
    }
}
