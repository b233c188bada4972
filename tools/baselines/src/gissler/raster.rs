//! The uniform grid of section 3.1, and how large its cells are.

use rayon::prelude::*;

use crate::Bounds;
use crate::cells::Block;

/// How large the cells are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellSize {
    /// Section 4: the average edge of all boxes, or the longest one where edges differ little.
    Edges,
    /// A given size.
    Fixed(f32),
}

/// Edges "differ little" when the longest one is no longer than this many average ones.
const REGULAR: f64 = 1.5;
/// The paper says nothing about objects that cover very many cells. Here cells grow until objects have at most `2 << D`
/// references on average, twice as many as equal cubes have in cells of their own size. So memory is bounded by the number of
/// objects.
const REFERENCES_PER_OBJECT: u64 = 2;
/// Most cells per axis: keys of the hash tables have this many bits for each.
pub(super) const AXIS_BITS: u32 = 21;
/// The raster of the last step is used again while the boxes' extent is within this many cells of its own...
const STRAY_CELLS: f64 = 2.0;
/// ...and the number of objects and the wanted cell size have changed by no more than this factor.
const STRAY_FACTOR: f64 = 1.2;

/// A rectangular part of space, cut into cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raster<const D: usize> {
    origin: [f64; D],
    cells_per_unit: f64,
    last_cell: [i32; D],
}

impl<const D: usize> Raster<D> {
    /// Covers the extent with cells of at least `size`: larger if there would be more than `most_cells`.
    fn new(extent: &Extent<D>, size: f64, most_cells: f64) -> Self {
        let most_per_axis = f64::from(1_u32 << AXIS_BITS);
        let lengths: [f64; D] = std::array::from_fn(|axis| (extent.max[axis] - extent.min[axis]).max(0.0));
        let mut size = size.max(lengths.iter().fold(0.0_f64, |a, b| a.max(*b)) / (most_per_axis - 1.0));
        loop {
            let counts = lengths.map(|length| if size > 0.0 { (length / size).floor() + 1.0 } else { 1.0 });
            if counts.iter().product::<f64>() <= most_cells {
                return Raster {
                    origin: extent.min,
                    cells_per_unit: if size > 0.0 { 1.0 / size } else { 0.0 },
                    last_cell: counts.map(|count| count as i32 - 1),
                };
            }
            size *= 1.1;
        }
    }

    /// How many cells there are along each axis.
    pub(super) fn cells(&self) -> [usize; D] {
        self.last_cell.map(|last| last as usize + 1)
    }

    /// Monotone, also where it rounds; what lies outside belongs to the border's cells.
    #[inline]
    fn cell(&self, axis: usize, x: f32) -> i32 {
        // The conversion saturates.
        (((f64::from(x) - self.origin[axis]) * self.cells_per_unit) as i32).clamp(0, self.last_cell[axis])
    }

    /// The cells that a box overlaps.
    #[inline]
    pub(super) fn footprint(&self, bounds: &Bounds<D>) -> Block<D> {
        Block {
            min: std::array::from_fn(|axis| self.cell(axis, bounds.min[axis])),
            max: std::array::from_fn(|axis| self.cell(axis, bounds.max[axis])),
        }
    }
}

/// Where the boxes are and how long their edges: what the choice of cells depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent<const D: usize> {
    min: [f64; D],
    max: [f64; D],
    longest: f64,
    edges: f64,
    count: usize,
}

impl<const D: usize> Extent<D> {
    const EMPTY: Self = Extent { min: [f64::INFINITY; D], max: [f64::NEG_INFINITY; D], longest: 0.0, edges: 0.0, count: 0 };

    /// Infinite bounds are left out.
    pub(super) fn of(boxes: &[Bounds<D>]) -> Self {
        let mut extent = Extent { count: boxes.len(), ..Self::EMPTY };
        for bounds in boxes {
            for axis in 0..D {
                let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
                if (max - min).is_finite() {
                    extent.min[axis] = if min < extent.min[axis] { min } else { extent.min[axis] };
                    extent.max[axis] = if max > extent.max[axis] { max } else { extent.max[axis] };
                    extent.longest = if max - min > extent.longest { max - min } else { extent.longest };
                    extent.edges += max - min;
                }
            }
        }
        extent
    }

    /// The same on the threads of the current pool.
    pub(super) fn par_of(boxes: &[Bounds<D>]) -> Self {
        boxes.par_chunks(16 * 1024).map(Self::of).reduce(|| Self::EMPTY, Self::merge)
    }

    fn merge(self, other: Self) -> Self {
        Extent {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
            longest: self.longest.max(other.longest),
            edges: self.edges + other.edges,
            count: self.count + other.count,
        }
    }
}

/// The raster of the last step with what it was made for.
#[derive(Clone, Copy, Debug)]
struct Made<const D: usize> {
    raster: Raster<D>,
    size: f64,
    extent: Extent<D>,
}

/// Chooses the raster, and keeps it as long as it fits: where it stays, so do most objects' cells, and what was sorted last step
/// is almost sorted again.
#[derive(Clone, Debug)]
pub(super) struct Rasters<const D: usize> {
    size: CellSize,
    made: Option<Made<D>>,
}

impl<const D: usize> Rasters<D> {
    pub(super) fn new(size: CellSize) -> Self {
        Rasters { size, made: None }
    }

    /// The raster for boxes of this extent, and whether it is the last step's. `place` puts the boxes into the cells of a raster
    /// and says how many references that takes; the last call was with the raster returned.
    pub(super) fn choose(
        &mut self,
        extent: Extent<D>,
        most_cells: f64,
        mut place: impl FnMut(&Raster<D>) -> u64,
    ) -> (Raster<D>, bool) {
        let most_references = (REFERENCES_PER_OBJECT << D) * extent.count as u64;
        let size = self.wanted(&extent);
        if let Some(made) = self.made.filter(|made| made.fits(size, &extent))
            && place(&made.raster) <= most_references
        {
            return (made.raster, true);
        }
        let mut grown = size;
        loop {
            let raster = Raster::new(&extent, grown, most_cells);
            let references = place(&raster);
            if references <= most_references {
                self.made = Some(Made { raster, size, extent });
                return (raster, false);
            }
            let excess = references as f64 / most_references as f64;
            grown = raster.cells_per_unit.recip() * excess.powf(1.0 / D as f64).max(1.1);
        }
    }

    fn wanted(&self, extent: &Extent<D>) -> f64 {
        match self.size {
            CellSize::Fixed(size) => f64::from(size),
            CellSize::Edges => {
                let average = extent.edges / (extent.count * D).max(1) as f64;
                if extent.longest <= REGULAR * average { extent.longest } else { average }
            }
        }
    }
}

impl<const D: usize> Made<D> {
    fn fits(&self, size: f64, extent: &Extent<D>) -> bool {
        let near = |a: f64, b: f64| a <= b * STRAY_FACTOR && b <= a * STRAY_FACTOR;
        let reach = STRAY_CELLS / self.raster.cells_per_unit;
        near(size, self.size)
            && near(extent.count as f64, self.extent.count as f64)
            && (0..D).all(|axis| {
                (extent.min[axis] - self.extent.min[axis]).abs() <= reach
                    && (extent.max[axis] - self.extent.max[axis]).abs() <= reach
            })
    }
}
