//! The nodes of the octree.

/// An octree, in the plane a quadtree, over a cube of 2^depth smallest cells along each axis. Leaves hold objects, and know all
/// leaves that they touch (sections 2.4 and 3.1).
#[derive(Clone, Debug)]
pub(crate) struct Tree<const D: usize> {
    depth: u32,
    /// A full leaf is split when another object arrives, unless it is a smallest cell.
    capacity: usize,
    /// Where a node's children begin, 0 for leaves. Apart from the nodes, because it is all that is needed on the way down.
    children: Vec<u32>,
    nodes: Vec<Node<D>>,
}

#[derive(Clone, Debug)]
struct Node<const D: usize> {
    corner: [u32; D],
    edge: u32,
    ids: Vec<u32>,
    adjacent: Vec<u32>,
}

impl<const D: usize> Node<D> {
    fn touches(&self, other: &Self) -> bool {
        (0..D).all(|k| self.corner[k] <= other.corner[k] + other.edge && other.corner[k] <= self.corner[k] + self.edge)
    }
}

impl<const D: usize> Tree<D> {
    const ROOT: u32 = 0;
    const CHILDREN: u32 = 1 << D;

    pub(crate) fn new(depth: u32, capacity: usize) -> Self {
        let root = Node { corner: [0; D], edge: 1 << depth, ids: Vec::new(), adjacent: Vec::new() };
        Tree { depth, capacity, children: vec![0], nodes: vec![root] }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Takes all objects out; the nodes stay for the next step (section 3.1.3).
    pub(crate) fn clear(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.ids.clear());
    }

    /// Puts an object into the leaf that it belongs to. `place` says in which smallest cell an object is.
    #[inline]
    pub(crate) fn insert(&mut self, id: u32, place: impl Fn(u32) -> [u32; D]) {
        let at = place(id);
        let mut node = Self::ROOT;
        let mut edge = 1 << self.depth;
        loop {
            let children = self.children[node as usize];
            if children != 0 {
                edge /= 2;
                node = children + octant(at, edge);
                continue;
            }
            let ids = &mut self.nodes[node as usize].ids;
            if ids.len() < self.capacity || edge == 1 {
                ids.push(id);
                return;
            }
            self.split(node, &place);
        }
    }

    /// Turns a leaf into an inner node. Its neighbors have its children as neighbors then, as far as they touch.
    #[cold]
    fn split(&mut self, leaf: u32, place: &impl Fn(u32) -> [u32; D]) {
        let Node { corner, edge, ids, adjacent } = &mut self.nodes[leaf as usize];
        let (corner, half) = (*corner, *edge / 2);
        let (ids, adjacent) = (std::mem::take(ids), std::mem::take(adjacent));
        let first = self.nodes.len() as u32;
        self.children[leaf as usize] = first;
        for octant in 0..Self::CHILDREN {
            let corner = std::array::from_fn(|axis| corner[axis] + half * (octant >> axis & 1));
            let siblings = (0..Self::CHILDREN).filter(|other| *other != octant).map(|other| first + other);
            let mut child = Node { corner, edge: half, ids: Vec::new(), adjacent: siblings.collect() };
            for &other in &adjacent {
                let neighbor = &mut self.nodes[other as usize];
                if child.touches(neighbor) {
                    child.adjacent.push(other);
                    neighbor.adjacent.push(first + octant);
                }
            }
            self.nodes.push(child);
            self.children.push(0);
        }
        for other in adjacent {
            let neighbors = &mut self.nodes[other as usize].adjacent;
            let at = neighbors.iter().position(|node| *node == leaf).expect("neighbors know each other");
            neighbors.swap_remove(at);
        }
        for id in ids {
            self.nodes[(first + octant(place(id), half)) as usize].ids.push(id);
        }
    }

    /// Visits the leaves that hold objects, in the order of the tree, so that one is near the last.
    pub(crate) fn for_each_leaf(&self, mut visit: impl FnMut(u32)) {
        let mut stack = vec![Self::ROOT];
        while let Some(node) = stack.pop() {
            let children = self.children[node as usize];
            if children != 0 {
                stack.extend((children..children + Self::CHILDREN).rev());
            } else if !self.ids(node).is_empty() {
                visit(node);
            }
        }
    }

    /// A leaf's objects.
    #[inline]
    pub(crate) fn ids(&self, leaf: u32) -> &[u32] {
        &self.nodes[leaf as usize].ids
    }

    /// The leaves that a leaf touches.
    #[inline]
    pub(crate) fn adjacent(&self, leaf: u32) -> &[u32] {
        &self.nodes[leaf as usize].adjacent
    }

    pub(crate) fn bytes(&self) -> usize {
        let in_nodes = self.nodes.iter().map(|node| node.ids.capacity() + node.adjacent.capacity()).sum::<usize>();
        self.nodes.capacity() * size_of::<Node<D>>() + (self.children.capacity() + in_nodes) * size_of::<u32>()
    }
}

/// Which child of a node, its edge given, a smallest cell is in: one bit for each axis (figure 5).
#[inline]
fn octant<const D: usize>(at: [u32; D], child_edge: u32) -> u32 {
    (0..D).fold(0, |octant, axis| octant | u32::from(at[axis] & child_edge != 0) << axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Noise;

    fn check<const D: usize>(depth: u32, capacity: usize) {
        let mut noise = Noise::new(9);
        let mut coordinate = || (noise.unit().powi(3) * (1 << depth) as f32) as u32;
        let places: Vec<[u32; D]> = (0..500).map(|_| std::array::from_fn(|_| coordinate())).collect();
        let mut tree = Tree::<D>::new(depth, capacity);
        for id in 0..500 {
            tree.insert(id, |id| places[id as usize]);
        }
        let mut seen = Vec::new();
        tree.for_each_leaf(|leaf| {
            let node = &tree.nodes[leaf as usize];
            assert!(node.ids.len() <= capacity || node.edge == 1);
            for &id in &node.ids {
                let inside = |k: usize| (node.corner[k]..node.corner[k] + node.edge).contains(&places[id as usize][k]);
                assert!((0..D).all(inside));
                seen.push(id);
            }
        });
        seen.sort();
        assert_eq!(seen, (0..500).collect::<Vec<u32>>());

        let leaves: Vec<u32> = (0..tree.nodes.len() as u32).filter(|&node| tree.children[node as usize] == 0).collect();
        for &leaf in &leaves {
            let touches = |other: &u32| *other != leaf && tree.nodes[leaf as usize].touches(&tree.nodes[*other as usize]);
            let expected: Vec<u32> = leaves.iter().copied().filter(touches).collect();
            let mut adjacent = tree.adjacent(leaf).to_vec();
            adjacent.sort();
            assert_eq!(adjacent, expected);
        }
    }

    #[test]
    fn leaves_hold_what_is_in_them_and_know_all_neighbors() {
        check::<2>(0, 3);
        check::<2>(6, 3);
        check::<2>(10, 1);
        check::<3>(4, 11);
        check::<3>(8, 2);
    }
}
