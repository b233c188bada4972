//! Hierarchical hashing: section 3, the paper's own scheme.

use pivotgrid::Pair;

use super::classes::{Choice, Classes};
use super::queries::{Queries, around, keep_within};
use super::table::{Key, Table, hash};
use crate::cells::Block;
use crate::{Bounds, Pairs, System};

/// Pouchol et al., section 3: multilevel hashing in which a cell knows whether anything lies in smaller classes' cells inside it
/// (`hasChildren`), so a query that comes from the largest class ends where there is nothing below.
///
/// Pairs are found as in listing 3, while inserting: an object meets those that are there already. Objects are inserted in
/// order of descending class, so nothing smaller is there yet: it is enough to search the larger classes, top down, and to look
/// at who is in the cells that the object is put into. If all were inserted before, each object itself would have set the flags
/// on its way, and none would ever end a search.
#[derive(Clone, Debug)]
pub struct HierarchicalHashing<const D: usize> {
    choice: Choice,
    classes: Option<Classes>,
    class_of: Vec<u8>,
    /// All objects, those of the largest class first.
    order: Vec<u32>,
    descending: Vec<u32>,
    table: Table<D>,
}

impl<const D: usize> HierarchicalHashing<D> {
    /// Uses the classes that the objects of a step need.
    pub fn new() -> Self {
        Self::with_choice(Choice::Needed)
    }

    /// Uses classes of `smallest` times `2^k` for each `k` of `doublings`, and of `smallest` itself. For neighbor search,
    /// `smallest` is the interaction radius, and the larger classes are there to be empty in empty regions. If an object is
    /// larger than all of them, a class is added for it, where the paper would cut it into pieces.
    pub fn with_classes(smallest: f32, doublings: &[u32]) -> Self {
        Self::with_choice(Choice::Given { smallest, classes: doublings.iter().fold(1, |classes, k| classes | 1 << k) })
    }

    fn with_choice(choice: Choice) -> Self {
        HierarchicalHashing {
            choice,
            classes: None,
            class_of: Vec::new(),
            order: Vec::new(),
            descending: Vec::new(),
            table: Table::new(),
        }
    }

    /// Listing 1 for a cell of the box instead of a point, and from below: where the flag is set already, so it is in all larger
    /// classes. Calls `meet` with each of the cells and the objects that are there already.
    fn insert(&mut self, object: u32, class: u32, cells: &Block<D>, mut meet: impl FnMut([i32; D], u32)) {
        let level = self.descending.partition_point(|&other| other > class);
        cells.for_each(|cell| {
            let key_above =
                |hash: u32, class_above: u32| Key { hash, class: class_above, cell: cell.map(|i| i >> (class_above - class)) };
            let mut hashes = [0_u32; 32];
            let mut sum = 0_u32;
            for (hash_above, &class_above) in hashes.iter_mut().zip(&self.descending[..=level]) {
                sum = sum.wrapping_add(hash(key_above(0, class_above).cell));
                *hash_above = sum;
            }
            let earlier = self.table.push(Key { hash: sum, class, cell }, object);
            self.table.objects_from(earlier).for_each(|other| meet(cell, other));
            for (&hash_above, &class_above) in hashes[..level].iter().zip(&self.descending).rev() {
                let slot = self.table.claim(key_above(hash_above, class_above));
                if std::mem::replace(&mut slot.has_children, true) {
                    break;
                }
            }
        });
    }

    /// Listing 2: calls `visit` with the objects in all cells of the given classes, the largest ones, that the query covers; with
    /// class and cell.
    fn search(&self, classes: &Classes, searched: &[u32], query: &Bounds<D>, visit: &mut impl FnMut(u32, u32, [i32; D])) {
        if let Some(&largest) = searched.first() {
            let smallest = classes.cells(query, 0);
            classes.cells(query, largest).for_each(|cell| self.descend(searched, cell, 0, &smallest, visit));
        }
    }

    /// Visits a cell, and inside it the cells of the next class that the query covers. `hash_above` is the sum that equation 4
    /// has before the cell's own class.
    fn descend(
        &self,
        searched: &[u32],
        cell: [i32; D],
        hash_above: u32,
        query: &Block<D>,
        visit: &mut impl FnMut(u32, u32, [i32; D]),
    ) {
        let class = searched[0];
        let key = Key { hash: hash_above.wrapping_add(hash(cell)), class, cell };
        let Some(slot) = self.table.find(&key) else { return };
        self.table.objects(slot).for_each(|object| visit(object, class, cell));
        if slot.has_children
            && let Some(below) = searched.get(1)
        {
            let first = |i: i32| i64::from(i) << (class - below);
            let last = |i: i32| first(i) + (1 << (class - below)) - 1;
            let inside = Block {
                min: std::array::from_fn(|axis| first(cell[axis]).max((query.min[axis] >> below).into()) as i32),
                max: std::array::from_fn(|axis| last(cell[axis]).min((query.max[axis] >> below).into()) as i32),
            };
            inside.for_each(|cell| self.descend(&searched[1..], cell, key.hash, query, visit));
        }
    }

    /// Calls `visit` once with each object that overlaps the query.
    fn for_each(&self, boxes: &[Bounds<D>], query: &Bounds<D>, mut visit: impl FnMut(u32)) {
        let Some(classes) = &self.classes else { return };
        self.search(classes, &self.descending, query, &mut |object, class, cell| {
            let bounds = &boxes[object as usize];
            if classes.meet_first_in(cell, class, query, bounds) {
                visit(object);
            }
        });
    }
}

impl<const D: usize> Default for HierarchicalHashing<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> System<D> for HierarchicalHashing<D> {
    /// The paper's preprocessing: finds the classes and the order of insertion. The table is filled by [`report`](Self::report).
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let classes = Classes::choose(&self.choice, boxes, &mut self.class_of);
        self.descending.clear();
        self.descending.extend(classes.descending());
        self.classes = Some(classes);

        let mut places = [0; 32];
        self.class_of.iter().for_each(|&class| places[usize::from(class)] += 1);
        let mut place = 0;
        for count in places.iter_mut().rev() {
            place += std::mem::replace(count, place);
        }
        self.order.resize(boxes.len(), 0);
        for (object, &class) in self.class_of.iter().enumerate() {
            self.order[places[usize::from(class)]] = object as u32;
            places[usize::from(class)] += 1;
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let Some(classes) = self.classes.take() else { return };
        self.table.clear();
        for k in 0..self.order.len() {
            let object = self.order[k];
            let bounds = &boxes[object as usize];
            let mut meet = |other: u32, class: u32, cell: [i32; D]| {
                pairs.candidates += 1;
                if classes.meet_first_in(cell, class, bounds, &boxes[other as usize]) {
                    pairs.found.push(Pair::new(object, other));
                }
            };
            let class = u32::from(self.class_of[object as usize]);
            let larger = self.descending.partition_point(|&other| other > class);
            self.search(&classes, &self.descending[..larger], bounds, &mut meet);
            self.insert(object, class, &classes.cells(bounds, class), |cell, other| meet(other, class, cell));
        }
        self.classes = Some(classes);
    }

    fn bytes(&self) -> usize {
        self.class_of.capacity() + (self.order.capacity() + self.descending.capacity()) * size_of::<u32>() + self.table.bytes()
    }
}

impl<const D: usize> Queries<D> for HierarchicalHashing<D> {
    fn build(&mut self, boxes: &[Bounds<D>]) {
        self.update(boxes);
        let Some(classes) = self.classes.take() else { return };
        self.table.clear();
        for (object, bounds) in boxes.iter().enumerate() {
            let class = u32::from(self.class_of[object]);
            self.insert(object as u32, class, &classes.cells(bounds, class), |_, _| ());
        }
        self.classes = Some(classes);
    }

    fn overlapping(&self, boxes: &[Bounds<D>], query: &Bounds<D>, found: &mut Vec<u32>) {
        self.for_each(boxes, query, |object| found.push(object));
    }

    fn within(&self, boxes: &[Bounds<D>], point: [f32; D], radius: f32, found: &mut Vec<u32>) {
        self.for_each(boxes, &around(point, radius), keep_within(boxes, point, radius, found));
    }
}
