//! Every pair is looked at.

use pivotgrid::Pair;

use crate::{Bounds, Pairs, System};

/// Exhaustive search: section 2.2 (the all-pair test), measured in 4.1 and 4.5.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exhaustive;

impl<const D: usize> System<D> for Exhaustive {
    fn update(&mut self, _: &[Bounds<D>]) {}

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        all_pairs(boxes, pairs);
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// So many boxes stay in the first-level cache while all before them pass by.
const TILE: usize = 512;

/// Compares each box with each after it.
pub(super) fn all_pairs<const D: usize>(boxes: &[Bounds<D>], pairs: &mut Pairs) {
    for start in (0..boxes.len()).step_by(TILE) {
        let end = boxes.len().min(start + TILE);
        for (a, first) in boxes[..end].iter().enumerate() {
            let from = start.max(a + 1);
            let tile = &boxes[from..end];
            pairs.candidates += tile.len() as u64;
            for (k, second) in tile.iter().enumerate() {
                if first.overlaps(second) {
                    pairs.found.push(Pair { a: a as u32, b: (from + k) as u32 });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_all_pairs_once() {
        for n in [0, 1, 10, TILE - 1, TILE, TILE + 1, 2 * TILE + 10] {
            let boxes = vec![Bounds::new([0.0, 0.0], [1.0, 1.0]); n];
            let mut pairs = Pairs::default();
            Exhaustive.report(&boxes, &mut pairs);
            pairs.found.sort_unstable();
            pairs.found.dedup();
            let all = n * n.saturating_sub(1) / 2;
            assert_eq!((pairs.found.len(), pairs.candidates), (all, all as u64));
        }
    }
}
