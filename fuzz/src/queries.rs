//! Questions to the grid, answered a second time by asking every box; the formulas are those of the documentation.

use pivotgrid::{Aabb, Ball, BoxCast, BroadPhase, Hit, Queries, Ray, Rows};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::{config, pool};

const MOST_QUESTIONS: usize = 12;

pub fn run(data: &[u8]) {
    crate::in_some_space!(ask, data);
}

fn ask<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::with_config(config(bytes)).expect("a valid config");
    let count = bytes.below(64);
    let objects: Vec<Plain<S, D>> = Plain::several(bytes, count, false);
    engine.detect(&objects);
    let queries = engine.queries();
    let valid: Vec<_> = (0..).zip(&objects).filter(|(_, object)| object.flaw().is_none()).collect();
    let valid: Vec<(u32, Plain<S, D>)> = valid.into_iter().map(|(index, object)| (index, *object)).collect();
    for _ in 0..MOST_QUESTIONS {
        if bytes.is_empty() {
            break;
        }
        question(&queries, &valid, bytes);
    }
}

fn question<S: Number, const D: usize>(queries: &Queries<'_, S, D>, valid: &[(u32, Plain<S, D>)], bytes: &mut Bytes<'_>) {
    let kind = bytes.byte();
    let batched = kind & 0x80 != 0;
    match kind % 6 {
        0 => {
            let asked = Plain::<S, D>::new(bytes, false);
            let bounds = Aabb { min: asked.low, max: asked.high };
            let mut found = Vec::new();
            if batched {
                let mut rows = Rows::default();
                pool(kind.into()).install(|| queries.par_overlapping(&[bounds; 3], &mut rows));
                found.extend_from_slice(rows.row(2));
            } else {
                queries.overlapping(&bounds, &mut found);
            }
            found.sort_unstable();
            assert_eq!(found, overlapping(valid, &asked), "{asked:?} in {valid:?}");
        }
        1 => {
            let point: [S; D] = bytes.point();
            let mut found = Vec::new();
            queries.containing(point, &mut found);
            found.sort_unstable();
            let asked = Plain { low: point, high: point, member: 1, mask: 1, body: 0 };
            assert_eq!(found, overlapping(valid, &asked), "{point:?} in {valid:?}");
        }
        2 => {
            let (origin, direction): ([S; D], [S; D]) = (bytes.point(), bytes.point());
            let max_t = if kind & 0x40 != 0 { bytes.number() } else { S::of(f64::INFINITY) };
            let ray = Ray { origin, direction, max_t };
            let makes_sense = origin.iter().all(|x| x.finite()) && direction.iter().any(|x| x.inverse().is_some());
            let expected = if makes_sense { met(valid, (&origin, &origin), &direction, max_t) } else { Vec::new() };
            let mut hits = Vec::new();
            if batched {
                let mut rows = Rows::default();
                pool(kind.into()).install(|| queries.par_ray_hits(&[ray; 2], &mut rows));
                hits.extend_from_slice(rows.row(1));
            } else {
                queries.ray_hits(&ray, &mut hits);
            }
            assert_eq!(times(&hits), expected, "{ray:?} in {valid:?}");
            assert_eq!(times(queries.first_hit(&ray).as_slice()), expected[..expected.len().min(1)], "{ray:?} in {valid:?}");
        }
        3 => {
            let mover = Plain::<S, D>::new(bytes, false);
            let translation: [S; D] = bytes.point();
            let sweep = BoxCast::new(Aabb { min: mover.low, max: mover.high }, translation);
            let expected = match mover.flaw() {
                None => met(valid, (&mover.low, &mover.high), &translation, S::of(1.0)),
                Some(_) => Vec::new(),
            };
            let mut hits = Vec::new();
            queries.sweep_hits(&sweep, &mut hits);
            assert_eq!(times(&hits), expected, "{sweep:?} in {valid:?}");
            let first = queries.first_contact(&sweep);
            assert_eq!(times(first.as_slice()), expected[..expected.len().min(1)], "{sweep:?} in {valid:?}");
        }
        4 => {
            let (center, radius): ([S; D], S) = (bytes.point(), bytes.number());
            let mut expected = Vec::new();
            if center.iter().all(|x| x.finite()) && radius >= S::of(0.0) {
                expected = near(valid, &center);
                expected.retain(|(square, _)| *square <= (radius * radius).into());
            }
            let mut found = Vec::new();
            queries.within(&Ball { center, radius }, &mut found);
            let mut found: Vec<(f64, u32)> = found.iter().map(|near| (near.distance_squared.into(), near.index)).collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            assert_eq!(found, expected, "{radius:?} around {center:?} in {valid:?}");
        }
        _ => {
            let (point, k): ([S; D], usize) = (bytes.point(), bytes.below(12));
            let mut expected = if point.iter().all(|x| x.finite()) { near(valid, &point) } else { Vec::new() };
            expected.truncate(k);
            let mut found = Vec::new();
            queries.nearest(point, k, &mut found);
            let found: Vec<(f64, u32)> = found.iter().map(|near| (near.distance_squared.into(), near.index)).collect();
            assert_eq!(found, expected, "{k} nearest to {point:?} in {valid:?}");
        }
    }
}

fn overlapping<S: Number, const D: usize>(valid: &[(u32, Plain<S, D>)], asked: &Plain<S, D>) -> Vec<u32> {
    let makes_sense = asked.flaw().is_none();
    valid.iter().filter(|(_, object)| makes_sense && object.touches(asked)).map(|(index, _)| *index).collect()
}

fn times<S: Number>(hits: &[Hit<S>]) -> Vec<(f64, u32)> {
    hits.iter().map(|hit| (hit.t.into(), hit.index)).collect()
}

/// When a box from `from.0` to `from.1` that moves meets which others, the first first.
fn met<S: Number, const D: usize>(
    valid: &[(u32, Plain<S, D>)],
    from: (&[S; D], &[S; D]),
    way: &[S; D],
    max_t: S,
) -> Vec<(f64, u32)> {
    if !way.iter().all(|x| x.finite()) || !(max_t >= S::of(0.0)) {
        return Vec::new();
    }
    let mut met: Vec<(f64, u32)> =
        valid.iter().filter_map(|(index, target)| Some((meets(target, from, way, max_t)?.into(), *index))).collect();
    met.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    met
}

fn meets<S: Number, const D: usize>(target: &Plain<S, D>, (low, high): (&[S; D], &[S; D]), way: &[S; D], max_t: S) -> Option<S> {
    let (mut enter, mut exit) = (S::of(0.0), max_t);
    for axis in 0..D {
        let Some(inverse) = way[axis].inverse() else {
            if high[axis] < target.low[axis] || target.high[axis] < low[axis] {
                return None;
            }
            continue;
        };
        let (mut first, mut last) = ((target.low[axis] - high[axis]) * inverse, (target.high[axis] - low[axis]) * inverse);
        if way[axis] < S::of(0.0) {
            (first, last) = (last, first);
        }
        // Infinity minus infinity, which is not a number, is no border.
        if first > enter {
            enter = first;
        }
        if last < exit {
            exit = last;
        }
    }
    (enter <= exit).then_some(enter)
}

/// The squares of the distances to a point, the nearest first.
fn near<S: Number, const D: usize>(valid: &[(u32, Plain<S, D>)], point: &[S; D]) -> Vec<(f64, u32)> {
    let square = |object: &Plain<S, D>| {
        let mut sum = S::of(0.0);
        for axis in 0..D {
            let mut gap = S::of(0.0);
            if point[axis] < object.low[axis] {
                gap = object.low[axis] - point[axis];
            }
            if point[axis] > object.high[axis] {
                gap = point[axis] - object.high[axis];
            }
            sum = sum + gap * gap;
        }
        sum
    };
    let mut near: Vec<(f64, u32)> = valid.iter().map(|(index, object)| (square(object).into(), *index)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near
}
