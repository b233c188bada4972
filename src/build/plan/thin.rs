//! Coarse levels for regions where a level's objects are few.
//!
//! Objects of one size may lie at two densities. The dense ones need small cells, and with those each of the sparse ones would occupy a
//! chunk of its own. A map of counts sends the sparse ones to a coarse level.

use super::cells::Cells;
use super::check::LONELY;
use super::group::Group;
use super::levels::{Ranged, SceneSummary};
use crate::Scalar;
use crate::layout::staged::BoxList;
use crate::layout::{Levels, Thin};
use crate::runtime::memory;

/// A level whose chunks are predicted to cost more than this part of all is looked at more closely.
pub(super) const SUSPICIOUS: f64 = 0.2;
/// A coarse level is added if the cost with it is below this part of the cost without it.
const WORTHWHILE: f64 = 0.85;
/// The fewest sampled objects that make a density.
const FEWEST: usize = 16;

/// Before the first count: sends a group's loners to a coarse level, and gives the others finer cells, if that is cheaper. A loner
/// has few others around it, as all objects tell, counted in boxes of the size of a chunk.
pub(super) fn thin_out<S: Scalar, const D: usize>(
    scene: &SceneSummary<D>,
    levels: &mut Levels<S, D>,
    ranged: &Ranged<D>,
    boxes: &(impl BoxList<S, D> + ?Sized),
    frame: [f64; 3],
) {
    let Ranged { group, atoms, .. } = ranged;
    let cells = group.cells.member::<S, D>(frame).level;
    let Some(level) = levels.iter().position(|level| level.taking_as(&cells) == cells) else { return };
    let chunk = |axis: usize| group.cells.chunk::<D>(axis);
    let cubes = group.cells.resized(chunk, scene.limits).member::<S, D>(frame).level;
    let mut rough = Thin::new(None, cubes, group.crowd.class.objects / 8, LONELY as u8);
    // If there is no other group, its level takes all objects.
    let is_whole = std::ptr::eq(scene.whole(), ranged);
    fill(&mut rough, (!is_whole).then_some((&*levels, level)), boxes);

    let members = memory::collect(scene.sample.iter().filter(|(_, atom)| atoms.contains(atom)).map(|(point, _)| *point));
    let is_loner = |point: &[f64; 3]| rough.is_thin(&std::array::from_fn(|axis| S::from_f64(point[axis])));
    let loners = memory::collect(members.iter().copied().filter(is_loner));
    let crowd = memory::collect(members.iter().copied().filter(|point| !is_loner(point)));
    if loners.len() < FEWEST || crowd.len() < FEWEST {
        return;
    }
    let part = |points: &[[f64; 3]]| {
        let share = points.len() as f64 / members.len() as f64;
        let crowd = group.crowd.part((group.objects() * share) as usize, points);
        Group::new(crowd, None, &scene.costs, scene.limits)
    };
    let (loners, crowd) = (part(&loners), part(&crowd));
    let cost = loners.own.total() + crowd.own.total() + crowd.chunks * scene.costs.look;
    if cost < WORTHWHILE * group.own.total() {
        let mut fine = levels.member(level).clone();
        fine.level = crowd.cells.around(&group.cells).member::<S, D>(frame).level.taking_as(&fine.level);
        fine.chunk_size = crowd.cells.member::<S, D>(frame).chunk_size;
        let level = levels.replace(level, fine);
        send_loners(levels, level, is_whole, &loners, boxes, scene, frame);
    }
}

/// Adds a coarse level for the loners of a level, and the map that identifies them. `is_whole`: that level takes all objects.
pub(super) fn send_loners<S: Scalar, const D: usize>(
    levels: &mut Levels<S, D>,
    level: usize,
    is_whole: bool,
    loners: &Group<D>,
    boxes: &(impl BoxList<S, D> + ?Sized),
    scene: &SceneSummary<D>,
    frame: [f64; 3],
) {
    let mut coarse = loners.cells.for_all_sizes().member(frame);
    coarse.by_size = false;
    let to = levels.insert(coarse);
    let from = level + usize::from(to <= level);
    let Cells { size, ignored, .. } = loners.cells;
    let edge = (0..D).filter(|&axis| !ignored[axis]).fold(0.0f64, |edge, axis| edge.max(size[axis]));
    let cubes = loners.cells.resized(|_| edge, scene.limits);
    let few = (8.0 + 3.0 * loners.crowd.expected(cubes.size)).min(200.0) as u8;
    let counts = loners.crowd.class.objects / 2;
    let mut map = Thin::new(Some(to), cubes.member::<S, D>(frame).level, counts, few);
    fill(&mut map, (!is_whole).then_some((&*levels, from)), boxes);
    levels.set_thin(from, map);
}

/// Counts the objects of a level, or all.
fn fill<S: Scalar, const D: usize>(
    map: &mut Thin<S, D>,
    of_level: Option<(&Levels<S, D>, usize)>,
    boxes: &(impl BoxList<S, D> + ?Sized),
) {
    boxes.in_memory_order().for_each(|bounds| {
        if of_level.is_none_or(|(levels, level)| levels.assign(bounds).is_some_and(|home| home.level == level)) {
            map.add(&bounds.min);
        }
    });
}
