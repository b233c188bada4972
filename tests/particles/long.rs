//! Pairs of objects that are many periods long, against a loop over all shifts.
//!
//! Coordinates and vectors are multiples of 1/32 and small, so nothing is ever rounded.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pivotgrid::{Aabb, Ball, Bounded, Groups, Lattice, Periodic, PeriodicCrossPair, PeriodicPair};

use crate::common::{Coordinate, Rng, grid_config, pool};

fn snapped(x: f64) -> f64 {
    (x * 32.0).floor() / 32.0
}

/// A box in a group, with a filter; or the ball inside of it.
#[derive(Clone, Copy)]
struct Bar<S, const D: usize> {
    aabb: Aabb<S, D>,
    ball: Option<Ball<S, D>>,
    color: usize,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Bar<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.aabb
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
    fn groups(&self) -> Groups {
        if self.color % 4 == 3 { Groups::new(2, 1) } else { Groups::new(1, 3) }
    }
    fn pairs_with(&self, other: &Self) -> bool {
        self.color + other.color != 4
    }
}

impl<S: Coordinate, const D: usize> Bar<S, D> {
    fn meets(&self, other: &Self, by: [f64; D]) -> bool {
        let (one, two) = (self.groups(), other.groups());
        let wanted = one.member & two.mask != 0 && two.member & one.mask != 0;
        let apart = |axis: usize| {
            let (low, high) = (other.aabb.min[axis].into() + by[axis], other.aabb.max[axis].into() + by[axis]);
            low > self.aabb.max[axis].into() || high < self.aabb.min[axis].into()
        };
        let balls_touch = || match (self.ball, other.ball) {
            (Some(one), Some(two)) => {
                let along = |axis: usize| two.center[axis].into() + by[axis] - one.center[axis].into();
                let square: f64 = (0..D).map(|axis| along(axis).powi(2)).sum();
                square <= (one.radius.into() + two.radius.into()).powi(2)
            }
            _ => true,
        };
        wanted && !(0..D).any(apart) && balls_touch()
    }
}

fn check<S: Coordinate, const D: usize>(vectors: [[f64; D]; D], longest: f64, most: i32, round: bool) {
    let rng = &mut Rng(17);
    let bars: Vec<Bar<S, D>> = (0..16)
        .map(|index| {
            let center: [f64; D] = std::array::from_fn(|_| snapped(rng.within(-2.0, 3.0)));
            let half: [f64; D] = std::array::from_fn(|_| snapped(rng.within(0.3, 0.5) * longest));
            let ball = Ball::new(center.map(S::of), S::of(half[0]));
            let aabb = if round { ball.aabb() } else { Aabb::around(center.map(S::of), half.map(S::of)) };
            Bar { aabb, ball: round.then_some(ball), color: index % 5 }
        })
        .collect();
    let mut shifts = vec![[0; D]];
    for vector in 0..D {
        let along = |shift: &[i32; D]| {
            let shift = *shift;
            (-most..=most).map(move |by| std::array::from_fn(|other| if other == vector { by } else { shift[other] }))
        };
        shifts = shifts.iter().flat_map(along).collect();
    }
    let mut all = Vec::new();
    for a in 0..bars.len() {
        for b in a + 1..bars.len() {
            for &shift in &shifts {
                let by = std::array::from_fn(|axis| (0..D).map(|vector| f64::from(shift[vector]) * vectors[vector][axis]).sum());
                if bars[a].meets(&bars[b], by) {
                    assert!(shift.iter().all(|by| by.abs() < most), "the oracle must look further");
                    all.push(PeriodicPair { a: a as u32, b: b as u32, shift });
                }
            }
        }
    }
    // The filter is for objects of one set.
    let is_wanted = |pair: &&PeriodicPair<D>| bars[pair.a as usize].pairs_with(&bars[pair.b as usize]);
    let expected: Vec<_> = all.iter().filter(is_wanted).copied().collect();
    let lattice = Lattice::new(vectors, [true; D]).expect("a lattice");
    for in_order in [false, true] {
        let config = grid_config().canonical_order(in_order);
        let mut periodic = Periodic::<S, D>::of_lattice_with_config(lattice, config).expect("a config");
        for threads in [1, 3] {
            let pairs = pool(threads).install(|| periodic.par_detect(&bars).sorted());
            assert!(pairs == expected, "{} pairs, {} expected", pairs.len(), expected.len());
        }
        assert!(periodic.detect(&bars).sorted() == expected && periodic.rejected().is_empty());
        let images = periodic.stats().objects as u64;
        let candidates = periodic.stats().candidates;
        // All pairs of images would be half of the square.
        assert!(8 * candidates < images * images, "{candidates} comparisons of {images} images");

        let shown = Mutex::new(Vec::new());
        pool(3).install(|| periodic.over(&bars).for_each(|pair| shown.lock().expect("no panic").push(pair)));
        let mut shown = shown.into_inner().expect("no panic");
        shown.sort_unstable();
        assert!(shown == expected);
        let few = AtomicUsize::new(0);
        periodic.over(&bars).filter(|pair| pair.a == 1).for_each(|_| _ = few.fetch_add(1, Ordering::Relaxed));
        assert_eq!(few.into_inner(), expected.iter().filter(|pair| pair.a == 1).count());

        let (first, second) = bars.split_at(7);
        let of_both = all.iter().filter(|pair| pair.a < 7 && pair.b >= 7);
        let of_both = of_both.map(|pair| PeriodicCrossPair { first: pair.a, second: pair.b - 7, shift: pair.shift });
        assert!(periodic.over(first).against(second).pairs().sorted().into_iter().eq(of_both));
        // And few and short ones again.
        assert!(periodic.detect(&bars[..1]).is_empty());
    }
}

#[test]
fn boxes() {
    check::<f32, 3>([[1.0, 0.0, 0.0], [0.25, 1.5, 0.0], [0.5, -0.5, 2.0]], 6.0, 18, false);
    check::<f64, 2>([[1.0, 0.0], [0.5, 1.0]], 16.0, 44, false);
}

#[test]
fn balls() {
    check::<f64, 3>([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, -0.5, 2.0]], 5.0, 14, true);
    check::<f32, 2>([[1.0, 0.0], [0.5, 1.0]], 12.0, 34, true);
}
