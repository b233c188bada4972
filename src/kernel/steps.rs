//! Steps: the entries that a kernel reads at a time.

use std::ops::{ControlFlow, Range};

use crate::isa::WIDTH;

/// How many steps a list holds.
pub(crate) const STEPS: usize = 16;

/// A list of steps, each of at most [`WIDTH`] entries that follow one another, and no entry in two of them. A kernel that is given a list
/// takes the same branches whatever the lengths of the runs are that it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    begins: [u32; STEPS],
    lens: [u32; STEPS],
    len: usize,
    /// Where the last step begins, if the next run may join it.
    last: usize,
}

/// No run ends within a step of it.
const NONE: usize = usize::MAX / 2;

impl Steps {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Steps { begins: [0; STEPS], lens: [0; STEPS], len: 0, last: NONE }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        (self.len, self.last) = (0, NONE);
    }

    /// Where the steps begin, and how many entries each has.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.begins.iter().zip(&self.lens).take(self.len).map(|(&begin, &len)| (begin as usize, len as usize))
    }

    /// The entry of a lane, counted through all steps.
    #[inline(always)]
    pub(crate) fn entry(&self, lane: usize) -> usize {
        self.begins[lane / WIDTH % STEPS] as usize + lane % WIDTH
    }

    /// The next run may not join those before it.
    #[inline(always)]
    pub(crate) fn part(&mut self) {
        self.last = NONE;
    }

    /// Adds a run, unless it is empty. If both together are no longer than a step, it joins the one before it, with what lies between them:
    /// so call [`part`](Self::part) first, if that may be in another run. A full list is given to `search` and begun anew.
    #[inline(always)]
    pub(crate) fn add<B>(&mut self, run: Range<usize>, search: &mut impl FnMut(&Steps) -> ControlFlow<B>) -> ControlFlow<B> {
        let Range { mut start, end } = run;
        while start + WIDTH < end {
            self.push(start, start + WIDTH, search)?;
            start += WIDTH;
        }
        self.push(start, end, search)
    }

    /// Adds a run of at most one step. How long it is, and whether it joins, takes no branch: both are unpredictable.
    #[inline(always)]
    fn push<B>(&mut self, start: usize, end: usize, search: &mut impl FnMut(&Steps) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.len == STEPS {
            search(self)?;
            self.clear();
        }
        let is_run = start < end;
        let joins = is_run & (end.wrapping_sub(self.last) <= WIDTH);
        let (place, begin) = (self.len - usize::from(joins), if joins { self.last } else { start });
        self.begins[place % STEPS] = begin as u32;
        self.lens[place % STEPS] = (end - begin) as u32;
        self.len = place + usize::from(is_run);
        self.last = if is_run { begin } else { self.last };
        ControlFlow::Continue(())
    }

    /// Searches what is left in the list.
    #[inline(always)]
    pub(crate) fn finish<B>(&mut self, search: &mut impl FnMut(&Steps) -> ControlFlow<B>) -> ControlFlow<B> {
        let flow = if self.len > 0 { search(self) } else { ControlFlow::Continue(()) };
        self.clear();
        flow
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// The entries of the lists that some runs make, and the number of steps.
    fn entries(runs: &[Range<usize>]) -> (Vec<usize>, usize) {
        let (mut steps, mut found, mut count) = (Steps::new(), Vec::new(), 0);
        let mut search = |steps: &Steps| {
            assert!(steps.iter().count() <= STEPS);
            for (number, (begin, len)) in steps.iter().enumerate() {
                assert!((1..=WIDTH).contains(&len));
                assert_eq!(steps.entry(number * WIDTH), begin);
                found.extend(begin..begin + len);
            }
            count += steps.iter().count();
            ControlFlow::<Infallible>::Continue(())
        };
        for run in runs {
            let ControlFlow::Continue(()) = steps.add(run.clone(), &mut search);
        }
        let ControlFlow::Continue(()) = steps.finish(&mut search);
        (found, count)
    }

    #[test]
    fn near_runs_join() {
        assert_eq!(entries(&[]), (vec![], 0));
        assert_eq!(entries(&[7..7, 9..9]), (vec![], 0));
        assert_eq!(entries(&[3..5, 5..5, 7..9, 10..19]), ((3..19).collect(), 1));
        assert_eq!(entries(&[3..5, 7..9, 10..20]), ((3..9).chain(10..20).collect(), 2));
        // Earlier ones do not join.
        assert_eq!(entries(&[20..22, 3..5]), (vec![20, 21, 3, 4], 2));
    }

    #[test]
    fn long_runs_and_many_runs_are_cut() {
        assert_eq!(entries(std::slice::from_ref(&(5..1000))), ((5..1000).collect(), 63));
        let runs: Vec<_> = (0..100).map(|at| 20 * at..20 * at + 3).collect();
        assert_eq!(entries(&runs), (runs.iter().cloned().flatten().collect(), 100));
        // The last step of a long run and the next run.
        assert_eq!(entries(&[0..18, 20..24]), ((0..24).collect(), 2));
    }

    #[test]
    fn parted_runs_do_not_join() {
        let (mut steps, mut search) = (Steps::new(), |_: &Steps| ControlFlow::<Infallible>::Continue(()));
        let ControlFlow::Continue(()) = steps.add(1..2, &mut search);
        steps.part();
        let ControlFlow::Continue(()) = steps.add(3..4, &mut search);
        assert_eq!(steps.iter().collect::<Vec<_>>(), [(1, 1), (3, 1)]);
    }
}
