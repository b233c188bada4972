//! What is seen, in words.

use pivotgrid::Stats;

use super::part::Part;
use super::scenery::{Contents, PAIR_END, cell_style, chunk_style, object_style, pair_style};
use super::{Caption, EDGE, FRAME, palette};
use crate::draw::{Anchor, Style, Svg, Text};
use crate::report::{grouped, short};

const LEFT: f64 = 1135.0;
const RIGHT: f64 = 1530.0;
/// The words beside a sample.
const INDENT: f64 = 44.0;
const SAMPLE: [f64; 2] = [28.0, 18.0];

/// Writes line after line.
struct Column<'a> {
    svg: &'a mut Svg,
    y: f64,
}

impl Column<'_> {
    fn heading(&mut self, words: &str) {
        self.y += 42.0;
        self.svg.text([LEFT, self.y], words, Text::new(16.0));
        self.svg.line([LEFT, self.y + 8.0], [RIGHT, self.y + 8.0], Style::line(palette::FRAME, 1.0));
        self.y += 10.0;
    }

    fn line(&mut self, words: String) {
        self.y += 22.0;
        self.svg.text([LEFT, self.y], words, Text::new(14.0).color(palette::FAINT));
    }

    /// A sample of something that is drawn, and what it means.
    fn sample(&mut self, style: Style, words: &str, more: Option<String>) {
        self.y += 28.0;
        self.svg.rect([LEFT, self.y - 14.0], SAMPLE, style);
        self.svg.text([LEFT + INDENT, self.y], words, Text::new(14.0));
        if let Some(more) = more {
            self.y += 20.0;
            self.svg.text([LEFT + INDENT, self.y], more, Text::new(13.0).color(palette::FAINT));
        }
    }
}

pub(crate) fn draw(svg: &mut Svg, caption: &Caption, stats: &Stats, part: &Part, contents: &Contents, dimension: usize) {
    axes(svg, part);
    let mut column = Column { svg, y: FRAME[1] + 18.0 };
    column.svg.text([LEFT, column.y], caption.title.as_str(), Text::new(23.0));
    column.y += 6.0;
    column.line(format!("{} objects, {} pairs", grouped(stats.objects as u64), grouped(stats.pairs as u64)));
    column.line(caption.remark.clone());

    column.heading("Shown here");
    column.line(format!("{} objects and {} pairs", grouped(contents.objects as u64), grouped(contents.pairs as u64)));
    column.line(format!("in a window of {0} × {0}", short(part.edge)));
    if dimension == 3 {
        let [from, to] = part.layer;
        let plane = format!("cut by the plane z = {}", coordinate(from, part.edge));
        let layer = || format!("from z = {} to {}, seen along z", coordinate(from, part.edge), coordinate(to, part.edge));
        column.line(if from == to { plane } else { layer() });
    }

    column.heading("Objects by level");
    let here = |level| grouped(contents.by_level.get(&level).copied().unwrap_or(0) as u64);
    for (index, level) in stats.levels.iter().enumerate() {
        let cell = level.cell_size[..dimension].iter().map(|&edge| short(edge)).collect::<Vec<_>>().join(" × ");
        let (objects, chunks) = (grouped(level.objects as u64), grouped(level.chunks as u64));
        let more = format!("{objects} objects, {} here; {chunks} chunks", here(Some(index)));
        column.sample(object_style(Some(index)), &format!("level {index}: cells of {cell}"), Some(more));
    }
    if stats.oversized > 0 {
        let more = format!("{} objects, {} here", grouped(stats.oversized as u64), here(None));
        column.sample(object_style(None), "no level: compared with all", Some(more));
    }

    column.heading("Lines");
    if !stats.levels.is_empty() {
        column.sample(chunk_style(Some(0)), "a chunk, in the colour of its level", None);
    }
    if !stats.levels.is_empty() && contents.cells {
        column.sample(cell_style(Some(0)), "a cell that holds objects", None);
    }
    column.y += 28.0;
    let y = column.y - 5.0;
    column.svg.line([LEFT, y], [LEFT + SAMPLE[0], y], pair_style());
    [LEFT, LEFT + SAMPLE[0]].into_iter().for_each(|x| column.svg.circle([x, y], PAIR_END, Style::fill(palette::PAIR)));
    column.svg.text([LEFT + INDENT, column.y], "a pair of overlapping boxes", Text::new(14.0));
}

/// The coordinates of the window's corners.
fn axes(svg: &mut Svg, part: &Part) {
    let [left, top] = FRAME;
    let bottom = top + EDGE;
    let small = Text::new(13.0).color(palette::FAINT);
    let number = |axis: usize, share: f64| coordinate(part.low[axis] + share * part.edge, part.edge);
    svg.text([left, bottom + 20.0], number(0, 0.0), small);
    svg.text([left + EDGE / 2.0, bottom + 20.0], "x", small.anchor(Anchor::Middle));
    svg.text([left + EDGE, bottom + 20.0], number(0, 1.0), small.anchor(Anchor::End));
    svg.text([left - 10.0, bottom], number(1, 0.0), small.upwards());
    svg.text([left - 10.0, top + EDGE / 2.0], "y", small.upwards().anchor(Anchor::Middle));
    svg.text([left - 10.0, top], number(1, 1.0), small.upwards().anchor(Anchor::End));
}

/// A coordinate with as many digits as tell places in the window apart.
fn coordinate(along: f64, edge: f64) -> String {
    let digits = (3.0 - edge.log10()).ceil().clamp(0.0, 12.0) as usize;
    if along.abs() < 1e9 { format!("{along:.digits$}") } else { format!("{along:.9e}") }
}
