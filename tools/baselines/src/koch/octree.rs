//! The octree.

use crate::schornbaum::{Crowd, Unbounded, size};
use crate::{Bounds, Pairs, System};

use super::domain::Domain;
use super::tree::Tree;

/// The deepest leaves are a millionth of the domain wide. Only points could ask for more.
const DEEPEST: u32 = 20;
/// Objects may be outside of the root by this part of it before the tree is built anew. They count as in the leaves at its
/// border, which is correct but crowds these.
const BEYOND: f64 = 0.125;

/// Octree with stored adjacency, sections 2.4 and 3.1: each object is in the leaf that holds its lower corner, and each leaf is
/// compared with itself and with the leaves that it touches. The tree is kept between steps, only its contents are replaced,
/// and it is built anew from time to time (section 3.1.3).
///
/// The thesis compares leaves in both directions, and drops the pairs whose first index is the larger; here two leaves meet
/// once, which hands the same pairs to the comparison. Like the thesis this one limits the depth so that no leaf is smaller
/// than the largest object: that keeps it correct whatever the sizes are, and is why a single large object makes it slow. The
/// thesis calls for the depth to be set by hand; here it is the greatest valid one, as in all of its benchmarks. The root is a
/// cube: a flat one would allow no depth.
#[derive(Clone, Debug)]
pub struct Octree<const D: usize> {
    capacity: usize,
    rebuild_every: u32,
    /// Steps since the tree was built.
    age: u32,
    root: Root<D>,
    tree: Tree<D>,
    unbounded: Unbounded,
    crowd: Crowd<D>,
}

/// The cube that is divided.
#[derive(Clone, Copy, Debug)]
struct Root<const D: usize> {
    origin: [f64; D],
    edge: f64,
}

impl<const D: usize> Octree<D> {
    /// With leaves that are split when they would hold more than `capacity` objects, and a new tree at fixed intervals.
    pub fn new(capacity: usize, rebuild_every: u32) -> Self {
        Octree {
            capacity,
            rebuild_every,
            age: 0,
            root: Root { origin: [0.0; D], edge: 1.0 },
            tree: Tree::new(0, capacity),
            unbounded: Unbounded::default(),
            crowd: Crowd::new(),
        }
    }

    /// Keeps the tree, without its contents, or plants a new one.
    fn prepare(&mut self, domain: &Domain<D>) {
        self.age += 1;
        if self.age < self.rebuild_every && self.root.fits(domain) && self.root.depth(domain.largest) == self.tree.depth() {
            self.tree.clear();
        } else {
            self.age = 0;
            self.root = Root::new(domain);
            self.tree = Tree::new(self.root.depth(domain.largest), self.capacity);
        }
    }
}

/// Leaves for 11 objects, as in most of the benchmarks. After how many steps the tree is built anew, the thesis leaves open.
impl<const D: usize> Default for Octree<D> {
    fn default() -> Self {
        Self::new(11, 100)
    }
}

impl<const D: usize> Root<D> {
    fn new(domain: &Domain<D>) -> Self {
        Root { origin: domain.min, edge: Self::ideal_edge(domain) }
    }

    fn ideal_edge(domain: &Domain<D>) -> f64 {
        let edge = domain.extent().max(domain.largest);
        if edge > 0.0 { edge } else { 1.0 }
    }

    /// Whether a new root would not be much better.
    fn fits(&self, domain: &Domain<D>) -> bool {
        let beyond = BEYOND * self.edge;
        let inside = |k: usize| domain.min[k] >= self.origin[k] - beyond && domain.max[k] <= self.origin[k] + self.edge + beyond;
        (0..D).all(inside) && 2.0 * Self::ideal_edge(domain) > self.edge
    }

    /// How often the edge can be halved without getting smaller than the largest object.
    fn depth(&self, largest: f64) -> u32 {
        (0..DEEPEST).find(|&depth| self.edge / f64::from(2_u32 << depth) < largest).unwrap_or(DEEPEST)
    }

    /// The smallest cell that an object is in. What is outside counts as at the border.
    #[inline]
    fn place(&self, bounds: &Bounds<D>, cells: u32) -> [u32; D] {
        let inverse = f64::from(cells) / self.edge;
        std::array::from_fn(|k| (((f64::from(bounds.min[k]) - self.origin[k]) * inverse) as u32).min(cells - 1))
    }
}

impl<const D: usize> System<D> for Octree<D> {
    fn update(&mut self, boxes: &[Bounds<D>]) {
        let Some(domain) = Domain::of(boxes, &mut self.unbounded) else {
            return self.tree.clear();
        };
        self.prepare(&domain);
        let (root, cells) = (self.root, 1 << self.tree.depth());
        for (id, _) in boxes.iter().enumerate().filter(|(_, bounds)| size(bounds).is_some()) {
            self.tree.insert(id as u32, |id| root.place(&boxes[id as usize], cells));
        }
    }

    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        let Octree { tree, crowd, .. } = self;
        tree.for_each_leaf(|leaf| {
            crowd.clear();
            tree.ids(leaf).iter().for_each(|id| crowd.push(boxes, *id));
            crowd.compare_inside(pairs);
            for &other in tree.adjacent(leaf).iter().filter(|other| **other > leaf) {
                tree.ids(other).iter().for_each(|id| crowd.compare(boxes, *id, pairs));
            }
        });
        self.unbounded.report(boxes, pairs);
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.unbounded.bytes() + self.crowd.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Noise, brute_force, pairs_of};

    #[test]
    fn the_depth_follows_the_largest_object() {
        let root = Root::<3> { origin: [0.0; 3], edge: 100.0 };
        assert_eq!(root.depth(1.0), 6);
        assert_eq!([0.0, 1e-9, 50.0, 51.0, 200.0].map(|largest| root.depth(largest)), [20, 20, 1, 0, 0]);
    }

    #[test]
    fn the_tree_is_kept_while_it_fits() {
        let mut noise = Noise::new(3);
        let mut boxes = noise.boxes::<3>(400, 20.0, 0.5..0.9);
        let mut system = Octree::<3>::new(4, 10);
        let mut ages = Vec::new();
        for _ in 0..25 {
            assert_eq!(pairs_of(&mut system, &boxes), brute_force(&boxes));
            ages.push(system.age);
            noise.jostle(&mut boxes, 0.05);
        }
        assert_eq!(ages.iter().filter(|age| **age == 0).count(), 3, "one of them the first: {ages:?}");
        for bounds in &mut boxes {
            *bounds = Bounds { min: bounds.min.map(|x| x + 99.0), max: bounds.max.map(|x| x + 99.0) };
        }
        assert_eq!(pairs_of(&mut system, &boxes), brute_force(&boxes));
        assert_eq!(system.age, 0, "everything is elsewhere");
    }
}
