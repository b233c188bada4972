//! Keys as numbers: the place of each object's key among all keys in ascending order.
//!
//! Pairs of small numbers sort several times faster than pairs of a user's keys, whatever the keys are. Making the numbers is cheap because
//! keys hardly change from step to step: only changed keys are sorted, and keys that ascend with the index need no sort.

use std::sync::atomic::{AtomicBool, Ordering};

use super::kinds::Key;
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// The last bit of a code leaves 31 for the rank of a key.
const MAX_RANKS: usize = 1 << 31;
/// Keys that a worker reads at a time.
const BLOCK: usize = 4096;

/// The keys of the objects of one side, and their ranks.
#[derive(Clone, Debug)]
pub struct Ranks<K> {
    /// The objects' keys, by index. May be longer than needed.
    keys: Vec<K>,
    objects: usize,
    /// How many of them, counted from the first, are known to be the indices themselves.
    indices: usize,
    /// Whether keys were assigned, and each key that had a rank before has the same one now.
    is_assigned: bool,
    is_stable: bool,
    /// Every key is greater than the one before it, so that index and rank are the same.
    ascending: bool,
    /// The keys, by index; `order` is their ascending order.
    ordered: Vec<K>,
    /// All objects by key, then by index.
    order: Vec<(K, u32)>,
    /// The objects whose keys differ from those in `ordered`.
    fresh: Vec<(K, u32)>,
    /// Room for the next `order`.
    spare: Vec<(K, u32)>,
    /// The ranks, by index. Equal keys share one.
    ranks: Vec<u32>,
    /// The keys, by rank.
    distinct: Vec<K>,
}

impl<K> Default for Ranks<K> {
    fn default() -> Self {
        Ranks {
            keys: Vec::new(),
            objects: 0,
            indices: 0,
            is_assigned: false,
            is_stable: false,
            ascending: true,
            ordered: Vec::new(),
            order: Vec::new(),
            fresh: Vec::new(),
            spare: Vec::new(),
            ranks: Vec::new(),
            distinct: Vec::new(),
        }
    }
}

impl Ranks<u32> {
    /// Makes the keys of the first `objects` objects their indices. Costs nothing if they were before.
    pub(super) fn assign_indices(&mut self, objects: u32) {
        let count = objects as usize;
        assert!(count <= MAX_RANKS, "{count} different keys, but a tracker takes at most {MAX_RANKS}");
        let was_indices = self.is_assigned && self.indices >= self.objects;
        (self.is_assigned, self.is_stable) = (false, was_indices);
        (self.objects, self.ascending) = (count, true);
        if self.indices < count {
            memory::reserve_with_slack(&mut self.keys, count);
            self.keys.truncate(self.indices);
            self.keys.extend(self.indices as u32..objects);
            self.indices = count;
        }
        self.is_assigned = true;
    }
}

impl<K: Key> Ranks<K> {
    /// Reads the keys of the first objects and ranks them.
    pub(super) fn assign(&mut self, objects: u32, key: &(impl Fn(u32) -> K + Sync), team: Team) {
        let (before, was_ascending) = (self.objects, self.ascending);
        let was_assigned = std::mem::take(&mut self.is_assigned);
        (self.is_stable, self.objects, self.ascending, self.indices) = (false, objects as usize, true, 0);
        if objects == 0 {
            return;
        }
        let first = key(0);
        memory::reserve_with_slack(&mut self.keys, self.objects);
        self.keys.resize(self.objects.max(self.keys.len()), first);
        let is_same = std::mem::replace(&mut self.keys[0], first) == first || before == 0;
        // Relaxed: read after the join.
        let (ascends, is_known) = (AtomicBool::new(true), AtomicBool::new(self.ordered.first() == Some(&first)));
        let is_same = AtomicBool::new(is_same);
        let work = Asking { keys: &mut self.keys[1..self.objects], first: 1 };
        let ordered = &self.ordered;
        share_out(work, team, &|Asking { keys, first }| {
            let mut changes = false;
            for (index, place) in (first..).zip(keys.iter_mut()) {
                let now = key(index as u32);
                changes |= *place != now && index < before;
                *place = now;
            }
            if changes {
                is_same.store(false, Ordering::Relaxed);
            }
            if !keys.is_sorted_by(|one, next| one < next) {
                ascends.store(false, Ordering::Relaxed);
            }
            if ordered.get(first..first + keys.len()).is_none_or(|known| *known != *keys) {
                is_known.store(false, Ordering::Relaxed);
            }
        });
        // Also between blocks.
        let borders = (1..self.objects).step_by(BLOCK);
        self.ascending = ascends.into_inner() && borders.into_iter().all(|at| self.keys[at - 1] < self.keys[at]);
        let is_ranked = is_known.into_inner() && self.ordered.len() == self.objects;
        if !self.ascending && !is_ranked {
            self.reorder(team);
        }
        self.is_stable =
            was_assigned && was_ascending == self.ascending && if self.ascending { is_same.into_inner() } else { is_ranked };
        self.is_assigned = true;
        let ranks = self.keys().len();
        assert!(ranks <= MAX_RANKS, "{ranks} different keys, but a tracker takes at most {MAX_RANKS}");
    }

    /// Whether each key that had a rank at the last assignment has the same one now.
    pub(super) fn is_stable(&self) -> bool {
        self.is_stable
    }

    /// The rank of an object's key.
    #[inline(always)]
    pub(super) fn rank(&self, index: u32) -> u32 {
        if self.ascending { index } else { self.ranks[index as usize] }
    }

    /// The keys by rank: ascending, each once.
    pub(super) fn keys(&self) -> &[K] {
        if self.ascending { &self.keys[..self.objects] } else { &self.distinct }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.keys.capacity() + self.ordered.capacity() + self.distinct.capacity()) * size_of::<K>()
            + (self.order.capacity() + self.fresh.capacity() + self.spare.capacity()) * size_of::<(K, u32)>()
            + self.ranks.capacity() * size_of::<u32>()
    }

    /// Updates the order to the keys: removed keys are taken out, new ones are sorted and merged in.
    fn reorder(&mut self, team: Team) {
        // If comparing keys panics below, or memory is refused, the next step finds nothing ordered and starts anew.
        let ordered = std::mem::take(&mut self.ordered);
        let keys = &self.keys[..self.objects];
        self.fresh.clear();
        for (index, &key) in (0u32..).zip(keys) {
            if ordered.get(index as usize).is_none_or(|known| *known != key) {
                memory::push(&mut self.fresh, (key, index));
            }
        }
        sort(&mut self.fresh, &mut self.spare, team);

        self.spare.clear();
        memory::reserve_with_slack(&mut self.spare, keys.len());
        let mut fresh = self.fresh.iter().copied().peekable();
        let is_known = |&&(key, index): &&(K, u32)| keys.get(index as usize).is_some_and(|now| *now == key);
        // An order without keys is left by a panic.
        let known = if ordered.is_empty() { &[][..] } else { &self.order };
        for &entry in known.iter().filter(is_known) {
            while let Some(before) = fresh.next_if(|fresh| *fresh < entry) {
                self.spare.push(before);
            }
            self.spare.push(entry);
        }
        self.spare.extend(fresh);
        std::mem::swap(&mut self.order, &mut self.spare);
        self.number();

        let mut ordered = ordered;
        ordered.clear();
        memory::reserve_with_slack(&mut ordered, self.objects);
        ordered.extend_from_slice(&self.keys[..self.objects]);
        self.ordered = ordered;
    }

    fn number(&mut self) {
        self.distinct.clear();
        memory::reserve_with_slack(&mut self.ranks, self.objects);
        self.ranks.resize(self.objects, 0);
        for &(key, index) in &self.order {
            if self.distinct.last() != Some(&key) {
                memory::push(&mut self.distinct, key);
            }
            self.ranks[index as usize] = self.distinct.len() as u32 - 1;
        }
    }
}

/// Sorts, with equal room in `spare`: parts are sorted by one worker each, and then merged two by two.
fn sort<T: Copy + Ord + Send + Sync>(entries: &mut Vec<T>, spare: &mut Vec<T>, team: Team) {
    let runs = team.workers().next_power_of_two();
    if runs == 1 || entries.len() < BLOCK {
        return entries.sort_unstable();
    }
    let mut run = entries.len().div_ceil(runs);
    share_out(Merging { from: &[], to: entries, run }, team, &|merging| merging.to.sort_unstable());
    spare.clear();
    memory::reserve_with_slack(spare, entries.len());
    spare.extend_from_slice(entries);
    while run < entries.len() {
        share_out(Merging { from: entries, to: spare, run: 2 * run }, team, &|merging| {
            let (mut one, mut other) = merging.from.split_at(run.min(merging.from.len()));
            for place in merging.to {
                let takes_one = other.first().is_none_or(|other| one.first().is_some_and(|one| one <= other));
                let source = if takes_one { &mut one } else { &mut other };
                (*place, *source) = (source[0], &source[1..]);
            }
        });
        std::mem::swap(entries, spare);
        run *= 2;
    }
}

/// Runs of one length. A piece is a run.
struct Merging<'a, T> {
    from: &'a [T],
    to: &'a mut [T],
    run: usize,
}

impl<T: Send + Sync> Divisible for Merging<'_, T> {
    fn pieces(&self) -> usize {
        self.to.len().div_ceil(self.run)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * self.run).min(self.to.len());
        let (from, other_from) = self.from.split_at(at.min(self.from.len()));
        let (to, other_to) = self.to.split_at_mut(at);
        (Merging { from, to, run: self.run }, Merging { from: other_from, to: other_to, run: self.run })
    }
}

/// Reads keys, from an index on. A piece is a block.
struct Asking<'a, K> {
    keys: &'a mut [K],
    first: usize,
}

impl<K: Send> Divisible for Asking<'_, K> {
    fn pieces(&self) -> usize {
        self.keys.len().div_ceil(BLOCK)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * BLOCK).min(self.keys.len());
        let (keys, others) = self.keys.split_at_mut(at);
        (Asking { keys, first: self.first }, Asking { keys: others, first: self.first + at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_by_any_number_of_workers() {
        let entries: Vec<u32> = (0..20_000u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 7).collect();
        let mut expected = entries.clone();
        expected.sort_unstable();
        for threads in [1, 2, 3, 5, 8] {
            for len in [0, 1, 4095, 4096, 4097, 20_000] {
                let (mut some, mut spare) = (entries[..len].to_vec(), Vec::new());
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
                pool.install(|| sort(&mut some, &mut spare, Team::of_current_pool()));
                assert!(some.is_sorted() && some.len() == len, "{threads} threads, {len} entries");
                assert!(len < 20_000 || some == expected);
            }
        }
    }

    /// Keys that come, go, move and repeat, over several steps of one instance: ranks must be those of a sorted set each time.
    #[test]
    fn ranks_follow_the_keys() {
        let steps: [&[u8]; 9] = [
            &[],
            &[5, 3, 9],
            &[5, 3, 9],
            &[1, 3, 9, 5],
            &[1, 2, 3],
            &[9, 9, 9, 1],
            &[7],
            &[9, 1, 9, 1, 0, 4],
            &[4, 4, 8, 1, 0, 4, 2],
        ];
        let mut ranks = Ranks::default();
        for keys in steps {
            ranks.assign(keys.len() as u32, &|index| keys[index as usize], Team::ALONE);
            let mut distinct = keys.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(ranks.keys(), distinct);
            for (index, key) in keys.iter().enumerate() {
                assert_eq!(ranks.keys()[ranks.rank(index as u32) as usize], *key, "{keys:?}");
            }
        }
    }
    /// Indices and other keys in turn, more and fewer of them.
    #[test]
    fn indices_are_keys() {
        let mut ranks = Ranks::default();
        for count in [3, 5, 2, 0, 9, 4] {
            for _ in 0..2 {
                ranks.assign_indices(count);
                assert_eq!(ranks.keys(), (0..count).collect::<Vec<_>>());
                assert!((0..count).all(|index| ranks.rank(index) == index));
            }
            if count != 2 {
                ranks.assign(count + 1, &|index| 7 + index % 3, Team::ALONE);
                assert_eq!(ranks.keys(), (7..7 + (count + 1).min(3)).collect::<Vec<_>>());
            }
        }
    }
}
