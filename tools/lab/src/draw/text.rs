//! The canvas as SVG text.

use std::fmt::{self, Write};

use super::canvas::{Shape, Svg};
use super::style::{Anchor, Color, Style, Text};

impl Svg {
    /// A whole SVG document.
    pub(crate) fn to_svg(&self) -> String {
        let mut writer = Writer { out: String::new(), clips: 0 };
        writer.document(self).expect("strings can be written to");
        writer.out
    }
}

struct Writer {
    out: String,
    clips: usize,
}

impl Writer {
    fn document(&mut self, svg: &Svg) -> fmt::Result {
        let [width, height] = svg.size.map(Length);
        writeln!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="DejaVu Sans, Verdana, sans-serif">"#
        )?;
        self.shapes(&svg.shapes)?;
        writeln!(self.out, "</svg>")
    }

    fn shapes(&mut self, shapes: &[Shape]) -> fmt::Result {
        shapes.iter().try_for_each(|shape| self.shape(shape))
    }

    fn shape(&mut self, shape: &Shape) -> fmt::Result {
        match shape {
            Shape::Rect { corner, size, style } => {
                let ([x, y], [width, height]) = (corner.map(Length), size.map(Length));
                write!(self.out, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}""#)?;
                self.style(style)
            }
            Shape::Circle { center: [x, y], radius, style } => {
                write!(self.out, r#"<circle cx="{}" cy="{}" r="{}""#, Length(*x), Length(*y), Length(*radius))?;
                self.style(style)
            }
            Shape::Polyline { points, style } => {
                self.out.push_str("<polyline points=\"");
                for (index, [x, y]) in points.iter().enumerate() {
                    let gap = if index == 0 { "" } else { " " };
                    write!(self.out, "{gap}{},{}", Length(*x), Length(*y))?;
                }
                self.out.push('"');
                self.style(style)
            }
            Shape::Text { at, words, text } => self.text(at.map(Length), words, text),
            Shape::Group { corner, size, shapes } => {
                let ([x, y], [width, height], clip) = (corner.map(Length), size.map(Length), self.clips);
                self.clips += 1;
                let rect = format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}"/>"#);
                writeln!(self.out, r##"<clipPath id="clip{clip}">{rect}</clipPath><g clip-path="url(#clip{clip})">"##)?;
                self.shapes(shapes)?;
                writeln!(self.out, "</g>")
            }
        }
    }

    fn text(&mut self, [x, y]: [Length; 2], words: &str, text: &Text) -> fmt::Result {
        let size = Length(text.size);
        write!(self.out, r#"<text x="{x}" y="{y}" font-size="{size}""#)?;
        self.paint("fill", text.color)?;
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(r#" text-anchor="middle""#),
            Anchor::End => self.out.push_str(r#" text-anchor="end""#),
        }
        if text.upwards {
            write!(self.out, r#" transform="rotate(-90 {x} {y})""#)?;
        }
        writeln!(self.out, r#" xml:space="preserve">{}</text>"#, escaped(words))
    }

    /// The rest of an element.
    fn style(&mut self, style: &Style) -> fmt::Result {
        match style.fill {
            Some(color) => self.paint("fill", color)?,
            None => self.out.push_str(r#" fill="none""#),
        }
        if let Some(stroke) = style.stroke {
            self.paint("stroke", stroke.color)?;
            write!(self.out, r#" stroke-width="{}""#, Length(stroke.width))?;
            if stroke.dash > 0.0 {
                write!(self.out, r#" stroke-dasharray="{}""#, Length(stroke.dash))?;
            }
        }
        writeln!(self.out, "/>")
    }

    fn paint(&mut self, what: &str, color: Color) -> fmt::Result {
        let Color { red, green, blue, opacity } = color;
        write!(self.out, r##" {what}="#{red:02x}{green:02x}{blue:02x}""##)?;
        if opacity < 1.0 { write!(self.out, r#" {what}-opacity="{}""#, Length(opacity)) } else { Ok(()) }
    }
}

/// A hundredth of a pixel is enough; thousands of shapes should not spell out more.
#[derive(Clone, Copy)]
struct Length(f64);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the sign of a negative zero.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_become_elements() {
        let mut svg = Svg::new([20.0, 10.0]);
        svg.rect([1.0, 2.0], [3.0, 4.004], Style::fill(Color::rgb(0x0102ff).opacity(0.5)));
        svg.group([0.0, 0.0], [5.0, 5.0], |svg| svg.line([0.0, -0.001], [1.0, 1.0], Style::line(Color::BLACK, 1.0).dashed(3.0)));
        svg.text([5.0, 6.0], "a < b & c", Text::new(8.0).anchor(Anchor::Middle).upwards());
        let text = svg.to_svg();
        for part in [
            r#"viewBox="0 0 20 10""#,
            r##"<rect x="1" y="2" width="3" height="4" fill="#0102ff" fill-opacity="0.5"/>"##,
            r##"<polyline points="0,0 1,1" fill="none" stroke="#1a1a1a" stroke-width="1" stroke-dasharray="3"/>"##,
            r#"text-anchor="middle" transform="rotate(-90 5 6)" xml:space="preserve">a &lt; b &amp; c</text>"#,
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
    }
}
