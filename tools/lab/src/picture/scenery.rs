//! The scene in its frame.

use std::collections::HashMap;

use pivotgrid::{DebugView, Scalar};

use super::part::Part;
use super::shown::Shown;
use super::{EDGE, FRAME, palette};
use crate::draw::{Style, Svg};

/// With more cells than this in the window, their outlines would hide what is in them.
const MOST_CELLS: usize = 3000;
/// Boxes are cut off this far outside of the frame.
const BEYOND: f64 = 20.0;
/// No box is drawn smaller than this.
const SMALLEST: f64 = 3.0;
/// Smaller ones are filled, because an outline would hide their color.
const DOT: f64 = 7.0;
/// Chunks are drawn a little smaller, so that the outlines of neighbors are two.
const INSET: f64 = 1.5;
/// The radius of the dots at the ends of a pair's line.
pub(crate) const PAIR_END: f64 = 1.6;

/// What is in the frame.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) objects: usize,
    pub(crate) pairs: usize,
    pub(crate) by_level: HashMap<Option<usize>, usize>,
    /// Whether cells are outlined.
    pub(crate) cells: bool,
}

pub(crate) fn draw<S: Scalar + Into<f64>, const D: usize>(
    svg: &mut Svg,
    view: DebugView<'_, S, D>,
    objects: &[Shown],
    part: &Part,
) -> Contents {
    let mut seen: Vec<&Shown> = objects.iter().filter(|object| part.holds(object)).collect();
    // From large to small: nothing hides what lies below it.
    seen.sort_by(|a, b| b.width().total_cmp(&a.width()));
    let chunks: Vec<Shown> = view.chunks().map(Shown::block).filter(|chunk| part.holds(chunk)).collect();
    let cells: Vec<Shown> = view.cells().map(Shown::block).filter(|cell| part.holds(cell)).take(MOST_CELLS + 1).collect();
    let by_index: HashMap<u32, &Shown> = seen.iter().map(|&object| (object.index as u32, object)).collect();
    let pairs = view.pairs().iter().filter_map(|pair| Some([*by_index.get(&pair.a)?, *by_index.get(&pair.b)?]));
    let pairs: Vec<[&Shown; 2]> = pairs.collect();

    let mut contents =
        Contents { objects: seen.len(), pairs: pairs.len(), cells: cells.len() <= MOST_CELLS, ..Contents::default() };
    for object in &seen {
        *contents.by_level.entry(object.level).or_default() += 1;
    }
    let map = Map(part);
    svg.group(FRAME, [EDGE; 2], |svg| {
        for cell in cells.iter().filter(|_| contents.cells) {
            map.outline(svg, cell, 0.0, cell_style(cell.level));
        }
        for object in &seen {
            let is_dot = map.length(object.width()) < DOT;
            map.outline(svg, object, 0.0, if is_dot { dot_style(object.level) } else { object_style(object.level) });
        }
        for chunk in &chunks {
            map.outline(svg, chunk, INSET, chunk_style(chunk.level));
        }
        for [a, b] in pairs {
            map.pair(svg, a, b);
        }
    });
    svg.rect(FRAME, [EDGE; 2], Style::line(palette::FRAME, 1.0));
    contents
}

pub(crate) fn object_style(level: Option<usize>) -> Style {
    let color = palette::level(level);
    Style::fill(color.opacity(if level.is_some() { 0.22 } else { 0.08 })).stroke(color.opacity(0.9), 1.0)
}

fn dot_style(level: Option<usize>) -> Style {
    Style::fill(palette::level(level))
}

pub(crate) fn chunk_style(level: Option<usize>) -> Style {
    Style::line(palette::level(level).opacity(0.75), 1.4).dashed(7.0)
}

pub(crate) fn cell_style(level: Option<usize>) -> Style {
    Style::line(palette::level(level).opacity(0.25), 0.7)
}

pub(crate) fn pair_style() -> Style {
    Style::line(palette::PAIR.opacity(0.6), 1.2)
}

/// From the scene to the picture; y runs upwards in the scene.
struct Map<'a>(&'a Part);

impl Map<'_> {
    fn point(&self, point: [f64; 2]) -> [f64; 2] {
        let Part { low, edge, .. } = *self.0;
        let along = |axis: usize| ((point[axis] - low[axis]) / edge * EDGE).clamp(-BEYOND, EDGE + BEYOND);
        [FRAME[0] + along(0), FRAME[1] + EDGE - along(1)]
    }

    fn length(&self, length: f64) -> f64 {
        length / self.0.edge * EDGE
    }

    fn outline(&self, svg: &mut Svg, shown: &Shown, inset: f64, style: Style) {
        let [left, bottom] = self.point([shown.min[0], shown.min[1]]);
        let [right, top] = self.point([shown.max[0], shown.max[1]]);
        let size = [right - left, bottom - top].map(|edge| (edge - 2.0 * inset).max(SMALLEST));
        svg.rect([left + inset, top + inset], size, style);
    }

    /// A line from center to center. A center outside of the window is replaced by the middle of what the two boxes have in
    /// common there, so that a huge box does not send out rays from somewhere else.
    fn pair(&self, svg: &mut Svg, a: &Shown, b: &Shown) {
        let Part { low, edge, .. } = *self.0;
        let common: [f64; 2] = std::array::from_fn(|axis| {
            let from = a.min[axis].max(b.min[axis]).max(low[axis]);
            from / 2.0 + a.max[axis].min(b.max[axis]).min(low[axis] + edge) / 2.0
        });
        let end = |shown: &Shown| {
            let [x, y, _] = shown.center();
            let inside = (0..2).all(|axis| (0.0..=edge).contains(&([x, y][axis] - low[axis])));
            self.point(if inside { [x, y] } else { common })
        };
        let (from, to) = (end(a), end(b));
        svg.line(from, to, pair_style());
        for end in [from, to] {
            svg.circle(end, PAIR_END, Style::fill(palette::PAIR));
        }
    }
}
