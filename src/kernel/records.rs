//! Records to columns: boxes of staged blocks, in any order, become consecutive entries of the table.

#![allow(unsafe_code)]

use super::isa::{Isa, Lanes, READABLE, WIDTH};
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::{Aabb, Scalar};

/// Staged boxes, named by where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Records<'a, S, const D: usize> {
    blocks: &'a [StagedBlock<S, D>],
    /// The largest name from which a register can be read.
    last: u32,
}

/// Names count bytes in units of this.
const UNIT: usize = 8;

impl<'a, S: Scalar, const D: usize> Records<'a, S, D> {
    /// The difference between the names of consecutive boxes of a block.
    pub(crate) const STEP: u32 = (size_of::<Aabb<S, D>>() / UNIT) as u32;
    const BLOCK_STEP: u32 = (size_of::<StagedBlock<S, D>>() / UNIT) as u32;
    const IS_NAMED: () = assert!(
        size_of::<Aabb<S, D>>().is_multiple_of(UNIT)
            && size_of::<StagedBlock<S, D>>().is_multiple_of(UNIT)
            && align_of::<S>() <= UNIT
            && 2 * D <= READABLE
            // A register from the last box on ends within the block.
            && READABLE * size_of::<S>() <= size_of::<Aabb<S, D>>() + (size_of::<StagedBlock<S, D>>() - BLOCK * size_of::<Aabb<S, D>>())
    );

    /// Nothing if there are more boxes than names of 31 bits.
    pub(crate) fn new(blocks: &'a [StagedBlock<S, D>]) -> Option<Self> {
        let () = Self::IS_NAMED;
        let last = size_of_val(blocks).checked_sub(READABLE * size_of::<S>())? / UNIT;
        i32::try_from(last).is_ok().then_some(Records { blocks, last: last as u32 })
    }

    /// The name of a box: its block's number, and its place there.
    #[inline(always)]
    pub(crate) fn name(block: usize, at: usize) -> u32 {
        block as u32 * Self::BLOCK_STEP + at as u32 * Self::STEP
    }

    #[inline(always)]
    fn pointer(&self, name: u32) -> *const S {
        self.blocks.as_ptr().cast::<u8>().wrapping_add(name as usize * UNIT).cast()
    }

    /// Copies the named boxes to columns of the same length.
    #[inline(always)]
    pub(crate) fn copy_to_columns<I: Isa>(self, isa: I, names: &[u32], min: &mut [&mut [S]; D], max: &mut [&mut [S]; D]) {
        for axis in 0..D {
            assert!(min[axis].len() == names.len() && max[axis].len() == names.len());
        }
        let (sixteens, rest) = names.as_chunks::<WIDTH>();
        let (zero, last) = (isa.splat(0), isa.splat(self.last as i32));
        for (group, names) in sixteens.iter().enumerate() {
            let words = isa.words(names);
            assert!(isa.gt(words, last) | isa.gt(zero, words) == 0);
            let mut records = [std::ptr::null(); WIDTH];
            for (record, name) in records.iter_mut().zip(names) {
                *record = self.pointer(*name);
            }
            let (mut low, mut high) = ([std::ptr::null_mut(); D], [std::ptr::null_mut(); D]);
            for axis in 0..D {
                low[axis] = min[axis].as_mut_ptr().wrapping_add(group * WIDTH);
                high[axis] = max[axis].as_mut_ptr().wrapping_add(group * WIDTH);
            }
            // SAFETY: each name is at most `last`, so `READABLE` values lie within the blocks, which consist of initialized numbers
            // without padding (`StagedBlock::IS_FULL`), and the pointer is aligned: names count units that `S` divides. There
            // are at least sixteen values in each column from the group's first on: as many as names.
            unsafe { S::In::<I>::copy_to_columns(isa, &records, low, high) };
        }
        let first = sixteens.len() * WIDTH;
        for (at, name) in (first..).zip(rest) {
            assert!(*name <= self.last);
            // SAFETY: as above; a box is `2 * D` numbers, at most `READABLE`.
            let bounds: Aabb<S, D> = unsafe { self.pointer(*name).cast::<Aabb<S, D>>().read() };
            for axis in 0..D {
                (min[axis][at], max[axis][at]) = (bounds.min[axis], bounds.max[axis]);
            }
        }
    }
}

/// The `min` corners of sixteen boxes, by axis.
#[inline(always)]
pub(crate) fn corners<I: Isa, S: Scalar, const D: usize>(isa: I, boxes: &[Aabb<S, D>; WIDTH]) -> [S::In<I>; D] {
    let first = boxes.as_ptr().cast::<S>();
    // SAFETY: sixteen records of `2 * D` numbers, of which 0 and `axis` are below that: boxes have no padding (`Aabb` is `Pod`).
    unsafe {
        let mut corners = [S::In::<I>::column(isa, first, 2 * D, 0); D];
        for axis in 1..D {
            corners[axis] = S::In::<I>::column(isa, first, 2 * D, axis);
        }
        corners
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{IsaWork, Kernel};
    use crate::layout::staged::tests::stage;

    struct CopyRecords<'a, S, const D: usize> {
        records: Records<'a, S, D>,
        names: &'a [u32],
        min: [Vec<S>; D],
        max: [Vec<S>; D],
    }

    impl<S: Scalar, const D: usize> IsaWork for CopyRecords<'_, S, D> {
        type Outcome = ([Vec<S>; D], [Vec<S>; D]);

        #[inline(always)]
        fn run<I: Isa>(mut self, isa: I) -> Self::Outcome {
            let (mut min, mut max) = (self.min.each_mut().map(Vec::as_mut_slice), self.max.each_mut().map(Vec::as_mut_slice));
            self.records.copy_to_columns(isa, self.names, &mut min, &mut max);
            (self.min, self.max)
        }
    }

    fn check<S: Scalar, const D: usize>() {
        let number = |i: usize| S::from_f64(i as f64);
        let boxes: Vec<Aabb<S, D>> = (0..2 * BLOCK)
            .map(|i| Aabb {
                min: std::array::from_fn(|axis| number(8 * i + axis)),
                max: std::array::from_fn(|axis| number(8 * i + 4 + axis)),
            })
            .collect();
        let blocks = stage(&boxes);
        let records = Records::new(&blocks).expect("few blocks");
        // Any order, the last box of each block included, and some more than whole groups.
        let order: Vec<usize> = (0..2 * BLOCK - 5).map(|i| (i * 37 + 2 * BLOCK - 1) % (2 * BLOCK)).collect();
        let names: Vec<u32> = order.iter().map(|i| Records::<S, D>::name(i / BLOCK, i % BLOCK)).collect();
        for kernel in Kernel::all() {
            let columns = || std::array::from_fn(|_| vec![S::ZERO; names.len()]);
            let (min, max) = kernel.dispatch(CopyRecords { records, names: &names, min: columns(), max: columns() });
            for (at, &i) in order.iter().enumerate() {
                assert_eq!(min.each_ref().map(|column| column[at]), boxes[i].min, "{kernel:?}");
                assert_eq!(max.each_ref().map(|column| column[at]), boxes[i].max, "{kernel:?}");
            }
        }
    }

    #[test]
    fn all_instruction_sets_copy_alike() {
        check::<f32, 2>();
        check::<f32, 3>();
        check::<f64, 2>();
        check::<f64, 3>();
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_name_beyond_the_blocks_is_refused() {
        let blocks = stage(&[Aabb::<f32, 2>::new([0.0; 2], [1.0; 2])]);
        let records = Records::new(&blocks).expect("one block");
        let columns = || std::array::from_fn(|_| vec![0.0; 16]);
        Kernel::Portable.dispatch(CopyRecords { records, names: &[u32::MAX; 16], min: columns(), max: columns() });
    }
}
