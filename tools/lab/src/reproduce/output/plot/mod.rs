//! Charts on the canvas of [`crate::draw`].

mod bars;
mod frame;
mod labels;
mod lines;
mod palette;
mod ticks;

use crate::draw::Svg;
use crate::reproduce::figure::{Chart, Scaling};

/// Curves, or bars if the chart is about things.
pub(crate) fn draw(chart: &Chart) -> Svg {
    match &chart.x.scale {
        Scaling::Names(names) => bars::draw(chart, names),
        Scaling::Linear | Scaling::Log => lines::draw(chart),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::figure::{Axis, Role, Series};

    fn series(name: &str, role: Role, points: &[(f64, f64)]) -> Series {
        Series { name: name.into(), role, family: name.into(), variant: 0, points: points.to_vec(), stopped: None }
    }

    #[test]
    fn every_series_is_named() {
        let all = vec![
            series("linked cells", Role::Theirs, &[(10.0, 1.0), (1000.0, 120.0)]),
            series("pivotgrid", Role::Ours, &[(10.0, 0.5), (1000.0, 20.0)]),
            series("linked cells in the thesis", Role::Published, &[(10.0, 3.0)]),
        ];
        let lines = Chart { title: "Step".into(), x: Axis::log("objects"), y: Axis::log("ms"), series: all.clone() };
        let text = draw(&lines).to_svg();
        assert!(all.iter().all(|series| text.contains(&series.name)) && text.contains(">100<"), "{text}");

        let values = series("this machine", Role::Theirs, &[(0.0, 1.0), (1.0, 120.0)]);
        let names = Axis::names("", ["linked cells", "pivotgrid"]);
        let bars = Chart { title: "Step".into(), x: names, y: Axis::log("ms"), series: vec![values] };
        let text = draw(&bars).to_svg();
        assert!(["linked cells", "pivotgrid", "120"].iter().all(|word| text.contains(word)), "{text}");
    }

    #[test]
    fn nothing_and_nonsense_can_be_drawn() {
        let strange = [series("none", Role::Theirs, &[]), series("zero", Role::Ours, &[(0.0, 0.0), (f64::NAN, 1.0)])];
        for axis in [Axis::log("x"), Axis::linear("x"), Axis::names("", ["only"])] {
            let chart = Chart { title: String::new(), x: axis, y: Axis::log("y"), series: strange.to_vec() };
            assert!(!draw(&chart).to_svg().contains("NaN"));
        }
    }
}
