//! The canvas as a PNG image.

use tiny_skia::{FillRule, Mask, Paint, Path, PathBuilder, Pixmap, Rect, StrokeDash, Transform};

use super::canvas::{Point, Shape, Svg};
use super::letters;
use super::style::{Color, Style};

/// The largest edge of an image, in pixels.
const LARGEST: f64 = 16_384.0;

/// Paints all shapes, on white.
pub(crate) fn to_png(svg: &Svg) -> Vec<u8> {
    let [width, height] = svg.size.map(|edge| edge.clamp(1.0, LARGEST).ceil() as u32);
    let mut painter = Painter { image: Pixmap::new(width, height).expect("edges between 1 and the largest") };
    painter.image.fill(tiny_skia::Color::WHITE);
    painter.shapes(&svg.shapes, None);
    painter.image.encode_png().expect("memory can be written to")
}

struct Painter {
    image: Pixmap,
}

impl Painter {
    fn shapes(&mut self, shapes: &[Shape], clip: Option<&Mask>) {
        for shape in shapes {
            match shape {
                Shape::Rect { corner, size, style } => self.draw(rect(*corner, *size), style, clip),
                Shape::Circle { center, radius, style } => {
                    self.draw(PathBuilder::from_circle(center[0] as f32, center[1] as f32, *radius as f32), style, clip);
                }
                Shape::Polyline { points, style } => self.draw(polyline(points), style, clip),
                Shape::Text { at, words, text } => {
                    self.draw(letters::outlines(*at, words, text), &Style::fill(text.color), clip);
                }
                Shape::Group { corner, size, shapes } => {
                    let mut inside = Mask::new(self.image.width(), self.image.height()).expect("the size of the image");
                    if let Some(path) = rect(*corner, *size) {
                        inside.fill_path(&path, FillRule::Winding, true, Transform::identity());
                    }
                    self.shapes(shapes, Some(&inside));
                }
            }
        }
    }

    /// Draws a path, if it is one: a rectangle of negative size or a number that is none has no path.
    fn draw(&mut self, path: Option<Path>, style: &Style, clip: Option<&Mask>) {
        let Some(path) = path else { return };
        if let Some(color) = style.fill {
            self.image.fill_path(&path, &paint(color), FillRule::Winding, Transform::identity(), clip);
        }
        if let Some(stroke) = style.stroke {
            let dash = stroke.dash as f32;
            let dash = if dash > 0.0 { StrokeDash::new(vec![dash, dash], 0.0) } else { None };
            let pen = tiny_skia::Stroke { width: stroke.width as f32, dash, ..tiny_skia::Stroke::default() };
            self.image.stroke_path(&path, &paint(stroke.color), &pen, Transform::identity(), clip);
        }
    }
}

fn rect(corner: Point, size: Point) -> Option<Path> {
    let [x, y, width, height] = [corner[0], corner[1], size[0], size[1]].map(|part| part as f32);
    Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect)
}

fn polyline(points: &[Point]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, [x, y]) in points.iter().map(|point| point.map(|part| part as f32)).enumerate() {
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.finish()
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(color.red, color.green, color.blue, (color.opacity * 255.0).round() as u8);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Text;

    fn pixel(svg: &Svg, x: u32, y: u32) -> [u8; 3] {
        let pixel = Pixmap::decode_png(&to_png(svg)).unwrap().pixel(x, y).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn shapes_are_painted_in_order_and_clipped() {
        let mut svg = Svg::new([40.0, 20.0]);
        svg.rect([0.0, 0.0], [20.0, 20.0], Style::fill(Color::rgb(0xff0000)));
        svg.group([5.0, 5.0], [10.0, 10.0], |svg| svg.circle([10.0, 10.0], 9.0, Style::fill(Color::rgb(0x0000ff))));
        svg.rect([0.0, 0.0], [-5.0, f64::NAN], Style::fill(Color::BLACK));
        assert_eq!(pixel(&svg, 10, 10), [0, 0, 255]);
        assert_eq!(pixel(&svg, 10, 3), [255, 0, 0], "cut off");
        assert_eq!(pixel(&svg, 30, 10), [255, 255, 255]);
    }

    #[test]
    fn letters_leave_ink() {
        let mut svg = Svg::new([40.0, 20.0]);
        let empty = to_png(&svg);
        svg.text([5.0, 15.0], "Wg", Text::new(14.0));
        assert_ne!(to_png(&svg), empty);
    }
}
