//! Runs of entries, cut into what a kernel takes at once.

use std::ops::Range;

use crate::detect::kernel::LANES;
use crate::memory::{Budget, grow_exactly};

/// Runs of at most [`LANES`] entries each.
///
/// How long a run is is anybody's guess, and a wrong guess costs the processor more than some stores. So as many pieces as most runs
/// have are written in any case, and those are kept that have something in them; and the kernel, which does one piece after the
/// other, has no end of a run to guess.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// All room there is; the first `len` are runs.
    pieces: Vec<Range<usize>>,
    pub(super) len: usize,
    /// How many entries were added, all in all.
    pub(super) candidates: u64,
}

/// The most pieces of a short run.
const SHORT: usize = 3;

impl Runs {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn list(&self) -> &[Range<usize>] {
        &self.pieces[..self.len]
    }

    /// Adds a run, which may be empty (or end before it begins).
    #[inline(always)]
    pub(super) fn add(&mut self, run: Range<usize>) {
        let count = run.len().div_ceil(LANES);
        self.candidates += run.len() as u64;
        if self.pieces.len() - self.len < count.max(SHORT) {
            self.grow(count);
        }
        if let Some(room) = self.pieces[self.len..].first_chunk_mut::<SHORT>() {
            *room = std::array::from_fn(|number| piece(&run, number));
        }
        if count > SHORT {
            self.add_rest(&run, count);
        }
        self.len += count;
    }

    #[inline(never)]
    fn add_rest(&mut self, run: &Range<usize>, count: usize) {
        for (number, room) in self.pieces[self.len..self.len + count].iter_mut().enumerate().skip(SHORT) {
            *room = piece(run, number);
        }
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        self.reserve((2 * self.pieces.len()).max(1024).max(self.len + count + SHORT));
    }

    pub(super) fn capacity(&self) -> usize {
        self.pieces.len()
    }

    pub(super) fn reserve(&mut self, runs: usize) {
        grow_exactly(&mut self.pieces, runs, 0..0, &Budget::unlimited());
    }

    pub(super) fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Range<usize>>()
    }
}

#[inline(always)]
fn piece(run: &Range<usize>, number: usize) -> Range<usize> {
    let begin = run.start + number * LANES;
    begin..run.end.min(begin + LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_their_runs() {
        let mut runs = Runs::default();
        let added = [3..5, 7..7, std::ops::Range { start: 9, end: 8 }, 100..108, 200..209, 300..324, 400..425, 500..5000];
        added.iter().for_each(|run| runs.add(run.clone()));
        assert!(runs.list().iter().all(|piece| !piece.is_empty() && piece.len() <= LANES));
        assert!(runs.list().iter().cloned().flatten().eq(added.iter().cloned().flatten()));
        assert_eq!(runs.candidates, added.iter().map(|run| run.len() as u64).sum::<u64>());
    }
}
