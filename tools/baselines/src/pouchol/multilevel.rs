//! Multilevel hashing: section 2.2, after Eitz and Lixu.

use pivotgrid::Pair;

use super::classes::{Choice, Classes};
use super::queries::{Queries, around, keep_within};
use super::table::{Key, Table, hash};
use crate::{Bounds, Pairs, System};

/// Pouchol et al., section 2.2: each object in the class of its size, in all cells there that it covers, of which there are at
/// most two per axis. A query looks into every class.
#[derive(Clone, Debug)]
pub struct MultilevelHashing<const D: usize> {
    choice: Choice,
    classes: Option<Classes>,
    class_of: Vec<u8>,
    table: Table<D>,
}

/// One table for all classes, whose cells of the same number must not have the same hash.
#[inline]
fn key<const D: usize>(class: u32, cell: [i32; D]) -> Key<D> {
    Key { hash: hash(cell).wrapping_add(class.wrapping_mul(0x9E37_79B9)), class, cell }
}

impl<const D: usize> MultilevelHashing<D> {
    /// Uses the classes that the objects of a step need.
    pub fn new() -> Self {
        Self::with_choice(Choice::Needed)
    }

    /// Uses classes of `smallest` times `2^k` for each `k` of `doublings`, and of `smallest` itself. If an object is larger
    /// than all of them, a class is added for it, where the paper would cut it into pieces.
    pub fn with_classes(smallest: f32, doublings: &[u32]) -> Self {
        Self::with_choice(Choice::Given { smallest, classes: doublings.iter().fold(1, |classes, k| classes | 1 << k) })
    }

    pub(super) fn with_choice(choice: Choice) -> Self {
        MultilevelHashing { choice, classes: None, class_of: Vec::new(), table: Table::new() }
    }

    /// Calls `visit` once with each object that overlaps the query.
    fn for_each(&self, boxes: &[Bounds<D>], query: &Bounds<D>, mut visit: impl FnMut(u32)) {
        let Some(classes) = &self.classes else { return };
        for class in classes.descending() {
            let cells = classes.cells(query, class);
            cells.for_each(|cell| {
                let Some(slot) = self.table.find(&key(class, cell)) else { return };
                for object in self.table.objects(slot) {
                    let bounds = &boxes[object as usize];
                    if classes.meet_first_in(cell, class, query, bounds) {
                        visit(object);
                    }
                }
            });
        }
    }
}

impl<const D: usize> Default for MultilevelHashing<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> System<D> for MultilevelHashing<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let classes = Classes::choose(&self.choice, boxes, &mut self.class_of);
        self.table.clear();
        for (object, (bounds, &class)) in boxes.iter().zip(&self.class_of).enumerate() {
            let class = u32::from(class);
            classes.cells(bounds, class).for_each(|cell| {
                self.table.push(key(class, cell), object as u32);
            });
        }
        self.classes = Some(classes);
    }

    /// Each object looks for others in its own class and in larger ones, so each pair is found by its smaller object. In its
    /// own class it looks at those in front of which it was put into its cells' lists, and so needs no second look into the
    /// table.
    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let Some(classes) = &self.classes else { return };
        let descending: Vec<u32> = classes.descending().collect();
        let mut nodes = self.table.nodes().iter();
        for ((object, bounds), &class) in boxes.iter().enumerate().zip(&self.class_of) {
            let mut meet = |other: u32, class: u32, cell: [i32; D]| {
                pairs.candidates += 1;
                if classes.meet_first_in(cell, class, bounds, &boxes[other as usize]) {
                    pairs.found.push(Pair::new(object as u32, other));
                }
            };
            let own = u32::from(class);
            classes.cells(bounds, own).for_each(|cell| {
                let node = nodes.next().expect("one node for each cell of each object");
                self.table.objects_from(node.next).for_each(|other| meet(other, own, cell));
            });
            for &class in descending.iter().take_while(|&&class| class > own) {
                classes.cells(bounds, class).for_each(|cell| {
                    if let Some(slot) = self.table.find(&key(class, cell)) {
                        self.table.objects(slot).for_each(|other| meet(other, class, cell));
                    }
                });
            }
        }
    }

    fn bytes(&self) -> usize {
        self.class_of.capacity() + self.table.bytes()
    }
}

impl<const D: usize> Queries<D> for MultilevelHashing<D> {
    fn build(&mut self, boxes: &[Bounds<D>]) {
        self.update(boxes);
    }

    fn overlapping(&self, boxes: &[Bounds<D>], query: &Bounds<D>, found: &mut Vec<u32>) {
        self.for_each(boxes, query, |object| found.push(object));
    }

    fn within(&self, boxes: &[Bounds<D>], point: [f32; D], radius: f32, found: &mut Vec<u32>) {
        self.for_each(boxes, &around(point, radius), keep_within(boxes, point, radius, found));
    }
}
