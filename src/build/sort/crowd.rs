//! Crowded chunks, which all workers sort together: they count pieces separately, turn the counts into offsets, and write the pieces.

use super::items::add_items;
use super::segments::{Segment, Segments};
use crate::Scalar;
use crate::build::builder::Builder;
use crate::faults::{Fault, injected};
use crate::isa::portable::Portable;
use crate::kernel::records::Records;
use crate::layout::CELLS;
use crate::lockfree::{Blocks, ChunkHead, ChunkId};
use crate::runtime::memory::{self, Budget, grow_exactly};
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// A chunk with more objects is sorted by all workers together.
pub(super) const CROWDED: usize = 1 << 12;

/// The objects of a crowded chunk that a worker sorts at a time, at least.
const PIECE: usize = 1 << 11;

/// Memory for sorting crowded chunks, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// The crowded chunks.
    ranks: Vec<u32>,
    pieces: Vec<Piece>,
    /// Objects per cell of each piece; then where the next one goes.
    counts: Vec<[u32; CELLS]>,
}

/// A part of a chunk's list of segments: the first one, and how many there are.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u32,
    segments: usize,
}

impl Crowd {
    pub(crate) fn bytes(&self) -> usize {
        self.ranks.capacity() * size_of::<u32>()
            + self.pieces.capacity() * size_of::<Piece>()
            + self.counts.capacity() * size_of::<[u32; CELLS]>()
    }

    /// Cuts a list of segments into pieces of at least [`PIECE`] objects, with counts of 0.
    fn cut<S: Scalar, const D: usize>(&mut self, segments: Segments<'_, S, D>, head: ChunkHead<'_>, budget: &Budget) {
        self.pieces.clear();
        // All pieces but the last have at least `PIECE` objects.
        memory::reserve(&mut self.pieces, head.total() as usize / PIECE + 1);
        let (mut next, mut objects) = (head.first(), PIECE);
        for Segment { block, places, .. } in segments.of(head.first()) {
            if objects >= PIECE {
                self.pieces.push(Piece { first: next, segments: 0 });
                objects = 0;
            }
            if let Some(piece) = self.pieces.last_mut() {
                piece.segments += 1;
            }
            objects += places.len();
            next = block.next(places.start);
        }
        if injected(Fault::PieceLost) && self.pieces.len() > 1 {
            self.pieces.pop();
        }
        grow_exactly(&mut self.counts, self.pieces.len(), [0; CELLS], budget);
        self.counts[..self.pieces.len()].fill([0; CELLS]);
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Sorts the chunks that are too large for one worker, and what has no level.
    pub(super) fn sort_crowded(&mut self, order: &[u32], team: Team) {
        let mut ranks = std::mem::take(&mut self.crowd.ranks);
        ranks.clear();
        // If boxes have no names, all chunks are sorted in pieces.
        let most = if Records::new(&self.staged).is_some() { CROWDED } else { 0 };
        // Room for the largest possible number: the actual number changes from step to step, and is mostly 0.
        memory::reserve(&mut ranks, order.len() / most.max(1));
        let crowded = |rank: &u32| (self.grid.begins[*rank as usize + 1] - self.grid.begins[*rank as usize]) as usize > most;
        ranks.extend((0..self.grid.sequence.len() as u32).filter(crowded));
        for rank in ranks.iter().map(|rank| *rank as usize) {
            let (begin, id) = (self.grid.begins[rank], self.grid.sequence[rank]);
            let counts = self.sort_pieces(order, id, begin, false, team);
            let sorter = &mut self.workers[0].sorter;
            let chunk = &mut self.grid.tables[rank];
            sorter.finish(Portable, chunk, self.grid.pool.chunk(id).key(), begin, &counts);
            add_items(&mut sorter.items, rank as u32, begin, self.grid.begins[rank + 1]);
        }
        self.crowd.ranks = ranks;
        for (special, begin) in [self.grid.tails.oversized, self.grid.tails.rejected].into_iter().enumerate() {
            if let Some(id) = self.grid.specials[special] {
                self.sort_pieces(order, id, begin as u32, true, team);
            }
        }
    }

    /// Sorts one chunk by all workers: each counts pieces of it, the counts become offsets, each writes its pieces. Returns how many
    /// entries each cell has. `one_cell`: all objects count as objects of the first cell, whatever their cells are.
    fn sort_pieces(&mut self, order: &[u32], id: ChunkId, begin: u32, one_cell: bool, team: Team) -> [u32; CELLS] {
        let segments = Segments { staged: &self.staged, order };
        self.crowd.cut(segments, self.grid.pool.chunk(id), &self.budget);
        let pieces = &self.crowd.pieces;
        let counts = &mut self.crowd.counts[..pieces.len()];
        let cell = |cell: u8| if one_cell { 0 } else { usize::from(cell) % CELLS };
        let each = |piece: usize| segments.of(pieces[piece].first).take(pieces[piece].segments);
        let next = Blocks::new(counts, 1);
        self.busy.each(team.at_most(pieces.len()), |_| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, counts)) = next.claim() {
                for Segment { block, places, .. } in each(piece) {
                    places.for_each(|at| counts[0][cell(block.cells[at])] += 1);
                }
            }
        });
        let mut all = [0; CELLS];
        counts.iter().for_each(|counts| (0..CELLS).for_each(|cell| all[cell] += counts[cell]));
        let mut place = begin;
        for cell in 0..CELLS {
            for counts in counts.iter_mut() {
                let objects = std::mem::replace(&mut counts[cell], place);
                place += objects - u32::from(injected(Fault::PiecesOverlap) && objects > 0);
            }
        }
        let table = self.table.writer(&mut self.next_order);
        let next = Blocks::new(counts, 1);
        self.busy.each(team.at_most(pieces.len()), |_| {
            scope!("pivotgrid::sort::crowded");
            while let Some((piece, places)) = next.claim() {
                for Segment { block, places: range, ids, .. } in each(piece) {
                    for (at, &id) in range.zip(ids) {
                        let place = &mut places[0][cell(block.cells[at])];
                        table.set(*place as usize, &block.bounds(at), id);
                        *place += 1;
                    }
                }
            }
        });
        all
    }
}
