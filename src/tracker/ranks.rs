//! Keys as numbers: the place of each object's key among all keys in ascending order.
//!
//! Pairs of small numbers sort several times faster than pairs of a user's keys, whatever the keys are. What makes this pay is
//! that keys hardly change from step to step: only those that did are sorted, and keys that ascend with the index need nothing.

use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

#[derive(Clone, Debug)]
pub(super) struct Ranks<K> {
    /// The objects' keys, by index.
    keys: Vec<K>,
    /// Every key is greater than the one before it, so that index and rank are the same.
    ascending: bool,
    /// The keys, by index, of which `order` tells the order.
    ordered: Vec<K>,
    /// All objects by key, then by index.
    order: Vec<(K, u32)>,
    /// The objects whose keys are not those in `ordered`.
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

impl<K: Copy + Ord + Send + Sync> Ranks<K> {
    /// Asks for the keys of the first so many objects and ranks them.
    pub(super) fn assign(&mut self, objects: u32, key: &(impl Fn(u32) -> K + Sync), team: Team) {
        self.keys.clear();
        memory::reserve_with_slack(&mut self.keys, objects as usize);
        if let Some(first) = (0..objects).next().map(key) {
            self.keys.resize(objects as usize, first);
            // The first key is asked for once only.
            share_out(Asking { first: 1, keys: &mut self.keys[1..] }, team, &|Asking { first, keys }| {
                (first..).zip(keys).for_each(|(index, slot)| *slot = key(index));
            });
        }
        self.ascending = self.keys.is_sorted_by(|one, next| one < next);
        if !self.ascending && self.keys != self.ordered {
            self.reorder(team);
        }
    }

    /// The rank of an object's key.
    #[inline(always)]
    pub(super) fn rank(&self, index: u32) -> u32 {
        if self.ascending { index } else { self.ranks[index as usize] }
    }

    /// The keys by rank: ascending, each once.
    pub(super) fn keys(&self) -> &[K] {
        if self.ascending { &self.keys } else { &self.distinct }
    }

    /// Brings the order up to date with the keys: what left is taken out, what came is sorted and merged in.
    fn reorder(&mut self, team: Team) {
        // Should comparing keys panic below, or memory be refused, the next step finds nothing ordered and starts afresh.
        let ordered = std::mem::take(&mut self.ordered);
        let keys = &self.keys;
        self.fresh.clear();
        for (index, &key) in (0u32..).zip(keys) {
            if ordered.get(index as usize).is_none_or(|known| *known != key) {
                memory::push(&mut self.fresh, (key, index));
            }
        }
        team.sort_unstable(&mut self.fresh);

        self.spare.clear();
        memory::reserve_with_slack(&mut self.spare, keys.len());
        let mut fresh = self.fresh.iter().copied().peekable();
        let is_known = |&&(key, index): &&(K, u32)| keys.get(index as usize).is_some_and(|now| *now == key);
        // An order without its keys is what a panic left.
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
        memory::reserve_with_slack(&mut ordered, self.keys.len());
        ordered.extend_from_slice(&self.keys);
        self.ordered = ordered;
    }

    fn number(&mut self) {
        self.distinct.clear();
        memory::reserve_with_slack(&mut self.ranks, self.keys.len());
        self.ranks.resize(self.keys.len(), 0);
        for &(key, index) in &self.order {
            if self.distinct.last() != Some(&key) {
                memory::push(&mut self.distinct, key);
            }
            self.ranks[index as usize] = self.distinct.len() as u32 - 1;
        }
    }
}

/// Keys that are asked for, from the object `first` on.
struct Asking<'a, K> {
    first: u32,
    keys: &'a mut [K],
}

/// How many keys make a piece.
const PIECE: usize = 1024;

impl<K: Send> Divisible for Asking<'_, K> {
    fn pieces(&self) -> usize {
        self.keys.len().div_ceil(PIECE)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * PIECE).min(self.keys.len());
        let (keys, others) = self.keys.split_at_mut(at);
        (Asking { first: self.first, keys }, Asking { first: self.first + at as u32, keys: others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
