//! Boxes in motion: in whole numbers against fractions, with any numbers against what holds at both ends of the step.

use std::cmp::Ordering;

use pivotgrid::{Aabb, BroadPhase, MovingBox, Pair, Rejected};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::{config, pool};
use crate::whole::of;

const MOST_OBJECTS: usize = 60;
const MOST_STEPS: usize = 3;

/// Pairs that miss each other by less than this part of the step may be kept.
const ROUNDING: f64 = 1e-13;

pub fn run(data: &[u8]) {
    crate::in_some_space!(motions, data);
}

fn motions<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::with_config(config(bytes)).expect("a valid config");
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        match bytes.below(3) {
            0 => any_numbers(&mut engine, bytes),
            _ => whole_numbers(&mut engine, bytes),
        }
    }
}

fn detect<S: Number, const D: usize>(
    engine: &mut BroadPhase<S, D>,
    boxes: &[MovingBox<S, D>],
    way: u8,
) -> (Vec<Pair>, Vec<Rejected>) {
    let found = match way & 1 {
        0 => engine.detect(boxes),
        _ => pool(usize::from(way >> 1)).install(|| engine.par_detect(boxes)),
    };
    (found.sorted(), found.rejected().to_vec())
}

/// By axis, lower and upper bound at the beginning and at the end, in units.
type Motion<const D: usize> = [[[i64; 2]; 2]; D];

/// A moment as numerator and positive denominator.
#[derive(Clone, Copy)]
struct Moment(i128, i128);

impl Moment {
    fn cmp(self, other: Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// The first and the last moment at which all bounds are in order, if each is at some moment.
fn window<const D: usize>(a: &Motion<D>, b: &Motion<D>) -> Option<(Moment, Moment)> {
    let (mut first, mut last) = (Moment(0, 1), Moment(1, 1));
    for axis in 0..D {
        for (low, high) in [(a[axis][0], b[axis][1]), (b[axis][0], a[axis][1])] {
            let (start, end) = (i128::from(high[0] - low[0]), i128::from(high[1] - low[1]));
            let change = end - start;
            if change == 0 && start < 0 {
                return None;
            }
            if change > 0 && first.cmp(Moment(-start, change)).is_lt() {
                first = Moment(-start, change);
            }
            if change < 0 && last.cmp(Moment(start, -change)).is_gt() {
                last = Moment(start, -change);
            }
        }
    }
    Some((first, last))
}

fn whole_numbers<S: Number, const D: usize>(engine: &mut BroadPhase<S, D>, bytes: &mut Bytes<'_>) {
    let (count, way) = (bytes.below(MOST_OBJECTS), bytes.byte());
    // Coarse numbers, where moments coincide, or fine ones.
    let number = |bytes: &mut Bytes<'_>| match way & 0x80 {
        0 => i64::from(bytes.byte() / 4),
        _ => i64::from(bytes.byte()) << 8 | i64::from(bytes.byte()),
    };
    let mut motions: Vec<Motion<D>> = Vec::new();
    while motions.len() < count && !bytes.is_empty() {
        motions.push(std::array::from_fn(|_| {
            let (from, to) = (number(bytes), number(bytes));
            let edges = bytes.byte();
            [[from, to], [from + i64::from(edges & 15), to + i64::from(edges >> 4)]]
        }));
    }
    let corner = |motion: &Motion<D>, bound: usize, end: usize| std::array::from_fn(|axis| of::<S>(motion[axis][bound][end]));
    let at = |motion: &Motion<D>, end| Aabb { min: corner(motion, 0, end), max: corner(motion, 1, end) };
    let boxes: Vec<MovingBox<S, D>> = motions.iter().map(|motion| MovingBox::new(at(motion, 0), at(motion, 1))).collect();
    let (found, rejected) = detect(engine, &boxes, way);
    assert!(rejected.is_empty() && found.windows(2).all(|two| two[0] < two[1]));
    for b in 0..motions.len() {
        for a in 0..b {
            let pair = Pair { a: a as u32, b: b as u32 };
            let is_found = found.binary_search(&pair).is_ok();
            let time = boxes[a].time_of_contact(&boxes[b]);
            assert_eq!(time.is_some(), is_found, "{pair:?} of {motions:?}");
            match window(&motions[a], &motions[b]) {
                Some((first, last)) if first.cmp(last).is_le() => {
                    assert!(is_found, "{pair:?} of {motions:?}");
                    let time: f64 = time.map_or(f64::NAN, Into::into);
                    assert!((time - first.value()).abs() <= 1e-6, "{time}, not {}: {pair:?} of {motions:?}", first.value());
                }
                Some((first, last)) if first.value() - last.value() < ROUNDING => {}
                _ => assert!(!is_found, "{pair:?} of {motions:?}"),
            }
        }
    }
}

fn any_numbers<S: Number, const D: usize>(engine: &mut BroadPhase<S, D>, bytes: &mut Bytes<'_>) {
    let (count, way) = (bytes.below(MOST_OBJECTS), bytes.byte());
    let mut ends: Vec<[Plain<S, D>; 2]> = Vec::new();
    while ends.len() < count && !bytes.is_empty() {
        ends.push([Plain::new(bytes, false), Plain::new(bytes, false)]);
    }
    let bounds = |plain: &Plain<S, D>| Aabb { min: plain.low, max: plain.high };
    let boxes: Vec<MovingBox<S, D>> = ends.iter().map(|[from, to]| MovingBox::new(bounds(from), bounds(to))).collect();
    let (found, rejected) = detect(engine, &boxes, way);
    let flaw = |index: usize| ends[index].iter().filter_map(Plain::flaw).min();
    let expected: Vec<Rejected> =
        (0..ends.len()).filter_map(|index| flaw(index).map(|reason| Rejected { index, reason })).collect();
    assert!(rejected.iter().map(|one| one.index).eq(expected.iter().map(|one| one.index)), "{rejected:?}, not {expected:?}");
    let union = |index: usize| -> ([f64; D], [f64; D]) {
        let [from, to] = &ends[index];
        let low = std::array::from_fn(|axis| from.low[axis].into().min(to.low[axis].into()));
        (low, std::array::from_fn(|axis| from.high[axis].into().max(to.high[axis].into())))
    };
    for b in 0..ends.len() {
        for a in 0..b {
            let is_found = found.binary_search(&Pair { a: a as u32, b: b as u32 }).is_ok();
            if flaw(a).is_some() || flaw(b).is_some() {
                assert!(!is_found && boxes[a].time_of_contact(&boxes[b]).is_none());
                continue;
            }
            let touch = (0..2).any(|end| ends[a][end].touches(&ends[b][end]));
            let (one, other) = (union(a), union(b));
            let near = (0..D).all(|axis| one.0[axis] <= other.1[axis] && other.0[axis] <= one.1[axis]);
            assert!(is_found || !touch, "{:?} and {:?}", boxes[a], boxes[b]);
            assert!(near || !is_found, "{:?} and {:?}", boxes[a], boxes[b]);
            let times = [boxes[a].time_of_contact(&boxes[b]), boxes[b].time_of_contact(&boxes[a])];
            assert_eq!(times[0], times[1], "{:?} and {:?}", boxes[a], boxes[b]);
            assert_eq!(times[0].is_some(), is_found, "{:?} and {:?}", boxes[a], boxes[b]);
            assert!(times[0].is_none_or(|time| time >= S::of(0.0) && time <= S::of(1.0)));
        }
    }
}
