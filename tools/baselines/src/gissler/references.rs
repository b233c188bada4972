//! Writing references in parallel: count, then write, as in section 3.2.

use rayon::prelude::*;

use crate::cells::Block;

/// Objects or references per task.
pub(super) const TASK: usize = 8 * 1024;

/// Cuts a slice into pieces of the given lengths.
pub(super) fn cut<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let piece = |length| slice.split_off_mut(..length).expect("the lengths sum up to the slice's");
    lengths.into_iter().map(piece).collect()
}

/// Appends a reference for every cell of every object that `wanted` accepts, in the order of the objects.
pub(super) fn append<const D: usize, T: Copy + Default + Send>(
    references: &mut Vec<T>,
    footprints: &[Block<D>],
    wanted: impl Fn(u32, [i32; D]) -> bool + Sync,
    reference: impl Fn(u32, [i32; D]) -> T + Sync,
) {
    let visit = |task: usize, part: &[Block<D>], visit: &mut dyn FnMut(u32, [i32; D])| {
        for (k, footprint) in part.iter().enumerate() {
            let object = (task * TASK + k) as u32;
            footprint.for_each(|cell| {
                if wanted(object, cell) {
                    visit(object, cell);
                }
            });
        }
    };
    let count = |(task, part): (usize, &[Block<D>])| {
        let mut count = 0;
        visit(task, part, &mut |_, _| count += 1);
        count
    };
    let counts: Vec<usize> = footprints.par_chunks(TASK).enumerate().map(count).collect();

    let kept = references.len();
    references.resize(kept + counts.iter().sum::<usize>(), T::default());
    let pieces = cut(&mut references[kept..], counts);
    pieces.into_par_iter().zip(footprints.par_chunks(TASK)).enumerate().for_each(|(task, (piece, part))| {
        let mut places = piece.iter_mut();
        visit(task, part, &mut |object, cell| {
            *places.next().expect("as many places as were counted") = reference(object, cell);
        });
    });
}
