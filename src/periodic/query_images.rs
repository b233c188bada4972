//! A query in a periodic domain, as several queries about the images in it.
//!
//! A query of up to one period is treated as one more object: it is wrapped, it gets ghosts where it reaches the upper border, and a
//! meeting counts if on no axis both sides are ghosts (`images.rs` proves that this finds every meeting once). A longer query searches the
//! objects themselves, without ghosts, and is moved by every number of periods that brings it near the domain. That finds every meeting
//! once, too: each has its own number of periods.

use std::ops::ControlFlow;

use super::domain::{Domain, MOST_PERIODS, Period};
use crate::{Aabb, Scalar};

/// The most periods that a query may be long.
pub(super) const LONGEST: f64 = 1000.0;

/// A query at one of the places where it meets the images.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryImage<S, const D: usize> {
    pub(super) bounds: Aabb<S, D>,
    /// By how many periods it was moved down from the user's query, by axis.
    pub(super) periods: [i32; D],
    /// The axes, as bits, on which ghosts do not count.
    pub(super) ghostless: u8,
}

/// A query along one axis: an interval, moved down by each of several numbers of periods.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisSpan<S> {
    pub(super) min: S,
    pub(super) max: S,
    /// By how many periods it was moved down to get there.
    pub(super) periods: i32,
    /// The smallest number of further periods, and how many such numbers there are.
    pub(super) first: i32,
    pub(super) count: i32,
    /// Whether ghosts do not count even if there are no further periods.
    pub(super) is_long: bool,
}

impl<S: Scalar> AxisSpan<S> {
    /// An interval that is not moved.
    pub(super) fn once(min: S, max: S) -> Self {
        AxisSpan { min, max, periods: 0, first: 0, count: 1, is_long: false }
    }
}

impl<S: Scalar, const D: usize> Domain<S, D> {
    /// Calls `f` with the images of a query that reaches as far as a valid box, until it returns `Break`; not at all if the query is too
    /// long or too far away.
    #[inline]
    pub(super) fn try_for_each_query_image<B>(
        &self,
        bounds: &Aabb<S, D>,
        f: impl FnMut(&QueryImage<S, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut axes: [_; D] = std::array::from_fn(|axis| AxisSpan::once(bounds.min[axis], bounds.max[axis]));
        for axis in 0..D {
            if let Some(period) = self.period(axis) {
                let Some(span) = period.span(bounds.min[axis], bounds.max[axis]) else { return ControlFlow::Continue(()) };
                axes[axis] = span;
            }
        }
        self.try_for_each_choice(&axes, f)
    }

    /// Calls `f` with the images of a query that are made by choosing one of the numbers along each axis, until it returns `Break`.
    #[inline]
    pub(super) fn try_for_each_choice<B>(
        &self,
        axes: &[AxisSpan<S>; D],
        mut f: impl FnMut(&QueryImage<S, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut numbers = [0; D];
        loop {
            let mut image = QueryImage { bounds: Aabb::EMPTY, periods: [0; D], ghostless: 0 };
            for axis in 0..D {
                let span = &axes[axis];
                let further = span.first + numbers[axis];
                image.periods[axis] = span.periods + further;
                (image.bounds.min[axis], image.bounds.max[axis]) = match self.period(axis) {
                    Some(period) if further != 0 => (period.down(span.min, further), period.down(span.max, further)),
                    _ => (span.min, span.max),
                };
                image.ghostless |= u8::from(span.is_long || further != 0) << axis;
            }
            f(&image)?;
            // The next numbers, counted up like the digits of a number.
            let Some(axis) = (0..D).find(|&axis| numbers[axis] + 1 < axes[axis].count) else {
                return ControlFlow::Continue(());
            };
            numbers[axis] += 1;
            numbers[..axis].fill(0);
        }
    }
}

impl<S: Scalar> Period<S> {
    /// The query along this axis, unless it is too long or too far away.
    fn span(&self, min: S, max: S) -> Option<AxisSpan<S>> {
        let length = (max.to_f64() - min.to_f64()) / self.length;
        if length <= 1.0 {
            let (min, max, periods) = if self.holds(min) { (min, max, 0) } else { self.wrap(min, max)? };
            let count = if self.reaches_the_end(max) { 2 } else { 1 };
            return Some(AxisSpan { min, max, periods, first: 0, count, is_long: false });
        }
        // Objects lie between the lower border and one period behind the upper one. One number too many does no harm.
        let last = ((max.to_f64() - self.low.to_f64()) / self.length).floor() + 1.0;
        let first = ((min.to_f64() - self.low.to_f64()) / self.length).ceil() - 3.0;
        let can_be_counted = length <= LONGEST && first.abs() <= MOST_PERIODS && last.abs() <= MOST_PERIODS;
        can_be_counted.then(|| AxisSpan {
            min,
            max,
            periods: 0,
            first: first as i32,
            count: (last - first) as i32 + 1,
            is_long: true,
        })
    }
}
