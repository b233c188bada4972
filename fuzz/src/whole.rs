//! Objects whose coordinates are small whole numbers of a unit, so that neither the library's arithmetic nor an oracle's ever rounds.

use pivotgrid::{Aabb, Ball, Bounded, Groups};

use crate::bytes::Bytes;
use crate::number::Number;

/// A power of two: products of whole numbers and units are exact.
pub const UNIT: f64 = 1.0 / 16.0;

pub fn of<S: Number>(units: i64) -> S {
    S::of(units as f64 * UNIT)
}

pub fn point_of<S: Number, const D: usize>(units: [i64; D]) -> [S; D] {
    units.map(of)
}

/// A box, or a ball, in units.
#[derive(Clone, Copy, Debug)]
pub struct Whole<const D: usize> {
    pub low: [i64; D],
    pub high: [i64; D],
    /// The box is around a ball of this radius.
    pub radius: Option<i64>,
    pub groups: Groups,
}

impl<const D: usize> Whole<D> {
    pub fn boxed(low: [i64; D], high: [i64; D]) -> Self {
        Whole { low, high, radius: None, groups: Groups::ALL }
    }

    pub fn ball(center: [i64; D], radius: i64) -> Self {
        Whole { radius: Some(radius), ..Whole::boxed(center.map(|x| x - radius), center.map(|x| x + radius)) }
    }

    pub fn grouped(self, bytes: &mut Bytes<'_>) -> Self {
        let groups = Groups { member: 1 << bytes.below(3), mask: u32::from(bytes.byte() & 7), body: bytes.below(3) as u32 };
        Whole { groups, ..self }
    }

    /// Twice the center of the box.
    fn middle(&self) -> [i64; D] {
        std::array::from_fn(|axis| self.low[axis] + self.high[axis])
    }

    /// Whether it meets the other one, moved by so many units: boxes by their bounds, balls by their distance.
    pub fn meets(&self, other: &Self, moved: [i64; D]) -> bool {
        if let (Some(one), Some(another)) = (self.radius, other.radius) {
            let (mine, others) = (self.middle(), other.middle());
            let square: i64 = (0..D).map(|axis| (others[axis] + 2 * moved[axis] - mine[axis]).pow(2)).sum();
            return square <= (2 * (one + another)).pow(2);
        }
        (0..D).all(|axis| self.low[axis] <= other.high[axis] + moved[axis] && other.low[axis] + moved[axis] <= self.high[axis])
    }

    pub fn admits(&self, other: &Self) -> bool {
        let (mine, others) = (self.groups, other.groups);
        let same_body = mine.body != 0 && mine.body == others.body;
        mine.member & others.mask != 0 && others.member & mine.mask != 0 && !same_body
    }

    pub fn body<S: Number>(&self) -> Body<S, D> {
        let ball = self
            .radius
            .map(|radius| Ball { center: std::array::from_fn(|axis| of(self.low[axis] + radius)), radius: of(radius) });
        let bounds = match ball {
            Some(ball) => ball.aabb(),
            None => Aabb { min: point_of(self.low), max: point_of(self.high) },
        };
        Body { bounds, ball, groups: self.groups }
    }
}

/// The same to the library.
#[derive(Clone, Copy, Debug)]
pub struct Body<S, const D: usize> {
    pub bounds: Aabb<S, D>,
    pub ball: Option<Ball<S, D>>,
    pub groups: Groups,
}

impl<S: Number, const D: usize> Bounded<S, D> for Body<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}
