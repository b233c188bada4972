//! The plane that curves and bars are drawn in.

use super::palette::{FINE_GRID, GRID, INK, PALE_INK};
use super::ticks::{Range, Tick};
use crate::draw::{Anchor, Style, Svg, Text};

/// Where the plane is on the canvas, and what it shows.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Frame {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The place of a value on the horizontal axis.
    pub(super) fn x(&self, range: &Range, value: f64) -> Option<f64> {
        range.share(value).map(|share| self.left + share * self.width)
    }

    /// The place of a value on the vertical axis.
    pub(super) fn y(&self, range: &Range, value: f64) -> Option<f64> {
        range.share(value).map(|share| self.bottom() - share * self.height)
    }

    pub(super) fn title(&self, svg: &mut Svg, title: &str) {
        svg.text([self.left, self.top - 16.0], title, Text::new(15.0).color(INK));
    }

    pub(super) fn horizontal_axis(&self, svg: &mut Svg, range: &Range, label: &str) {
        for Tick { value, label } in range.ticks() {
            let Some(x) = self.x(range, value) else { continue };
            let color = if label.is_some() { GRID } else { FINE_GRID };
            svg.line([x, self.top], [x, self.bottom()], Style::line(color, 1.0));
            if let Some(label) = label {
                svg.text([x, self.bottom() + 17.0], label, Text::new(11.5).color(PALE_INK).anchor(Anchor::Middle));
            }
        }
        svg.line([self.left, self.bottom()], [self.right(), self.bottom()], Style::line(PALE_INK, 1.0));
        let at = [self.left + self.width / 2.0, self.bottom() + 37.0];
        svg.text(at, label, Text::new(12.5).color(INK).anchor(Anchor::Middle));
    }

    pub(super) fn vertical_axis(&self, svg: &mut Svg, range: &Range, label: &str) {
        for Tick { value, label } in range.ticks() {
            let Some(y) = self.y(range, value) else { continue };
            let color = if label.is_some() { GRID } else { FINE_GRID };
            svg.line([self.left, y], [self.right(), y], Style::line(color, 1.0));
            if let Some(label) = label {
                svg.text([self.left - 7.0, y + 4.0], label, Text::new(11.5).color(PALE_INK).anchor(Anchor::End));
            }
        }
        svg.line([self.left, self.top], [self.left, self.bottom()], Style::line(PALE_INK, 1.0));
        let at = [self.left - 52.0, self.top + self.height / 2.0];
        svg.text(at, label, Text::new(12.5).color(INK).anchor(Anchor::Middle).upwards());
    }
}
