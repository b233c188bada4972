//! Objects as plain arrays, and what a step must say about them.

use pivotgrid::{Aabb, Bounded, CrossPair, Groups, Pair, RejectReason, Rejected};

use crate::bytes::Bytes;
use crate::number::Number;

#[derive(Clone, Copy, Debug)]
pub struct Plain<S, const D: usize> {
    pub low: [S; D],
    pub high: [S; D],
    pub member: u32,
    pub mask: u32,
    pub body: u32,
}

impl<S: Number, const D: usize> Bounded<S, D> for Plain<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        Aabb { min: self.low, max: self.high }
    }
    fn groups(&self) -> Groups {
        Groups { member: self.member, mask: self.mask, body: self.body }
    }
}

impl<S: Number, const D: usize> Plain<S, D> {
    pub fn new(bytes: &mut Bytes<'_>, grouped: bool) -> Self {
        let kind = bytes.byte();
        let low: [S; D] = bytes.point();
        let other: [S; D] = match kind % 8 {
            0 => low,
            1..4 => {
                let edge = S::of(f64::from(bytes.byte()) / 16.0);
                low.map(|x| x + edge)
            }
            _ => bytes.point(),
        };
        let (mut low, mut high) = (low, other);
        // Mostly the right way round, so that there is something to be found.
        if kind < 240 {
            for axis in 0..D {
                if high[axis] < low[axis] {
                    std::mem::swap(&mut low[axis], &mut high[axis]);
                }
            }
        }
        let (member, mask, body) = match grouped {
            true => (1 << bytes.below(3), u32::from(bytes.byte() & 7), u32::from(kind >> 6)),
            false => (u32::MAX, u32::MAX, 0),
        };
        Plain { low, high, member, mask, body }
    }

    /// So many, or as many as there are bytes for: without bytes all would be the same, and make pairs by the thousand.
    pub fn several(bytes: &mut Bytes<'_>, count: usize, grouped: bool) -> Vec<Self> {
        (0..count).map_while(|_| (!bytes.is_empty()).then(|| Plain::new(bytes, grouped))).collect()
    }

    pub fn flaw(&self) -> Option<RejectReason> {
        let (low, high) = self.sides();
        if (0..D).any(|axis| low[axis].is_nan() || high[axis].is_nan()) {
            Some(RejectReason::NotANumber)
        } else if (0..D).any(|axis| high[axis] < low[axis]) {
            Some(RejectReason::Inverted)
        } else {
            None
        }
    }

    /// Whether the boxes, known to be valid, share a point.
    pub fn touches(&self, other: &Self) -> bool {
        !(0..D).any(|axis| self.high[axis] < other.low[axis] || other.high[axis] < self.low[axis])
    }

    pub fn admits(&self, other: &Self) -> bool {
        let same_body = self.body != 0 && self.body == other.body;
        self.member & other.mask != 0 && other.member & self.mask != 0 && !same_body
    }

    /// In `f64`, to which both types convert exactly.
    fn sides(&self) -> ([f64; D], [f64; D]) {
        (self.low.map(Into::into), self.high.map(Into::into))
    }
}

pub fn rejected<S: Number, const D: usize>(objects: &[Plain<S, D>]) -> Vec<Rejected> {
    let flaws = objects.iter().enumerate().map(|(index, object)| (index, object.flaw()));
    flaws.filter_map(|(index, flaw)| flaw.map(|reason| Rejected { index, reason })).collect()
}

/// All pairs, in ascending order.
pub fn pairs<S: Number, const D: usize>(objects: &[Plain<S, D>]) -> Vec<Pair> {
    let good: Vec<(u32, &Plain<S, D>)> = (0..).zip(objects).filter(|(_, object)| object.flaw().is_none()).collect();
    let mut pairs = Vec::new();
    for (place, (a, one)) in good.iter().enumerate() {
        for (b, other) in &good[place + 1..] {
            if one.touches(other) && one.admits(other) {
                pairs.push(Pair { a: *a, b: *b });
            }
        }
    }
    pairs
}

/// All pairs of one of the first and one of the second set, in ascending order.
pub fn pairs_between<S: Number, const D: usize>(first: &[Plain<S, D>], second: &[Plain<S, D>]) -> Vec<CrossPair> {
    let mut pairs = Vec::new();
    for (a, one) in first.iter().enumerate().filter(|(_, one)| one.flaw().is_none()) {
        for (b, other) in second.iter().enumerate().filter(|(_, other)| other.flaw().is_none()) {
            if one.touches(other) && one.admits(other) {
                pairs.push(CrossPair { first: a as u32, second: b as u32 });
            }
        }
    }
    pairs
}
