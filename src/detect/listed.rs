//! Those that fit no level: each against each.

use std::ops::Range;

use super::View;
use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::kernel::Tasks;

/// Some of the listed, each against all behind it.
pub(super) fn list<S: Scalar, const D: usize>(view: &View<'_, S, D>, entries: Range<usize>, tasks: &mut Tasks) {
    for entry in entries {
        view.grid.listed_around(&view.columns.bounds(entry), |run| {
            let missed = usize::from(injected(Fault::ListedLastMissed) && run.end == view.grid.listed.end);
            let behind = run.start.max(entry + 1)..run.end - missed;
            if !behind.is_empty() {
                tasks.add(entry, behind);
            }
        });
    }
}
