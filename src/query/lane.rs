//! When the chunks along an axis are met, or the cells of a chunk.

use std::ops::Range;

use super::Region;
use super::cast::{Cast, Heading, Time};
use super::lanes::mask;
use super::region::Bounds;
use crate::Scalar;
use crate::grid::{Shape, Window};

/// The chunks along one axis, numbered in the order in which they are met.
#[derive(Clone, Copy)]
pub(super) struct Lane<S> {
    pub(super) axis: usize,
    /// The chunk with number 0, and the direction of the next.
    first: i32,
    step: i32,
    /// How many chunks there are.
    pub(super) count: i32,
    /// When they are met; nothing if there is no motion along the axis: then at any time.
    meetings: Option<Meetings<S>>,
}

/// When groups of cells are met, as far as one axis tells.
#[derive(Clone, Copy)]
struct Meetings<S> {
    /// Of the faces that are met first, and of those that are met last.
    near: Faces<S>,
    far: Faces<S>,
}

/// Faces at equal distances, and the face of the cast that meets them.
#[derive(Clone, Copy)]
struct Faces<S> {
    bounds: Bounds,
    own: S,
    inverse: S,
}

impl<S: Scalar> Faces<S> {
    #[inline(always)]
    fn time(&self, number: i32) -> S {
        (S::from_f64(self.bounds.get(number)) - self.own) * self.inverse
    }
}

impl<S: Scalar> Meetings<S> {
    #[inline(always)]
    fn new<const D: usize>(
        cast: &Cast<S, D>,
        region: &Region,
        axis: usize,
        cell: i32,
        edge: i32,
        downwards: bool,
    ) -> Option<Self> {
        let along = &cast.axes[axis];
        let [low, high] = region.bounds_of::<S>(axis, cell, edge, downwards);
        let low = Faces { bounds: low, own: along.high, inverse: along.inverse };
        let high = Faces { bounds: high, own: along.low, inverse: along.inverse };
        match along.heading {
            Heading::Up => Some(Meetings { near: low, far: high }),
            Heading::Down => Some(Meetings { near: high, far: low }),
            Heading::Still => None,
        }
    }
}

impl<S: Scalar> Lane<S> {
    /// The chunks of a level, from the first that is met at `from` or later. The window says which cells matter where nothing
    /// moves.
    pub(super) fn new<const D: usize>(cast: &Cast<S, D>, region: &Region, window: &Window, axis: usize, from: S) -> Self {
        let (low, high) = (region.low[axis], region.high[axis]);
        if axis >= D {
            return Lane { axis, first: low, step: 1, count: 1, meetings: None };
        }
        let edge = Shape::<D>::EDGE[axis];
        let downwards = match cast.axes[axis].heading {
            Heading::Up => false,
            Heading::Down => true,
            Heading::Still => {
                let (window_low, window_high) = window.chunks::<D>();
                let (first, last) = (low.max(window_low[axis]), high.min(window_high[axis]));
                return Lane { axis, first, step: 1, count: (last - first + 1).max(0), meetings: None };
            }
        };
        let (first, step) = if downwards { (high, -1) } else { (low, 1) };
        let lane = |first: i32, count: i32| {
            let meetings = Meetings::new(cast, region, axis, first * edge, edge, downwards);
            Lane { axis, first, step, count, meetings }
        };
        let whole = lane(first, high - low + 1);
        let skipped = whole.first_left_after(from);
        lane(first + step * skipped, whole.count - skipped)
    }

    /// The first number whose chunk is left at `from` or later: a guess, and steps from there to where it is right.
    fn first_left_after(&self, from: S) -> i32 {
        let Some(Meetings { far, .. }) = self.meetings else { return 0 };
        let place = from.to_f64() / far.inverse.to_f64() + far.own.to_f64();
        let guess = (place - far.bounds.first) / far.bounds.stride;
        let mut number = (guess as i32).clamp(0, self.count);
        while number > 0 && !(far.time(number - 1) < from) {
            number -= 1;
        }
        while number < self.count && far.time(number) < from {
            number += 1;
        }
        number
    }

    pub(super) fn chunk(&self, number: i32) -> i32 {
        self.first + self.step * number
    }

    /// The number of a chunk; negative before the first.
    pub(super) fn number(&self, chunk: i32) -> i32 {
        (chunk - self.first) * self.step
    }

    #[inline(always)]
    pub(super) fn meeting(&self, number: i32) -> (S, S) {
        (self.near(number), self.far(number))
    }

    #[inline(always)]
    pub(super) fn near(&self, number: i32) -> S {
        self.meetings.as_ref().map_or(S::NEG_INFINITY, |meetings| meetings.near.time(number))
    }

    #[inline(always)]
    pub(super) fn far(&self, number: i32) -> S {
        self.meetings.as_ref().map_or(S::INFINITY, |meetings| meetings.far.time(number))
    }

    /// How many chunks are met per unit of time.
    pub(super) fn rate(&self) -> f64 {
        self.meetings.as_ref().map_or(0.0, |meetings| 1.0 / (meetings.near.inverse.to_f64() * meetings.near.bounds.stride).abs())
    }
}

/// When the cells of a chunk are met, as far as one axis tells.
pub(super) struct Cells<S, const N: usize> {
    pub(super) near: [S; N],
    far: [S; N],
}

impl<S: Scalar, const N: usize> Cells<S, N> {
    /// The cells from `base` on.
    #[inline]
    pub(super) fn new<const D: usize>(cast: &Cast<S, D>, region: &Region, axis: usize, base: i32, is_saturated: bool) -> Self {
        let mut cells = Cells { near: [S::NEG_INFINITY; N], far: [S::INFINITY; N] };
        if axis >= D {
            return cells;
        }
        match Meetings::new(cast, region, axis, base, 1, false).filter(|_| !is_saturated) {
            Some(meetings) => {
                for cell in 0..N {
                    (cells.near[cell], cells.far[cell]) = (meetings.near.time(cell as i32), meetings.far.time(cell as i32));
                }
            }
            None => {
                for cell in 0..N {
                    let place = base + cell as i32;
                    (cells.near[cell], cells.far[cell]) = cast.interval(axis, region.around(axis, place, place));
                }
            }
        }
        cells
    }

    #[inline(always)]
    pub(super) fn meeting(&self, cell: i32) -> (S, S) {
        (self.near[cell as usize % N], self.far[cell as usize % N])
    }

    /// The cells that are met within the time; they are neighbours.
    #[inline(always)]
    pub(super) fn met(&self, time: Time<S>) -> Range<usize> {
        let met = mask::<N>(std::array::from_fn(|cell| !(self.near[cell] > time.to) & !(self.far[cell] < time.from)));
        if met == 0 { 0..0 } else { met.trailing_zeros() as usize..(u32::BITS - met.leading_zeros()) as usize }
    }
}
