//! Line charts.

use super::frame::Frame;
use super::labels::{spread, width};
use super::palette::{OURS, color, dash};
use super::ticks::Range;
use crate::draw::{Color, Style, Svg, Text};
use crate::reproduce::figure::{Chart, Role, Series};

const SIZE: [f64; 2] = [860.0, 440.0];
const LABEL: f64 = 12.0;
/// A curve of more points shows none of them: they would hide it.
const MOST_MARKERS: usize = 24;

pub(super) fn draw(chart: &Chart) -> Svg {
    let room = chart.series.iter().map(|series| width(&series.name, LABEL)).fold(60.0, f64::max).min(330.0);
    let frame = Frame { left: 74.0, top: 44.0, width: SIZE[0] - 74.0 - 38.0 - room, height: SIZE[1] - 44.0 - 56.0 };
    let points = || chart.series.iter().flat_map(|series| series.points.iter().copied());
    let x = Range::around(points().map(|point| point.0), &chart.x.scale);
    let y = Range::around(points().map(|point| point.1), &chart.y.scale);

    let mut svg = Svg::new(SIZE);
    svg.rect([0.0; 2], SIZE, Style::fill(Color::WHITE));
    frame.title(&mut svg, &chart.title);
    frame.vertical_axis(&mut svg, &y, &chart.y.label);
    frame.horizontal_axis(&mut svg, &x, &chart.x.label);

    let place = |&(at, value): &(f64, f64)| Some([frame.x(&x, at)?, frame.y(&y, value)?]);
    let curves: Vec<(&Series, Vec<[f64; 2]>)> =
        chart.series.iter().map(|series| (series, series.points.iter().filter_map(place).collect())).collect();
    let curves: Vec<(&Series, Vec<[f64; 2]>)> = curves.into_iter().filter(|(_, curve)| !curve.is_empty()).collect();
    // Ours last, so that nothing covers it.
    for ours in [false, true] {
        for (series, curve) in curves.iter().filter(|(series, _)| (series.role == Role::Ours) == ours) {
            draw_curve(&mut svg, series, curve, color(series, &chart.series));
        }
    }

    let ends: Vec<[f64; 2]> = curves.iter().map(|(_, curve)| curve[curve.len() - 1]).collect();
    let heights: Vec<f64> = ends.iter().map(|end| end[1]).collect();
    let places = spread(&heights, frame.top, frame.bottom());
    for (((series, _), end), place) in curves.iter().zip(&ends).zip(places) {
        let color = color(series, &chart.series);
        let to = [frame.right() + 22.0, place];
        svg.line([end[0] + 4.0, end[1]], to, Style::line(color.opacity(0.35), 1.0));
        let name = Text::new(LABEL).color(if series.role == Role::Ours { OURS } else { color.opacity(color.opacity.max(0.75)) });
        svg.text([to[0] + 4.0, to[1] + 4.0], series.name.clone(), name);
    }
    svg
}

fn draw_curve(svg: &mut Svg, series: &Series, curve: &[[f64; 2]], color: Color) {
    let (thick, radius) = if series.role == Role::Ours { (2.6, 3.6) } else { (1.8, 2.8) };
    svg.polyline(curve, Style::line(color, thick).dashed(dash(series)));
    let marker = match series.role {
        Role::Published => Style::fill(Color::WHITE).stroke(color, 1.2),
        Role::Ours | Role::Theirs => Style::fill(color),
    };
    if curve.len() <= MOST_MARKERS {
        curve.iter().for_each(|point| svg.circle(*point, radius, marker));
    }
}
