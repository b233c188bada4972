//! A sheared cell in units, and the images of a point that are near another.

use crate::bytes::Bytes;
use crate::whole::UNIT;

/// Vector `v` goes along axis `along[v]` and is sheared along those of the vectors before it, so the number of periods along the last
/// vector is known from one axis, then that along the one before it, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<const D: usize> {
    vectors: [[i64; D]; D],
    along: [usize; D],
    pub(super) periodic: [bool; D],
}

impl<const D: usize> Cell<D> {
    pub(super) fn new(bytes: &mut Bytes<'_>) -> Self {
        let kind = bytes.byte();
        let along: [usize; D] = std::array::from_fn(|vector| if kind & 1 == 0 { vector } else { D - 1 - vector });
        let mut vectors = [[0; D]; D];
        for vector in 0..D {
            let length = 8 + bytes.below(64) as i64;
            vectors[vector][along[vector]] = if kind >> 4 & 3 == 3 { -length } else { length };
            for before in 0..vector {
                vectors[vector][along[before]] = i64::from(bytes.byte() as i8) % (length + 1);
            }
        }
        // A quarter of all has no periods at all.
        let periodic = std::array::from_fn(|vector| kind & 0xc0 != 0 && kind >> (1 + vector) & 1 == 0);
        Cell { vectors, along, periodic }
    }

    pub(super) fn is_periodic(&self) -> bool {
        self.periodic.contains(&true)
    }

    pub(super) fn vectors(&self) -> [[f64; D]; D] {
        self.vectors.map(|vector| vector.map(|x| x as f64 * UNIT))
    }

    /// No longer than about a period.
    pub(super) fn length(&self, bytes: &mut Bytes<'_>) -> i64 {
        let shortest = (0..D).map(|vector| self.vectors[vector][self.along[vector]].abs()).min().unwrap_or(1);
        i64::from(bytes.byte()) % (5 * shortest / 4)
    }

    pub(super) fn place(&self, bytes: &mut Bytes<'_>) -> [i64; D] {
        let away = bytes.byte();
        let shift = std::array::from_fn(|vector| match away >> (2 * vector) & 3 {
            3 if self.periodic[vector] => bytes.below(7) as i32 - 3,
            _ => 0,
        });
        let moved = self.moved(shift);
        std::array::from_fn(|axis| moved[axis] + i64::from(bytes.byte()) / 2)
    }

    pub(super) fn moved(&self, shift: [i32; D]) -> [i64; D] {
        std::array::from_fn(|axis| (0..D).map(|vector| i64::from(shift[vector]) * self.vectors[vector][axis]).sum())
    }

    /// From the first point to the second one, moved.
    pub(super) fn vector(&self, from: &[i64; D], to: &[i64; D], shift: [i32; D]) -> [i64; D] {
        let moved = self.moved(shift);
        std::array::from_fn(|axis| to[axis] + moved[axis] - from[axis])
    }

    /// All shifts with which the second point comes as near to the first as `reach` along every axis that repeats itself.
    pub(super) fn shifts(&self, from: &[i64; D], to: &[i64; D], reach: i64) -> Vec<[i32; D]> {
        let mut shifts = vec![[0; D]];
        for vector in (0..D).rev().filter(|&vector| self.periodic[vector]) {
            let axis = self.along[vector];
            let length = self.vectors[vector][axis];
            let around = |shift: [i32; D]| {
                // Times a number of periods this must be from `gap - reach` to `gap + reach`.
                let gap = (from[axis] - to[axis] - self.moved(shift)[axis]) * length.signum();
                let first = -(reach - gap).div_euclid(length.abs());
                let last = (gap + reach).div_euclid(length.abs());
                (first..=last).map(move |by| {
                    let mut with = shift;
                    with[vector] = by as i32;
                    with
                })
            };
            shifts = shifts.iter().flat_map(|&shift| around(shift)).collect();
        }
        shifts
    }
}
