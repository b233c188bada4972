//! Drawing: one canvas, written as SVG or painted as PNG.
//!
//! [`Svg`] is a list of shapes. [`Svg::to_svg`] writes them as text; [`to_png`] paints the same shapes without any library of the
//! system: outlines with tiny-skia, letters with the small font that is part of the program.
//!
//! ```ignore
//! let mut svg = Svg::new([200.0, 100.0]);
//! svg.rect([10.0, 10.0], [180.0, 80.0], Style::fill(Color::rgb(0xeef2f7)).stroke(Color::BLACK, 1.0));
//! svg.text([100.0, 55.0], "16 ms", Text::new(14.0).anchor(Anchor::Middle));
//! std::fs::write("chart.svg", svg.to_svg())?;
//! std::fs::write("chart.png", to_png(&svg))?;
//! ```

mod canvas;
mod letters;
mod png;
mod style;
mod text;

pub(crate) use canvas::Svg;
pub(crate) use png::to_png;
pub(crate) use style::{Anchor, Color, Style, Text};
