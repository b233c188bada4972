//! Within a level: the half-neighborhood (Schornbaum 3.6), by rows.
//!
//! Rows of a level are ordered by (z, y). An entry is compared with the later entries of its own row, and with the later rows that it
//! reaches. Entries of earlier rows are compared with it in their turn. So each pair is found once, from its earlier entry.

use std::ops::Range;

use super::View;
use super::near::NearSweep;
use super::neighborhood::Neighborhood;
use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::isa::Work;
use crate::isa::{Isa, Lanes, Mask, WIDTH, first_lanes};
use crate::kernel::compare::Comparer;
use crate::kernel::list::List;
use crate::kernel::scalar::Vector;
use crate::layout::grid::Item;
use crate::layout::{Chunk, Coords, Level, ROW, Row, SWEPT, Shape, key_parts};

const MOST_ENTRIES: usize = Item::MOST_ENTRIES;

/// The entries of a row that reach beyond it. A word holds the entry, relative to the first one searched, in its upper half, then
/// the first and the last cell of the window that the entry meets in another row.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Into a later row of their layer,
    upward: List,
    /// into a later layer,
    backward: List,
    /// into both,
    corner: List,
    /// and into the next chunk along the rows.
    past_end: List,
}

impl Reach {
    /// Allocates the lists' memory, once.
    pub(crate) fn reserve(&mut self) {
        self.lists().into_iter().for_each(|list| list.reserve(MOST_ENTRIES + WIDTH));
    }

    pub(crate) fn bytes(&self) -> usize {
        [&self.upward, &self.backward, &self.corner, &self.past_end].into_iter().map(List::bytes).sum()
    }

    fn lists(&mut self) -> [&mut List; 4] {
        [&mut self.upward, &mut self.backward, &mut self.corner, &mut self.past_end]
    }
}

// Cells of a window are relative to the chunk: from `-ROW` to `2 * ROW - 1`, which `ROW` more makes a byte.
const _: () = assert!(3 * ROW <= 256 && MOST_ENTRIES <= 1 << 16);

/// Packs an entry and the first and last cell of its window.
#[inline(always)]
fn pack<I: Isa>(isa: I, entry: I::Words, first: I::Words, last: I::Words) -> I::Words {
    let first = isa.add(first, isa.splat(ROW as i32));
    isa.or(isa.shl(entry, 16), isa.or(isa.shl(first, 8), last))
}

/// The entry, still in the upper half, and the first and last cell of its window.
#[inline(always)]
fn unpack<I: Isa>(isa: I, word: I::Words) -> (I::Words, I::Words, I::Words) {
    let byte = isa.splat(0xff);
    let first = isa.sub(isa.and(isa.shr(word, 8), byte), isa.splat(ROW as i32));
    (isa.and(word, isa.splat(!0xffff)), first, isa.and(word, byte))
}

/// Searches some entries of a chunk, at most [`Item::MOST_ENTRIES`]. `reach` and `sweep` are memory for it.
#[inline(always)]
pub(super) fn search<'v, I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
    view: &'v View<'v, S, D>,
    chunk: &'v Chunk,
    entries: Range<usize>,
    (reach, sweep): (&mut Reach, &mut NearSweep),
    comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
) {
    debug_assert!(entries.len() <= MOST_ENTRIES);
    let (level, coords) = key_parts(chunk.key());
    let span = view.grid.spans[level];
    let columns = comparer.columns;
    comparer.columns = columns.turned(view.grid.levels[level].row());
    let mut search = RowSearch {
        level: &view.grid.levels[level],
        corner: Shape::<D>::base_of(coords),
        span: if injected(Fault::SpanForgotten) { 0 } else { span[0] },
        first: entries.start,
        around: Neighborhood::new(view, level, coords, chunk),
        reach,
    };
    comparer.set_base(entries.start);
    let mut rows = chunk.rows();
    while rows != 0 {
        let row = rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let (pivots, (y, z)) = (chunk.row(row), Shape::<D>::row_parts(row));
        let inside = pivots.begin(0).max(entries.start)..pivots.end(ROW - 1).min(entries.end);
        if inside.is_empty() {
            continue;
        }
        // A row with more entries may have a crowded cell.
        let swept = if pivots.end(ROW - 1) - inside.start > SWEPT {
            comparer.isa.run(SweepCells { row: pivots, inside: inside.clone(), sweep, comparer: &mut *comparer })
        } else {
            0
        };
        comparer.isa.run(OwnRow { search: &mut search, comparer: &mut *comparer, row: pivots, at: (y, z), inside, swept });
        if !injected(Fault::NextChunkMissed) {
            search.next_chunk(comparer, (y, z));
        }
        for other_y in y + 1..=y + span[1] - i32::from(injected(Fault::UpwardRowMissed)) {
            search.other_row(comparer, |reach| &reach.upward, (other_y, z));
        }
        if D == 3 {
            for other_z in z + 1..=z + span[2] {
                for other_y in y - span[1] + i32::from(injected(Fault::BackwardRowMissed))..=y {
                    search.other_row(comparer, |reach| &reach.backward, (other_y, other_z));
                }
                let corner = if injected(Fault::CornerRowsMissed) { 0 } else { span[1] };
                for other_y in y + 1..=y + corner {
                    search.other_row(comparer, |reach| &reach.corner, (other_y, other_z));
                }
            }
        }
    }
    comparer.columns = columns;
}

/// The input of the search of a chunk's rows.
struct RowSearch<'v, 'r, S, const D: usize> {
    level: &'v Level<S, D>,
    /// The chunk's first cell.
    corner: Coords,
    /// The most cells that an entry of the level reaches beyond its own in x.
    span: i32,
    /// The first entry searched.
    first: usize,
    around: Neighborhood<'v, S, D>,
    reach: &'r mut Reach,
}

/// The search within a row, compiled as a function of its own.
struct OwnRow<'o, 'v, 'r, 'c, I: Isa, S, const D: usize, const EXTRAS: bool> {
    search: &'o mut RowSearch<'v, 'r, S, D>,
    comparer: &'o mut Comparer<'c, I, S, D, EXTRAS>,
    row: Row<'v>,
    at: (i32, i32),
    inside: Range<usize>,
    swept: u32,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for OwnRow<'_, '_, '_, '_, I, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        self.search.own_row(self.comparer, self.row, self.at, self.inside, self.swept);
    }
}

/// Sweeps the crowded cells of a row that some axis separates, compiled as a function of its own: few rows have any. Such a cell's entries
/// are then done with each other.
struct SweepCells<'s, 'v, 'c, I: Isa, S, const D: usize, const EXTRAS: bool> {
    row: Row<'v>,
    inside: Range<usize>,
    sweep: &'s mut NearSweep,
    comparer: &'s mut Comparer<'c, I, S, D, EXTRAS>,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for SweepCells<'_, '_, '_, I, S, D, EXTRAS> {
    /// A bit for each cell.
    type Outcome = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let SweepCells { row, inside, sweep, comparer } = self;
        let mut swept = 0;
        for cell in 0..ROW {
            // Those searched, and all that come behind them.
            let own = row.begin(cell).max(inside.start)..row.end(cell).min(inside.end);
            if own.is_empty() || row.end(cell) - own.start <= SWEPT {
                continue;
            }
            let is_swept = sweep.search_within(own.clone(), own.start..row.end(cell), comparer);
            swept |= u32::from(is_swept) << cell;
        }
        swept
    }
}

/// The cells of sixteen coordinates along an axis, relative to the chunk's first cell. Axes in the order of the level: along the
/// rows first.
#[inline(always)]
fn cells<I: Isa, S: Scalar, const D: usize>(
    isa: I,
    level: &Level<S, D>,
    corner: &Coords,
    axis: usize,
    coordinates: S::In<I>,
) -> I::Words {
    let (origin, inverse, _) = level.axis(level.axis_of(axis));
    let cells = coordinates.cells(isa, Vector::<S, I>::splat(isa, origin), Vector::<S, I>::splat(isa, inverse));
    let cells = if injected(Fault::CellByTwoFormulas) {
        isa.sub(cells, isa.select(isa.gt(isa.splat(0), cells), isa.splat(1), isa.splat(0)))
    } else {
        cells
    };
    isa.sub(cells, isa.splat(corner[axis]))
}

impl<S: Scalar, const D: usize> RowSearch<'_, '_, S, D> {
    /// Sixteen entries at a time: lists those that reach beyond the row, and compares each with the entries behind it in the row; those of
    /// `swept` cells, with the entries behind their cell.
    #[inline(always)]
    fn own_row<I: Isa, const EXTRAS: bool>(
        &mut self,
        comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
        row: Row<'_>,
        (y, z): (i32, i32),
        inside: Range<usize>,
        swept: u32,
    ) {
        let isa = comparer.isa;
        let RowSearch { level, corner: base, span, first: first_entry, reach, .. } = self;
        let (mut upward, mut backward) = (reach.upward.rewrite(), reach.backward.rewrite());
        let (mut corner, mut past_end) = (reach.corner.rewrite(), reach.past_end.rewrite());
        let (iota, ends, last_cell) = (isa.iota(), isa.words(row.ends()), isa.splat(ROW as i32 - 1));
        for at in inside.clone().step_by(WIDTH) {
            let mask = first_lanes(inside.end - at);
            let own = comparer.columns.sixteen(isa, at);
            let (first, last) = (cells(isa, level, base, 0, own.min[0]), cells(isa, level, base, 0, own.max[0]));
            let up = mask & isa.gt(cells(isa, level, base, 1, own.max[1]), isa.splat(y));
            let past = mask & isa.gt(last, last_cell);
            let entry = isa.add(isa.splat((at - *first_entry) as i32), iota);
            let word = pack(isa, entry, isa.sub(first, isa.splat(*span)), last);
            upward.append(isa, up, word);
            if D == 3 {
                let back = mask & isa.gt(cells(isa, level, base, 2, own.max[D - 1]), isa.splat(z));
                backward.append(isa, back, word);
                corner.append(isa, up & back, word);
            }
            past_end.append(isa, past, word);
            let reach_end = isa.lookup(ends, isa.min(last, last_cell));
            let following = isa.sub(reach_end, isa.add(isa.splat(at as i32 + 1), iota));
            let mut mask = mask;
            if swept != 0 {
                let is_swept = isa.lookup(isa.words(&std::array::from_fn(|cell| swept >> cell & 1)), first);
                let done = mask & isa.gt(is_swept, isa.splat(0));
                comparer.add(done, isa.shl(entry, 16), isa.lookup(ends, first), reach_end);
                mask &= !done;
            }
            comparer.add_diagonals(&own, isa.select(mask, following, isa.splat(0)), at);
        }
        upward.finish();
        backward.finish();
        corner.finish();
        past_end.finish();
    }

    /// The rest of the own row: windows in the next chunk along it, of the entries that reach it.
    #[inline(always)]
    fn next_chunk<I: Isa, const EXTRAS: bool>(&mut self, comparer: &mut Comparer<'_, I, S, D, EXTRAS>, (y, z): (i32, i32)) {
        let isa = comparer.isa;
        let count = self.reach.past_end.len();
        if count == 0 {
            return;
        }
        let row = self.around.row(1, y, z);
        let (begin, ends) = (isa.splat(row.begin(0) as i32), isa.words(row.ends()));
        for at in (0..count).step_by(WIDTH) {
            let (entry, _, last) = unpack(isa, self.reach.past_end.sixteen(isa, at));
            comparer.add(first_lanes(count - at), entry, begin, isa.lookup(ends, last));
        }
    }

    /// The windows of listed entries in a row of this chunk or of one around it, each from `span` cells before its own to as far as
    /// it reaches.
    #[inline(always)]
    fn other_row<I: Isa, const EXTRAS: bool>(
        &mut self,
        comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
        list: impl Fn(&Reach) -> &List,
        (y, z): (i32, i32),
    ) {
        let isa = comparer.isa;
        let count = list(self.reach).len();
        if count == 0 {
            return; // and look up no chunk
        }
        let row = self.around.row(0, y, z);
        let (begins, ends) = (isa.words(row.begins()), isa.words(row.ends()));
        let (zero, last_cell) = (isa.splat(0), isa.splat(ROW as i32 - 1));
        for at in (0..count).step_by(WIDTH) {
            let mask: Mask = first_lanes(count - at);
            let (entry, first, last) = unpack(isa, list(self.reach).sixteen(isa, at));
            let begin = isa.lookup(begins, isa.max(first, zero));
            let end = isa.lookup(ends, isa.min(last, last_cell));
            comparer.add(mask, entry, begin, end);
            // Cells beyond the row are cells of the chunk before or after, at the same place modulo the row's length.
            let past = mask & isa.gt(last, last_cell);
            if past != 0 {
                let row = self.around.row(1, y, z);
                comparer.add(past, entry, isa.splat(row.begin(0) as i32), isa.lookup(isa.words(row.ends()), last));
            }
            let before = mask & isa.gt(zero, first);
            if before != 0 {
                let row = self.around.row(-1, y, z);
                comparer.add(before, entry, isa.lookup(isa.words(row.begins()), first), isa.splat(row.end(ROW - 1) as i32));
            }
        }
    }
}
