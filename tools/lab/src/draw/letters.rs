//! Letters as outlines, from the font that is part of the program.

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::style::{Anchor, Text};

/// See `font/LICENSE.txt`.
static FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");

/// What stands for a character that the font does not have.
const UNKNOWN: char = '?';

/// The outlines of a text whose base line begins, ends or has its middle at `at`. Nothing for a text of spaces.
pub(crate) fn outlines(at: [f64; 2], words: &str, text: &Text) -> Option<Path> {
    let face = Face::parse(FONT, 0).expect("the font is part of the program");
    let mut pen = Pen { path: PathBuilder::new(), along: 0.0 };
    for letter in words.chars() {
        let glyph = face.glyph_index(letter).or_else(|| face.glyph_index(UNKNOWN)).unwrap_or(GlyphId(0));
        face.outline_glyph(glyph, &mut pen);
        pen.along += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    let back = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -pen.along / 2.0,
        Anchor::End => -pen.along,
    };
    let scale = text.size as f32 / f32::from(face.units_per_em());
    let [x, y] = at.map(|part| part as f32);
    let transform = Transform::from_translate(back, 0.0).post_scale(scale, -scale);
    let turned = if text.upwards { transform.post_rotate(-90.0) } else { transform };
    pen.path.finish()?.transform(turned.post_translate(x, y))
}

/// Draws glyph after glyph.
struct Pen {
    path: PathBuilder,
    /// Where the glyph begins.
    along: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.along + x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.along + x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.along + x1, y1, self.along + x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.along + x1, y1, self.along + x2, y2, self.along + x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lie_where_they_should() {
        let bounds = |text: Text| outlines([100.0, 50.0], "Hg 7", &text).unwrap().bounds();
        let start = bounds(Text::new(20.0));
        assert!(start.left() >= 100.0 && start.right() > 130.0 && start.top() < 50.0 && start.bottom() > 50.0, "{start:?}");
        let middle = bounds(Text::new(20.0).anchor(Anchor::Middle));
        assert!((middle.left() + middle.right() - 200.0).abs() < 4.0, "{middle:?}");
        assert!(bounds(Text::new(20.0).anchor(Anchor::End)).right() <= 100.0);
        let upwards = bounds(Text::new(20.0).upwards());
        assert!(upwards.bottom() <= 50.0 && upwards.height() > upwards.width(), "{upwards:?}");
        assert!(outlines([0.0; 2], " ", &Text::new(20.0)).is_none());
    }
}
