//! Comparing the pairs of this step with those of the last one.
//!
//! Two passes. The first pass compares, and writes one verdict per code and per pair of the last step. It changes nothing of the last step,
//! so a panic of the user's code leaves everything as it was. Afterwards the length of each list is known, and so is the place of each
//! pair. The second pass moves pairs and data to their places, and runs no user code.

use std::ops::Range;

use super::kinds::PairKind;
use crate::pairs::code::Code;
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// The outcome of an update, each list sorted.
#[derive(Clone, Debug)]
pub(super) struct Lists<Q, C> {
    pub(super) started: Vec<Q>,
    pub(super) ongoing: Vec<Q>,
    pub(super) ended: Vec<Q>,
    /// The started and the ongoing.
    pub(super) current: Vec<Q>,
    /// The codes of the current pairs, as of the update that found them. They are smaller than keys, and comparing them needs no look-up.
    pub(super) codes: Vec<C>,
    /// Whether `codes` are those of `current`.
    pub(super) has_codes: bool,
}

impl<Q, C> Default for Lists<Q, C> {
    fn default() -> Self {
        let (started, ongoing, ended, current) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Lists { started, ongoing, ended, current, codes: Vec::new(), has_codes: false }
    }
}

/// The data of pairs: that of `Lists::current`, and that of `Lists::ended`.
#[derive(Clone, Debug)]
pub(super) struct Values<T> {
    /// Longer than needed, by default values.
    pub(super) current: Vec<T>,
    pub(super) ended: Vec<T>,
    /// Room for the next current ones, all of them default values.
    pub(super) spare: Vec<T>,
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Values { current: Vec::new(), ended: Vec::new(), spare: Vec::new() }
    }
}

/// The verdict on a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// No pair: it equals the pair before, or it may not start.
    Dropped,
    Started,
    Ongoing,
}

/// Numbers of pairs.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    started: usize,
    ongoing: usize,
    ended: usize,
}

/// A piece of the merge: codes, and the pairs of the last step that fall between the same keys.
#[derive(Clone, Debug)]
struct Cut {
    codes: Range<usize>,
    previous: Range<usize>,
    tally: Tally,
}

/// The fewest codes of a cut: with fewer, sharing costs more than it saves.
const CUT: usize = 1024;
/// Cuts per worker, to even out their differences.
const CUTS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Merger<Q, C> {
    cuts: Vec<Cut>,
    /// By code. May be longer than needed.
    verdicts: Vec<Verdict>,
    /// By pair of the last step: whether it goes on. May be longer than needed.
    goes_on: Vec<bool>,
    /// Room for the next current pairs, and for their codes.
    spare: Vec<Q>,
    spare_codes: Vec<C>,
}

impl<Q, C> Default for Merger<Q, C> {
    fn default() -> Self {
        let (cuts, verdicts, goes_on) = (Vec::new(), Vec::new(), Vec::new());
        Merger { cuts, verdicts, goes_on, spare: Vec::new(), spare_codes: Vec::new() }
    }
}

/// The codes of a step, sorted, equal pairs next to each other, with the ranks that they are made of.
pub(super) struct SortedCodes<'a, P: PairKind> {
    pub(super) codes: &'a [P::Code],
    pub(super) ranks: &'a P::Ranks,
    /// Whether they can be compared with the codes of the last step's pairs.
    pub(super) are_comparable: bool,
}

impl<P: PairKind> SortedCodes<'_, P> {
    fn keys(&self, at: usize) -> P::Keys {
        P::keys(self.codes[at], self.ranks)
    }

    /// The first place from here on that is not inside a run of equal pairs.
    fn begin_of_pair(&self, from: usize) -> usize {
        let is_in_midst = |&at: &usize| at > 0 && at < self.codes.len() && P::is_same_pair(self.codes[at - 1], self.codes[at]);
        (from..).find(|at| !is_in_midst(at)).unwrap_or(from)
    }
}

impl<Q: Copy + Ord + Send + Sync, C: Code> Merger<Q, C> {
    /// Replaces the lists of the last step by those of this one. `make` makes the data of new pairs. All lists but `ongoing` are always
    /// written.
    pub(super) fn update<P: PairKind<Keys = Q, Code = C>, T: Default + Send>(
        &mut self,
        codes: &SortedCodes<'_, P>,
        lists: &mut Lists<Q, C>,
        values: &mut Values<T>,
        with_ongoing: bool,
        make: &(impl Fn(Q) -> T + Sync),
        team: Team,
    ) {
        self.cut(codes, &lists.current, team);
        match codes.are_comparable {
            true => self.compare(codes, &lists.codes, |code| P::pair(code), team),
            false => self.compare(codes, &lists.current, |code| P::keys(code, codes.ranks), team),
        }
        let total = self.cuts.iter().fold(Tally::default(), |sum, Cut { tally, .. }| Tally {
            started: sum.started + tally.started,
            ongoing: sum.ongoing + tally.ongoing,
            ended: sum.ended + tally.ended,
        });
        let current = total.started + total.ongoing;
        let ongoing = if with_ongoing { total.ongoing } else { 0 };
        // First all memory and the user's code: a refusal or a panic must leave the last step as it was.
        memory::reserve_with_slack(&mut lists.started, total.started);
        memory::reserve_with_slack(&mut lists.ongoing, ongoing);
        memory::reserve_with_slack(&mut lists.ended, total.ended);
        memory::reserve_with_slack(&mut self.spare, current);
        memory::reserve_with_slack(&mut self.spare_codes, current);
        memory::reserve_with_slack(&mut values.ended, total.ended);
        let mut made = std::mem::take(&mut values.spare);
        memory::reserve_with_slack(&mut made, current);
        if made.len() < current {
            made.resize_with(current, T::default);
        }
        self.create(codes, &mut made[..current], make, team);
        values.ended.resize_with(total.ended, T::default);

        let any = codes.codes.first().map(|_| codes.keys(0)).or_else(|| lists.current.first().copied());
        resize(&mut lists.started, total.started, any);
        resize(&mut lists.ongoing, ongoing, any);
        resize(&mut lists.ended, total.ended, any);
        resize(&mut self.spare, current, any);
        self.spare_codes.resize(current, C::zeroed());
        let work = Writing {
            cuts: &self.cuts,
            codes,
            previous: &lists.current,
            verdicts: &self.verdicts,
            goes_on: &self.goes_on,
            started: &mut lists.started,
            ongoing: &mut lists.ongoing,
            ended: &mut lists.ended,
            current: &mut self.spare,
            current_codes: &mut self.spare_codes,
            values: &mut made,
            old_values: &mut values.current,
            ended_values: &mut values.ended,
        };
        share_out(work, team, &Writing::run);
        std::mem::swap(&mut lists.current, &mut self.spare);
        std::mem::swap(&mut lists.codes, &mut self.spare_codes);
        lists.has_codes = true;
        // The arrays of the last step now hold default values, as the next step requires.
        values.spare = std::mem::replace(&mut values.current, made);
    }

    /// Cuts the codes into equal pieces, but not between equal pairs, and the last step's pairs where those begin.
    fn cut<P: PairKind<Keys = Q, Code = C>>(&mut self, codes: &SortedCodes<'_, P>, previous: &[Q], team: Team) {
        let len = codes.codes.len();
        let most = if team.workers() > 1 { team.workers() * CUTS } else { 1 };
        let cuts = (len / CUT).clamp(1, most);
        self.cuts.clear();
        memory::reserve(&mut self.cuts, most);
        let (mut code, mut before) = (0, 0);
        for cut in 1..=cuts {
            let end = codes.begin_of_pair((cut * len / cuts).max(code));
            let until = match end < len {
                true => before + previous[before..].partition_point(|pair| *pair < codes.keys(end)),
                false => previous.len(),
            };
            self.cuts.push(Cut { codes: code..end, previous: before..until, tally: Tally::default() });
            (code, before) = (end, until);
        }
    }

    /// Compares the codes with the pairs of the last step, by their keys or by codes: by what `of` makes of a code.
    fn compare<P: PairKind<Keys = Q, Code = C>, K: Ord + Sync>(
        &mut self,
        codes: &SortedCodes<'_, P>,
        previous: &[K],
        of: impl Fn(C) -> K + Sync,
        team: Team,
    ) {
        let len = codes.codes.len();
        memory::reserve_with_slack(&mut self.verdicts, len);
        self.verdicts.resize(len.max(self.verdicts.len()), Verdict::Dropped);
        memory::reserve_with_slack(&mut self.goes_on, previous.len());
        self.goes_on.resize(previous.len().max(self.goes_on.len()), false);
        let work = Comparing { cuts: &mut self.cuts, verdicts: &mut self.verdicts, goes_on: &mut self.goes_on };
        share_out(work, team, &|comparing| comparing.run(codes, previous, &of));
    }

    /// Makes the data of new pairs, each in its place.
    fn create<P: PairKind<Keys = Q, Code = C>, T: Send>(
        &self,
        codes: &SortedCodes<'_, P>,
        made: &mut [T],
        make: &(impl Fn(Q) -> T + Sync),
        team: Team,
    ) {
        if size_of::<T>() == 0 {
            return;
        }
        share_out(Creating { cuts: &self.cuts, made }, team, &|Creating { cuts, made }| {
            let range = cuts[0].codes.clone();
            let kept = range.filter(|&at| self.verdicts[at] != Verdict::Dropped);
            for (at, place) in kept.zip(made) {
                if self.verdicts[at] == Verdict::Started {
                    *place = make(codes.keys(at));
                }
            }
        });
    }

    pub(super) fn bytes(&self) -> usize {
        self.cuts.capacity() * size_of::<Cut>()
            + self.verdicts.capacity()
            + self.goes_on.capacity()
            + self.spare.capacity() * size_of::<Q>()
            + self.spare_codes.capacity() * size_of::<C>()
    }
}

/// Sets the length. New elements are overwritten before they are read.
fn resize<Q: Copy>(list: &mut Vec<Q>, len: usize, any: Option<Q>) {
    match any {
        Some(any) => list.resize(len, any),
        None => list.clear(),
    }
}

/// A piece is a cut, with the verdicts on its codes and on its pairs of the last step.
struct Comparing<'a> {
    cuts: &'a mut [Cut],
    verdicts: &'a mut [Verdict],
    goes_on: &'a mut [bool],
}

impl Comparing<'_> {
    /// Merges one cut. An existing pair goes on as long as it is reported; a new pair must be one that may start.
    fn run<P: PairKind, K: Ord>(self, codes: &SortedCodes<'_, P>, previous: &[K], of: &impl Fn(P::Code) -> K) {
        let cut = &mut self.cuts[0];
        let previous = &previous[cut.previous.clone()];
        let mut tally = Tally::default();
        let mut last = None;
        let mut before = 0;
        for (code, verdict) in codes.codes[cut.codes.clone()].iter().zip(self.verdicts) {
            *verdict = Verdict::Dropped;
            if last.replace(*code).is_some_and(|last| P::is_same_pair(*code, last)) {
                continue;
            }
            let pair = of(*code);
            while before < previous.len() && previous[before] < pair {
                self.goes_on[before] = false;
                before += 1;
            }
            if before < previous.len() && previous[before] == pair {
                self.goes_on[before] = true;
                before += 1;
                tally.ongoing += 1;
                *verdict = Verdict::Ongoing;
            } else if P::may_start(*code) {
                tally.started += 1;
                *verdict = Verdict::Started;
            }
        }
        self.goes_on[before..previous.len()].fill(false);
        tally.ended = previous.len() - tally.ongoing;
        cut.tally = tally;
    }
}

impl Divisible for Comparing<'_> {
    fn pieces(&self) -> usize {
        self.cuts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (cuts, other_cuts) = self.cuts.split_at_mut(pieces);
        let (verdicts, other_verdicts) = self.verdicts.split_at_mut(cuts.iter().map(|cut| cut.codes.len()).sum());
        let (goes_on, other_goes_on) = self.goes_on.split_at_mut(cuts.iter().map(|cut| cut.previous.len()).sum());
        (Comparing { cuts, verdicts, goes_on }, Comparing { cuts: other_cuts, verdicts: other_verdicts, goes_on: other_goes_on })
    }
}

/// A piece is a cut, with the data of its current pairs.
struct Creating<'a, T> {
    cuts: &'a [Cut],
    made: &'a mut [T],
}

impl<T: Send> Divisible for Creating<'_, T> {
    fn pieces(&self) -> usize {
        self.cuts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (cuts, other_cuts) = self.cuts.split_at(pieces);
        let (made, others) = self.made.split_at_mut(cuts.iter().map(|cut| cut.tally.started + cut.tally.ongoing).sum());
        (Creating { cuts, made }, Creating { cuts: other_cuts, made: others })
    }
}

/// A piece is a cut, with its places in all lists.
struct Writing<'a, P: PairKind, T> {
    cuts: &'a [Cut],
    codes: &'a SortedCodes<'a, P>,
    previous: &'a [P::Keys],
    verdicts: &'a [Verdict],
    goes_on: &'a [bool],
    started: &'a mut [P::Keys],
    /// Empty if it is not needed.
    ongoing: &'a mut [P::Keys],
    ended: &'a mut [P::Keys],
    current: &'a mut [P::Keys],
    current_codes: &'a mut [P::Code],
    values: &'a mut [T],
    old_values: &'a mut [T],
    ended_values: &'a mut [T],
}

impl<P: PairKind, T: Default + Send> Writing<'_, P, T> {
    fn run(self) {
        let cut = &self.cuts[0];
        let (previous, goes_on) = (&self.previous[cut.previous.clone()], &self.goes_on[cut.previous.clone()]);
        let (mut before, mut to) = (0, Tally::default());
        // Up to the next pair of the last step that goes on.
        let mut end_pairs = |before: &mut usize, ended: &mut usize, old_values: &mut [T]| {
            while *before < previous.len() && !goes_on[*before] {
                self.ended[*ended] = previous[*before];
                self.ended_values[*ended] = std::mem::take(&mut old_values[*before]);
                (*before, *ended) = (*before + 1, *ended + 1);
            }
        };
        for at in cut.codes.clone() {
            let place = to.started + to.ongoing;
            match self.verdicts[at] {
                Verdict::Dropped => {}
                Verdict::Started => {
                    let pair = self.codes.keys(at);
                    self.current_codes[place] = P::pair(self.codes.codes[at]);
                    (self.started[to.started], self.current[place]) = (pair, pair);
                    to.started += 1;
                }
                Verdict::Ongoing => {
                    end_pairs(&mut before, &mut to.ended, self.old_values);
                    let pair = previous[before];
                    self.current[place] = pair;
                    self.current_codes[place] = P::pair(self.codes.codes[at]);
                    if let Some(ongoing) = self.ongoing.get_mut(to.ongoing) {
                        *ongoing = pair;
                    }
                    std::mem::swap(&mut self.values[place], &mut self.old_values[before]);
                    to.ongoing += 1;
                    before += 1;
                }
            }
        }
        end_pairs(&mut before, &mut to.ended, self.old_values);
    }
}

impl<P: PairKind, T: Send> Divisible for Writing<'_, P, T> {
    fn pieces(&self) -> usize {
        self.cuts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (cuts, other_cuts) = self.cuts.split_at(pieces);
        let sum = |of: fn(&Cut) -> usize| cuts.iter().map(of).sum::<usize>();
        let current = sum(|cut| cut.tally.started + cut.tally.ongoing);
        let ended = sum(|cut| cut.tally.ended);
        let (started, other_started) = self.started.split_at_mut(sum(|cut| cut.tally.started));
        let (ongoing, other_ongoing) = self.ongoing.split_at_mut(sum(|cut| cut.tally.ongoing).min(self.ongoing.len()));
        let (ended_pairs, other_ended) = self.ended.split_at_mut(ended);
        let (current_pairs, other_current) = self.current.split_at_mut(current);
        let (current_codes, other_codes) = self.current_codes.split_at_mut(current);
        let (values, other_values) = self.values.split_at_mut(current);
        let (old_values, other_old_values) = self.old_values.split_at_mut(sum(|cut| cut.previous.len()));
        let (ended_values, other_ended_values) = self.ended_values.split_at_mut(ended);
        (
            Writing {
                cuts,
                started,
                ongoing,
                ended: ended_pairs,
                current: current_pairs,
                current_codes,
                values,
                old_values,
                ended_values,
                ..self
            },
            Writing {
                cuts: other_cuts,
                started: other_started,
                ongoing: other_ongoing,
                ended: other_ended,
                current: other_current,
                current_codes: other_codes,
                values: other_values,
                old_values: other_old_values,
                ended_values: other_ended_values,
                ..self
            },
        )
    }
}
