//! A grid as queries read it.

use std::ops::{ControlFlow, Range};

use super::chunks::FindChunk;
use super::filter::QueryFilter;
use super::region::Region;
use super::residents::Residents;
use super::tree::{Lazy, Tree};
use crate::isa::eight::LANES;
use crate::kernel::Kernel;
use crate::kernel::steps::Steps;
use crate::layout::columns::Columns;
use crate::layout::grid::Grid;
use crate::layout::{Chunk, Coords, Window, key_parts};
use crate::runtime::team::Team;
use crate::{Aabb, Groups, Scalar};

/// The grid and the table of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridView<'a, S, const D: usize> {
    pub(super) grid: &'a Grid<S, D>,
    pub(super) columns: Columns<'a, S, D>,
    pub(super) kernel: Kernel,
    /// Where the objects of each level are.
    pub(super) regions: &'a [Region],
    lazy: &'a Lazy<S, D>,
    /// For the grid of a static set: the entries that still count.
    residents: Option<Residents<'a, S, D>>,
}

/// A query that would look into more chunks than that, or as many steps of the list of oversized objects, descends the tree
/// instead. A look into a chunk takes about as long as one at a node, and a descent takes some dozens of those.
const MOST_LOOKS: usize = 40;

impl<'a, S: Scalar, const D: usize> GridView<'a, S, D> {
    pub(crate) fn new(
        grid: &'a Grid<S, D>,
        columns: Columns<'a, S, D>,
        kernel: Kernel,
        lazy: &'a Lazy<S, D>,
        residents: Option<Residents<'a, S, D>>,
    ) -> Self {
        GridView { grid, columns, kernel, regions: lazy.regions(grid), lazy, residents }
    }

    /// Whether every entry is found as it is, and its index is the one in the table.
    #[inline(always)]
    pub(super) fn admits_all<F: QueryFilter<u32>>(&self) -> bool {
        F::ADMITS_ALL && self.residents.is_none_or(|residents| residents.is_everybody())
    }

    /// The index of an entry's object, unless the object has changed since, or the filter leaves it out.
    #[inline(always)]
    pub(super) fn admit<F: QueryFilter<u32>>(&self, entry: usize, filter: &F) -> Option<u32> {
        let id = self.columns.id(entry);
        let groups = || match self.columns.groups {
            Some([member, mask, body]) => Groups { member: member[entry], mask: mask[entry], body: body[entry] },
            None => Groups::ALL,
        };
        match self.residents {
            None => filter.admits(id, groups).then_some(id),
            Some(residents) if F::ADMITS_ALL && residents.is_everybody() => Some(id),
            Some(residents) => {
                residents.get(id).filter(|&(index, groups)| filter.admits(index, || groups)).map(|(index, _)| index)
            }
        }
    }

    /// All entries of valid boxes.
    pub(super) fn entries(&self) -> Range<usize> {
        0..self.grid.oversized.end
    }

    /// The tree over the entries, built by the team if this is the first query that needs it. Nothing if memory for it is refused.
    #[inline]
    pub(super) fn tree(&self, team: Team) -> Option<&'a Tree<S, D>> {
        self.lazy.tree(self.grid, &self.columns, team)
    }

    /// A box around all objects, more or less close to them; an invalid one if there are none.
    pub(super) fn bounds(&self) -> Aabb<S, D> {
        let mut bounds = self.columns.box_around(self.grid.oversized.clone());
        self.regions.iter().for_each(|region| bounds.grow(&region.bounds(region.low, region.high)));
        bounds
    }

    /// The tree, if it finds what overlaps a box sooner than the grid: where the grid has many small chunks there, many levels, or
    /// many oversized objects.
    #[inline(always)]
    pub(super) fn tree_for(&self, bounds: &Aabb<S, D>) -> Option<&'a Tree<S, D>> {
        let listed = if self.grid.list_tree.len() == 0 { self.grid.oversized.len() / LANES } else { 0 };
        let mut looks = listed;
        for region in self.regions {
            let (low, high) = self.chunks(region, &self.window(region, bounds));
            looks = looks.saturating_add(count(low, high));
        }
        if looks > MOST_LOOKS { self.tree(Team::ALONE) } else { None }
    }

    /// Adds the oversized entries among which are all that overlap a box.
    #[inline]
    pub(super) fn add_oversized<B>(
        &self,
        bounds: &Aabb<S, D>,
        steps: &mut Steps,
        look: &mut impl FnMut(&Steps) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.grid.oversized.is_empty() {
            return ControlFlow::Continue(());
        }
        // A copy: the box of most queries stays in registers.
        let (mut flow, bounds) = (ControlFlow::Continue(()), *bounds);
        self.grid.oversized_around(&bounds, |run| {
            if flow.is_continue() {
                steps.part();
                flow = steps.add(run, look);
            }
        });
        flow
    }

    /// The cells of a level in which everything lives that overlaps a box.
    #[inline(always)]
    pub(super) fn window(&self, region: &Region, bounds: &Aabb<S, D>) -> Window {
        Window::new(&self.grid.levels[region.level], region.span, bounds)
    }

    /// The first and the last of a level's chunks that a window touches, by axis; the last before the first if there are none.
    #[inline(always)]
    fn chunks(&self, region: &Region, window: &Window) -> (Coords, Coords) {
        let (mut low, mut high) = window.chunks::<D>();
        for axis in 0..3 {
            (low[axis], high[axis]) = (low[axis].max(region.low[axis]), high[axis].min(region.high[axis]));
        }
        (low, high)
    }

    /// Calls `f` with the existing chunks of a level that a window touches.
    #[inline]
    pub(super) fn try_for_each_chunk<B>(
        &self,
        region: &Region,
        window: &Window,
        finder: &mut impl FindChunk<'a>,
        mut f: impl FnMut(Coords, &Chunk) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (low, high) = self.chunks(region, window);
        let touched = count(low, high);
        if touched == 0 {
            return ControlFlow::Continue(());
        }
        let chunks = self.grid.chunks_of(region.level);
        if touched <= chunks.len() {
            for z in low[2]..high[2] + 1 {
                for y in low[1]..high[1] + 1 {
                    for x in low[0]..high[0] + 1 {
                        #[cfg(test)]
                        super::work::count_look();
                        if let Some(chunk) = finder.find(self.grid, region.level, [x, y, z]) {
                            f([x, y, z], chunk)?;
                        }
                    }
                }
            }
        } else {
            // It covers more chunks than there are: go through those that there are.
            for chunk in chunks.clone() {
                #[cfg(test)]
                super::work::count_look();
                let coords = key_parts(chunk.key()).1;
                if (0..3).all(|axis| (low[axis]..=high[axis]).contains(&coords[axis])) {
                    f(coords, chunk)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// How many chunks a box of chunks has.
#[inline(always)]
fn count(low: Coords, high: Coords) -> usize {
    (0..3).fold(1_usize, |count, axis| count.saturating_mul((high[axis] - low[axis] + 1).max(0) as usize))
}
