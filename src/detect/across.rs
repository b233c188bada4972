//! Across levels: a chunk's entries against those of the levels that it looks into, and against the oversized ones.
//!
//! There is one look per chunk, not one per object. It first finds the entries of other levels that overlap the box around the chunk's
//! entries. It then compares each of these few with the part of the chunk that it can touch. So the work for a huge object is divided among
//! the chunks that it covers, and thus among the workers.

use std::ops::Range;

use super::View;
use super::near::{NearPart, NearSweep, Parts, WORTHWHILE};
use crate::faults::{Fault, injected};
use crate::isa::Isa;
use crate::isa::Work;
use crate::isa::eight::bits;
use crate::kernel::compare::{Comparer, overlapping};
use crate::layout::{Chunk, Coords, Window, key_parts};
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// Searches the levels that a chunk looks into, and the oversized entries, for those that overlap some of the chunk's entries. `near` and
/// `sweep` are memory for it.
#[inline(always)]
pub(super) fn search<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
    view: &View<'_, S, D>,
    rank: usize,
    entries: Range<usize>,
    (near, sweep): (&mut Vec<u32>, &mut NearSweep),
    comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
) {
    if view.grid.levels.len() == 1 && view.grid.oversized.is_empty() {
        return;
    }
    let chunk = &view.grid.chunks()[rank];
    let (level, _) = key_parts(chunk.key());
    let skipped = |coarse: usize| injected(Fault::LevelSkipped) && coarse == level + 1;
    let around = match view.grid.boxes.get(rank) {
        Some(around) if entries == chunk.entries() => *around,
        _ => view.columns.box_around_with(comparer.isa, entries.clone()),
    };
    let others = 0..view.grid.levels.len();
    for coarse in others.filter(|&coarse| view.grid.levels.looks_into(level, coarse) && !skipped(coarse)) {
        if view.grid.objects[coarse] > 0 {
            near.clear();
            let looks = view.runs_around(coarse, &around, |run| {
                comparer.isa.run(Collect { comparer: &mut *comparer, around: &around, run, near: &mut *near });
            });
            comparer.looks += looks;
            comparer.isa.run(Meet {
                view,
                chunk,
                entries: entries.clone(),
                around: &around,
                near,
                sweep,
                comparer: &mut *comparer,
            });
        }
    }
    if !injected(Fault::ListedAcrossMissed) {
        near.clear();
        let looks = view.grid.oversized_around(&around, |run| {
            comparer.isa.run(Collect { comparer: &mut *comparer, around: &around, run, near: &mut *near });
        });
        comparer.looks += looks;
        comparer.isa.run(Meet { view, chunk, entries, around: &around, near, sweep, comparer: &mut *comparer });
    }
}

/// Entries of a chunk against near ones. Compiled as a function of its own: most chunks have none.
///
/// If both are many, and one axis separates them, as it does beams along different axes, they are swept along it. Otherwise the entries are
/// cut in two, and each half is compared only with entries near the box around it: plates of nested rooms are near the whole chunk, but
/// overlap few of its entries. Where cells separate next to nothing, as there, the entries are sorted along an axis first.
struct Meet<'m, 'c, I: Isa, S, const D: usize, const EXTRAS: bool> {
    view: &'m View<'m, S, D>,
    chunk: &'m Chunk,
    entries: Range<usize>,
    /// The box around the entries.
    around: &'m Aabb<S, D>,
    near: &'m mut Vec<u32>,
    sweep: &'m mut NearSweep,
    comparer: &'m mut Comparer<'c, I, S, D, EXTRAS>,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for Meet<'_, '_, I, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        let Meet { view, chunk, entries, around, near, sweep, comparer } = self;
        if near.is_empty() {
            return;
        }
        let mut parts = Parts::new(entries, *around, near.len());
        while let Some(part) = parts.next(near) {
            let covered = covered(view, chunk, &part, near);
            if is_worthwhile(&part, covered) {
                if sweep.search(&near[part.near.clone()], part.entries.clone(), &part.around, comparer) {
                    continue;
                }
                let is_blind = covered >= MOST * part.entries.len() as f64;
                if part.is_large() && is_blind && sweep.search_parts(near, &part, comparer) {
                    continue;
                }
                if part.is_large() && parts.cut(&part, &view.columns, near) {
                    comparer.candidates += 2 * part.near.len() as u64;
                    continue;
                }
            }
            meet_windows(view, chunk, part.entries, &near[part.near], comparer);
        }
    }
}

/// Where near entries cover the cells of such a part of the entries, cells are no help, and the entries are sorted along an axis instead.
const MOST: f64 = 0.25;

/// How many entries lie in the cells that a near entry covers. A sample shows that: small boxes in a large chunk cover few, however many
/// there are of both. Nothing if there are few of both.
#[inline(always)]
fn covered<S: Scalar, const D: usize>(view: &View<'_, S, D>, chunk: &Chunk, part: &NearPart<S, D>, near: &[u32]) -> f64 {
    // Enough to tell few from many.
    const SOME: usize = 16;
    if !is_worthwhile(part, part.entries.len() as f64) {
        return 0.0;
    }
    let near = &near[part.near.clone()];
    let stride = near.len().div_ceil(SOME);
    let (mut covered, mut sampled) = (0, 0);
    for &entry in near.iter().step_by(stride) {
        sampled += 1;
        for_each_run(view, chunk, &part.entries, &view.columns.bounds(entry as usize), |run| covered += run.len());
    }
    covered as f64 / f64::from(sampled)
}

/// Whether cells leave enough comparisons to make a sweep or a cut worth its cost, if each near entry is compared with so many.
#[inline(always)]
fn is_worthwhile<S: Scalar, const D: usize>(part: &NearPart<S, D>, covered: f64) -> bool {
    // Half as many are enough: with all of them, infinite beams exceed the bound of work.
    const COVERED: f64 = 2.0;
    let handled = part.near.len() + part.entries.len();
    COVERED * covered * part.near.len() as f64 >= (WORTHWHILE * handled) as f64
}

/// Compares entries of a chunk with near ones, each of these with the cells that it covers.
#[inline(always)]
fn meet_windows<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
    view: &View<'_, S, D>,
    chunk: &Chunk,
    entries: Range<usize>,
    near: &[u32],
    comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
) {
    for &entry in near {
        let entry = entry as usize;
        for_each_run(view, chunk, &entries, &view.columns.bounds(entry), |run| comparer.meet(entry, run));
    }
}

/// Calls `f` with the runs of a chunk's entries, of those in `entries`, that lie in the cells that a box covers.
#[inline(always)]
fn for_each_run<S: Scalar, const D: usize>(
    view: &View<'_, S, D>,
    chunk: &Chunk,
    entries: &Range<usize>,
    bounds: &Aabb<S, D>,
    mut f: impl FnMut(Range<usize>),
) {
    let (level, coords) = key_parts(chunk.key());
    let window = Window::new(&view.grid.levels[level], view.grid.spans[level], bounds);
    if let Some(window) = window.within::<D>(coords) {
        window.runs(chunk, |run| {
            let run = run.start.max(entries.start)..run.end.min(entries.end);
            if !run.is_empty() {
                f(run);
            }
        });
    }
}

/// Collects the entries of a run that overlap a box. Compiled as a function of its own: the callers are closures, and one that is not
/// inlined is compiled without the instruction set.
struct Collect<'m, 'c, I: Isa, S, const D: usize, const EXTRAS: bool> {
    comparer: &'m mut Comparer<'c, I, S, D, EXTRAS>,
    around: &'m Aabb<S, D>,
    run: Range<usize>,
    near: &'m mut Vec<u32>,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for Collect<'_, '_, I, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        let Collect { comparer, around, run, near } = self;
        comparer.candidates += run.len() as u64;
        overlapping(comparer.isa, &comparer.columns, around, run, |window, mask| {
            memory::reserve(near, 16);
            near.extend(bits(u32::from(mask)).map(|lane| (window + lane) as u32));
        });
    }
}

/// Compares an entry with a run of entries. A function of its own, like [`Collect`].
pub(super) struct MeetRun<'m, 'c, I: Isa, S, const D: usize, const EXTRAS: bool> {
    pub(super) comparer: &'m mut Comparer<'c, I, S, D, EXTRAS>,
    pub(super) entry: usize,
    pub(super) run: Range<usize>,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for MeetRun<'_, '_, I, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        self.comparer.meet(self.entry, self.run);
    }
}

impl<S: Scalar, const D: usize> View<'_, S, D> {
    /// Calls `f` with the runs of entries that hold everything of a level that overlaps a box. Returns how many chunks it looked for.
    /// A chunk is left out if the box around its entries does not overlap.
    pub(crate) fn runs_around(&self, level: usize, around: &Aabb<S, D>, mut f: impl FnMut(Range<usize>)) -> u64 {
        let window = Window::new(&self.grid.levels[level], self.grid.spans[level], around);
        let mut search = |coords: Coords, rank: usize| {
            if self.grid.may_overlap(rank, around)
                && let Some(window) = window.within::<D>(coords)
            {
                window.runs(&self.grid.chunks()[rank], &mut f);
            }
        };
        // There are no chunks beyond those of the level.
        let ((low, high), (first, last)) = (window.chunks::<D>(), self.grid.reach[level]);
        let low: Coords = std::array::from_fn(|axis| low[axis].max(first[axis]));
        let high: Coords = std::array::from_fn(|axis| high[axis].min(last[axis]));
        if (0..3).any(|axis| low[axis] > high[axis]) {
            return 1;
        }
        let ranks = self.grid.ranks_of(level);
        let touched = (0..D).fold(1.0, |touched, axis| touched * (f64::from(high[axis]) - f64::from(low[axis]) + 1.0));
        if touched <= ranks.len() as f64 {
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        if let Some(rank) = self.grid.rank_of(level, [x, y, z]) {
                            search([x, y, z], rank);
                        }
                    }
                }
            }
        } else {
            // A box that covers more chunks than there are: go through those that there are.
            for &rank in ranks {
                search(key_parts(self.grid.chunks()[rank as usize].key()).1, rank as usize);
            }
        }
        1 + touched.min(ranks.len() as f64) as u64
    }
}
