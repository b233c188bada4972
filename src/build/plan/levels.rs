//! Decides which sizes share a level: greedy cuts, as long as another cut saves a worthwhile part of the predicted cost.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::cells::Limits;
use super::crossing::{Crossing, Sampled};
use super::density::sampled;
use super::group::{Crowd, Group, LANES};
use super::survey::{Atoms, SizeClass, Survey, corners};
use crate::Scalar;
use crate::layout::grid::Item;
use crate::layout::staged::BoxList;
use crate::runtime::memory;
use crate::{Costs, Predicted};

/// A cut is made if the cost with it is below this part of the cost without it.
const WORTHWHILE: f64 = 0.95;

/// Entries of a chunk that look together, on average: pieces of large chunks are not full.
const ITEM: f64 = 0.8 * Item::MOST_ENTRIES as f64;

/// An entry that is near to a chunk costs as much as this many rows, whatever it meets, and a row of cells that it is compared with as much
/// as this many rows within a level: each row is looked up alone, and hits are found by branches. (`docs/planner.md` has the measurement.)
const NEAR: f64 = 2.0;
const ROW_ACROSS: f64 = 1.5;
/// Nanoseconds per object for gathering into several levels, and for the boxes around their chunks.
const SEVERAL: f64 = 1.0;

/// The most objects that may be in no level: comparing that many with each chunk, and with each other, is affordable.
pub(crate) fn most_listed(objects: usize) -> usize {
    (objects / 16).min(2 * (objects as f64).sqrt() as usize).max(64)
}

/// What the choice of levels depends on.
#[derive(Debug)]
pub(crate) struct SceneSummary<const D: usize> {
    pub(crate) costs: Costs,
    pub(crate) limits: Limits,
    atoms: Atoms,
    pub(crate) sample: Vec<Sampled>,
    crossing: Crossing<D>,
    /// The edges of the finest level's cells, if these are not for the planner to choose.
    forced: Option<[f64; 3]>,
    /// Groups of atoms, by the first and the end of their range: many cuts have groups in common.
    groups: Vec<OnceCell<Ranged<D>>>,
}

/// A group of atoms.
#[derive(Debug)]
pub(crate) struct Ranged<const D: usize> {
    pub(crate) group: Group<D>,
    pub(crate) atoms: Range<usize>,
    /// Its number among all groups.
    number: usize,
    /// The costs of looking into the groups of each number, as far as they are known: many cuts have pairs of groups in common.
    looks: Vec<Cell<Option<f64>>>,
}

/// Levels for groups of atoms.
#[derive(Debug, Default)]
pub(crate) struct Chosen<'a, const D: usize> {
    /// From small objects to large ones.
    pub(crate) groups: Vec<&'a Ranged<D>>,
    pub(crate) cost: Predicted,
}

impl<const D: usize> SceneSummary<D> {
    /// A scene of surveyed objects, of which some are looked at for their density.
    pub(crate) fn new<S: Scalar>(
        survey: &Survey,
        boxes: &(impl BoxList<S, D> + ?Sized),
        costs: Costs,
        forced: Option<[f64; 3]>,
    ) -> Self {
        let atoms = survey.atoms();
        let picked = sampled(boxes.len()).filter_map(|at| boxes.get(at));
        let sample = memory::collect(picked.map(|bounds| {
            let (corners, edges) = corners(&bounds);
            let point = std::array::from_fn(|axis| if edges[axis].is_finite() { corners[0][axis] } else { 0.0 });
            (point, atoms.of::<D>(edges))
        }));
        let crossing = Crossing::new(&atoms, &sample);
        let ranges = (atoms.classes.len() + 1) * (atoms.classes.len() + 1);
        let groups = memory::collect((0..ranges).map(|_| OnceCell::new()));
        SceneSummary { costs, limits: Limits::of::<S>(), atoms, sample, crossing, forced, groups }
    }

    /// Edges of the box that nearly all objects lie in.
    pub(crate) fn extent(&self) -> [f64; 3] {
        let mut all = SizeClass::default();
        self.atoms.classes.iter().for_each(|atom| all.absorb(atom));
        all.extent().1
    }

    /// All atoms in one group.
    pub(crate) fn whole(&self) -> &Ranged<D> {
        self.group(0, self.atoms.classes.len())
    }

    fn group(&self, first: usize, end: usize) -> &Ranged<D> {
        let place = first * (self.atoms.classes.len() + 1) + end;
        self.groups[place].get_or_init(|| {
            let mut class = SizeClass::default();
            self.atoms.classes[first..end].iter().for_each(|atom| class.absorb(atom));
            let atoms = first..end;
            let members = self.sample.iter().filter(|(_, atom)| atoms.contains(atom)).map(|(point, _)| *point);
            let overlap = self.crossing.overlap(&self.atoms.classes, first..end);
            let crowd = Crowd::new(class, &memory::collect(members), overlap);
            let group = Group::new(crowd, self.forced.filter(|_| first == 0), &self.costs, self.limits);
            Ranged { group, atoms, number: place, looks: memory::collect(self.groups.iter().map(|_| Cell::new(None))) }
        })
    }

    /// Cuts the atoms into groups, a level each.
    pub(crate) fn split(&self, max_levels: usize) -> Chosen<'_, D> {
        let atoms = &self.atoms.classes;
        // What is infinite along different axes has no cells in common.
        let forced = (1..atoms.len()).filter(|&at| atoms[at].endless != atoms[at - 1].endless);
        let mut cuts = memory::collect(forced.chain([atoms.len()]));
        let mut best = self.price(&cuts, max_levels);
        loop {
            let candidates = (1..atoms.len()).filter(|cut| !cuts.contains(cut)).map(|cut| {
                let mut with_cut = memory::collect(cuts.iter().copied().chain([cut]));
                with_cut.sort_unstable();
                (self.price(&with_cut, max_levels), with_cut)
            });
            match candidates.min_by(|a, b| a.0.cost.total().total_cmp(&b.0.cost.total())) {
                Some((chosen, with_cut))
                    if chosen.cost.total() < best.cost.total() * WORTHWHILE && with_cut.len() <= max_levels + 1 =>
                {
                    (best, cuts) = (chosen, with_cut);
                }
                _ => return best,
            }
        }
    }

    /// The cost of a level for each group; the largest objects are put into the list instead if that is cheaper, or if there are
    /// too few levels.
    fn price(&self, cuts: &[usize], max_levels: usize) -> Chosen<'_, D> {
        let firsts = std::iter::once(0).chain(cuts.iter().copied());
        let mut groups =
            memory::collect(firsts.zip(cuts).filter(|(first, end)| first < *end).map(|(first, &end)| self.group(first, end)));
        let by_size = |ranged: &Ranged<D>| ranged.group.cells.object_size;
        groups.sort_unstable_by(|a, b| by_size(a).total_cmp(&by_size(b)).then(a.atoms.start.cmp(&b.atoms.start)));
        let objects = |groups: &[&Ranged<D>]| groups.iter().map(|ranged| ranged.group.crowd.class.objects).sum::<usize>();
        let most_listed = most_listed(objects(&groups));
        let mut best: Option<Chosen<'_, D>> = None;
        // With forced edges there is always a grid.
        let fewest = usize::from(self.forced.is_some() && !groups.is_empty());
        for leveled in (fewest..=groups.len().min(max_levels)).rev() {
            let (in_levels, in_list) = groups.split_at(leveled);
            let listed = objects(in_list);
            if listed > most_listed && best.is_some() {
                break;
            }
            let cost = self.cost(in_levels, in_list);
            if best.as_ref().is_none_or(|best| cost.total() < best.cost.total()) {
                best = Some(Chosen { groups: memory::collect(in_levels.iter().copied()), cost });
            }
        }
        best.unwrap_or_default()
    }

    fn cost(&self, in_levels: &[&Ranged<D>], in_list: &[&Ranged<D>]) -> Predicted {
        let Costs { row, compare, look, .. } = self.costs;
        let mut cost = Predicted::default();
        for (at, a) in in_levels.iter().enumerate() {
            let own = &a.group.own;
            (cost.runs, cost.chunks, cost.within) = (cost.runs + own.runs, cost.chunks + own.chunks, cost.within + own.within);
            for b in &in_levels[at + 1..] {
                cost.across += self.look_cost(a, b).min(self.look_cost(b, a));
            }
            for huge in in_list {
                let per_chunk = look / 4.0 + huge.group.objects() / LANES * compare;
                cost.oversized += self.across(huge, a) + looking_chunks(&a.group) * per_chunk;
            }
        }
        if in_levels.len() > 1 {
            cost.across += SEVERAL * in_levels.iter().map(|ranged| ranged.group.objects()).sum::<f64>();
        }
        let listed: f64 = in_list.iter().map(|ranged| ranged.group.objects()).sum();
        cost.oversized += listed * (listed / 2.0 / LANES * compare + row);
        cost
    }

    /// The cost of pairs across two levels if the chunks of one look into the other.
    pub(crate) fn look_cost(&self, from: &Ranged<D>, into: &Ranged<D>) -> f64 {
        let known = &from.looks[into.number];
        known.get().unwrap_or_else(|| {
            let cost = self.across(into, from) + self.looks(from, into);
            known.set(Some(cost));
            cost
        })
    }

    /// Coarser objects against a finer level.
    fn across(&self, coarse: &Ranged<D>, fine: &Ranged<D>) -> f64 {
        let (cells, extent, class) = (&fine.group.cells, fine.group.crowd.extent(), &coarse.group.crowd.class);
        let mean = class.mean();
        // A row of each chunk is a run of its own.
        let rows = (0..D).filter(|&axis| !cells.ignored[axis]).fold(1.0, |rows, axis| {
            let along_rows = axis == cells.row;
            let most = (extent[axis] / if along_rows { cells.chunk::<D>(axis) } else { cells.size[axis] }).max(1.0);
            let searched = match class.is_endless(axis) {
                true => most,
                false if along_rows => cells.searched_chunks::<D>(axis, mean[axis]),
                false => cells.searched::<D>(axis, mean[axis]),
            };
            rows * searched.min(most)
        });
        let met = self.crossing.met(&self.atoms.classes, (&coarse.group, &coarse.atoms), (&fine.group, &fine.atoms));
        let Costs { row, compare, .. } = self.costs;
        coarse.group.objects() * (rows.min(8.0 * met) * ROW_ACROSS * row + compare * met / LANES)
    }

    /// Looking from the chunks of one level into another.
    fn looks(&self, from: &Ranged<D>, into: &Ranged<D>) -> f64 {
        let ((cells, reach), other) = ((&from.group.cells, from.group.crowd.class.mean()), &into.group.cells);
        let extent = into.group.crowd.extent();
        let is_open = |axis: usize| !cells.ignored[axis] && !other.ignored[axis];
        // The box around a chunk's entries.
        let around = |axis: usize| cells.chunk::<D>(axis) + reach[axis];
        let edges = std::array::from_fn(|axis| match axis < D && is_open(axis) {
            true => other.size[axis] * other.searched::<D>(axis, around(axis)),
            false => f64::MAX / 4.0,
        });
        let in_box = |edges| into.group.objects() * self.crossing.together(from.atoms.clone(), into.atoms.clone(), edges);
        let mean = into.group.crowd.class.mean();
        let reached =
            std::array::from_fn(|axis| if edges[axis] < f64::MAX / 4.0 { around(axis) + mean[axis] } else { edges[axis] });
        let (seen, near) = (in_box(edges), in_box(reached));
        let (touched, rows) = (0..D).filter(|&axis| !other.ignored[axis]).fold((1.0, 1.0), |(touched, rows), axis| {
            let all = |edge: f64| extent[axis] / edge + 1.0;
            let chunks = if is_open(axis) { other.searched_chunks::<D>(axis, around(axis)) } else { f64::INFINITY };
            let chunks = chunks.min(all(other.chunk::<D>(axis))).min(1e6);
            let searched = if is_open(axis) { other.searched::<D>(axis, around(axis)) } else { f64::INFINITY };
            let searched = if axis == other.row { chunks } else { searched.min(all(other.size[axis])) };
            (touched * chunks, rows * searched)
        });
        let Costs { row, compare, look, .. } = self.costs;
        let touched = touched.min(into.group.chunks + from.group.chunks);
        let rows = rows.min(8.0 * seen) * ROW_ACROSS * row;
        looking_chunks(&from.group) * (look * touched + rows + seen * compare / LANES + near * NEAR * row)
    }
}

/// How often a level's chunks look for objects of other levels.
fn looking_chunks<const D: usize>(group: &Group<D>) -> f64 {
    group.chunks.max(group.objects() / ITEM)
}
