//! Colours that people who see few colours can tell apart, too (after Okabe and Ito).

use crate::draw::Color;

const LEVELS: [u32; 8] = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0x8c564b, 0xb5b000, 0x7f3c8d];

pub(crate) const PAIR: Color = Color::rgb(0xd0021b);
pub(crate) const FRAME: Color = Color::rgb(0x9a9a9a);
pub(crate) const FAINT: Color = Color::rgb(0x5c5c5c);

/// The colour of a level, or of what has none.
pub(crate) fn level(level: Option<usize>) -> Color {
    level.map_or(Color::rgb(0x444444), |level| Color::rgb(LEVELS[level % LEVELS.len()]))
}
