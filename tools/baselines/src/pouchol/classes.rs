//! Size classes and their cells: section 2.2.

use crate::Bounds;
use crate::cells::Block;

/// Which classes there are. All are a smallest size times a power of two, so the cells of one are unions of cells of another.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// Those that the objects need, found anew in each step: equation 2.
    Needed,
    /// Given ones, as bits: bit `k` is the class of `smallest * 2^k`. Classes for larger objects are added.
    Given { smallest: f32, classes: u32 },
    /// Only one: the given one, or the largest that the objects need if that is larger.
    One { size: Option<f32> },
}

/// Edges count as longer by this. Equation 2 as printed tears equal cubes apart whose edge is a power of two: rounded
/// coordinates put half of them into the next class.
const MARGIN: f64 = 1.0 + 1e-3;
/// Doublings between the smallest class and the largest one possible.
const MOST_DOUBLINGS: u32 = 31;

/// The classes of a step, each known by its doublings of the smallest.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    cells_per_unit: f64,
    present: u32,
}

impl Classes {
    /// Chooses them, and finds the class of each object.
    pub(super) fn choose<const D: usize>(choice: &Choice, boxes: &[Bounds<D>], class_of: &mut Vec<u8>) -> Self {
        let (mut shortest, mut longest, mut furthest) = (f64::INFINITY, 0.0, 0.0);
        for bounds in boxes {
            let edge = longest_edge(bounds);
            shortest = if 0.0 < edge && edge < shortest { edge } else { shortest };
            longest = if longest < edge && edge.is_finite() { edge } else { longest };
            for x in bounds.min.into_iter().chain(bounds.max).map(|x| f64::from(x.abs())) {
                furthest = if furthest < x && x.is_finite() { x } else { furthest };
            }
        }
        let (wanted, given) = match *choice {
            Choice::Needed => (power_of_two(shortest), 0),
            Choice::Given { smallest, classes } => (f64::from(smallest), classes | 1),
            Choice::One { size: Some(size) } => (f64::from(size), 1),
            Choice::One { size: None } => (power_of_two(longest), 0),
        };
        // Cells of the smallest class are numbered with 32 bits.
        let smallest = if wanted.is_finite() { wanted.max(furthest / f64::from(1 << 30)) } else { furthest / f64::from(1 << 30) };
        let mut classes = Classes { cells_per_unit: if smallest > 0.0 { 1.0 / smallest } else { 1.0 }, present: given };

        class_of.clear();
        let mut needed = 0;
        class_of.extend(boxes.iter().map(|bounds| {
            let class = classes.needed(bounds);
            needed |= 1 << class;
            class as u8
        }));
        let largest = 31 - (needed | given | 1_u32).leading_zeros();
        match choice {
            Choice::Needed => classes.present = needed,
            // Of those that are needed, only the ones above all given.
            Choice::Given { .. } => classes.present = given | needed & (u32::MAX << given.ilog2() << 1),
            Choice::One { .. } => classes.present = 1 << largest,
        }
        if !matches!(choice, Choice::Needed) {
            class_of.iter_mut().for_each(|class| *class = classes.at_least(*class));
        }
        classes
    }

    /// The smallest class whose cells are no smaller than the box and of which the box covers no more than two per axis. With
    /// exact numbers the first would imply the second.
    fn needed<const D: usize>(&self, bounds: &Bounds<D>) -> u32 {
        let ratio = longest_edge(bounds) * self.cells_per_unit * MARGIN;
        let doublings = if ratio > 1.0 { exponent_above(ratio).clamp(0, MOST_DOUBLINGS as i32) as u32 } else { 0 };
        let cells = self.cells(bounds, 0);
        let two_per_axis =
            |class: u32| (0..D).all(|axis| i64::from(cells.max[axis] >> class) - i64::from(cells.min[axis] >> class) <= 1);
        (doublings..MOST_DOUBLINGS).find(|&class| two_per_axis(class)).unwrap_or(MOST_DOUBLINGS)
    }

    /// The smallest class that is present and no smaller.
    fn at_least(&self, class: u8) -> u8 {
        class + (self.present >> class).trailing_zeros() as u8
    }

    /// All classes, the largest first.
    pub(super) fn descending(&self) -> impl Iterator<Item = u32> + use<> {
        let present = self.present;
        (0..=MOST_DOUBLINGS).rev().filter(move |class| present >> class & 1 == 1)
    }

    /// The cells of a class that a box covers.
    #[inline]
    pub(super) fn cells<const D: usize>(&self, bounds: &Bounds<D>, class: u32) -> Block<D> {
        Block { min: bounds.min.map(|x| self.cell(x) >> class), max: bounds.max.map(|x| self.cell(x) >> class) }
    }

    /// Whether two boxes overlap, and their intersection begins in this cell of this class: the one place where their meeting
    /// counts.
    #[inline]
    pub(super) fn meet_first_in<const D: usize>(&self, cell: [i32; D], class: u32, one: &Bounds<D>, other: &Bounds<D>) -> bool {
        let first = |axis: usize| self.cell(one.min[axis].max(other.min[axis])) >> class;
        one.overlaps(other) && (0..D).all(|axis| first(axis) == cell[axis])
    }

    /// The number of the smallest class's cell, saturating. Monotone, and so are the larger classes' numbers.
    #[inline]
    fn cell(&self, x: f32) -> i32 {
        let x = f64::from(x) * self.cells_per_unit;
        // Rounding down by hand: without SSE 4.1, `floor` is a function call.
        let towards_zero = x as i32;
        towards_zero.saturating_sub(i32::from(f64::from(towards_zero) > x))
    }
}

fn longest_edge<const D: usize>(bounds: &Bounds<D>) -> f64 {
    (0..D).map(|axis| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis])).fold(0.0, |a, b| if b > a { b } else { a })
}

/// The exponent of the least power of two that is no smaller than a positive, normal number.
fn exponent_above(x: f64) -> i32 {
    let bits = x.to_bits();
    (bits >> 52) as i32 - 1023 + i32::from(bits << 12 != 0)
}

fn power_of_two(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { 2_f64.powi(exponent_above(size * MARGIN)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_get_the_next_power_of_two() {
        let edges = [0.99, 1.5, 1.9, 0.75, 40.0, 0.0];
        let boxes = edges.map(|edge: f32| Bounds { min: [7.0, -3.0], max: [7.0 + edge / 2.0, -3.0 + edge] });
        let mut class_of = Vec::new();
        let classes = Classes::choose(&Choice::Needed, &boxes, &mut class_of);
        assert_eq!(class_of, [0, 1, 1, 0, 6, 0]);
        assert!(classes.descending().eq([6, 1, 0]));
        let classes = Classes::choose(&Choice::Given { smallest: 1.0, classes: 0b1001 }, &boxes, &mut class_of);
        assert_eq!(class_of, [0, 3, 3, 0, 6, 0]);
        assert!(classes.descending().eq([6, 3, 0]));
        let classes = Classes::choose(&Choice::One { size: None }, &boxes, &mut class_of);
        assert!(classes.descending().eq([0]) && class_of == [0; 6]);
        assert_eq!(classes.cells(&boxes[4], 0), Block { min: [0, -1], max: [0, 0] });
    }

    /// The extent is rounded to 1, but the box covers three cells of that size.
    #[test]
    fn a_rounded_edge_is_not_trusted() {
        let boxes = [Bounds { min: [0.999_999_94, 0.0], max: [2.0, 1.0] }];
        let mut class_of = Vec::new();
        let classes = Classes::choose(&Choice::Given { smallest: 1.0, classes: 1 }, &boxes, &mut class_of);
        assert!(classes.cells(&boxes[0], class_of[0].into()).len() <= 4);
    }

    #[test]
    fn equal_cubes_share_a_class() {
        let boxes = [7.3_f32, 100.1, 433.7, 0.9].map(|x| Bounds { min: [x, x], max: [x + 1.0, x + 1.0] });
        let mut class_of = Vec::new();
        let classes = Classes::choose(&Choice::Needed, &boxes, &mut class_of);
        assert!(classes.descending().eq([0]) && class_of == [0; 4]);
    }
}
