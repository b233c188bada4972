//! Down the tree along the way of a ray or a moving box.
//!
//! Children are visited in the order in which they are met, and what can only be met after the limit that the visitor sets is left
//! out: a search for the first hit ends soon after it. A child is judged by the formula that judges entries, applied to the box
//! around all of them, so what is left out is never met.

use std::ops::ControlFlow;

use super::cast::Cast;
use super::tree::{MAX_HEIGHT, Tree};
use super::{Hit, Scene};
use crate::Scalar;
use crate::kernel::{Faces, LANES, UNRANKED, Work, bits, load, rank};
use crate::runtime::team::Team;

/// A search under way. What is usual has code of its own, which does not ask what is not.
struct Descent<'a, S, const D: usize, const UNUSUAL: bool, F> {
    scene: &'a Scene<'a, S, D>,
    tree: &'a Tree<S, D>,
    cast: Cast<S, D>,
    /// The columns of the sides that are met first, and of the others.
    near_columns: [&'a [S]; D],
    far_columns: [&'a [S]; D],
    /// Nothing later is of interest.
    limit: S,
    /// The greatest rank that something may have that is met until then.
    last: u32,
    visit: F,
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Calls `visit` with every object that is met until the limit, each once. The visitor returns the limit from then on.
    pub(super) fn descend<B>(&self, cast: &Cast<S, D>, visit: impl FnMut(Hit<S>) -> ControlFlow<B, S>) -> ControlFlow<B> {
        match cast.is_unusual {
            false => self.kernel.compiled_for(self.descent::<false, _>(cast, visit)),
            true => self.kernel.compiled_for(self.descent::<true, _>(cast, visit)),
        }
    }

    fn descent<const UNUSUAL: bool, F>(&self, cast: &Cast<S, D>, visit: F) -> Descent<'_, S, D, UNUSUAL, F> {
        let columns = &self.columns;
        let column = |axis: usize, side: usize| if side == 0 { columns.min(axis) } else { columns.max(axis) };
        Descent {
            scene: self,
            tree: self.tree(Team::ALONE),
            cast: *cast,
            near_columns: std::array::from_fn(|axis| column(axis, cast.near[axis])),
            far_columns: std::array::from_fn(|axis| column(axis, 1 - cast.near[axis])),
            limit: cast.max_t,
            last: last(cast.max_t),
            visit,
        }
    }
}

impl<S: Scalar, const D: usize, const UNUSUAL: bool, B, F> Work for Descent<'_, S, D, UNUSUAL, F>
where
    F: FnMut(Hit<S>) -> ControlFlow<B, S>,
{
    type Outcome = ControlFlow<B>;

    #[inline(always)]
    fn run(mut self) -> ControlFlow<B> {
        // By level, above the node under visit: a node, and the ranks of those of its children that are still to be visited.
        let mut above = [(0, [UNRANKED; LANES]); MAX_HEIGHT];
        let top = self.tree.height() - 1;
        let (mut level, mut node, mut ranks) = (top, 0, self.ranks(top, 0));
        loop {
            let next = ranks.into_iter().fold(UNRANKED, u32::min);
            // All others come later still.
            if next > self.last {
                if level == top {
                    return ControlFlow::Continue(());
                }
                level += 1;
                (node, ranks) = above[level];
                continue;
            }
            ranks = ranks.map(|rank| if rank == next { UNRANKED } else { rank });
            let lane = next as usize % LANES;
            // By the formula, what is infinite may meet even the empty box of a child that is not there.
            if UNUSUAL && self.tree.node(level, node).is_vacant(lane) {
                continue;
            }
            let child = node * LANES + lane;
            if level == 0 {
                self.entries(child)?;
            } else {
                above[level] = (node, ranks);
                level -= 1;
                (node, ranks) = (child, self.ranks(level, child));
            }
        }
    }
}

/// The greatest rank of what is met at this time or earlier.
#[inline(always)]
fn last<S: Scalar>(time: S) -> u32 {
    rank(time) | (LANES as u32 - 1)
}

impl<S: Scalar, const D: usize, const UNUSUAL: bool, B, F> Descent<'_, S, D, UNUSUAL, F>
where
    F: FnMut(Hit<S>) -> ControlFlow<B, S>,
{
    /// The ranks of a node's children.
    #[inline(always)]
    fn ranks(&self, level: usize, node: usize) -> [u32; LANES] {
        let node = self.tree.node(level, node);
        let near = std::array::from_fn(|axis| node.side(axis, self.cast.near[axis]));
        let far = std::array::from_fn(|axis| node.side(axis, self.cast.near[axis] ^ 1));
        self.scene.kernel.ranks::<S, D, UNUSUAL>(Faces { near, far }, &self.cast.motion, self.limit)
    }

    #[inline(always)]
    fn entries(&mut self, run: usize) -> ControlFlow<B> {
        let (columns, run) = (&self.scene.columns, self.tree.run(run));
        let at = run.begin as usize;
        let (near, far) = (self.near_columns.map(|column| load(column, at)), self.far_columns.map(|column| load(column, at)));
        let (times, met) = self.scene.kernel.meets::<S, D, UNUSUAL>(Faces { near, far }, &self.cast.motion, self.limit);
        for lane in bits(met & run.lanes()) {
            // The limit may have come down since the lanes were computed.
            if times[lane] <= self.limit {
                self.limit = (self.visit)(Hit { index: columns.id(at + lane), t: times[lane] })?;
                self.last = last(self.limit);
            }
        }
        ControlFlow::Continue(())
    }
}
