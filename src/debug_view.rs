//! The debug view of the last step: chunks, cells and objects by level, and lines for a program that draws them.

use std::ops::Range;

use crate::engine::Made;
use crate::layout::Chunk;
use crate::layout::columns::Columns;
use crate::layout::{Borders, Coords, Level, Shape, key_parts};
use crate::{Aabb, BroadPhase, CrossPair, Pair, Pairs, Scalar};

/// The grid of the last step, made by [`BroadPhase::debug_view`]. Read-only, and tied to no renderer: boxes are [`Aabb`]s, lines
/// are two points.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase};
///
/// let boxes: Vec<_> = (0..500).map(|i| Aabb::new([2.0 * i as f32, 0.0], [2.0 * i as f32 + 2.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.par_detect(&boxes);
///
/// let mut draw_line = |_from: [f32; 2], _to: [f32; 2]| ();
/// let view = broad_phase.debug_view();
/// for chunk in view.chunks() {
///     chunk.bounds.edges().for_each(|[from, to]| draw_line(from, to));
/// }
/// view.pair_lines().for_each(|[from, to]| draw_line(from, to));
///
/// assert_eq!(view.objects().count(), 500);
/// assert_eq!(view.cells().map(|cell| cell.objects).sum::<usize>(), 500);
/// assert_eq!(view.pair_lines().count(), 499);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DebugView<'a, S: Scalar, const D: usize> {
    /// Nothing, if there is no complete grid to look at.
    broad_phase: Option<&'a BroadPhase<S, D>>,
}

/// A chunk or a cell that holds at least one object.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DebugBlock<S, const D: usize> {
    /// The level, by its place in [`Stats::levels`](crate::Stats::levels).
    pub level: usize,
    /// Its part of space, which contains the `min` corners of its objects; the objects may reach beyond it. A border may be off by a
    /// rounding error, outwards. The outermost cells, a billion cells from the middle of the scene, have no outer border: they contain all
    /// that lies beyond, and are infinite.
    pub bounds: Aabb<S, D>,
    /// How many objects live in it.
    pub objects: usize,
}

/// An object as the step stored it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DebugObject<S, const D: usize> {
    /// Its place in the user's slice. After a step of [two sets](crate::Request::against), objects of the second set are
    /// numbered on after those of the first.
    pub index: usize,
    /// Its level, by the place in [`Stats::levels`](crate::Stats::levels); none if it is oversized.
    pub level: Option<usize>,
    /// Its box.
    pub bounds: Aabb<S, D>,
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// What the last step built: to draw it, or to find out why a step is slow.
    ///
    /// It is empty before the first step, after one that did not complete because the user's code panicked, and after
    /// [`shrink_to_fit`](Self::shrink_to_fit), until the next step.
    pub fn debug_view(&self) -> DebugView<'_, S, D> {
        DebugView { broad_phase: self.engine.has_grid().then_some(self) }
    }
}

impl<'a, S: Scalar, const D: usize> DebugView<'a, S, D> {
    /// The chunks that hold objects.
    pub fn chunks(&self) -> impl Iterator<Item = DebugBlock<S, D>> + use<'a, S, D> {
        self.stored().map(|stored| stored.block(0..Shape::<D>::CELLS))
    }

    /// The cells that hold objects, chunk by chunk.
    pub fn cells(&self) -> impl Iterator<Item = DebugBlock<S, D>> + use<'a, S, D> {
        let cells = |stored: Stored<'a, S, D>| (0..Shape::<D>::CELLS).map(move |cell| stored.block(cell..cell + 1));
        self.stored().flat_map(cells).filter(|cell| cell.objects > 0)
    }

    /// The objects of the step, in the order of [`cells`](Self::cells): those of the first cell, those of the second, and so on;
    /// those without a level come last. Rejected ones are not among them.
    pub fn objects(&self) -> impl Iterator<Item = DebugObject<S, D>> + use<'a, S, D> {
        let listed =
            self.broad_phase.into_iter().flat_map(|of| of.engine.builder.grid.oversized.clone().map(|entry| (entry, None)));
        let leveled = self.stored().flat_map(|stored| stored.chunk.entries().map(move |entry| (entry, Some(stored.place))));
        let columns = self.columns();
        leveled.chain(listed).filter_map(move |(entry, level)| {
            let columns = columns.as_ref()?;
            Some(DebugObject { index: columns.id(entry) as usize, level, bounds: columns.bounds(entry) })
        })
    }

    /// The pairs of the step, if it stored them, as it returned them. (Pairs with static objects are not among them, and those of two
    /// sets are [`cross_pairs`](Self::cross_pairs).)
    pub fn pairs(&self) -> Pairs<'a> {
        self.broad_phase.map_or(Pairs::new(&[], &[]), |of| of.found())
    }

    /// The pairs of the step, if it was one of [two sets](crate::Request::against), as it returned them.
    pub fn cross_pairs(&self) -> Pairs<'a, CrossPair> {
        self.broad_phase.map_or(Pairs::new(&[], &[]), |of| of.found_between())
    }

    /// A line for each of [`pairs`](Self::pairs) and [`cross_pairs`](Self::cross_pairs), from the center of one box to that of the other.
    /// (The center of an infinite box is NaN.) Looks up all centers first.
    pub fn pair_lines(&self) -> impl Iterator<Item = [[S; D]; 2]> + use<'a, S, D> {
        let mut centers = vec![[S::ZERO; D]; self.broad_phase.map_or(0, |of| of.engine.builder.last_len)];
        for object in self.objects() {
            centers[object.index] = object.bounds.center();
        }
        let second_set_start = match self.broad_phase.and_then(|of| of.engine.made.get()) {
            Some(&Made::PairsBetween { second_set_start }) => second_set_start,
            _ => 0,
        };
        let across = self.cross_pairs().iter().map(|CrossPair { first, second }| (first, second));
        let pairs = self.pairs().iter().map(|Pair { a, b }| (a, b)).chain(across);
        pairs.map(move |(a, b)| [centers[a as usize], centers[second_set_start + b as usize]])
    }

    fn columns(&self) -> Option<Columns<'a, S, D>> {
        self.broad_phase.map(|of| of.engine.builder.table.columns(&of.engine.builder.order))
    }

    /// The chunks that hold objects, as they are stored.
    fn stored(&self) -> impl Iterator<Item = Stored<'a, S, D>> + use<'a, S, D> {
        self.broad_phase.into_iter().flat_map(|of| {
            let grid = &of.engine.builder.grid;
            grid.chunks().iter().filter(|chunk| !chunk.entries().is_empty()).map(|chunk| {
                let (level, coords) = key_parts(chunk.key());
                // The statistics leave out levels without objects.
                let place = grid.objects[..level].iter().filter(|objects| **objects > 0).count();
                Stored { chunk, base: Shape::<D>::base_of(coords), level: &grid.levels[level], place }
            })
        })
    }
}

/// A chunk, where it lies, its level and the level's place in the statistics.
#[derive(Clone, Copy)]
struct Stored<'a, S, const D: usize> {
    chunk: &'a Chunk,
    base: Coords,
    level: &'a Level<S, D>,
    place: usize,
}

impl<S: Scalar, const D: usize> Stored<'_, S, D> {
    /// Some of the chunk's cells, from the low corner of the first to the high corner of the last.
    fn block(&self, cells: Range<usize>) -> DebugBlock<S, D> {
        let (first, last) = (cells.start, cells.end - 1);
        let (low, high) = (self.cell(first), self.cell(last));
        let (borders, at) = (Borders::of(self.level), |axis: usize| self.level.axis_of(axis));
        let bounds = Aabb {
            min: std::array::from_fn(|axis| borders.below(at(axis), low[at(axis)])),
            max: std::array::from_fn(|axis| borders.above(at(axis), high[at(axis)])),
        };
        DebugBlock { level: self.place, bounds, objects: (self.chunk.end(last) - self.chunk.begin(first)) as usize }
    }

    /// The coordinates of a cell of the chunk.
    fn cell(&self, cell: usize) -> Coords {
        let (y, z) = Shape::<D>::row_parts(cell / Shape::<D>::ROW);
        let local = [(cell % Shape::<D>::ROW) as i32, y, z];
        std::array::from_fn(|axis| self.base[axis] + local[axis])
    }
}

impl<S: Scalar, const D: usize> Aabb<S, D> {
    /// The point halfway between the corners.
    pub fn center(&self) -> [S; D] {
        let half = S::from_f64(0.5);
        // Halved first: the sum of two large coordinates may overflow.
        std::array::from_fn(|axis| self.min[axis] * half + self.max[axis] * half)
    }

    /// The lines that outline the box: 4 in two dimensions, 12 in three.
    ///
    /// ```
    /// # use pivotgrid::Aabb;
    /// let lines: Vec<_> = Aabb::new([0.0, 0.0], [2.0, 1.0]).edges().collect();
    /// assert_eq!(lines, [[[0.0, 0.0], [2.0, 0.0]], [[0.0, 1.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [2.0, 1.0]]]);
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = [[S; D]; 2]> + use<S, D> {
        let Aabb { min, max } = *self;
        // A corner by a bit per axis: `max` where it is set.
        let corner = move |bits: usize| std::array::from_fn(|axis| if bits >> axis & 1 == 1 { max[axis] } else { min[axis] });
        (0..D).flat_map(move |axis| {
            let lower = (0..1usize << D).filter(move |bits| bits >> axis & 1 == 0);
            lower.map(move |bits| [corner(bits), corner(bits | 1 << axis)])
        })
    }
}
