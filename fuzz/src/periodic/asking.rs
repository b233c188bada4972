//! Queries in a domain that repeats itself.

use pivotgrid::{Aabb, Ball, BoxCast, Hit, Neighbor, PeriodicQueries, Ray, Rows, Shifted};

use super::Space;
use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::pool;
use crate::whole::{UNIT, Whole, of, point_of};

/// Powers of two, and so are their inverses: times are exact. In halves and quarters of a unit.
const SPEEDS: [f64; 8] = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.25, 4.0];

type Met<const D: usize> = Vec<(f64, u32, [i32; D])>;

pub(super) fn ask<S: Number, const D: usize>(
    space: &Space<D>,
    objects: &[Whole<D>],
    queries: &PeriodicQueries<'_, S, D>,
    bytes: &mut Bytes<'_>,
) {
    let kind = bytes.byte();
    let (threads, batched) = (usize::from(kind >> 3), kind & 0x80 != 0);
    let at = space.place(bytes);
    let point: [S; D] = point_of(at);
    let context = || format!("query {kind} at {at:?} among {objects:?} in {space:?}");
    let high: [i64; D] = std::array::from_fn(|axis| at[axis] + i64::from(bytes.byte()) % (5 * space.length[axis].max(20) / 2));
    let (bounds, asked) = (Aabb { min: point, max: point_of(high) }, Whole::boxed(at, high));
    let way: [f64; D] = std::array::from_fn(|_| SPEEDS[bytes.below(SPEEDS.len())]);
    let direction = way.map(S::of);
    match kind % 6 {
        0 | 1 => {
            let (mut found, mut rows) = (Vec::new(), Rows::default());
            let asked = if kind % 6 == 0 { asked } else { Whole::boxed(at, at) };
            match (kind % 6, batched) {
                (0, false) => queries.overlapping(&bounds, &mut found),
                (0, true) => pool(threads).install(|| queries.par_overlapping(&[bounds; 3], &mut rows)),
                (_, false) => queries.containing(point, &mut found),
                (_, true) => pool(threads).install(|| queries.par_containing(&[point; 3], &mut rows)),
            }
            if batched {
                found.extend_from_slice(rows.row(2));
            }
            found.sort_unstable();
            assert_eq!(found, overlapping(space, objects, &asked), "{}", context());
        }
        2 => {
            let max_t = bytes.below(200) as f64 * UNIT;
            let ray = Ray { origin: point, direction, max_t: S::of(max_t) };
            let (mut found, mut rows) = (Vec::new(), Rows::default());
            match batched {
                false => queries.ray_hits(&ray, &mut found),
                true => {
                    pool(threads).install(|| queries.par_ray_hits(&[ray; 2], &mut rows));
                    found.extend_from_slice(rows.row(1));
                }
            }
            let rests = way.iter().all(|&x| x == 0.0);
            let expected = if rests { Vec::new() } else { met(space, objects, &Whole::boxed(at, at), &way, max_t) };
            assert_eq!(plain_hits(&found), expected, "{ray:?}, {}", context());
            assert_eq!(
                plain_hits(queries.first_hit(&ray).as_slice()),
                expected[..expected.len().min(1)],
                "{ray:?}, {}",
                context()
            );
        }
        3 => {
            let translation = way.map(|x| S::of(x * 4.0));
            let sweep = BoxCast::new(bounds, translation);
            let (mut found, mut firsts) = (Vec::new(), Vec::new());
            queries.sweep_hits(&sweep, &mut found);
            let expected = met(space, objects, &asked, &way.map(|x| x * 4.0), 1.0);
            assert_eq!(plain_hits(&found), expected, "{sweep:?}, {}", context());
            match batched {
                false => firsts.push(queries.first_contact(&sweep)),
                true => pool(threads).install(|| queries.par_first_contacts(&[sweep; 2], &mut firsts)),
            }
            for first in firsts {
                assert_eq!(plain_hits(first.as_slice()), expected[..expected.len().min(1)], "{sweep:?}, {}", context());
            }
        }
        4 => {
            let radius = bytes.below(200) as i64;
            let mut found = Vec::new();
            queries.within(&Ball { center: point, radius: of(radius) }, &mut found);
            let mut found = plain_neighbors(&found);
            found.sort_by(order);
            let mut expected = Vec::new();
            for (index, object) in fitting(space, objects) {
                for shift in space.shifts((&at, &at), (&object.low, &object.high), radius) {
                    let gaps = gaps(object, &at, space.moved(shift));
                    if gaps.iter().map(|gap| gap * gap).sum::<i64>() <= radius * radius {
                        expected.push((square::<S, D>(gaps), index, shift));
                    }
                }
            }
            expected.sort_by(order);
            assert_eq!(found, expected, "{radius} around, {}", context());
        }
        _ => {
            let k = bytes.below(9);
            let (mut found, mut rows) = (Vec::new(), Rows::default());
            match batched {
                false => queries.nearest(point, k, &mut found),
                true => {
                    pool(threads).install(|| queries.par_nearest(&[point; 2], k, &mut rows));
                    found.extend_from_slice(rows.row(1));
                }
            }
            assert_eq!(plain_neighbors(&found), nearest::<S, D>(space, objects, &at, k), "{k} nearest, {}", context());
        }
    }
}

/// No answer is compared here, but there must be one: no panic, nothing twice, in order, batches like single queries.
pub(super) fn ask_anything<S: Number, const D: usize>(
    queries: &PeriodicQueries<'_, S, D>,
    objects: &[Plain<S, D>],
    bytes: &mut Bytes<'_>,
) {
    let kind = bytes.byte();
    let asked = Plain::<S, D>::new(bytes, false);
    let bounds = Aabb { min: asked.low, max: asked.high };
    let (direction, number): ([S; D], S) = (bytes.point(), bytes.number());
    // Longer ones are followed for milliseconds, as is documented, and found by nobody.
    let is_short = |queried: &[S; D]| queried.iter().all(|&x| x.into().abs() < 1e3 || !x.finite());
    match kind % 4 {
        0 => {
            let (mut found, mut rows) = (Vec::new(), Rows::default());
            queries.overlapping(&bounds, &mut found);
            queries.par_overlapping(&[bounds], &mut rows);
            found.sort_unstable();
            let mut row = rows.row(0).to_vec();
            row.sort_unstable();
            assert_eq!(found, row);
            assert!(found.windows(2).all(|two| two[0] < two[1]), "twice in {found:?}");
            assert!(asked.flaw().is_none() || found.is_empty());
            assert!(found.iter().all(|one| (one.found as usize) < objects.len()));
        }
        1 if is_short(&direction) => {
            let (mut found, mut rows) = (Vec::new(), Rows::default());
            let ray = Ray { origin: asked.low, direction, max_t: S::of(f64::from(kind)) };
            queries.ray_hits(&ray, &mut found);
            queries.par_ray_hits(&[ray], &mut rows);
            assert_eq!(plain_hits(&found), plain_hits(rows.row(0)));
            assert!(found.windows(2).all(|two| two[0].found.t <= two[1].found.t));
            assert_eq!(plain_hits(queries.first_hit(&ray).as_slice()), plain_hits(&found)[..found.len().min(1)], "{ray:?}");
        }
        2 if is_short(&direction) => {
            let mut found = Vec::new();
            let sweep = BoxCast::new(bounds, direction);
            queries.sweep_hits(&sweep, &mut found);
            let first = queries.first_contact(&sweep);
            assert_eq!(plain_hits(first.as_slice()), plain_hits(&found)[..found.len().min(1)], "{sweep:?}");
        }
        _ => {
            let (mut found, mut near) = (Vec::new(), Vec::new());
            queries.nearest(asked.low, usize::from(kind >> 4), &mut near);
            assert!(near.len() <= usize::from(kind >> 4));
            queries.within(&Ball { center: asked.low, radius: number }, &mut found);
            assert!(found.is_empty() || number >= S::of(0.0));
        }
    }
}

fn fitting<'a, const D: usize>(space: &'a Space<D>, objects: &'a [Whole<D>]) -> impl Iterator<Item = (u32, &'a Whole<D>)> {
    (0..).zip(objects).filter(|(_, object)| space.misfit(object).is_none())
}

fn overlapping<const D: usize>(space: &Space<D>, objects: &[Whole<D>], asked: &Whole<D>) -> Vec<Shifted<u32, D>> {
    let mut found = Vec::new();
    for (index, object) in fitting(space, objects) {
        let shifts = space.shifts((&asked.low, &asked.high), (&object.low, &object.high), 0);
        let meets = |shift: &[i32; D]| asked.meets(object, space.moved(*shift));
        found.extend(shifts.into_iter().filter(meets).map(|shift| Shifted { found: index, shift }));
    }
    found.sort_unstable();
    found
}

/// How far the point is from the moved object, by axis.
fn gaps<const D: usize>(object: &Whole<D>, point: &[i64; D], moved: [i64; D]) -> [i64; D] {
    std::array::from_fn(|axis| {
        let (low, high) = (object.low[axis] + moved[axis], object.high[axis] + moved[axis]);
        (low - point[axis]).max(point[axis] - high).max(0)
    })
}

/// The square of the distance as it is documented: in `S`, axis by axis.
fn square<S: Number, const D: usize>(gaps: [i64; D]) -> f64 {
    gaps.map(of::<S>).iter().fold(S::of(0.0), |sum, &gap| sum + gap * gap).into()
}

fn order<const D: usize>(a: &(f64, u32, [i32; D]), b: &(f64, u32, [i32; D])) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
}

/// Along each axis only the `k` shifts that come nearest can be among the `k` nearest of an object.
fn nearest<S: Number, const D: usize>(space: &Space<D>, objects: &[Whole<D>], point: &[i64; D], k: usize) -> Met<D> {
    let mut near = Vec::new();
    for (index, object) in fitting(space, objects) {
        let mut shifts = vec![[0; D]];
        for axis in (0..D).filter(|&axis| space.length[axis] > 0) {
            let around = (point[axis] - object.low[axis]).div_euclid(space.length[axis]);
            let along = |by: i64| std::array::from_fn(|i| if i == axis { by * space.length[axis] } else { 0 });
            let mut all: Vec<i64> = (around - k as i64 - 2..around + k as i64 + 3).collect();
            all.sort_by_key(|&by| (gaps(object, point, along(by))[axis], by));
            all.truncate(k);
            let with = |shift: [i32; D], by: i64| std::array::from_fn(|i| if i == axis { by as i32 } else { shift[i] });
            shifts = shifts.iter().flat_map(|&shift| all.iter().map(move |&by| with(shift, by))).collect();
        }
        near.extend(shifts.iter().map(|&shift| (square::<S, D>(gaps(object, point, space.moved(shift))), index, shift)));
    }
    near.sort_by(order);
    near.truncate(k);
    near
}

/// When a box that moves meets which object with which shift.
fn met<const D: usize>(space: &Space<D>, objects: &[Whole<D>], mover: &Whole<D>, way: &[f64; D], max_t: f64) -> Met<D> {
    let whole_way = |axis: usize| way[axis] * max_t / UNIT;
    let low = std::array::from_fn(|axis| mover.low[axis] + whole_way(axis).min(0.0).floor() as i64);
    let high = std::array::from_fn(|axis| mover.high[axis] + whole_way(axis).max(0.0).ceil() as i64);
    let mut met = Vec::new();
    for (index, object) in fitting(space, objects) {
        for shift in space.shifts((&low, &high), (&object.low, &object.high), 0) {
            let moved = space.moved(shift);
            let (mut enter, mut exit) = (0.0_f64, max_t);
            let mut misses = false;
            for axis in 0..D {
                let first = (object.low[axis] + moved[axis] - mover.high[axis]) as f64 * UNIT;
                let last = (object.high[axis] + moved[axis] - mover.low[axis]) as f64 * UNIT;
                if way[axis] == 0.0 {
                    misses |= first > 0.0 || last < 0.0;
                    continue;
                }
                let times = [first / way[axis], last / way[axis]];
                enter = enter.max(times[0].min(times[1]));
                exit = exit.min(times[0].max(times[1]));
            }
            if !misses && enter <= exit {
                // Plus zero: a time is never the negative zero.
                met.push((enter + 0.0, index, shift));
            }
        }
    }
    met.sort_by(order);
    met
}

fn plain_hits<S: Number, const D: usize>(hits: &[Shifted<Hit<S>, D>]) -> Met<D> {
    hits.iter().map(|hit| (hit.found.t.into(), hit.found.index, hit.shift)).collect()
}

fn plain_neighbors<S: Number, const D: usize>(found: &[Shifted<Neighbor<S>, D>]) -> Met<D> {
    found.iter().map(|one| (one.found.distance_squared.into(), one.found.index, one.shift)).collect()
}
