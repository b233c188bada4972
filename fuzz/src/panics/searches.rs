//! Neighbor lists.

use pivotgrid::{Aabb, Neighbors, PeriodicNeighbors};

use super::engines::TouchyPoint;
use super::{Attempt, MOST_STEPS, config, plain};
use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::Plain;

const PERIOD: f64 = 48.0;

/// Of longer objects thousands of images are compared with each other, which takes seconds (`docs/hostile-scenes.md`).
const MOST_PERIODS: f64 = 4.0;

/// A space that repeats itself, if there is one.
fn lists<S: Number, const D: usize>(bytes: &mut Bytes<'_>) -> (Neighbors<S, D>, Option<PeriodicNeighbors<S, D>>) {
    let options = bytes.byte();
    let new = |config| {
        let lists = Neighbors::<S, D>::with_config(config).expect("a valid config").sorted(true);
        lists.half(options & 1 != 0).distances(options & 2 != 0).vectors(options & 4 != 0).shifts(options & 8 != 0)
    };
    let config = config(bytes);
    let domain = Aabb { min: [S::of(-PERIOD / 2.0); D], max: [S::of(PERIOD / 2.0); D] };
    let periodic = new(config.clone()).periodic(domain, [true; D]);
    (new(config), periodic.ok())
}

/// What can be read from lists, all accessors together.
fn readable<S: Number, const D: usize>(lists: &Neighbors<S, D>) -> usize {
    let rows = lists.rows();
    let each = rows.iter().map(<[u32]>::len).sum::<usize>() + (0..rows.len()).map(|row| rows.row(row).len()).sum::<usize>();
    assert!(rows.offsets().len() <= rows.len() + 1);
    let arrays = rows.indices().len() + rows.distances().len() + rows.vectors().len();
    rows.len() + each + arrays + rows.rejected().len() + lists.rejected().len() + lists.stats().objects
}

fn periodic_readable<S: Number, const D: usize>(lists: &PeriodicNeighbors<S, D>) -> usize {
    let rows = lists.rows();
    let each = rows.iter().map(|row| row.count()).sum::<usize>() + (0..rows.len()).map(|row| rows.row(row).len()).sum::<usize>();
    assert!(rows.offsets().len() <= rows.len() + 1);
    let arrays = rows.indices().len() + rows.distances().len() + rows.vectors().len() + rows.shifts().len();
    rows.len() + each + rows.neighbors() + arrays + rows.rejected().len()
}

/// Whether a search takes milliseconds, however long its objects are: an infinite one is rejected.
fn is_cheap<S: Number, const D: usize>(objects: &[Plain<S, D>]) -> bool {
    let long = |low: S, high: S| Into::<f64>::into(high) - Into::<f64>::into(low);
    let mut lengths = objects.iter().flat_map(|object| (0..D).map(move |axis| long(object.low[axis], object.high[axis])));
    !lengths.any(|length| length.is_finite() && length > MOST_PERIODS * PERIOD)
}

pub(super) fn bodies<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let (mut lists, mut periodic) = lists::<S, D>(bytes);
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let attempt = Attempt::<S, D>::new(bytes);
        let objects = attempt.touchy();
        if let (Some(periodic), 0x40, true) = (&mut periodic, attempt.way & 0x40, is_cheap(&attempt.objects)) {
            let found = match attempt.way & 2 {
                0 => attempt.run(|| periodic.touching(&objects).len(), || 0),
                _ => attempt.run(|| 0, || periodic.par_touching(&objects).len()),
            };
            let readable = periodic_readable(periodic);
            match found {
                Some(rows) => assert_eq!(rows, objects.len()),
                None => assert_eq!(readable, 0, "something is left of a search that panicked"),
            }
            continue;
        }
        let found = match attempt.way & 2 {
            0 => attempt.run(|| lists.touching(&objects).indices().len(), || 0),
            _ => attempt.run(|| 0, || lists.par_touching(&objects).indices().len()),
        };
        let readable = readable(&lists);
        match found {
            Some(neighbors) => {
                let (pairs, rows) = (attempt.pairs(), lists.rows());
                assert!(neighbors == pairs.len() || neighbors == 2 * pairs.len());
                assert!(pairs.iter().all(|pair| rows.row(pair.a as usize).contains(&pair.b)), "{:?}", attempt.objects);
                assert_eq!(lists.rejected(), plain::rejected(&attempt.objects));
            }
            None => assert_eq!(readable, 0, "something is left of a search that panicked"),
        }
    }
}

pub(super) fn points<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let (mut lists, mut periodic) = lists::<S, D>(bytes);
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let attempt = Attempt::<S, D>::new(bytes);
        let radius = S::of(f64::from(bytes.byte()) / 32.0);
        let points: Vec<TouchyPoint<'_, S, D>> =
            attempt.objects.iter().map(|object: &Plain<S, D>| TouchyPoint { at: object.low, fuse: &attempt.fuse }).collect();
        if let (Some(periodic), 0x40) = (&mut periodic, attempt.way & 0x40) {
            let found = match attempt.way & 2 {
                0 => attempt.run(|| periodic.within(&points, radius).len(), || 0),
                _ => attempt.run(|| 0, || periodic.par_within(&points, radius).len()),
            };
            let readable = periodic_readable(periodic);
            match found {
                Some(rows) => assert_eq!(rows, points.len()),
                None => assert_eq!(readable, 0, "something is left of a search that panicked"),
            }
            continue;
        }
        let found = match attempt.way & 2 {
            0 => attempt.run(|| lists.within(&points, radius).len(), || 0),
            _ => attempt.run(|| 0, || lists.par_within(&points, radius).len()),
        };
        let readable = readable(&lists);
        match found {
            Some(rows) => assert_eq!(rows, points.len()),
            None => assert_eq!(readable, 0, "something is left of a search that panicked"),
        }
    }
}
