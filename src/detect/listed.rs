//! Those that fit no level: each against each.

use std::ops::Range;

use super::View;
use crate::faults::{Fault, injected};
use crate::kernel::Tasks;

/// Some of the listed, each against all behind it.
pub(super) fn list<S, const D: usize>(view: &View<'_, S, D>, entries: Range<usize>, tasks: &mut Tasks) {
    for entry in entries {
        let behind = entry + 1..view.grid.listed.end - usize::from(injected(Fault::ListedLastMissed));
        if !behind.is_empty() {
            tasks.add(entry, behind);
        }
    }
}
