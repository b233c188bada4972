//! The kernels: boxes against runs of entries, by SIMD, chosen at run time.
//!
//! Detection first lists *what* to compare ([`Tasks`]) and then has a kernel do it, in one call for many tasks. So the code that
//! looks up runs knows no instruction set, and the code that compares has no unpredictable branch: every step compares [`LANES`]
//! entries, moves the hits to the front and stores all lanes, and only then counts how many of them are pairs.

mod packed;
mod portable;
mod tasks;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use crate::slips::{Slip, slipped};
use crate::{Aabb, InstructionSet, Pair, Scalar};
pub(crate) use packed::Packed;
pub(crate) use portable::{bits, gap, load, mask, overlaps, squared_distances};
pub(crate) use tasks::Tasks;

/// How many entries are compared at once.
pub(crate) const LANES: usize = 8;

/// How many values every column of the table has behind the last entry: so far a kernel may read on.
pub(crate) const PADDING: usize = 16;

/// The data table as kernels read it. Every column has at least [`PADDING`] values behind the last entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a, S, const D: usize> {
    min: [&'a [S]; D],
    max: [&'a [S]; D],
    ids: &'a [u32],
    /// Member, mask and body, where objects are in groups.
    groups: Option<[&'a [u32]; 3]>,
    /// Centres and radii, where objects are balls.
    balls: Option<Balls<'a, S, D>>,
    /// Whether balls that touch have boxes that overlap, so that [`Kernel::partners`] need not look at the boxes.
    all_round: bool,
    /// How many entries there are.
    entries: usize,
}

/// An entry that is compared with others, perhaps of another table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own<S, const D: usize> {
    id: u32,
    bounds: Aabb<S, D>,
    groups: Option<[u32; 3]>,
    ball: Option<([S; D], S)>,
}

/// Columns of centres, and the column of radii.
type Balls<'a, S, const D: usize> = ([&'a [S]; D], &'a [S]);

impl<'a, S: Scalar, const D: usize> Columns<'a, S, D> {
    pub(crate) fn new(min: [&'a [S]; D], max: [&'a [S]; D], ids: &'a [u32]) -> Self {
        let shortest = min.iter().chain(&max).map(|column| column.len()).fold(ids.len(), usize::min);
        let entries = shortest.checked_sub(PADDING).expect("the columns are padded");
        Columns { min, max, ids, groups: None, balls: None, all_round: false, entries }
    }

    /// The same with what only some scenes have.
    pub(crate) fn with(mut self, groups: Option<[&'a [u32]; 3]>, balls: Option<Balls<'a, S, D>>) -> Self {
        let lengths = groups.iter().flatten().map(|column| column.len());
        let lengths =
            lengths.chain(balls.iter().flat_map(|(centers, radii)| centers.iter().chain([radii]).map(|column| column.len())));
        let shortest = lengths.fold(usize::MAX, usize::min);
        self.entries = self.entries.min(shortest.checked_sub(PADDING).expect("the columns are padded"));
        (self.groups, self.balls) = (groups, balls);
        self
    }

    /// The same for many calls of [`Kernel::partners`] with the first so many entries: if all of these are balls, their boxes are
    /// left out, which saves more than half of the reading.
    ///
    /// Only with radii whose squares neither underflow nor overflow: beyond these, balls may be taken to touch that are far apart, and
    /// their boxes know better.
    pub(crate) fn for_partners(mut self, entries: usize) -> Self {
        let (least, most) = (S::from_f64(1e-15), S::from_f64(1e15));
        self.all_round = self.balls.is_some_and(|(_, radii)| {
            radii[..entries].iter().fold(true, |all, &radius| all & (radius >= least) & (radius <= most))
        });
        self
    }

    /// Whether overlapping boxes are not all that makes a pair.
    #[inline(always)]
    fn has_extras(&self) -> bool {
        self.groups.is_some() || self.balls.is_some()
    }

    /// The object of an entry.
    #[inline(always)]
    pub(crate) fn id(&self, entry: usize) -> u32 {
        self.ids[entry]
    }

    /// An entry, to be compared with others: its box, or what is extra, or both. The functions read what a column has for it, each
    /// kernel in its own way.
    #[inline(always)]
    fn own<const BOXES: bool, const EXTRAS: bool>(&self, number: impl Fn(&[S]) -> S, word: impl Fn(&[u32]) -> u32) -> Own<S, D> {
        let bounds = || Aabb { min: self.min.map(&number), max: self.max.map(&number) };
        let (groups, balls) = (self.groups.filter(|_| EXTRAS), self.balls.filter(|_| EXTRAS));
        Own {
            id: word(self.ids),
            bounds: if BOXES { bounds() } else { Aabb::EMPTY },
            groups: groups.map(|columns| columns.map(&word)),
            ball: balls.map(|(centers, radii)| (centers.map(&number), number(radii))),
        }
    }

    /// The column of least corners along an axis.
    pub(crate) fn min(&self, axis: usize) -> &'a [S] {
        self.min[axis]
    }

    /// The column of greatest corners along an axis.
    pub(crate) fn max(&self, axis: usize) -> &'a [S] {
        self.max[axis]
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, entry: usize) -> Aabb<S, D> {
        Aabb { min: self.min.map(|column| column[entry]), max: self.max.map(|column| column[entry]) }
    }

    /// The box around some entries.
    pub(crate) fn box_around(&self, entries: Range<usize>) -> Aabb<S, D> {
        let mut around = Aabb::EMPTY;
        entries.for_each(|entry| around.grow(&self.bounds(entry)));
        around
    }
}

/// An instruction set to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Whatever the compiler was told to build for.
    Portable,
    /// AVX2 and the bit instructions that came with it.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::HasAvx2),
    /// AVX-512, which has an instruction for moving hits to the front; mostly its 256-bit forms.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::HasAvx512),
}

impl Kernel {
    /// The kernel for an instruction set, if the machine has it.
    pub(crate) fn of(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Kernel::Portable),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::HasAvx2::detect().map(Kernel::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => x86::HasAvx512::detect().map(Kernel::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => None,
            InstructionSet::Best => {
                let from_best = [InstructionSet::Avx512, InstructionSet::Avx2, InstructionSet::Portable];
                from_best.into_iter().find_map(Kernel::of)
            }
        }
    }

    /// Does tasks until all are done or `out` has less room than [`LANES`]; appends a pair for each overlap.
    #[inline]
    pub(crate) fn pairs<S: Scalar, const D: usize>(self, columns: &Columns<'_, S, D>, tasks: &mut Tasks, out: &mut Vec<Pair>) {
        match (self, columns.has_extras()) {
            (Kernel::Portable, false) => portable::pairs::<_, _, false>(columns, tasks, out),
            (Kernel::Portable, true) => portable::pairs::<_, _, true>(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has), false) => has.pairs::<_, _, false>(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has), true) => has.pairs::<_, _, true>(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has), false) => has.pairs::<_, _, false>(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has), true) => has.pairs::<_, _, true>(columns, tasks, out),
        }
    }

    /// Appends the objects of a run of entries of `others` that make a pair with an entry of `table`, which may be in the run itself.
    #[inline]
    pub(crate) fn partners<S: Scalar, const D: usize>(
        self,
        table: &Columns<'_, S, D>,
        entry: usize,
        others: &Columns<'_, S, D>,
        run: Range<usize>,
        out: &mut Vec<u32>,
    ) {
        match (self, table.all_round) {
            (Kernel::Portable, false) => portable::partners::<_, _, true>(table, entry, others, run, out),
            (Kernel::Portable, true) => portable::partners::<_, _, false>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has), false) => has.partners::<_, _, true>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has), true) => has.partners::<_, _, false>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has), false) => has.partners::<_, _, true>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has), true) => has.partners::<_, _, false>(table, entry, others, run, out),
        }
    }

    /// Appends the entries of a run that overlap a box.
    pub(crate) fn hits<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        bounds: &Aabb<S, D>,
        run: Range<usize>,
        out: &mut Vec<u32>,
    ) {
        match self {
            Kernel::Portable => portable::hits(columns, bounds, run, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.hits(columns, bounds, run, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.hits(columns, bounds, run, out),
        }
    }

    /// Calls `f` with the objects of a run whose boxes are no further from a point than `limit`, a square, and with the squares of their
    /// distances.
    #[inline]
    pub(crate) fn near<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        point: &[S; D],
        limit: S,
        run: Range<usize>,
        f: impl FnMut(u32, S),
    ) {
        match self {
            Kernel::Portable => portable::near(columns, point, limit, run, f),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.near(columns, point, limit, run, f),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.near(columns, point, limit, run, f),
        }
    }

    /// When a moving box meets each of eight boxes, at `to` at the latest, and a bit for each that it meets. `RESTS`: it may
    /// rest along some axis.
    #[inline(always)]
    pub(crate) fn meets<S: Scalar, const D: usize, const RESTS: bool>(
        self,
        boxes: Faces<'_, S, D>,
        motion: &Motion<S, D>,
        to: S,
    ) -> ([S; LANES], u32) {
        match self {
            Kernel::Portable => portable::meets::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.meets::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.meets::<S, D, RESTS>(boxes, motion, to),
        }
    }

    /// The [`rank`]s of eight boxes, by when a moving box meets them; those that it does not meet until `to` are [`UNRANKED`]. `RESTS`: it
    /// may rest along some axis.
    #[inline(always)]
    pub(crate) fn ranks<S: Scalar, const D: usize, const RESTS: bool>(
        self,
        boxes: Faces<'_, S, D>,
        motion: &Motion<S, D>,
        to: S,
    ) -> [u32; LANES] {
        match self {
            Kernel::Portable => portable::ranks::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.ranks::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.ranks::<S, D, RESTS>(boxes, motion, to),
        }
    }

    /// Does work that names no instruction set, compiled for this one.
    #[inline]
    pub(crate) fn compiled_for<W: Work>(self, work: W) -> W::Outcome {
        match self {
            Kernel::Portable => work.run(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.compiled_for(work),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.compiled_for(work),
        }
    }
}

/// The rank of what is not met.
pub(crate) const UNRANKED: u32 = u32::MAX;

/// What is met at this time in lane 0 has this rank, and in other lanes so much more: what is met earlier has a lesser rank, no two
/// lanes have the same, and a rank tells its lane. What is met at nearly the same time may be ranked in any order.
#[inline(always)]
pub(crate) fn rank<S: Scalar>(time: S) -> u32 {
    // Not negative (a negative zero becomes a positive one), so the bits are in the order of the numbers. The conversion keeps it.
    (time.to_f64() as f32 + 0.0).to_bits() & !(LANES as u32 - 1)
}

/// Work made of loops over arrays, which the compiler turns into whatever vector instructions it may use.
pub(crate) trait Work {
    type Outcome;

    /// To be `inline(always)`, like all that it calls: only what is inlined is compiled for the caller's instruction set.
    fn run(self) -> Self::Outcome;
}

/// Eight boxes: along each axis, their faces that something meets first, and those that it leaves last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faces<'a, S, const D: usize> {
    pub(crate) near: [&'a [S; LANES]; D],
    pub(crate) far: [&'a [S; LANES]; D],
}

/// How a box, or a point, moves along all axes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unreachable_pub, reason = "only a kernel of x86 has it in a hidden method"))]
pub struct Motion<S, const D: usize> {
    /// Nothing earlier is of interest.
    pub(crate) from: S,
    /// Whether it does not move along an axis. To ask for each axis takes time, so only those ask who have to.
    pub(crate) rests: [bool; D],
    /// Along the other axes, the inverse of how fast it moves.
    pub(crate) inverse: [S; D],
    /// Its face that meets others first, and the one that leaves them last.
    pub(crate) front: [S; D],
    pub(crate) back: [S; D],
}

/// A bit for each of so many lanes that is still inside the run.
#[inline(always)]
fn lanes_below<const WIDTH: usize>(remaining: usize) -> u32 {
    if slipped(Slip::MaskShort) {
        return (1 << remaining.saturating_sub(1).min(WIDTH)) - 1;
    }
    if slipped(Slip::MaskFull) {
        return (1 << WIDTH) - 1;
    }
    (1 << remaining.min(WIDTH)) - 1
}

/// What a coordinate type must bring along for the kernels.
#[allow(unsafe_code)] // declared here, written in `x86`
pub trait KernelScalar: Copy {
    /// `floor_to_cell((x - origin) * inverse)` of four coordinates at once, bit by bit the same.
    #[doc(hidden)]
    fn cells(x: [Self; 4], origin: [Self; 4], inverse: [Self; 4]) -> [i32; 4];

    /// A bit for each of eight boxes that overlaps the box from `low` to `high`. The boxes' bounds are read at `min` and `max`.
    ///
    /// # Safety
    ///
    /// AVX2 must be there, and eight values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn overlaps_avx2<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        low: &[Self; D],
        high: &[Self; D],
    ) -> u32;

    /// A bit for each of eight balls that touches a ball. Their centres and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn touches_avx2<const D: usize>(centers: [*const Self; D], radii: *const Self, ball: ([Self; D], Self)) -> u32;

    /// [`Kernel::meets`]. The boxes' faces are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn meets_avx2<const D: usize, const RESTS: bool>(
        near: [*const Self; D],
        far: [*const Self; D],
        motion: &Motion<Self, D>,
        to: Self,
    ) -> ([Self; LANES], u32);

    /// [`Kernel::ranks`]. The boxes' faces are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn ranks_avx2<const D: usize, const RESTS: bool>(
        near: [*const Self; D],
        far: [*const Self; D],
        motion: &Motion<Self, D>,
        to: Self,
    ) -> [u32; LANES];

    /// The squares of the distances from a point to eight boxes, whose bounds are read at the pointers, and a bit for each that is at
    /// most `limit`.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn near_avx2<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        point: &[Self; D],
        limit: Self,
    ) -> ([Self; LANES], u32);

    /// A bit for each of sixteen balls that touches a ball. Their centres and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// AVX-512F must be there, and sixteen values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn touches_avx512<const D: usize>(centers: [*const Self; D], radii: *const Self, ball: ([Self; D], Self)) -> u32;

    /// [`overlaps_avx2`](Self::overlaps_avx2) with AVX-512.
    ///
    /// # Safety
    ///
    /// AVX-512F and VL must be there, and eight values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn overlaps_avx512<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        low: &[Self; D],
        high: &[Self; D],
    ) -> u32;
}

#[cfg(not(target_arch = "x86_64"))]
impl KernelScalar for f32 {
    #[inline(always)]
    fn cells(x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
        portable::cells(x, origin, inverse)
    }
}
#[cfg(not(target_arch = "x86_64"))]
impl KernelScalar for f64 {
    #[inline(always)]
    fn cells(x: [f64; 4], origin: [f64; 4], inverse: [f64; 4]) -> [i32; 4] {
        portable::cells(x, origin, inverse)
    }
}

#[cfg(test)]
mod tests {
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
        for four in crate::scalar::tests::values().windows(4) {
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
}
