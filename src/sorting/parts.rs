//! A step's pairs, cut into parts of equal size.

use crate::pairs::source::Stored;
use crate::runtime::memory;
use crate::runtime::team::Team;

use super::share_out;

/// Parts per worker, to even out their differences.
const PARTS_PER_WORKER: usize = 4;
/// The fewest pairs of a part: with fewer, sharing costs more than it saves.
const LEAST: usize = 512;

/// A run of the step's pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SourcePart {
    /// The block in which it begins, and the place in that block.
    block: usize,
    first: usize,
    pub(super) pairs: usize,
    /// How many codes there is room for.
    pub(super) room: usize,
    /// One more than the largest index, by side.
    objects: [u32; 2],
}

impl SourcePart {
    /// Runs `visit` on every pair of the part.
    #[inline(always)]
    pub(super) fn read<S: Stored>(&self, source: &S, mut visit: impl FnMut(S::Pair)) {
        let (mut left, mut first) = (self.pairs, self.first);
        for block in &source.blocks()[self.block..] {
            if left == 0 {
                return;
            }
            let here = &block[first..block.len().min(first + left)];
            here.iter().for_each(|&stored| visit(source.meaning(stored)));
            left -= here.len();
            first = 0;
        }
    }
}

/// How many parts there are at most.
pub(super) fn most_parts(team: Team) -> usize {
    team.workers() * PARTS_PER_WORKER
}

/// Cuts the pairs.
pub(super) fn cut<S: Stored>(parts: &mut Vec<SourcePart>, source: &S, team: Team) {
    let total: usize = source.blocks().iter().map(Vec::len).sum();
    let count = match team.workers() {
        1 => 1,
        _ => (total / LEAST).clamp(1, most_parts(team)),
    };
    parts.clear();
    memory::reserve(parts, most_parts(team));
    let (mut block, mut first, mut begin) = (0, 0, 0);
    for number in 1..=count {
        let end = number * total / count;
        parts.push(SourcePart { block, first, pairs: end - begin, ..SourcePart::default() });
        // On to the place where the next part begins.
        let mut skip = end - begin;
        while let Some(here) = source.blocks().get(block).map(|block| block.len() - first).filter(|&here| here <= skip) {
            (block, first, skip) = (block + 1, 0, skip - here);
        }
        (first, begin) = (first + skip, end);
    }
}

/// One more than the largest index, by side.
pub(super) fn survey<S: Stored>(
    parts: &mut [SourcePart],
    source: &S,
    indices: &(impl Fn(S::Pair) -> [u32; 2] + Sync),
    team: Team,
) -> [u32; 2] {
    share_out(&mut parts[..], team, &|part: &mut [SourcePart]| {
        let mut objects = [0; 2];
        part[0].read(source, |pair| {
            let [one, other] = indices(pair);
            objects = [objects[0].max(one + 1), objects[1].max(other + 1)];
        });
        part[0].objects = objects;
    });
    parts.iter().fold([0; 2], |[one, other], part| [one.max(part.objects[0]), other.max(part.objects[1])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pair, Pairs};

    #[test]
    fn parts_have_each_pair_once_whatever_the_blocks() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        for lens in [&[][..], &[0], &[0, 1, 0], &[5000], &[512, 0, 0, 512, 1, 7, 4096, 0], &[3, 1020, 1, 1, 1], &[600, 600, 600]]
        {
            let mut next = 0;
            let blocks: Vec<Vec<Pair>> = lens
                .iter()
                .map(|&len| {
                    next += len;
                    (next - len..next).map(|a| Pair { a, b: a + 1 }).collect()
                })
                .collect();
            let source = Pairs::<Pair>::new(&blocks, &[]);
            pool.install(|| {
                let (team, mut parts, mut found) = (Team::of_current_pool(), Vec::new(), Vec::new());
                cut(&mut parts, &source, team);
                parts.iter().for_each(|part| part.read(&source, |pair| found.push(pair.a)));
                assert_eq!(found, (0..next).collect::<Vec<_>>(), "{lens:?}");
                let expected = if next == 0 { [0, 0] } else { [next, next + 1] };
                assert_eq!(survey(&mut parts, &source, &|pair| [pair.a, pair.b], team), expected);
            });
        }
    }
}
