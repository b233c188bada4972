//! The result of a step on one rank.

use std::fmt;

use pivotgrid::{Pair, Pairs, PeriodicReason, Rejected};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::agree::{Call, agree};
use crate::comm::Comm;
use crate::error::ClusterError;
use crate::held::Held;
use crate::space::Shift;
use crate::stats::ClusterStats;

/// Two objects that pair, by their global ids, `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct GlobalPair {
    /// The smaller id.
    pub a: u64,
    /// The larger id.
    pub b: u64,
}

/// Two objects that pair in a periodic domain: the box of `b`, moved by `shift` periods, overlaps the box of `a`, both as the user has
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct ShiftedPair<const D: usize> {
    /// The smaller id.
    pub a: u64,
    /// The larger id.
    pub b: u64,
    /// By how many periods to move `b`, along each axis, so that it meets `a`; 0 on axes that are not periodic.
    pub shift: [i32; D],
}

impl<const D: usize> ShiftedPair<D> {
    fn unshifted(self) -> GlobalPair {
        GlobalPair { a: self.a, b: self.b }
    }
}

/// An own object that was left out of a step, and why. The pairs of all others are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalRejected {
    /// The object's id.
    pub id: u64,
    /// Its index among the own objects.
    pub index: usize,
    /// What was wrong with it.
    pub reason: PeriodicReason,
}

impl fmt::Display for GlobalRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GlobalRejected { id, index, reason } = self;
        match reason {
            PeriodicReason::Box(reason) => write!(f, "id {id}, {}", Rejected { index: *index, reason: *reason }),
            reason => write!(f, "id {id}, object {index}: {reason:?}"),
        }
    }
}

/// Names the objects of local pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a, const D: usize> {
    /// Of the objects that come first.
    pub(crate) own: &'a [u64],
    /// Of the others.
    pub(crate) ids: &'a [u64],
    /// Empty in an open space.
    pub(crate) shifts: &'a [Shift<D>],
}

impl<'a, const D: usize> Names<'a, D> {
    /// Of what a rank holds. `own_ids` are those of all own objects.
    pub(crate) fn of<S>(held: &'a Held<S, D>, own_ids: &'a [u64]) -> Self {
        Names { own: &own_ids[..held.in_place], ids: &held.ids, shifts: &held.shifts }
    }

    #[inline]
    pub(crate) fn id(&self, index: u32) -> u64 {
        let index = index as usize;
        self.own.get(index).copied().unwrap_or_else(|| self.ids[index - self.own.len()])
    }

    #[inline]
    pub(crate) fn shifted(&self, pair: Pair) -> ShiftedPair<D> {
        let (one, other) = ((self.id(pair.a), pair.a), (self.id(pair.b), pair.b));
        let ((a, i), (b, j)) = if one.0 < other.0 { (one, other) } else { (other, one) };
        let periods = |index: u32| self.shifts.get(index as usize).map_or([0; D], |shift| shift.periods);
        let (of_a, of_b) = (periods(i), periods(j));
        // If a moved down by `i` periods meets b moved down by `j`, then a where it is meets b moved up by `i - j`.
        ShiftedPair { a, b, shift: std::array::from_fn(|axis| of_a[axis] - of_b[axis]) }
    }

    #[inline]
    fn named(&self, pair: Pair) -> GlobalPair {
        let (one, other) = (self.id(pair.a), self.id(pair.b));
        GlobalPair { a: one.min(other), b: one.max(other) }
    }
}

/// A step on one rank: the pairs that this rank reports, borrowed from the [`Cluster`](crate::Cluster) until the next step. All ranks
/// together report all pairs, each once.
#[derive(Debug)]
pub struct Step<'a, C, const D: usize> {
    pub(crate) comm: &'a mut C,
    pub(crate) names: Names<'a, D>,
    /// The pairs are in the engine, in buffers of the cluster, or sorted in the cluster. The other two are empty.
    pub(crate) found: Option<Pairs<'a>>,
    pub(crate) kept: &'a [Vec<Pair>],
    pub(crate) ordered: &'a [ShiftedPair<D>],
    pub(crate) rejected: &'a [GlobalRejected],
    pub(crate) owners: &'a [u32],
    pub(crate) stats: &'a ClusterStats,
}

impl<'a, C: Comm, const D: usize> Step<'a, C, D> {
    /// How many pairs this rank reports.
    pub fn len(&self) -> usize {
        self.stats.pairs
    }

    /// Whether it reports none.
    pub fn is_empty(&self) -> bool {
        self.stats.pairs == 0
    }

    /// Iterates over the pairs of this rank; in ascending order if [`Config::canonical_order`](pivotgrid::Config::canonical_order) is set.
    /// In a periodic domain, objects that meet in several places occur several times.
    pub fn pairs(&self) -> impl Iterator<Item = GlobalPair> + use<'a, C, D> {
        let names = self.names;
        self.local().map(move |pair| names.named(pair)).chain(self.ordered.iter().map(|pair| pair.unshifted()))
    }

    /// The same with the shifts by which objects meet.
    pub fn shifted_pairs(&self) -> impl Iterator<Item = ShiftedPair<D>> + use<'a, C, D> {
        let names = self.names;
        self.local().map(move |pair| names.shifted(pair)).chain(self.ordered.iter().copied())
    }

    /// Iterates over the pairs on the threads of the current rayon pool.
    pub fn par_pairs(&self) -> impl ParallelIterator<Item = GlobalPair> + use<'a, C, D> {
        let names = self.names;
        let found = self.found.into_par_iter().flat_map(|pairs| pairs.into_par_iter());
        let local = found.chain(self.kept.par_iter().flat_map(|block| block.par_iter().copied()));
        local.map(move |pair| names.named(pair)).chain(self.ordered.par_iter().map(|pair| pair.unshifted()))
    }

    fn local(&self) -> impl Iterator<Item = Pair> + use<'a, C, D> {
        self.found.into_iter().flatten().chain(self.kept.iter().flatten().copied())
    }

    /// The own objects that were left out, in ascending order of index.
    pub fn rejected(&self) -> &'a [GlobalRejected] {
        self.rejected
    }

    /// For each own object the rank that owns its lower corner now. An object that migrates there is near what it meets, and is sent to
    /// other ranks only where it crosses a border: see [`Cluster::migrate`](crate::Cluster::migrate).
    pub fn owners(&self) -> &'a [u32] {
        self.owners
    }

    /// What the step did on this rank and what it cost.
    pub fn stats(&self) -> &'a ClusterStats {
        self.stats
    }

    /// Collects the pairs of all ranks on rank `root`, in ascending order: the same for every number of ranks. `None` on the other
    /// ranks. Collective; for small scenes, tests and logs, because one rank must hold all.
    pub fn gather(&mut self, root: usize) -> Result<Option<Vec<ShiftedPair<D>>>, ClusterError> {
        let (rank, size, mut all) = (self.comm.rank(), self.comm.size(), Vec::new());
        let words = 2 + D;
        let outcome = if root < size { Ok(()) } else { Err(format!("there is no rank {root}")) };
        agree(self.comm, Call::Gather, outcome, [root as u64, self.len() as u64, 0], &mut all)?;
        let mut send = Vec::with_capacity(self.len() * words);
        for pair in self.shifted_pairs() {
            send.extend([pair.a, pair.b]);
            send.extend(pair.shift.map(|periods| periods as u64));
        }
        let mut send_counts = vec![0; size];
        send_counts[root] = send.len();
        let of_rank = |of: &[u64]| if of[1] as usize == rank { of[2] as usize * words } else { 0 };
        let receive_counts: Vec<usize> = all.chunks_exact(crate::agree::WORDS).map(of_rank).collect();
        let mut receive = vec![0; receive_counts.iter().sum()];
        self.comm.exchange(&send, &send_counts, &mut receive, &receive_counts)?;
        let pair = |of: &[u64]| ShiftedPair { a: of[0], b: of[1], shift: std::array::from_fn(|axis| of[2 + axis] as i32) };
        let mut pairs: Vec<_> = receive.chunks_exact(words).map(pair).collect();
        pairs.sort_unstable();
        Ok((rank == root).then_some(pairs))
    }
}
