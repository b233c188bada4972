//! Pairs from many tasks.

use rayon::prelude::*;

use crate::Pairs;

/// Runs the tasks on the threads of the current pool and appends what they find.
///
/// Each thread fills buffers of its own, which are copied together. Gissler et al. instead search twice, first to count and
/// then to write, which costs more than the copy.
pub(crate) fn gather(tasks: usize, pairs: &mut Pairs, search: impl Fn(usize, &mut Pairs) + Sync) {
    let parts: Vec<Pairs> = (0..tasks)
        .into_par_iter()
        .fold(Pairs::default, |mut part, task| {
            search(task, &mut part);
            part
        })
        .collect();
    pairs.found.reserve(parts.iter().map(|part| part.found.len()).sum());
    for part in parts {
        pairs.found.extend_from_slice(&part.found);
        pairs.candidates += part.candidates;
    }
}
