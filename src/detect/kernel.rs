//! The kernels: boxes against runs of entries, by SIMD, chosen at run time.
//!
//! Detection first lists *what* to compare ([`Task`]s) and then has a kernel do it, in one call for many tasks. So the code that
//! looks up runs knows no instruction set, and the code that compares has no unpredictable branch: every step compares [`LANES`]
//! entries, moves the hits to the front and stores all lanes, and only then counts how many of them are pairs.

#![allow(unsafe_code)]

use std::ops::Range;

use crate::build::table::grow_exactly;
use crate::{Aabb, InstructionSet, Pair, Scalar};

/// How many entries are compared at once.
pub(crate) const LANES: usize = 8;

/// An entry to be compared with a run of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) entry: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

/// Tasks in the order in which they are done.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    /// All room there is; the first `len` are tasks.
    list: Vec<Task>,
    len: usize,
    done: usize,
    /// How many pairs of boxes all the tasks compare.
    candidates: u64,
}

impl Tasks {
    /// Adds the comparison of an entry with a run, which may be empty (or end before it begins).
    ///
    /// Written in any case, and kept if there is something in it: whether a run is empty is anybody's guess, and a wrong guess
    /// costs the processor more than a store.
    #[inline(always)]
    pub(crate) fn add(&mut self, entry: usize, run: Range<usize>) {
        if self.len == self.list.len() {
            self.grow();
        }
        self.list[self.len] = Task { entry: entry as u32, begin: run.start as u32, end: run.end as u32 };
        self.len += usize::from(run.start < run.end);
        self.candidates += run.len() as u64;
    }

    #[cold]
    fn grow(&mut self) {
        self.reserve((2 * self.list.len()).max(1024));
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done == self.len
    }

    #[inline(always)]
    fn current(&mut self) -> Option<&mut Task> {
        self.list[..self.len].get_mut(self.done)
    }

    /// Empties the list and returns how many pairs of boxes it compared.
    pub(crate) fn clear(&mut self) -> u64 {
        self.len = 0;
        self.done = 0;
        std::mem::take(&mut self.candidates)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn reserve(&mut self, tasks: usize) {
        grow_exactly(&mut self.list, tasks, Task { entry: 0, begin: 0, end: 0 });
    }
}

/// The data table as kernels read it. Every column has at least [`LANES`] values behind the last entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a, S, const D: usize> {
    min: [&'a [S]; D],
    max: [&'a [S]; D],
    ids: &'a [u32],
    /// How many entries there are.
    entries: usize,
}

impl<'a, S: Scalar, const D: usize> Columns<'a, S, D> {
    pub(crate) fn new(min: [&'a [S]; D], max: [&'a [S]; D], ids: &'a [u32]) -> Self {
        let shortest = min.iter().chain(&max).map(|column| column.len()).fold(ids.len(), usize::min);
        Columns { min, max, ids, entries: shortest.checked_sub(LANES).expect("the columns are padded") }
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
}

/// An instruction set to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Whatever the compiler was told to build for.
    Portable,
    /// AVX2 and the bit instructions that came with it.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::HasAvx2),
    /// AVX-512 with its 256-bit forms, which has an instruction for moving hits to the front.
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
        match self {
            Kernel::Portable => portable::pairs(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has) => has.pairs(columns, tasks, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has) => has.pairs(columns, tasks, out),
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
        // Few and long runs: what is rare is kept simple.
        for at in run.clone().step_by(LANES) {
            let mut mask = portable::overlaps(columns, bounds, at) & lanes_below(run.end - at);
            while mask != 0 {
                out.push(at as u32 + mask.trailing_zeros());
                mask &= mask - 1;
            }
        }
    }
}

/// A bit for each lane that is still inside the run.
#[inline(always)]
fn lanes_below(remaining: usize) -> u32 {
    (1 << remaining.min(LANES)) - 1
}

mod portable {
    use super::*;

    pub(super) fn pairs<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, tasks: &mut Tasks, out: &mut Vec<Pair>) {
        while let Some(task) = tasks.current() {
            let (bounds, id) = (columns.bounds(task.entry as usize), columns.ids[task.entry as usize]);
            let end = task.end as usize;
            while task.begin < task.end {
                if out.capacity() - out.len() < LANES {
                    return;
                }
                let at = task.begin as usize;
                let mut mask = overlaps(columns, &bounds, at) & lanes_below(end - at);
                while mask != 0 {
                    out.push(Pair::new(id, columns.ids[at + mask.trailing_zeros() as usize]));
                    mask &= mask - 1;
                }
                task.begin += LANES as u32;
            }
            tasks.done += 1;
        }
    }

    #[inline(always)]
    pub(super) fn cells<S: Scalar>(x: [S; 4], origin: [S; 4], inverse: [S; 4]) -> [i32; 4] {
        std::array::from_fn(|lane| ((x[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
    }

    /// A bit for each of the entries from `at` on that overlaps.
    #[inline(always)]
    pub(super) fn overlaps<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, bounds: &Aabb<S, D>, at: usize) -> u32 {
        let mut hit = [true; LANES];
        for axis in 0..D {
            let min: &[S; LANES] = columns.min[axis][at..at + LANES].try_into().expect("the columns are padded");
            let max: &[S; LANES] = columns.max[axis][at..at + LANES].try_into().expect("the columns are padded");
            for lane in 0..LANES {
                hit[lane] &= (min[lane] <= bounds.max[axis]) & (bounds.min[axis] <= max[lane]);
            }
        }
        hit.iter().enumerate().fold(0, |mask, (lane, &hit)| mask | u32::from(hit) << lane)
    }
}

/// What a coordinate type must bring along for the kernels.
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

    /// The same with AVX-512.
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::*;

    /// The loop that both instruction sets share: `overlaps` says which of eight entries overlap, `front` moves those of eight
    /// indices that are in a set to the front. A macro, because a function could not be compiled for two instruction sets.
    macro_rules! kernel {
        ($token:ident, $loop:ident, $features:literal, [$($feature:tt),*], $overlaps:ident, $front:ident) => {
            /// Proof that the machine has the features.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(crate) struct $token(());

            impl $token {
                pub(super) fn detect() -> Option<Self> {
                    let has = $(is_x86_feature_detected!($feature))&&*;
                    has.then_some($token(()))
                }

                #[inline(always)]
                pub(super) fn pairs<S: Scalar, const D: usize>(
                    self,
                    columns: &Columns<'_, S, D>,
                    tasks: &mut Tasks,
                    out: &mut Vec<Pair>,
                ) {
                    // SAFETY: a value of this type exists only where the features were detected.
                    unsafe { $loop(columns, tasks, out) }
                }
            }

            #[target_feature(enable = $features)]
            fn $loop<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, tasks: &mut Tasks, out: &mut Vec<Pair>) {
                let (min, max, ids) = (columns.min.map(<[S]>::as_ptr), columns.max.map(<[S]>::as_ptr), columns.ids.as_ptr());
                let (mut len, room, pairs) = (out.len(), out.capacity(), out.as_mut_ptr());
                'tasks: while let Some(task) = tasks.current() {
                    let entry = task.entry as usize;
                    let (mut at, end) = (task.begin as usize, task.end as usize);
                    assert!(entry < columns.entries && end <= columns.entries);
                    // SAFETY: the entry is one, and every column has at least as many values as there are entries.
                    let (low, high, id) = unsafe {
                        (min.map(|column| *column.add(entry)), max.map(|column| *column.add(entry)), *ids.add(entry))
                    };
                    let id = _mm256_set1_epi32(id as i32);
                    while at < end {
                        if room - len < LANES {
                            task.begin = at as u32;
                            break 'tasks;
                        }
                        // SAFETY: the features are those of this function; `at < end <= entries`, and every column has at
                        // least `LANES` values more than there are entries.
                        let (mask, others) = unsafe {
                            let mask = S::$overlaps(min.map(|column| column.add(at)), max.map(|column| column.add(at)), &low, &high);
                            (mask & lanes_below(end - at), _mm256_loadu_si256(ids.add(at).cast()))
                        };
                        let others = $front(others, mask);
                        let (a, b) = (_mm256_min_epu32(id, others), _mm256_max_epu32(id, others));
                        let (even, odd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
                        // SAFETY: there is room for `LANES` pairs of two 32-bit words each behind `len`, checked above.
                        unsafe {
                            let to = pairs.add(len).cast::<__m256i>();
                            _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(even, odd));
                            _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(even, odd));
                        }
                        len += mask.count_ones() as usize;
                        at += LANES;
                    }
                    tasks.done += 1;
                }
                // SAFETY: the pairs up to `len` were written above, each batch at the end of the last, within the capacity.
                unsafe { out.set_len(len) };
            }
        };
    }

    kernel!(HasAvx2, pairs_avx2, "avx2,bmi2,popcnt", ["avx2", "bmi2", "popcnt"], overlaps_avx2, front_avx2);
    kernel!(
        HasAvx512,
        pairs_avx512,
        "avx512f,avx512vl,avx2,bmi2,popcnt",
        ["avx512f", "avx512vl", "avx2", "bmi2", "popcnt"],
        overlaps_avx512,
        front_avx512
    );

    #[target_feature(enable = "avx2")]
    #[inline]
    fn front_avx2(ids: __m256i, set: u32) -> __m256i {
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(FRONT[set as usize & 255] as i64));
        _mm256_permutevar8x32_epi32(ids, order)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    fn front_avx512(ids: __m256i, set: u32) -> __m256i {
        _mm256_maskz_compress_epi32(set as __mmask8, ids)
    }

    /// For each set of lanes, their numbers in ascending order, a byte each.
    static FRONT: [u64; 256] = {
        let mut table = [0; 256];
        let mut set = 0;
        while set < 256 {
            let (mut lane, mut place) = (0, 0);
            while lane < 8 {
                if set >> lane & 1 == 1 {
                    table[set] |= lane << (8 * place);
                    place += 1;
                }
                lane += 1;
            }
            set += 1;
        }
        table
    };

    impl KernelScalar for f32 {
        #[inline(always)]
        fn cells(x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
            use bytemuck::cast;
            // SAFETY: SSE2 is part of every x86-64, and nothing here touches memory.
            unsafe {
                let limit = _mm_set1_ps(crate::grid::CELL_LIMIT as f32);
                let scaled = _mm_mul_ps(_mm_sub_ps(cast(x), cast(origin)), cast(inverse));
                let inside = _mm_min_ps(_mm_max_ps(scaled, _mm_sub_ps(_mm_setzero_ps(), limit)), limit);
                let truncated = _mm_cvttps_epi32(inside);
                let too_high = _mm_cmpgt_ps(_mm_cvtepi32_ps(truncated), inside);
                cast(_mm_add_epi32(truncated, _mm_castps_si128(too_high)))
            }
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        unsafe fn overlaps_avx2<const D: usize>(
            min: [*const f32; D],
            max: [*const f32; D],
            low: &[f32; D],
            high: &[f32; D],
        ) -> u32 {
            let mut all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
            for axis in 0..D {
                // SAFETY: eight values are readable at all pointers, by the caller's promise.
                let (min, max) = unsafe { (_mm256_loadu_ps(min[axis]), _mm256_loadu_ps(max[axis])) };
                all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(min, _mm256_set1_ps(high[axis])));
                all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_GE_OQ>(max, _mm256_set1_ps(low[axis])));
            }
            _mm256_movemask_ps(all) as u32
        }

        #[target_feature(enable = "avx512f,avx512vl")]
        #[inline]
        unsafe fn overlaps_avx512<const D: usize>(
            min: [*const f32; D],
            max: [*const f32; D],
            low: &[f32; D],
            high: &[f32; D],
        ) -> u32 {
            let mut all = 0xff;
            for axis in 0..D {
                // SAFETY: eight values are readable at all pointers, by the caller's promise.
                let (min, max) = unsafe { (_mm256_loadu_ps(min[axis]), _mm256_loadu_ps(max[axis])) };
                all = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(all, min, _mm256_set1_ps(high[axis]));
                all = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(all, max, _mm256_set1_ps(low[axis]));
            }
            u32::from(all)
        }
    }

    impl KernelScalar for f64 {
        #[inline(always)]
        fn cells(x: [f64; 4], origin: [f64; 4], inverse: [f64; 4]) -> [i32; 4] {
            portable::cells(x, origin, inverse)
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        unsafe fn overlaps_avx2<const D: usize>(
            min: [*const f64; D],
            max: [*const f64; D],
            low: &[f64; D],
            high: &[f64; D],
        ) -> u32 {
            let mut all = [_mm256_castsi256_pd(_mm256_set1_epi64x(-1)); 2];
            for axis in 0..D {
                for (half, all) in all.iter_mut().enumerate() {
                    // SAFETY: eight values are readable at all pointers, by the caller's promise; these are four of them.
                    let (min, max) =
                        unsafe { (_mm256_loadu_pd(min[axis].add(4 * half)), _mm256_loadu_pd(max[axis].add(4 * half))) };
                    *all = _mm256_and_pd(*all, _mm256_cmp_pd::<_CMP_LE_OQ>(min, _mm256_set1_pd(high[axis])));
                    *all = _mm256_and_pd(*all, _mm256_cmp_pd::<_CMP_GE_OQ>(max, _mm256_set1_pd(low[axis])));
                }
            }
            (_mm256_movemask_pd(all[0]) | _mm256_movemask_pd(all[1]) << 4) as u32
        }

        #[target_feature(enable = "avx512f,avx512vl")]
        #[inline]
        unsafe fn overlaps_avx512<const D: usize>(
            min: [*const f64; D],
            max: [*const f64; D],
            low: &[f64; D],
            high: &[f64; D],
        ) -> u32 {
            let mut all = 0xff;
            for axis in 0..D {
                // SAFETY: eight values are readable at all pointers, by the caller's promise.
                let (min, max) = unsafe { (_mm512_loadu_pd(min[axis]), _mm512_loadu_pd(max[axis])) };
                all = _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(all, min, _mm512_set1_pd(high[axis]));
                all = _mm512_mask_cmp_pd_mask::<_CMP_GE_OQ>(all, max, _mm512_set1_pd(low[axis]));
            }
            u32::from(all)
        }
    }
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
        let column = |f: &dyn Fn(usize) -> f64| (0..entries + LANES).map(|entry| S::from_f64(f(entry))).collect();
        let min = std::array::from_fn(|axis| column(&|entry| corner(entry, axis)));
        let max = std::array::from_fn(|axis| column(&|entry| corner(entry, axis) + edge(entry, axis)));
        (min, max, (0..(entries + LANES) as u32).map(|id| id ^ 5).collect())
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
        let expected: Vec<Pair> = tasks
            .iter()
            .flat_map(|(entry, run)| run.clone().map(move |other| (*entry, other)))
            .filter(|(entry, other)| bounds(*entry).overlaps(&bounds(*other)))
            .map(|(entry, other)| Pair::new(ids[entry], ids[other]))
            .collect();
        assert!(expected.len() > 200);
        let sets = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Best];
        for kernel in sets.into_iter().filter_map(Kernel::of) {
            let (pairs, candidates) = run::<S, D>(kernel, &tasks);
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

    #[test]
    fn all_kernels_find_the_same_pairs_in_the_same_order() {
        agree::<f32, 2>();
        agree::<f32, 3>();
        agree::<f64, 2>();
        agree::<f64, 3>();
    }
}
