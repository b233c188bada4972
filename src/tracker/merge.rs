//! Comparing the pairs of this step with those of the last one.

use std::cmp::Ordering;
use std::ops::Range;

use super::codes::SortedCodes;
use crate::sorting::{Divisible, share_out};
use crate::workers::Team;

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
            self.cuts.push(Cut { codes: code..end, previous: before..until, tally: Tally::default() });
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
    /// Which of the two comes next is anybody's guess, so nothing branches on it: the pair is written to every list it might
    /// belong to, and the ends of those to which it does belong move on.
    fn run(self, codes: SortedCodes<'_>, keys: &[K], previous: &[(K, K)]) {
        let cut = &mut self.cuts[0];
        let (codes, previous) = (codes.range(cut.codes.clone()), &previous[cut.previous.clone()]);
        let (mut at, mut before) = (0, 0);
        let mut to = Tally::default();
        let mut last = None;
        while let (Some(code), Some(&was)) = (codes.get(at), previous.get(before)) {
            if last.is_some_and(|last| code.is_same_pair(last)) {
                at += 1;
                continue;
            }
            let pair = code.keys(keys);
            let order = was.cmp(&pair);
            let (ends, goes_on) = (order == Ordering::Less, order == Ordering::Equal);
            let starts = (order == Ordering::Greater) & code.may_start();

            self.ended[to.ended] = was;
            self.started[to.started] = pair;
            self.ongoing[to.ongoing] = pair;
            self.current[to.current] = pair;
            to.ended += usize::from(ends);
            to.started += usize::from(starts);
            to.ongoing += usize::from(goes_on);
            to.current += usize::from(starts | goes_on);
            before += usize::from(ends | goes_on);
            at += usize::from(!ends);
            last = if ends { last } else { Some(code) };
        }
        while let Some(code) = codes.get(at) {
            let repeats = last.replace(code).is_some_and(|last| code.is_same_pair(last));
            if code.may_start() && !repeats {
                self.started[to.started] = code.keys(keys);
                self.current[to.current] = code.keys(keys);
                to.started += 1;
                to.current += 1;
            }
            at += 1;
        }
        let rest = &previous[before..];
        self.ended[to.ended..][..rest.len()].copy_from_slice(rest);
        to.ended += rest.len();
        cut.tally = to;
    }
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
