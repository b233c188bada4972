//! The worst cases: hardly any objects, hardly any space, hardly any digits, no end.

use crate::common::{Oracle, Placement, Rng, Scene, Sizes, assert_same, check, configs, grid_config, pool};
use pivotgrid::{Aabb, BroadPhase, Config, Stats};

const INF: f32 = f32::INFINITY;

fn scene(n: usize, sizes: Sizes, placement: Placement, extent: f64) -> Scene {
    Scene { n, sizes, placement, extent, origin: 0.0, seed: 11 }
}

#[test]
fn nothing_one_and_two() {
    let unit = Aabb::new([0.0f32, 0.0, 0.0], [1.0, 1.0, 1.0]);
    let far = Aabb::new([5.0f32, 0.0, 0.0], [6.0, 1.0, 1.0]);
    check::<f32, 3, Aabb<f32, 3>>(&[], "nothing");
    check(&[unit], "one");
    check(&[unit, unit], "two that meet");
    check(&[unit, far], "two that do not");

    let mut engine = BroadPhase::<f32, 3>::new();
    assert!(engine.stats().levels.is_empty());
    assert!(engine.par_detect(&[] as &[Aabb<f32, 3>]).is_empty());
    assert_eq!(engine.par_detect(&[unit]).len(), 0);
    assert_eq!(engine.par_detect(&[unit, unit]).len(), 1);
    assert_eq!(engine.par_detect(&[] as &[Aabb<f32, 3>]).len(), 0, "nothing is left of the last step");
}

#[test]
fn all_in_one_point() {
    const N: usize = 2000;
    for size in [0.0f32, 1.0] {
        let boxes = vec![Aabb::around([3.0f32, -4.0, 5.0], [size; 3]); N];
        let expected = Oracle::detect(&boxes);
        assert_eq!(expected.pairs.len(), N * (N - 1) / 2);
        for config in [Config::default(), grid_config(), grid_config().cell_size(1e-3)] {
            let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
            // Comparing two million pairs takes longer than finding them: once per configuration.
            assert_eq!(engine.detect(&boxes).len(), N * (N - 1) / 2);
            assert_eq!(pool(2).install(|| engine.par_detect(&boxes)).len(), N * (N - 1) / 2);
            let found = pool(16).install(|| engine.par_detect(&boxes));
            assert_same(found, &expected, &format_args!("{N} of size {size}, {config:?}"));
        }
    }
}

#[test]
fn zero_size_boxes() {
    let points = |step: f32| (0..1000).map(move |i| [i % 10, i / 10 % 10, i / 100].map(|x| x as f32 * step));
    let apart: Vec<Aabb<f32, 3>> = points(1.0).map(|p| Aabb::new(p, p)).collect();
    assert_eq!(BroadPhase::new().detect(&apart).len(), 0);
    check(&apart, "points apart");

    let twice: Vec<Aabb<f32, 3>> = points(0.5).chain(points(0.5)).map(|p| Aabb::new(p, p)).collect();
    assert_eq!(BroadPhase::new().detect(&twice).len(), 1000);
    let around: Vec<Aabb<f32, 3>> =
        apart.iter().chain(&twice[..500]).copied().chain([Aabb::around([3.0; 3], [1.5; 3])]).collect();
    check(&around, "points twice and a box around some");
}

/// The scalar's digits are used up: neighbors are 1e23 apart, and every cell index saturates.
#[test]
fn far_out() {
    for magnitude in [1e9, 1e20, 1e30, 1e37] {
        let step = magnitude * 1e-6;
        let rng = &mut Rng(7);
        let boxes: Vec<Aabb<f32, 3>> = (0..400)
            .map(|i| {
                let sign = if i % 3 == 0 { -1.0 } else { 1.0 };
                let corner: [f64; 3] = std::array::from_fn(|_| sign * magnitude + step * rng.within(0.0, 8.0));
                let size = if i % 50 == 0 { magnitude } else { step };
                Aabb::new(corner.map(|x| x as f32), corner.map(|x| (x + size) as f32))
            })
            .chain(scene(200, Sizes::Mono, Placement::Uniform, 10.0).boxes())
            .collect();
        check(&boxes, &format!("around {magnitude}"));
    }
}

#[test]
fn the_largest_bounds_there_are() {
    let (most, less) = (f32::MAX, f32::MAX.next_down());
    let boxes: Vec<Aabb<f32, 2>> = [
        ([-most, -most], [most, most]), // its extent overflows
        ([less, less], [most, most]),
        ([most, most], [most, most]),
        ([-most, -most], [-less, -less]),
        ([-most, 0.0], [-most, 0.0]),
        ([-most, 0.0], [0.0, most]),
        ([0.0, 0.0], [most, 1.0]),
        ([-1.0, -1.0], [1.0, 1.0]),
        ([most, most], [INF, INF]),
    ]
    .map(|(min, max)| Aabb::new(min, max))
    .to_vec();
    check(&boxes, "f32::MAX");
    let wide: Vec<Aabb<f64, 2>> = boxes.iter().map(|b| Aabb::new(b.min.map(widen), b.max.map(widen))).collect();
    check(&wide, "f64::MAX");

    fn widen(x: f32) -> f64 {
        if x.abs() >= f32::MAX.next_down() && x.is_finite() { f64::MAX * (x / f32::MAX) as f64 } else { x as f64 }
    }
}

#[test]
fn denormals() {
    let tiny = f32::from_bits(1);
    let rng = &mut Rng(3);
    let mut boxes: Vec<Aabb<f32, 3>> = (0..500)
        .map(|_| {
            let corner: [i32; 3] = std::array::from_fn(|_| rng.below(60) as i32 - 30);
            let size: [i32; 3] = std::array::from_fn(|_| rng.below(8) as i32);
            let at = |cell: i32| cell as f32 * tiny;
            Aabb::new(corner.map(at), [0, 1, 2].map(|axis| at(corner[axis] + size[axis])))
        })
        .collect();
    check(&boxes, "denormals");
    boxes.extend(scene(200, Sizes::Hyper, Placement::Clustered, 1.0).boxes::<f32, 3>());
    check(&boxes, "denormals among others");
}

#[test]
fn long_and_flat_boxes() {
    let rng = &mut Rng(21);
    for shape in [[1000.0, 0.1, 0.1], [0.1, 0.1, 1000.0], [300.0, 300.0, 0.001], [0.001, 300.0, 300.0], [300.0, 0.0, 300.0]] {
        let mut random = |scale: f64| -> [f64; 3] { std::array::from_fn(|_| rng.within(-scale, scale)) };
        let alike = (0..400).map(|_| Aabb::around(random(400.0), shape));
        let boxes: Vec<Aabb<f64, 3>> = alike.collect();
        check(&boxes, &format!("all of shape {shape:?}"));
    }
    // All three directions crossed, like jackstraws.
    let boxes: Vec<Aabb<f64, 3>> = (0..600)
        .map(|i| {
            let mut half = [0.05; 3];
            half[i % 3] = 200.0;
            Aabb::around(std::array::from_fn(|_| rng.within(-10.0, 10.0)), half)
        })
        .collect();
    check(&boxes, "jackstraws");
}

#[test]
fn a_channel_a_plane_and_a_line() {
    for axis in 0..3 {
        let rng = &mut Rng(axis as u64);
        let channel: Vec<Aabb<f32, 3>> = (0..1200)
            .map(|_| {
                let mut corner: [f32; 3] = std::array::from_fn(|_| rng.unit() as f32);
                corner[axis] *= 1024.0;
                Aabb::new(corner, corner.map(|x| x + 0.3))
            })
            .collect();
        check(&channel, &format!("1024:1:1 along axis {axis}"));
        // The seed chooses the axis.
        let placed = |placement| Scene { seed: axis as u64, ..scene(1000, Sizes::Poly, placement, 500.0) };
        check(&placed(Placement::Line).boxes::<f32, 3>(), &format!("line along axis {axis}"));
        check(&placed(Placement::Plane).boxes::<f32, 3>(), &format!("plane across axis {axis}"));
        check(&placed(Placement::Plane).boxes::<f64, 2>(), &format!("plane across axis {axis}, in 2D"));
    }
}

/// Half spaces, slabs, beams, everything, and the corners at infinity, all of them valid.
#[test]
fn infinite_boxes_among_ordinary_ones() {
    let all = ([-INF; 3], [INF; 3]);
    let infinite: Vec<Aabb<f32, 3>> = [
        ([-INF, -INF, -INF], [INF, INF, 0.0]), // ground
        ([-INF, -INF, 3.0], [INF, INF, 3.0]),  // a plane without thickness
        ([2.0, -INF, -INF], [INF, INF, INF]),
        ([-INF, 1.0, 1.0], [INF, 2.0, 2.0]), // a beam
        ([0.0, 0.0, 0.0], [1.0, 1.0, INF]),
        ([-INF, -INF, -INF], [-INF, INF, INF]), // the wall at the end of the world
        ([INF; 3], [INF; 3]),
        all,
        all,
    ]
    .map(|(min, max)| Aabb::new(min, max))
    .to_vec();
    check(&infinite, "only infinite ones");
    for (n, extent) in [(1, 1.0), (60, 10.0), (900, 20.0), (1200, 60.0)] {
        let mut boxes = scene(n, Sizes::Poly, Placement::Uniform, extent).boxes();
        boxes.splice(n / 2..n / 2, infinite.iter().copied());
        check(&boxes, &format!("infinite ones among {n}"));
    }
}

#[test]
fn one_dust_grain_to_the_whole_world() {
    let sizes = [1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9];
    let rng = &mut Rng(5);
    let mut boxes: Vec<Aabb<f64, 3>> = Vec::new();
    for (decade, size) in sizes.iter().enumerate() {
        for _ in 0..[300, 200, 100, 30, 5, 1][decade] {
            // Everyone within reach of somebody smaller: the spread grows with the size, from the same corner.
            boxes.push(Aabb::around(std::array::from_fn(|_| size * rng.within(0.0, 5.0)), [size * 0.5; 3]));
        }
    }
    boxes.push(Aabb::new([-1e12; 3], [1e12; 3]));
    check(&boxes, "dust to world");
    rng.shuffle(&mut boxes);
    check(&boxes, "dust to world, shuffled");
}

#[test]
fn far_from_the_origin_in_f64() {
    for origin in [1e12, -1e12] {
        for sizes in [Sizes::Mono, Sizes::Hyper] {
            let scene = Scene { origin, ..scene(900, sizes, Placement::Uniform, 25.0) };
            check(&scene.boxes::<f64, 3>(), &format!("at {origin}"));
            check(&scene.boxes::<f64, 2>(), &format!("at {origin}, in 2D"));
        }
    }
}

/// Two equal clusters of unit boxes, so far apart along an axis; and the statistics after some steps with them.
fn two_clusters(config: &Config, distance: f64, axis: usize) -> Stats {
    let mut boxes = scene(3000, Sizes::Mono, Placement::Uniform, 30.0).boxes::<f64, 3>();
    boxes.extend_from_within(..);
    for aabb in &mut boxes[3000..] {
        aabb.min[axis] += distance;
        aabb.max[axis] += distance;
    }
    let expected = Oracle::detect(&boxes);
    let mut engine = BroadPhase::<f64, 3>::with_config(config.clone()).unwrap();
    for _ in 0..3 {
        assert_same(engine.detect(&boxes), &expected, &format_args!("{distance} apart along axis {axis}, {config:?}"));
    }
    engine.stats().clone()
}

/// Side by side: the clusters are 30 wide and their boxes 1, so that they do not meet.
const NEAR: f64 = 64.0;
const FAR: f64 = 1e9;

/// Memory follows the objects, not the extent: empty space between two clusters costs nothing.
#[test]
fn two_clusters_a_billion_cells_apart() {
    // Borders of chunks cut the clusters in other places, two or three times along an axis.
    let same = |one: usize, other: usize| one <= other * 8 / 5 && other <= one * 8 / 5;
    for config in [grid_config().exact_cell_size(1.0), grid_config().exact_cell_size(1.0).max_levels(1)] {
        let near = two_clusters(&config, NEAR, 0);
        assert!(near.chunks > 10, "a scene of several chunks: {near:?}");
        for axis in 0..3 {
            let far = two_clusters(&config, FAR, axis);
            assert!(same(far.chunks, near.chunks), "axis {axis}: {} chunks, near {}", far.chunks, near.chunks);
            assert!(same(far.bytes, near.bytes), "axis {axis}: {} bytes, near {}", far.bytes, near.bytes);
        }
    }
    // With a free choice the plan may differ, and take less.
    let near = two_clusters(&Config::default(), NEAR, 0);
    for axis in 0..3 {
        let far = two_clusters(&Config::default(), FAR, axis);
        assert!(far.bytes <= near.bytes * 8 / 5, "axis {axis}: {} bytes, near {}", far.bytes, near.bytes);
    }
}

/// The extent should not make the planner blind for the density within the clusters, either.
#[test]
fn two_clusters_a_billion_cells_apart_take_no_more_work() {
    let near = two_clusters(&Config::default(), NEAR, 0).candidates;
    for axis in 0..3 {
        let far = two_clusters(&Config::default(), FAR, axis).candidates;
        assert!(far <= 4 * near, "axis {axis}: {far} candidates, near {near}");
    }
}

/// A configuration may be absurd as long as it is valid.
#[test]
fn configurations_that_make_no_sense() {
    let boxes = scene(700, Sizes::Poly, Placement::Clustered, 40.0).boxes::<f32, 3>();
    let expected = Oracle::detect(&boxes);
    for edge in [f64::MIN_POSITIVE, 1e-45, 1e-20, 1e20, 1e38, f64::MAX] {
        for levels in [1, 2, 8] {
            let config = grid_config().exact_cell_size(edge).max_levels(levels);
            let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
            assert_same(engine.par_detect(&boxes), &expected, &format_args!("{config:?}"));
        }
    }
    for limit in [0, 1, usize::MAX] {
        let config = Config::default().all_pairs_up_to(limit).serial_up_to(usize::MAX - limit);
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        assert_same(engine.par_detect(&boxes), &expected, &format_args!("{config:?}"));
    }
}

#[test]
fn configurations_that_are_refused() {
    use pivotgrid::ConfigError;
    for edge in [0.0, -0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = BroadPhase::<f32, 3>::with_config(Config::default().cell_size(edge)).unwrap_err();
        assert_eq!(refused, ConfigError::CellSize(edge));
        assert!(refused.to_string().contains("cell_size"));
    }
    let refused = BroadPhase::<f32, 3>::with_config(Config::default().cell_size(f64::NAN)).unwrap_err();
    assert!(matches!(refused, ConfigError::CellSize(edge) if edge.is_nan()));
    for levels in [0, 17, usize::MAX] {
        let refused = BroadPhase::<f64, 2>::with_config(Config::default().max_levels(levels)).unwrap_err();
        assert_eq!(refused, ConfigError::MaxLevels(levels));
    }
    for config in configs() {
        assert!(BroadPhase::<f32, 2>::with_config(config).is_ok());
    }
}
