//! The oracle itself, and the comparison with it: a test that cannot fail proves nothing.

use crate::common::{Oracle, Placement, Scene, Sizes, assert_same, difference, differing_pairs};
use pivotgrid::{Aabb, BroadPhase, Pair, RejectReason, Rejected};

const PLACEMENTS: [Placement; 6] =
    [Placement::Uniform, Placement::Clustered, Placement::Line, Placement::Plane, Placement::Point, Placement::Lattice];
const SIZES: [Sizes; 4] = [Sizes::Mono, Sizes::Poly, Sizes::Hyper, Sizes::LongAndFlat];

fn boxes_2d(sides: &[[f32; 4]]) -> Vec<Aabb<f32, 2>> {
    sides.iter().map(|&[x0, y0, x1, y1]| Aabb::new([x0, y0], [x1, y1])).collect()
}

/// By hand, so that the chain of trust ends here: touching, nested, apart on one axis, NaN and inverted.
#[test]
fn the_oracle_agrees_with_a_drawing() {
    let boxes = boxes_2d(&[
        [0.0, 0.0, 2.0, 2.0],
        [2.0, 2.0, 3.0, 3.0], // touches 0 in a corner
        [0.5, 0.5, 1.0, 1.0], // inside 0
        [0.5, 2.5, 1.0, 9.0], // above 0
        [f32::NAN, 0.0, 9.0, 9.0],
        [9.0, 0.0, -9.0, 9.0],
        [0.5, f32::NEG_INFINITY, 0.75, f32::INFINITY], // meets 0, 2 and 3
    ]);
    let oracle = Oracle::quadratic(&boxes);
    let pairs: Vec<(u32, u32)> = oracle.pairs.iter().map(|p| (p.a, p.b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (0, 6), (2, 6), (3, 6)]);
    let not_a_number = Rejected { index: 4, reason: RejectReason::NotANumber };
    assert_eq!(oracle.rejected, [not_a_number, Rejected { index: 5, reason: RejectReason::Inverted }]);
}

/// Large scenes are judged by the sweep, so the sweep is judged by the quadratic loop.
#[test]
fn the_sweep_agrees_with_each_against_each() {
    for (seed, (placement, sizes)) in PLACEMENTS.iter().flat_map(|p| SIZES.map(|s| (*p, s))).enumerate() {
        let scene = Scene { n: 300, sizes, placement, extent: 30.0, origin: -3.0, seed: seed as u64 };
        let mut boxes = scene.boxes::<f64, 3>();
        boxes[17].min[1] = f64::NAN;
        boxes[18].min[0] = f64::NEG_INFINITY;
        boxes[19].max[0] = f64::INFINITY;
        boxes[20].max[2] = boxes[20].min[2].next_down();
        let (sweep, quadratic) = (Oracle::sweep(&boxes), Oracle::quadratic(&boxes));
        assert_eq!(sweep.pairs, quadratic.pairs, "{scene:?}");
        assert_eq!(sweep.rejected, quadratic.rejected);
        assert!(sweep.pairs.is_sorted());
        assert_eq!(sweep.rejected.len(), 2);
    }
}

/// The scenes would test nothing if nothing met in them, or if everything did.
#[test]
fn generated_scenes_have_some_pairs() {
    for placement in PLACEMENTS {
        let scene = Scene { n: 300, sizes: Sizes::Mono, placement, extent: 20.0, origin: 0.0, seed: 5 };
        let pairs = Oracle::detect(&scene.boxes::<f32, 3>()).pairs.len();
        assert!(pairs > 20, "{scene:?}: {pairs} pairs");
        assert!(matches!(placement, Placement::Point) == (pairs == 300 * 299 / 2), "{scene:?}: {pairs} pairs");
    }
}

/// Compares a right result with a wrong expectation, which is as good as the reverse.
fn report(spoil: impl FnOnce(&mut Oracle<2>)) -> String {
    let boxes = boxes_2d(&[[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 2.0, 1.0], [2.0, 0.0, 3.0, 1.0], [7.0, 7.0, 8.0, 8.0]]);
    let mut oracle = Oracle::detect(&boxes);
    assert_eq!(oracle.pairs, [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }]);
    spoil(&mut oracle);
    let mut engine = BroadPhase::<f32, 2>::new();
    difference(engine.detect(&boxes), &oracle).unwrap_or_default()
}

#[test]
fn the_comparison_tells_missing_from_surplus_pairs() {
    assert_eq!(report(|_| {}), "");
    let missing = report(|oracle| oracle.pairs.push(Pair { a: 2, b: 3 }));
    assert!(missing.starts_with("1 missing, of 3 expected pairs:\n  (2, 3): "), "{missing}");
    let surplus = report(|oracle| oracle.pairs.truncate(1));
    assert!(surplus.starts_with("1 surplus, of 1 expected pairs:\n  (1, 2): "), "{surplus}");
    let rejected = report(|oracle| oracle.rejected.push(Rejected { index: 3, reason: RejectReason::Inverted }));
    assert!(rejected.starts_with("rejected []"), "{rejected}");
}

/// The engine cannot be made to report these, so they are fed to the comparison directly.
#[test]
fn the_comparison_sees_duplicates_and_wrong_order() {
    let boxes = boxes_2d(&[[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 2.0, 1.0]]);
    let (oracle, right) = (Oracle::detect(&boxes), Pair { a: 0, b: 1 });
    let mut report = String::new();
    differing_pairs(&[right], &oracle, &mut report);
    assert_eq!(report, "");
    differing_pairs(&[right, right], &oracle, &mut report);
    assert!(report.starts_with("1 duplicate"), "{report}");
    report.clear();
    differing_pairs(&[right, Pair { a: 1, b: 0 }], &oracle, &mut report);
    assert!(report.starts_with("1 surplus") && report.contains("1 not a < b"), "{report}");
}

#[test]
#[should_panic(expected = "the context:\n1 missing")]
fn the_assertion_panics() {
    let boxes = boxes_2d(&[[0.0, 0.0, 1.0, 1.0], [5.0, 0.0, 6.0, 1.0]]);
    let mut oracle = Oracle::detect(&boxes);
    oracle.pairs.push(Pair { a: 0, b: 1 });
    assert_same(BroadPhase::<f32, 2>::new().detect(&boxes), &oracle, &"the context");
}
