//! What a step must have found, by comparing boxes one by one, on plain arrays and without the engine's code.

use pivotgrid::{Aabb, Pair, RejectReason, Rejected, Scalar};

use crate::random::Random;

/// Up to this many objects each is compared with each.
const QUADRATIC_UP_TO: usize = 2500;

/// How many objects of a larger scene are compared with all others.
const SAMPLE: usize = 150;

/// What is wrong with a step's result, if anything is.
pub(crate) fn flaw<S: Scalar + Into<f64>, const D: usize>(
    boxes: &[Aabb<S, D>],
    pairs: &[Pair],
    rejected: &[Rejected],
    random: &mut Random,
) -> Option<String> {
    let plain: Vec<([f64; D], [f64; D])> = boxes.iter().map(|b| (b.min.map(Into::into), b.max.map(Into::into))).collect();
    let reasons: Vec<Option<RejectReason>> = plain.iter().map(reason).collect();
    let expected = reasons.iter().enumerate().filter_map(|(index, reason)| Some(Rejected { index, reason: (*reason)? }));
    if !expected.eq(rejected.iter().copied()) {
        return Some(format!("rejected {} objects, and not those that are invalid", rejected.len()));
    }
    let all = boxes.len() <= QUADRATIC_UP_TO;
    let chosen: Vec<usize> = match all {
        true => (0..boxes.len()).collect(),
        false => (0..SAMPLE).map(|_| random.below(boxes.len())).collect(),
    };
    let mut is_chosen = vec![false; boxes.len()];
    chosen.iter().for_each(|&index| is_chosen[index] = true);

    let mut found: Vec<(u32, u32)> = Vec::new();
    for pair in pairs {
        if pair.a >= pair.b || pair.b as usize >= boxes.len() {
            return Some(format!("{pair:?} is no pair"));
        }
        if is_chosen[pair.a as usize] || is_chosen[pair.b as usize] {
            found.push((pair.a, pair.b));
        }
    }
    let mut needed: Vec<(u32, u32)> = Vec::new();
    for (a, one) in plain.iter().enumerate().filter(|(index, _)| is_chosen[*index] && reasons[*index].is_none()) {
        // Between two chosen ones, the first finds the second.
        let others = plain.iter().enumerate().filter(|&(b, _)| b != a && (b > a || !is_chosen[b]) && reasons[b].is_none());
        needed.extend(others.filter(|(_, other)| touch(one, other)).map(|(b, _)| (a.min(b) as u32, a.max(b) as u32)));
    }
    found.sort_unstable();
    needed.sort_unstable();
    if found == needed {
        return None;
    }
    let missing = needed.iter().find(|pair| found.binary_search(pair).is_err());
    let surplus = found.iter().find(|pair| needed.binary_search(pair).is_err());
    let (has, needs) = (found.len(), needed.len());
    Some(format!("{has} pairs instead of {needs}, of {} objects; first missing {missing:?}, surplus {surplus:?}", chosen.len()))
}

fn reason<const D: usize>((low, high): &([f64; D], [f64; D])) -> Option<RejectReason> {
    if (0..D).any(|axis| low[axis].is_nan() || high[axis].is_nan()) {
        Some(RejectReason::NotANumber)
    } else {
        (0..D).any(|axis| high[axis] < low[axis]).then_some(RejectReason::Inverted)
    }
}

fn touch<const D: usize>(one: &([f64; D], [f64; D]), other: &([f64; D], [f64; D])) -> bool {
    !(0..D).any(|axis| one.1[axis] < other.0[axis] || other.1[axis] < one.0[axis])
}
