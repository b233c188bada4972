//! Sharing out borrowed memory among workers, piece by piece and without a list of the pieces.

use crate::lockfree::Blocks;
use crate::runtime::team::Team;

/// Work on exclusively borrowed memory that falls into pieces one after another.
pub(crate) trait Divisible: Send + Sized {
    /// How many pieces there are.
    fn pieces(&self) -> usize;

    /// The first so many pieces, and the rest.
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

/// Claims into which work is cut at most. They lie on the stack, because a steady scene does not allocate. Enough to even out what
/// pieces differ in.
const CLAIMS: usize = 128;

/// Runs `piece` on every piece and waits for all of them. A panic in one of them arrives here.
///
/// A worker claims consecutive pieces. The first claim goes to the first worker that comes, so it does not matter how many come.
pub(crate) fn share_out<W: Divisible>(work: W, team: Team, piece: &(impl Fn(W) + Sync)) {
    let pieces = work.pieces();
    if team.workers() == 1 || pieces <= 1 {
        return one_by_one(work, piece);
    }
    let count = pieces.min(CLAIMS);
    let mut claims = [const { None }; CLAIMS];
    let mut rest = work;
    for (number, claim) in claims[..count].iter_mut().enumerate() {
        let (next, others) = rest.divide((number + 1) * pieces / count - number * pieces / count);
        *claim = Some(next);
        rest = others;
    }
    let claims = Blocks::new(&mut claims[..count], 1);
    team.at_most(count).run(|| {
        while let Some(claim) = claims.claim_one() {
            if let Some(work) = claim.take() {
                one_by_one(work, piece);
            }
        }
    });
}

fn one_by_one<W: Divisible>(work: W, piece: &(impl Fn(W) + Sync)) {
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
        }
    }
}
