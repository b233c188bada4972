//! A picture of the partition: the plane through the middle of the scene, colored by rank, with the boxes that it cuts.

use std::path::{Path, PathBuf};

use pivotgrid::Aabb;
use pivotgrid_cluster::{Coordinate, Partition};

use super::measure::Outcome;
use crate::draw::{Color, Style, Svg, Text, to_png};
use crate::failure::Failure;
use crate::files;

const SIZE: [f64; 2] = [1240.0, 1080.0];
const CORNER: [f64; 2] = [40.0, 50.0];
const EDGE: f64 = 1000.0;
/// Samples of the partition along an edge.
const SAMPLES: usize = 250;
/// At most this many boxes are drawn.
const MOST: usize = 4000;

const COLORS: [u32; 12] =
    [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0x7f3c8d, 0x8c564b, 0x11a579, 0xb5b000, 0x5c6bc0];

/// Writes the picture as `name.png` and `name.svg`.
pub(crate) fn write<S: Coordinate, const D: usize>(
    outcome: &Outcome<S, D>,
    title: &str,
    directory: &Path,
    name: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let svg = draw(outcome, title);
    Ok(vec![
        files::write(directory, &format!("{name}.png"), to_png(&svg))?,
        files::write(directory, &format!("{name}.svg"), svg.to_svg())?,
    ])
}

fn color(rank: usize) -> Color {
    Color::rgb(COLORS[rank % COLORS.len()])
}

fn draw<S: Coordinate, const D: usize>(outcome: &Outcome<S, D>, title: &str) -> Svg {
    let view = View::around(&outcome.boxes);
    let mut svg = Svg::new(SIZE);
    svg.rect([0.0; 2], SIZE, Style::fill(Color::WHITE));
    svg.text([CORNER[0], 32.0], title, Text::new(20.0));
    for (rank, row, columns) in runs(&outcome.partition, &view) {
        let pixel = EDGE / SAMPLES as f64;
        let corner = [CORNER[0] + columns.start as f64 * pixel, CORNER[1] + EDGE - (row + 1) as f64 * pixel];
        svg.rect(corner, [columns.len() as f64 * pixel, pixel], Style::fill(color(rank).opacity(0.45)));
    }
    svg.group(CORNER, [EDGE; 2], |svg| {
        let cut = outcome.boxes.iter().filter(|bounds| view.cuts(bounds));
        let stride = cut.clone().count().div_ceil(MOST).max(1);
        for bounds in cut.step_by(stride) {
            let (low, high) = (view.pixel(bounds.min), view.pixel(bounds.max));
            let size = [(high[0] - low[0]).max(1.0), (low[1] - high[1]).max(1.0)];
            svg.rect([low[0], high[1]], size, Style::line(Color::BLACK.opacity(0.55), 0.6));
        }
    });
    svg.rect(CORNER, [EDGE; 2], Style::line(Color::BLACK, 1.0));
    for (rank, figures) in outcome.ranks.iter().enumerate().take(40) {
        let y = CORNER[1] + 12.0 + 24.0 * rank as f64;
        svg.rect([CORNER[0] + EDGE + 20.0, y - 10.0], [14.0; 2], Style::fill(color(rank).opacity(0.45)));
        let words = format!("rank {rank}: {} + {}", figures.own, figures.ghosts);
        svg.text([CORNER[0] + EDGE + 42.0, y + 2.0], words, Text::new(14.0));
    }
    svg
}

/// What the picture shows: the first two axes, and on the third the middle.
struct View<const D: usize> {
    low: [f64; D],
    edge: f64,
    middle: f64,
}

impl<const D: usize> View<D> {
    fn around<S: Coordinate>(boxes: &[Aabb<S, D>]) -> Self {
        let mut corners: [Vec<f64>; D] = std::array::from_fn(|axis| boxes.iter().map(|bounds| bounds.min[axis].into()).collect());
        corners.iter_mut().for_each(|axis| axis.sort_unstable_by(f64::total_cmp));
        let at = |axis: usize, share: f64| corners[axis][((corners[axis].len() - 1) as f64 * share) as usize];
        let low = std::array::from_fn(|axis| at(axis, 0.0));
        let edge = (0..2).map(|axis| at(axis, 1.0) - low[axis]).fold(f64::MIN_POSITIVE, f64::max);
        View { low, edge, middle: at(D - 1, 0.5) }
    }

    fn cuts<S: Coordinate>(&self, bounds: &Aabb<S, D>) -> bool {
        D == 2 || (bounds.min[D - 1].into() <= self.middle && self.middle <= bounds.max[D - 1].into())
    }

    fn pixel<S: Coordinate>(&self, point: [S; D]) -> [f64; 2] {
        let at = |axis: usize| (point[axis].into() - self.low[axis]) / self.edge * EDGE;
        [CORNER[0] + at(0), CORNER[1] + EDGE - at(1)]
    }
}

/// Rows of samples of one rank: the rank, the row, the columns.
fn runs<const D: usize>(partition: &Partition<D>, view: &View<D>) -> Vec<(usize, usize, std::ops::Range<usize>)> {
    let mut runs: Vec<(usize, usize, std::ops::Range<usize>)> = Vec::new();
    for row in 0..SAMPLES {
        for column in 0..SAMPLES {
            let step = view.edge / SAMPLES as f64;
            let point = std::array::from_fn(|axis| match axis {
                0 => view.low[0] + (column as f64 + 0.5) * step,
                1 => view.low[1] + (row as f64 + 0.5) * step,
                _ => view.middle,
            });
            let rank = partition.owner(point);
            match runs.last_mut() {
                Some(run) if run.0 == rank && run.1 == row => run.2.end = column + 1,
                _ => runs.push((rank, row, column..column + 1)),
            }
        }
    }
    runs
}
