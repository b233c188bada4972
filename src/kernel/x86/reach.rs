//! Which entries are within reach of one, with AVX2 and AVX-512.

use std::ops::Range;

use super::{HasAvx2, HasAvx512, LANES, WIDE, append_avx2, append_avx512, lanes_below};
use crate::Scalar;
use crate::isa::eight::Reaching;
use crate::layout::columns::Columns;
use crate::runtime::memory;

/// The loop over a run, which is compiled once for each instruction set.
macro_rules! reaching {
    ($token:ident, $features:literal, $inside:ident, $reaches:ident, $append:ident, $width:expr) => {
        impl $token {
            #[inline(always)]
            pub(in crate::kernel) fn reaching<S: Scalar, const D: usize>(
                self,
                own: &Reaching<S, D>,
                others: &Columns<'_, S, D>,
                run: Range<usize>,
                out: &mut Vec<u32>,
            ) {
                // SAFETY: a value of this type exists only where the features were detected.
                unsafe { $inside(own, others, run, out) }
            }
        }

        #[target_feature(enable = $features)]
        fn $inside<S: Scalar, const D: usize>(
            own: &Reaching<S, D>,
            others: &Columns<'_, S, D>,
            run: Range<usize>,
            out: &mut Vec<u32>,
        ) {
            assert!(run.end <= others.entries);
            let Some((centers, radii)) = others.balls else { return };
            let (ids, own, mut at) = (others.ids, *own, run.start);
            while at < run.end {
                memory::reserve(out, $width);
                let end = run.end.min(at + (out.capacity() - out.len()) / $width * $width);
                let (to, mut len) = (out.as_mut_ptr(), out.len());
                while at < end {
                    // SAFETY: `at` lies within the run, which ends within the entries, behind which every column is padded; there is
                    // room for `$width` numbers for each look at so many entries, and none takes more.
                    unsafe {
                        let near = S::$reaches(centers.map(|column| column.as_ptr().add(at)), radii.as_ptr().add(at), &own);
                        let near = near & lanes_below::<{ $width }>(run.end - at);
                        len += $append(ids.as_ptr().add(at), near, own.id, to.add(len));
                    }
                    at += $width;
                }
                // SAFETY: the numbers up to `len` were written above, each time at the end of the last.
                unsafe { out.set_len(len) };
            }
        }
    };
}

reaching!(HasAvx2, "avx2,bmi2,popcnt", avx2, reaches_avx2, append_avx2, LANES);
reaching!(HasAvx512, "avx512f,avx512vl,avx2,bmi2,popcnt", avx512, reaches_avx512, append_avx512, WIDE);
