//! All kernels against each other, and against plain formulas.

use super::steps::Steps;
use super::*;
use crate::Pair;
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use crate::isa::eight::{LANES, UNRANKED, bits, rank};
use crate::isa::scalar::LaneScalar;
use crate::isa::scalar::sealed::Real;
use crate::isa::{Isa, Lanes};
use crate::layout::columns::{Columns, PADDING, load};
use crate::{Aabb, Scalar};

/// A table of boxes that meet in all sorts of ways, including at their borders.
fn columns<S: Scalar, const D: usize>(entries: usize) -> ([Vec<S>; D], [Vec<S>; D], Vec<u32>) {
    let corner = |entry: usize, axis: usize| (entry * (7 + 4 * axis) % 23) as f64;
    let edge = |entry: usize, axis: usize| (entry * (3 + axis) % 5) as f64;
    let column = |f: &dyn Fn(usize) -> f64| (0..entries + PADDING).map(|entry| S::from_f64(f(entry))).collect();
    let min = std::array::from_fn(|axis| column(&|entry| corner(entry, axis)));
    let max = std::array::from_fn(|axis| column(&|entry| corner(entry, axis) + edge(entry, axis)));
    (min, max, (0..(entries + PADDING) as u32).map(|id| id ^ 5).collect())
}

/// Tasks by the lists of windows, by single runs, or both in turn.
struct Compare<'a, S, const D: usize> {
    columns: Columns<'a, S, D>,
    tasks: &'a [(usize, Range<usize>)],
    out: Blocks,
}

/// Blocks of pairs that fill up soon.
#[derive(Default)]
struct Blocks {
    all: Vec<Pair>,
    block: Vec<Pair>,
}

impl hits::PairRoom for Blocks {
    fn room(&mut self) -> &mut Vec<Pair> {
        if self.block.capacity() - self.block.len() < isa::WIDTH {
            self.all.append(&mut self.block);
            self.block.reserve_exact(isa::WIDTH + 3);
        }
        &mut self.block
    }
}

impl<S: Scalar, const D: usize> IsaWork for Compare<'_, S, D> {
    type Outcome = (Vec<Pair>, u64);

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) -> (Vec<Pair>, u64) {
        let mut lists = compare::Comparisons::default();
        lists.reserve();
        let mut comparer = compare::Comparer::<I, S, D, false>::new(isa, self.columns, &mut lists, &mut self.out);
        for (number, (entry, run)) in self.tasks.iter().enumerate() {
            if number % 3 == 0 {
                comparer.meet(*entry, run.clone());
            } else {
                let (begin, end) = (isa.splat(run.start as i32), isa.splat(run.end as i32));
                comparer.add(1 << (number % 16), isa.splat((*entry << 16) as i32), begin, end);
            }
        }
        comparer.compare();
        comparer.flush();
        let candidates = comparer.candidates;
        self.out.all.append(&mut self.out.block);
        (self.out.all, candidates)
    }
}

fn run<S: Scalar, const D: usize>(kernel: Kernel, tasks: &[(usize, Range<usize>)]) -> (Vec<Pair>, u64) {
    let (min, max, ids) = columns::<S, D>(200);
    let columns = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    kernel.dispatch(Compare { columns, tasks, out: Blocks::default() })
}

fn agree<S: Scalar, const D: usize>() {
    let tasks: Vec<_> = (0..190).flat_map(|i| [(i, i + 1..i + 2 + i % 9), (i, 0..(i % 40) + 1), (i, i..200)]).collect();
    let (min, max, ids) = columns::<S, D>(200);
    let bounds = |entry: usize| Aabb::<S, D> { min: min.each_ref().map(|c| c[entry]), max: max.each_ref().map(|c| c[entry]) };
    let mut expected: Vec<Pair> = tasks
        .iter()
        .flat_map(|(entry, run)| run.clone().map(move |other| (*entry, other)))
        .filter(|(entry, other)| bounds(*entry).overlaps(&bounds(*other)))
        .map(|(entry, other)| Pair::new(ids[entry], ids[other]))
        .collect();
    assert!(expected.len() > 200);
    expected.sort_unstable();
    let table = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    let order = Compare { columns: table, tasks: &tasks, out: Blocks::default() }.run(isa::portable::Portable).0;
    for kernel in Kernel::all() {
        let (mut pairs, candidates) = run::<S, D>(kernel, &tasks);
        assert_eq!(pairs, order, "{kernel:?}");
        pairs.sort_unstable();
        assert_eq!(pairs, expected, "{kernel:?}");
        assert_eq!(candidates, tasks.iter().map(|(_, run)| run.len() as u64).sum::<u64>());
    }
}

#[test]
fn four_cells_at_once_are_the_same_as_one_by_one() {
    for four in crate::isa::scalar::tests::values().windows(4) {
        let four: [f32; 4] = four.try_into().unwrap();
        let (origin, inverse) = ([0.5, -3.0, 0.0, 1e20], [1.0, 0.3, 7.0, 1e10]);
        assert_eq!(
            f32::cells(four, origin, inverse),
            std::array::from_fn(|lane| ((four[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
        );
    }
}

/// Runs that lie apart, copied together, have the same partners in the same order.
fn packed<S: Scalar, const D: usize>() {
    let (min, max, ids) = columns::<S, D>(200);
    let table = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    let runs = [3..5, 7..7, std::ops::Range { start: 9, end: 8 }, 20..28, 40..57, 60..61, 90..200];
    let mut packed = Packed::new();
    packed.clear(&table);
    packed.add(&table, 100..150);
    packed.truncate(0);
    runs.iter().for_each(|run| packed.add(&table, run.clone()));
    let entries: Vec<usize> = runs.iter().cloned().flatten().collect();
    assert_eq!(packed.len(), entries.len());
    for (kernel, entry) in Kernel::all().flat_map(|kernel| [4, 23, 150, 7].map(|entry| (kernel, entry))) {
        let others = entries.iter().filter(|&&other| other != entry && table.bounds(entry).overlaps(&table.bounds(other)));
        let expected: Vec<u32> = others.map(|&other| ids[other]).collect();
        let mut found = Vec::new();
        kernel.partners(&table, entry, &packed.columns(&table), 0..packed.len(), &mut found);
        assert_eq!(found, expected, "{kernel:?}");
        found.clear();
        runs.iter().for_each(|run| kernel.partners(&table, entry, &table, run.clone(), &mut found));
        assert_eq!(found, expected, "{kernel:?}, run by run");
    }
}

#[test]
fn copied_together_they_have_the_same_partners() {
    packed::<f32, 2>();
    packed::<f32, 3>();
    packed::<f64, 2>();
    packed::<f64, 3>();
}

/// When boxes are met, which of them, and in what order.
struct Meets<'a, S, const D: usize, const RESTS: bool> {
    boxes: Faces<'a, S, D>,
    motion: Motion<S, D>,
    to: S,
}

impl<S: Scalar, const D: usize, const RESTS: bool> IsaWork for Meets<'_, S, D, RESTS> {
    type Outcome = ([S; LANES], u32, [u32; LANES]);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Outcome {
        let Meets { boxes, motion, to } = self;
        let (times, met) = meets::<I, S, D, RESTS>(isa, boxes, &motion, to);
        (times, met, ranks::<I, S, D, RESTS>(isa, boxes, &motion, to))
    }
}

/// Meetings and ranks are the same in all kernels, and ranks are in the order of the times.
fn met<S: Scalar, const D: usize, const RESTS: bool>() {
    let (min, max, _) = columns::<S, D>(200);
    let number = S::from_f64;
    for at in (0..190).step_by(3) {
        // Where it rests, as often as not it is beside a box; elsewhere the inverse of a speed, of either sign.
        let rests: [bool; D] = std::array::from_fn(|axis| RESTS && (at + axis) % 3 == 0);
        let inverse = std::array::from_fn(|axis| number([0.25, -0.5, 3.0][(at / 3 + axis) % 3]));
        let front: [S; D] = std::array::from_fn(|axis| number(((at * 5 + axis) % 23) as f64));
        let motion = Motion { from: number(-2.0), rests, inverse, front, back: front.map(|x| x - number(0.5)) };
        let (min, max) = (min.each_ref().map(|column| load(column, at)), max.each_ref().map(|column| load(column, at)));
        let is_forward = |axis: usize| inverse[axis] > S::ZERO || rests[axis];
        let near = std::array::from_fn(|axis| if is_forward(axis) { min[axis] } else { max[axis] });
        let far = std::array::from_fn(|axis| if is_forward(axis) { max[axis] } else { min[axis] });
        let (boxes, to) = (Faces { near, far }, number(9.0));
        let (times, mask, ranks) = Meets::<S, D, RESTS> { boxes, motion, to }.run(isa::portable::Portable);
        for lane in 0..LANES {
            assert_eq!(mask >> lane & 1 == 0, ranks[lane] == UNRANKED);
            assert!(mask >> lane & 1 == 0 || ranks[lane] as usize % LANES == lane);
        }
        let met: Vec<usize> = bits(mask).collect();
        for (&one, &other) in met.iter().flat_map(|one| met.iter().map(move |other| (one, other))) {
            assert!(times[one] < number(0.0) || rank(times[one]) >= rank(times[other]) || ranks[one] < ranks[other]);
        }
        for kernel in Kernel::all() {
            let (also, its, ranked) = kernel.dispatch(Meets::<S, D, RESTS> { boxes, motion, to });
            assert_eq!((its, ranked), (mask, ranks), "{kernel:?}");
            assert!(met.iter().all(|&lane| also[lane] == times[lane]), "{kernel:?}: {also:?} and not {times:?}");
        }
    }
}

#[test]
fn all_kernels_meet_the_same_at_the_same_time() {
    met::<f32, 2, false>();
    met::<f32, 3, false>();
    met::<f64, 2, false>();
    met::<f64, 3, false>();
    met::<f32, 2, true>();
    met::<f32, 3, true>();
    met::<f64, 2, true>();
    met::<f64, 3, true>();
}

/// What a box overlaps and what is near a point, in runs of all lengths, by every set and by the formulas.
fn searched<S: Scalar, const D: usize>() {
    let (min, max, ids) = columns::<S, D>(100);
    let columns = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    let runs = [3..19, 20..21, 30..45, 50..52, 99..100];
    let mut steps = Steps::new();
    for run in &runs {
        steps.part();
        let ControlFlow::Continue(()) = steps.add(run.clone(), &mut |_| ControlFlow::<Infallible>::Continue(()));
    }
    let entries = || runs.iter().cloned().flatten();
    for number in 0..40 {
        let point: [S; D] = std::array::from_fn(|axis| S::from_f64((number * (5 + axis) % 27) as f64 - 1.5));
        let bounds = Aabb { min: point, max: point.map(|x| x + S::from_f64((number % 7) as f64)) };
        let limit = S::from_f64((number % 9) as f64 * 4.25);
        let square = |entry: usize| {
            let gap = |axis: usize| gap(point[axis], columns.min(axis)[entry], columns.max(axis)[entry]);
            (0..D).fold(S::ZERO, |sum, axis| sum + gap(axis) * gap(axis))
        };
        let inside: Vec<u32> =
            entries().filter(|&entry| columns.bounds(entry).overlaps(&bounds)).map(|entry| entry as u32).collect();
        let around: Vec<(usize, S)> =
            entries().map(|entry| (entry, square(entry))).filter(|(_, square)| *square <= limit).collect();
        for kernel in Kernel::all() {
            let (mut found, mut near) = (vec![7], NearLanes::new());
            kernel.hits(&columns, &bounds, &runs, &mut found);
            assert_eq!(found[1..], inside, "{kernel:?}, {bounds:?}");
            kernel.near(&columns, &point, limit, &steps, &mut near);
            let near: Vec<_> = near.iter().map(|(lane, square)| (steps.entry(lane), square)).collect();
            assert_eq!(near, around, "{kernel:?}, {point:?}, {limit:?}");
        }
    }
}

#[test]
fn all_kernels_find_the_same_in_runs() {
    searched::<f32, 2>();
    searched::<f32, 3>();
    searched::<f64, 2>();
    searched::<f64, 3>();
}

#[test]
fn all_kernels_find_the_same_pairs_in_the_same_order() {
    agree::<f32, 2>();
    agree::<f32, 3>();
    agree::<f64, 2>();
    agree::<f64, 3>();
}

/// Every operation of an instruction set against the portable one.
struct Operations;

impl IsaWork for Operations {
    type Outcome = Vec<u32>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<u32> {
        let values = |seed: u32| -> [u32; 16] { std::array::from_fn(|lane| (lane as u32 + seed).wrapping_mul(0x9e37_79b9)) };
        let mut results = Vec::new();
        for seed in 0..40u32 {
            let (a, b) = (isa.words(&values(seed)), isa.words(&values(7 * seed + 3)));
            let small = isa.and(b, isa.splat(31));
            let mask = (seed.wrapping_mul(0x1357_9bdf) >> 7) as isa::Mask;
            let words = [
                isa.add(a, b),
                isa.sub(a, b),
                isa.and(a, b),
                isa.or(a, b),
                isa.min(a, b),
                isa.max(a, b),
                isa.shl(a, seed % 32),
                isa.shr(a, seed % 32),
                isa.power_of_two(small),
                isa.select(mask, a, b),
                isa.lookup(a, b),
                isa.iota(),
                isa.splat(seed as i32),
            ];
            words.iter().for_each(|words| results.extend(isa.array(*words)));
            results.extend([isa.gt(a, b), isa.eq(a, isa.and(a, b)), isa.gt(small, isa.splat(9))].map(u32::from));
            let mut bytes = [0; 16];
            isa.bytes(a, &mut bytes);
            results.extend(bytes.map(u32::from));
            let mut list = list::List::default();
            list.reserve(64);
            let mut writer = list.rewrite();
            writer.append(isa, mask, a);
            writer.append(isa, !mask, b);
            writer.finish();
            results.extend_from_slice(list.as_slice());
            let mut pairs = Vec::with_capacity(16);
            list::push_pairs(isa, &mut pairs, a, b, 16);
            results.extend(pairs.iter().flat_map(|pair: &Pair| [pair.a, pair.b]));
        }
        results
    }
}

#[test]
fn all_instruction_sets_have_the_same_operations() {
    let expected = Operations.run(isa::portable::Portable);
    for kernel in Kernel::all() {
        assert!(kernel.dispatch(Operations) == expected, "{kernel:?}");
    }
}

/// Every operation on floats of an instruction set: cells, comparisons, least and greatest.
struct Floats<'a, S>(&'a [S]);

impl<S: Scalar> IsaWork for Floats<'_, S> {
    type Outcome = Vec<i64>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<i64> {
        let mut results = Vec::new();
        let inverse = scalar::Vector::<S, I>::splat(isa, S::from_f64(0.37));
        let origin = scalar::Vector::<S, I>::splat(isa, S::from_f64(-1.5));
        for (a, b) in self.0.windows(16).zip(self.0.iter().rev().cloned().collect::<Vec<_>>().windows(16)) {
            let [a, b] = [a, b].map(|values| -> [S; 16] { values.try_into().unwrap() });
            let has_nan = (0..16).any(|lane| a[lane].is_nan() || b[lane].is_nan());
            let records: [Aabb<S, 2>; 16] = std::array::from_fn(|lane| Aabb { min: [a[lane], b[lane]], max: [b[lane], a[lane]] });
            let [a, b] = scalar::Vector::<S, I>::boxes(isa, &records).min;
            results.extend(isa.array(a.cells(isa, origin, inverse)).map(i64::from));
            results.extend([a.le(isa, b), b.le(isa, a), a.exceeds(isa, b, inverse), b.exceeds(isa, a, origin)].map(i64::from));
            results.push(i64::from(<S::In<I> as Lanes<S, I>>::overlaps(isa, 0x7ff7, &[a, b], &[b, b], &[a, a], &[b, a])));
            if !has_nan {
                let numbers = a.lesser(isa, b).array(isa).into_iter().chain(a.greater(isa, b).array(isa));
                let sums = [a.add(isa, b), a.sub(isa, inverse), a.mul(isa, b)].map(|numbers| numbers.array(isa));
                let numbers =
                    numbers.chain(sums.into_iter().flatten().map(|number| if number.is_nan() { S::ZERO } else { number }));
                results.extend(numbers.map(|number| (number + S::ZERO).to_f64().to_bits() as i64));
            }
        }
        results
    }
}

#[test]
fn all_instruction_sets_treat_floats_alike() {
    let values: Vec<f32> = crate::isa::scalar::tests::values();
    let doubles: Vec<f64> = values.iter().map(|&value| f64::from(value) * 1.000_000_1).collect();
    let (single, double) = (Floats(&values).run(isa::portable::Portable), Floats(&doubles).run(isa::portable::Portable));
    for kernel in Kernel::all() {
        assert!(kernel.dispatch(Floats(&values)) == single, "{kernel:?}");
        assert!(kernel.dispatch(Floats(&doubles)) == double, "{kernel:?}");
    }
}

/// Boxes around runs of every length.
struct Around<'a, S, const D: usize>(Columns<'a, S, D>);

impl<S: Scalar, const D: usize> IsaWork for Around<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for run in (1..70).map(|len| 3 * len % 50..3 * len % 50 + len) {
            assert_eq!(self.0.box_around_with(isa, run.clone()), self.0.box_around(run));
        }
    }
}

#[test]
fn boxes_around_runs_are_the_same_in_all_instruction_sets() {
    let (min, max, ids) = columns::<f64, 3>(200);
    let table = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    Kernel::all().for_each(|kernel| kernel.dispatch(Around(table)));
    let (min, max, ids) = columns::<f32, 2>(200);
    let table = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    Kernel::all().for_each(|kernel| kernel.dispatch(Around(table)));
}
