//! Comparing with AVX2 and AVX-512.
//!
//! The unsafe code of detection is here. A kernel runs only where its instructions were detected, and its pointers stay within
//! columns that are longer than the runs.

#![allow(unsafe_code)]

mod f32;
mod f64;

use std::arch::x86_64::*;
use std::ops::Range;

use super::{Columns, Faces, LANES, Motion, Tasks, Work, lanes_below};
use crate::{Aabb, Pair, Scalar, memory};

/// What both instruction sets share: `overlaps` says which of eight entries overlap, `front` moves those of eight numbers that are
/// in a set to the front. A macro, because a function could not be compiled for two instruction sets.
macro_rules! kernel {
    ($token:ident, $features:literal, [$($feature:tt),*], $overlaps:ident, $front:ident, $inside:ident) => {
        /// Proof that the machine has the features.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $token(());

        impl $token {
            pub(super) fn detect() -> Option<Self> {
                let has = $(is_x86_feature_detected!($feature))&&*;
                has.then_some($token(()))
            }

            #[inline(always)]
            pub(super) fn pairs<S: Scalar, const D: usize, const EXTRAS: bool>(
                self,
                columns: &Columns<'_, S, D>,
                tasks: &mut Tasks,
                out: &mut Vec<Pair>,
            ) {
                // SAFETY: a value of this type exists only where the features were detected.
                unsafe { $inside::pairs::<S, D, EXTRAS>(columns, tasks, out) }
            }

            #[inline(always)]
            pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
                self,
                columns: &Columns<'_, S, D>,
                entry: usize,
                runs: &[Range<usize>],
                out: &mut Vec<u32>,
            ) {
                // SAFETY: as above.
                unsafe { $inside::partners::<S, D, BOXES>(columns, entry, runs, out) }
            }

            #[inline(always)]
            pub(super) fn hits<S: Scalar, const D: usize>(
                self,
                columns: &Columns<'_, S, D>,
                bounds: &Aabb<S, D>,
                run: Range<usize>,
                out: &mut Vec<u32>,
            ) {
                // SAFETY: as above.
                unsafe { $inside::hits(columns, bounds, run, out) }
            }

            #[inline(always)]
            pub(super) fn near<S: Scalar, const D: usize>(
                self,
                columns: &Columns<'_, S, D>,
                point: &[S; D],
                limit: S,
                run: Range<usize>,
                f: impl FnMut(u32, S),
            ) {
                // SAFETY: as above.
                unsafe { $inside::near(columns, point, limit, run, f) }
            }

            #[inline(always)]
            pub(super) fn meets<S: Scalar, const D: usize, const RESTS: bool>(self, boxes: Faces<'_, S, D>, motion: &Motion<S, D>, to: S) -> ([S; LANES], u32) {
                let Faces { near, far } = boxes;
                // SAFETY: the features were detected, and with them AVX2; the pointers are those of arrays.
                unsafe { S::meets_avx2::<D, RESTS>(near.map(|face| face.as_ptr()), far.map(|face| face.as_ptr()), motion, to) }
            }

            #[inline(always)]
            pub(super) fn ranks<S: Scalar, const D: usize, const RESTS: bool>(self, boxes: Faces<'_, S, D>, motion: &Motion<S, D>, to: S) -> [u32; LANES] {
                let Faces { near, far } = boxes;
                // SAFETY: as above.
                unsafe { S::ranks_avx2::<D, RESTS>(near.map(|face| face.as_ptr()), far.map(|face| face.as_ptr()), motion, to) }
            }

            #[inline(always)]
            pub(super) fn compiled_for<W: Work>(self, work: W) -> W::Outcome {
                // SAFETY: as above.
                unsafe { $inside::compiled_for(work) }
            }
        }

        mod $inside {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn pairs<S: Scalar, const D: usize, const EXTRAS: bool>(
                columns: &Columns<'_, S, D>,
                tasks: &mut Tasks,
                out: &mut Vec<Pair>,
            ) {
                loop {
                    let short = tasks.take_short(out.capacity() - out.len());
                    if short.is_empty() {
                        break;
                    }
                    let mut len = out.len();
                    for task in short {
                        let (entry, begin, end) = (task.entry(), task.begin(), task.end());
                        assert!(entry < columns.entries && begin < end && end <= columns.entries);
                        // SAFETY: the entry is one, the run is not empty and ends within the entries; for each task that was
                        // taken there is room for `LANES` pairs.
                        len += unsafe { batch::<S, D, EXTRAS>(columns, entry, begin, end, out.as_mut_ptr().add(len)) };
                    }
                    // SAFETY: the pairs up to `len` were written above, each batch at the end of the last.
                    unsafe { out.set_len(len) };
                }
                while let Some(task) = tasks.take_long() {
                    let (entry, mut at, end) = (task.entry(), task.begin(), task.end());
                    assert!(entry < columns.entries && end <= columns.entries);
                    while at < end {
                        let len = out.len();
                        if out.capacity() - len < LANES {
                            return tasks.put_back(task, at);
                        }
                        // SAFETY: the entry is one; `at` lies within the run, which ends within the entries; there is room for
                        // `LANES` pairs.
                        let hits = unsafe { batch::<S, D, EXTRAS>(columns, entry, at, end, out.as_mut_ptr().add(len)) };
                        // SAFETY: so many have been written behind `len`.
                        unsafe { out.set_len(len + hits) };
                        at += LANES;
                    }
                }
            }

            /// Compares an entry with those from `at` to `end`, at most [`LANES`] of them, writes the pairs and returns how many.
            ///
            /// # Safety
            ///
            /// `entry < columns.entries`, `at < end <= columns.entries`, and there must be room for [`LANES`] pairs.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn batch<S: Scalar, const D: usize, const EXTRAS: bool>(
                columns: &Columns<'_, S, D>,
                entry: usize,
                at: usize,
                end: usize,
                to: *mut Pair,
            ) -> usize {
                // SAFETY: by the caller's promise; every column has at least `LANES` values more than there are entries.
                let (mask, id, others) = unsafe {
                    let mask = partners_at::<S, D, true, EXTRAS>(columns, entry, at, end);
                    (mask, *columns.ids.get_unchecked(entry), _mm256_loadu_si256(columns.ids.as_ptr().add(at).cast()))
                };
                let (id, others) = (_mm256_set1_epi32(id as i32), $front(others, mask));
                let (a, b) = (_mm256_min_epu32(id, others), _mm256_max_epu32(id, others));
                let (even, odd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
                let hits = mask.count_ones() as usize;
                let to = to.cast::<__m256i>();
                // SAFETY: there is room for `LANES` pairs of two 32-bit words each.
                unsafe { _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(even, odd)) };
                if hits > LANES / 2 {
                    // SAFETY: as above; this is the second half of it.
                    unsafe { _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(even, odd)) };
                }
                hits
            }

            #[target_feature(enable = $features)]
            pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
                columns: &Columns<'_, S, D>,
                entry: usize,
                runs: &[Range<usize>],
                out: &mut Vec<u32>,
            ) {
                assert!(entry < columns.entries);
                for run in runs {
                    assert!(run.end <= columns.entries);
                    let mut at = run.start;
                    while at < run.end {
                        // SAFETY: the entry is one; `at` lies within the run, which ends within the entries.
                        let (mask, others) = unsafe {
                            let mask = partners_at::<S, D, BOXES, true>(columns, entry, at, run.end);
                            (mask, _mm256_loadu_si256(columns.ids.as_ptr().add(at).cast()))
                        };
                        // The entry itself is no partner of its own.
                        let itself = if entry.wrapping_sub(at) < LANES { 1 << (entry - at) } else { 0 };
                        append(out, $front(others, mask & !itself), mask & !itself);
                        at += LANES;
                    }
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn hits<S: Scalar, const D: usize>(
                columns: &Columns<'_, S, D>,
                bounds: &Aabb<S, D>,
                run: Range<usize>,
                out: &mut Vec<u32>,
            ) {
                assert!(run.end <= columns.entries);
                let lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
                let mut at = run.start;
                while at < run.end {
                    // SAFETY: `at` lies within the run, which ends within the entries.
                    let mask = unsafe { overlaps_at(columns, &bounds.min, &bounds.max, at, run.end) };
                    append(out, $front(_mm256_add_epi32(lanes, _mm256_set1_epi32(at as i32)), mask), mask);
                    at += LANES;
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn near<S: Scalar, const D: usize>(
                columns: &Columns<'_, S, D>,
                point: &[S; D],
                limit: S,
                run: Range<usize>,
                mut f: impl FnMut(u32, S),
            ) {
                assert!(run.end <= columns.entries);
                let mut at = run.start;
                while at < run.end {
                    let (min, max) = (columns.min.map(|c| c[at..].as_ptr()), columns.max.map(|c| c[at..].as_ptr()));
                    // SAFETY: AVX2 is among the features, and every column has at least `LANES` values more than there are entries.
                    let (squares, near) = unsafe { S::near_avx2(min, max, point, limit) };
                    let mut left = near & lanes_below(run.end - at);
                    while left != 0 {
                        let lane = left.trailing_zeros() as usize;
                        f(columns.ids[at + lane], squares[lane]);
                        left &= left - 1;
                    }
                    at += LANES;
                }
            }

            #[target_feature(enable = $features)]
            pub(super) fn compiled_for<W: Work>(work: W) -> W::Outcome {
                work.run()
            }

            /// Which of the entries from `at` to `end` make a pair with an entry, if all that counts is their boxes, or what is extra,
            /// or both.
            ///
            /// # Safety
            ///
            /// `entry < columns.entries`, `at < end <= columns.entries`.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn partners_at<S: Scalar, const D: usize, const BOXES: bool, const EXTRAS: bool>(
                columns: &Columns<'_, S, D>,
                entry: usize,
                at: usize,
                end: usize,
            ) -> u32 {
                // SAFETY: by the caller's promise; every column has at least `LANES` values more than there are entries.
                unsafe {
                    let mut mask = lanes_below(end - at);
                    if BOXES {
                        let low = columns.min.map(|column| *column.get_unchecked(entry));
                        let high = columns.max.map(|column| *column.get_unchecked(entry));
                        mask = overlaps_at(columns, &low, &high, at, end);
                    }
                    if EXTRAS {
                        if let Some(groups) = &columns.groups {
                            mask &= admitted(groups.map(|column| column.as_ptr().add(at)), groups.map(|c| *c.get_unchecked(entry)));
                        }
                        if let Some((centers, radii)) = &columns.balls {
                            let ball = (centers.map(|c| *c.get_unchecked(entry)), *radii.get_unchecked(entry));
                            mask &= S::touches_avx2(centers.map(|c| c.as_ptr().add(at)), radii.as_ptr().add(at), ball);
                        }
                    }
                    mask
                }
            }

            /// Which of the entries from `at` to `end` overlap a box.
            ///
            /// # Safety
            ///
            /// `at < end <= columns.entries`.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn overlaps_at<S: Scalar, const D: usize>(
                columns: &Columns<'_, S, D>,
                low: &[S; D],
                high: &[S; D],
                at: usize,
                end: usize,
            ) -> u32 {
                // SAFETY: by the caller's promise; every column has at least `LANES` values more than there are entries.
                unsafe {
                    let (min, max) = (columns.min.map(|c| c.as_ptr().add(at)), columns.max.map(|c| c.as_ptr().add(at)));
                    S::$overlaps(min, max, low, high) & lanes_below(end - at)
                }
            }
        }
    };
}

kernel!(HasAvx2, "avx2,bmi2,popcnt", ["avx2", "bmi2", "popcnt"], overlaps_avx2, front_avx2, avx2);
kernel!(
    HasAvx512,
    "avx512f,avx512vl,avx2,bmi2,popcnt",
    ["avx512f", "avx512vl", "avx2", "bmi2", "popcnt"],
    overlaps_avx512,
    front_avx512,
    avx512
);

/// Appends those of eight numbers that are in a set and have been moved to the front.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn append(out: &mut Vec<u32>, front: __m256i, set: u32) {
    memory::reserve(out, LANES);
    let len = out.len();
    // SAFETY: there is room for eight, and as many of them as are in the set count.
    unsafe {
        _mm256_storeu_si256(out.as_mut_ptr().add(len).cast(), front);
        out.set_len(len + set.count_ones() as usize);
    }
}

/// Which of eight entries an entry may pair with, by their groups: [`Groups::admit`](crate::Groups::admit) eight times.
///
/// # Safety
///
/// AVX2 must be there, and eight values readable at all pointers.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn admitted(others: [*const u32; 3], [member, mask, body]: [u32; 3]) -> u32 {
    let all = |value: u32| _mm256_set1_epi32(value as i32);
    let none = _mm256_setzero_si256();
    // SAFETY: eight values are readable at all pointers, by the caller's promise.
    let [members, masks, bodies] = others.map(|column| unsafe { _mm256_loadu_si256(column.cast()) });
    let unwanted = _mm256_cmpeq_epi32(_mm256_and_si256(members, all(mask)), none);
    let unwilling = _mm256_cmpeq_epi32(_mm256_and_si256(masks, all(member)), none);
    let related = _mm256_andnot_si256(_mm256_cmpeq_epi32(all(body), none), _mm256_cmpeq_epi32(bodies, all(body)));
    let refused = _mm256_or_si256(_mm256_or_si256(unwanted, unwilling), related);
    !_mm256_movemask_ps(_mm256_castsi256_ps(refused)) as u32
}

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
