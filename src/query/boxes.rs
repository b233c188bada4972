//! Boxes that overlap a box or contain a point.

use std::ops::ControlFlow;

use super::lanes::steps;
use super::{Queries, Region, Scene};
use crate::kernel::{bits, overlaps};
use crate::layout::Chunk;
use crate::layout::{Coords, Window, key_parts};
use crate::{Aabb, Scalar};

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
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
    pub fn visit_overlapping<B>(&self, bounds: &Aabb<S, D>, mut visit: impl FnMut(u32) -> ControlFlow<B>) -> ControlFlow<B> {
        let Some(scene) = self.scene.as_ref().filter(|_| bounds.is_valid()) else { return ControlFlow::Continue(()) };
        let mut test = |run| {
            for (at, inside) in steps(run) {
                for lane in bits(overlaps(&scene.columns, bounds, at) & inside) {
                    visit(scene.columns.id(at + lane))?;
                }
            }
            ControlFlow::Continue(())
        };
        let mut flow = ControlFlow::Continue(());
        scene.grid.oversized_around(bounds, |run| {
            if flow.is_continue() {
                flow = test(run);
            }
        });
        flow?;
        scene.try_for_each_run(bounds, test)
    }

    /// All objects whose boxes overlap `bounds`, in no particular order.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<u32>) {
        found.clear();
        let Some(scene) = self.scene.as_ref().filter(|_| bounds.is_valid()) else { return };
        scene.grid.oversized_around(bounds, |run| scene.kernel.hits(&scene.columns, bounds, run, found));
        let ControlFlow::Continue(()) = scene.try_for_each_run(bounds, |run| {
            scene.kernel.hits(&scene.columns, bounds, run, found);
            ControlFlow::<std::convert::Infallible>::Continue(())
        });
        found.iter_mut().for_each(|entry| *entry = scene.columns.id(*entry as usize));
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

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Calls `f` with the runs of entries of all levels among which are all that overlap the box.
    #[inline]
    pub(super) fn try_for_each_run<B>(
        &self,
        bounds: &Aabb<S, D>,
        mut f: impl FnMut(std::ops::Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for (level, region) in self.occupied() {
            let window = Window::new(&self.grid.levels[level], self.grid.spans[level], bounds);
            self.try_for_each_chunk(
                level,
                region,
                &window,
                &mut f,
                |_, _| true,
                |f, coords, chunk| {
                    let mut flow = ControlFlow::Continue(());
                    if let Some(window) = window.within::<D>(coords) {
                        window.runs(chunk, |run| {
                            if flow.is_continue() {
                                flow = f(run);
                            }
                        });
                    }
                    flow
                },
            )?;
        }
        ControlFlow::Continue(())
    }

    /// Calls `f` with the existing chunks of a level that a window touches and that are wanted. Both functions see the caller's
    /// state.
    #[inline]
    pub(super) fn try_for_each_chunk<T, B>(
        &self,
        level: usize,
        region: &Region,
        window: &Window,
        state: &mut T,
        is_wanted: impl Fn(&T, Coords) -> bool,
        mut f: impl FnMut(&mut T, Coords, &Chunk) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (low, high) = window.chunks::<D>();
        let low: Coords = std::array::from_fn(|axis| low[axis].max(region.low[axis]));
        let high: Coords = std::array::from_fn(|axis| high[axis].min(region.high[axis]));
        if (0..3).any(|axis| low[axis] > high[axis]) {
            return ControlFlow::Continue(());
        }
        let chunks = self.grid.chunks_of(level);
        let touched = (0..D).fold(1.0, |touched, axis| touched * (f64::from(high[axis]) - f64::from(low[axis]) + 1.0));
        if touched <= chunks.len() as f64 {
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        if is_wanted(state, [x, y, z])
                            && let Some(chunk) = self.grid.find(level, [x, y, z])
                        {
                            f(state, [x, y, z], chunk)?;
                        }
                    }
                }
            }
        } else {
            // It covers more chunks than there are: go through those that there are.
            for chunk in chunks.clone() {
                let coords = key_parts(chunk.key()).1;
                let is_inside = || (0..3).all(|axis| (low[axis]..=high[axis]).contains(&coords[axis]));
                if is_inside() && is_wanted(state, coords) {
                    f(state, coords, chunk)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
