//! Comparing the pairs of this step with those of the last one.

use std::ops::Range;

use super::codes::SortedCodes;
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// The outcome of an update, each list sorted.
#[derive(Clone, Debug)]
pub(super) struct Lists<K> {
    pub(super) started: Vec<(K, K)>,
    pub(super) ongoing: Vec<(K, K)>,
    pub(super) ended: Vec<(K, K)>,
    /// The started and the ongoing.
    pub(super) current: Vec<(K, K)>,
}

impl<K> Default for Lists<K> {
    fn default() -> Self {
        Lists { started: Vec::new(), ongoing: Vec::new(), ended: Vec::new(), current: Vec::new() }
    }
}

/// How many pairs of a piece went where.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    started: usize,
    ongoing: usize,
    ended: usize,
    current: usize,
}

/// A piece of the merge: codes, and the pairs of the last step that fall between the same keys.
#[derive(Clone, Debug)]
struct Cut {
    codes: Range<usize>,
    previous: Range<usize>,
    tally: Tally,
}

/// Codes per cut at least: below, sharing out costs more than it saves.
const CUT: usize = 1024;
/// Cuts per worker, to even out what they differ in.
const CUTS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Merger<K> {
    cuts: Vec<Cut>,
    /// Room for the next current pairs.
    spare: Vec<(K, K)>,
}

impl<K> Default for Merger<K> {
    fn default() -> Self {
        Merger { cuts: Vec::new(), spare: Vec::new() }
    }
}

impl<K: Copy + Ord + Send + Sync> Merger<K> {
    /// Replaces the lists of the last step by those of this one.
    ///
    /// Each worker writes to the places that its codes, or its pairs of the last step, have in the whole; the gaps are closed
    /// afterwards. To count first and write to the final places would be to merge twice.
    pub(super) fn update(&mut self, lists: &mut Lists<K>, codes: SortedCodes<'_>, keys: &[K], team: Team) {
        self.cut(codes, keys, &lists.current, team);
        // All memory first: what is refused below would leave nothing of the last step.
        for list in [&mut lists.started, &mut lists.ongoing, &mut self.spare] {
            memory::reserve_with_slack(list, codes.len());
        }
        memory::reserve_with_slack(&mut lists.ended, lists.current.len());
        // Should comparing keys panic from here on, the lists stay empty.
        let Lists { mut started, mut ongoing, mut ended, current: previous } = std::mem::take(lists);
        let mut current = std::mem::take(&mut self.spare);
        let any = codes.get(0).map(|code| code.keys(keys)).or_else(|| previous.first().copied());
        for list in [&mut started, &mut ongoing, &mut current] {
            resize(list, codes.len(), any);
        }
        resize(&mut ended, previous.len(), any);

        let work = Merge {
            cuts: &mut self.cuts,
            started: &mut started,
            ongoing: &mut ongoing,
            ended: &mut ended,
            current: &mut current,
        };
        share_out(work, team, &|merge| merge.run(codes, keys, &previous));
        close_gaps(&mut started, self.cuts.iter().map(|cut| (cut.codes.start, cut.tally.started)));
        close_gaps(&mut ongoing, self.cuts.iter().map(|cut| (cut.codes.start, cut.tally.ongoing)));
        close_gaps(&mut ended, self.cuts.iter().map(|cut| (cut.previous.start, cut.tally.ended)));
        close_gaps(&mut current, self.cuts.iter().map(|cut| (cut.codes.start, cut.tally.current)));
        self.spare = previous;
        *lists = Lists { started, ongoing, ended, current };
    }

    /// Cuts the codes into equal pieces, but not between equal pairs, and the last step's pairs where those begin.
    fn cut(&mut self, codes: SortedCodes<'_>, keys: &[K], previous: &[(K, K)], team: Team) {
        let most = if team.workers() > 1 { team.workers() * CUTS } else { 1 };
        let cuts = (codes.len() / CUT).clamp(1, most);
        self.cuts.clear();
        let (mut code, mut before) = (0, 0);
        for cut in 1..=cuts {
            let end = codes.begin_of_pair(cut * codes.len() / cuts);
            let until = match codes.get(end).map(|next| next.keys(keys)) {
                Some(next) => before + previous[before..].partition_point(|pair| *pair < next),
                None => previous.len(),
            };
            memory::push(&mut self.cuts, Cut { codes: code..end, previous: before..until, tally: Tally::default() });
            (code, before) = (end, until);
        }
    }
}

/// Sets the length; what is new is overwritten before it is read.
fn resize<K: Copy>(list: &mut Vec<(K, K)>, len: usize, any: Option<(K, K)>) {
    match any {
        Some(any) => list.resize(len, any),
        None => list.clear(),
    }
}

/// Moves runs, each given by its place and length, together at the front.
fn close_gaps<K: Copy>(list: &mut Vec<(K, K)>, runs: impl Iterator<Item = (usize, usize)>) {
    let mut end = 0;
    for (first, len) in runs {
        list.copy_within(first..first + len, end);
        end += len;
    }
    list.truncate(end);
}

/// A piece is a cut, with as much of each list as it may need.
struct Merge<'a, K> {
    cuts: &'a mut [Cut],
    started: &'a mut [(K, K)],
    ongoing: &'a mut [(K, K)],
    ended: &'a mut [(K, K)],
    current: &'a mut [(K, K)],
}

impl<K: Copy + Ord> Merge<'_, K> {
    /// Merges one cut. A pair that was goes on as long as it is reported at all; one that was not must be one that may start.
    ///
    /// With branches, and not by writing to all lists and moving the ends of some: a guess lets the processor fetch the keys of
    /// the pairs to come, and waiting for those costs more than guessing wrong. (1M pairs, a tenth of them new, on a busy AMD EPYC
    /// (Zen 3): 39 ms with branches, 92 without.)
    fn run(self, codes: SortedCodes<'_>, keys: &[K], previous: &[(K, K)]) {
        let cut = &mut self.cuts[0];
        let mut before = previous[cut.previous.clone()].iter().copied().peekable();
        let mut last = None;
        let mut to = Tally::default();
        for code in codes.range(cut.codes.clone()) {
            if last.replace(code).is_some_and(|last| code.is_same_pair(last)) {
                continue;
            }
            let pair = code.keys(keys);
            while let Some(was) = before.next_if(|was| *was < pair) {
                put(self.ended, &mut to.ended, was);
            }
            if before.next_if_eq(&pair).is_some() {
                put(self.ongoing, &mut to.ongoing, pair);
                put(self.current, &mut to.current, pair);
            } else if code.may_start() {
                put(self.started, &mut to.started, pair);
                put(self.current, &mut to.current, pair);
            }
        }
        for was in before {
            put(self.ended, &mut to.ended, was);
        }
        cut.tally = to;
    }
}

#[inline(always)]
fn put<K>(list: &mut [(K, K)], end: &mut usize, pair: (K, K)) {
    list[*end] = pair;
    *end += 1;
}

impl<K: Send> Divisible for Merge<'_, K> {
    fn pieces(&self) -> usize {
        self.cuts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (cuts, other_cuts) = self.cuts.split_at_mut(pieces);
        let codes = cuts.iter().map(|cut| cut.codes.len()).sum();
        let previous = cuts.iter().map(|cut| cut.previous.len()).sum();
        let (started, other_started) = self.started.split_at_mut(codes);
        let (ongoing, other_ongoing) = self.ongoing.split_at_mut(codes);
        let (ended, other_ended) = self.ended.split_at_mut(previous);
        let (current, other_current) = self.current.split_at_mut(codes);
        (
            Merge { cuts, started, ongoing, ended, current },
            Merge {
                cuts: other_cuts,
                started: other_started,
                ongoing: other_ongoing,
                ended: other_ended,
                current: other_current,
            },
        )
    }
}
