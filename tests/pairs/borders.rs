//! Boxes that begin or end exactly on the border of a cell or a chunk, or one unit in the last place beside it.
//!
//! Where borders are is the engine's choice. Most of these tests ask for cells of edge 1 and put their boxes at integers; the
//! last group asks the engine which cells it uses and aims at their borders exactly.

use crate::common::{Coordinate, Oracle, Rng, assert_same, check, grid_config, pool};
use pivotgrid::{Aabb, BroadPhase, Config, Pair};

/// Borders of cells of edge 1; of chunks too; on both sides of zero, where truncation is not `floor`.
const BORDERS: [f64; 19] =
    [-1024.0, -257.0, -256.0, -65.0, -64.0, -17.0, -16.0, -8.0, -4.0, -1.0, 0.0, 1.0, 2.0, 7.0, 8.0, 16.0, 64.0, 256.0, 1024.0];

/// The finest cells have this edge, and everything goes through them.
fn with_cells(edge: f64) -> Config {
    grid_config().exact_cell_size(edge)
}

fn each_way<S: Coordinate, const D: usize>(config: Config, boxes: &[Aabb<S, D>], what: &str) {
    let expected = Oracle::detect(boxes);
    let mut engine = BroadPhase::<S, D>::with_config(config.clone()).unwrap();
    assert_same(engine.detect(boxes), &expected, &format_args!("{what}, detect, {config:?}"));
    for threads in [2, 3] {
        let found = pool(threads).install(|| engine.par_detect(boxes));
        assert_same(found, &expected, &format_args!("{what}, par_detect on {threads}, {config:?}"));
    }
}

/// A box with this interval on one axis and the same small one, inside a cell, on the others.
fn on_axis<S: Coordinate, const D: usize>(axis: usize, low: S, high: S) -> Aabb<S, D> {
    let mut aabb = Aabb { min: [S::of(0.25); D], max: [S::of(0.75); D] };
    (aabb.min[axis], aabb.max[axis]) = (low, high);
    aabb
}

/// All intervals between a border, its neighbors in the scalar, and the borders before and after it.
fn intervals_at<S: Coordinate>(border: f64) -> Vec<(S, S)> {
    let at = S::of(border);
    let edges = [S::of(border - 1.0), at.down(), at, at.up(), S::of(border + 1.0)];
    (0..5).flat_map(|low| (low..5).map(move |high| (edges[low], edges[high]))).collect()
}

macro_rules! in_each_space {
    ($test:ident) => {
        mod $test {
            #[test]
            fn f32_in_2d() {
                super::$test::<f32, 2>();
            }
            #[test]
            fn f32_in_3d() {
                super::$test::<f32, 3>();
            }
            #[test]
            fn f64_in_2d() {
                super::$test::<f64, 2>();
            }
            #[test]
            fn f64_in_3d() {
                super::$test::<f64, 3>();
            }
        }
    };
}

/// DESIGN.md 5.2, the trap that a level chosen by the rounded extent falls into: A = [0.99999994, 2.0] is 1.0 long when
/// rounded, yet reaches over the cells 0, 1 and 2, and C = [2, 3], which it touches, begins two cells away.
fn the_rounded_extent_trap<S: Coordinate, const D: usize>() {
    let (one, two, three) = (S::of(1.0), S::of(2.0), S::of(3.0));
    let below_one = one.down();
    assert!(two - below_one == one, "no trap: the extent must round to the cell size");
    for axis in 0..D {
        let (a, c) = (on_axis::<S, D>(axis, below_one, two), on_axis::<S, D>(axis, two, three));
        for config in [with_cells(1.0), with_cells(1.0).max_levels(1), grid_config(), Config::default()] {
            for boxes in [[a, c], [c, a]] {
                let mut engine = BroadPhase::<S, D>::with_config(config.clone()).unwrap();
                assert_eq!(engine.detect(&boxes).sorted(), [Pair { a: 0, b: 1 }], "axis {axis}, {config:?}");
                assert_eq!(engine.par_detect(&boxes).sorted(), [Pair { a: 0, b: 1 }], "axis {axis}, {config:?}");
            }
        }
    }
}
in_each_space!(the_rounded_extent_trap);

#[test]
fn the_rounded_extent_trap_in_the_numbers_of_the_design() {
    let boxes = [Aabb::new([0.99999994f32, 0.0, 0.0], [2.0, 1.0, 1.0]), Aabb::new([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])];
    let mut engine = BroadPhase::<f32, 3>::with_config(with_cells(1.0)).unwrap();
    assert_eq!(engine.detect(&boxes).sorted(), [Pair { a: 0, b: 1 }]);
}

/// The same trap at every border, among the unit boxes for which a planner would choose cells of edge 1.
fn the_trap_at_every_border<S: Coordinate, const D: usize>() {
    for axis in 0..D {
        let mut boxes: Vec<Aabb<S, D>> = Vec::new();
        for border in (-40..=40).map(f64::from).chain(BORDERS) {
            let (low, high) = (S::of(border), S::of(border + 1.0));
            boxes.push(on_axis(axis, low.down(), high));
            boxes.push(on_axis(axis, low, high.up()));
            boxes.push(on_axis(axis, low, high));
        }
        for config in [with_cells(1.0), with_cells(1.0).max_levels(1), with_cells(0.5), grid_config()] {
            each_way(config, &boxes, &format!("traps along axis {axis}"));
        }
    }
}
in_each_space!(the_trap_at_every_border);

/// Every interval at every border, one axis at a time.
fn borders_of_one_axis<S: Coordinate, const D: usize>() {
    for axis in 0..D {
        let intervals = BORDERS.iter().flat_map(|&border| intervals_at(border));
        let boxes: Vec<Aabb<S, D>> = intervals.map(|(low, high)| on_axis(axis, low, high)).collect();
        for edge in [1.0, 0.5, 2.0, 1.0 / 3.0] {
            each_way(with_cells(edge), &boxes, &format!("borders of axis {axis}"));
        }
    }
}
in_each_space!(borders_of_one_axis);

/// Borders on all axes at once: edges and corners of cells and chunks, where the diagonal neighbors matter.
fn borders_of_all_axes<S: Coordinate, const D: usize>() {
    for around in [0.0f64, -16.0, 64.0, -1024.0] {
        let rng = &mut Rng(around.to_bits());
        let boxes: Vec<Aabb<S, D>> = (0..600)
            .map(|_| {
                let sides: [(S, S); D] = std::array::from_fn(|_| {
                    let intervals = intervals_at(around + rng.below(4) as f64 - 1.0);
                    intervals[rng.below(intervals.len())]
                });
                Aabb { min: sides.map(|side| side.0), max: sides.map(|side| side.1) }
            })
            .collect();
        for config in [with_cells(1.0), with_cells(1.0).max_levels(1), with_cells(0.25), with_cells(3.0), grid_config()] {
            each_way(config, &boxes, &format!("borders around {around}"));
        }
    }
}
in_each_space!(borders_of_all_axes);

/// Multiples of a cell size that has no exact inverse: `x * inverse` rounds to either side of the integers.
fn multiples_of_awkward_cells<S: Coordinate, const D: usize>() {
    for edge in [0.1, 1.0 / 3.0, 0.7, 1e-3, 12345.678, 1e10] {
        for axis in 0..D {
            let mut boxes = Vec::new();
            for border in -60..60 {
                let (low, high) = (S::of(border as f64 * edge), S::of((border + 1) as f64 * edge));
                boxes.extend([(low, high), (low.down(), high), (low, high.up()), (high, high)].map(|(low, high)| {
                    let mut aabb = Aabb { min: [S::of(0.0); D], max: [S::of(edge); D] };
                    (aabb.min[axis], aabb.max[axis]) = (low, high);
                    aabb
                }));
            }
            each_way(with_cells(edge), &boxes, &format!("multiples of {edge} along axis {axis}"));
        }
    }
}
in_each_space!(multiples_of_awkward_cells);

/// A scene with borders near zero.
fn around_zero<S: Coordinate, const D: usize>() -> Vec<Aabb<S, D>> {
    let rng = &mut Rng(31);
    let mut boxes: Vec<Aabb<S, D>> = (0..700)
        .map(|_| {
            let center: [f64; D] = std::array::from_fn(|_| rng.within(-20.0, 20.0));
            Aabb { min: center.map(|x| S::of(x - 0.25)), max: center.map(|x| S::of(x + 0.25)) }
        })
        .collect();
    boxes.extend([-32.0, 32.0].map(|corner| Aabb { min: [S::of(corner); D], max: [S::of(corner); D] }));
    boxes
}

/// DESIGN.md 5.2 once more, where it bites: the cells were chosen in the step before, for smaller objects, and now a few boxes
/// reach from just below a border exactly to the next one, and others, small and large, begin there. The statistics tell where the
/// borders are. All ways of being off by up to two units in the last place are tried, since rounding may put a border beside the
/// multiple of the cell size. On the other axes the boxes begin on either side of a border, so that each of a pair may be the one
/// that has to find the other, in its own row of cells or in another.
fn the_trap_at_the_borders_of_the_cells_in_use<S: Coordinate, const D: usize>() {
    let scene = around_zero::<S, D>();
    let rng = &mut Rng(52);
    let (mut steps, mut kept) = (0, 0);
    for config in [with_cells(1.0), with_cells(0.7), with_cells(1.0).max_levels(1), grid_config()] {
        for axis in 0..D {
            let mut engine = BroadPhase::<S, D>::with_config(config.clone()).unwrap();
            engine.detect(&scene);
            // Only at 0 and 1 does the extent round to a whole cell; there, more of the ways to begin are tried.
            let borders = [-17, -16, -9, -8, -4, -2, -1, 2, 3, 7, 8, 15, 16].into_iter().chain([0, 1].repeat(8));
            for border in borders {
                let level = &engine.stats().levels[0];
                let edge = level.cell_size[axis];
                // The first border of each axis that is not negative, and borders of one axis as many further on.
                let zeroth: [f64; 3] = std::array::from_fn(|axis| level.origin[axis].rem_euclid(level.cell_size[axis]));
                let around = |multiple: i32| {
                    let at = S::of(zeroth[axis] + f64::from(multiple) * edge);
                    [at.down().down(), at.down(), at, at.up(), at.up().up()]
                };
                let (first, second, third, far) = (around(border), around(border + 1), around(border + 2), around(border + 30));
                for off in 0..5 {
                    let reaching = (0..5).map(|end| (first[off], second[end]));
                    let beginning = [(second[off], third[2]), (second[4 - off], third[2]), (second[off], far[2])];
                    let mut boxes = scene.clone();
                    for (place, (low, high)) in boxes[100..].iter_mut().step_by(50).zip(reaching.chain(beginning)) {
                        let mut across = |low: f64| if rng.below(2) == 0 { low } else { -low };
                        *place = Aabb {
                            min: std::array::from_fn(|other| S::of(zeroth[other] + across(0.125))),
                            max: std::array::from_fn(|other| S::of(zeroth[other] + 0.25)),
                        };
                        (place.min[axis], place.max[axis]) = (low, high);
                    }
                    let context = format!("axis {axis}, border {border}, cells of {edge}, {config:?}");
                    assert_same(engine.detect(&boxes), &Oracle::sweep(&boxes), &context);
                    steps += 1;
                    kept += u32::from(!engine.stats().replanned);
                }
            }
        }
    }
    assert!(kept > steps / 2, "the trap is only one while the plan is kept: {kept} of {steps} steps");
}
in_each_space!(the_trap_at_the_borders_of_the_cells_in_use);

/// A full lattice of unit boxes that all touch their neighbors: 26 in space, 8 in the plane, across all kinds of borders.
#[test]
fn a_wall_of_touching_bricks() {
    let bricks: Vec<_> = (0..1000).map(|i| [i % 10 - 5, i / 10 % 10 - 5, i / 100 - 5].map(|x| x as f32)).collect();
    let boxes: Vec<_> = bricks.iter().map(|&[x, y, z]| Aabb::new([x, y, z], [x + 1.0, y + 1.0, z + 1.0])).collect();
    // Ordered pairs of cells at distance at most 1 are (3 * 10 - 2)^3; less the cells themselves, halved.
    let touching = (28 * 28 * 28 - 1000) / 2;
    let mut engine = BroadPhase::<f32, 3>::with_config(with_cells(1.0)).unwrap();
    assert_eq!(engine.detect(&boxes).len(), touching);
    check(&boxes, "bricks");

    // One unit in the last place less, and nobody touches anybody.
    let shrunk: Vec<_> = boxes.iter().map(|b| Aabb::new(b.min, b.max.map(f32::next_down))).collect();
    assert_eq!(engine.detect(&shrunk).len(), 0);
    check(&shrunk, "shrunk bricks");
}

/// Zero has two signs and one place.
#[test]
fn negative_zero_is_zero() {
    let ends = [(-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0), (0.0, 0.0), (-1.0, -0.0), (0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0)];
    for axis in 0..3 {
        let boxes: Vec<Aabb<f32, 3>> = ends.iter().map(|&(low, high)| on_axis(axis, low, high)).collect();
        let mut engine = BroadPhase::<f32, 3>::with_config(with_cells(1.0)).unwrap();
        let pairs = engine.detect(&boxes);
        assert!(pairs.rejected().is_empty(), "min = 0.0, max = -0.0 is not inverted");
        assert_eq!(pairs.len(), 8 * 7 / 2, "all of them contain zero");
        check(&boxes, "signed zeros");
    }
}

/// `(-0.5) as i32` is 0: truncation would put the boxes on either side of zero into one cell, and wrong spans with it.
#[test]
fn cells_below_zero() {
    let mut boxes = Vec::new();
    for step in -400..=0 {
        let x = step as f32 * 0.25;
        boxes.push(Aabb::new([x, -x], [x + 0.25, -x + 0.25]));
        boxes.push(Aabb::new([-x, x], [-x + 1.0, x + 1.0]));
    }
    check::<f32, 2, _>(&boxes, "across zero");
}
