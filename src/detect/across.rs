//! Across levels: a chunk's entries against everything coarser, and against those that fit no level.
//!
//! One look per chunk instead of one per object: first whatever coarse could touch anything in the chunk, by the box around the
//! chunk's entries; then each of those few against the part of the chunk that it can touch. A huge object is thereby shared out
//! among all chunks that it covers, and so among all workers.

use std::ops::Range;

use super::{Finder, View};
use crate::faults::{Fault, injected};
use crate::layout::{Coords, Window, chunk_key, key_parts};
use crate::lockfree::Chunk;
use crate::{Aabb, Scalar};

/// Lists the comparisons of some entries of a chunk with everything coarser.
pub(super) fn list<S: Scalar, const D: usize>(
    view: &View<'_, S, D>,
    chunk: Chunk<'_>,
    entries: Range<usize>,
    finder: &mut Finder,
) {
    let (level, coords) = key_parts(chunk.key());
    if view.grid.levels.len() == 1 && view.grid.listed.is_empty() {
        return;
    }
    let skipped = |coarse: usize| injected(Fault::LevelSkipped) && coarse == level + 1;
    let mut around = Aabb::EMPTY;
    entries.clone().for_each(|entry| around.grow(&view.columns.bounds(entry)));

    finder.near.clear();
    for coarse in (0..view.grid.levels.len()).filter(|&coarse| view.grid.levels.looks_into(level, coarse) && !skipped(coarse)) {
        if view.grid.objects[coarse] > 0 {
            finder.looks += look(view, coarse, &around, &mut finder.near, &mut finder.candidates);
        }
    }
    let Finder { candidates, near, .. } = finder;
    view.grid.listed_around(&around, |run| {
        *candidates += run.len() as u64;
        if !injected(Fault::ListedAcrossMissed) {
            view.kernel.hits(&view.columns, &around, run, near);
        }
    });

    for &entry in &finder.near {
        let entry = entry as usize;
        let window = Window::new(&view.grid.levels[level], view.grid.spans[level], &view.columns.bounds(entry));
        if let Some(window) = window.within::<D>(coords) {
            window.runs(chunk, |run| {
                let run = run.start.max(entries.start)..run.end.min(entries.end);
                if !run.is_empty() {
                    finder.tasks.add(entry, run);
                }
            });
        }
    }
}

/// Collects the entries of a level that overlap a box. Returns how many chunks it looked for.
fn look<S: Scalar, const D: usize>(
    view: &View<'_, S, D>,
    level: usize,
    around: &Aabb<S, D>,
    near: &mut Vec<u32>,
    candidates: &mut u64,
) -> u64 {
    view.runs_around(level, around, |run| {
        *candidates += run.len() as u64;
        view.kernel.hits(&view.columns, around, run, near);
    })
}

impl<S: Scalar, const D: usize> View<'_, S, D> {
    /// Calls `f` with the runs of entries that hold everything of a level that overlaps a box. Returns how many chunks it looked for.
    pub(crate) fn runs_around(&self, level: usize, around: &Aabb<S, D>, mut f: impl FnMut(Range<usize>)) -> u64 {
        let window = Window::new(&self.grid.levels[level], self.grid.spans[level], around);
        let mut search = |coords: Coords, chunk: Chunk<'_>| {
            if let Some(window) = window.within::<D>(coords) {
                window.runs(chunk, &mut f);
            }
        };
        // There are no chunks beyond those of the level.
        let ((low, high), (first, last)) = (window.chunks::<D>(), self.grid.reach[level]);
        let low: Coords = std::array::from_fn(|axis| low[axis].max(first[axis]));
        let high: Coords = std::array::from_fn(|axis| high[axis].min(last[axis]));
        if (0..3).any(|axis| low[axis] > high[axis]) {
            return 1;
        }
        let chunks = self.grid.chunks_of(level);
        let touched = (0..D).fold(1.0, |touched, axis| touched * (f64::from(high[axis]) - f64::from(low[axis]) + 1.0));
        if touched <= chunks.len() as f64 {
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        if let Some((_, chunk)) = self.grid.directory.find(&self.grid.pool, &chunk_key(level, [x, y, z])) {
                            search([x, y, z], chunk);
                        }
                    }
                }
            }
        } else {
            // A box that covers more chunks than there are: go through those that there are.
            for &id in chunks {
                let chunk = self.grid.pool.chunk(id);
                search(key_parts(chunk.key()).1, chunk);
            }
        }
        1 + touched.min(chunks.len() as f64) as u64
    }
}
