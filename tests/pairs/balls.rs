//! Balls of every size that a number can have: the engine pairs what touches, and what touches is what exact arithmetic says.

use crate::common::{Coordinate, Rng, grid_config};
use pivotgrid::{Ball, BroadPhase, Config, InstructionSet, Pair};

/// Balls of about one size, some of which touch, with others of any size among them.
fn balls<S: Coordinate, const D: usize>(n: usize, size: f64, exponents: (f64, f64), rng: &mut Rng) -> Vec<Ball<S, D>> {
    (0..n)
        .map(|i| {
            let size = if i % 7 == 0 { 10f64.powf(rng.within(exponents.0, exponents.1)) } else { size };
            let edge = 1.5 * (n as f64).powf(1.0 / D as f64);
            let center = std::array::from_fn(|_| S::of(size * rng.within(-edge, edge).round() * 0.5));
            Ball::new(center, S::of(size * [0.5, 0.25, 0.0, 0.7][rng.below(4)]))
        })
        .collect()
}

/// The distance and the sum of the radii, in units of the latter, for numbers that `f64` has room for.
fn ratio(a: &Ball<f32, 3>, b: &Ball<f32, 3>) -> f64 {
    let square: f64 = (0..3).map(|axis| (f64::from(a.center[axis]) - f64::from(b.center[axis])).powi(2)).sum();
    square.sqrt() / (f64::from(a.radius) + f64::from(b.radius))
}

fn check<S: Coordinate, const D: usize>(size: f64, exponents: (f64, f64), rng: &mut Rng) -> usize {
    let balls = balls::<S, D>(120, size, exponents, rng);
    let mut expected = Vec::new();
    for b in 0..balls.len() {
        for a in (0..b).filter(|&a| balls[a].touches(&balls[b])) {
            assert!(balls[b].touches(&balls[a]), "{:?} {:?}", balls[a], balls[b]);
            assert!(balls[a].aabb().overlaps(&balls[b].aabb()), "{:?} {:?}", balls[a], balls[b]);
            expected.push(Pair::new(a as u32, b as u32));
        }
    }
    expected.sort_unstable();
    for set in [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Best] {
        for config in [Config::default(), grid_config()] {
            let Ok(mut engine) = BroadPhase::<S, D>::with_config(config.instruction_set(set)) else { continue };
            assert_eq!(engine.detect(&balls).sorted(), expected, "{set:?}, size {size:e}");
        }
    }
    expected.len()
}

#[test]
fn the_engine_pairs_what_touches() {
    let (rng, mut pairs) = (&mut Rng(12), 0);
    for exponent in -45..38 {
        pairs += check::<f32, 2>(10f64.powi(exponent), (-45.0, 38.0), rng);
        pairs += check::<f32, 3>(10f64.powi(exponent), (-45.0, 38.0), rng);
    }
    for exponent in (-323..308).step_by(9) {
        pairs += check::<f64, 2>(10f64.powi(exponent), (-323.0, 308.0), rng);
        pairs += check::<f64, 3>(10f64.powi(exponent), (-323.0, 308.0), rng);
    }
    assert!(pairs > 10_000, "{pairs}");
}

#[test]
fn what_touches_is_what_exact_arithmetic_says() {
    let (rng, mut decided) = (&mut Rng(13), [0, 0]);
    for exponent in -45..38 {
        let balls = balls::<f32, 3>(80, 10f64.powi(exponent), (-45.0, 38.0), rng);
        for (i, a) in balls.iter().enumerate() {
            for b in &balls[..i] {
                let ratio = ratio(a, b);
                // Where the two sides are the same but for roundings, or nothing but roundings is left of them, either is right.
                let is_close = (ratio - 1.0).abs() < 1e-6;
                // The difference of the centers is one of `f32`.
                if !is_close && !ratio.is_nan() {
                    assert_eq!(a.touches(b), ratio < 1.0, "{a:?} {b:?}: {ratio}");
                    decided[usize::from(ratio < 1.0)] += 1;
                }
            }
        }
    }
    assert!(decided.iter().all(|&count| count > 1000), "{decided:?}");
}

/// 300 points at 1e-25: the squares of all differences are 0 in `f32`.
#[test]
fn three_hundred_tiny_balls() {
    let rng = &mut Rng(14);
    let ball = |rng: &mut Rng| Ball::new(std::array::from_fn::<_, 3, _>(|_| (rng.within(0.0, 20.0) * 1e-25) as f32), 1e-25);
    let balls: Vec<_> = (0..300).map(|_| ball(rng)).collect();
    let touching = |a: usize, b: usize| ratio(&balls[a], &balls[b]) <= 1.0;
    let exact = (0..300).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| touching(a, b)).count();
    let told = (0..300).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| balls[a].touches(&balls[b])).count();
    assert!(exact > 100 && exact < 2000);
    assert_eq!((told, BroadPhase::<f32, 3>::new().detect(&balls).len()), (exact, exact));
}

#[test]
fn balls_without_a_radius() {
    let ball = |radius| Ball::new([0.0f32, 0.0], radius);
    for bad in [-1.0, -1e-40, f32::NAN, f32::NEG_INFINITY] {
        for other in [ball(1.0), ball(9.0), ball(f32::INFINITY), ball(0.0), ball(bad)] {
            assert!(!ball(bad).touches(&other) && !other.touches(&ball(bad)), "{bad} {other:?}");
        }
    }
    let at_infinity = Ball::new([f32::INFINITY; 2], f32::INFINITY);
    assert!(
        at_infinity.touches(&at_infinity)
            && at_infinity.touches(&ball(0.0))
            && !Ball::new([f32::NAN; 2], 1.0).touches(&at_infinity)
    );
    let far = Ball::new([f32::MAX, f32::MIN], f32::INFINITY);
    assert!(ball(0.0).touches(&ball(0.0)) && ball(0.0).touches(&far) && far.touches(&Ball::new([f32::MIN, f32::MAX], 1.0)));
}
