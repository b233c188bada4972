//! What the debug view shows is what the step did: boxes hold their objects, and numbers add up to the statistics.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Coordinate, Rng, grid_config, grid_engine, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, DebugBlock, DebugObject, DebugView};
use scenes::{Scene, World};

/// Takes a step and compares the view of it with its input and its statistics.
#[track_caller]
fn check<S: Coordinate, const D: usize>(broad_phase: &mut BroadPhase<S, D>, boxes: &[Aabb<S, D>], what: &str) {
    let expected = broad_phase.par_detect(boxes).sorted();
    let (view, stats) = (broad_phase.debug_view(), broad_phase.stats());

    let mut levels = vec![(0, 0); stats.levels.len()];
    for chunk in view.chunks() {
        levels[chunk.level].0 += chunk.objects;
        levels[chunk.level].1 += 1;
    }
    let of_stats: Vec<_> = stats.levels.iter().map(|level| (level.objects, level.chunks)).collect();
    assert_eq!(levels, of_stats, "{what}");
    assert_eq!((view.chunks().count(), view.cells().count()), (stats.chunks, stats.occupied_cells), "{what}");

    let mut seen = vec![false; boxes.len()];
    for object in view.objects() {
        assert!(!std::mem::replace(&mut seen[object.index], true), "{what}: {} twice", object.index);
        assert_eq!(object.bounds, boxes[object.index], "{what}");
    }
    assert_eq!(seen.iter().filter(|seen| !**seen).count(), stats.rejected, "{what}");
    assert_eq!(view.objects().filter(|object| object.level.is_none()).count(), stats.oversized, "{what}");

    hold_their_objects(view, view.chunks(), what);
    hold_their_objects(view, view.cells(), what);
    assert_eq!(view.pairs().sorted(), expected, "{what}");
    assert_eq!(view.pair_lines().count(), expected.len(), "{what}");
}

/// Objects come in the order of the blocks.
#[track_caller]
fn hold_their_objects<S: Coordinate, const D: usize>(
    view: DebugView<'_, S, D>,
    blocks: impl Iterator<Item = DebugBlock<S, D>>,
    what: &str,
) {
    let mut objects = view.objects();
    for block in blocks {
        assert!(block.objects > 0, "{what}: an empty block");
        for object in objects.by_ref().take(block.objects) {
            let DebugObject { bounds: Aabb { min, .. }, level, .. } = object;
            let inside = Aabb { min, max: min }.overlaps(&block.bounds);
            assert!(inside && level == Some(block.level), "{what}: {object:?} is not in {block:?}");
        }
    }
    assert!(objects.all(|object| object.level.is_none()), "{what}: an object with a level and without a block");
}

fn boxes<S: Coordinate + scenes::Scalar, const D: usize>(world: &World<S, D>) -> Vec<Aabb<S, D>> {
    world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect()
}

fn all_scenes<S: Coordinate + scenes::Scalar, const D: usize>() {
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let mut broad_phase = BroadPhase::<S, D>::new();
        let mut world = World::new(scene, 3000, 11);
        for step in 0..3 {
            pool(2).install(|| check(&mut broad_phase, &boxes(&world), &format!("{scene} in {D}D, step {step}")));
            world.step();
        }
    }
}

#[test]
fn every_scene_in_every_form() {
    all_scenes::<f32, 2>();
    all_scenes::<f32, 3>();
    all_scenes::<f64, 2>();
    all_scenes::<f64, 3>();
}

/// Corners on and beside the borders of cells, far from the origin, where a rounding error is as large as a cell.
fn borders_and_offsets<S: Coordinate>() {
    let mut rng = Rng(5);
    for offset in [0.0, 1e3, -1e6, 1e8, 1e12, 1e30] {
        let boxes: Vec<Aabb<S, 3>> = (0..800)
            .map(|_| {
                let exact = [(); 3].map(|()| S::of(offset + rng.below(40) as f64));
                let min = exact.map(|x| [x, x.up(), x.down()][rng.below(3)]);
                Aabb::new(min, min.map(|x| S::of(x.into() + 1.0)))
            })
            .collect();
        check(&mut grid_engine(), &boxes, &format!("offset {offset}"));
    }
}

#[test]
fn borders_are_right_to_the_last_digit() {
    borders_and_offsets::<f32>();
    borders_and_offsets::<f64>();
}

#[test]
fn what_is_far_away_shares_an_outermost_cell_without_an_end() {
    let far = [1e30, f32::MAX, f32::INFINITY, -1e30, f32::NEG_INFINITY].map(|x| Aabb::new([x; 2], [x; 2]));
    let near = (0..900).map(|i| Aabb::new([(i % 30) as f32, (i / 30) as f32], [(i % 30) as f32 + 0.5, (i / 30) as f32 + 0.5]));
    let ground = Aabb::new([f32::NEG_INFINITY, -1.0], [f32::INFINITY, 0.0]);
    let invalid = Aabb::new([f32::NAN, 0.0], [1.0, 1.0]);
    let boxes: Vec<_> = near.chain(far).chain([ground, invalid]).collect();
    let mut broad_phase = grid_engine();
    check(&mut broad_phase, &boxes, "far away");
    assert!(broad_phase.stats().rejected == 1 && broad_phase.stats().oversized >= 1);
    let endless = |block: &DebugBlock<f32, 2>| block.bounds.max == [f32::INFINITY; 2];
    assert_eq!(broad_phase.debug_view().cells().find(endless).expect("a cell for the far ones").objects, 3);
}

#[test]
fn few_objects_are_listed() {
    let boxes = [Aabb::new([0.0, 0.0], [2.0, 2.0]), Aabb::new([1.0, 1.0], [5.0, 3.0])];
    let mut broad_phase = BroadPhase::<f64, 2>::new();
    check(&mut broad_phase, &boxes, "two boxes");
    let view = broad_phase.debug_view();
    assert_eq!(view.chunks().count(), 0);
    assert_eq!(view.pair_lines().collect::<Vec<_>>(), [[[1.0, 1.0], [3.0, 2.0]]]);
}

/// Panics when it is asked for the box of a negative place.
struct Fragile(f32);

impl Bounded<f32, 2> for Fragile {
    fn aabb(&self) -> Aabb<f32, 2> {
        assert!(self.0 >= 0.0, "on purpose");
        Aabb::new([self.0, 0.0], [self.0 + 1.0, 1.0])
    }
}

fn is_empty<S: Coordinate, const D: usize>(broad_phase: &BroadPhase<S, D>) -> bool {
    let view = broad_phase.debug_view();
    let nothing = view.chunks().count() + view.cells().count() + view.objects().count() + view.pair_lines().count() == 0;
    nothing && view.pairs().is_empty()
}

#[test]
fn without_a_complete_step_there_is_nothing_to_see() {
    let mut broad_phase = grid_engine();
    assert!(is_empty(&broad_phase));
    let mut objects: Vec<_> = (0..300).map(|i| Fragile(i as f32)).collect();
    broad_phase.detect(&objects);
    assert!(!is_empty(&broad_phase));
    objects[200].0 = -1.0;
    catch_unwind(AssertUnwindSafe(|| broad_phase.detect(&objects).len())).expect_err("a panic in the user's code");
    assert!(is_empty(&broad_phase));
    objects[200].0 = 200.0;
    broad_phase.detect(&objects);
    assert!(!is_empty(&broad_phase));
    broad_phase.shrink_to_fit();
    assert!(is_empty(&broad_phase));
}

#[test]
fn pairs_that_were_only_shown_are_not_there() {
    let boxes: Vec<_> = (0..300).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
    let mut broad_phase = grid_engine();
    broad_phase.over(&boxes).visit(|| (), |(), _| ControlFlow::Continue(()));
    let view = broad_phase.debug_view();
    assert_eq!((view.objects().count(), view.pairs().len()), (300, 0));
}

#[test]
fn a_box_is_outlined_by_its_edges() {
    let cube = Aabb::new([0.0, 1.0, 2.0], [10.0, 21.0, 32.0]);
    let lines: Vec<_> = cube.edges().collect();
    assert_eq!(lines.len(), 12);
    for (axis, length) in [10.0, 20.0, 30.0].into_iter().enumerate() {
        let along = lines.iter().filter(|[from, to]| (0..3).all(|other| (from[other] != to[other]) == (other == axis)));
        assert_eq!(along.filter(|[from, to]| to[axis] - from[axis] == length).count(), 4);
    }
    assert_eq!(cube.center(), [5.0, 11.0, 17.0]);
    assert_eq!(Aabb::new([f64::MAX / 2.0; 2], [f64::MAX; 2]).center(), [f64::MAX * 0.75; 2]);
}

#[test]
fn lines_between_two_sets_join_what_meets() {
    let at = |x: f32| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
    let (first, second) = ([at(0.0), at(50.0), at(100.0)], [at(100.5), at(0.5)]);
    let lines = |engine: &BroadPhase<f32, 2>| {
        let mut lines: Vec<_> = engine.debug_view().pair_lines().map(|ends| ends.map(|[x, _]| x)).collect();
        lines.sort_by(|one, other| one.partial_cmp(other).unwrap());
        lines
    };
    let mut engine = grid_engine::<f32, 2>();
    engine.over(&first).against(&second).pairs();
    assert_eq!(lines(&engine), [[0.5, 1.0], [100.5, 101.0]]);
    assert_eq!((engine.debug_view().pairs().len(), engine.debug_view().cross_pairs().len()), (0, 2));
    engine.over(&second).against(&first).serial().pairs();
    assert_eq!(lines(&engine), [[1.0, 0.5], [101.0, 100.5]]);
    // One set again.
    engine.detect(&[at(0.0), at(7.0), at(7.5)]);
    assert_eq!(lines(&engine), [[7.5, 8.0]]);
}

#[test]
fn pairs_are_shown_in_the_order_in_which_they_were_returned() {
    let boxes = boxes(&World::<f32, 3>::new(Scene::Uniform, 3000, 4));
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config().canonical_order(true)).unwrap();
    let expected: Vec<_> = engine.par_detect(&boxes).iter().collect();
    assert!(expected.is_sorted() && expected.len() > 1000);
    assert!(engine.debug_view().pairs().iter().eq(expected));
}
