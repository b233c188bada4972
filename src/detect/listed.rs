//! Those that fit no level: each against each.

use std::ops::Range;

use super::View;
use super::kernel::Tasks;
use crate::slips::{Slip, slipped};

/// Some of the listed, each against all behind it.
pub(super) fn list<S, const D: usize>(view: &View<'_, S, D>, entries: Range<usize>, tasks: &mut Tasks) {
    for entry in entries {
        let behind = entry + 1..view.grid.listed.end - usize::from(slipped(Slip::ListedLastMissed));
        if !behind.is_empty() {
            tasks.add(entry, behind);
        }
    }
}
