//! How shapes and letters look.

/// A colour, and how much of what lies below it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Color {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
    pub(crate) opacity: f64,
}

impl Color {
    pub(crate) const WHITE: Color = Color::rgb(0xffffff);
    pub(crate) const BLACK: Color = Color::rgb(0x1a1a1a);

    /// From `0xrrggbb`.
    pub(crate) const fn rgb(code: u32) -> Self {
        Color { red: (code >> 16) as u8, green: (code >> 8) as u8, blue: code as u8, opacity: 1.0 }
    }

    /// The same, letting the rest shine through.
    pub(crate) const fn opacity(self, opacity: f64) -> Self {
        Color { opacity, ..self }
    }
}

/// The inside and the outline of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Style {
    pub(crate) fill: Option<Color>,
    pub(crate) stroke: Option<Stroke>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    pub(crate) width: f64,
    /// Length of the dashes and of the gaps between them; 0 for a solid line.
    pub(crate) dash: f64,
}

impl Style {
    pub(crate) fn fill(color: Color) -> Self {
        Style { fill: Some(color), stroke: None }
    }

    /// A line, or an outline around nothing.
    pub(crate) fn line(color: Color, width: f64) -> Self {
        Style::default().stroke(color, width)
    }

    /// The same with an outline.
    pub(crate) fn stroke(self, color: Color, width: f64) -> Self {
        Style { stroke: Some(Stroke { color, width, dash: 0.0 }), ..self }
    }

    /// The same with an outline of dashes.
    pub(crate) fn dashed(self, dash: f64) -> Self {
        Style { stroke: self.stroke.map(|stroke| Stroke { dash, ..stroke }), ..self }
    }
}

/// Which point of a text its position means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    #[default]
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Text {
    /// Height of a line.
    pub(crate) size: f64,
    pub(crate) color: Color,
    pub(crate) anchor: Anchor,
    /// Whether it runs upwards instead of to the right.
    pub(crate) upwards: bool,
}

impl Text {
    pub(crate) fn new(size: f64) -> Self {
        Text { size, color: Color::BLACK, anchor: Anchor::Start, upwards: false }
    }

    pub(crate) fn color(self, color: Color) -> Self {
        Text { color, ..self }
    }

    pub(crate) fn anchor(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }

    /// Turned by a quarter, as the name of a vertical axis.
    pub(crate) fn upwards(self) -> Self {
        Text { upwards: true, ..self }
    }
}
