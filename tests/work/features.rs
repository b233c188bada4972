//! What is built on the step is bounded as the step is: two sets, neighbor lists, periodic domains. Static sets and queries count no
//! candidates in `Stats`; their pairs are compared here, and `src/query/work.rs` bounds what queries look at.

use pivotgrid::{Aabb, BroadPhase, Neighbors, Periodic, StaticSet, Stats};
use rayon::prelude::*;
use scenes::Hostile;

use crate::bound::{bound, work};
use crate::measure::{SEED, converted};
use crate::oracle;

const SIZE: usize = 10_000;

/// A scene of each kind that once was a cliff.
const SCENES: [Hostile; 14] = [
    Hostile::Flat,
    Hostile::Clump70,
    Hostile::Matryoshka,
    Hostile::LogPolar4,
    Hostile::Geometric,
    Hostile::Onion,
    Hostile::Needles,
    Hostile::Rods,
    Hostile::SlabsY,
    Hostile::InfiniteColumns,
    Hostile::MixedReach,
    Hostile::Swarm,
    Hostile::Units,
    Hostile::Stragglers,
];

/// The most of the bound that a neighbor list may take: each pair is met from both sides, all entries of a cell look together, and cells are
/// larger than those of pairs, because a long run costs little more than a short one.
const MOST_OF_LISTS: f64 = 6.0;

fn excess(stats: &Stats, pairs: usize) -> f64 {
    work(stats) as f64 / bound(stats.objects, pairs)
}

fn boxes(scene: Hostile) -> (Vec<Aabb<f32, 3>>, usize) {
    let boxes = scene.boxes::<f32, 3>(SIZE, SEED, 0);
    let pairs = oracle::expected(&boxes).pairs.len();
    (converted(&boxes), pairs)
}

#[test]
fn two_sets() {
    SCENES.into_par_iter().for_each(|scene| {
        let (boxes, pairs) = boxes(scene);
        let (first, second) = boxes.split_at(SIZE / 3);
        let mut broad_phase = BroadPhase::<f32, 3>::new();
        broad_phase.over(first).against(second).serial().pairs();
        // Pairs within a set are met and left out.
        let excess = excess(broad_phase.stats(), pairs);
        println!("{scene}: {excess:.2} of the bound");
        assert!(excess <= 1.0, "{scene}: {excess:.2} of the bound");
    });
}

#[test]
fn neighbor_lists() {
    SCENES.into_par_iter().for_each(|scene| {
        let (boxes, pairs) = boxes(scene);
        let mut neighbors = Neighbors::<f32, 3>::new();
        let rows = neighbors.touching(&boxes);
        let all: usize = (0..SIZE).map(|index| rows.row(index).len()).sum();
        assert_eq!(all, 2 * pairs, "{scene}");
        let excess = excess(neighbors.stats(), pairs);
        println!("{scene}: {excess:.2} of the bound");
        assert!(excess <= MOST_OF_LISTS, "{scene}: {excess:.2} of the bound");
    });
}

#[test]
fn periodic_domains() {
    SCENES.into_par_iter().for_each(|scene| {
        let (boxes, pairs) = boxes(scene);
        let is_finite = |bounds: &Aabb<f32, 3>| bounds.min.iter().chain(&bounds.max).all(|x| x.abs() < 1e30);
        if !boxes.iter().all(is_finite) {
            return;
        }
        let least = |axis: usize| boxes.iter().map(|bounds| bounds.min[axis]).fold(f32::INFINITY, f32::min);
        let most = |axis: usize| boxes.iter().map(|bounds| bounds.max[axis]).fold(f32::NEG_INFINITY, f32::max);
        let domain = Aabb { min: std::array::from_fn(least), max: std::array::from_fn(most) };
        // An axis without extent cannot be periodic; nor is there anything to find across it.
        let periodic = std::array::from_fn(|axis| domain.max[axis] > domain.min[axis]);
        let mut engine = Periodic::<f32, 3>::new(domain, periodic).expect("a domain");
        let found = engine.detect(&boxes).len();
        assert!(found >= pairs, "{scene}: {found} of {pairs} pairs");
        let excess = excess(engine.stats(), found);
        println!("{scene}: {excess:.2} of the bound");
        assert!(excess <= 1.0, "{scene}: {excess:.2} of the bound");
    });
}

#[test]
fn static_sets() {
    SCENES.into_par_iter().for_each(|scene| {
        let (boxes, _) = boxes(scene);
        let (movers, statics) = boxes.split_at(SIZE / 100);
        let mut set = StaticSet::<f32, 3>::new();
        set.build(statics);
        let mut broad_phase = BroadPhase::<f32, 3>::new();
        let found = broad_phase.over(movers).with(&set).serial().pairs().statics.len();
        let expected: usize = movers.iter().map(|mover| statics.iter().filter(|bounds| bounds.overlaps(mover)).count()).sum();
        assert_eq!(found, expected, "{scene}");
        // A query of each kind finds the same.
        let mut near = Vec::new();
        for mover in movers {
            set.queries().overlapping(mover, &mut near);
            assert_eq!(near.len(), statics.iter().filter(|bounds| bounds.overlaps(mover)).count(), "{scene}");
        }
    });
}
