//! Comparing a step with the oracle, with a message that says which boxes went wrong.

use std::fmt::{Display, Write};

use pivotgrid::{Pair, Pairs};
use rayon::prelude::*;

use super::oracle::Oracle;

/// Panics with a readable difference unless the step found what the oracle says, by every way of reading it.
#[track_caller]
pub(crate) fn assert_same<const D: usize>(found: Pairs<'_>, expected: &Oracle<D>, context: &dyn Display) {
    if let Some(difference) = difference(found, expected) {
        panic!("{context}:\n{difference}");
    }
}

/// What is wrong with the step's result; `None` if nothing is.
pub(crate) fn difference<const D: usize>(found: Pairs<'_>, expected: &Oracle<D>) -> Option<String> {
    let mut report = String::new();
    let sorted = found.sorted();
    differing_pairs(&sorted, expected, &mut report);
    if found.rejected() != expected.rejected {
        let _ = writeln!(report, "rejected {:?}, expected {:?}", found.rejected(), expected.rejected);
    }
    differing_views(found, &sorted, &mut report);
    (!report.is_empty()).then_some(report)
}

/// Missing, surplus, duplicate and badly ordered pairs, each with its boxes.
pub(crate) fn differing_pairs<const D: usize>(sorted: &[Pair], expected: &Oracle<D>, report: &mut String) {
    if sorted == expected.pairs {
        return;
    }
    let mut list = |name: &str, pairs: Vec<Pair>| {
        const SHOWN: usize = 5;
        if pairs.is_empty() {
            return;
        }
        let _ = writeln!(report, "{} {name}, of {} expected pairs:", pairs.len(), expected.pairs.len());
        for Pair { a, b } in pairs.iter().take(SHOWN) {
            let bounds = |index: &u32| match expected.boxes.get(*index as usize) {
                Some(sides) => format!("{sides:?}"),
                None => "no object".to_owned(),
            };
            let _ = writeln!(report, "  ({a}, {b}): {} and {}", bounds(a), bounds(b));
        }
    };
    let absent = |from: &[Pair], pairs: &[Pair]| pairs.iter().copied().filter(|p| from.binary_search(p).is_err()).collect();
    list("missing", absent(sorted, &expected.pairs));
    list("surplus", absent(&expected.pairs, sorted));
    list("duplicate", sorted.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect());
    list("not a < b", sorted.iter().copied().filter(|p| p.a >= p.b).collect());
}

/// All ways of reading the pairs must tell the same. Where the order may differ, a sum over all pairs is compared: the largest
/// scenes have millions, and sorting them once is enough.
fn differing_views(found: Pairs<'_>, sorted: &[Pair], report: &mut String) {
    let in_order: Vec<Pair> = found.iter().collect();
    let sum = sorted.iter().copied().map(mixed).fold(0, u64::wrapping_add);
    let views = [
        ("iter", in_order.iter().copied().map(mixed).fold(0, u64::wrapping_add) == sum),
        ("IntoIterator", found.into_iter().eq(in_order.iter().copied())),
        ("ExactSizeIterator", found.iter().len() == in_order.len()),
        ("slices", found.slices().flatten().eq(&in_order)),
        ("slices, none empty", found.slices().all(|slice| !slice.is_empty())),
        ("len", found.len() == sorted.len() && in_order.len() == sorted.len()),
        ("is_empty", found.is_empty() == sorted.is_empty()),
        ("into_par_iter", found.into_par_iter().map(mixed).reduce(|| 0, u64::wrapping_add) == sum),
        ("into_par_iter, count", found.into_par_iter().count() == sorted.len()),
    ];
    for (view, _) in views.iter().filter(|(_, agrees)| !agrees) {
        let _ = writeln!(report, "`{view}` disagrees with `sorted`, which has {} pairs", sorted.len());
    }
}

/// A pair as a number in which every bit depends on both indices, so that sums of different pairs differ.
fn mixed(pair: Pair) -> u64 {
    let both = u64::from(pair.a) << 32 | u64::from(pair.b);
    (both ^ (both >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31).wrapping_mul(0x94d0_49bb_1331_11eb)
}
