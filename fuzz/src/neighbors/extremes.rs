//! Points and radii of any size, infinite ones included.

use pivotgrid::{Neighbors, Reach};

use super::touching_anything;
use crate::bytes::Bytes;
use crate::number::Number;
use crate::settings::{config, pool};

const MOST_POINTS: usize = 60;

/// Whether a distance is clearly at most the reach, clearly more, or too near to it to tell.
fn is_within<S: Number, const D: usize>(one: &[S; D], other: &[S; D], reach: f64) -> Option<bool> {
    if !one.iter().chain(other).all(|x| x.finite()) {
        return None;
    }
    if reach == f64::INFINITY {
        return Some(true);
    }
    // Half of an odd denormal number is rounded.
    let least = if size_of::<S>() == 4 { 1e-43 } else { 1e-321 };
    if reach > 0.0 && reach < least {
        return None;
    }
    let [one, other] = [one, other].map(|point| point.map(Into::<f64>::into));
    // Differences of the greatest numbers would overflow.
    let largest = one.iter().chain(&other).fold(reach, |largest, x| largest.max(x.abs()));
    let scale = if largest > 1e300 { 1.0 / 16.0 } else { 1.0 };
    let along: [f64; D] = std::array::from_fn(|axis| (one[axis] * scale - other[axis] * scale).abs());
    let reach = reach * scale;
    let largest = along.iter().copied().fold(reach, f64::max);
    if largest == 0.0 {
        return Some(true);
    }
    let distance = along.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
    let reach = reach / largest;
    let rounding = if size_of::<S>() == 4 { 1e-5 } else { 1e-10 };
    match distance {
        near if near <= reach * (1.0 - rounding) => Some(true),
        far if far >= reach * (1.0 + rounding) => Some(false),
        _ => None,
    }
}

pub(super) fn search<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let rule = bytes.below(8);
    if rule >= 6 {
        return touching_anything::<S, D>(bytes);
    }
    let mut neighbors = Neighbors::<S, D>::with_config(config(bytes)).expect("a valid config").sorted(true);
    let (way, fixed): (u8, S) = (bytes.byte(), bytes.number());
    let (mut points, mut radii): (Vec<[S; D]>, Vec<S>) = (Vec::new(), Vec::new());
    while points.len() < MOST_POINTS && !bytes.is_empty() {
        points.push(bytes.point());
        // Mostly one that makes sense.
        let radius: S = bytes.number();
        radii.push(if radius < S::of(0.0) && way & 0x30 != 0 { -radius } else { radius });
    }
    let h = |i: usize| -> f64 { radii[i].into() };
    let reach_of = |i: usize, j: usize| match rule {
        0 => fixed.into(),
        1 => h(i),
        2 => h(j),
        3 => h(i).max(h(j)),
        4 => h(i) + h(j),
        _ => h(i) / 2.0 + h(j) / 2.0,
    };
    let reach = match rule {
        0 => Reach::Fixed(fixed),
        1 => Reach::Gather(&radii),
        2 => Reach::Scatter(&radii),
        3 => Reach::Max(&radii),
        4 => Reach::Sum(&radii),
        _ => Reach::Mean(&radii),
    };
    let is_valid = |i: usize| {
        let radius: f64 = if rule == 0 { fixed.into() } else { h(i) };
        radius >= 0.0 && !points[i].iter().any(|&x| x.into().is_nan())
    };
    let rows = match way & 1 {
        0 => neighbors.within(&points, reach),
        _ => pool(usize::from(way >> 1)).install(|| neighbors.par_within(&points, reach)),
    };
    assert_eq!(rows.len(), points.len());
    let rejected: Vec<usize> = (0..points.len()).filter(|&i| !is_valid(i)).collect();
    let found: Vec<usize> = rows.rejected().iter().map(|one| one.index).collect();
    let differ = found.iter().filter(|i| !rejected.contains(i)).chain(rejected.iter().filter(|i| !found.contains(i)));
    let differ: Vec<_> = differ.map(|&i| (i, points[i], radii[i])).collect();
    assert!(differ.is_empty(), "rule {rule}, fixed {fixed:?}: {differ:?}");
    for (i, row) in rows.iter().enumerate() {
        assert!(row.windows(2).all(|two| two[0] < two[1]), "row {i} of {points:?}");
        assert!(!row.contains(&(i as u32)));
        for j in (0..points.len()).filter(|&j| j != i) {
            let is_there = row.binary_search(&(j as u32)).is_ok();
            let valid = is_valid(i) && is_valid(j);
            let expected = if valid { is_within(&points[i], &points[j], reach_of(i, j)) } else { Some(false) };
            if let Some(expected) = expected {
                assert_eq!(is_there, expected, "{j} in the row of {i}: {points:?} with {reach:?}");
            }
        }
    }
}
