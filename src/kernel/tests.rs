//! All kernels against each other, and against plain formulas.

use super::*;

/// A table of boxes that meet in all sorts of ways, including at their borders.
fn columns<S: Scalar, const D: usize>(entries: usize) -> ([Vec<S>; D], [Vec<S>; D], Vec<u32>) {
    let corner = |entry: usize, axis: usize| (entry * (7 + 4 * axis) % 23) as f64;
    let edge = |entry: usize, axis: usize| (entry * (3 + axis) % 5) as f64;
    let column = |f: &dyn Fn(usize) -> f64| (0..entries + PADDING).map(|entry| S::from_f64(f(entry))).collect();
    let min = std::array::from_fn(|axis| column(&|entry| corner(entry, axis)));
    let max = std::array::from_fn(|axis| column(&|entry| corner(entry, axis) + edge(entry, axis)));
    (min, max, (0..(entries + PADDING) as u32).map(|id| id ^ 5).collect())
}

fn run<S: Scalar, const D: usize>(kernel: Kernel, tasks: &[(usize, Range<usize>)]) -> (Vec<Pair>, u64) {
    let (min, max, ids) = columns::<S, D>(200);
    let columns = Columns::new(min.each_ref().map(Vec::as_slice), max.each_ref().map(Vec::as_slice), &ids);
    let mut list = Tasks::default();
    tasks.iter().for_each(|(entry, run)| list.add(*entry, run.clone()));
    let (mut all, mut out) = (Vec::new(), Vec::with_capacity(LANES + 3));
    while !list.is_done() {
        kernel.pairs(&columns, &mut list, &mut out);
        all.append(&mut out);
    }
    (all, list.clear())
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
    let order = run::<S, D>(Kernel::Portable, &tasks).0;
    for kernel in kernels() {
        let (mut pairs, candidates) = run::<S, D>(kernel, &tasks);
        assert_eq!(pairs, order, "{kernel:?}");
        pairs.sort_unstable();
        assert_eq!(pairs, expected, "{kernel:?}");
        assert_eq!(candidates, tasks.iter().map(|(_, run)| run.len() as u64).sum::<u64>());
    }
}

#[test]
fn four_cells_at_once_are_the_same_as_one_by_one() {
    for four in crate::geometry::scalar::tests::values().windows(4) {
        let four: [f32; 4] = four.try_into().unwrap();
        let (origin, inverse) = ([0.5, -3.0, 0.0, 1e20], [1.0, 0.3, 7.0, 1e10]);
        assert_eq!(f32::cells(four, origin, inverse), portable::cells(four, origin, inverse));
    }
}

fn kernels() -> impl Iterator<Item = Kernel> {
    let sets = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Best];
    sets.into_iter().filter_map(Kernel::of)
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
    for (kernel, entry) in kernels().flat_map(|kernel| [4, 23, 150, 7].map(|entry| (kernel, entry))) {
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
        let (times, mask) = Kernel::Portable.meets::<S, D, RESTS>(boxes, &motion, to);
        let ranks = Kernel::Portable.ranks::<S, D, RESTS>(boxes, &motion, to);
        for lane in 0..LANES {
            assert_eq!(mask >> lane & 1 == 0, ranks[lane] == UNRANKED);
            assert!(mask >> lane & 1 == 0 || ranks[lane] as usize % LANES == lane);
        }
        let met: Vec<usize> = bits(mask).collect();
        for (&one, &other) in met.iter().flat_map(|one| met.iter().map(move |other| (one, other))) {
            assert!(times[one] < number(0.0) || rank(times[one]) >= rank(times[other]) || ranks[one] < ranks[other]);
        }
        for kernel in kernels() {
            let (also, its) = kernel.meets::<S, D, RESTS>(boxes, &motion, to);
            assert_eq!(its, mask, "{kernel:?}");
            assert!(met.iter().all(|&lane| also[lane] == times[lane]), "{kernel:?}: {also:?} and not {times:?}");
            assert_eq!(kernel.ranks::<S, D, RESTS>(boxes, &motion, to), ranks, "{kernel:?}");
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

#[test]
fn all_kernels_find_the_same_pairs_in_the_same_order() {
    agree::<f32, 2>();
    agree::<f32, 3>();
    agree::<f64, 2>();
    agree::<f64, 3>();
}
