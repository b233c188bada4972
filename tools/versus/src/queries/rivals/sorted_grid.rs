//! Ours: points sorted by the cell of a uniform grid whose cells are as large as the radius. All neighbors of a point are in the
//! nine rows of three cells around it, which only ever move forward.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use wide::f32x8;

use crate::Bounds;
use crate::house::{Order, sorted_by_cell};
use crate::queries::answers::{Answers, Block, Lists, Summary};
use crate::queries::respondent::Respondent;
use crate::queries::task::{QuerySet, Task};

/// Points compared at once.
const LANES: usize = 8;
/// Points per parallel task while loading.
const TASK: usize = 8 * 1024;

/// Points in the order of the cells.
#[derive(Debug, Default)]
pub(super) struct Places {
    order: Order,
    strides: [u64; 3],
}

impl Places {
    /// Sorts points, given as boxes without extent, by cells of at least this size.
    pub(super) fn sort(&mut self, points: &[Bounds<3>], cell: f32) {
        self.strides = sorted_by_cell(points, cell, &mut self.order);
    }

    pub(super) fn order(&self) -> &Order {
        &self.order
    }
}

#[derive(Debug, Default)]
pub(in crate::queries) struct SortedGrid {
    places: Places,
    /// The coordinates in that order, behind them some that are near nothing.
    columns: [Vec<f32>; 3],
    ids: Vec<u32>,
    answers: Answers,
    lists: Lists,
}

impl Respondent for SortedGrid {
    fn build(&mut self, task: &Task) {
        let QuerySet::Neighbors(radius) = task.queries else { unreachable!("a query of other rivals") };
        self.places.sort(&task.objects, radius);
        let (n, order) = (task.points.len(), &self.places.order);
        for column in &mut self.columns {
            column.resize(n + LANES, 0.0);
            column[n..].fill(f32::INFINITY);
        }
        self.ids.resize(n, 0);
        let [x, y, z] = self.columns.each_mut().map(|column| column[..n].par_chunks_mut(TASK));
        let parts = x.zip(y).zip(z).zip(self.ids.par_chunks_mut(TASK)).enumerate();
        parts.for_each(|(part, (((x, y), z), ids))| {
            for (k, id) in ids.iter_mut().enumerate() {
                *id = order.index(part * TASK + k);
                [x[k], y[k], z[k]] = task.points[*id as usize];
            }
        });
    }

    fn answer(&mut self, task: &Task) {
        let QuerySet::Neighbors(radius) = task.queries else { unreachable!("a query of other rivals") };
        let SortedGrid { places, columns, ids, answers, lists } = self;
        let arch = Arch::new();
        let search = |range: Range<usize>, block: &mut Block| {
            arch.dispatch(Search { places, columns, ids, limit: radius * radius, range, block });
        };
        answers.fill_lists(task.points.len(), search, lists);
    }

    fn summary(&self) -> Summary {
        self.lists.summary()
    }
}

struct Search<'a> {
    places: &'a Places,
    columns: &'a [Vec<f32>; 3],
    ids: &'a [u32],
    limit: f32,
    range: Range<usize>,
    block: &'a mut Block,
}

/// What is inlined here is compiled once more for AVX2, and that is what runs where there is one.
impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Search { places: Places { order, strides }, columns, ids, limit, range, block } = self;
        // The first place whose key is at least `target`, at or after `from`.
        let forward = |mut from: usize, target: u64| {
            while from < order.len() && order.key(from) < target {
                from += 1;
            }
            from
        };
        let [_, y, z] = *strides;
        let middles =
            |cell: u64| [cell - z - y, cell - z, cell - z + y, cell - y, cell, cell + y, cell + z - y, cell + z, cell + z + y];
        let first = order.key(range.start);
        let mut windows = middles(first).map(|middle| (order.place(middle - 1), order.place(middle + 2)));
        let mut k = range.start;
        while k < range.end {
            let cell = order.key(k);
            for (window, middle) in windows.iter_mut().zip(middles(cell)) {
                *window = (forward(window.0, middle - 1), forward(window.1, middle + 2));
            }
            while k < range.end && order.key(k) == cell {
                let own = columns.each_ref().map(|column| f32x8::splat(column[k]));
                block.add_row(ids[k] as usize, |found| {
                    for &(from, to) in &windows {
                        let mut at = from;
                        while at < to {
                            let mut near = near(columns, &own, limit, at);
                            if to - at < LANES {
                                near &= (1 << (to - at)) - 1;
                            }
                            if k.wrapping_sub(at) < LANES {
                                near &= !(1 << (k - at));
                            }
                            while near != 0 {
                                found.push(ids[at + near.trailing_zeros() as usize]);
                                near &= near - 1;
                            }
                            at += LANES;
                        }
                    }
                });
                k += 1;
            }
        }
    }
}

/// One bit per point from `at` on that is near enough.
#[inline(always)]
fn near(columns: &[Vec<f32>; 3], own: &[f32x8; 3], limit: f32, at: usize) -> u32 {
    let square = |axis: usize| {
        let along = f32x8::new(*columns[axis][at..].first_chunk().expect("the padding is as long")) - own[axis];
        along * along
    };
    (square(0) + square(1) + square(2)).simd_le(f32x8::splat(limit)).to_bitmask()
}
