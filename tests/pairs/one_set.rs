//! One set, one order: what a step says does not depend on how many threads there are, how often it is run, which instructions the
//! machine has, or how the program was built.
//!
//! The last of these takes two builds: `digests` prints what this one finds, and `ci/one_set` compares.

use std::fmt::Debug;

use crate::common::{Coordinate, Oracle, Rng, grid_config, pool};
use pivotgrid::{Aabb, Ball, Bounded, BoxCast, BroadPhase, Groups, InstructionSet, Neighbors, Pair, Ray};
use rayon::ThreadPoolBuilder;
use scenes::{Scene, World};

/// Each uneven in its own way, and one so large that the workers of every pool get something to do.
const SCENES: [(Scene, usize); 5] =
    [(Scene::Uniform, 16_500), (Scene::Koch, 2000), (Scene::Clustered, 2000), (Scene::Pile, 1000), (Scene::Power, 2000)];

fn boxes<S: Coordinate + scenes::Scalar, const D: usize>(scene: Scene, n: usize) -> Vec<Aabb<S, D>> {
    World::<S, D>::new(scene, n, 11).boxes().iter().map(|b| Aabb { min: b.min, max: b.max }).collect()
}

/// The instruction sets of this machine.
fn sets() -> Vec<InstructionSet> {
    use InstructionSet::{Avx2, Avx512, Best, Portable};
    let there = |set: &InstructionSet| BroadPhase::<f32, 3>::with_config(grid_config().instruction_set(*set)).is_ok();
    let sets: Vec<_> = [Portable, Avx2, Avx512, Best].into_iter().filter(there).collect();
    println!("instruction sets: {sets:?}");
    sets
}

#[test]
fn every_pool_from_1_to_64_finds_one_set_in_one_order() {
    const RUNS: usize = 3;
    let worlds = SCENES.map(|(scene, n)| boxes::<f32, 3>(scene, n));
    let expected = worlds.each_ref().map(|boxes| Oracle::detect(boxes).pairs);
    // These see all the pools, one after the other; each run takes the scene from what the last one has left.
    let kept = |canonical: bool| {
        SCENES.map(|_| BroadPhase::<f32, 3>::with_config(grid_config().canonical_order(canonical)).expect("a valid config"))
    };
    let (mut ordered, mut free) = (kept(true), kept(false));
    for threads in 1..=64 {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        for (number, (scene, _)) in SCENES.iter().enumerate() {
            let (boxes, expected) = (&worlds[number], &expected[number]);
            for run in 0..RUNS {
                let context = format!("{scene}, {threads} threads, run {run}");
                // The first run of each pool has no history.
                if run == 0 {
                    ordered[number] = BroadPhase::with_config(grid_config().canonical_order(true)).expect("a valid config");
                }
                let found = pool.install(|| ordered[number].par_detect(boxes));
                assert!(found.iter().eq(expected.iter().copied()), "{context}: another order, or another set");
                let found = pool.install(|| free[number].par_detect(boxes));
                assert!(found.sorted() == *expected, "{context}: another set");
            }
        }
        // There are enough blocks of 256 objects for every worker to be called for.
        assert_eq!(free[0].stats().workers, threads);
    }
}

/// An object that makes the kernels look at everything they know.
#[derive(Clone, Copy, Debug)]
struct Thing<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
    ball: Option<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Thing<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.ball.map_or(self.bounds, |ball| ball.aabb())
    }
    fn groups(&self) -> Groups {
        self.groups
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}

/// Numbers that compare in unexpected ways, or make others overflow.
const SPECIAL: [f64; 14] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-45, // the least f32
    -1e-45,
    1.1754942e-38, // the largest denormal f32
    5e-324,        // the least f64; 0 in f32
    3.4e38,
    -3.4e38,
    1.7e308,
    1e19, // its square is beyond f32
    0.1,
];

/// Bounds on a small lattice, where everything touches, mixed with special ones.
fn torture<S: Coordinate, const D: usize>(rng: &mut Rng) -> Vec<Thing<S, D>> {
    let n = 1 + rng.below(120);
    let specials = [0, 1, 5, 30][rng.below(4)];
    let (grouped, round) = (rng.below(2) == 0, rng.below(3));
    let value = |rng: &mut Rng| {
        if rng.below(100) < specials { S::of(SPECIAL[rng.below(SPECIAL.len())]) } else { S::of(rng.below(9) as f64 - 4.0) }
    };
    (0..n)
        .map(|_| {
            let (one, other): ([S; D], [S; D]) = (std::array::from_fn(|_| value(rng)), std::array::from_fn(|_| value(rng)));
            // Mostly the right way round; a few stay inverted.
            let swap = |axis: usize| other[axis] < one[axis];
            let keep = rng.below(30) == 0;
            let min = std::array::from_fn(|axis| if swap(axis) && !keep { other[axis] } else { one[axis] });
            let max = std::array::from_fn(|axis| if swap(axis) && !keep { one[axis] } else { other[axis] });
            let radius = S::of([0.0, 0.5, 1.0, 1.5, 1e19, 1e-30][rng.below(6)]);
            let is_ball = round == 2 || (round == 1 && rng.below(2) == 0);
            let groups = Groups::new(1 << rng.below(3), rng.next() as u32 & 7).of_body(rng.below(3) as u32);
            Thing {
                bounds: Aabb { min, max },
                groups: if grouped { groups } else { Groups::ALL },
                ball: is_ball.then_some(Ball { center: one, radius }),
            }
        })
        .collect()
}

/// Whether two things are a pair, written a second time; the boxes are known to be valid.
fn meet<S: Coordinate, const D: usize>(one: &Thing<S, D>, other: &Thing<S, D>) -> bool {
    let (a, b) = (one.aabb(), other.aabb());
    let boxes = !(0..D).any(|axis| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis]);
    let (g, h) = (one.groups, other.groups);
    let groups = g.member & h.mask != 0 && h.member & g.mask != 0 && (g.body == 0 || g.body != h.body);
    let balls = one.ball.zip(other.ball).is_none_or(|(a, b)| {
        // In units of about the sum of the radii, so that nothing underflows or overflows that counts.
        let reach = Into::<f64>::into(a.radius) + Into::<f64>::into(b.radius);
        let unit = if reach > 0.0 { reach.log2().floor().exp2() } else { 1e-300 };
        let along = |axis: usize| (Into::<f64>::into(a.center[axis]) - Into::<f64>::into(b.center[axis])) / unit;
        let square: f64 = (0..D).map(|axis| along(axis) * along(axis)).sum();
        square <= (reach / unit) * (reach / unit)
    });
    boxes && groups && balls
}

/// All that kernels have a part in: pairs, boxes found by boxes, what is near, what is met on the way, neighbors. In the order in
/// which one thread finds them.
#[derive(Debug, PartialEq)]
struct Findings {
    pairs: Vec<Pair>,
    found: Vec<u32>,
    /// With the bits of the distance, or of the time.
    measured: Vec<(u32, u64)>,
    rows: Vec<u32>,
    rejected: usize,
}

fn findings<S: Coordinate, const D: usize>(set: InstructionSet, things: &[Thing<S, D>], cell: f64) -> Findings {
    let config = grid_config().instruction_set(set).exact_cell_size(cell);
    let mut engine = BroadPhase::<S, D>::with_config(config.clone()).expect("a set of this machine");
    let pairs: Vec<Pair> = engine.detect(things).iter().collect();
    let (mut found, mut some) = (Vec::new(), Vec::new());
    let (mut measured, mut near, mut hits) = (Vec::new(), Vec::new(), Vec::new());
    let queries = engine.queries();
    // `max(0.0, -0.0)` may be either zero; the sum with `0.0` is always the positive one.
    let bits = |number: S| (Into::<f64>::into(number) + 0.0).to_bits();
    for (thing, other) in things.iter().zip(things.iter().rev()).take(10) {
        queries.overlapping(&thing.bounds, &mut some);
        found.extend_from_slice(&some);
        queries.within(&Ball::new(thing.bounds.min, S::of(2.0)), &mut near);
        measured.extend(near.iter().map(|neighbor| (neighbor.index, bits(neighbor.distance_squared))));
        // On the small lattice, many a way rests along some axis.
        let way: [S; D] = std::array::from_fn(|axis| other.bounds.min[axis] - thing.bounds.max[axis]);
        queries.ray_hits(&Ray::new(thing.bounds.max, way), &mut hits);
        measured.extend(hits.iter().map(|hit| (hit.index, bits(hit.t))));
        queries.sweep_hits(&BoxCast::new(thing.bounds, way), &mut hits);
        measured.extend(hits.iter().map(|hit| (hit.index, bits(hit.t))));
        measured.extend(queries.first_hit(&Ray::new(thing.bounds.max, way)).map(|hit| (0, bits(hit.t))));
        measured.extend(queries.first_contact(&BoxCast::new(thing.bounds, way)).map(|hit| (0, bits(hit.t))));
    }
    let mut neighbors = Neighbors::<S, D>::with_config(config).expect("a set of this machine");
    let rows = neighbors.touching(things).indices().to_vec();
    Findings { pairs, found, measured, rows, rejected: engine.rejected().len() }
}

fn tortured<S: Coordinate, const D: usize>(rounds: usize) {
    let (sets, mut rng, mut pairs, mut measured) = (sets(), Rng(D as u64), 0, 0);
    for round in 0..rounds {
        let things = torture::<S, D>(&mut rng);
        let cell = [0.5, 1.0, 3.0, 100.0][rng.below(4)];
        let reference = findings(InstructionSet::Portable, &things, cell);
        let is_valid = |thing: &Thing<S, D>| {
            let bounds = thing.aabb();
            (0..D).all(|axis| bounds.min[axis] <= bounds.max[axis])
        };
        let valid: Vec<usize> = (0..things.len()).filter(|&index| is_valid(&things[index])).collect();
        assert_eq!(reference.rejected, things.len() - valid.len(), "round {round}");
        let mut sorted = reference.pairs.clone();
        sorted.sort_unstable();
        let mut expected = Vec::new();
        for (place, &a) in valid.iter().enumerate() {
            let partners = valid[place + 1..].iter().filter(|&&b| meet(&things[a], &things[b]));
            expected.extend(partners.map(|&b| Pair { a: a as u32, b: b as u32 }));
        }
        assert_eq!(sorted, expected, "round {round}, portable: {things:?}");
        assert_eq!(reference.rows.len(), 2 * expected.len(), "round {round}, portable rows: {things:?}");
        pairs += expected.len();
        measured += reference.measured.len();
        for &set in &sets {
            assert_eq!(findings(set, &things, cell), reference, "round {round}, {set:?}: {things:?}");
        }
    }
    assert!(pairs > 20 * rounds, "{pairs} pairs in {rounds} rounds");
    assert!(measured > 100 * rounds, "{measured} distances and times in {rounds} rounds");
}

#[test]
fn kernels_agree_on_what_is_hard_to_compare() {
    tortured::<f32, 2>(400);
    tortured::<f32, 3>(400);
    tortured::<f64, 2>(400);
    tortured::<f64, 3>(400);
}

/// FNV-1a over 64-bit words.
struct Digest(u64);

impl Digest {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    /// `max(0.0, -0.0)` may be either zero; the sum with `0.0` is always the positive one.
    fn number(&mut self, number: f64) {
        self.word((number + 0.0).to_bits());
    }
}

/// All scenes with all that can be asked about them, on so many threads.
fn digest<S: Coordinate + scenes::Scalar, const D: usize>(set: InstructionSet, threads: usize) -> u64 {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let config = grid_config().canonical_order(true).instruction_set(set);
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a set of this machine");
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let boxes = boxes::<S, D>(scene, 2000);
        let found = pool(threads).install(|| engine.par_detect(&boxes));
        digest.word(found.len() as u64);
        found.iter().for_each(|pair| digest.word(u64::from(pair.a) << 32 | u64::from(pair.b)));
        let queries = engine.queries();
        let (mut indices, mut hits, mut near) = (Vec::new(), Vec::new(), Vec::new());
        for (one, other) in boxes.iter().zip(boxes.iter().rev()).step_by(50) {
            queries.overlapping(one, &mut indices);
            indices.sort_unstable();
            indices.iter().for_each(|&index| digest.word(u64::from(index)));
            let way: [S; D] = std::array::from_fn(|axis| other.min[axis] - one.max[axis]);
            queries.ray_hits(&Ray::new(one.max, way), &mut hits);
            hits.sort_by_key(|hit| hit.index);
            for hit in &hits {
                digest.word(u64::from(hit.index));
                digest.number(hit.t.into());
            }
            if let Some(hit) = queries.first_contact(&BoxCast::new(*one, way)) {
                digest.word(u64::from(hit.index));
                digest.number(hit.t.into());
            }
            queries.nearest(one.max, 5, &mut near);
            for neighbor in &near {
                digest.word(u64::from(neighbor.index));
                digest.number(neighbor.distance_squared.into());
            }
        }
    }
    digest.0
}

/// The four digests of a build; equal for all sets and threads here, and for other builds by `ci/one_set`, which reads them.
#[test]
fn digests() {
    let of = |set, threads| {
        [
            digest::<f32, 2>(set, threads),
            digest::<f32, 3>(set, threads),
            digest::<f64, 2>(set, threads),
            digest::<f64, 3>(set, threads),
        ]
    };
    let reference = of(InstructionSet::Portable, 1);
    for set in sets() {
        for threads in [1, 2, 7] {
            assert_eq!(of(set, threads), reference, "{set:?} on {threads} threads");
        }
    }
    println!("digests {reference:016x?}");
}
