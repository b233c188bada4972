//! A picture of the last step: objects coloured by level, the chunks they live in, and the pairs that were found.
//!
//! A million boxes are no picture. [`part`] chooses a window in which boxes can be told apart (in space: where a plane cuts the
//! scene), [`scenery`] draws what is in it, [`legend`] says beside it what is seen.

mod legend;
mod palette;
mod part;
mod scenery;
mod shown;

use std::path::{Path, PathBuf};

use pivotgrid::{BroadPhase, Scalar};

use crate::draw::{Color, Style, Svg, to_png};
use crate::failure::Failure;
use crate::files;
use part::Part;
use shown::Shown;

/// The whole picture, and within it the square that shows the scene.
const SIZE: [f64; 2] = [1560.0, 1140.0];
const FRAME: [f64; 2] = [60.0, 40.0];
const EDGE: f64 = 1040.0;

/// What the picture is of.
#[derive(Clone, Debug)]
pub(crate) struct Caption {
    pub(crate) title: String,
    pub(crate) remark: String,
}

/// Writes a picture of the engine's last step as `name.png` and `name.svg`.
pub(crate) fn write<S: Scalar + Into<f64>, const D: usize>(
    broad_phase: &BroadPhase<S, D>,
    caption: &Caption,
    directory: &Path,
    name: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let svg = draw(broad_phase, caption);
    Ok(vec![
        files::write(directory, &format!("{name}.png"), to_png(&svg))?,
        files::write(directory, &format!("{name}.svg"), svg.to_svg())?,
    ])
}

fn draw<S: Scalar + Into<f64>, const D: usize>(broad_phase: &BroadPhase<S, D>, caption: &Caption) -> Svg {
    let view = broad_phase.debug_view();
    let objects: Vec<Shown> = view.objects().map(Shown::object).collect();
    let part = Part::choose(&objects, D);
    let mut svg = Svg::new(SIZE);
    svg.rect([0.0; 2], SIZE, Style::fill(Color::WHITE));
    let contents = scenery::draw(&mut svg, view, &objects, &part);
    legend::draw(&mut svg, caption, broad_phase.stats(), &part, &contents, D);
    svg
}
