//! Sharing out borrowed memory among workers, piece by piece and without a list of the pieces.

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

/// Runs `piece` on every piece and waits for all of them. A panic in one of them arrives here.
pub(crate) fn share_out<W: Divisible>(work: W, team: Team, piece: &(impl Fn(W) + Sync)) {
    if team.workers() > 1 {
        fork(work, piece);
    } else {
        let mut rest = work;
        while rest.pieces() > 0 {
            let (next, others) = rest.divide(1);
            piece(next);
            rest = others;
        }
    }
}

/// A tree of joins, which do not allocate.
fn fork<W: Divisible>(work: W, piece: &(impl Fn(W) + Sync)) {
    match work.pieces() {
        0 => {}
        1 => piece(work),
        pieces => {
            let (left, right) = work.divide(pieces / 2);
            rayon::join(|| fork(left, piece), || fork(right, piece));
        }
    }
}
