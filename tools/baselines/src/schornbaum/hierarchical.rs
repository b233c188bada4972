//! The hierarchical hash grid.

use crate::{Bounds, Pairs, System};

use super::containers::Spot;
use super::detection::Detection;
use super::exhaustive::all_pairs;
use super::hierarchy::Hierarchy;
use super::size;
use super::unbounded::Unbounded;

/// What is done about objects that have moved: the two strategies of section 2.6, compared in 4.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// All objects are taken out of the grids, and put in again.
    Refill,
    /// Only those whose cell or grid has changed are (algorithm 2).
    MoveChanged,
}

/// The parameters. The default is the configuration of the thesis' benchmarks (section 4) where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many times larger the cells of the next coarser grid are: the hierarchy factor, above 1.
    pub factor: f64,
    /// A new grid has 2^this cells: 16×16×16, in the plane 64×64. Rounded down to the same power of two for each axis.
    pub bits: u32,
    /// With fewer cells per object than this, a grid doubles along each axis. 0 if grids never grow.
    pub cells_per_object: u32,
    /// Up to this many objects are compared all with all, until there have been more (section 3.7). The thesis does not name
    /// its threshold.
    pub all_pairs_up_to: usize,
    /// Whether the detection step visits the occupied cells in the order in which they lie in space. The thesis visits them in
    /// the order in which they were first occupied, and says nothing else about it; but then a cell's neighbors are
    /// seldom in the cache.
    pub in_order: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { factor: 2.0, bits: 12, cells_per_object: 8, all_pairs_up_to: 32, in_order: true }
    }
}

/// The hierarchical hash grid, sections 2.3 to 3.7.
///
/// Each object is in one cell, that of its lower corner, of one grid, the finest whose cells are larger than it. Cells are
/// found in double precision although boxes are in single, as in the thesis.
#[derive(Clone, Debug)]
pub struct HierarchicalHashGrid<const D: usize> {
    update: Update,
    settings: Settings,
    /// Whether there were ever enough objects for grids.
    active: bool,
    hierarchy: Hierarchy<D>,
    unbounded: Unbounded,
    /// Where each object is. Unknown, and not needed, when all are taken out at once.
    places: Vec<Place>,
    detection: Detection<D>,
}

/// Where an object is.
#[derive(Clone, Copy, Debug)]
struct Place {
    grid: u32,
    cell: u32,
    spot: Spot,
}

impl Place {
    /// In no grid.
    const NOWHERE: Self = Place { grid: u32::MAX, cell: 0, spot: Spot::NONE };
}

impl<const D: usize> HierarchicalHashGrid<D> {
    /// One without history.
    ///
    /// # Panics
    ///
    /// When the hierarchy factor is not above 1.
    pub fn new(update: Update, settings: Settings) -> Self {
        HierarchicalHashGrid {
            update,
            settings,
            active: false,
            hierarchy: Hierarchy::new(settings.factor, settings.bits),
            unbounded: Unbounded::default(),
            places: Vec::new(),
            detection: Detection::new(),
        }
    }

    fn refill(&mut self, boxes: &[Bounds<D>]) {
        self.hierarchy.clear();
        for (id, bounds) in boxes.iter().enumerate() {
            match size(bounds) {
                Some(size) => self.insert(id as u32, size, boxes),
                None => self.unbounded.push(id as u32),
            }
        }
    }

    fn move_changed(&mut self, boxes: &[Bounds<D>]) {
        for id in boxes.len()..self.places.len() {
            self.remove(id as u32);
        }
        self.places.resize(boxes.len(), Place::NOWHERE);
        for (id, bounds) in boxes.iter().enumerate() {
            let place = self.places[id];
            let id = id as u32;
            let Some(size) = size(bounds) else {
                self.remove(id);
                self.unbounded.push(id);
                continue;
            };
            match self.hierarchy.grids.get_mut(place.grid as usize) {
                Some(grid) if grid.suits(size) => {
                    let cell = grid.cell(bounds);
                    if cell != place.cell {
                        self.remove(id);
                        self.insert_into(place.grid, id, boxes);
                    }
                }
                _ => {
                    self.remove(id);
                    self.insert(id, size, boxes);
                }
            }
        }
    }

    #[inline]
    fn insert(&mut self, id: u32, size: f64, boxes: &[Bounds<D>]) {
        let grid = self.hierarchy.suitable(size);
        self.insert_into(grid, id, boxes);
    }

    #[inline]
    fn insert_into(&mut self, index: u32, id: u32, boxes: &[Bounds<D>]) {
        let grid = &mut self.hierarchy.grids[index as usize];
        let cell = grid.cell(&boxes[id as usize]);
        let spot = grid.insert(id, cell);
        let mut placed = |id: u32, cell, spot| {
            if self.update == Update::MoveChanged {
                self.places[id as usize] = Place { grid: index, cell, spot };
            }
        };
        placed(id, cell, spot);
        if grid.is_crowded(self.settings.cells_per_object) {
            grid.grow(boxes, placed);
        }
    }

    /// Takes an object out of its grid, if it is in one.
    #[inline]
    fn remove(&mut self, id: u32) {
        let Place { grid, cell, spot } = std::mem::replace(&mut self.places[id as usize], Place::NOWHERE);
        if grid != Place::NOWHERE.grid
            && let Some(moved) = self.hierarchy.grids[grid as usize].remove(cell, spot)
        {
            self.places[moved as usize].spot = spot;
        }
    }
}

impl<const D: usize> System<D> for HierarchicalHashGrid<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        self.active |= boxes.len() > self.settings.all_pairs_up_to;
        if self.active {
            self.unbounded.clear();
            match self.update {
                Update::Refill => self.refill(boxes),
                Update::MoveChanged => self.move_changed(boxes),
            }
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        if self.active {
            self.detection.run(&self.hierarchy.filled(), self.settings.in_order, boxes, pairs);
            self.unbounded.report(boxes, pairs);
        } else {
            all_pairs(boxes, pairs);
        }
    }

    fn bytes(&self) -> usize {
        self.hierarchy.bytes() + self.unbounded.bytes() + self.places.capacity() * size_of::<Place>() + self.detection.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Noise};

    fn pair_of<const D: usize>(settings: Settings) -> [HierarchicalHashGrid<D>; 2] {
        [Update::Refill, Update::MoveChanged].map(|update| HierarchicalHashGrid::new(update, settings))
    }

    fn both_agree_over_30_steps<const D: usize>(settings: Settings) {
        let [mut refill, mut changed] = pair_of::<D>(settings);
        let mut noise = Noise::new(8);
        let mut boxes = noise.boxes::<D>(700, 12.0, 0.1..1.5);
        for step in 0..30 {
            let expected = check::pairs_of(&mut refill, &boxes);
            assert_eq!(check::pairs_of(&mut changed, &boxes), expected, "step {step}");
            assert_eq!(expected, check::brute_force(&boxes), "step {step}");
            noise.jostle(&mut boxes, 0.3);
            if step % 7 == 3 {
                boxes.truncate(600);
            }
            if step % 5 == 2 {
                boxes.extend(noise.boxes::<D>(50, 12.0, 0.01..6.0));
            }
        }
    }

    #[test]
    fn both_strategies_find_the_same_with_any_parameters() {
        for factor in [1.3, 2.0, 5.0] {
            both_agree_over_30_steps::<2>(Settings { factor, ..Settings::default() });
            both_agree_over_30_steps::<3>(Settings { factor, ..Settings::default() });
        }
        both_agree_over_30_steps::<3>(Settings { bits: 0, cells_per_object: 0, ..Settings::default() });
        both_agree_over_30_steps::<2>(Settings { in_order: false, ..Settings::default() });
        both_agree_over_30_steps::<3>(Settings { bits: 0, cells_per_object: 1, all_pairs_up_to: 0, ..Settings::default() });
    }

    #[test]
    fn both_strategies_compare_the_same() {
        let [mut refill, mut changed] = pair_of::<3>(Settings::default());
        let mut noise = Noise::new(4);
        let mut boxes = noise.boxes::<3>(500, 8.0, 0.2..2.0);
        for _ in 0..10 {
            let [mut a, mut b] = [Pairs::default(), Pairs::default()];
            refill.update(&boxes);
            refill.report(&boxes, &mut a);
            changed.update(&boxes);
            changed.report(&boxes, &mut b);
            assert_eq!(a.candidates, b.candidates);
            assert!(a.candidates < 500 * 499 / 2, "fewer than all pairs");
            noise.jostle(&mut boxes, 0.1);
        }
    }

    #[test]
    fn no_grids_until_the_threshold_is_exceeded_then_always() {
        let settings = Settings { all_pairs_up_to: 10, ..Settings::default() };
        for mut system in pair_of::<2>(settings) {
            let boxes = Noise::new(1).boxes::<2>(11, 100.0, 1.0..1.1);
            let compared = |system: &mut HierarchicalHashGrid<2>, boxes: &[Bounds<2>]| {
                let mut pairs = Pairs::default();
                system.update(boxes);
                system.report(boxes, &mut pairs);
                pairs.candidates
            };
            assert_eq!((compared(&mut system, &boxes[..10]), system.hierarchy.grids.len()), (45, 0));
            assert!(compared(&mut system, &boxes) < 55);
            assert!(compared(&mut system, &boxes[..10]) < 45);
        }
    }

    #[test]
    fn a_resting_scene_takes_no_more_memory() {
        for mut system in pair_of::<3>(Settings::default()) {
            let mut noise = Noise::new(3);
            let mut boxes = noise.boxes::<3>(2000, 20.0, 1.0..1.2);
            system.update(&boxes);
            let held = system.bytes();
            assert!(held > 8 * 2000 * size_of::<u32>(), "eight cells for each object at least");
            for _ in 0..20 {
                system.update(&boxes);
            }
            assert_eq!(system.bytes(), held);
            boxes.clear();
            system.update(&boxes);
            assert_eq!(system.bytes(), held, "grids grow, and never shrink");
        }
    }
}
