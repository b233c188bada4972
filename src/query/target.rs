//! Targets of queries: grids, and a list of objects that are in no grid.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::cast::Cast;
use super::chunks::{FindChunk, InDirectory};
use super::filter::QueryFilter;
use super::lanes::{overlaps, squares, up_to};
use super::nearest::{Near, Nearest};
use super::residents::OutsideOfGrids;
use super::tree::Node;
use super::view::GridView;
use super::within::Reach;
use super::{Hit, Neighbor};
use crate::isa;
use crate::isa::eight::{LANES, bits};
use crate::kernel::{Faces, NearLanes, meets};
use crate::runtime::team::Team;
use crate::{Aabb, Groups, Scalar};

/// The grid of a broad phase, or the two grids of a static set and its latest changes.
///
/// All kinds of queries come here: those of [`Queries`](super::Queries), of a world, which searches two targets, and of a periodic domain,
/// which searches one several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a, S: Scalar, const D: usize> {
    views: [Option<GridView<'a, S, D>>; 2],
    /// Objects that are in no grid.
    list: Option<OutsideOfGrids<'a, S, D>>,
}

/// Up to eight objects of the list.
struct ListBlock<S, const D: usize> {
    boxes: Node<S, D>,
    objects: [(u32, Groups); LANES],
    len: usize,
}

impl<S: Scalar, const D: usize> ListBlock<S, D> {
    const EMPTY: Self = ListBlock { boxes: Node::EMPTY, objects: [(0, Groups::ALL); LANES], len: 0 };

    fn lanes(&self) -> u32 {
        (1 << self.len) - 1
    }

    fn admit<F: QueryFilter<u32>>(&self, lane: usize, filter: &F) -> Option<u32> {
        let (index, groups) = self.objects[lane];
        filter.admits(index, || groups).then_some(index)
    }
}

impl<'a, S: Scalar, const D: usize> Target<'a, S, D> {
    /// Without anything to be found.
    pub(crate) const NONE: Self = Target { views: [None; 2], list: None };

    pub(crate) fn new(views: [Option<GridView<'a, S, D>>; 2], list: Option<OutsideOfGrids<'a, S, D>>) -> Self {
        Target { views, list }
    }

    /// The views, each with its own part of what a search keeps.
    #[inline(always)]
    fn views_with<'f, C>(&self, finders: &'f mut [C; 2]) -> impl Iterator<Item = (&GridView<'a, S, D>, &'f mut C)> {
        self.views.iter().zip(finders).filter_map(|(view, finder)| Some((view.as_ref()?, finder)))
    }

    #[inline(always)]
    pub(super) fn views(&self) -> impl Iterator<Item = &GridView<'a, S, D>> {
        self.views.iter().flatten()
    }

    /// A box around all objects, more or less close to them; an invalid one if there are none.
    pub(crate) fn bounds(&self) -> Aabb<S, D> {
        let mut bounds = Aabb::EMPTY;
        self.views().for_each(|view| bounds.grow(&view.bounds()));
        let ControlFlow::Continue(()) = self.try_for_each_listed(|block| {
            (0..block.len).for_each(|lane| bounds.grow(&block.boxes.child(lane)));
            ControlFlow::<Infallible>::Continue(())
        });
        bounds
    }

    /// Has a team build what the first cast, or the first search for the nearest, would have to build alone.
    pub(crate) fn prepare_tree(&self, team: Team) {
        self.views().for_each(|view| _ = view.tree(team));
    }

    /// Calls `f` with the objects of the list, eight at a time.
    #[inline]
    fn try_for_each_listed<B>(&self, mut f: impl FnMut(&ListBlock<S, D>) -> ControlFlow<B>) -> ControlFlow<B> {
        let Some(set) = self.list else { return ControlFlow::Continue(()) };
        let mut block = ListBlock::EMPTY;
        for (index, bounds, groups) in set.valid() {
            block.boxes.set_child(block.len, bounds);
            block.objects[block.len] = (index, groups);
            block.len += 1;
            if block.len == LANES {
                f(&block)?;
                block = ListBlock::EMPTY;
            }
        }
        if block.len > 0 { f(&block) } else { ControlFlow::Continue(()) }
    }

    /// Calls `visit` with the objects that overlap a box, until it returns `Break`.
    #[inline]
    pub(crate) fn visit_overlapping<B, F: QueryFilter<u32>>(
        &self,
        bounds: &Aabb<S, D>,
        filter: &F,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if !bounds.is_valid() {
            return ControlFlow::Continue(());
        }
        for view in self.views() {
            view.visit_overlapping(bounds, filter, &mut visit)?;
        }
        self.try_for_each_listed(|block| {
            let hits = overlaps(&block.boxes.children(), bounds) & block.lanes();
            bits(hits).filter_map(|lane| block.admit(lane, filter)).try_for_each(&mut visit)
        })
    }

    /// Appends the objects that overlap a box.
    #[inline]
    pub(super) fn append_overlapping<F: QueryFilter<u32>>(
        &self,
        bounds: &Aabb<S, D>,
        filter: &F,
        finders: &mut [impl FindChunk<'a>; 2],
        found: &mut Vec<u32>,
    ) {
        if !bounds.is_valid() {
            return;
        }
        for (view, finder) in self.views_with(finders) {
            view.append_overlapping(bounds, filter, finder, found);
        }
        let ControlFlow::Continue(()) = self.try_for_each_listed(|block| {
            let hits = overlaps(&block.boxes.children(), bounds) & block.lanes();
            found.extend(bits(hits).filter_map(|lane| block.admit(lane, filter)));
            ControlFlow::<Infallible>::Continue(())
        });
    }

    /// Calls `visit` with the objects within a distance of a point, whose square is `limit`, until it returns `Break`.
    #[inline]
    pub(crate) fn visit_within<B, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        limit: S,
        filter: &F,
        visit: impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.search_within(&Reach { point, limit }, filter, &mut [InDirectory; 2], &mut NearLanes::new(), visit)
    }

    /// The same with what a batch keeps from query to query.
    #[inline]
    pub(super) fn search_within<B, F: QueryFilter<u32>>(
        &self,
        ball: &Reach<'_, S, D>,
        filter: &F,
        finders: &mut [impl FindChunk<'a>; 2],
        near: &mut NearLanes<S>,
        mut visit: impl FnMut(Neighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for (view, finder) in self.views_with(finders) {
            view.visit_within(ball, filter, finder, near, &mut visit)?;
        }
        self.try_for_each_listed(|block| {
            let squares = squares(&block.boxes.children(), ball.point);
            for lane in bits(up_to(&squares, ball.limit) & block.lanes()) {
                if let Some(index) = block.admit(lane, filter) {
                    visit(Neighbor { index, distance_squared: squares[lane] })?;
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Offers each object, mapped by `of`, to the nearest ones so far, as long as there may be nearer ones.
    #[inline]
    pub(crate) fn find_nearest<T: Near<S>, F: QueryFilter<u32>>(
        &self,
        point: &[S; D],
        filter: &F,
        nearest: &mut Nearest<T>,
        of: impl Fn(Neighbor<S>) -> Option<T>,
    ) {
        let ControlFlow::Continue(()) = self.try_for_each_listed(|block| {
            let squares = squares(&block.boxes.children(), point);
            for lane in 0..block.len {
                if let Some(index) = block.admit(lane, filter) {
                    nearest.add(of(Neighbor { index, distance_squared: squares[lane] }));
                }
            }
            ControlFlow::<Infallible>::Continue(())
        });
        for view in self.views() {
            view.find_nearest(point, filter, nearest, &of);
        }
    }

    /// Calls `visit` with every object that is met until the limit, each once. The visitor returns the limit from then on.
    #[inline]
    pub(crate) fn cast<B, F: QueryFilter<u32>>(
        &self,
        cast: &Cast<S, D>,
        filter: &F,
        mut visit: impl FnMut(Hit<S>) -> ControlFlow<B, S>,
    ) -> ControlFlow<B> {
        let mut cast = *cast;
        for view in self.views() {
            view.cast(cast, |entry, t, limit| match view.admit(entry, filter) {
                Some(index) => {
                    cast.max_t = visit(Hit { index, t })?;
                    ControlFlow::Continue(cast.max_t)
                }
                None => ControlFlow::Continue(limit),
            })?;
        }
        self.try_for_each_listed(|block| {
            let faces = |side: usize| std::array::from_fn(|axis| block.boxes.side(axis, cast.near[axis] ^ side));
            let faces = Faces { near: faces(0), far: faces(1) };
            let (times, met) = meets::<_, S, D, true>(isa::BASELINE, faces, &cast.motion, cast.max_t);
            for lane in bits(met & block.lanes()) {
                if times[lane] <= cast.max_t
                    && let Some(index) = block.admit(lane, filter)
                {
                    cast.max_t = visit(Hit { index, t: times[lane] })?;
                }
            }
            ControlFlow::Continue(())
        })
    }
}
