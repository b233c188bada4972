//! Bar charts: a row for each thing, in it a bar for each series.

use super::frame::Frame;
use super::labels::width;
use super::palette::{INK, OURS, PALE_INK, PUBLISHED, color};
use super::ticks::{Range, name};
use crate::draw::{Anchor, Color, Style, Svg, Text};
use crate::reproduce::figure::{Chart, Role, Scaling, Series};

const WIDTH: f64 = 860.0;
const BAR: f64 = 15.0;
const GAP: f64 = 3.0;
const BETWEEN_ROWS: f64 = 13.0;
const LABEL: f64 = 12.5;
/// The row of this name is ours.
const OURS_NAME: &str = "pivotgrid";

pub(super) fn draw(chart: &Chart, names: &[String]) -> Svg {
    let row = chart.series.len().max(1) as f64 * (BAR + GAP) - GAP + BETWEEN_ROWS;
    let left = names.iter().map(|name| width(name, LABEL)).fold(60.0, f64::max) + 24.0;
    let frame = Frame { left, top: 62.0, width: WIDTH - left - 80.0, height: row * names.len().max(1) as f64 };
    let mut svg = Svg::new([WIDTH, frame.bottom() + 52.0]);
    svg.rect([0.0; 2], svg.size, Style::fill(Color::WHITE));
    svg.text([20.0, 24.0], chart.title.clone(), Text::new(15.0).color(INK));
    legend(&mut svg, &chart.series, left);

    let values = || chart.series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    // A bar must have some length, also the shortest on a logarithmic axis.
    let floor = values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min) / 2.0;
    let range = Range::around(values().chain([floor]), &chart.y.scale);
    let axis = match chart.y.scale {
        Scaling::Log => format!("{} (logarithmic)", chart.y.label),
        Scaling::Linear | Scaling::Names(_) => chart.y.label.clone(),
    };
    frame.horizontal_axis(&mut svg, &range, &axis);

    for (index, thing) in names.iter().enumerate() {
        let top = frame.top + index as f64 * row + BETWEEN_ROWS / 2.0;
        let ours = thing == OURS_NAME;
        let text = Text::new(LABEL).color(if ours { OURS } else { INK }).anchor(Anchor::End);
        svg.text([left - 10.0, top + (row - BETWEEN_ROWS) / 2.0 + 4.5], thing.clone(), text);
        for (place, series) in chart.series.iter().enumerate() {
            let value = series.points.iter().find(|point| point.0 == index as f64).map(|point| point.1);
            let Some((value, end)) = value.and_then(|value| Some((value, frame.x(&range, value)?))) else { continue };
            let y = top + place as f64 * (BAR + GAP);
            svg.rect([left, y], [(end - left).max(1.0), BAR], Style::fill(bar_color(series, &chart.series, ours)));
            svg.text([end.max(left) + 6.0, y + BAR - 3.5], name(value), Text::new(11.5).color(PALE_INK));
        }
    }
    svg
}

fn bar_color(series: &Series, all: &[Series], ours: bool) -> Color {
    match series.role {
        Role::Published => PUBLISHED,
        Role::Ours => OURS,
        Role::Theirs if ours => OURS,
        Role::Theirs => color(series, all),
    }
}

/// Only where there is more than one colour to explain.
fn legend(svg: &mut Svg, all: &[Series], left: f64) {
    if all.len() < 2 {
        return;
    }
    let mut x = left;
    for series in all {
        svg.rect([x, 38.0], [11.0, 11.0], Style::fill(bar_color(series, all, false)));
        svg.text([x + 17.0, 48.0], series.name.clone(), Text::new(12.0).color(PALE_INK));
        x += width(&series.name, 12.0) + 44.0;
    }
}
