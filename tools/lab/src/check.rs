//! The engine's answer against an exhaustive search.

use pivotgrid::{Aabb, Pair, Pairs, Scalar};
use rayon::prelude::*;

use crate::failure::Failure;

/// Compares every box with every other, on all cores, and complains about any difference.
pub(crate) fn check<S: Scalar, const D: usize>(frame: u64, boxes: &[Aabb<S, D>], pairs: Pairs<'_>) -> Result<(), Failure> {
    let invalid = |bounds: &Aabb<S, D>| !(0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]);
    let invalid: Vec<usize> = (0..boxes.len()).filter(|&index| invalid(&boxes[index])).collect();
    let mut rejected: Vec<usize> = pairs.rejected().iter().map(|rejected| rejected.index).collect();
    rejected.sort_unstable();
    let found = pairs.sorted();
    let expected = exhaustive(boxes, &invalid);
    if found == expected && rejected == invalid {
        return Ok(());
    }
    let missing = expected.iter().filter(|pair| found.binary_search(pair).is_err()).count();
    let surplus = found.len() + missing - expected.len();
    Err(Failure::WrongPairs { frame, missing, surplus, rejected: rejected.len(), invalid: invalid.len() })
}

/// In ascending order.
fn exhaustive<S: Scalar, const D: usize>(boxes: &[Aabb<S, D>], invalid: &[usize]) -> Vec<Pair> {
    let valid = |index: &usize| invalid.binary_search(index).is_err();
    let others = |a: usize| {
        let overlapping = move |b: &usize| boxes[a].overlaps(&boxes[*b]) && valid(b);
        (a + 1..boxes.len()).filter(overlapping).map(move |b| Pair { a: a as u32, b: b as u32 })
    };
    (0..boxes.len()).into_par_iter().filter(valid).flat_map_iter(others).collect()
}

#[cfg(test)]
mod tests {
    use pivotgrid::BroadPhase;

    use super::*;

    /// The engine's pairs of some boxes, held against others.
    fn checked(seen: &[Aabb<f32, 2>], boxes: &[Aabb<f32, 2>]) -> Result<(), String> {
        check(7, boxes, BroadPhase::new().detect(seen)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn differences_are_found() {
        let near = Aabb::new([0.0, 0.0], [1.0, 1.0]);
        let far = Aabb::new([5.0, 0.0], [6.0, 1.0]);
        let broken = Aabb::new([f32::NAN, 0.0], [1.0, 1.0]);
        let inverted = Aabb::new([1.0, 1.0], [0.0, 0.0]);
        let good = [near, broken, near, inverted, far];
        assert_eq!(checked(&good, &good), Ok(()));
        for (seen, words) in [
            ([far, broken, near, inverted, far], "missed 1 of the overlapping pairs and reported 1 too many"),
            ([far, broken, near, inverted, broken], "missed 1 of the overlapping pairs and reported 0 too many"),
            ([near, broken, near, far, far], "rejected 1 boxes where 2 are invalid"),
        ] {
            let message = checked(&seen, &good).unwrap_err();
            assert!(message.contains("in frame 7") && message.contains(words), "{message}");
        }
    }
}
