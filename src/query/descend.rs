//! Descends the tree in the order in which boxes are met: along the path of a ray or a moving box, or away from a point.
//!
//! Children are visited in the order of their ranks, and those beyond the visitor's limit are skipped: a search for the first hit ends soon
//! after it. The formula for entries decides about a child, too, applied to the box around all of its entries, so no hit is skipped.

use std::ops::ControlFlow;

use super::cast::Cast;
use super::lanes::steps;
use super::tree::{LeafEntries, Node, Tree, boxes_of, present};
use super::view::GridView;
use crate::Scalar;
use crate::isa::eight::{LANES, MAX_HEIGHT, UNRANKED, bits, rank};
use crate::isa::{self, Isa};
use crate::kernel::{Faces, IsaWork, meets, ranks};
use crate::runtime::team::Team;

/// Where an ordered descent goes.
pub(super) trait Guide<S, const D: usize> {
    type Break;
    /// Whether it may rank the empty box of a child that is not there.
    const MEETS_EMPTY: bool;

    /// The ranks of a node's children: those met sooner have a lesser one, the lowest bits are the lane. `UNRANKED` is left out.
    fn ranks<I: Isa>(&self, isa: I, node: &Node<S, D>) -> [u32; LANES];

    /// The greatest rank that is still of interest.
    fn last(&self) -> u32;

    fn visit<I: Isa>(&mut self, isa: I, leaf: &Node<S, D>, entries: &LeafEntries) -> ControlFlow<Self::Break>;
}

/// The greatest rank of what is met at this time or distance, or before.
#[inline(always)]
pub(super) fn last_rank<S: Scalar>(limit: S) -> u32 {
    rank(limit) | (LANES as u32 - 1)
}

/// A descent that is about to begin.
pub(super) struct Descent<'a, S, const D: usize, G> {
    pub(super) tree: &'a Tree<S, D>,
    /// By reference: a copy is read while the guide is still being written, and waits for that.
    pub(super) guide: &'a mut G,
}

impl<S: Scalar, const D: usize, G: Guide<S, D>> IsaWork for Descent<'_, S, D, G> {
    type Outcome = ControlFlow<G::Break>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> ControlFlow<G::Break> {
        let Descent { tree, guide } = self;
        // By level, above the current node: a node, and the ranks of those of its children that are still to be visited.
        let mut above = [(0, [UNRANKED; LANES]); MAX_HEIGHT];
        let top = tree.height() - 1;
        if top == 0 {
            return guide.visit(isa, tree.node(0, 0), tree.entries(0));
        }
        let (mut level, mut node, mut ranks) = (top, 0, guide.ranks(isa, tree.node(top, 0)));
        loop {
            let next = ranks.into_iter().fold(UNRANKED, u32::min);
            // All others come later still.
            if next > guide.last() {
                if level == top {
                    return ControlFlow::Continue(());
                }
                level += 1;
                (node, ranks) = above[level];
                continue;
            }
            ranks = ranks.map(|rank| if rank == next { UNRANKED } else { rank });
            let lane = next as usize % LANES;
            if G::MEETS_EMPTY && tree.peek(level, node).is_vacant(lane) {
                continue;
            }
            let child = node * LANES + lane;
            if level == 1 {
                guide.visit(isa, tree.node(0, child), tree.entries(child))?;
            } else {
                above[level] = (node, ranks);
                level -= 1;
                (node, ranks) = (child, guide.ranks(isa, tree.node(level, child)));
            }
        }
    }
}

/// The guide of a cast. Degenerate casts (at rest along an axis, or infinite) have code of their own.
struct CastGuide<S, const D: usize, const DEGENERATE: bool, F> {
    cast: Cast<S, D>,
    /// The greatest rank of what is met until the cast's end.
    last: u32,
    visit: F,
}

impl<S: Scalar, const D: usize> GridView<'_, S, D> {
    /// Calls `visit` with every entry that is met until the limit, each once: the entry, when it is met, and the limit. The visitor
    /// returns the limit from then on.
    pub(super) fn cast<B>(&self, cast: Cast<S, D>, visit: impl FnMut(usize, S, S) -> ControlFlow<B, S>) -> ControlFlow<B> {
        match cast.is_degenerate {
            false => self.guided(self.guide::<false, _>(cast, visit)),
            true => self.guided(self.guide::<true, _>(cast, visit)),
        }
    }

    fn guided<const DEGENERATE: bool, B, F>(&self, mut guide: CastGuide<S, D, DEGENERATE, F>) -> ControlFlow<B>
    where
        F: FnMut(usize, S, S) -> ControlFlow<B, S>,
    {
        match self.tree(Team::ALONE) {
            Some(tree) => self.kernel.dispatch(Descent { tree, guide: &mut guide }),
            None => steps(self.entries()).try_for_each(|(at, inside)| {
                let entries = std::array::from_fn(|lane| (at + lane) as u32);
                guide.meet(isa::BASELINE, &boxes_of(&self.columns, at), &entries, inside)
            }),
        }
    }

    fn guide<const DEGENERATE: bool, F>(&self, cast: Cast<S, D>, visit: F) -> CastGuide<S, D, DEGENERATE, F> {
        CastGuide { last: last_rank(cast.max_t), cast, visit }
    }
}

impl<S: Scalar, const D: usize, const DEGENERATE: bool, B, F> CastGuide<S, D, DEGENERATE, F>
where
    F: FnMut(usize, S, S) -> ControlFlow<B, S>,
{
    /// Visits what is met of some entries, of which those count whose bit is set.
    #[inline(always)]
    fn meet<I: Isa>(&mut self, isa: I, boxes: &Node<S, D>, entries: &LeafEntries, inside: u32) -> ControlFlow<B> {
        let (times, met) = meets::<I, S, D, DEGENERATE>(isa, self.faces(boxes), &self.cast.motion, self.cast.max_t);
        for lane in bits(met & inside) {
            // The limit may have come down since the lanes were computed.
            if times[lane] <= self.cast.max_t {
                self.cast.max_t = (self.visit)(entries[lane] as usize, times[lane], self.cast.max_t)?;
                self.last = last_rank(self.cast.max_t);
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn faces<'n>(&self, node: &'n Node<S, D>) -> Faces<'n, S, D> {
        let near = std::array::from_fn(|axis| node.side(axis, self.cast.near[axis]));
        let far = std::array::from_fn(|axis| node.side(axis, self.cast.near[axis] ^ 1));
        Faces { near, far }
    }
}

impl<S: Scalar, const D: usize, const DEGENERATE: bool, B, F> Guide<S, D> for CastGuide<S, D, DEGENERATE, F>
where
    F: FnMut(usize, S, S) -> ControlFlow<B, S>,
{
    type Break = B;
    // By the formula, what is infinite may meet even an empty box.
    const MEETS_EMPTY: bool = DEGENERATE;

    #[inline(always)]
    fn ranks<I: Isa>(&self, isa: I, node: &Node<S, D>) -> [u32; LANES] {
        ranks::<I, S, D, DEGENERATE>(isa, self.faces(node), &self.cast.motion, self.cast.max_t)
    }

    #[inline(always)]
    fn last(&self) -> u32 {
        self.last
    }

    #[inline(always)]
    fn visit<I: Isa>(&mut self, isa: I, leaf: &Node<S, D>, entries: &LeafEntries) -> ControlFlow<B> {
        self.meet(isa, leaf, entries, present(entries))
    }
}
