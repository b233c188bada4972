//! A domain that repeats itself: pairs and queries, against every object moved by every number of periods.
//!
//! Mostly in whole numbers, where the answer is exact. With any numbers whatever, what does not depend on rounding is compared.

use pivotgrid::{Aabb, Periodic, PeriodicPair, PeriodicReason, PeriodicRejected, RejectReason};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};
use crate::whole::{Body, Whole, of, point_of};

mod asking;

const MOST_STEPS: usize = 3;
const MOST_OBJECTS: usize = 40;
const MOST_QUERIES: usize = 8;

pub fn run(data: &[u8]) {
    crate::in_some_space!(domains, data);
}

fn domains<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    match bytes.below(4) {
        0 => any_numbers::<S, D>(bytes),
        _ => whole_numbers::<S, D>(bytes),
    }
}

/// A domain, in units; along axes that are not periodic the length is zero.
#[derive(Clone, Copy, Debug)]
struct Space<const D: usize> {
    low: [i64; D],
    length: [i64; D],
}

impl<const D: usize> Space<D> {
    fn new(bytes: &mut Bytes<'_>) -> Self {
        let axes = bytes.byte();
        let low = std::array::from_fn(|_| i64::from(bytes.byte()) - 128);
        let length = std::array::from_fn(|axis| if axes >> axis & 1 == 0 { 8 + bytes.below(120) as i64 } else { 0 });
        Space { low, length }
    }

    fn periodic(&self) -> [bool; D] {
        self.length.map(|length| length > 0)
    }

    fn domain<S: Number>(&self) -> Aabb<S, D> {
        Aabb { min: point_of(self.low), max: std::array::from_fn(|axis| of(self.low[axis] + self.length[axis])) }
    }

    fn moved(&self, shift: [i32; D]) -> [i64; D] {
        std::array::from_fn(|axis| i64::from(shift[axis]) * self.length[axis])
    }

    /// Every shift with which the second interval, by axis, comes as near to the first as `reach`.
    fn shifts(&self, (low, high): (&[i64; D], &[i64; D]), other: (&[i64; D], &[i64; D]), reach: i64) -> Vec<[i32; D]> {
        let mut shifts = vec![[0; D]];
        for axis in (0..D).filter(|&axis| self.length[axis] > 0) {
            let length = self.length[axis];
            let first = (low[axis] - reach - other.1[axis]).div_euclid(length);
            let last = (high[axis] + reach - other.0[axis]).div_euclid(length) + 1;
            let with = |shift: [i32; D], by: i64| std::array::from_fn(|i| if i == axis { by as i32 } else { shift[i] });
            shifts = shifts.iter().flat_map(|&shift| (first..=last).map(move |by| with(shift, by))).collect();
        }
        shifts
    }

    /// Somewhere near the domain, or many periods away from it.
    fn place(&self, bytes: &mut Bytes<'_>) -> [i64; D] {
        let away = bytes.byte();
        std::array::from_fn(|axis| {
            let periods = match away >> (2 * axis) & 3 {
                0 | 1 => 0,
                2 => bytes.below(5) as i64 - 2,
                _ => [-100, 100, 31, -7][bytes.below(4)],
            };
            self.low[axis] + i64::from(bytes.byte()) % (self.length[axis].max(100) + 1) + periods * self.length[axis]
        })
    }

    /// An object that is no longer than a period, with exceptions.
    fn object(&self, bytes: &mut Bytes<'_>, balls: bool, grouped: bool) -> Whole<D> {
        let low = self.place(bytes);
        let kind = bytes.byte();
        let longest = |axis: usize| if self.length[axis] > 0 { self.length[axis] } else { 100 };
        let object = if balls {
            let most = (0..D).map(longest).min().unwrap_or(1) / 2 - 1;
            Whole::ball(low, i64::from(kind) % (most + 1))
        } else {
            let edge = |axis: usize| match kind % 16 {
                0 => longest(axis),
                1 => longest(axis) + i64::from(kind >> 4 & 1),
                2 => 0,
                _ => i64::from(kind >> 2) % (longest(axis) + 1),
            };
            let high = std::array::from_fn(|axis| {
                low[axis] + if kind & 0x80 == 0 { edge(axis) } else { edge((axis + 1) % D).min(longest(axis)) }
            });
            Whole::boxed(low, high)
        };
        if grouped { object.grouped(bytes) } else { object }
    }

    fn misfit(&self, object: &Whole<D>) -> Option<PeriodicReason> {
        let too_long = |axis: &usize| self.length[*axis] > 0 && object.high[*axis] - object.low[*axis] > self.length[*axis];
        (0..D).find(too_long).map(|axis| PeriodicReason::LargerThanPeriod { axis: axis as u8 })
    }

    fn pairs(&self, objects: &[Whole<D>]) -> Vec<PeriodicPair<D>> {
        let mut pairs = Vec::new();
        let good: Vec<(u32, &Whole<D>)> = (0..).zip(objects).filter(|(_, object)| self.misfit(object).is_none()).collect();
        for (place, &(a, one)) in good.iter().enumerate() {
            for &(b, other) in good[place + 1..].iter().filter(|(_, other)| one.admits(other)) {
                let shifts = self.shifts((&one.low, &one.high), (&other.low, &other.high), 0);
                let meets = |shift: &[i32; D]| one.meets(other, self.moved(*shift));
                pairs.extend(shifts.into_iter().filter(meets).map(|shift| PeriodicPair { a, b, shift }));
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

fn whole_numbers<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let space = Space::<D>::new(bytes);
    let config = config(bytes);
    let in_order = config.canonical_order;
    let mut periodic = Periodic::<S, D>::with_config(space.domain(), space.periodic(), config).expect("a valid domain");
    let kind = bytes.byte();
    let (balls, grouped) = (kind & 3 == 0, kind & 12 == 0);
    let mut objects: Vec<Whole<D>> = Vec::new();
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (count, way) = (bytes.below(MOST_OBJECTS), bytes.byte());
        match way & 3 {
            0 => objects.truncate(count),
            1 => objects.reverse(),
            _ => objects.clear(),
        }
        while objects.len() < count && !bytes.is_empty() {
            objects.push(space.object(bytes, balls, grouped));
        }
        let bodies: Vec<Body<S, D>> = objects.iter().map(Whole::body).collect();
        let found = match way & 4 {
            0 => periodic.detect(&bodies),
            _ => pool(usize::from(way >> 3)).install(|| periodic.par_detect(&bodies)),
        };
        let expected = space.pairs(&objects);
        assert_eq!(found.sorted(), expected, "{objects:?} in {space:?}");
        assert_eq!(found.len(), expected.len());
        if in_order {
            assert!(found.iter().eq(expected), "{objects:?} in {space:?}");
        }
        let misfits = (0..).zip(&objects).filter_map(|(index, object)| space.misfit(object).map(|reason| (index, reason)));
        let rejected: Vec<_> = misfits.map(|(index, reason)| PeriodicRejected { index, reason }).collect();
        assert_eq!(found.rejected(), rejected, "{objects:?} in {space:?}");
        // The boxes of balls are a rounding wider than the balls.
        for _ in 0..MOST_QUERIES {
            if balls || bytes.is_empty() {
                break;
            }
            asking::ask(&space, &objects, &periodic.queries(), bytes);
        }
    }
}

/// Infinite, not numbers, inverted, far away, in domains of any length. Exact all the same is what lies inside the domain.
fn any_numbers<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let space = Plain::<S, D>::new(bytes, false);
    let axes = bytes.byte();
    let marked = std::array::from_fn(|axis| axes >> axis & 1 != 0);
    let config = config(bytes);
    let in_order = config.canonical_order;
    let Ok(mut periodic) = Periodic::<S, D>::with_config(Aabb { min: space.low, max: space.high }, marked, config) else {
        return;
    };
    let count = bytes.below(MOST_OBJECTS);
    let objects = Plain::several(bytes, count, axes & 0x80 != 0);
    let found = match axes & 0x40 {
        0 => periodic.detect(&objects),
        _ => pool(usize::from(axes >> 3)).install(|| periodic.par_detect(&objects)),
    };
    let (sorted, rejected) = (found.sorted(), found.rejected().to_vec());
    assert!(sorted.windows(2).all(|two| two[0] < two[1]), "twice in {sorted:?}");
    assert!(!in_order || found.iter().eq(sorted.iter().copied()));
    assert!(rejected.windows(2).all(|two| two[0].index < two[1].index));
    for bad in plain::rejected(&objects) {
        let expected = PeriodicRejected { index: bad.index, reason: PeriodicReason::Box(bad.reason) };
        assert!(rejected.contains(&expected), "{expected:?} is not in {rejected:?}");
    }
    for listed in &rejected {
        let (flaw, _) = (objects[listed.index].flaw(), assert_ne!(listed.reason, PeriodicReason::Box(RejectReason::BeyondIndex)));
        assert_eq!(flaw.is_some(), matches!(listed.reason, PeriodicReason::Box(_)), "{listed:?}");
    }
    let is_out = |index: u32| rejected.binary_search_by_key(&(index as usize), |listed| listed.index).is_ok();
    assert!(sorted.iter().all(|pair| pair.a < pair.b && !is_out(pair.a) && !is_out(pair.b)));
    let inside = |object: &Plain<S, D>| {
        (0..D).all(|axis| !marked[axis] || (space.low[axis] <= object.low[axis] && object.high[axis] < space.high[axis]))
    };
    let unmoved: Vec<_> = sorted.iter().filter(|pair| pair.shift == [0; D]).map(|pair| (pair.a, pair.b)).collect();
    for pair in plain::pairs(&objects) {
        let both = [pair.a, pair.b].map(|index| &objects[index as usize]);
        if both.iter().all(|object| inside(object)) {
            assert!(unmoved.contains(&(pair.a, pair.b)), "{both:?} in {space:?}");
        }
    }
    for &(a, b) in &unmoved {
        let [one, other] = [a, b].map(|index| &objects[index as usize]);
        assert!(one.admits(other));
        assert!(!(inside(one) && inside(other)) || one.touches(other), "{one:?} and {other:?} in {space:?}");
    }
    for _ in 0..MOST_QUERIES {
        if bytes.is_empty() {
            break;
        }
        asking::ask_anything(&periodic.queries(), &objects, bytes);
    }
}
