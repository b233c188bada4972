//! The tree over the entries: leaves with the boxes of entries, boxes around leaves, boxes around runs of these boxes, up to one box around
//! all.
//!
//! The leaves follow a Hilbert curve through the cells of a cube of chunks, and the cubes another one, so what is close in this order is
//! close in space. So a tree needs no splitting and no links: a node's children are the next [`LANES`] boxes below it. Leaves have copies of
//! the boxes, because the table's order is that of rows of cells, and runs of a row are long and thin. One look skips a large empty space,
//! however far apart the clusters are and however small the cells (Pouchol's `hasChildren`, above the chunks). Queries that cross the scene
//! descend it: rays, moving boxes, the search for the nearest. Other queries read the grid, unless they would look into too many chunks
//! there.

use std::collections::TryReserveError;

use super::lanes::Eight;
use super::region::{Region, Regions};
use crate::isa::eight::{LANES, MAX_HEIGHT, mask};
use crate::layout::columns::{Columns, load};
use crate::layout::curve::{CUBE_BITS, hilbert, hilbert_in_cube};
use crate::layout::grid::Grid;
use crate::layout::{Chunk, Shape, key_parts, z_key};
use crate::lockfree::{ChunkId, Once};
use crate::runtime::team::Team;
use crate::{Aabb, Scalar};

/// Leaves that a thread makes at a time.
const BLOCK: usize = 1024;

#[derive(Debug)]
pub(super) struct Tree<S, const D: usize> {
    /// Level by level, the lowest first: the leaves, whose children are the boxes of entries.
    nodes: Vec<Node<S, D>>,
    /// The entries of each leaf, by lane; [`VACANT`] behind the last one.
    entries: Vec<LeafEntries>,
    /// Where the nodes of each level begin.
    begins: [usize; MAX_HEIGHT],
    height: usize,
    /// The chunks in the order of their leaves, and the cubes of space that they are in; only while the tree is made.
    order: Vec<(u128, ChunkId)>,
    cubes: Vec<Cube>,
}

/// The entries of a leaf.
pub(super) type LeafEntries = [u32; LANES];

/// No entry.
const VACANT: u32 = u32::MAX;

/// The chunks of a level in a cube of 16³ cells (a square of 16² in two dimensions), or in some cubes that share a leaf.
#[derive(Clone, Copy, Debug)]
struct Cube {
    /// Places in the order of chunks.
    chunks: [u32; 2],
    entries: u32,
}

impl Cube {
    fn leaves(&self) -> usize {
        (self.entries as usize).div_ceil(LANES)
    }
}

/// The most cells of a cube.
const CUBE_CELLS: usize = 1 << (3 * CUBE_BITS);

/// Occupied cells of a cube: where they are along the curve, and their entries.
type CubeCells = [(u16, u32, u32); CUBE_CELLS];

/// The boxes of its children, a lane for each. Where there is no child, the box is empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node<S, const D: usize> {
    /// Along each axis, the lower bounds and the upper ones.
    bounds: [[[S; LANES]; 2]; D],
}

impl<S: Scalar, const D: usize> Node<S, D> {
    pub(super) const EMPTY: Self = Node { bounds: [[[S::INFINITY; LANES], [S::NEG_INFINITY; LANES]]; D] };

    #[inline(always)]
    pub(super) fn children(&self) -> Eight<'_, S, D> {
        self.bounds.each_ref().map(|bounds| bounds.each_ref())
    }

    /// The children's bounds along an axis on one side: the lower ones on side 0, the upper ones on side 1.
    #[inline(always)]
    pub(super) fn side(&self, axis: usize, side: usize) -> &[S; LANES] {
        &self.bounds[axis][side % 2]
    }

    /// Whether there is no child in a lane.
    #[inline(always)]
    pub(super) fn is_vacant(&self, lane: usize) -> bool {
        let [low, high] = &self.bounds[0];
        low[lane] > high[lane]
    }

    /// A bit for each lane with a child.
    #[inline(always)]
    pub(super) fn occupied(&self) -> u32 {
        let [low, high] = &self.bounds[0];
        mask::<LANES>(std::array::from_fn(|lane| low[lane] <= high[lane]))
    }

    /// The box of a child.
    pub(super) fn child(&self, lane: usize) -> Aabb<S, D> {
        let corner = |side: usize| std::array::from_fn(|axis| self.bounds[axis][side][lane]);
        Aabb { min: corner(0), max: corner(1) }
    }

    /// Makes a box the child in a lane.
    #[inline(always)]
    pub(super) fn set_child(&mut self, lane: usize, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            (self.bounds[axis][0][lane], self.bounds[axis][1][lane]) = (bounds.min[axis], bounds.max[axis]);
        }
    }

    /// Makes the child in a lane the box around some boxes. Empty ones do not count.
    #[inline(always)]
    fn enclose(&mut self, child: usize, lanes: &Eight<'_, S, D>) {
        for axis in 0..D {
            let (mut low, mut high) = (S::INFINITY, S::NEG_INFINITY);
            for lane in 0..LANES {
                let (min, max) = (lanes[axis][0][lane], lanes[axis][1][lane]);
                low = if min < low { min } else { low };
                high = if max > high { max } else { high };
            }
            (self.bounds[axis][0][child], self.bounds[axis][1][child]) = (low, high);
        }
    }
}

impl<S: Scalar, const D: usize> Tree<S, D> {
    fn new() -> Self {
        let (nodes, entries, order, cubes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Tree { nodes, entries, begins: [0; MAX_HEIGHT], height: 0, order, cubes }
    }

    fn build(&mut self, grid: &Grid<S, D>, columns: &Columns<'_, S, D>, team: Team) -> Result<(), TryReserveError> {
        let leaves = self.list_cubes(grid)?;
        let oversized = grid.oversized.len().div_ceil(LANES);
        self.lay_out(leaves + oversized)?;
        let (lowest, mut above) = self.nodes.split_at_mut((leaves + oversized).max(1));
        let maker = LeafMaker { grid, columns, order: &self.order };
        let (in_cubes, listed) = self.entries.split_at_mut(leaves);
        maker.make(&self.cubes, &mut lowest[..leaves], in_cubes, team.at_most(leaves / BLOCK).workers() > 1);
        let mut rest = grid.oversized.clone();
        for (leaf, entries) in lowest[leaves..].iter_mut().zip(listed) {
            for (lane, entry) in rest.by_ref().take(LANES).enumerate() {
                leaf.set_child(lane, &columns.bounds(entry));
                entries[lane] = entry as u32;
            }
        }
        let mut below: &[Node<S, D>] = lowest;
        while !above.is_empty() {
            let (nodes, rest) = above.split_at_mut(below.len().div_ceil(LANES));
            for (node, children) in nodes.iter_mut().zip(below.chunks(LANES)) {
                for (child, node_below) in children.iter().enumerate() {
                    node.enclose(child, &node_below.children());
                }
            }
            (below, above) = (nodes, rest);
        }
        Ok(())
    }

    /// Lists the occupied cubes, level by level along a curve. Returns how many leaves they have together.
    fn list_cubes(&mut self, grid: &Grid<S, D>) -> Result<usize, TryReserveError> {
        let occupied = grid.chunks().iter().enumerate().filter(|(_, chunk)| chunk.rows() != 0);
        self.order.clear();
        self.order.try_reserve(grid.chunks().len())?;
        self.order.extend(occupied.map(|(rank, chunk)| (cube_key(grid, chunk), rank as u32)));
        self.order.sort_unstable();
        self.cubes.clear();
        self.cubes.try_reserve(self.order.len())?;
        let (mut first, mut last_level) = (0, u128::MAX);
        for chunks in self.order.chunk_by(|(one, _), (other, _)| one == other) {
            let level = chunks[0].0 >> LEVEL_SHIFT;
            let entries = chunks.iter().map(|&(_, id)| grid.chunks()[id as usize].entries().len()).sum::<usize>() as u32;
            let end = first + chunks.len() as u32;
            match self.cubes.last_mut() {
                // What is far from everything else shares a leaf with what follows.
                Some(last) if last.entries + entries <= LANES as u32 && level == last_level => {
                    (last.chunks[1], last.entries) = (end, last.entries + entries);
                }
                _ => self.cubes.push(Cube { chunks: [first, end], entries }),
            }
            (first, last_level) = (end, level);
        }
        Ok(self.cubes.iter().map(Cube::leaves).sum())
    }

    /// Makes room for the nodes above some leaves, and for these.
    fn lay_out(&mut self, leaves: usize) -> Result<(), TryReserveError> {
        let (mut total, mut nodes) = (0, leaves.max(1));
        self.height = 0;
        loop {
            self.begins[self.height] = total;
            self.height += 1;
            total += nodes;
            if nodes == 1 {
                break;
            }
            nodes = nodes.div_ceil(LANES);
        }
        self.nodes.clear();
        self.nodes.try_reserve(total)?;
        self.nodes.resize(total, Node::EMPTY);
        self.entries.clear();
        self.entries.try_reserve(leaves.max(1))?;
        self.entries.resize(leaves.max(1), [VACANT; LANES]);
        Ok(())
    }

    /// How many levels of nodes there are; at least one.
    pub(super) fn height(&self) -> usize {
        self.height
    }

    #[inline(always)]
    pub(super) fn node(&self, level: usize, number: usize) -> &Node<S, D> {
        #[cfg(test)]
        super::work::count_look();
        self.peek(level, number)
    }

    /// A node that was looked at before.
    #[inline(always)]
    pub(super) fn peek(&self, level: usize, number: usize) -> &Node<S, D> {
        &self.nodes[self.begins[level] + number]
    }

    /// The entries of a leaf.
    #[inline(always)]
    pub(super) fn entries(&self, leaf: usize) -> &LeafEntries {
        &self.entries[leaf]
    }
}

/// Where the level begins in the key of a cube.
const LEVEL_SHIFT: u32 = 3 * 36 - 3 * CUBE_BITS;

/// The key of the cube that a chunk is in: level by level, cubes that are close in space are mostly close in the order of their keys.
fn cube_key<S: Scalar, const D: usize>(grid: &Grid<S, D>, chunk: &Chunk) -> u128 {
    let (level, coords) = key_parts(chunk.key());
    let cube = |axis: usize, chunk: i32| i64::from(chunk) << Shape::<D>::BITS[axis] >> CUBE_BITS;
    let (low, high) = grid.reach[level];
    let place: [usize; D] = std::array::from_fn(|axis| (cube(axis, coords[axis]) - cube(axis, low[axis])) as usize);
    let range = (0..D).map(|axis| cube(axis, high[axis]) - cube(axis, low[axis])).fold(0, i64::max);
    let bits = (range + 1).ilog2() + 1;
    if bits * D as u32 <= u64::BITS {
        (level as u128) << LEVEL_SHIFT | u128::from(hilbert(place, bits))
    } else {
        z_key::<D>(chunk.key()) >> (3 * CUBE_BITS)
    }
}

/// A bit for each lane that has an entry.
#[inline(always)]
pub(super) fn present(entries: &LeafEntries) -> u32 {
    mask::<LANES>(entries.map(|entry| entry != VACANT))
}

/// The boxes of the entries from `at` on.
#[inline(always)]
pub(super) fn boxes_of<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, at: usize) -> Node<S, D> {
    Node { bounds: std::array::from_fn(|axis| [*load(columns.min(axis), at), *load(columns.max(axis), at)]) }
}

/// Makes leaves.
#[derive(Clone, Copy)]
struct LeafMaker<'a, S, const D: usize> {
    grid: &'a Grid<S, D>,
    columns: &'a Columns<'a, S, D>,
    order: &'a [(u128, ChunkId)],
}

impl<S: Scalar, const D: usize> LeafMaker<'_, S, D> {
    /// Makes the leaves of some cubes, all together about [`BLOCK`] per thread at a time.
    fn make(&self, cubes: &[Cube], leaves: &mut [Node<S, D>], entries: &mut [LeafEntries], parallel: bool) {
        if parallel && leaves.len() > BLOCK && cubes.len() > 1 {
            let (left, right) = cubes.split_at(cubes.len() / 2);
            let middle = left.iter().map(Cube::leaves).sum();
            let (left_leaves, right_leaves) = leaves.split_at_mut(middle);
            let (left_entries, right_entries) = entries.split_at_mut(middle);
            rayon::join(
                || self.make(left, left_leaves, left_entries, parallel),
                || self.make(right, right_leaves, right_entries, parallel),
            );
            return;
        }
        let (mut cells, mut rest) = ([(0, 0, 0); CUBE_CELLS], leaves.iter_mut().zip(entries));
        for cube in cubes {
            let count = self.cells(cube, &mut cells);
            let mut of_cells = cells[..count].iter().flat_map(|&(_, begin, end)| begin..end);
            for (leaf, entries) in rest.by_ref().take(cube.leaves()) {
                for (lane, entry) in of_cells.by_ref().take(LANES).enumerate() {
                    leaf.set_child(lane, &self.columns.bounds(entry as usize));
                    entries[lane] = entry;
                }
            }
        }
    }

    /// Lists the occupied cells of a cube along a curve. Returns how many there are.
    fn cells(&self, cube: &Cube, cells: &mut CubeCells) -> usize {
        let mut count = 0;
        for &(_, id) in &self.order[cube.chunks[0] as usize..cube.chunks[1] as usize] {
            let chunk = &self.grid.chunks()[id as usize];
            let base = Shape::<D>::base_of(key_parts(chunk.key()).1);
            let mut rows = chunk.rows();
            while rows != 0 {
                let number = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let ((y, z), row) = (Shape::<D>::row_parts(number), chunk.row(number));
                for x in 0..Shape::<D>::EDGE[0] {
                    let cell = [base[0] + x, base[1] + y, base[2] + z];
                    let place = hilbert_in_cube::<D>(std::array::from_fn(|axis| cell[axis] as usize));
                    let (begin, end) = (row.begin(x as usize) as u32, row.end(x as usize) as u32);
                    cells[count % CUBE_CELLS] = (place, begin, end);
                    count += usize::from(begin < end);
                }
            }
        }
        cells[..count].sort_unstable();
        count
    }
}

/// The search of an unordered descent.
pub(super) trait Probe<S, const D: usize> {
    /// A bit for each child of a node that must be visited, an entry if it is a leaf. Bits of lanes without a child do not matter.
    fn reaches(&self, node: &Node<S, D>) -> u32;
}

/// A descent to all entries that a probe reaches, in the order of the tree.
pub(super) struct Unordered<'a, S, const D: usize, P> {
    tree: &'a Tree<S, D>,
    probe: &'a P,
    /// By level, from the current one on: a node, and a bit for each child that is still to be visited.
    path: [(usize, u32); MAX_HEIGHT],
    level: usize,
}

impl<'a, S: Scalar, const D: usize, P: Probe<S, D>> Unordered<'a, S, D, P> {
    #[inline(always)]
    pub(super) fn new(tree: &'a Tree<S, D>, probe: &'a P) -> Self {
        let level = tree.height() - 1;
        let mut descent = Unordered { tree, probe, path: [(0, 0); MAX_HEIGHT], level };
        descent.path[level] = (0, descent.children(level, 0));
        descent
    }

    #[inline(always)]
    fn children(&self, level: usize, node: usize) -> u32 {
        let node = self.tree.node(level, node);
        self.probe.reaches(node) & node.occupied()
    }

    /// The next entry that the probe reaches, and the leaf and the lane where its box is.
    #[inline(always)]
    pub(super) fn next_entry(&mut self) -> Option<(usize, &'a Node<S, D>, usize)> {
        loop {
            let (node, left) = self.path[self.level];
            if left == 0 {
                if self.level + 1 == self.tree.height() {
                    return None;
                }
                self.level += 1;
                continue;
            }
            self.path[self.level].1 = left & (left - 1);
            let lane = left.trailing_zeros() as usize;
            if self.level == 0 {
                return Some((self.tree.entries(node)[lane] as usize, self.tree.peek(0, node), lane));
            }
            self.level -= 1;
            let child = node * LANES + lane;
            self.path[self.level] = (child, self.children(self.level, child));
        }
    }
}

/// Data of a step's grid that only queries need, built when a query first needs it. Concurrent builders race; the first result wins.
#[derive(Debug)]
pub(crate) struct Lazy<S, const D: usize> {
    tree: Once<Tree<S, D>>,
    regions: Once<Regions>,
}

impl<S: Scalar, const D: usize> Lazy<S, D> {
    pub(crate) fn new() -> Self {
        let mut lazy = Lazy { tree: Once::new(), regions: Once::new() };
        // Spares, so that a step that queries a static set allocates nothing that could not be refused.
        lazy.tree.publish(Box::new(Tree::new()));
        lazy.regions.publish(Box::new(Regions::new()));
        lazy.forget();
        lazy
    }

    /// The table is about to change.
    pub(crate) fn forget(&mut self) {
        self.tree.retire();
        self.regions.retire();
    }

    /// Gives back the memory of the tree, and keeps the spares: a step that was refused memory ends with this, so it must not allocate.
    pub(crate) fn release(&mut self) {
        self.forget();
        if let Some(mut spare) = self.tree.take_spare() {
            *spare = Tree::new();
            self.tree.publish(spare);
            self.tree.retire();
        }
    }

    /// Where the objects of each level are.
    #[inline]
    pub(super) fn regions(&self, grid: &Grid<S, D>) -> &[Region] {
        let regions = self.regions.get().unwrap_or_else(|| {
            let mut regions = self.regions.take_spare().unwrap_or_else(|| Box::new(Regions::new()));
            regions.set(grid);
            self.regions.publish(regions)
        });
        regions.as_slice()
    }

    /// The tree. If there is none yet, the team builds it, unless memory for it is refused.
    #[inline]
    pub(super) fn tree(&self, grid: &Grid<S, D>, columns: &Columns<'_, S, D>, team: Team) -> Option<&Tree<S, D>> {
        self.tree.get().or_else(|| self.make(grid, columns, team))
    }

    #[cold]
    fn make(&self, grid: &Grid<S, D>, columns: &Columns<'_, S, D>, team: Team) -> Option<&Tree<S, D>> {
        let mut tree = self.tree.take_spare().unwrap_or_else(|| Box::new(Tree::new()));
        tree.build(grid, columns, team).ok()?;
        Some(self.tree.publish(tree))
    }
}
