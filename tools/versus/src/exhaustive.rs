//! All pairs tested: the check of the checks.

use pivotgrid::Pair;

use crate::Bounds;

/// The pairs in ascending order, by testing every one. Quadratic: for a few thousand boxes.
pub fn exhaustive<const D: usize>(boxes: &[Bounds<D>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, box_a) in boxes.iter().enumerate() {
        for (b, box_b) in boxes.iter().enumerate().skip(a + 1) {
            if box_a.overlaps(box_b) {
                pairs.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
    pairs
}
