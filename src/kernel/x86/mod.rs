//! Comparing with AVX2 and AVX-512.
//!
//! The unsafe code of detection is in this folder. A kernel runs only where its instructions were detected, and its pointers stay
//! within columns that are longer than the runs.

#![allow(unsafe_code)]

mod reach;

use std::arch::x86_64::*;
use std::ops::Range;

use super::{Columns, Faces, LANES, Motion, ProbeEntry, lanes_below};
use crate::isa::Work;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// What both instruction sets share: `overlaps` says which of eight entries overlap, `front` moves those of eight numbers that are
/// in a set to the front, `append` does so with `width` numbers. A macro, because a function could not be compiled for two instruction
/// sets.
macro_rules! kernel {
    (
        $token:ident, $features:literal, [$($feature:tt),*], $overlaps:ident, $front:ident, $append:ident, $width:expr, $inside:ident
    ) => {
        /// Proof that the machine has the features.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $token(());

        impl $token {
            pub(super) fn detect() -> Option<Self> {
                let has = $(is_x86_feature_detected!($feature))&&*;
                has.then_some($token(()))
            }

            #[inline(always)]
            pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
                self,
                table: &Columns<'_, S, D>,
                entry: usize,
                others: &Columns<'_, S, D>,
                run: Range<usize>,
                out: &mut Vec<u32>,
            ) {
                // SAFETY: as above.
                unsafe { $inside::partners::<S, D, BOXES>(table, entry, others, run, out) }
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
            pub(super) fn meets<S: Scalar, const D: usize, const RESTS: bool>(
                self,
                boxes: Faces<'_, S, D>,
                motion: &Motion<S, D>,
                to: S,
            ) -> ([S; LANES], u32) {
                let Faces { near, far } = boxes;
                // SAFETY: the features were detected, and with them AVX2; the pointers are those of arrays.
                unsafe { S::meets_avx2::<D, RESTS>(near.map(|face| face.as_ptr()), far.map(|face| face.as_ptr()), motion, to) }
            }

            #[inline(always)]
            pub(super) fn ranks<S: Scalar, const D: usize, const RESTS: bool>(
                self,
                boxes: Faces<'_, S, D>,
                motion: &Motion<S, D>,
                to: S,
            ) -> [u32; LANES] {
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
            pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
                table: &Columns<'_, S, D>,
                entry: usize,
                others: &Columns<'_, S, D>,
                run: Range<usize>,
                out: &mut Vec<u32>,
            ) {
                assert!(entry < table.entries && run.end <= others.entries);
                // SAFETY: the entry is one.
                let own = unsafe { own::<S, D, BOXES, true>(table, entry) };
                // A copy: for all that the compiler knows, what is written to `out` might change what is borrowed.
                let (others, mut at) = (*others, run.start);
                while at < run.end {
                    memory::reserve(out, $width);
                    let end = run.end.min(at + (out.capacity() - out.len()) / $width * $width);
                    let (to, mut len) = (out.as_mut_ptr(), out.len());
                    while at < end {
                        // SAFETY: `at` lies within the run, which ends within the entries, behind which every column is padded;
                        // there is room for `$width` numbers for each look at so many entries, and none takes more.
                        unsafe {
                            let partners = partners_at::<S, D, $width, BOXES, true>(&others, &own, at, run.end);
                            len += $append(others.ids.as_ptr().add(at), partners, own.id, to.add(len));
                        }
                        at += $width;
                    }
                    // SAFETY: the numbers up to `len` were written above, each time at the end of the last.
                    unsafe { out.set_len(len) };
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
                    let mut left = near & lanes_below::<LANES>(run.end - at);
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

            /// Which of the entries from `at` to `end`, the first `WIDTH` of them, make a pair with one, if all that counts is their
            /// boxes, or what is extra, or both.
            ///
            /// # Safety
            ///
            /// `at < end <= columns.entries`.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn partners_at<S: Scalar, const D: usize, const WIDTH: usize, const BOXES: bool, const EXTRAS: bool>(
                columns: &Columns<'_, S, D>,
                own: &ProbeEntry<S, D>,
                at: usize,
                end: usize,
            ) -> u32 {
                let mut mask = lanes_below::<WIDTH>(end - at);
                // SAFETY: by the caller's promise; every column has at least `PADDING` values more than there are entries.
                unsafe {
                    if BOXES {
                        mask &= by_eights::<WIDTH>(|lane| {
                            let from = |column: &[S]| column.as_ptr().add(at + lane);
                            S::$overlaps(columns.min.map(from), columns.max.map(from), &own.bounds.min, &own.bounds.max)
                        });
                    }
                    if EXTRAS {
                        if let (Some(groups), Some(own)) = (&columns.groups, own.groups) {
                            mask &= by_eights::<WIDTH>(|lane| admitted(groups.map(|column| column.as_ptr().add(at + lane)), own));
                        }
                        if let (Some((centers, radii)), Some(own)) = (&columns.balls, own.ball) {
                            if columns.has_extreme_balls {
                                return columns.touching(own, at, mask);
                            }
                            let (centers, radii) = (centers.map(|c| c.as_ptr().add(at)), radii.as_ptr().add(at));
                            mask &= match WIDTH {
                                LANES => S::touches_avx2(centers, radii, own),
                                _ => S::touches_avx512(centers, radii, own),
                            };
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
                    S::$overlaps(min, max, low, high) & lanes_below::<LANES>(end - at)
                }
            }
        }
    };
}

kernel!(HasAvx2, "avx2,bmi2,popcnt", ["avx2", "bmi2", "popcnt"], overlaps_avx2, front_avx2, append_avx2, LANES, avx2);
kernel!(
    HasAvx512,
    "avx512f,avx512vl,avx2,bmi2,popcnt",
    ["avx512f", "avx512vl", "avx2", "bmi2", "popcnt"],
    overlaps_avx512,
    front_avx512,
    append_avx512,
    WIDE,
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

/// Reads an entry.
///
/// # Safety
///
/// `entry < columns.entries`.
#[inline(always)]
unsafe fn own<S: Scalar, const D: usize, const BOXES: bool, const EXTRAS: bool>(
    columns: &Columns<'_, S, D>,
    entry: usize,
) -> ProbeEntry<S, D> {
    // SAFETY: by the caller's promise; every column is longer than there are entries.
    columns
        .own::<BOXES, EXTRAS>(|column| unsafe { *column.get_unchecked(entry) }, |column| unsafe { *column.get_unchecked(entry) })
}

/// So many are compared at once with an entry that has many to be compared with, if there are registers that long.
const WIDE: usize = 16;

/// A bit for each of some lanes, of which `f` does eight at a time, from the given one on.
#[inline(always)]
fn by_eights<const WIDTH: usize>(f: impl Fn(usize) -> u32) -> u32 {
    (0..WIDTH).step_by(LANES).fold(0, |all, lane| all | (f(lane) & 0xff) << lane)
}

/// Writes those of eight numbers that are in a set and are not `own`, and returns how many.
///
/// # Safety
///
/// AVX2 and POPCNT must be there, eight numbers readable at `from` and writable at `to`.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
unsafe fn append_avx2(from: *const u32, set: u32, own: u32, to: *mut u32) -> usize {
    // SAFETY: by the caller's promise.
    let numbers = unsafe { _mm256_loadu_si256(from.cast()) };
    let same = _mm256_cmpeq_epi32(numbers, _mm256_set1_epi32(own as i32));
    let set = set & !_mm256_movemask_ps(_mm256_castsi256_ps(same)) as u32;
    // SAFETY: by the caller's promise.
    unsafe { _mm256_storeu_si256(to.cast(), front_avx2(numbers, set)) };
    set.count_ones() as usize
}

/// Writes those of sixteen numbers that are in a set and are not `own`, and returns how many.
///
/// # Safety
///
/// AVX-512F and POPCNT must be there, sixteen numbers readable at `from` and writable at `to`.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
unsafe fn append_avx512(from: *const u32, set: u32, own: u32, to: *mut u32) -> usize {
    // SAFETY: by the caller's promise.
    let numbers = unsafe { _mm512_loadu_si512(from.cast()) };
    let set = _mm512_mask_cmpneq_epi32_mask(set as __mmask16, numbers, _mm512_set1_epi32(own as i32));
    // SAFETY: by the caller's promise.
    unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(set, numbers)) };
    set.count_ones() as usize
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
