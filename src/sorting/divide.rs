//! Divides borrowed memory among workers, piece by piece and without a list of the pieces.

use std::cell::Cell;

use crate::lockfree::Blocks;
use crate::runtime::team::Team;

/// Work on exclusively borrowed memory that falls into pieces one after another.
pub(crate) trait Divisible: Send + Sized {
    /// How many pieces there are.
    fn pieces(&self) -> usize;

    /// The first pieces, and the rest.
    fn divide(self, pieces: usize) -> (Self, Self);
}

impl<T: Send> Divisible for &mut [T] {
    fn pieces(&self) -> usize {
        self.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        self.split_at_mut(pieces)
    }
}

/// The most claims that work is cut into. They lie on the stack, because a steady scene does not allocate. Enough to even out differences
/// between pieces.
const CLAIMS: usize = 128;

/// Runs `piece` on every piece and waits for all of them. A panic in one of them reaches the caller.
///
/// A worker claims consecutive pieces. The first claim goes to the first worker that starts, so it does not matter how many start.
pub(crate) fn share_out<W: Divisible>(work: W, team: Team, piece: &(impl Fn(W) + Sync)) {
    share_among(work, team, &|claim| {
        while let Some(work) = claim() {
            one_by_one(work, &mut |work| piece(work));
        }
    });
}

/// [`share_out`] with memory for each worker; there must be as many memories as workers.
pub(crate) fn share_out_with<W: Divisible, M: Send>(work: W, team: Team, memory: &mut [M], piece: &(impl Fn(W, &mut M) + Sync)) {
    let memory = Blocks::new(memory, 1);
    share_among(work, team, &|claim| {
        let Some(memory) = memory.claim_one() else { unreachable!("there is some for each worker") };
        while let Some(work) = claim() {
            one_by_one(work, &mut |work| piece(work, memory));
        }
    });
}

/// Runs `worker` on every worker, which claims consecutive pieces until nothing is left.
fn share_among<W: Divisible>(work: W, team: Team, worker: &(impl Fn(&dyn Fn() -> Option<W>) + Sync)) {
    let pieces = work.pieces();
    if team.workers() == 1 || pieces <= 1 {
        let work = Cell::new((pieces > 0).then_some(work));
        return worker(&|| work.take());
    }
    let count = pieces.min(CLAIMS);
    let mut claims = [const { None }; CLAIMS];
    let mut rest = Some(work);
    for (number, claim) in claims[..count].iter_mut().enumerate() {
        // Pieces may turn out larger or smaller than their number suggests: the last claim takes what is left, which may be nothing.
        *claim = match rest.take_if(|rest| rest.pieces() > 0) {
            Some(last) if number + 1 == count => Some(last),
            Some(some) => {
                let (next, others) = some.divide((number + 1) * pieces / count - number * pieces / count);
                rest = Some(others);
                Some(next)
            }
            None => None,
        };
    }
    let claims = Blocks::new(&mut claims[..count], 1);
    team.at_most(count).run(|| worker(&|| claims.claim_one().and_then(Option::take)));
}

fn one_by_one<W: Divisible>(work: W, piece: &mut impl FnMut(W)) {
    let mut rest = work;
    while rest.pieces() > 0 {
        let (next, others) = rest.divide(1);
        piece(next);
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_run_once() {
        for (len, workers) in [(0, 2), (1, 3), (5, 1), (127, 4), (128, 2), (129, 3), (1000, 5)] {
            let mut counts = vec![0; len];
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("threads can be started");
            pool.install(|| share_out(&mut counts[..], Team::of_current_pool(), &|piece: &mut [i32]| piece[0] += 1));
            assert_eq!(counts, vec![1; len], "{workers} workers");
            let mut sums = vec![0; workers];
            let add = |piece: &mut [i32], sum: &mut i32| *sum += piece[0];
            pool.install(|| share_out_with(&mut counts[..], Team::of_current_pool(), &mut sums, &add));
            assert_eq!(sums.iter().sum::<i32>(), len as i32, "{workers} workers");
        }
    }
    /// Rows that are never cut: a piece is some ten elements, or a longer row.
    struct Uneven<'a>(&'a mut [(usize, i32)]);

    impl Divisible for Uneven<'_> {
        fn pieces(&self) -> usize {
            self.0.iter().map(|(len, _)| len).sum::<usize>().div_ceil(10).min(self.0.len())
        }

        fn divide(self, pieces: usize) -> (Self, Self) {
            let most = self.0.len() - usize::from(pieces < self.pieces());
            let begins = self.0.iter().scan(0, |sum, (len, _)| Some(std::mem::replace(sum, *sum + len)));
            let row = begins.take_while(|&begin| begin < 10 * pieces).count();
            let (rows, others) = self.0.split_at_mut(row.clamp(1, most));
            (Uneven(rows), Uneven(others))
        }
    }

    /// Pieces that are larger than their number suggests, so that there are fewer in the end, and smaller ones, so that there are more.
    #[test]
    fn uneven_pieces_are_all_run_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        for (count, len) in [(300, 20), (1000, 25), (200, 9), (100, 7), (14, 3), (3, 11), (129, 10), (500, 1), (130, 15)] {
            for last in [1, len, 40 * len] {
                let mut rows = vec![(len, 0); count];
                rows[count - 1].0 = last;
                let work = |Uneven(rows): Uneven<'_>| rows.iter_mut().for_each(|(_, runs)| *runs += 1);
                pool.install(|| share_out(Uneven(&mut rows), Team::of_current_pool(), &work));
                assert!(rows.iter().all(|(_, runs)| *runs == 1), "{count} rows of {len}, the last of {last}");
            }
        }
    }
}
