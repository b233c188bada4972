//! Groups of objects that may get a level of their own, and the predicted cost of that level.

use super::cells::{Cells, Limits};
use super::density::Density;
use super::survey::SizeClass;
use crate::layout::axis_of;
use crate::runtime::memory;
use crate::{Costs, Predicted};

pub(super) const LANES: f64 = crate::isa::eight::LANES as f64;

/// A level ignores an axis along which the mean edge of its objects is at least this part of the extent of their corners. (The
/// largest edge instead would make many ignore an axis for the sake of one.)
const LONG: f64 = 0.4;
/// So it does if two objects are this likely to overlap along it: lengths over many decades around one point have a small mean.
const LIKELY: f64 = 0.6;

/// Objects of a class, and how densely they lie.
#[derive(Clone, Debug)]
pub(crate) struct Crowd<const D: usize> {
    pub(crate) class: SizeClass,
    /// In units of its own.
    density: Density<D>,
    /// A unit of length for each axis: the mean edge, where these differ much; otherwise 1.
    pub(crate) unit: [f64; 3],
    /// Axes along which cutting them would not separate them.
    pub(crate) ignored: [bool; 3],
}

impl<const D: usize> Crowd<D> {
    /// Objects of a class, of which some `min` corners are known, and how likely two of them overlap along each axis.
    pub(crate) fn new(class: SizeClass, points: &[[f64; 3]], overlap: [f64; 3]) -> Self {
        let (low, mut extent) = class.extent();
        let mean = class.mean();
        let ignored: [bool; 3] = std::array::from_fn(|axis| {
            let is_long = mean[axis] >= extent[axis] * LONG || overlap[axis] >= LIKELY;
            axis < D && (class.is_endless(axis) || class.max[axis] > 0.0 && is_long)
        });
        (0..D).filter(|&axis| ignored[axis]).for_each(|axis| extent[axis] = 0.0);
        let unit = units::<D>(mean, ignored);
        let density = density_of(points, low, extent, unit);
        Crowd { class, density, unit, ignored }
    }

    /// Low corner and edges of the box that nearly all of them lie in.
    pub(crate) fn low(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.density.low[axis] * self.unit[axis])
    }

    pub(crate) fn extent(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.density.extent[axis] * self.unit[axis])
    }

    /// A part of them: this many, of which some corners are known.
    pub(crate) fn part(&self, objects: usize, points: &[[f64; 3]]) -> Self {
        let density = density_of(points, self.low(), self.extent(), self.unit);
        Crowd { class: self.class.with_objects(objects), density, ..*self }
    }

    /// What a level with these cells costs, without others.
    pub(crate) fn predict(&self, cells: &Cells, costs: &Costs) -> Predicted {
        let (runs, chunks) = (self.runs(cells, costs), self.chunks(cells) * costs.chunk);
        Predicted { runs, chunks, within: self.within(cells, costs), ..Predicted::default() }
    }

    /// How many chunks they occupy.
    pub(crate) fn chunks(&self, cells: &Cells) -> f64 {
        let edges = std::array::from_fn(|axis| cells.chunk::<D>(axis));
        self.density.occupied(self.class.objects as f64, divided(edges, self.unit))
    }

    /// How many of them one of them finds in a box of these edges around it.
    pub(crate) fn expected(&self, edges: [f64; 3]) -> f64 {
        self.density.expected(self.class.objects as f64, divided(edges, self.unit))
    }

    fn compare(&self, edges: [f64; 3], costs: &Costs) -> f64 {
        costs.row + costs.compare * (0.5 + self.expected(edges) / LANES)
    }

    /// Half-neighborhood within the level.
    fn within(&self, cells: &Cells, costs: &Costs) -> f64 {
        let (size, mean, extent) = (cells.size, self.class.mean(), self.extent());
        // Nothing crosses a border of cells as thick as the scene.
        let crosses = |axis: usize| {
            let is_cut = !cells.ignored[axis] && extent[axis] > size[axis];
            if is_cut { (mean[axis] / size[axis]).min(1.0) } else { 0.0 }
        };
        let row = cells.row;
        let other_row = self.compare(along_row(cells, mean[row] + self.class.max[row] + size[row]), costs);
        let (y, z) = (crosses(axis_of(row, 1)), crosses(axis_of(row, 2)));
        let others = y + z * (2.0 + y);
        self.in_own_rows(cells, costs) + self.class.objects as f64 * others * other_row
    }

    /// The part of it that is in the objects' own rows.
    pub(crate) fn in_own_rows(&self, cells: &Cells, costs: &Costs) -> f64 {
        let edge = self.class.mean()[cells.row] + cells.size[cells.row] / 2.0;
        self.class.objects as f64 * self.compare(along_row(cells, edge), costs)
    }

    /// Counting in and placing: the fewer objects share a cell, the more runs they make.
    fn runs(&self, cells: &Cells, costs: &Costs) -> f64 {
        self.class.objects as f64 * costs.run / (1.0 + self.expected(cells.size))
    }
}

/// A piece of a row of this length.
fn along_row(cells: &Cells, edge: f64) -> [f64; 3] {
    std::array::from_fn(|axis| if axis == cells.row { edge } else { cells.size[axis] })
}

/// The unit of each axis for objects of these mean edges.
fn units<const D: usize>(mean: [f64; 3], ignored: [bool; 3]) -> [f64; 3] {
    // Up to here one unit is as good, and better for rods that cross.
    const ALIKE: f64 = 1024.0;
    let counts = |axis: &usize| !ignored[*axis] && mean[*axis] > 0.0;
    let (least, most) =
        (0..D).filter(counts).fold((f64::INFINITY, 0.0f64), |(least, most), axis| (least.min(mean[axis]), most.max(mean[axis])));
    if most <= least * ALIKE {
        return [1.0; 3];
    }
    std::array::from_fn(|axis| if axis < D && counts(&axis) { mean[axis] } else { least })
}

fn divided(edges: [f64; 3], unit: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| edges[axis] / unit[axis])
}

/// The density of points in the box of this low corner and these edges, in units of its own.
fn density_of<const D: usize>(points: &[[f64; 3]], low: [f64; 3], extent: [f64; 3], unit: [f64; 3]) -> Density<D> {
    if unit == [1.0; 3] {
        return Density::of(points, low, extent);
    }
    let points = memory::collect(points.iter().map(|point| divided(*point, unit)));
    Density::of(&points, divided(low, unit), divided(extent, unit))
}

/// Objects with the cells of a level of their own.
#[derive(Clone, Debug)]
pub(crate) struct Group<const D: usize> {
    pub(crate) crowd: Crowd<D>,
    pub(crate) cells: Cells,
    /// What the level costs, without others.
    pub(crate) own: Predicted,
    pub(crate) chunks: f64,
}

impl<const D: usize> Group<D> {
    /// Chooses the cells; with `forced` edges there is nothing to choose.
    pub(crate) fn new(crowd: Crowd<D>, forced: Option<[f64; 3]>, costs: &Costs, limits: Limits) -> Self {
        let cells = crowd.best_cells(forced, costs, limits);
        let (own, chunks) = (crowd.predict(&cells, costs), crowd.chunks(&cells));
        Group { crowd, cells, own, chunks }
    }

    pub(crate) fn objects(&self) -> f64 {
        self.crowd.class.objects as f64
    }
}
