//! The tree over the entries: boxes around runs of entries, boxes around runs of these boxes, up to one box around all.
//!
//! A chunk's entries are neighbors, and so are chunks that follow one another along the Z curve. So a tree needs no splitting and no links:
//! a node's children are the next [`LANES`] boxes below it. One look skips a large empty space, however far apart the clusters are and
//! however small the cells (Pouchol's `hasChildren`, above the chunks). Queries that cross the scene descend it: rays, moving boxes, the
//! search for the nearest. Other queries read the grid, unless they would look into too many chunks there.

use std::collections::TryReserveError;
use std::ops::Range;

use rayon::prelude::*;

use super::lanes::{Eight, entries};
use super::region::{Region, Regions};
use crate::isa::eight::{LANES, MAX_HEIGHT, mask};
use crate::layout::columns::Columns;
use crate::layout::grid::Grid;
use crate::layout::{Shape, z_key};
use crate::lockfree::{ChunkId, Once};
use crate::runtime::team::Team;
use crate::{Aabb, Scalar};

/// Nodes that a thread makes at a time.
const BLOCK: usize = 256;

#[derive(Debug)]
pub(super) struct Tree<S, const D: usize> {
    /// Entries that are neighbors, at most [`LANES`] each; the runs of neighboring chunks follow one another.
    runs: Vec<Run>,
    /// Level by level, the lowest first. The children of a node of the lowest level are runs.
    nodes: Vec<Node<S, D>>,
    /// Where the nodes of each level begin.
    begins: [usize; MAX_HEIGHT],
    height: usize,
    /// The chunks in the order of their runs; only while the tree is made.
    order: Vec<(u128, ChunkId)>,
}

/// Some entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) begin: u32,
    pub(super) len: u32,
}

impl Run {
    /// A bit for each.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        (1 << self.len) - 1
    }

    #[inline(always)]
    pub(super) fn entries(&self) -> Range<usize> {
        self.begin as usize..(self.begin + self.len) as usize
    }
}

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

    /// Makes the child in a lane the box around the boxes in `lanes`, of which those count whose bit is set.
    #[inline(always)]
    fn enclose(&mut self, child: usize, lanes: &Eight<'_, S, D>, inside: u32) {
        for axis in 0..D {
            let (mut low, mut high) = (S::INFINITY, S::NEG_INFINITY);
            for lane in 0..LANES {
                let (min, max) = (lanes[axis][0][lane], lanes[axis][1][lane]);
                let counts = inside >> lane & 1 != 0;
                low = if counts & (min < low) { min } else { low };
                high = if counts & (max > high) { max } else { high };
            }
            (self.bounds[axis][0][child], self.bounds[axis][1][child]) = (low, high);
        }
    }
}

impl<S: Scalar, const D: usize> Tree<S, D> {
    fn new() -> Self {
        Tree { runs: Vec::new(), nodes: Vec::new(), begins: [0; MAX_HEIGHT], height: 0, order: Vec::new() }
    }

    fn build(&mut self, grid: &Grid<S, D>, columns: &Columns<'_, S, D>, team: Team) -> Result<(), TryReserveError> {
        self.list_runs(grid)?;
        self.lay_out()?;
        let lowest = if self.height > 1 { self.begins[1] } else { self.nodes.len() };
        let (lowest, mut above) = self.nodes.split_at_mut(lowest);
        let enclose = |(node, runs): (&mut Node<S, D>, &[Run])| {
            for (child, run) in runs.iter().enumerate() {
                node.enclose(child, &entries(columns, run.begin as usize), run.lanes());
            }
        };
        if team.at_most(lowest.len() / BLOCK).workers() == 1 {
            lowest.iter_mut().zip(self.runs.chunks(LANES)).for_each(enclose);
        } else {
            lowest.par_iter_mut().zip(self.runs.par_chunks(LANES)).with_min_len(BLOCK).for_each(enclose);
        }
        let mut below: &[Node<S, D>] = lowest;
        while !above.is_empty() {
            let (nodes, rest) = above.split_at_mut(below.len().div_ceil(LANES));
            for (node, children) in nodes.iter_mut().zip(below.chunks(LANES)) {
                for (child, node_below) in children.iter().enumerate() {
                    node.enclose(child, &node_below.children(), u32::MAX);
                }
            }
            (below, above) = (nodes, rest);
        }
        Ok(())
    }

    /// Cuts the entries of all chunks into runs, chunk after chunk along the Z curve.
    fn list_runs(&mut self, grid: &Grid<S, D>) -> Result<(), TryReserveError> {
        let occupied = grid.chunks().iter().enumerate().filter(|(_, chunk)| chunk.rows() != 0);
        self.order.clear();
        self.order.try_reserve(grid.chunks().len())?;
        self.order.extend(occupied.map(|(rank, chunk)| (z_key::<D>(chunk.key()), rank as u32)));
        self.order.sort_unstable();
        self.runs.clear();
        for &(_, id) in &self.order {
            let chunk = &grid.chunks()[id as usize];
            self.runs.try_reserve(chunk.entries().len() / LANES + Shape::<D>::CELLS / LANES)?;
            for cells in Shape::<D>::blocks(LANES) {
                push_runs(&mut self.runs, chunk.begin(cells.start) as usize..chunk.end(cells.end - 1) as usize);
            }
        }
        self.runs.try_reserve(grid.oversized.len().div_ceil(LANES))?;
        push_runs(&mut self.runs, grid.oversized.clone());
        Ok(())
    }

    /// Makes room for the nodes.
    fn lay_out(&mut self) -> Result<(), TryReserveError> {
        let (mut total, mut children) = (0, self.runs.len());
        self.height = 0;
        while self.height == 0 || children > 1 {
            self.begins[self.height] = total;
            self.height += 1;
            children = children.div_ceil(LANES).max(1);
            total += children;
        }
        self.nodes.clear();
        self.nodes.try_reserve(total)?;
        self.nodes.resize(total, Node::EMPTY);
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

    #[inline(always)]
    pub(super) fn run(&self, number: usize) -> Run {
        #[cfg(test)]
        super::work::count_look();
        self.runs[number]
    }
}

/// Cuts entries into as few runs as can be, of about the same length.
fn push_runs(runs: &mut Vec<Run>, entries: Range<usize>) {
    let count = entries.len().div_ceil(LANES);
    let border = |number: usize| entries.start + entries.len() * number / count;
    runs.extend((0..count).map(|number| Run { begin: border(number) as u32, len: (border(number + 1) - border(number)) as u32 }));
}

/// The search of an unordered descent.
pub(super) trait Probe<S, const D: usize> {
    /// A bit for each child of a node that must be visited. Bits of lanes without a child do not matter.
    fn reaches(&self, node: &Node<S, D>) -> u32;
}

/// A descent to all runs that a probe reaches, in the order of the tree.
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

    #[inline(always)]
    pub(super) fn next_run(&mut self) -> Option<Run> {
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
            let child = node * LANES + left.trailing_zeros() as usize;
            if self.level == 0 {
                return Some(self.tree.run(child));
            }
            self.level -= 1;
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
