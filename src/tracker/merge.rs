//! Comparing the pairs of this step with those of the last one.

use std::cmp::Ordering;
use std::ops::Range;

use super::codes::SortedCodes;
use super::divide::{Divisible, share_out};
use crate::workers::Team;

/// What became of a pair.
#[derive(Clone, Copy, Debug)]
enum Event {
    Started,
    Ongoing,
    Ended,
}

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

/// A piece of the merge: codes, and the pairs of the last step that fall between the same keys.
#[derive(Clone, Debug)]
struct Cut {
    codes: Range<usize>,
    previous: Range<usize>,
    started: usize,
    ongoing: usize,
    ended: usize,
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
    /// Replaces the lists of the last step by those of this one. Counts first, so that every worker knows where to write.
    pub(super) fn update(&mut self, lists: &mut Lists<K>, codes: SortedCodes<'_>, keys: &[K], team: Team) {
        self.cut(codes, keys, &lists.current, team);
        let previous = &lists.current;
        share_out(&mut self.cuts[..], team, &|cut: &mut [Cut]| {
            let cut = &mut cut[0];
            let (mut started, mut ongoing, mut ended) = (0, 0, 0);
            merge(codes, keys, previous, cut, |event, _| match event {
                Event::Started => started += 1,
                Event::Ongoing => ongoing += 1,
                Event::Ended => ended += 1,
            });
            (cut.started, cut.ongoing, cut.ended) = (started, ongoing, ended);
        });

        // Should comparing keys panic from here on, the lists stay empty.
        let Lists { mut started, mut ongoing, mut ended, current: previous } = std::mem::take(lists);
        let mut current = std::mem::take(&mut self.spare);
        let any = codes.get(0).map(|code| code.keys(keys)).or_else(|| previous.first().copied());
        let sum = |count: fn(&Cut) -> usize| self.cuts.iter().map(count).sum();
        resize(&mut started, sum(|cut| cut.started), any);
        resize(&mut ongoing, sum(|cut| cut.ongoing), any);
        resize(&mut ended, sum(|cut| cut.ended), any);
        resize(&mut current, sum(|cut| cut.started + cut.ongoing), any);
        let work =
            Output { cuts: &self.cuts, started: &mut started, ongoing: &mut ongoing, ended: &mut ended, current: &mut current };
        share_out(work, team, &|output| output.write(codes, keys, &previous));
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
                Some(next) if cut < cuts => before + previous[before..].partition_point(|pair| *pair < next),
                _ => previous.len(),
            };
            self.cuts.push(Cut { codes: code..end, previous: before..until, started: 0, ongoing: 0, ended: 0 });
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

/// Calls `tell` with every pair that was or is, in ascending order. A pair that was goes on as long as it is reported at all; one
/// that was not has to be told that it may start.
#[inline(always)]
fn merge<K: Copy + Ord>(codes: SortedCodes<'_>, keys: &[K], previous: &[(K, K)], cut: &Cut, mut tell: impl FnMut(Event, (K, K))) {
    let mut before = previous[cut.previous.clone()].iter().copied().peekable();
    let mut last = None;
    for code in codes.range(cut.codes.clone()) {
        if last.replace(code).is_some_and(|last| code.is_same_pair(last)) {
            continue;
        }
        let pair = code.keys(keys);
        let was = loop {
            match before.peek().map(|was| was.cmp(&pair)) {
                Some(Ordering::Less) => before.next().into_iter().for_each(|ended| tell(Event::Ended, ended)),
                Some(Ordering::Equal) => break before.next().is_some(),
                _ => break false,
            }
        };
        if was {
            tell(Event::Ongoing, pair);
        } else if code.may_start() {
            tell(Event::Started, pair);
        }
    }
    before.for_each(|ended| tell(Event::Ended, ended));
}

/// A piece is a cut, with its part of each list.
struct Output<'a, K> {
    cuts: &'a [Cut],
    started: &'a mut [(K, K)],
    ongoing: &'a mut [(K, K)],
    ended: &'a mut [(K, K)],
    current: &'a mut [(K, K)],
}

impl<K: Copy + Ord> Output<'_, K> {
    fn write(self, codes: SortedCodes<'_>, keys: &[K], previous: &[(K, K)]) {
        let mut started = self.started.iter_mut();
        let mut ongoing = self.ongoing.iter_mut();
        let mut ended = self.ended.iter_mut();
        let mut current = self.current.iter_mut();
        merge(codes, keys, previous, &self.cuts[0], |event, pair| {
            let (list, goes_on) = match event {
                Event::Started => (&mut started, true),
                Event::Ongoing => (&mut ongoing, true),
                Event::Ended => (&mut ended, false),
            };
            put(list, pair);
            if goes_on {
                put(&mut current, pair);
            }
        });
    }
}

#[inline(always)]
fn put<K>(list: &mut std::slice::IterMut<'_, (K, K)>, pair: (K, K)) {
    *list.next().expect("counted by the same comparisons") = pair;
}

impl<K: Send> Divisible for Output<'_, K> {
    fn pieces(&self) -> usize {
        self.cuts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (cuts, other_cuts) = self.cuts.split_at(pieces);
        let sum = |count: fn(&Cut) -> usize| cuts.iter().map(count).sum();
        let (started, other_started) = self.started.split_at_mut(sum(|cut| cut.started));
        let (ongoing, other_ongoing) = self.ongoing.split_at_mut(sum(|cut| cut.ongoing));
        let (ended, other_ended) = self.ended.split_at_mut(sum(|cut| cut.ended));
        let (current, other_current) = self.current.split_at_mut(sum(|cut| cut.started + cut.ongoing));
        (
            Output { cuts, started, ongoing, ended, current },
            Output {
                cuts: other_cuts,
                started: other_started,
                ongoing: other_ongoing,
                ended: other_ended,
                current: other_current,
            },
        )
    }
}
