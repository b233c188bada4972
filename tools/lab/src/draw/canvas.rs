//! The canvas: shapes in the order in which they are drawn.

use super::style::{Style, Text};

/// A point, or a width and a height. The origin is the upper left corner, y runs downwards.
pub(crate) type Point = [f64; 2];

/// A picture made of shapes; the unit is a pixel.
#[derive(Clone, Debug)]
pub(crate) struct Svg {
    pub(crate) size: Point,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Rect { corner: Point, size: Point, style: Style },
    Circle { center: Point, radius: f64, style: Style },
    Polyline { points: Vec<Point>, style: Style },
    Text { at: Point, words: String, text: Text },
    Group { corner: Point, size: Point, shapes: Vec<Shape> },
}

impl Svg {
    /// An empty canvas.
    pub(crate) fn new(size: Point) -> Self {
        Svg { size, shapes: Vec::new() }
    }

    pub(crate) fn rect(&mut self, corner: Point, size: Point, style: Style) {
        self.shapes.push(Shape::Rect { corner, size, style });
    }

    pub(crate) fn circle(&mut self, center: Point, radius: f64, style: Style) {
        self.shapes.push(Shape::Circle { center, radius, style });
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, style: Style) {
        self.polyline([from, to], style);
    }

    /// Points joined by lines, open unless the last point is the first.
    pub(crate) fn polyline(&mut self, points: impl Into<Vec<Point>>, style: Style) {
        self.shapes.push(Shape::Polyline { points: points.into(), style });
    }

    /// A line of text; `at` is on its base line.
    pub(crate) fn text(&mut self, at: Point, words: impl Into<String>, text: Text) {
        self.shapes.push(Shape::Text { at, words: words.into(), text });
    }

    /// Shapes of which only what lies in a rectangle is seen. They keep the canvas' coordinates.
    pub(crate) fn group(&mut self, corner: Point, size: Point, draw: impl FnOnce(&mut Svg)) {
        let mut inner = Svg::new(self.size);
        draw(&mut inner);
        self.shapes.push(Shape::Group { corner, size, shapes: inner.shapes });
    }
}
