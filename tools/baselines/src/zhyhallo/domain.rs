//! The scene, measured in cells.

use rayon::prelude::*;

use crate::Bounds;

/// Most cells per object where the cells are chosen by us: a table of all cells must not outgrow the objects. Cells are enlarged
/// instead.
pub(super) const CELLS_PER_OBJECT: f64 = 4.0;
/// The same for tables that exist only where objects are.
pub(super) const CHUNKED_CELLS_PER_OBJECT: f64 = 16.0;
/// Objects that count at least, so that few objects do not get by with a handful of cells.
const FEWEST_OBJECTS: usize = 256;
/// Cells are larger than the longest edge by this, so that rounding cannot put boxes that touch two cells apart.
const SLACK: f64 = 1e-6;

/// The part of the plane that a table covers. What lies outside belongs to the cells at the border: slow if it is much, never
/// wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    origin: [f64; 2],
    cells_per_unit: f64,
    last_cell: [u32; 2],
}

impl Domain {
    /// A square of `cells_per_side` by `cells_per_side` cells of the given size, as the paper's experiments have.
    pub fn square(origin: [f32; 2], cell_size: f32, cells_per_side: u32) -> Self {
        Domain {
            origin: origin.map(f64::from),
            cells_per_unit: 1.0 / f64::from(cell_size),
            last_cell: [cells_per_side.max(1) - 1; 2],
        }
    }

    /// Cells as large as the longest edge around all boxes, or larger ones if there are too many.
    fn around(extent: &Extent, cells_per_object: f64) -> Self {
        let most_cells = cells_per_object * extent.count.max(FEWEST_OBJECTS) as f64;
        let lengths = [0, 1].map(|axis| (extent.max[axis] - extent.min[axis]).max(0.0));
        // From this on, the loop has little to do.
        let mut size = (extent.longest_finite * (1.0 + 4.0 * SLACK)).max(0.9 * (lengths[0] * lengths[1] / most_cells).sqrt());
        size = size.max(0.9 * (lengths[0] + lengths[1]) / most_cells);
        if size == 0.0 {
            size = 1.0;
        }
        loop {
            let counts = lengths.map(|length| (length / size).floor() + 1.0);
            if counts[0] * counts[1] <= most_cells {
                return Domain {
                    origin: extent.min,
                    cells_per_unit: 1.0 / size,
                    last_cell: counts.map(|count| count as u32 - 1),
                };
            }
            size *= 1.05;
        }
    }

    /// How many cells there are along each axis.
    pub(super) fn cells(&self) -> [usize; 2] {
        self.last_cell.map(|last| last as usize + 1)
    }

    /// The cell of a point. Monotone on each axis, also where it rounds.
    #[inline]
    pub(super) fn cell(&self, point: [f32; 2]) -> [u32; 2] {
        // The conversion saturates.
        [0, 1].map(|axis| (((f64::from(point[axis]) - self.origin[axis]) * self.cells_per_unit) as u32).min(self.last_cell[axis]))
    }

    /// How many cells further than its `min` corner's a box of this extent can reach.
    fn reach(&self, extent: &Extent) -> u32 {
        ((extent.longest * self.cells_per_unit * (1.0 + SLACK)) as u32).saturating_add(1)
    }
}

/// A domain and what the boxes of a step look like in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) domain: Domain,
    pub(super) reach: u32,
}

impl Layout {
    /// The given domain, or one that suits the boxes.
    pub(super) fn of(given: Option<Domain>, extent: &Extent, cells_per_object: f64) -> Self {
        let domain = given.unwrap_or_else(|| Domain::around(extent, cells_per_object));
        Layout { domain, reach: domain.reach(extent) }
    }
}

/// Where the `min` corners are, and the longest edge. Infinite edges make no cells larger, but reach every cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    min: [f64; 2],
    max: [f64; 2],
    longest: f64,
    longest_finite: f64,
    count: usize,
}

impl Extent {
    const EMPTY: Self =
        Extent { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2], longest: 0.0, longest_finite: 0.0, count: 0 };

    pub(super) fn of(boxes: &[Bounds<2>]) -> Self {
        let mut extent = Extent { count: boxes.len(), ..Self::EMPTY };
        for bounds in boxes {
            for axis in 0..2 {
                let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
                if min.is_finite() {
                    extent.min[axis] = if min < extent.min[axis] { min } else { extent.min[axis] };
                    extent.max[axis] = if min > extent.max[axis] { min } else { extent.max[axis] };
                }
                let edge = max - min;
                extent.longest = if edge > extent.longest { edge } else { extent.longest };
                let is_longest = edge > extent.longest_finite && edge.is_finite();
                extent.longest_finite = if is_longest { edge } else { extent.longest_finite };
            }
        }
        extent
    }

    /// The same on the threads of the current pool.
    pub(super) fn par_of(boxes: &[Bounds<2>]) -> Self {
        let merge = |a: Self, b: Self| Extent {
            min: [0, 1].map(|axis| a.min[axis].min(b.min[axis])),
            max: [0, 1].map(|axis| a.max[axis].max(b.max[axis])),
            longest: a.longest.max(b.longest),
            longest_finite: a.longest_finite.max(b.longest_finite),
            count: a.count + b.count,
        };
        boxes.par_chunks(16 * 1024).map(Self::of).reduce(|| Self::EMPTY, merge)
    }
}
