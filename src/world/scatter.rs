//! Writes to scattered places of a slice, by several workers and without a lock.

use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// Items whose places are compared with a worker's share all at once.
const BLOCK: usize = 512;

/// A worker's share of the targets.
struct Share<'a, T> {
    targets: &'a mut [T],
    first: usize,
    len: usize,
}

impl<T: Send> Divisible for Share<'_, T> {
    fn pieces(&self) -> usize {
        self.targets.len().div_ceil(self.len)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let Share { targets, first, len } = self;
        let at = (pieces * len).min(targets.len());
        let (targets, others) = targets.split_at_mut(at);
        (Share { targets, first, len }, Share { targets: others, first: first + at, len })
    }
}

/// Runs `change` with the number of each item on the target at its place. Items with the same place are applied in their order. Items
/// without a target are left out.
///
/// Each worker has a share of the targets, goes over the places of all items and changes those of its share. Items mostly come in the order
/// of their places, so for most blocks two comparisons show that they belong to another worker.
pub(super) fn scatter<I: Sync, T: Send>(
    items: &[I],
    place: impl Fn(&I) -> u32 + Sync,
    targets: &mut [T],
    team: Team,
    change: impl Fn(usize, &mut T) + Sync,
) {
    let len = targets.len().div_ceil(team.workers()).max(1);
    share_out(Share { targets, first: 0, len }, team, &|Share { targets, first, .. }: Share<'_, T>| {
        for (begin, block) in (0..).step_by(BLOCK).zip(items.chunks(BLOCK)) {
            let (low, high) = block.iter().map(&place).fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            if (high as usize) < first || low as usize >= first + targets.len() {
                continue;
            }
            for (number, item) in (begin..).zip(block) {
                if let Some(target) = targets.get_mut((place(item) as usize).wrapping_sub(first)) {
                    change(number, target);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_changes_its_target_in_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        for (count, step) in [(0u32, 1), (1, 1), (5000, 1), (5000, 7), (5000, 4999)] {
            let items: Vec<(u32, u32)> = (0..2 * count).map(|i| (i * step % count.max(1), i)).collect();
            let run = |team: Team| {
                let mut targets = vec![u32::MAX; count as usize / 2];
                scatter(&items, |item| item.0, &mut targets, team, |number, target| *target = items[number].1);
                targets
            };
            let mut expected = vec![u32::MAX; count as usize / 2];
            items.iter().for_each(|&(place, i)| expected.get_mut(place as usize).into_iter().for_each(|target| *target = i));
            assert_eq!(run(Team::ALONE), expected);
            assert_eq!(pool.install(|| run(Team::of_current_pool())), expected);
        }
    }
}
