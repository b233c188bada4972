//! What a hostile scene draws on.

use crate::bounds::{Bounds, Scalar};
use crate::layout::root;
use crate::random::Random;

/// The boxes of one scene at one step, while they are made. A scene draws until the canvas is full; more boxes are ignored.
///
/// Every step draws from the same random numbers, so that object `i` stays object `i`; what changes with time depends on `step`.
#[derive(Debug)]
pub(super) struct Canvas<const D: usize> {
    /// How many boxes are wanted.
    pub(super) count: usize,
    /// The step of a scene that moves.
    pub(super) step: u64,
    /// The same at every step.
    pub(super) random: Random,
    /// Another one at every step.
    pub(super) noise: Random,
    boxes: Vec<([f64; D], [f64; D])>,
    in_order: bool,
}

impl<const D: usize> Canvas<D> {
    pub(super) fn new(count: usize, seed: u64, step: u64) -> Self {
        let noise = Random::new(Random::new(seed ^ 0x5ce9_e0f0).bits().wrapping_add(step));
        Canvas { count, step, random: Random::new(seed), noise, boxes: Vec::with_capacity(count), in_order: false }
    }

    /// How many boxes are wanted, at least one.
    pub(super) fn n(&self) -> f64 {
        self.count.max(1) as f64
    }

    pub(super) fn is_full(&self) -> bool {
        self.boxes.len() >= self.count
    }

    /// How many boxes there are so far.
    pub(super) fn drawn(&self) -> usize {
        self.boxes.len()
    }

    /// Leaves the boxes in the order in which they were drawn, instead of shuffling them.
    pub(super) fn keep_order(&mut self) {
        self.in_order = true;
    }

    pub(super) fn span(&mut self, min: [f64; D], max: [f64; D]) {
        if !self.is_full() {
            self.boxes.push((min, max));
        }
    }

    pub(super) fn block(&mut self, center: [f64; D], edges: [f64; D]) {
        let corner = |side: f64| std::array::from_fn(|axis| center[axis] + side * edges[axis]);
        self.span(corner(-0.5), corner(0.5));
    }

    pub(super) fn cube(&mut self, center: [f64; D], edge: f64) {
        self.block(center, [edge; D]);
    }

    /// A cube with its lower corner at a lattice point: exact while the numbers are.
    pub(super) fn cell(&mut self, corner: [f64; D], edge: f64) {
        self.span(corner, corner.map(|x| x + edge));
    }

    /// A place in the cube from the origin to `side`.
    pub(super) fn anywhere(&mut self, side: f64) -> [f64; D] {
        std::array::from_fn(|_| side * self.random.unit())
    }

    /// `count` cubes of one size anywhere in a cube, with that many contacts each.
    pub(super) fn cloud(&mut self, count: usize, corner: [f64; D], side: f64, contacts: f64) {
        let edge = fitting::<D>(count, side, contacts);
        for _ in 0..count {
            let place = self.anywhere(side);
            self.cube(add(corner, place), edge);
        }
    }

    /// A unit vector.
    pub(super) fn direction(&mut self) -> [f64; D] {
        loop {
            let tip: [f64; D] = std::array::from_fn(|_| self.random.between(-1.0, 1.0));
            let square: f64 = tip.iter().map(|x| x * x).sum();
            if (1e-6..=1.0).contains(&square) {
                return tip.map(|x| x / square.sqrt());
            }
        }
    }

    /// The whole scene shifted and scaled about the origin.
    pub(super) fn transform(&mut self, scale: f64, shift: [f64; D]) {
        for (min, max) in &mut self.boxes {
            (*min, *max) = (add(min.map(|x| x * scale), shift), add(max.map(|x| x * scale), shift));
        }
    }

    /// The boxes, rounded, and in an order that says nothing about their places.
    pub(super) fn finish<S: Scalar>(mut self) -> Vec<Bounds<S, D>> {
        assert_eq!(self.boxes.len(), self.count, "the scene drew too few boxes");
        let order = if self.in_order { Vec::new() } else { self.shuffler().permutation(self.count) };
        let rounded = |(min, max): &([f64; D], [f64; D])| Bounds::rounded(*min, *max);
        if self.in_order {
            return self.boxes.iter().map(rounded).collect();
        }
        order.into_iter().map(|index| rounded(&self.boxes[index as usize])).collect()
    }

    /// Independent of how many numbers the scene drew, which may change from step to step.
    fn shuffler(&mut self) -> Random {
        Random::new(self.count as u64 ^ 0x0bad_5eed)
    }
}

pub(super) fn add<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// The side of a cube for `count` objects, each of which meets what lies in `reach`, with `contacts` each.
pub(super) fn side(count: f64, reach: f64, contacts: f64, dimension: usize) -> f64 {
    root(count * reach / contacts, dimension)
}

/// The side for `count` cubes of edge 1 whose centers fill only `axes` axes, with that many pairs each.
pub(super) fn root_side(count: f64, pairs: f64, axes: usize) -> f64 {
    side(count, 2f64.powi(axes as i32), 2.0 * pairs, axes)
}

/// The edge that gives `count` equal cubes in a cube of `side` that many contacts.
pub(super) fn fitting<const D: usize>(count: usize, side: f64, contacts: f64) -> f64 {
    side / self::side(count.max(1) as f64, 2f64.powi(D as i32), contacts, D)
}

/// `2^x`, with straight lines between the whole powers: the same bits on every machine, which `exp2` does not promise.
pub(super) fn octaves(x: f64) -> f64 {
    2f64.powi(x.floor() as i32) * (1.0 + x - x.floor())
}

/// The mean over all pairs of cubes of `(a + b)^D`, for edges given by their quantiles.
pub(super) fn reach<const D: usize>(edge: impl Fn(f64) -> f64) -> f64 {
    const QUANTILES: usize = 4096;
    let moment = |power: i32| {
        let edges = (0..QUANTILES).map(|k| edge((k as f64 + 0.5) / QUANTILES as f64));
        edges.map(|edge| edge.powi(power)).sum::<f64>() / QUANTILES as f64
    };
    let (mut binomial, mut sum) = (1.0, 0.0);
    for k in 0..=D {
        sum += binomial * moment(k as i32) * moment((D - k) as i32);
        binomial *= (D - k) as f64 / (k + 1) as f64;
    }
    sum
}

/// The cell with this number in a lattice of `width` cells on every axis but the last, which has no end.
pub(super) fn lattice<const D: usize>(number: usize, width: usize) -> [f64; D] {
    let mut rest = number;
    std::array::from_fn(|axis| {
        let place = if axis + 1 < D { rest % width } else { rest };
        rest /= width;
        place as f64
    })
}

/// The width of a cubic lattice with at least `count` cells.
pub(super) fn width(count: usize, dimension: usize) -> usize {
    (1..).find(|width: &usize| width.pow(dimension as u32) >= count.max(1)).expect("there are enough numbers")
}
