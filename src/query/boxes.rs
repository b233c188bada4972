//! Boxes that overlap a box or contain a point.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use super::Queries;
use super::chunks::{FindChunk, InDirectory};
use super::filter::QueryFilter;
use super::lanes::{entries, overlaps, steps};
use super::tree::{Node, Probe, Tree, Unordered};
use super::view::GridView;
use crate::isa::Work;
use crate::isa::eight::bits;
use crate::{Aabb, Scalar};

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> Queries<'_, S, D, F> {
    /// Calls `visit` with every object whose box overlaps `bounds`, in no particular order, until it returns `Break`.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use pivotgrid::{Aabb, BroadPhase};
    ///
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// broad_phase.detect(&[Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([5.0, 5.0], [6.0, 6.0])]);
    /// let queries = broad_phase.queries();
    ///
    /// let is_free = |room: Aabb<f32, 2>| queries.visit_overlapping(&room, ControlFlow::Break).is_continue();
    /// assert!(is_free(Aabb::new([2.0, 2.0], [4.0, 4.0])));
    /// assert!(!is_free(Aabb::new([2.0, 2.0], [5.0, 5.0])));
    /// ```
    pub fn visit_overlapping<B>(&self, bounds: &Aabb<S, D>, visit: impl FnMut(u32) -> ControlFlow<B>) -> ControlFlow<B> {
        self.target.visit_overlapping(bounds, &self.filter, visit)
    }

    /// All objects whose boxes overlap `bounds`, in no particular order.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<u32>) {
        found.clear();
        self.target.append_overlapping(bounds, &self.filter, &mut [InDirectory; 2], found);
    }

    /// Calls `visit` with every object whose box contains the point, in no particular order, until it returns `Break`.
    pub fn visit_containing<B>(&self, point: impl Into<[S; D]>, visit: impl FnMut(u32) -> ControlFlow<B>) -> ControlFlow<B> {
        let point = point.into();
        self.visit_overlapping(&Aabb { min: point, max: point }, visit)
    }

    /// All objects whose boxes contain the point, in no particular order.
    pub fn containing(&self, point: impl Into<[S; D]>, found: &mut Vec<u32>) {
        let point = point.into();
        self.overlapping(&Aabb { min: point, max: point }, found);
    }
}

/// Runs of entries that the kernel searches at a time: most are short, and a call costs as much as sixteen comparisons.
const RUNS: usize = 16;

impl<'a, S: Scalar, const D: usize> GridView<'a, S, D> {
    pub(super) fn visit_overlapping<B, F: QueryFilter<u32>>(
        &self,
        bounds: &Aabb<S, D>,
        filter: &F,
        visit: &mut impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(tree) = self.tree_for(bounds) {
            let visit = |entry: usize| self.admit(entry, filter).map_or(ControlFlow::Continue(()), &mut *visit);
            return self.kernel.compiled_for(BoxDescent { tree, bounds, visit });
        }
        self.try_for_each_run(bounds, &mut InDirectory, |run| {
            for (at, inside) in steps(run) {
                for lane in bits(overlaps(&entries(&self.columns, at), bounds) & inside) {
                    if let Some(index) = self.admit(at + lane, filter) {
                        visit(index)?;
                    }
                }
            }
            ControlFlow::Continue(())
        })
    }

    #[inline]
    pub(super) fn append_overlapping<F: QueryFilter<u32>>(
        &self,
        bounds: &Aabb<S, D>,
        filter: &F,
        finder: &mut impl FindChunk<'a>,
        found: &mut Vec<u32>,
    ) {
        let first = found.len();
        if let Some(tree) = self.tree_for(bounds) {
            let visit = |entry: usize| {
                found.push(entry as u32);
                ControlFlow::<Infallible>::Continue(())
            };
            let ControlFlow::Continue(()) = self.kernel.compiled_for(BoxDescent { tree, bounds, visit });
        } else {
            let (mut runs, mut len) = ([const { 0..0 }; RUNS], 0);
            let ControlFlow::Continue(()) = self.try_for_each_run(bounds, finder, |run| {
                runs[len] = run;
                len += 1;
                if len == RUNS {
                    self.kernel.hits(&self.columns, bounds, &runs, found);
                    len = 0;
                }
                ControlFlow::<Infallible>::Continue(())
            });
            self.kernel.hits(&self.columns, bounds, &runs[..len], found);
        }
        // These are entries. Their objects take their places.
        if self.admits_all::<F>() {
            found[first..].iter_mut().for_each(|entry| *entry = self.columns.id(*entry as usize));
            return;
        }
        let mut end = first;
        for place in first..found.len() {
            if let Some(index) = self.admit(found[place] as usize, filter) {
                found[end] = index;
                end += 1;
            }
        }
        found.truncate(end);
    }

    /// Calls `f` with runs of entries among which are all that overlap a box, each entry once: those of the cells around.
    #[inline]
    pub(super) fn try_for_each_run<B>(
        &self,
        bounds: &Aabb<S, D>,
        finder: &mut impl FindChunk<'a>,
        mut f: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut flow = ControlFlow::Continue(());
        self.grid.oversized_around(bounds, |run| {
            if flow.is_continue() {
                flow = f(run);
            }
        });
        flow?;
        for region in self.regions {
            let window = self.window(region, bounds);
            self.try_for_each_chunk(region, &window, finder, |coords, chunk| {
                let mut flow = ControlFlow::Continue(());
                if let Some(window) = window.within::<D>(coords) {
                    window.runs(chunk, |run| {
                        if flow.is_continue() {
                            flow = f(run);
                        }
                    });
                }
                flow
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Down the tree to everything that overlaps a box.
struct BoxDescent<'a, S, const D: usize, F> {
    tree: &'a Tree<S, D>,
    bounds: &'a Aabb<S, D>,
    /// Takes an entry.
    visit: F,
}

impl<S: Scalar, const D: usize> Probe<S, D> for Aabb<S, D> {
    #[inline(always)]
    fn reaches(&self, node: &Node<S, D>) -> u32 {
        overlaps(&node.children(), self)
    }
}

impl<S: Scalar, const D: usize, B, F: FnMut(usize) -> ControlFlow<B>> Work for BoxDescent<'_, S, D, F> {
    type Outcome = ControlFlow<B>;

    #[inline(always)]
    fn run(mut self) -> ControlFlow<B> {
        let mut descent = Unordered::new(self.tree, self.bounds);
        while let Some((entry, ..)) = descent.next_entry() {
            (self.visit)(entry)?;
        }
        ControlFlow::Continue(())
    }
}
