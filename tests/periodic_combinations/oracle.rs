//! Brute force in a space that repeats itself. Everything is a multiple of 1/64, so nothing rounds, here or in the engine.

use pivotgrid::{Aabb, Ball, Bounded, Config, EitherPair, Lattice, MovingBox, Periodic, PeriodicCrossPair, PeriodicPair};

use crate::common::{Coordinate, Rng};
use crate::scene::{Thing, admit, boxes_meet, things};

/// A pair of any kind: whether it is with a static object, two indices, and by how much the second is moved.
pub(crate) type Key<const D: usize> = (bool, u32, u32, [i32; D]);

pub(crate) fn of_pair<const D: usize>(PeriodicPair { a, b, shift }: PeriodicPair<D>) -> Key<D> {
    assert!(a < b);
    (false, a, b, shift)
}

pub(crate) fn of_cross<const D: usize>(PeriodicCrossPair { first, second, shift }: PeriodicCrossPair<D>) -> Key<D> {
    (false, first, second, shift)
}

pub(crate) fn of_either<const D: usize>(pair: EitherPair<PeriodicPair<D>, PeriodicCrossPair<D>>) -> Key<D> {
    match pair {
        EitherPair::Moving(pair) => of_pair(pair),
        EitherPair::Static(PeriodicCrossPair { first, second, shift }) => (true, first, second, shift),
    }
}

/// A space that repeats itself.
#[derive(Clone, Debug)]
pub(crate) struct Cell<const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    /// Whether it is a box with sides along the axes.
    is_box: bool,
    /// By how many periods objects are away at most, and by how many two of them that meet.
    away: i32,
    most: i32,
}

impl<const D: usize> Cell<D> {
    pub(crate) fn along_axes(periodic: [bool; D]) -> Self {
        let vectors = std::array::from_fn(|vector| std::array::from_fn(|axis| if axis == vector { 10.0 } else { 0.0 }));
        Cell { vectors, periodic, is_box: true, away: 2, most: 7 }
    }

    pub(crate) fn sheared(periodic: [bool; D]) -> Self {
        let all = [[10.0, 0.0, 0.0], [3.5, 10.0, 0.0], [-2.25, 1.5, 10.0]];
        let vectors = std::array::from_fn(|vector| std::array::from_fn(|axis| all[vector][axis]));
        Cell { vectors, periodic, is_box: false, away: 1, most: 9 }
    }

    pub(crate) fn short() -> Self {
        let all = [[3.5, 0.0, 0.0], [1.25, 4.0, 0.0], [-0.75, 0.5, 3.0]];
        let vectors = std::array::from_fn(|vector| std::array::from_fn(|axis| all[vector][axis]));
        Cell { vectors, periodic: [true; D], is_box: false, away: 0, most: 10 }
    }

    pub(crate) fn engine<S: Coordinate>(&self, config: Config) -> Periodic<S, D> {
        if self.is_box {
            let domain = Aabb { min: [S::of(0.0); D], max: std::array::from_fn(|axis| S::of(self.vectors[axis][axis])) };
            return Periodic::with_config(domain, self.periodic, config).expect("a domain");
        }
        let lattice = Lattice::new(self.vectors, self.periodic).expect("a lattice");
        Periodic::of_lattice_with_config(lattice, config).expect("a config")
    }

    pub(crate) fn translation(&self, shift: [i32; D]) -> [f64; D] {
        std::array::from_fn(|axis| (0..D).map(|vector| f64::from(shift[vector]) * self.vectors[vector][axis]).sum())
    }

    fn moved<S: Coordinate>(&self, bounds: &Aabb<S, D>, shift: [i32; D]) -> Aabb<S, D> {
        let by = self.translation(shift);
        let corner = |of: [S; D]| std::array::from_fn(|axis| S::of(of[axis].into() + by[axis]));
        Aabb { min: corner(bounds.min), max: corner(bounds.max) }
    }

    /// Every shift that could make two objects meet.
    fn shifts(&self) -> Vec<[i32; D]> {
        let mut shifts = vec![[0; D]];
        for vector in (0..D).filter(|&vector| self.periodic[vector]) {
            let with = |mut shift: [i32; D], by: i32| {
                shift[vector] = by;
                shift
            };
            shifts = shifts.iter().flat_map(|&shift| (-self.most..=self.most).map(move |by| with(shift, by))).collect();
        }
        shifts
    }

    fn is_rejected<S: Coordinate>(&self, bounds: &Aabb<S, D>) -> bool {
        !boxes_meet(bounds, bounds)
    }

    pub(crate) fn rejected<S: Coordinate>(&self, things: &[Thing<S, D>]) -> Vec<usize> {
        (0..things.len()).filter(|&index| self.is_rejected(&things[index].bounds)).collect()
    }

    /// Whether two objects meet, the second one moved, by their boxes or as the balls that they are.
    fn meet<S: Coordinate>(&self, one: &Thing<S, D>, other: &Thing<S, D>, shift: [i32; D], as_balls: bool) -> bool {
        let by = self.translation(shift);
        let are_apart = match (&one.ball, &other.ball) {
            (Some(one), Some(other)) if as_balls => {
                let along = |axis: usize| one.center[axis].into() - other.center[axis].into() - by[axis];
                let reach: f64 = one.radius.into() + other.radius.into();
                (0..D).map(|axis| along(axis) * along(axis)).sum::<f64>() > reach * reach
            }
            _ => false,
        };
        !are_apart && boxes_meet(&one.bounds, &self.moved(&other.bounds, shift)) && admit(one.groups, other.groups)
    }

    fn all<S: Coordinate>(
        &self,
        ones: &[Thing<S, D>],
        others: &[Thing<S, D>],
        is_static: bool,
        meet: impl Fn(usize, usize, [i32; D]) -> bool,
    ) -> Vec<Key<D>> {
        let shifts = self.shifts();
        let mut keys = Vec::new();
        for first in 0..ones.len() {
            for second in 0..others.len() {
                let met = shifts.iter().filter(|&&shift| meet(first, second, shift));
                keys.extend(met.map(|&shift| (is_static, first as u32, second as u32, shift)));
            }
        }
        keys.sort_unstable();
        keys
    }

    pub(crate) fn within<S: Coordinate>(&self, things: &[Thing<S, D>], with_tags: bool) -> Vec<Key<D>> {
        self.all(things, things, false, |a, b, shift| {
            let (one, other) = (&things[a], &things[b]);
            a < b && (!with_tags || one.pairs_with(other)) && self.meet(one, other, shift, true)
        })
    }

    pub(crate) fn across<S: Coordinate>(&self, ones: &[Thing<S, D>], others: &[Thing<S, D>]) -> Vec<Key<D>> {
        self.all(ones, others, false, |a, b, shift| self.meet(&ones[a], &others[b], shift, true))
    }

    pub(crate) fn with_statics<S: Coordinate>(&self, ones: &[Thing<S, D>], others: &[Thing<S, D>]) -> Vec<Key<D>> {
        self.all(ones, others, true, |a, b, shift| self.meet(&ones[a], &others[b], shift, false))
    }

    pub(crate) fn within_swept<S: Coordinate>(&self, swept: &[MovingBox<S, D>]) -> Vec<Key<D>> {
        let shifts = self.shifts();
        let mut keys = Vec::new();
        let is_bad =
            |one: &MovingBox<S, D>| self.is_rejected(&one.from) || self.is_rejected(&one.to) || self.is_too_long(&one.aabb());
        for b in 0..swept.len() {
            for a in (0..b).filter(|&a| !is_bad(&swept[a]) && !is_bad(&swept[b])) {
                let meets = |shift: &&[i32; D]| {
                    let other = MovingBox::new(self.moved(&swept[b].from, **shift), self.moved(&swept[b].to, **shift));
                    swept[a].time_of_contact(&other).is_some()
                };
                keys.extend(shifts.iter().filter(meets).map(|&shift| (false, a as u32, b as u32, shift)));
            }
        }
        keys.sort_unstable();
        keys
    }

    /// Boxes of a domain along the axes are at most as long as the period.
    fn is_too_long<S: Coordinate>(&self, bounds: &Aabb<S, D>) -> bool {
        let length = |axis: usize| bounds.max[axis].into() - bounds.min[axis].into();
        self.is_box && (0..D).any(|axis| self.periodic[axis] && length(axis) > self.vectors[axis][axis])
    }
}

/// Objects like those of the other tests, of which nothing rounds, some of them some periods away.
pub(crate) fn exact_things<S: Coordinate, const D: usize>(count: usize, seed: u64, cell: &Cell<D>) -> Vec<Thing<S, D>> {
    let exact = |x: S| (x.into() * 64.0).round() / 64.0;
    let mut rng = Rng(seed ^ 0x5eed);
    let mut list = things::<S, D>(count, seed);
    for thing in &mut list {
        let away = std::array::from_fn(|vector| match cell.periodic[vector] && rng.below(4) == 0 {
            true => rng.below(2 * cell.away as usize + 1) as i32 - cell.away,
            false => 0,
        });
        let by = cell.translation(away);
        let is_bad = cell.is_rejected(&thing.bounds);
        thing.bounds.min = std::array::from_fn(|axis| S::of(exact(thing.bounds.min[axis]) + by[axis]));
        thing.bounds.max = std::array::from_fn(|axis| S::of(exact(thing.bounds.max[axis]) + by[axis]));
        if let Some(ball) = &mut thing.ball {
            let center = std::array::from_fn(|axis| S::of(exact(ball.center[axis]) + by[axis]));
            *ball = Ball { center, radius: S::of(exact(ball.radius)) };
            if !is_bad {
                thing.bounds = ball.aabb();
            }
        }
    }
    list
}
