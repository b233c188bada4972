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

/// The most parts that work is cut into for the workers.
const MOST_PARTS: usize = 128;
/// Parts per worker, to even out what they differ in.
const PARTS_PER_WORKER: usize = 8;

/// Runs `piece` on every piece and waits for all of them. A panic in one of them arrives here.
///
/// The work is cut into parts, which the workers claim. Nothing is allocated.
pub(crate) fn share_out<W: Divisible>(work: W, team: Team, piece: &(impl Fn(W) + Sync)) {
    let pieces = work.pieces();
    let team = team.at_most(pieces);
    if team.workers() == 1 {
        return each_piece(work, piece);
    }
    let count = pieces.min((team.workers() * PARTS_PER_WORKER).min(MOST_PARTS));
    let mut parts: [Option<W>; MOST_PARTS] = [const { None }; MOST_PARTS];
    let mut rest = work;
    for (part, slot) in parts[..count].iter_mut().enumerate() {
        let (next, others) = rest.divide((part + 1) * pieces / count - part * pieces / count);
        (*slot, rest) = (Some(next), others);
    }
    let parts = Blocks::new(&mut parts[..count], 1);
    team.run(|| {
        while let Some(part) = parts.claim_one() {
            part.take().into_iter().for_each(|part| each_piece(part, piece));
        }
    });
}

/// Runs `piece` on every piece, one after another.
fn each_piece<W: Divisible>(work: W, piece: &impl Fn(W)) {
    let mut rest = work;
    while rest.pieces() > 0 {
        let (next, others) = rest.divide(1);
        piece(next);
        rest = others;
    }
}
