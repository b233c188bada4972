//! Colours: ours stands out, a family of series shares one, the paper's numbers are pale.

use crate::draw::Color;
use crate::reproduce::figure::{Role, Series};

pub(super) const INK: Color = Color::rgb(0x24292f);
pub(super) const PALE_INK: Color = Color::rgb(0x656d76);
pub(super) const GRID: Color = Color::rgb(0xe3e7eb);
pub(super) const FINE_GRID: Color = Color::rgb(0xf2f4f6);
pub(super) const OURS: Color = Color::rgb(0xd0243c);
pub(super) const PUBLISHED: Color = Color::rgb(0xb9c2cb);
const THEIRS: [u32; 8] = [0x1f5fa8, 0x23895c, 0xd98200, 0x7a4ba0, 0x00838f, 0x8d5a2b, 0x5a6672, 0xb0388f];

/// The colour of a series among the others of its chart.
pub(super) fn color(series: &Series, all: &[Series]) -> Color {
    if series.role == Role::Ours {
        return OURS;
    }
    let mut families: Vec<&str> = Vec::new();
    for other in all.iter().filter(|other| other.role != Role::Ours) {
        if !families.contains(&other.family.as_str()) {
            families.push(&other.family);
        }
    }
    let place = families.iter().position(|family| *family == series.family).unwrap_or(0);
    let color = Color::rgb(THEIRS[place % THEIRS.len()]);
    if series.role == Role::Published { color.opacity(0.45) } else { color }
}

/// Length of the dashes of a line.
pub(super) fn dash(series: &Series) -> f64 {
    if series.role == Role::Published {
        return 2.0;
    }
    [0.0, 8.0, 4.0, 1.5][series.variant.min(3)]
}
