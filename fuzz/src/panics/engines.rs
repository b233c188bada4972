//! Engines of pairs, static sets, and visitors of queries.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pivotgrid::{Aabb, Ball, BoxCast, BroadPhase, Periodic, PeriodicReason, Ray, StaticSet};

use super::{Attempt, MOST_STEPS, config, plain};
use crate::bytes::Bytes;
use crate::fuse::Fuse;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::pool;

pub(super) fn everything<S: Number, const D: usize>() -> Aabb<S, D> {
    Aabb { min: [S::of(f64::NEG_INFINITY); D], max: [S::of(f64::INFINITY); D] }
}

/// How much can be read from an engine, all accessors together: objects, pairs, cells, chunks, rejected, found.
fn readable<S: Number, const D: usize>(engine: &BroadPhase<S, D>) -> [usize; 7] {
    let (view, queries) = (engine.debug_view(), engine.queries());
    let mut found = Vec::new();
    queries.overlapping(&everything(), &mut found);
    let (mut hits, mut near) = (Vec::new(), Vec::new());
    let direction = std::array::from_fn(|axis| S::of(if axis == 0 { 1.0 } else { 0.0 }));
    queries.ray_hits(&Ray::new([S::of(0.0); D], direction), &mut hits);
    queries.sweep_hits(&BoxCast::new(Aabb { min: [S::of(0.0); D], max: [S::of(1.0); D] }, direction), &mut hits);
    queries.within(&Ball { center: [S::of(0.0); D], radius: S::of(1e9) }, &mut near);
    queries.nearest([S::of(0.0); D], 3, &mut near);
    let lines = view.pair_lines().count();
    let _ = (queries.first_hit(&Ray::new([S::of(0.0); D], direction)), view.cross_pairs().len());
    let shown = view.objects().count() + view.chunks().count() + view.cells().count() + view.pairs().len() + lines;
    let stats = engine.stats();
    let answers = found.len() + hits.len() + near.len();
    [shown, answers, engine.rejected().len(), stats.objects, stats.pairs, stats.levels.len(), stats.chunks]
}

pub(super) fn broad_phase<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let config = config(bytes);
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let attempt = Attempt::<S, D>::new(bytes);
        let objects = attempt.touchy();
        let found = match (attempt.way & 2, attempt.way & 0x80) {
            (0, 0) => attempt.run(|| engine.detect(&objects).sorted(), Vec::new),
            (0, _) => attempt.run(|| engine.try_detect(&objects).expect("enough memory").sorted(), Vec::new),
            (_, 0) => attempt.run(Vec::new, || engine.par_detect(&objects).sorted()),
            (_, _) => attempt.run(Vec::new, || engine.try_par_detect(&objects).expect("enough memory").sorted()),
        };
        let readable = readable(&engine);
        match found {
            Some(found) => {
                assert_eq!(found, attempt.pairs(), "{:?}", attempt.objects);
                assert_eq!(engine.rejected(), plain::rejected(&attempt.objects));
                assert_eq!(engine.debug_view().pairs().sorted(), found);
            }
            None => assert_eq!(readable, [0; 7], "something is left of a step that panicked"),
        }
        if attempt.way & 0x40 != 0 {
            engine.shrink_to_fit();
            // The figures of the last step stay.
            assert_eq!(self::readable(&engine)[..3], [0; 3], "something is left after shrink_to_fit");
        }
    }
}

pub(super) fn periodic<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let (domain, config) = (Plain::<S, D>::new(bytes, false), config(bytes));
    let axes = bytes.byte();
    let marked = std::array::from_fn(|axis| axes >> axis & 1 != 0);
    let domain = Aabb { min: domain.low, max: domain.high };
    let Ok(mut engine) = Periodic::<S, D>::with_config(domain, marked, config.clone()) else { return };
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let attempt = Attempt::<S, D>::new(bytes);
        let objects = attempt.touchy();
        let found = match attempt.way & 2 {
            0 => attempt.run(|| engine.detect(&objects).sorted(), Vec::new),
            _ => attempt.run(Vec::new, || engine.par_detect(&objects).sorted()),
        };
        let (mut near, mut boxes, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        let queries = engine.queries();
        queries.nearest([S::of(0.0); D], 3, &mut near);
        let unit = Aabb { min: [S::of(0.0); D], max: [S::of(1.0); D] };
        queries.overlapping(&unit, &mut boxes);
        queries.sweep_hits(&BoxCast::new(unit, [S::of(1.0); D]), &mut hits);
        match found {
            None => {
                assert!(near.is_empty() && boxes.is_empty() && hits.is_empty(), "found after a panic");
                let stats = engine.stats();
                assert_eq!((stats.objects, stats.pairs, stats.rejected, stats.chunks), (0, 0, 0, 0), "figures after a panic");
                assert!(engine.rejected().is_empty());
            }
            Some(found) => {
                // A new one, without a past, finds the same.
                let mut other = Periodic::<S, D>::with_config(domain, marked, config.clone()).expect("the same domain");
                let expected = other.detect(&attempt.objects);
                assert_eq!(found, expected.sorted(), "{:?} in {domain:?}", attempt.objects);
                assert_eq!(engine.stats().pairs, found.len());
                let bad = expected.rejected().iter().filter(|one| matches!(one.reason, PeriodicReason::Box(_))).count();
                assert_eq!(bad, plain::rejected(&attempt.objects).len());
            }
        }
    }
}

pub(super) fn static_set<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let config = config(bytes);
    let mut set = StaticSet::<S, D>::with_config(config).expect("a valid config");
    let mut known: BTreeMap<u32, Plain<S, D>> = BTreeMap::new();
    for _ in 0..3 * MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let mut attempt = Attempt::<S, D>::new(bytes);
        attempt.objects.truncate(if attempt.way & 0x60 == 0 { usize::MAX } else { 1 });
        let objects = attempt.touchy();
        let index = u32::from(bytes.byte() % 90);
        match (attempt.way >> 5 & 3, objects.first()) {
            (0, _) => {
                let done = match attempt.way & 2 {
                    0 => attempt.run(|| set.build(&objects), || ()),
                    _ => attempt.run(|| (), || set.par_build(&objects)),
                };
                if done.is_some() {
                    known = (0..).zip(attempt.objects.iter().copied()).collect();
                }
            }
            (1, Some(object)) => {
                if let Some(given) = once(&attempt, || set.insert(object)) {
                    assert!(known.insert(given, object.plain).is_none(), "index {given} was given out twice");
                }
            }
            (2, Some(object)) => {
                if let Some(is_there) = once(&attempt, || set.update(index, object).is_ok()) {
                    assert_eq!(is_there, known.contains_key(&index));
                    if is_there {
                        known.insert(index, object.plain);
                    }
                }
            }
            _ => assert_eq!(set.remove(index).is_ok(), known.remove(&index).is_some()),
        }
        assert_eq!(set.len(), known.len(), "as before the call, or as after it");
        let mut found = Vec::new();
        set.queries().overlapping(&everything(), &mut found);
        found.sort_unstable();
        let valid = known.iter().filter(|(_, object)| object.flaw().is_none()).map(|(index, _)| *index);
        assert!(valid.eq(found.iter().copied()), "{found:?} of {known:?}");
    }
}

fn once<S: Number, const D: usize, R: Send>(attempt: &Attempt<S, D>, call: impl FnOnce() -> R) -> Option<R> {
    let outcome = catch_unwind(AssertUnwindSafe(call));
    assert_eq!(outcome.is_err(), attempt.fuse.is_burnt());
    outcome.ok()
}

/// Visitors, exact times and points that panic: the engine answers the next query as if nothing had been.
pub(super) fn visitors<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::with_config(config(bytes)).expect("a valid config");
    let attempt = Attempt::<S, D>::new(bytes);
    engine.detect(&attempt.objects);
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let fuse = Fuse::new(bytes.below(40));
        let (way, at): (u8, [S; D]) = (bytes.byte(), bytes.point());
        let direction = std::array::from_fn(|axis| S::of(if way >> axis & 1 != 0 { 1.0 } else { -0.5 }));
        let ray = Ray::new(at, direction);
        let queries = engine.queries();
        let outcome = catch_unwind(AssertUnwindSafe(|| match way >> 3 & 3 {
            0 => {
                let _ = queries.visit_overlapping(&everything(), |_| {
                    fuse.burn();
                    ControlFlow::<()>::Continue(())
                });
            }
            1 => {
                let _ = queries.visit_ray(&ray, |_| {
                    fuse.burn();
                    ControlFlow::<()>::Continue(())
                });
            }
            2 => {
                let exact = |_| {
                    fuse.burn();
                    Some(S::of(1.0))
                };
                let _ = queries.first_hit_by(&ray, exact);
            }
            _ => {
                let points = [(); 9].map(|()| TouchyPoint { at, fuse: &fuse });
                pool(usize::from(way >> 5)).install(|| queries.par_containing(&points, &mut pivotgrid::Rows::default()));
            }
        }));
        assert_eq!(outcome.is_err(), fuse.is_burnt());
        let mut found = Vec::new();
        queries.overlapping(&everything(), &mut found);
        found.sort_unstable();
        let valid = (0..).zip(&attempt.objects).filter(|(_, object)| object.flaw().is_none()).map(|(index, _)| index);
        assert!(valid.eq(found.iter().copied()));
    }
}

/// A point that panics when it is asked where it is.
#[derive(Clone, Copy)]
pub(super) struct TouchyPoint<'a, S, const D: usize> {
    pub(super) at: [S; D],
    pub(super) fuse: &'a Fuse,
}

impl<S, const D: usize> From<TouchyPoint<'_, S, D>> for [S; D] {
    fn from(point: TouchyPoint<'_, S, D>) -> Self {
        point.fuse.burn();
        point.at
    }
}
