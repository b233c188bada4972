//! Where the cells of a level lie, as coordinates.

use super::Level;
use crate::Scalar;
use crate::isa::CELL_LIMIT;

/// The borders between a level's cells, by the coordinates of cells: along the rows first.
///
/// A cell is the floor of `(x - origin) * inverse`, with two roundings in `S`, so its coordinates may lie a little beyond its borders as
/// they are computed here, in `f64`. The borders that are returned include this slack.
///
/// `x - origin` may overflow although `x` and the border are finite. Then `x` is in an outermost cell that begins far beyond it, so a
/// border is never put beyond the first coordinate that overflows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borders {
    origin: [f64; 3],
    cell: [f64; 3],
    /// How far any border may be off; more is added with the distance from the origin.
    slack: [f64; 3],
}

impl Borders {
    /// Of no level.
    pub(crate) const NONE: Self = Borders { origin: [0.0; 3], cell: [0.0; 3], slack: [0.0; 3] };

    pub(crate) fn of<S: Scalar, const D: usize>(level: &Level<S, D>) -> Self {
        let mut borders =
            Borders { origin: level.turned(level.origin()), cell: level.turned(level.cell_size()), slack: [0.0; 3] };
        for axis in 0..D {
            let (origin, slack) = (&mut borders.origin[axis], &mut borders.slack[axis]);
            // As at the first border, at least: a product that underflows is not rounded by less than that.
            *slack = origin.abs() * (4.0 * f64::EPSILON) + borders.cell[axis] * (8.0 * S::EPSILON);
            // The level ignores the axis, or boxes at infinity have moved the origin there: nothing is known about borders.
            if !slack.is_finite() {
                (*origin, borders.cell[axis], *slack) = (0.0, 0.0, f64::INFINITY);
            }
        }
        borders
    }

    /// Not greater than any coordinate whose cell is `cell` or a later one.
    ///
    /// The result needs no rounding downwards: if a number of type `S` is not below the bound, then neither is it below the bound
    /// rounded to `S`.
    #[inline(always)]
    pub(crate) fn below<S: Scalar>(&self, axis: usize, cell: i32) -> S {
        if cell <= -CELL_LIMIT {
            return S::NEG_INFINITY;
        }
        let border = self.border::<S>(axis, cell, -1.0);
        // If the origin is negative, what is at least this far above zero overflows into the last cell.
        let overflowing = S::MAX.to_f64() + self.origin[axis].min(0.0);
        S::from_f64(if border < overflowing { border } else { overflowing })
    }

    /// Not less than any coordinate whose cell is `cell` or an earlier one.
    #[inline(always)]
    pub(crate) fn above<S: Scalar>(&self, axis: usize, cell: i32) -> S {
        if cell >= CELL_LIMIT {
            return S::INFINITY;
        }
        let border = self.border::<S>(axis, cell + 1, 1.0);
        let overflowing = self.origin[axis].max(0.0) - S::MAX.to_f64();
        S::from_f64(if border > overflowing { border } else { overflowing })
    }

    /// Of the layers of cells from `first` to `last`, which hold objects that reach `span` cells further: bounds of all coordinates in the
    /// first layer, and how much both bounds grow from each layer to the next. Nothing if something outermost or infinite is among them.
    ///
    /// The bounds are off by twice as much as those of a single cell: one half covers that they are computed from the first.
    #[inline(always)]
    pub(crate) fn layers<S: Scalar>(&self, axis: usize, first: i32, last: i32, span: i32) -> Option<[f64; 3]> {
        let (end, cell) = (last + span + 1, self.cell[axis]);
        if first <= -CELL_LIMIT || end > CELL_LIMIT {
            return None;
        }
        let off = f64::from(first.abs().max(end.abs())) * (cell * (16.0 * S::EPSILON)) + 2.0 * self.slack[axis];
        let low = self.origin[axis] + f64::from(first) * cell - off;
        let high = self.origin[axis] + f64::from(first + span + 1) * cell + off;
        let is_finite = low.is_finite() && (high + f64::from(last - first) * cell).is_finite();
        is_finite.then_some([low, high, cell])
    }

    /// Where a cell begins, moved to the given side by the slack. Never NaN.
    #[inline(always)]
    fn border<S: Scalar>(&self, axis: usize, cell: i32, side: f64) -> f64 {
        let (number, origin, slack) = (f64::from(cell), self.origin[axis], self.slack[axis]);
        let off = number.abs() * (self.cell[axis] * (8.0 * S::EPSILON)) + slack;
        let border = origin + number * self.cell[axis] + side * off;
        if border.is_finite() { border } else { self.distant_border(axis, number, side * off) }
    }

    /// The same where a part of the sum overflows, or nothing is known about borders.
    #[cold]
    fn distant_border(&self, axis: usize, number: f64, off: f64) -> f64 {
        if off.is_infinite() {
            return off;
        }
        let quarter = 0.25 * self.cell[axis] * number + 0.25 * self.origin[axis] + 0.25 * off;
        4.0 * quarter
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::scalar::sealed::Real;

    /// Numbers of all magnitudes, and neighbors of cell borders among them.
    fn check<S: Scalar>(origin: f64, size: f64) {
        let level = Level::<S, 2>::new([origin; 2], [size; 2], [1, 1, 0]);
        let borders = Borders::of(&level);
        // Under an interpreter all of it would take hours.
        let scales = (-70..70).step_by(if cfg!(miri) { 23 } else { 1 }).map(|exponent| 2f64.powi(exponent) * size);
        for offset in scales.flat_map(|scale| [scale, -scale, scale * 1.1, -scale * 1.3]).chain([0.0]) {
            for step in [0.0, 1e-7, -1e-7, 1e-16, -1e-16] {
                let x = S::from_f64((origin + offset) * (1.0 + step));
                if x.is_nan() {
                    continue; // no bound of a box that takes part
                }
                let cell = level.cell(&[x, x]);
                for axis in 0..2 {
                    let (below, above) = (borders.below::<S>(axis, cell[axis]), borders.above::<S>(axis, cell[axis]));
                    assert!(below <= x && x <= above, "{x:?} is in cell {}, not in {below:?}..{above:?}", cell[axis]);
                }
            }
        }
    }

    #[test]
    fn what_lives_in_a_cell_lies_within_its_borders() {
        for origin in [0.0, 0.3, -1e5, 1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for size in [1e-3, 1.0, 7.7, 1e12] {
                check::<f32>(origin, size);
                check::<f64>(origin, size);
            }
        }
        check::<f32>(1e-30, f32::SMALLEST_CELL);
        check::<f64>(1e-300, f64::SMALLEST_CELL);
    }

    /// Where differences, products and sums overflow.
    #[test]
    fn borders_survive_overflow() {
        fn check_all<S: Scalar>() {
            let max = S::MAX.to_f64();
            let numbers = [0.0, 1.0, 1e19, max / 1e9, max / 64.0, max / 16.0, max / 4.0, max / 2.0, max * 0.75, max];
            let numbers = numbers.iter().flat_map(|&x| [x, -x]);
            for (origin, size) in
                numbers.clone().flat_map(|origin| [1e-3, 1e3, max / 1e12, max / 16.0].map(|size| (origin, size)))
            {
                let level = Level::<S, 2>::new([origin; 2], [size; 2], [1, 1, 0]);
                let borders = Borders::of(&level);
                for x in numbers.clone().map(S::from_f64).flat_map(|x| [x.below(), x, x.above()]) {
                    let cell = level.cell(&[x, x])[0];
                    // What is in a later or an earlier cell, too.
                    for back in [0, 1, 5, 1000, CELL_LIMIT] {
                        let (below, above) =
                            (borders.below::<S>(0, cell - back), borders.above::<S>(0, cell.saturating_add(back)));
                        assert!(below <= x && x <= above, "{x:?} in cell {cell}, not in {below:?}..{above:?}: {level:?}");
                        assert!(below <= S::MAX && above >= S::ZERO - S::MAX);
                    }
                }
            }
        }
        check_all::<f32>();
        check_all::<f64>();
    }

    /// They are no closer than the borders of each cell, and not much further.
    #[test]
    fn layers_hold_their_cells() {
        fn check<S: Scalar>(origin: f64, size: f64) {
            let borders = Borders::of(&Level::<S, 2>::new([origin; 2], [size; 2], [1, 1, 0]));
            for (first, count, span) in [(0, 1, 0), (-7, 20, 1), (900, 3, 2), (-1_000_000, 32, 0), (1 << 29, 5, 1)] {
                let [low, high, step] = borders.layers::<S>(0, first, first + count - 1, span).expect("finite");
                for number in 0..count {
                    let (low, high) = (low + f64::from(number) * step, high + f64::from(number) * step);
                    let (below, above) = (borders.below::<S>(0, first + number), borders.above::<S>(0, first + number + span));
                    assert!(S::from_f64(low) <= below && S::from_f64(high) >= above, "layer {number} from {first}");
                    let most = 64.0 * S::EPSILON * (f64::from(first.abs() + count) * size + origin.abs() + size);
                    assert!(low >= below.to_f64() - most && high <= above.to_f64() + most, "layer {number} from {first}");
                }
            }
        }
        for origin in [0.0, 0.3, -1e5, 1e9] {
            for size in [1e-3, 1.0, 7.7, 1e12] {
                check::<f32>(origin, size);
                check::<f64>(origin, size);
            }
        }
        let borders = Borders::of(&Level::<f32, 2>::new([0.0; 2], [1.0; 2], [1, 1, 0]));
        assert!(borders.layers::<f32>(0, -CELL_LIMIT, 0, 0).is_none());
        assert!(
            borders.layers::<f32>(0, 0, CELL_LIMIT - 1, 0).is_some() && borders.layers::<f32>(0, 0, CELL_LIMIT - 1, 1).is_none()
        );
        let borders = Borders::of(&Level::<f64, 2>::new([f64::INFINITY, 0.0], [1.0; 2], [0, 1, 0]));
        assert!(borders.layers::<f64>(0, 0, 3, 0).is_none());
    }

    #[test]
    fn a_cell_of_an_ignored_axis_is_the_whole_line() {
        let borders = Borders::of(&Level::<f64, 2>::new([f64::INFINITY, 0.0], [1.0; 2], [0, 1, 0]));
        for cell in [-CELL_LIMIT, -CELL_LIMIT + 15, 0, CELL_LIMIT] {
            assert_eq!((borders.below::<f64>(0, cell), borders.above::<f64>(0, cell)), (f64::NEG_INFINITY, f64::INFINITY));
        }
        assert!(borders.above::<f64>(1, 3) < 4.1);
    }

    /// A slack that hides every error would be useless.
    #[test]
    fn borders_are_where_they_should_be() {
        let borders = Borders::of(&Level::<f32, 3>::new([3.0, -7.0, 0.5], [0.25, 2.0, 1.0], [1; 3]));
        for (axis, cell, low, high) in [(0, 0, 3.0, 3.25), (0, -4, 2.0, 2.25), (1, 10, 13.0, 15.0), (2, -1, -0.5, 0.5)] {
            let (below, above) = (borders.below::<f64>(axis, cell), borders.above::<f64>(axis, cell));
            assert!(below < low && below > low - 1e-4, "{below}, not {low}");
            assert!(above > high && above < high + 1e-4, "{above}, not {high}");
        }
    }
}
